"""Notes on what an identified model would be like, which the report and the terminal have."""

from pathlib import Path

import pytest

from support.scara_recordings import SCARA, recording, robot
from urdf2dyn_ros.cli import main


def test_a_body_that_is_far_too_heavy_may_carry_a_tool(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = recording(tmp_path / 'r.csv', recorded=robot(payload=20.0))
    assert main(['identify', path, '--urdf', str(SCARA), '-o', str(tmp_path / 'out')]) == 0
    notes = [line for line in capsys.readouterr().err.splitlines() if ' would have ' in line]
    assert notes and all('does it carry a tool that the URDF is without' in each for each in notes)


def test_good_recordings_fit_each_other(tmp_path: Path,
                                        capsys: pytest.CaptureFixture[str]) -> None:
    """One is faster, so that its residual of 0.6 % is three times theirs."""
    paths = [recording(tmp_path / f'{seed}.csv', seed=seed) for seed in range(3)]
    assert main(['identify', *paths, '--urdf', str(SCARA), '-o', str(tmp_path / 'out')]) == 0
    assert 'does not fit' not in capsys.readouterr().err
