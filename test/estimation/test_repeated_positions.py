"""Drivers that repeat positions, without velocities: a repeated position is no measurement."""

import numpy as np
import pytest

from support.memory import bytes_of
from support.streams.known_motions import NAMES, START, Profile, errors, record, truth
from urdf2dyn_ros.estimation.hold import unlimited_joints
from urdf2dyn_ros.estimation.stream import Stream
from urdf2dyn_ros.estimators import make_compiled
from urdf2dyn_ros.joint_states.repeated_joints import RepeatedJoints
from urdf2dyn_ros.joint_states.repeated_positions import RepeatedPositions
from urdf2dyn_ros.recordings.offline_stream import OfflineStream

RATE = 100.0
REPEATED = {'every fourth': lambda rows: rows - (rows % 4 == 3),
            'every second': lambda rows: rows - rows % 2}


class _Accelerations:
    """A star of unit inertias: its efforts are the accelerations, of one state or of many."""

    joint_names, continuous = NAMES, (False,) * len(NAMES)

    def __call__(self, q, qd, qdd):
        return qdd.copy()


def online(estimator):
    return Stream(unlimited_joints(NAMES), _Accelerations(),
                  lambda joints: make_compiled(estimator, joints), clock=lambda: 0)


def offline():
    return OfflineStream(_Accelerations(), unlimited_joints(NAMES))


def streamed(stream, stamps, q):
    """Return stamps and accelerations of the outputs."""
    outputs = [stream.receive(stamp, NAMES, row, (), ()) for stamp, row in zip(stamps.tolist(), q)]
    if isinstance(stream, OfflineStream):
        stream.finish()
        whole = list(stream.take())
        return (np.concatenate([each.stamps for each in whole]),
                np.concatenate([each.effort for each in whole]))
    some = [output for output in outputs if output is not None]
    return np.array([each.stamp for each in some]), np.array([each.effort for each in some])


@pytest.mark.fault(55)
@pytest.mark.parametrize('repeated', REPEATED)
@pytest.mark.parametrize(('make', 'answered'), [
    (lambda: online('kalman'), 0.97), (lambda: online('kalman_fixed_lag'), 0.97),
    (offline, 0.98)], ids=['kalman', 'kalman_fixed_lag', 'offline'])
def test_repeated_positions_are_no_motionless_samples(make, answered, repeated):
    """As if they were not there, but every message has an output."""
    whole = record(Profile(RATE, 17, 0.0))
    rows = REPEATED[repeated](np.arange(len(whole.q)))
    new = rows == np.arange(len(rows))
    clean = errors(*streamed(make(), whole.stamps[new], whole.q[new]))
    stamps, qdd = streamed(make(), whole.stamps, whole.q[rows])
    found = errors(stamps, qdd)
    print(repeated, np.round(clean, 1), np.round(found, 1), len(stamps) / len(rows))
    assert (found < 1.7 * clean + 0.5).all()
    assert len(stamps) > answered * len(rows)


def at_random(rows):
    """A tenth, at most two in a row."""
    late = np.random.default_rng(1).uniform(size=rows.shape) < 0.1
    late[2:] &= ~(late[1:-1] & late[:-2])
    return late


JOINT_BY_JOINT = {'every fourth, each in its turn': lambda rows: rows % 4 == 3,
                  'a tenth, at random': at_random}


@pytest.mark.fault(55)
@pytest.mark.parametrize('repeated', JOINT_BY_JOINT)
@pytest.mark.parametrize('make', [lambda: online('kalman'), lambda: online('kalman_fixed_lag'),
                                  offline], ids=['kalman', 'kalman_fixed_lag', 'offline'])
def test_positions_of_single_joints_are_repeated(make, repeated):
    """In messages whose other positions are new: those joints alone have no measurement."""
    whole = record(Profile(RATE, 17, 0.0))
    rows = np.arange(len(whole.q))[:, None] + np.zeros(len(NAMES), dtype=int)
    rows[JOINT_BY_JOINT[repeated](rows + np.arange(len(NAMES)))] = 0
    rows = np.maximum.accumulate(rows)
    clean = errors(*streamed(make(), whole.stamps, whole.q))
    stamps, qdd = streamed(make(), whole.stamps,
                           np.take_along_axis(whole.q, rows, axis=0))
    found = errors(stamps, qdd)
    print(repeated, np.round(clean, 1), np.round(found, 1), len(stamps) / len(rows))
    assert (found < 2.0 * clean + 0.5).all()
    assert len(stamps) > 0.96 * len(rows)


