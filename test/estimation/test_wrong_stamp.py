"""Stamps that are wrong by a part of a period or, after a repeated message, by a whole one."""

from functools import partial

import numpy as np
import pytest

from support.streams.estimator_runs import KINDS, said, without_velocity
from support.streams.known_motions import START, Recording, errors, estimated, truth
from urdf2dyn_ros.estimators.wrong_stamp import AFTER_SAME, NEW, SAME, Repeats, time_error

RATE, WRONG = 200.0, 0.3


def sampled(wrong: float, late: bool = False) -> Recording:
    """Return samples with encoder noise of 1e-6 rad; a few stamps, or samples, are late."""
    random = np.random.default_rng(4)
    stamps = START + np.arange(round(7.2 * RATE)) * round(1e9 / RATE)
    off = np.where(random.uniform(size=len(stamps)) < 0.01, round(wrong * 1e9 / RATE), 0)
    q, qd, _ = truth(stamps + off if late else stamps)
    noise = random.normal(size=q.shape)
    return Recording(stamps + off, q + 1e-6 * noise, qd + 1e-3 * random.normal(size=q.shape))


def smooth_error(kind: str, run: Recording) -> float:
    """Return the mean error of the two motions without steps of the jerk [%]."""
    return float(errors(*estimated(KINDS[kind](4), run))[[0, 3]].mean())


@pytest.mark.fault(56)
@pytest.mark.parametrize('kind', KINDS)
@pytest.mark.parametrize('velocities', [True, False])
def test_a_wrong_stamp_is_no_motion(kind: str, velocities: bool) -> None:
    """If wrong stamps were not recognised, 1.5 to 1800 times the error without them."""
    clean, wrong = (run if velocities else without_velocity(run)
                    for run in (sampled(0.0), sampled(WRONG)))
    ratio = smooth_error(kind, wrong) / smooth_error(kind, clean)
    assert said(f'{kind}, {velocities}: times', ratio, 1.2) < 1.2


def test_samples_that_are_taken_late_are_used() -> None:
    ratio = smooth_error('kalman', sampled(WRONG, late=True)) / smooth_error(
        'kalman', sampled(0.0))
    assert said('samples late, times', ratio, 1.1) < 1.1


def slipping(rate: float, slow: float) -> Recording:
    """Return samples of a publisher at a rate [Hz] and a driver that is slower by a factor."""
    stamps = START + np.arange(round(7.2 * rate)) * round(1e9 / rate)
    reads, rows = np.unique((stamps - START) // round(slow * 1e9 / rate), return_inverse=True)
    q, qd, _ = truth(START + reads * round(slow * 1e9 / rate))
    random = np.random.default_rng(4)
    q, qd = q + 1e-5 * random.normal(size=q.shape), qd + 1e-2 * random.normal(size=q.shape)
    return Recording(stamps, q[rows], qd[rows])


@pytest.mark.fault(56)
@pytest.mark.parametrize('kind', KINDS)
@pytest.mark.parametrize('velocities', [True, False])
def test_a_repeated_message_after_which_nothing_catches_up_is_no_stop(
        kind: str, velocities: bool) -> None:
    """Of 30 messages a second every fortieth is repeated: 8 to 9 times the error if it is used."""
    clean, slips = (run if velocities else without_velocity(run)
                    for run in (slipping(30.0, 1.0), slipping(30.0, 1.025)))
    ratio = smooth_error(kind, slips) / smooth_error(kind, clean)
    assert said(f'{kind}, {velocities}: times', ratio, 1.3) < 1.3


def test_what_is_a_wrong_stamp() -> None:
    """The innovations of all joints together follow the velocities, beyond their variance."""
    velocities, variances = np.array([1.0, -0.5]), np.array([1e-8, 1e-8])
    late = 1.5e-3 * velocities   # at the stamp, farther positions are predicted
    judge = partial(time_error, NEW, behind=0.0, period=0.005, gate=25.0, velocities=velocities,
                    variances=variances)
    assert abs(judge(0.0065, innovations=late) - 0.0015) < 1e-12
    assert judge(0.0115, innovations=late)           # a message before it was lost
    assert judge(0.0065, innovations=np.array([1.5e-3, np.nan]))
    assert not judge(0.0065, innovations=0.0 * late)   # the sample was taken late
    assert not judge(0.0035, innovations=late)         # the other way
    assert not judge(0.005, innovations=late)
    assert not judge(0.0065, innovations=late, variances=np.array([1e-4, 1e-4]))
    assert not judge(0.0065, innovations=late, period=0.0)


def test_what_is_several_periods_late() -> None:
    """A long step is one after lost messages, or before late ones that catch up."""
    velocities, period = np.array([1.0, -0.5]), 0.005
    judge = partial(time_error, NEW, period=period, gate=25.0, velocities=velocities,
                    variances=np.array([1e-8, 1e-8]))

    def off(h: float, behind: float, late: float) -> float:
        return round(judge(h, behind, innovations=late * velocities) / period, 6)

    assert off(4.0 * period, 0.0, 3.0 * period) == 3.0
    assert off(4.3 * period, 0.0, 3.3 * period) == 3.3
    assert off(4.0 * period, 0.0, 0.0) == 0.0           # three messages were lost
    assert off(4.0 * period, 0.0, 1.0 * period) == 1.0  # two were, and this one was late
    assert off(0.4 * period, 3.0 * period, 2.4 * period) == 2.4   # the next one catches up
    assert off(0.4 * period, 0.6 * period, 0.0) == 0.0            # it has caught up
    assert off(1.0 * period, 3.0 * period, 3.0 * period) == 2.0   # it ought to be less late
    assert off(1.0 * period, 0.4 * period, 0.4 * period) == 0.0   # stamps are later from now on


def test_what_is_a_repeated_sample_and_a_slip() -> None:
    """After a repeated sample, one period of motion in two is a slip; none is a stop."""
    velocities, period = np.array([1.0, -0.5]), 0.005
    judge = partial(time_error, h=2.0 * period, behind=0.0, period=period, gate=25.0,
                    velocities=velocities, variances=np.array([1e-8, 1e-8]))
    assert judge(SAME, innovations=period * velocities) == period
    assert judge(AFTER_SAME, innovations=period * velocities) == period
    fast = 0.001   # at 1 kHz neither is looked for
    assert not judge(SAME, innovations=fast * velocities, period=fast)
    assert not judge(AFTER_SAME, innovations=0.0 * velocities)            # it caught up
    assert not judge(AFTER_SAME, innovations=2.0 * period * velocities)   # it stopped
    repeats, one, other = Repeats(), np.array([[1.0], [np.nan]]), np.array([[2.0], [np.nan]])
    assert [repeats.kind(each) for each in (one, other, other)] == [NEW, NEW, SAME]
    repeats.not_used = True
    assert repeats.kind(one) == AFTER_SAME
    repeats.not_used = False
    assert [repeats.kind(one) for _ in range(4)] == [SAME, NEW, NEW, NEW]   # a rest
