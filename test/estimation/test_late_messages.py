"""Messages that wait where a driver or a network stands still, and are stamped as they arrive."""

import numpy as np
import pytest

from support.recordings.real_robots import real, real_ids, referenced

ROBOTS = [('kr300/kr300.csv', 12.0),
          ('ur10_exciting_trajectory/ur10_exciting_trajectory.db3', 8.0)]
STALLS = {
    '30 ms, then all at once': (0.03, 0.01), '80 ms, then ten times as fast': (0.08, 0.1),
    '80 ms, then twice as fast': (0.08, 0.5), '0.2 s, which is a gap': (0.2, 0.1)}
"""Longest stall [s], and time between the messages after it, in periods."""

GAP = 0.1   # s


def stalled(motion, longest, spacing, seed=0):
    """Return a motion whose messages wait now and then, every 1.5 s on average."""
    random = np.random.default_rng(seed)
    spacing *= np.median(np.diff(motion.stamps))
    stamps, free, at = [], 0, motion.stamps[0] + 1e9 * random.exponential(1.5)
    for stamp in motion.stamps:
        if stamp > at:
            free = stamp + 1e9 * random.uniform(0.0, longest)
            at = stamp + 1e9 * random.exponential(1.5)
        stamps.append(round(max(stamp, free)))
        free = stamps[-1] + spacing
    return motion._replace(stamps=np.array(stamps))


@pytest.mark.fault(58)
@pytest.mark.parametrize('stall', STALLS)
@pytest.mark.parametrize(('name', 'cutoff'), ROBOTS, ids=real_ids(ROBOTS))
def test_messages_that_waited_are_no_motion(name, cutoff, stall):
    """When they were used as they are, errors of 600 to 45,000 %, and up to 5,500 rad/s^2."""
    motion, true, some = referenced(name, cutoff)
    found = real.streamed(stalled(motion, *STALLS[stall]), 'kalman', {})
    figures, answered = real.errors(found, true, some)
    largest = np.nanmax(np.abs(found - true)[some])
    print(name, stall, figures.round(1), round(answered, 1), largest.round(1))
    gaps = STALLS[stall][0] > GAP   # after which the filter begins again
    assert answered > (90.0 if gaps else 99.5)
    assert figures.max() < (200.0 if gaps else 100.0)
    assert largest < 20.0
