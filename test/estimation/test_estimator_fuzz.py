"""Whatever arrives: no exception, one outcome each, bounded accelerations, C as numpy."""

from typing import Any, NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from urdf2dyn_ros.estimation.bank import MOST_BANDWIDTHS, RATIO, SLOWEST
from urdf2dyn_ros.estimation.compiled_kalman import CompiledFilters
from urdf2dyn_ros.estimation.estimators import ESTIMATORS, make_estimator
from urdf2dyn_ros.estimation.hold import unlimited_joints
from urdf2dyn_ros.estimation.kalman import KalmanFilters, Verdict
from urdf2dyn_ros.estimation.messages import Message
from urdf2dyn_ros.estimation.outcomes import JOINT_STATE_EVENTS, JOINT_STATE_OUTCOMES
from urdf2dyn_ros.estimation.stream import Stream

START = 1_700_000_000_000_000_000
KINDS = ('as it is', 'repeated', 'offset', 'outliers', 'another publisher', 'one is not finite',
         'none is finite', 'no velocities', 'wrong velocities', 'a part', 'burst', 'same stamp',
         'out of order', 'gap', 'set back')
FASTEST = SLOWEST * RATIO ** (MOST_BANDWIDTHS - 1)   # rad/s


class Piece(NamedTuple):
    """Messages of one kind; what `size` means is up to it."""

    kind: str
    count: int
    size: float


class Arrives(NamedTuple):
    """The messages of a robot: stamps (k,) [ns], q and qd (k, n), which joints (k, n) it has."""

    stamps: list[int]
    q: np.ndarray
    qd: np.ndarray
    named: np.ndarray


pieces = st.builds(Piece, st.sampled_from(KINDS), st.integers(1, 40), st.sampled_from(
    (1e-9, 1e-6, 1e-3, 0.03, 0.5, 2.0 * np.pi, 40.0, 1e3)))
robots = st.tuples(st.integers(1, 3), st.sampled_from((20.0, 125.0, 1000.0)), st.integers(0, 9),
                   st.lists(pieces, max_size=8))


def messages(joints: int, rate: float, seed: int, faults: list[Piece]) -> Arrives:
    """Return sines at a rate [Hz], in pieces of any kinds."""
    rows: list[tuple[int, np.ndarray, np.ndarray, np.ndarray]] = []
    random = np.random.default_rng(seed)
    w, offset, clock, k = 1.0 + 4.0 * random.random(joints), np.zeros(joints), START, 0
    for kind, count, size in (Piece('as it is', 60, 0.0), *faults):
        if kind == 'offset':
            offset[0] += size
        for i in range(count):
            k += 1
            step, named = round(1e9 / rate), np.ones(joints, bool)
            q, qd = np.sin(w * k / rate).round(5) + offset, w * np.cos(w * k / rate)
            if kind == 'repeated':
                q, qd = rows[-1][1].copy(), rows[-1][2].copy()
            elif (kind == 'outliers' and i % 3 == 0) or (kind == 'another publisher' and i % 2):
                q = np.full(joints, size) if kind == 'another publisher' else q - size
            elif kind == 'one is not finite':
                q[random.integers(joints)] = random.choice([np.nan, np.inf, -np.inf])
            elif kind == 'none is finite':
                q[:], qd[:] = np.nan, np.inf
            elif kind == 'no velocities':
                qd[:] = np.nan
            elif kind == 'wrong velocities':
                qd *= 1e3 * size
            elif kind == 'a part':
                named = random.random(joints) < 0.5
                named[random.integers(joints)] = True
            elif kind == 'burst':
                step = int(1.0 + 1e3 * size)
            elif kind == 'same stamp':
                step = 0
            elif kind == 'out of order':
                step = round(step * random.uniform(-3.0, 3.0))
            elif i == 0 and kind == 'gap':
                step = round(1e9 * size)
            elif i == 0 and kind == 'set back':
                step = -round(1e9 * size)
            clock += step
            rows.append((clock, q, qd, named))
    return Arrives([row[0] for row in rows], *(
        np.array([row[i] for row in rows]) for i in (1, 2, 3)))


