"""Identification of simulated robots with closed loops, linear ones and others."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from support.mechanisms import mechanism
from urdf2dyn_ros import InverseDynamics, excite, identify
from urdf2dyn_ros.errors import IdentificationError
from urdf2dyn_ros.identification.robot import robot_of

NOISE, RATE, CUTOFF = 0.01, 100.0, 10.0   # of the efforts, as a share; [Hz]
SECONDS = 20.0


def recording(path: Path, dynamics: InverseDynamics) -> np.ndarray:
    """Write the motion of a robot with other masses and friction; return its noise (n,)."""
    rng, n = np.random.default_rng(5), dynamics.n
    true = InverseDynamics(replace(dynamics.model, links=tuple(
        link if link.inertia is None else replace(link, inertia=replace(
            link.inertia, mass=rng.uniform(0.9, 1.15) * link.inertia.mass))
        for link in dynamics.model.links)), backend='python')
    t = np.arange(0.0, SECONDS, 1.0 / RATE)
    w, a, phase = (rng.uniform(*ends, (4, n)) for ends in ((1.0, 6.0), (0.035, 0.07), (0.0, 6.0)))
    angle = w * t[:, None, None] + phase
    start = dict(dynamics.model.closed_loops.start)
    q = [start[name] for name in dynamics.joint_names] + (a * np.sin(angle)).sum(axis=1)
    qd, qdd = (a * w * np.cos(angle)).sum(axis=1), (-a * w**2 * np.sin(angle)).sum(axis=1)
    tau = true(q, qd, qdd)
    tau += 0.02 * np.abs(tau).max(axis=0) * (np.tanh(qd / 0.02) + qd)
    noise = NOISE * tau.std(axis=0)
    tau += noise * rng.normal(size=tau.shape)
    head = ['time', *(f'{what}_{name}' for what in ('position', 'effort')
                      for name in dynamics.joint_names)]
    np.savetxt(path, np.column_stack((t, q + 1e-6 * rng.normal(size=q.shape), tau)),
               delimiter=',', header=','.join(head), comments='')
    return noise


@pytest.mark.parametrize('name', [
    'five_bar', *(pytest.param(name, marks=pytest.mark.slow)
                  for name in ('four_bar', 'palletizer'))])
def test_held_out_efforts_are_predicted_up_to_their_noise(name: str, tmp_path: Path) -> None:
    dynamics = InverseDynamics(mechanism(name), backend='python')
    noise = recording(tmp_path / 'motion.csv', dynamics)
    result = identify([tmp_path / 'motion.csv'], dynamics)
    below_cutoff = noise * np.sqrt(2.0 * CUTOFF / RATE)
    assert (result.held_out.moving[2] < 1.15 * below_cutoff).all()
    assert (result.held_out.moving[0] > 5.0 * below_cutoff).all()
    assert len(result.base.names) == len(dynamics.base_parameters.names)


def test_positions_that_close_no_loops_are_refused(tmp_path: Path) -> None:
    dynamics = InverseDynamics(mechanism('five_bar'), backend='python')
    path = tmp_path / 'motion.csv'
    recording(path, dynamics)
    head, *rows = path.read_text().splitlines()
    table = np.array([row.split(',') for row in rows], float)
    table[:, 1] -= 1.5
    np.savetxt(path, table, delimiter=',', header=head, comments='')
    with pytest.raises(IdentificationError, match=r'do not fit the loops.*zeros, directions'):
        identify([path], dynamics)


@pytest.mark.parametrize('name', ['palletizer', 'excavator', 'ankle'])
def test_columns_of_bodies_are_their_efforts(name: str) -> None:
    dynamics = InverseDynamics(mechanism(name), backend='python')
    robot, rng = robot_of(dynamics), np.random.default_rng(1)
    start = dict(dynamics.model.closed_loops.start)
    q = np.array([start[joint] for joint in dynamics.joint_names]) + 0.05 * np.sin(
        np.linspace(0.0, 3.0, 20))[:, None]
    qd, qdd = rng.normal(size=(2, *q.shape))
    tau, nominal = dynamics(q, qd, qdd), robot.prior.nominal
    found = [part @ nominal[bodies].ravel()
             for part, bodies in zip(robot.columns(q, qd, qdd), robot.columns.bodies)]
    for efforts in (np.transpose(found), robot.columns.efforts(q, qd, qdd, nominal)):
        assert efforts == pytest.approx(tau, abs=1e-12 * np.abs(tau).max())


@pytest.mark.slow
def test_an_excitation_stays_where_the_loops_close(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('urdf2dyn_ros.identification.excitation._MOST_SECONDS', 6.0)
    dynamics = InverseDynamics(mechanism('five_bar'))
    limits = {'lower': -0.9, 'upper': 0.9, 'velocity': 2.0, 'effort': 30.0}
    found = excite(dynamics, 5.0, 1.0, dict.fromkeys(dynamics.joint_names, limits))
    q, qd, qdd = found.motion(np.linspace(0.0, 5.0, 500))
    tau = dynamics(q, qd, qdd)
    assert np.abs(q).max() <= 0.9 and np.abs(tau).max() <= 30.0
    assert found.log_det[0] > found.log_det[1] + 1.0
