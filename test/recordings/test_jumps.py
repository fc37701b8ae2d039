"""Jumps of positions are found from positions alone, and no other defect of a recording is one."""

from collections import Counter

import numpy as np
import pytest

from support.paths import RECORDINGS
from support.streams.known_motions import PROFILES, Profile, record, truth
from urdf2dyn_ros.estimation.hold import unlimited_joints
from urdf2dyn_ros.estimation.messages import Message, MessageReader, Sample
from urdf2dyn_ros.recordings import open_recording
from urdf2dyn_ros.recordings.jumps import alternating, jump_sentences, position_jumps
from urdf2dyn_ros.recordings.offline_stream import MergedMotions

NAMES, UNITS = ('a', 'b', 'c', 'd'), ('rad',) * 4
TURN = 2.0 * np.pi


@pytest.mark.parametrize(('rate', 'least'), [(30, 1.0), (100, 0.2), (1000, 0.05)])
def test_another_zero_is_found_with_its_joint_its_time_and_its_size(rate, least):
    samples = record(Profile(rate, 17, 0.0))
    random = np.random.default_rng(rate)
    for size in (least, -1.0, 6.0):
        joint, row = random.integers(4), random.integers(rate, len(samples.q) - rate)
        q = samples.q.copy()
        q[row:, joint] += size
        jump, = position_jumps(samples.stamps, q)
        assert (jump.stamp, jump.joint) == (samples.stamps[row], joint)
        assert abs(jump.size - size) < 0.1 * least


def test_a_turn_in_degrees_says_so() -> None:
    samples = record(PROFILES['C'])
    q = np.degrees(samples.q)
    q[500:, 2] -= 360.0
    sentence, = jump_sentences(position_jumps(samples.stamps, q), NAMES, UNITS,
                               int(samples.stamps[0]))
    assert sentence.startswith('the position of c jumps by -') and 'it is in degrees' in sentence


def test_joints_that_exchange_their_names_are_both_named() -> None:
    samples = record(PROFILES['C'])
    row = int(np.argmax(np.abs(samples.q[:, 1] - samples.q[:, 2])[100:])) + 100
    q = samples.q.copy()
    q[row:, [1, 2]] = q[row:, [2, 1]]
    sentences = jump_sentences(position_jumps(samples.stamps, q), NAMES, UNITS,
                               int(samples.stamps[0]))
    when = f'{(samples.stamps[row] - samples.stamps[0]) * 1e-9:.3f} s after'
    for name, sentence in zip('bc', sentences, strict=True):
        assert sentence.startswith(f'the position of {name} jumps by ')
        assert when in sentence and 'the values are those of another joint' in sentence