@pytest.mark.fault(56)
@pytest.mark.parametrize('slow', [1.025, 1.001])
@pytest.mark.parametrize('rate', [100.0, 250.0, 500.0])
def test_a_driver_that_is_slower_than_its_publisher_repeats_messages(rate, slow):
    """What follows does not make up for it; the age of the others changes by up to a period."""
    stamps = START + np.rint(1e9 / rate * np.arange(10.0 * rate)).astype(np.int64)
    reads = np.floor(np.arange(len(stamps)) / slow) * slow
    q, _, _ = truth(START + np.rint(1e9 / rate * reads).astype(np.int64))
    step = 2.0 * np.pi / 2**17
    some, qdd = streamed(online('kalman'), stamps, step * np.round(q / step))
    late = some > START + 1_000_000_000
    wrong = np.abs(qdd - truth(some)[2])[late].max(axis=0)
    found = errors(some, qdd)
    print(rate, slow, np.round(found, 1), np.round(wrong, 1), len(some) / len(stamps))
    assert (found < [8.0, 12.0, 38.0, 24.0]).all()
    assert (wrong < 8.0).all()
    assert len(some) > 0.98 * len(stamps)


def slow_steps(k):
    """Every third position is new, by 5 mrad, of an encoder that is coarse but for small slips."""
    return np.array([0.005 * (k // 3) + 1e-5 * (k // 50), 1e-4 * np.sin(k)])


@pytest.mark.fault(55)
def test_a_slow_joint_beside_a_fast_one_repeats_no_positions():
    repeats, missing = RepeatedJoints(2), np.full(2, np.nan)
    assert all(repeats.update(10_000_000 * (k + 1), slow_steps(k), missing) is None
               for k in range(500))


@pytest.mark.fault(55)
def test_a_joint_that_stops_is_measured_although_its_positions_were_repeated():
    """As many positions as in two runs are carried on; so is none of a joint with a velocity."""
    times = 0.01 * np.arange(400)
    q = np.stack((np.where(times < 2.0, np.sin(3.0 * times), np.sin(6.0)), np.cos(times)), axis=1)
    q[3:200:4, 0] = q[2:199:4, 0]
    for velocity, expected in ((np.nan, 2), (0.1, 0)):
        repeats = RepeatedJoints(2)
        found = [repeats.update(10_000_000 * (k + 1), row, np.array([velocity, np.nan]))
                 for k, row in enumerate(q)]
        assert sum(each is not None and each[0] for each in found[201:]) == expected
        assert not any(each is not None and each[1] for each in found)


@pytest.mark.fault(55)
def test_a_joint_that_stops_rests_although_its_positions_were_repeated():
    """As many positions as in a run are carried on; those that follow are measured."""
    times = 0.02 * (np.arange(400) // 2)
    position = np.where(times < 2.0, 0.5 * np.sin(2.0 * np.pi * times), 0.0)[:, None]
    stream = Stream(unlimited_joints(('a',)), _Accelerations(), lambda joints: make_compiled(
        'kalman', joints, max_std=1e6), clock=lambda: 0)
    outputs = [stream.receive(10_000_000 * (k + 1), ('a',), row, (), ())
               for k, row in enumerate(position)]
    rest = [output for output in outputs[-100:] if output is not None]
    assert len(rest) == 100
    assert max(abs(output.q[0]) for output in rest) < 1e-3
    assert max(abs(output.qd[0]) for output in rest) < 0.02


def test_a_stream_of_repeated_positions_keeps_no_past():
    """All joints come in one message: no estimate is wanted between two others."""
    times = 0.02 * (np.arange(900) // 2)
    stream = Stream(unlimited_joints(('a',)), _Accelerations(), lambda joints: make_compiled(
        'kalman', joints, max_std=1e6), clock=lambda: 0)
    kept = []
    for k, position in enumerate(0.5 * np.sin(2.0 * np.pi * times)):
        output = stream.receive(10_000_000 * (k + 1), ('a',), [position], (), ())
        if output is not None:
            kept.append(bytes_of(stream))
    assert len(kept) > 700
    assert abs(kept[-1] - kept[550]) < 10_000


def stalled(seconds, loss, late):
    """
    Return stamps, times, positions and velocities at 1 kHz, of which some are those before.

    The velocities are late by `late` ms.
    """
    random = np.random.default_rng(3)
    t = 0.001 * np.arange(round(1000 * seconds))
    w = 2.0 * np.pi * 0.7
    step = 2.0 * np.pi / 2**17
    q = step * np.round(0.5 * np.sin(w * t) / step)[:, None]
    qd = 0.5 * w * np.cos(w * t)[:, None] + 1e-3 * random.normal(size=(len(t), 1))
    rows = np.arange(len(t))
    rows[random.uniform(size=len(t)) < loss] = -1
    for first in range(2200, len(t), 700):   # longer than those before
        rows[first:first + random.integers(4, 8)] = -1
    rows = np.maximum.accumulate(rows)
    qd = np.concatenate((qd[:late], qd))[:len(qd)]
    return 1_000_000 * (np.arange(len(t)) + 1000), t, q[rows], qd[rows]


@pytest.mark.fault(55)
@pytest.mark.parametrize('loss', [0.0, 0.06])
@pytest.mark.parametrize('late', [0, 40])
def test_a_connection_that_stalls_at_times_is_no_stop_of_the_robot(loss, late):
    """As the real-time connection of an arm that loses packets, and at times several in a row."""
    stamps, t, q, qd = stalled(7.0, loss, late)
    stream = Stream(unlimited_joints(('a',)), _Accelerations(), lambda joints: make_compiled(
        'kalman', joints), clock=lambda: 0)
    outputs = [stream.receive(stamp, ('a',), *each, ()) for stamp, *each in zip(
        stamps.tolist(), q, qd)]
    true = dict(zip(stamps.tolist(), -0.5 * (1.4 * np.pi) ** 2 * np.sin(1.4 * np.pi * t)))
    wrong = [abs(output.effort[0] - true[output.stamp]) for output in outputs[2000:] if output]
    print(loss, late, max(wrong), len(wrong))
    assert max(wrong) < 3.0
    assert len(wrong) > 0.98 * len(q[2000:])


@pytest.mark.fault(55)
@pytest.mark.parametrize('speed', [0.02, 0.5])
def test_coarse_encoders_repeat_no_positions(speed):
    """Steps of 1.5 mrad at 100 Hz: a position stays because the joint is slow, or turns."""
    times = np.arange(0.0, 20.0, 0.01)
    step = 2.0 * np.pi / 4096.0
    q = np.round(0.2 * np.sin(speed * times) / step) * step
    repeats, missing = RepeatedPositions(1), np.array([np.nan])
    assert not any(repeats.update(10_000_000 * (k + 1), row, missing)
                   for k, row in enumerate(q[:, None]))
    assert not repeats.known


@pytest.mark.fault(55)
@pytest.mark.parametrize('estimator', ['kalman', 'kalman_fixed_lag'])
@pytest.mark.parametrize('joint_by_joint', [False, True])
def test_no_output_is_missing_when_repeats_are_found(estimator, joint_by_joint):
    """The estimator begins again with the samples before; it waited for new ones."""
    whole = record(Profile(200.0, 17, 0.0))
    first = np.arange(len(whole.q)) < 400
    rows = np.where(first, np.arange(len(whole.q)), REPEATED['every fourth'](
        np.arange(len(whole.q))))
    q = whole.q[rows]
    if joint_by_joint:
        q[:, 1:] = whole.q[:, 1:]
    stamps, _ = streamed(online(estimator), whole.stamps, q)
    judged = whole.stamps[(whole.stamps > START + 500_000_000)
                          & (whole.stamps < whole.stamps[-1] - 50_000_000)]
    assert np.count_nonzero(~np.isin(judged, stamps)) <= 1
