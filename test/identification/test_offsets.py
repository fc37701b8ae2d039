"""Offsets and friction that a motion within few postures, or a slow one, hardly determines."""

import json
from pathlib import Path

import numpy as np
import pinocchio as pin

from support.robot_files import vertical_2r
from support.streams.sums_of_sines import sums_of_sines
from urdf2dyn_ros.__main__ import main

TEXT = vertical_2r('lower="-3" upper="3" effort="400" velocity="9"')


def recording(path: Path, about: float, seed: int, sizes: tuple[float, float] = (0.06, 0.06),
              travel: float = 0.0) -> str:
    """
    Write a motion of a robot 1.4 times as heavy as its URDF, near a posture [rad].

    Its sines have some sizes [rad]. When a joint turns back, its friction follows within a travel
    [rad].
    """
    model = pin.buildModelFromXML(TEXT)
    for number in (1, 2):
        own = model.inertias[number]
        model.inertias[number] = pin.Inertia(1.4 * own.mass, own.lever, 1.4 * own.inertia)
    data, random = model.createData(), np.random.default_rng(seed)
    time = np.arange(0.0, 8.0, 0.02)
    w, phase = 2.0 * np.pi * random.uniform(0.2, 0.9, (2, 4)), random.uniform(0.0, 6.28, (2, 4))
    q, qd, qdd = sums_of_sines(time, w.T, phase.T, np.array(sizes))
    q[:, 0] += about
    effort = np.array([pin.rnea(model, data, *state) for state in zip(q, qd, qdd)])
    signs = np.tanh(qd / 0.02)
    for k, step in enumerate(np.diff(q, axis=0), 1) if travel else ():
        kept = np.exp(-np.abs(step) / travel)
        signs[k] = kept * signs[k - 1] + (1.0 - kept) * np.sign(step)
    effort += 2.0 * signs + 1.5 * qd
    effort += 0.03 * effort.std(axis=0) * random.normal(size=effort.shape)
    np.savetxt(path, np.column_stack((time, q, effort)), '%.9g', ',', comments='',
               header='time,q_joint1,q_joint2,effort_joint1,effort_joint2')
    return str(path)


def residuals(tmp_path: Path, paths: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return what the robot identified from the first leaves of the second, and its URDF."""
    (tmp_path / 'arm.urdf').write_text(TEXT)
    assert main(['identify', paths[0], '--validate', paths[1], '--urdf',
                 str(tmp_path / 'arm.urdf'), '-o', str(tmp_path / 'out')]) == 0
    found = json.loads((tmp_path / 'out' / 'identification.json').read_text())['joints']
    left, urdf = np.array([[entry['validation'][Path(paths[1]).stem]['all'][model]
                            for entry in found.values()] for model in ('identified', 'URDF')])
    print(f'residuals {left} N m, of the URDF {urdf}')
    return left, urdf


def test_gravity_is_no_offset(tmp_path: Path) -> None:
    """A posture that was not recorded is predicted better than by the URDF."""
    left, urdf = residuals(tmp_path, [
        recording(tmp_path / f'{name}.csv', about, seed)
        for seed, (name, about) in enumerate({'level': 0.0, 'hanging': 1.4}.items())])
    assert (left < urdf).all()


def test_friction_of_a_slow_motion_is_not_quadratic(tmp_path: Path) -> None:
    """A motion of the second joint that is thirty times as fast is predicted better, too."""
    left, urdf = residuals(tmp_path, [
        recording(tmp_path / f'{name}.csv', 0.0, 3, (0.3, second), 0.002)
        for name, second in {'slow': 0.02, 'fast': 0.6}.items()])
    assert (left < urdf).all()