def lost(stamps: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what is left without one message in three, and without 80 ms now and then."""
    kept = np.random.default_rng(1).random(len(q)) > 0.3
    kept &= (stamps - stamps[0]) % 1_000_000_000 > 80_000_000
    return stamps[kept], q[kept]


def repeated(stamps: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return positions of a sensor of 20 Hz."""
    new = np.maximum.accumulate(np.where(np.diff((stamps - stamps[0]) // 50_000_000, prepend=-1),
                                         np.arange(len(q)), 0))
    return stamps, q[new]


def stalled(stamps: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return positions that a driver repeats for 0.3 s in each second."""
    rows = np.arange(len(q))
    stale = (stamps - stamps[0]) % 1_000_000_000 < 300_000_000
    return stamps, q[np.maximum.accumulate(np.where(stale & (rows > 0), 0, rows))]


def late(stamps: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return positions that are late by up to 80 ms, each second by another time."""
    delays = np.random.default_rng(2).integers(0, 80_000_000, 20)[
        (stamps - stamps[0]) // 1_000_000_000]
    return stamps, truth(stamps - delays)[0]


def wrong(stamps: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return positions of which one in fifty is wrong."""
    rows = np.arange(7, len(q), 50)
    q = q.copy()
    q[rows, rows % 4] += 0.5
    return stamps, q


def buffered(stamps: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return stamps of messages that are received ten at a time, some microseconds apart."""
    rows = np.arange(len(q))
    return stamps[rows // 10 * 10] + 3_000 * (rows % 10), q


@pytest.mark.parametrize('rate', [30, 125, 500])
@pytest.mark.parametrize('defect', [
    lambda stamps, q: (stamps, q), lost, repeated, stalled, late, wrong, buffered,
    lambda stamps, q: (stamps, q + np.random.default_rng(3).normal(scale=0.01, size=q.shape)),
    lambda stamps, q: (stamps, 0.02 * np.rint(q / 0.02))])
def test_no_other_defect_is_a_jump(rate, defect):
    samples = record(Profile(rate, 17, 0.0))
    assert position_jumps(*defect(samples.stamps, samples.q)) == []


@pytest.mark.parametrize('name', [
    'ur10_exciting_trajectory/ur10_exciting_trajectory.db3', 'tx40/tx40.csv', 'tiago/tiago.csv',
    'kr300/kr300.csv', 'kinova_gen3/joint_2.csv'])
def test_recordings_of_real_robots_have_no_jump(name: str) -> None:
    path = RECORDINGS / name
    if not path.exists():
        pytest.skip(f'the recording {name} is not part of the repository')
    records = list(open_recording(path))
    stamps = np.array([record.stamp for record in records])
    rises = np.diff(stamps, prepend=stamps[0] - 1) > 0
    assert position_jumps(stamps[rises], np.array([r.position for r in records])[rises]) == []


@pytest.mark.parametrize(('step', 'positions', 'found'), [
    (0.01, [3.0, 3.1, -3.1, -3.0, 3.12], [3.0, 3.1, -3.1 + TURN, -3.0 + TURN, 3.12]),
    (0.01, [3.0, 3.1, 9.4, 9.3 - 3 * TURN], [3.0, 3.1, 9.4 - TURN, 9.3 - TURN]),
    (0.01, [0.1, 0.3, 3.9, 4.1], [0.1, 0.3, 3.9, 4.1]),           # another zero
    (0.01, [0.0, 5.0, 11.0, 17.4], [0.0, 5.0, 11.0, 17.4]),       # degrees
    (1.0, [3.0, -3.1], [3.0, -3.1])])                             # gaps: the long way round
def test_only_turns_of_a_joint_with_limits_are_removed(step, positions, found):
    merged = MergedMotions(unlimited_joints(['a'], [False], ['rad']))
    reader = MessageReader(['a'], Counter())
    for number, position in enumerate(positions):
        stamp = 10**9 + round(1e9 * step * number)
        sample = reader.read(Message(stamp, ['a'], [position]))
        assert isinstance(sample, Sample)
        merged.add(stamp, sample)
    merged.end()
    np.testing.assert_allclose(np.concatenate([q for _, q, _ in merged.motions])[:, 0], found)


@pytest.mark.parametrize(('count', 'size', 'noise', 'found'), [
    (1000, 2e-3, 0.0, True), (1000, 2e-3, 1e-4, True), (24, 2e-3, 0.0, True),
    (20, 2e-3, 0.0, False), (2, 2e-3, 0.0, False), (0, 2e-3, 0.0, False),   # too few
    (1000, 4e-5, 0.0, False),    # less than matters: root mean square 0.8e-4
    (1000, 0.0, 2e-3, False)])   # noise alone
def test_positions_that_alternate_about_a_motion_are_found(count, size, noise, found):
    samples = record(Profile(250, 17, 0.0))
    q, rows = samples.q[:count].copy(), np.arange(count)
    q[:, 1] += size * (-1.0)**rows + noise * np.random.default_rng(4).normal(size=count)
    assert alternating(samples.stamps[:count], q).tolist() == [False, found, False, False]
