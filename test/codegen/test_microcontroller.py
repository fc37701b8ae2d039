"""examples/microcontroller: the exported C runs on a Cortex-M7, as QEMU has it."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.paths import ROOT

TOOLS = ('arm-none-eabi-gcc', 'qemu-system-arm')
PRINTED = re.compile(r'^(\w+) +(\d+) +(\d+) +(\d+)  (.*)$', re.MULTILINE)


def missing() -> bool:
    """Return whether the compiler, its C library or the emulator is not installed."""
    if any(shutil.which(tool) is None for tool in TOOLS):
        return True
    found = subprocess.run([TOOLS[0], '-print-file-name=rdimon.specs'], capture_output=True,
                           text=True, check=True).stdout
    return '/' not in found


def test_the_exported_c_runs_on_a_microcontroller(tmp_path: Path) -> None:
    """Its self-test passes there; code, stack and instructions are at most those of the page."""
    if missing():
        pytest.skip('needs gcc-arm-none-eabi, libnewlib-arm-none-eabi and qemu-system-arm')
    command = tmp_path / 'urdf2dyn'
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m urdf2dyn_ros "$@"\n')
    command.chmod(0o755)
    done = subprocess.run(
        [ROOT / 'examples' / 'microcontroller' / 'run.sh', ROOT / 'urdf' / 'rx90.urdf',
         tmp_path / 'out'], capture_output=True, text=True, timeout=230, check=False,
        env={**os.environ, 'PATH': f'{tmp_path}:{os.environ["PATH"]}', 'PYTHONPATH': str(ROOT)})
    assert done.returncode == 0, done.stdout + done.stderr
    rows = PRINTED.findall(done.stdout)
    assert [row[4] for row in rows] == ['agrees with the reference'] * 3
    page = (ROOT / 'docs' / 'microcontroller.md').read_text()
    table = [[int(cell) for cell in row] for row in re.findall(
        r'\| (\d+) \| (\d+) \| (\d+) \| agrees', page)]
    assert len(table) == 3
    for row, stated in zip(rows, table):
        for cell, most in zip(row[1:4], stated):
            assert 0.5 * most < int(cell) < 1.2 * most   # another gcc has other registers
