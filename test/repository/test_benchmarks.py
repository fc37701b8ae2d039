"""The benchmark runs, compares before it times, and writes what it promises; no times are held."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from support.paths import ROOT

pytestmark = pytest.mark.slow

FOLDER = ROOT / 'benchmarks'


class Run(NamedTuple):
    table: str
    found: dict[str, Any]
    folder: Path


@pytest.fixture(scope='module')
def quick(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp('benchmark')
    done = subprocess.run(
        [sys.executable, FOLDER / 'run.py', '--quick', '--robots', '2R', '--json',
         folder / 'copy.json', '--output', folder],
        text=True, capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return Run(done.stdout, json.loads((folder / 'benchmark.json').read_text()), folder)


def test_it_writes_figures_and_a_picture(quick: Run) -> None:
    """Twice the same figures, and a PNG."""
    assert json.loads((quick.folder / 'copy.json').read_text()) == quick.found
    assert (quick.folder / 'benchmark.png').read_bytes().startswith(b'\x89PNG')
    assert {'host', 'robots', 'forward_dynamics', 'derivatives'} == quick.found.keys()


def test_every_contestant_is_in_the_table_or_excluded_with_a_reason(quick, monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    from contestants import CONTESTANTS, OTHER_RACES

    for part, contestants in (*OTHER_RACES.items(), ('robots', CONTESTANTS)):
        robot = quick.found[part]['2R']
        assert {*robot['ns']} | {*robot['left_out']} == {one.name for one in contestants}
        assert not {*robot['ns']} & {*robot['left_out']}
    for name in robot['ns']:
        assert f'\n{name} ' in quick.table
    for name, reason in robot['left_out'].items():
        assert f'not compared: {name}, because {reason}' in quick.table
    assert {'ours: Python, one call', 'Pinocchio from Python'} <= robot['ns'].keys()


def test_contestants_that_are_timed_agree(quick: Run) -> None:
    for part in ('robots', 'forward_dynamics', 'derivatives'):
        robot = quick.found[part]['2R']
        assert robot['difference'].keys() == robot['ns'].keys()
        assert max(robot['difference'].values()) < 1e-9


def test_the_load_of_a_node_is_measured(tmp_path: Path) -> None:
    """Half a second of each node: one line each, with a cost above that of copying."""
    done = subprocess.run([sys.executable, FOLDER / 'load.py', '--seconds', '0.5', '--rounds', '1',
                           '--output', tmp_path], text=True, capture_output=True, timeout=230)
    assert done.returncode == 0, done.stderr
    rows = json.loads((tmp_path / 'load.json').read_text())['rows']
    assert len({(row['robot'], row['executor'], row['node']) for row in rows}) == 12
    assert all(row['sent'] > 300 and row['answered'] > 0 and row['cpu'] > 0.0 for row in rows)
    assert (tmp_path / 'load.png').read_bytes().startswith(b'\x89PNG')


def test_frozen_exports_tell_what_has_changed(tmp_path: Path) -> None:
    """Nothing, and then one file of one language."""
    frozen, command = tmp_path / 'exports.json', [sys.executable, FOLDER / 'freeze.py', 'exports']
    robot = ['--robots', 'robot_2r']
    assert subprocess.run([*command, frozen, *robot], capture_output=True).returncode == 0
    kept = json.loads(frozen.read_text())
    files = kept['robots']['robot_2r']['files']['gravity']['c']['fast']
    files[next(iter(files))] = 'of another text'
    frozen.write_text(json.dumps(kept))
    done = subprocess.run([*command, '--compare', frozen, *robot], text=True, capture_output=True)
    assert done.returncode == 1 and '1 differences' in done.stdout
    assert 'robot_2r files gravity c fast' in done.stdout
