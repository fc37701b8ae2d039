"""Velocities of a stream: used, late or not measured, on real recordings and made ones."""

import numpy as np
import pytest

from support.recordings.real_robots import real, referenced
from support.streams.known_motions import NAMES, PROFILES, errors, record, truth
from urdf2dyn_ros.estimation.hold import unlimited_joints
from urdf2dyn_ros.estimation.stream import Stream
from urdf2dyn_ros.estimators import make_compiled


def streamed(stamps, q, qd, names):
    """Return a stream of unit masses, and stamps and accelerations of its outputs."""
    stream = Stream(unlimited_joints(names), lambda q, qd, qdd: qdd.copy(),
                    lambda joints: make_compiled('kalman', joints, snap_density=0.0, max_std=1e6),
                    clock=lambda: 0)
    outputs = [stream.receive(*sample, ()) for sample in zip(
        stamps.tolist(), [names] * len(q), q, qd)]
    some = [output for output in outputs if output is not None]
    return stream, np.array([output.stamp for output in some]), np.array(
        [output.effort for output in some])


@pytest.mark.parametrize(('name', 'cutoff', 'used'), [
    ('kr300/kr300.csv', 12.0, False), ('kinova_gen3/joint_2.csv', 15.0, True)])
@pytest.mark.fault(37)
def test_accelerations_with_the_velocities_of_a_real_robot(name, cutoff, used):
    """As good as with positions alone, although the velocities of one of them are 23 ms late."""
    motion, true, some = referenced(name, cutoff)
    figures = []
    for qd in (motion.qd, np.full_like(motion.qd, np.nan)):
        stream, stamps, efforts = streamed(motion.stamps + 10**9, motion.q, qd, motion.names)
        found = np.full_like(motion.q, np.nan)
        found[np.searchsorted(motion.stamps, stamps - 10**9)] = efforts
        figures.append(real.errors(found, true, some)[0])
        assert all(velocity.used is (bool(used and np.isfinite(qd).all()))
                   for velocity in stream.velocities.values())
    print(name, np.round(figures, 1))
    assert (figures[0] < 1.03 * figures[1]).all()


@pytest.mark.parametrize('lag', [0.005, 0.023, 0.19])
@pytest.mark.fault(37)
def test_late_velocities_are_as_good_as_none(lag):
    whole = record(PROFILES['C'])
    late = truth(whole.stamps - round(1e9 * lag))[1]
    stream, *with_late = streamed(whole.stamps, whole.q, late, NAMES)
    _, *without = streamed(whole.stamps, whole.q, np.full_like(late, np.nan), NAMES)
    assert len(stream.warnings) == len(NAMES)
    assert (errors(*with_late) < 1.15 * errors(*without)).all()
