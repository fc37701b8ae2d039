"""A publisher with a rate of its own that sends the newest sample of a driver."""

import pytest

from support.recordings.real_robots import published, real, referenced

UR10 = 'ur10_exciting_trajectory/ur10_exciting_trajectory.db3', 8.0


def newest_samples(name, cutoff, period, wake_up=0.0):
    """
    Return errors [%] with a publisher of a period [s], and the part with an estimate [%].

    It wakes up late by a normal deviate [s].
    """
    motion, true, some = referenced(name, cutoff)
    motion, newest = published(motion, period, wake_up)
    return real.errors(real.streamed(motion, 'kalman', {}), true[newest], some[newest])


@pytest.mark.fault(38)
def test_samples_have_the_times_at_which_they_were_taken() -> None:
    """As noise of positions, their ages were errors of 9 to 14 % of a motion without noise."""
    figures, answered = newest_samples(*UR10, 0.0103)
    print(figures.round(1), round(answered, 1))
    assert answered > 99.5
    assert figures.max() < 6.0


@pytest.mark.fault(38)
@pytest.mark.parametrize('period', [0.0083, 0.0097, 0.0103])
def test_samples_of_any_age_at_regular_stamps_do_not_reset_their_joint_again_and_again(
        period: float) -> None:
    """The noise of a robot at rest was kept: errors of 660 to 11,900 %, 88 to 92 % answered."""
    figures, answered = newest_samples('kr300/kr300.csv', 12.0, period)
    print(period, figures.round(1), round(answered, 1))
    assert answered > 99.5
    assert figures.max() < 40.0


@pytest.mark.fault(38)
@pytest.mark.parametrize(('recording', 'period', 'wake_up', 'most'), [
    (('kr300/kr300.csv', 12.0), 0.00401, 2e-4, 40.0),
    (('kr300/kr300.csv', 12.0), 0.00799, 0.0, 60.0),
    (UR10, 0.00801, 2e-4, 10.0),
    (UR10, 0.01602, 0.0, 8.0),
    (UR10, 0.01598, 2e-4, 15.0)])
def test_clocks_of_nearly_the_same_rate_do_little_harm(recording, period, wake_up, most):
    """Each slip was followed as a motion: errors of 63 to 12,100 %, up to 1100 rad/s^2."""
    figures, answered = newest_samples(*recording, period, wake_up)
    print(recording[0][:5], period, wake_up, figures.round(1), round(answered, 1))
    assert answered > 99.5
    assert figures.max() < most