GARBAGE = st.none() | st.text(max_size=3) | st.lists(
    st.floats(width=64) | st.integers() | st.none() | st.text(max_size=2), max_size=4)
nonsense = st.lists(st.tuples(
    st.integers(0, 100), st.integers() | st.just(0),
    st.lists(st.sampled_from(['joint0', 'joint1', 'gripper', '']), max_size=5), GARBAGE, GARBAGE,
    GARBAGE), max_size=4)


@settings(max_examples=40, deadline=None)
@given(robots, st.sampled_from([*ESTIMATORS]), nonsense)
def test_the_stream_keeps_its_invariants(robot, name, other):
    """Also among messages of any contents; every one is counted once."""
    arrives = messages(*robot)
    names = [f'joint{k}' for k in range(arrives.q.shape[1])]
    now = START
    stream = Stream(unlimited_joints(names), lambda q, qd, qdd: qdd,
                    lambda count: make_estimator(name, count), clock=lambda: now)
    largest = np.abs(arrives.q[np.isfinite(arrives.q)]).max()
    last, jumps, sent = 0, 0, 0
    for k, (now, q, qd, named) in enumerate(zip(*arrives)):
        some = np.flatnonzero(named)
        fields = now, [names[j] for j in some], q[some], qd[some], ()
        stream.accelerate(now, names, np.zeros(len(names)))
        for each in (*(row[1:] for row in other if row[0] == k), fields):
            found = stream.receive(Message(*each))
            sent += 1
            if stream.counters['jump_back'] > jumps:
                last, jumps = 0, stream.counters['jump_back']
            if found is None:
                continue
            assert last < found.stamp
            last = found.stamp
            assert all(np.isfinite(values).all() for values in found[1:5])
            if name.startswith('kalman') and not other:
                # what positions show: a step of all of them, seen by the fastest filter
                assert np.abs(found.qdd).max() < 2.0 * largest * FASTEST**2
                assert np.abs(found.q).max() < 2.0 * largest
        counters = stream.counters
        assert counters['received'] == sent == sum(counters[each] for each in JOINT_STATE_OUTCOMES)
    assert counters.keys() <= JOINT_STATE_OUTCOMES.keys() | JOINT_STATE_EVENTS.keys()
    assert sorted(joint for group in stream.groups for joint in group.joints) == names
    assert len(stream.unknown_joints) <= 64


def check_equal(arrives: Arrives, lag: float) -> set[str]:
    """Feed both estimators, and return the names of the outcomes."""
    joints, reasons = arrives.q.shape[1], set()
    first, second = KalmanFilters(joints, lag), CompiledFilters(joints, lag)
    last = START
    for stamp, q, qd, named in zip(*arrives):
        if stamp - last > 500_000_000:   # as the stream does
            first.pause()
            second.pause()
        last = stamp
        q, qd = np.where(named, q, np.nan), np.where(named, qd, np.nan)
        with np.errstate(all='ignore'):
            expected = first.update(stamp, q, qd)
        estimate = second.update(stamp, q, qd)
        assert (estimate.stamp, estimate.verdict) == (expected.stamp, expected.verdict)
        np.testing.assert_array_equal(estimate[1:5], expected[1:5])
        reasons.add(expected.verdict)
    return reasons


@settings(max_examples=16, deadline=None)
@given(robots, st.sampled_from((0.0, 0.02)))
def test_numpy_and_c_are_equal(robot: tuple[Any, ...], lag: float) -> None:
    check_equal(messages(*robot), lag)


def test_every_outcome_is_reached() -> None:
    """Otherwise the test above would compare little."""
    found = set()
    for size in (0.03, 40.0):
        pieces = [Piece(kind, 60, size) for kind in ('repeated', *KINDS)]
        found |= check_equal(messages(2, 250.0, 0, pieces), 0.0)
    assert found == {*Verdict}
