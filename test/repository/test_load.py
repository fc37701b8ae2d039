"""The benchmark of the load and the soak do what they say; no time of this machine is held."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from support.paths import ROOT

pytestmark = pytest.mark.slow

FOLDER = ROOT / 'benchmarks'
ROW = {'robot': 'Panda', 'joints': 7, 'executor': 'auto'}


def test_a_phase_of_the_load_counts_every_message(tmp_path: Path,
                                                  monkeypatch: pytest.MonkeyPatch) -> None:
    """For the node that copies and for ours, as a table and as a picture."""
    monkeypatch.syspath_prepend(FOLDER)
    from cases import case
    from under_load.phase import Phase, measure
    from under_load.report import draw, table

    robot = case('Panda', tmp_path)
    found = {'host': {'processor': 'x'}, 'rows': []}
    for node, backend in ('copy', ''), ('ours, C', 'auto'):
        phase = measure(robot.urdf.read_text(), list(robot.joint_names), 'auto', backend, 0.5)
        assert phase.sent == phase.answered + phase.lost > 50
        assert phase.answered > 0 and phase.cpu > 0.0 and 0.0 < phase.p50 <= phase.p99
        found['rows'].append({**ROW, 'node': node, **Phase.together([phase, phase])})
        assert found['rows'][-1]['sent'] == 2 * phase.sent
    first, last = table(found).splitlines()[1:]
    assert first.startswith('7 joints, auto: copy') and first.endswith('1.00')
    assert last.startswith('7 joints, auto: ours, C')
    for row in found['rows']:
        row['executor'] = 'single'
    draw(found, tmp_path / 'load.png')
    assert (tmp_path / 'load.png').read_bytes().startswith(b'\x89PNG')


def test_loads_in_the_background_take_turns(tmp_path: Path) -> None:
    """Every kind of it is done, and compared with nothing in the same round."""
    done = subprocess.run([sys.executable, FOLDER / 'exporting.py', '--rounds', '1', '--seconds',
                           '0.7', '--output', tmp_path], text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / 'exporting_events.json').read_text())
    nothing, *others = found['rows']
    assert nothing['name'] == 'nothing' and nothing['ratio'] == 1.0 and not nothing['done']
    for row in found['rows']:
        assert row['name'] in done.stdout
        assert row['answered'] > 0 and 0.0 < row['p50'] <= row['p90'] <= row['p99']
        assert row['quartiles'] == [pytest.approx(row['ratio'], rel=0.01)] * 3
    assert all(row['done'] for row in others if 'exports' in row['name'])
    assert (tmp_path / 'exporting_events.png').read_bytes().startswith(b'\x89PNG')


@pytest.mark.fault(20, 22, 27, 31, 32, 38, 39, 47, 49, 51, 52)
def test_every_fault_of_the_soak_is_survived(tmp_path: Path) -> None:
    """Once each: right again afterwards, and nothing wrong is published at any time."""
    done = subprocess.run([sys.executable, FOLDER / 'soak.py', '--minutes', '0', '--rate', '250',
                           '--output', tmp_path], text=True, capture_output=True, timeout=300)
    assert (tmp_path / 'soak.json').exists(), done.stdout + done.stderr
    found = json.loads((tmp_path / 'soak.json').read_text())
    assert found['exit code'] == 0
    for name, tally in found['faults'].items():
        assert len(tally['recoveries']) == 1, (name, done.stdout)
        assert tally['wrong'] == 0 and not tally['failures'], (name, done.stdout)
        assert name in done.stdout
    assert (tmp_path / 'soak.png').read_bytes().startswith(b'\x89PNG')


def test_pictures_are_drawn_from_the_files_of_figures(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that docs/ has, with one quantity an axis and no powers of ten."""
    monkeypatch.syspath_prepend(FOLDER)
    import matplotlib.pyplot as plt
    import pictures

    shown: dict[str, Figure] = {}
    monkeypatch.setattr(plt, 'close', lambda figure: shown.update({
        path.stem: figure for path in tmp_path.glob('*.png') if path.stem not in shown}))
    for name in ('soak', 'load', 'benchmark', 'exporting_events'):
        shutil.copy(ROOT / 'docs' / f'{name}.json', tmp_path)
    assert pictures.main([str(tmp_path)]) == 0
    assert {path.stem for path in tmp_path.glob('*.png')} == {*shown} == {
        'soak', 'load', 'benchmark', 'exporting_events'}
    *over_time, _ = shown['soak'].axes
    assert [len(axes.lines) for axes in over_time] == [1, 1, 1]
    assert all(axes.get_xlabel() or axes.get_title(loc='left') for axes in shown['soak'].axes)
    for name, figure in shown.items():
        for axes in figure.axes:
            labels = [*axes.get_xticklabels(), *axes.get_yticklabels()]
            assert not [each for each in labels if '10^' in each.get_text()], name


def test_what_is_wrong_in_a_soak_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code, wrong outputs, slow recoveries, other failures, and growth."""
    monkeypatch.syspath_prepend(FOLDER)
    from soak import failures
    from soaking.report import growth
    from under_load.process_figures import Figures

    good = {'recoveries': [0.1], 'wrong': 0, 'error': 0.001, 'failures': []}
    flat = [(float(k), Figures(0.0, 100.0 + k % 2, 8, 30)) for k in range(600)]
    found = {'exit code': 0, 'faults': {'flood': good}, 'growth': growth(flat)}
    assert failures(found, judge_growth=True) == []
    grown = [(when, row._replace(memory=100.0 + 0.01 * when, threads=8 + int(when) // 10))
             for when, row in flat]
    bad = {'recoveries': [0.1, 0.3], 'wrong': 2, 'error': 0.9, 'failures': ['no right outputs']}
    found = {'exit code': -9, 'faults': {'flood': good, 'export': bad}, 'growth': growth(grown)}
    assert failures(found, judge_growth=True) == [
        'exit code -9', 'export: no right outputs', 'export: 2 wrong outputs',
        'export: 1 recovery slower than 0.2 s, 0.300 s', 'memory grows by 6.00 per 10 minutes',
        'threads grows by 60.00 per 10 minutes']
    assert not [text for text in failures(found, judge_growth=False) if 'grows' in text]
