"""What is published, what is withheld, and how right it is."""

import numpy as np
import pytest

from urdf2dyn_ros.estimation.estimator import PUBLISHED, REASONS, Estimator
from urdf2dyn_ros.estimation.estimators import make_estimator

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
        self.outcomes = np.array([each.outcome for each in found])
        self.published = self.outcomes == PUBLISHED
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


@pytest.mark.parametrize('qd', [None, QD], ids=['alone', 'velocities'])
def test_a_clean_motion(qd: np.ndarray | None) -> None:
    played = Played(Q, qd)
    assert played.share() == 1.0
    assert played.wrong().max() < 0.1


@pytest.mark.fault(37)
@pytest.mark.parametrize('wrong', [0.0 * QD, -QD, 57.3 * QD, np.roll(QD, 8, axis=0)],
                         ids=['zero', 'negated', 'degrees', 'late'])
def test_wrong_velocities_lose(wrong: np.ndarray) -> None:
    played = Played(Q, wrong)
    assert played.share() > 0.99
    assert played.wrong().max() < 0.3


@pytest.mark.fault(35)
def test_zeros_are_bridged() -> None:
    q = Q.copy()
    q[600::150] = 0.0
    played = Played(q)
    assert played.share() > 0.95
    assert played.wrong().max() < 0.1


@pytest.mark.fault(35)
@pytest.mark.parametrize('by', [0.05, 2.0 * np.pi])
def test_another_zero_of_a_sensor(by: float) -> None:
    q = Q.copy()
    q[700:, 1] += by
    played = Played(q)
    assert played.share() > 0.95
    assert played.wrong().max() < 0.3


@pytest.mark.fault(40, 55)
@pytest.mark.parametrize('count', [1, 3, 10, 50])
def test_a_stall_is_withheld(count: int) -> None:
    q = Q.copy()
    q[700:700 + count] = q[699]
    played = Played(q)
    assert (~played.published[702:700 + count]).all()
    assert 'repeated' in {REASONS[each] for each in played.outcomes[700:700 + count]} or count < 3
    later = played.published & (played.t > played.t[700 + count])
    assert later.sum() > 0.8 * (played.t > played.t[700 + count]).sum()
    wrong = np.abs(played.qdd - moved(played.at)[2])[later] / LARGEST
    assert (wrong.max(axis=1) > 0.3).mean() <= 0.003


@pytest.mark.fault(27)
def test_as_many_messages_of_another_publisher_are_withheld() -> None:
    q = np.repeat(Q + 0.5, 2, axis=0)
    q[1::2] = 0.0
    stamps = np.sort(np.concatenate((T, T + 1e-3)))
    played = Played(q, stamps=stamps)
    assert played.published[stamps > 2.0].mean() < 0.01
    assert 'distrusted' in {REASONS[each] for each in played.outcomes[1000:]}


@pytest.mark.fault(27)
def test_few_messages_of_another_publisher_are_left_out() -> None:
    stamps = np.sort(np.concatenate((T, np.arange(0.0131, T[-1], 0.02))))
    q = np.zeros((len(stamps), 3))
    q[np.isin(stamps, T)] = Q + 0.5
    played = Played(q, stamps=stamps)
    assert played.wrong().max() < 0.3


def late(stamps: np.ndarray) -> np.ndarray:
    return stamps + 3e-3 * (np.arange(len(stamps)) % 100 == 49)


def early(stamps: np.ndarray) -> np.ndarray:
    return stamps - 3e-3 * (np.arange(len(stamps)) % 100 == 99)


def waited(stamps: np.ndarray) -> np.ndarray:
    """Twenty messages arrive 0.1 ms apart."""
    wait = slice(700, 720)
    result = stamps.copy()
    result[wait] = stamps[720] - 1e-4 * np.arange(20, 0, -1)
    return result


def slipped(stamps: np.ndarray) -> np.ndarray:
    return stamps + 0.02 * (stamps > 2.8)


