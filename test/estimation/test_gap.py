"""After a gap nothing comes out that spans it; a clock that is set back forgets everything."""

from functools import cache, partial

import numpy as np
import pytest
from estimator_runs import KINDS, recording

from support.streams.known_motions import PROFILES, START, Recording
from urdf2dyn_ros.estimation.hold import unlimited_joints
from urdf2dyn_ros.estimation.stream import Output, Stream

NAMES = ['fourier', 'minimum jerk', 'trapezoid', 'sine']
FIRST, EVERY, GAP = 1.5, 0.53, 0.105   # s; no two gaps fall on the same part of a motion
LENGTH = 8.0                           # s


def accelerations(q, qd, qdd):
    return qdd


def outputs(kind, samples: Recording, **parameters) -> tuple[list[Output | None], Stream]:
    """Return what the stream says to each sample; its efforts are accelerations."""
    stream = Stream(unlimited_joints(NAMES), accelerations,
                    partial(KINDS[kind], **parameters), clock=lambda: START)
    return [stream.receive(stamp, NAMES, q, qd, ()) for stamp, q, qd in samples], stream


def shortened(profile: str) -> Recording:
    whole = recording(profile)
    return whole.chosen(whole.stamps < START + round(LENGTH * 1e9))


@cache
def with_gaps(kind: str, profile: str) -> tuple[
        Recording, np.ndarray, list[Output | None], Stream]:
    """Return all samples, where each gap ends, and what the stream makes of the rest."""
    whole = shortened(profile)
    time = (whole.stamps - START) * 1e-9 - FIRST
    lost = (time > 0.0) & (np.mod(time, EVERY) < GAP)
    found, stream = outputs(kind, whole.chosen(~lost))
    said_to = iter(found)
    return (whole, np.flatnonzero(lost[:-1] & ~lost[1:]) + 1,
            [None if gone else next(said_to) for gone in lost], stream)



@pytest.mark.fault(32)
@pytest.mark.parametrize('kind', KINDS)
@pytest.mark.parametrize('profile', PROFILES)
def test_nothing_comes_out_across_a_gap(kind, profile):
    """No estimate of an instant within it, and none before there are enough samples."""
    whole, ends, found, stream = with_gaps(kind, profile)
    assert stream.counters['gap'] == len(ends) > 10
    for end in ends[:-1]:
        assert found[end:end + 4] == [None] * 4
        later = [each.stamp for each in found[end:] if each]
        assert later[0] >= whole.stamps[end]


@pytest.mark.fault(31)
def test_a_clock_that_is_set_back_forgets_the_sensors_too():
    """After a clock jump it may be another robot."""
    samples = shortened('A').chosen(slice(0, 2600))
    for shift, kept in ((200_000_000, True), (-5_000_000_000, False)):
        later = samples.stamps + shift * (np.arange(2600) >= 2000)
        moved = Recording(later, samples.q, samples.qd)
        (found, _), (new, _) = (outputs('kalman', moved.chosen(slice(first, None)))
                                for first in (0, 2000))
        equal = [np.array_equal(one.effort, other.effort)
                 for one, other in zip(found[2000:], new, strict=True) if one and other]
        assert len(equal) > 400 and set(equal) == {not kept}
