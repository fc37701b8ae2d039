"""Velocities with coarse positions: not used before it is known how wrong they are."""

import numpy as np
import pytest

from support.recordings.real_robots import real, referenced

STEP = 1e-3
"""Steps of an encoder with 12 or 13 bits [rad]."""


def own(motion, q):
    """Return those that the robot reports, 23 ms late."""
    return motion.qd


def differences(motion, q):
    """Return those that a driver computes."""
    first = np.zeros((1, q.shape[1]))
    return np.vstack((first, np.diff(q, axis=0) / (np.diff(motion.stamps)[:, None] * 1e-9)))


@pytest.mark.fault(37)
@pytest.mark.parametrize('velocities', [own, differences])
def test_they_make_a_slow_motion_no_worse(velocities):
    motion, true, some = referenced('kr300/kr300.csv', 12.0)
    q = STEP * np.rint(motion.q / STEP)

    def wrong(qd):
        found = real.streamed(motion._replace(q=q, qd=qd), 'kalman', {})
        return real.errors(found, true, some)[0]

    alone, both = wrong(np.full_like(q, np.nan)), wrong(velocities(motion, q))
    print(velocities.__name__, alone.round(1), both.round(1))
    assert (both < 1.1 * alone).all()
