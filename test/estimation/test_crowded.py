"""Messages that come twice, nearly twice or in groups, with stamps that are hardly apart."""

import numpy as np
import pytest

from support.recordings.real_robots import real, referenced

AFTER = {'twice': 5_000, 'nearly twice': 100_000}
"""When a driver sends a second message after each [ns], with the same sample or another one."""

SPACING = 50_000
"""Time between the receipt of messages that were sent together [ns]."""


def sent_twice(motion, after, some, name):
    """Return a motion in which a second message follows each, and which of all are judged."""
    twice = motion._replace(**{key: np.repeat(value, 2, axis=0) for key, value in zip(
        motion._fields, motion) if key != 'names'})
    twice.stamps[1::2] += after
    if name == 'nearly twice':   # the driver has moved on between the samples
        part = (after / np.diff(motion.stamps))[:, None]
        for values, rows in ((twice.q, motion.q), (twice.qd, motion.qd)):
            values[1:-1:2] += part * np.diff(rows, axis=0)
    return twice, np.repeat(some, 2)


def grouped(motion, size):
    """Return a motion whose messages are stamped as they arrive, `size` together."""
    rows = np.arange(len(motion.stamps))
    last = np.minimum(rows // size * size + size - 1, rows[-1])
    return motion._replace(stamps=motion.stamps[last] + SPACING * (rows % size))


@pytest.fixture(scope='module')
def kr300():
    motion, true, some = referenced('kr300/kr300.csv', 12.0)
    figures, _ = real.errors(real.streamed(motion, 'kalman', {}), true, some)
    return motion, true, some, figures


@pytest.mark.fault(57)
@pytest.mark.parametrize('name', AFTER)
def test_messages_sent_twice_are_as_good_as_once(kr300, name):
    motion, true, some, once = kr300
    twice, judged = sent_twice(motion, AFTER[name], some, name)
    figures, answered = real.errors(real.streamed(twice, 'kalman', {}),
                                    np.repeat(true, 2, axis=0), judged)
    print(name, once.round(1), figures.round(1))
    assert answered > 99.5
    assert (figures < 1.2 * once).all()


@pytest.mark.fault(57)
@pytest.mark.parametrize('size', [2, 3, 5])
@pytest.mark.parametrize('kind', ['kalman', 'kalman_fixed_lag'])
def test_messages_that_arrive_in_groups_are_as_good_as_one_by_one(kr300, kind, size):
    """They are stamped on arrival: of each group, only the first was sampled at a regular time."""
    motion, true, some, single = kr300
    found = real.streamed(grouped(motion, size), kind, {})
    figures, answered = real.errors(found, true, some)
    print(kind, size, single.round(1), figures.round(1))
    assert answered > 99.5
    assert (figures < 1.3 * single).all()