@pytest.mark.fault(56, 58)
@pytest.mark.parametrize('qd', [None, QD], ids=['alone', 'velocities'])
@pytest.mark.parametrize(('change', 'share'), [(late, 0.99), (early, 0.99), (waited, 0.96),
                                               (slipped, 0.98)])
def test_stamps_that_are_wrong_contradict(change, share: float, qd: np.ndarray | None) -> None:
    played = Played(Q, qd, stamps=change(T))
    wrong = np.abs(played.qdd - moved(played.at - 0.02 * (change is slipped)
                                      * (played.at > 2.8))[2]) / LARGEST
    assert played.share() > share
    assert wrong[played.published & (played.t > 2.0)].max() < 1.0


@pytest.mark.fault(57)
@pytest.mark.parametrize('qd', [None, QD], ids=['alone', 'velocities'])
def test_copies_change_nothing(qd: np.ndarray | None) -> None:
    stamps = np.sort(np.concatenate((T, T + 3e-6)))
    played = Played(*(None if each is None else np.repeat(each, 2, axis=0) for each in (Q, qd)),
                    stamps=stamps)
    assert played.share() == 1.0
    assert played.wrong().max() < 0.1


@pytest.mark.fault(55)
@pytest.mark.parametrize('qd', [None, QD], ids=['alone', 'velocities'])
def test_samples_of_half_the_rate_are_few_measurements(qd: np.ndarray | None) -> None:
    source = np.arange(len(T)) // 2 * 2
    played = Played(Q[source], None if qd is None else qd[source])
    assert played.share() == 1.0
    assert played.wrong().max() < 0.3


@pytest.mark.parametrize('qd', [None, QD], ids=['alone', 'velocities'])
@pytest.mark.parametrize('arrival', ['late', 'groups'])
def test_stamps_of_arrival_give_regular_times(arrival: str, qd: np.ndarray | None) -> None:
    """Also late by 2 ms on average, and four at once."""
    random, k = np.random.default_rng(1), np.arange(len(T))
    late = random.exponential(2e-3, len(T))
    stamps = np.maximum.accumulate(T + late) if arrival == 'late' else (
        T[np.minimum(k // 4 * 4 + 3, len(T) - 1)] + 3e-5 * (k % 4))
    played = Played(Q, qd, stamps + 1e-7 * k)
    some = played.published & (T > 2.0)
    assert some[T > 2.0].mean() > 0.97
    assert (np.abs(played.qdd - moved(T)[2]) / LARGEST)[some].max() < 0.25


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
        if k >= 825 and found.outcome == PUBLISHED:
            errors.append(np.abs(found.qdd - moved(T[k:k + 1])[2][0]) / LARGEST)
    assert len(errors) > 350
    assert np.max(errors) < 0.3


def test_after_a_pause_all_joints_begin_anew() -> None:
    """The stream decides what a pause is; what was learned is kept."""
    estimator = make_estimator('kalman', 3)
    outcomes = []
    for t, q in zip(T, Q):
        if t == T[1000]:
            estimator.pause()
        outcomes.append(estimator.update(round(1e9 * t) + 10**18, q, np.full(3, np.nan)).outcome)
    assert [REASONS[outcome] for outcome in outcomes[999:1002]] == ['', 'gap', 'begun_anew']
    assert set(outcomes[1080:]) == {PUBLISHED}


def test_an_older_stamp_is_late() -> None:
    estimator = Estimator(1)
    for k in range(40):
        estimator.update(10**18 + k * 4_000_000, np.array([0.01 * k]), np.array([np.nan]))
    assert REASONS[estimator.update(10**18, np.zeros(1), np.array([np.nan])).outcome] == 'late'


def test_the_lag_is_as_declared_and_pays() -> None:
    played = Played(Q, lag=0.02)
    later = played.published & (played.t > 1.0)
    assert later.sum() > 0.99 * (played.t > 1.0).sum()
    assert np.all(played.t[later] - played.at[later] < 0.0241)
    assert np.all(played.t[later] - played.at[later] > 0.0199)
    assert np.sqrt(np.square(played.wrong()).mean()) < np.sqrt(np.square(Played(Q).wrong()).mean())
