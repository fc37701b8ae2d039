"""The benchmark of the load and the soak do what they say; no time of this machine is held."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support.paths import ROOT

pytestmark = pytest.mark.slow

FOLDER = ROOT / 'benchmarks'


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
