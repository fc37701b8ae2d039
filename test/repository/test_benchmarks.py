"""The benchmark runs, compares before it times, and writes what it promises; no times are held."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from support.paths import ROOT
from urdf2dyn_ros.estimation.estimators import ESTIMATORS

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
    assert {'host', 'robots', 'growth', 'humanoid'} <= quick.found.keys()


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


def test_the_cost_of_estimators_is_held_against_its_gate(tmp_path: Path) -> None:
    """Of every one of them; what is said of the gate follows from the figures."""
    done = subprocess.run([sys.executable, FOLDER / 'estimator_cost.py', '--updates', '60',
                           '--output', tmp_path], text=True, capture_output=True, timeout=230)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / 'estimator_cost.json').read_text())
    assert found['us'].keys() == {*ESTIMATORS, 'kalman, numpy'}
    gate = found['gate']
    assert (gate['joints'], gate['p50'], gate['p99']) == (30, 40.0, 150.0)
    for name, row in found['us'].items():
        met = all(0.0 < row['30'][each] <= gate[each] for each in ('p50', 'p99'))
        assert row['gate_met'] is met
        line = next(line for line in done.stdout.splitlines() if line.startswith(f'{name} '))
        assert line.endswith(' met') and line.endswith('not met') is not met
