"""
A real UR10's recording: efforts of the URDF's rigid bodies against what the robot measured.

What is left over, mostly friction and the true inertias, is known from an independent evaluation
(the figures below are that evaluation's, with a centred quadratic Savitzky-Golay filter over 21
samples); the command must leave the same.

"""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from support.oracles import Pinocchio
from support.paths import ROOT, UR10
from support.robot_files import robot_path
from urdf2dyn_ros import open_recording
from urdf2dyn_ros.__main__ import main

RESIDUAL = (21.5, 22.2, 16.7, 6.1, 4.1, 5.7)
HALF_A_DIGIT = 0.05
DOCUMENT = ROOT / 'docs' / 'ur10.md'
URDF = robot_path('ur10_robot')

pytestmark = [pytest.mark.usefixtures('undrawn'), pytest.mark.skipif(
    not UR10.exists(), reason='the recording of a UR10 is not part of this repository; it comes '
    'from the public repository unisa-acg/inverse-dynamics-solver')]


def evaluated(recording: Path, folder: Path) -> tuple[list[str], np.ndarray, list[dict]]:
    """Return the joints, the table (k, 1 + 3 n) and the figures of `urdf2dyn evaluate`."""
    assert main(['evaluate', str(recording), '--urdf', str(URDF), '-o', str(folder)]) == 0
    with (folder / 'efforts.csv').open(newline='') as file:
        header, *rows = csv.reader(file)
    joints = [name.removeprefix('measured_') for name in header[1::3]]
    return joints, np.array(rows, dtype=float), json.loads(
        (folder / 'efforts.json').read_text())['joints']


def test_the_command_finds_the_same_residuals(tmp_path, capsys):
    """With its own smoothing; and the friction that the URDF lacks explains most of them."""
    joints, rows, figures = evaluated(UR10, tmp_path)
    assert len(rows) == 3441 - 11
    found = np.sqrt((rows[:, 3::3]**2).mean(axis=0))
    for joint, row, rms, expected in zip(joints, figures, found, RESIDUAL, strict=True):
        assert row['joint'] == joint and not row['not_credible']
        assert abs(rms - expected) <= 0.02 * expected + HALF_A_DIGIT
        assert row['rmse'] == pytest.approx(rms, rel=1e-6)
        assert row['friction']['rmse'] < 0.3 * rms
        assert all(row['friction'][term]['value'] > 20.0 * row['friction'][term]['standard_error']
                   for term in ('viscous', 'coulomb'))
    out = capsys.readouterr().out
    assert 'smoothing_spline, offline smoothing' in out
    # and the walk through it shows what is printed
    shown, printed = ({line.split()[0]: line.split()[4:] for line in words.splitlines()
                       if ' N m ' in line and line.split()[0].endswith('_joint')}
                      for words in (DOCUMENT.read_text(), out))
    assert shown.keys() == printed.keys() == set(joints)
    for joint in joints:
        for a, b in zip(shown[joint], printed[joint], strict=True):
            assert a == b == '-' or float(a) == pytest.approx(float(b), rel=0.01, abs=0.002)


@pytest.mark.slow
def test_the_validation_trajectory_is_compared(tmp_path):
    """Its accelerations as they are: Pinocchio computes the same efforts from its points."""
    trajectory = UR10.with_name('validation_trajectory.db3')
    joints, rows, figures = evaluated(trajectory, tmp_path)
    oracle = Pinocchio(URDF.read_text())
    points = list(open_recording(trajectory))
    assert len(rows) == len(points)
    true = []
    for point in points:
        efforts = oracle.efforts(dict(zip(point.names, zip(*point[2:4], point.acceleration))))
        true.append([efforts[joint] for joint in joints])
    identified = np.array([dict(zip(points[0].names, point.effort))[joint]
                           for point in points for joint in joints]).reshape(len(points), -1)
    np.testing.assert_allclose(rows[:, 1::3], identified, rtol=1e-8)
    # at the start its velocities contradict its positions, and are dropped
    settled = slice(550, None)
    np.testing.assert_allclose(rows[settled, 2::3], np.array(true)[settled], atol=1e-6)
    residual = np.sqrt(((identified - true)**2).mean(axis=0))
    assert [row['rmse'] for row in figures] == pytest.approx(residual, rel=1.5e-4)
