"""What is published, what is withheld, and how right it is."""

import numpy as np
import pytest

from urdf2dyn_ros.estimation.estimators import make_estimator
from urdf2dyn_ros.estimation.kalman import KalmanFilters, Verdict

W = 2.0 * np.pi * np.array([0.45, 0.7, 1.1])
SIZE = np.array([1.0, 0.7, 0.4])
LARGEST = SIZE * W * W
STEP = 2.0 * np.pi / 2**17


def moved(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    angle = np.asarray(t)[:, None] * W
    return SIZE * np.sin(angle), SIZE * W * np.cos(angle), -SIZE * W * W * np.sin(angle)


class Played:
    """The estimates of samples every 4 ms, 5 s."""

    def __init__(self, q: np.ndarray, qd: np.ndarray | None = None,
                 stamps: np.ndarray | None = None, lag: float = 0.0) -> None:
        self.t = np.arange(len(q)) * 4e-3 if stamps is None else stamps
        estimator = (make_estimator('kalman_fixed_lag', q.shape[1], lag=lag) if lag
                     else make_estimator('kalman', q.shape[1]))
        with np.errstate(all='ignore'):
            found = [estimator.update(round(1e9 * t) + 10**18, each.copy(), np.full(
                q.shape[1], np.nan) if qd is None else qd[k].copy())
                for k, (t, each) in enumerate(zip(self.t, q))]
        self.verdicts = np.array([each.verdict for each in found])
        self.published = self.verdicts == Verdict.VALID
        self.at = np.array([(each.stamp - 10**18) * 1e-9 for each in found])
        self.qdd = np.array([each.qdd for each in found])
        self.std = np.array([each.std for each in found])

    def wrong(self) -> np.ndarray:
        """Return errors over the largest acceleration, of what is published after 2 s."""
        some = self.published & (self.t > 2.0)
        return (np.abs(self.qdd - moved(self.at)[2]) / LARGEST)[some].max(axis=1)

    def share(self) -> float:
        """Return the share of messages after half a second that have an estimate."""
        return float(self.published[self.t > 0.5].mean())


T = np.arange(0.0, 5.0, 4e-3)
Q = STEP * np.round(moved(T)[0] / STEP)
QD = moved(T)[1] + 1e-3 * np.random.default_rng(0).normal(size=Q.shape)


@pytest.mark.fault(40, 55)
@pytest.mark.parametrize('count', [1, 3, 10, 50])
def test_a_stall_is_withheld(count: int) -> None:
    q = Q.copy()
    q[700:700 + count] = q[699]
    played = Played(q)
    assert (~played.published[702:700 + count]).all()
    assert (Verdict.REPEATED in played.verdicts[700:700 + count]) == (count >= 3)
    later = played.published & (played.t > played.t[700 + count])
    assert later.sum() > 0.8 * (played.t > played.t[700 + count]).sum()
    wrong = np.abs(played.qdd - moved(played.at)[2])[later] / LARGEST
    assert (wrong.max(axis=1) > 0.3).mean() <= 0.003


def waited(stamps: np.ndarray) -> np.ndarray:
    """Twenty messages arrive 0.1 ms apart."""
    wait = slice(700, 720)
    result = stamps.copy()
    result[wait] = stamps[720] - 1e-4 * np.arange(20, 0, -1)
    return result


@pytest.mark.fault(56, 58)
@pytest.mark.parametrize('qd', [None, QD], ids=['alone', 'velocities'])
def test_messages_that_waited_contradict(qd: np.ndarray | None) -> None:
    played = Played(Q, qd, stamps=waited(T))
    assert played.share() > 0.96
    assert played.wrong().max() < 1.0


def test_true_stamps_of_irregular_samples_are_the_times() -> None:
    t = T + np.random.default_rng(2).uniform(-1.5e-3, 1.5e-3, len(T))
    played = Played(STEP * np.round(moved(t)[0] / STEP), stamps=t)
    assert played.share() == 1.0
    assert played.wrong().max() < 0.1


def test_a_busy_publisher_keeps_its_filters() -> None:
    """One step in a hundred is seven times the median; states are exact at their stamps."""
    t = np.cumsum(7e-4 * np.exp(np.random.default_rng(3).normal(0.0, 0.85, 5000)))
    played = Played(moved(t)[0], stamps=t)
    assert played.share() > 0.97
    assert played.wrong().max() < 0.01


def test_of_messages_that_waited_during_a_gap_the_last_begins() -> None:
    """They come at once: the first, with the time of the last, would be a jump of the motion."""
    estimator = make_estimator('kalman', 3)
    errors, stamp = [], 0.0
    for k, (t, q) in enumerate(zip(T, Q)):
        if k == 800:
            estimator.pause()
        stamp = T[825] + 8e-6 * (k - 825) if 800 <= k < 825 else t
        found = estimator.update(round(1e9 * stamp) + 10**18, q, np.full(3, np.nan))
        if k >= 825 and found.valid:
            errors.append(np.abs(found.qdd - moved(T[k:k + 1])[2][0]) / LARGEST)
    assert len(errors) > 350
    assert np.max(errors) < 0.3


def test_after_a_pause_all_joints_begin_anew() -> None:
    """The stream decides what a pause is; what was learned is kept."""
    estimator = make_estimator('kalman', 3)
    verdicts = []
    for t, q in zip(T, Q):
        if t == T[1000]:
            estimator.pause()
        verdicts.append(estimator.update(round(1e9 * t) + 10**18, q, np.full(3, np.nan)).verdict)
    assert verdicts[999:1002] == [Verdict.VALID, Verdict.AFTER_GAP, Verdict.BEGUN_ANEW]
    assert set(verdicts[1080:]) == {Verdict.VALID}


def test_an_older_stamp_is_late() -> None:
    estimator = KalmanFilters(1)
    for k in range(40):
        estimator.update(10**18 + k * 4_000_000, np.array([0.01 * k]), np.array([np.nan]))
    assert estimator.update(
        10**18, np.zeros(1), np.array([np.nan])).verdict is Verdict.LATE


def test_the_lag_is_as_declared_and_pays() -> None:
    played = Played(Q, lag=0.02)
    later = played.published & (played.t > 1.0)
    assert later.sum() > 0.99 * (played.t > 1.0).sum()
    assert np.all(played.t[later] - played.at[later] < 0.0241)
    assert np.all(played.t[later] - played.at[later] > 0.0199)
    assert np.sqrt(np.square(played.wrong()).mean()) < np.sqrt(np.square(Played(Q).wrong()).mean())
