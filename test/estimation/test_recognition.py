"""What a whole recording shows about its velocities, on real ones and where the truth is known."""

import numpy as np
import pytest

from support.recordings.real_robots import real_ids, real_motion
from support.streams.known_motions import PROFILES, record, truth
from urdf2dyn_ros.joint_states.steps import Steps
from urdf2dyn_ros.joint_states.velocity_check import VelocityCheck
from urdf2dyn_ros.joint_states.velocity_words import JointVelocity

# which velocities are used, and the range of their lags [ms]
REAL = [('kr300/kr300.csv', False, (22.0, 24.0)), ('kinova_gen3/joint_2.csv', True, (-12.0, 1.0)),
        ('tiago/tiago.csv', False, (100.0, 230.0)),
        ('ur10_exciting_trajectory/ur10_exciting_trajectory.db3', True, (0.0, 3.0))]


def recognise(stamps: np.ndarray, q: np.ndarray, qd: np.ndarray) -> tuple[JointVelocity, ...]:
    """Return what is known of each joint's velocity at the end of a recording."""
    check, steps, before = VelocityCheck(q.shape[1]), Steps(), 0
    for stamp, position, velocity in zip(stamps.tolist(), q, qd, strict=True):
        if before and steps.is_jump(stamp - before):
            check.restart()
        steps.add(before, stamp)
        check.update(stamp, position, velocity)
        before = stamp
    return check.joints


@pytest.mark.parametrize(('name', 'used', 'lags'), REAL, ids=real_ids(REAL))
@pytest.mark.fault(37)
def test_velocities_of_real_robots(name, used, lags):
    motion = real_motion(name)
    for joint in recognise(motion.stamps, motion.q, motion.qd):
        assert joint.used is used
        assert lags[0] <= 1e3 * joint.lag <= lags[1]
        assert joint.scale == pytest.approx(1.0, abs=0.02)


@pytest.mark.parametrize('lag', [0.005, 0.01, 0.023, 0.1, 0.19])
def test_a_lag_is_estimated_and_not_mistaken_for_a_scale(lag):
    whole = record(PROFILES['C'])
    qd = truth(whole.stamps - round(1e9 * lag))[1] + 1e-3 * np.random.default_rng(1).normal(
        size=whole.q.shape)
    for joint in recognise(whole.stamps, whole.q[:, :3], qd[:, :3]):   # not the 4 Hz sine
        assert not joint.used
        assert joint.lag == pytest.approx(lag, rel=0.15)
        assert joint.scale == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize('scale', [0.92, 1.08, 57.3, -1.0])
def test_a_scale_is_estimated(scale):
    whole = record(PROFILES['C'])
    for joint in recognise(whole.stamps, whole.q, scale * whole.qd):
        assert not joint.used
        assert joint.scale == pytest.approx(scale, rel=0.01)


def test_nothing_is_concluded_across_gaps_and_without_motion():
    whole = record(PROFILES['C'])
    q, qd = whole.q.copy(), whole.qd.copy()
    q[:, 1], qd[:, 1] = q[0, 1], 0.0
    qd[:, 2] = np.nan
    late = whole.stamps + np.where(np.arange(len(q)) > len(q) // 2, 5_000_000_000, 0)
    moving, resting, absent, other = recognise(late, q, qd)
    assert moving.used
    assert other.used
    assert str(resting) == 'not used: not compared with a motion yet'
    assert str(absent) == 'not used: not measured'
