"""The benchmark of the load and the soak do what they say; no time of this machine is held."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

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
