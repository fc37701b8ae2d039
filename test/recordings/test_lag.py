"""
One lag for the joints of a message, and effects that resemble a lag.

Lags of a single joint that are found are in test_comparison_figures.py.
"""

import numpy as np
import pytest

from support.paths import UR10
from support.robot_files import robot_path
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.recordings import open_recording
from urdf2dyn_ros.recordings.comparison import Comparison
from urdf2dyn_ros.recordings.evaluation import EvaluationSettings, evaluate
from urdf2dyn_ros.recordings.lag import LagEvidence, shared_lags, tried_lags, weights_at
from urdf2dyn_ros.recordings.mistakes import no_change
from urdf2dyn_ros.recordings.pieces import Piece, without_delay
from urdf2dyn_ros.robot.reader import read_urdf

START = 1_700_000_000_123_456_789
RATES, AMPLITUDES = np.array([0.9, 1.7]), np.array([0.8, 0.3])


def motion(time, phase):
    angle = np.multiply.outer(time, RATES) + np.array([0.0, 0.5]) + phase * np.array([1.0, 2.0])
    return ((AMPLITUDES * np.sin(angle)).sum(-1), (AMPLITUDES * RATES * np.cos(angle)).sum(-1),
            -(AMPLITUDES * RATES**2 * np.sin(angle)).sum(-1))


class Pendulum:
    """A joint with gravity, and friction that is neither viscous nor Coulomb alone."""

    def __init__(self, gravity, inertia, by_load=0.05, quadratic=1.0, phase=0.0, angle=0.0):
        self.gravity, self.inertia, self.angle = gravity, inertia, angle
        self.by_load, self.quadratic, self.phase = by_load, quadratic, phase

    def computed(self, time):
        q, _, qdd = motion(time, self.phase)
        return self.inertia * qdd + self.gravity * np.sin(q + self.angle)

    def measured(self, time):
        effort, qd = self.computed(time), motion(time, self.phase)[1]
        sign = np.tanh(qd / 0.02)
        return (effort + self.by_load * np.abs(effort) * sign + self.quadratic * qd * np.abs(qd)
                + sign + 0.02 * np.random.default_rng(0).standard_normal(len(time)))


HEAVY, LIGHT, LONG = Pendulum(20.0, 1.0, phase=2.0, angle=0.3), Pendulum(1.0, 1.0, 0.0, phase=3.0
                                                                        ), Pendulum(5.0, 2.0)
LEADING = Pendulum(20.0, 0.2, 0.1, 4.0, 6.0, 2.3)
"""Its friction fits a lead of 85 ms."""


def compared(joints, lags, rate=200, messages=None):
    """Return the comparison of joints whose measurements are late by some lags [s]."""
    comparison = Comparison()
    time = np.arange(0.0, 12.0, 1.0 / rate)
    names = [f'j{k}' for k in range(len(joints))]
    measured = np.array([joint.measured(time - lag) for joint, lag in zip(joints, lags)])
    computed = np.array([joint.computed(time) for joint in joints])
    velocity = np.array([motion(time, joint.phase)[1] for joint in joints])
    for k, seconds in enumerate(time):
        stamp = START + round(seconds * 1e9)
        for message in messages or [range(len(joints))]:
            comparison.add_measured(stamp, [names[j] for j in message], measured[list(message), k])
        comparison.add_computed(stamp, names, computed[:, k], [0.0] * len(names), velocity[:, k])
    return comparison.joints()


def lags_of(joints):
    return [joint.total.lag for joint in joints]


@pytest.mark.parametrize('lag', [-0.03, -0.0293, -0.0016, 0.0, 0.0106, 0.0291, 0.03])
def test_a_cubic_over_lags_is_interpolated_exactly(lag):
    lags = tried_lags(0.03)
    assert (len(lags), lags[0], lags[20], lags[40]) == (41, -30_000_000, 0, 30_000_000)
    weights = weights_at(lag, lags)
    assert np.count_nonzero(weights) <= 4
    seconds = 1e-9 * lags
    for power in range(4):
        assert weights @ (1.0 + seconds) ** power == pytest.approx((1.0 + lag) ** power, abs=1e-12)


def test_efforts_that_are_late_are_moved_to_the_motion_that_needed_them():
    q = np.arange(24.0).reshape(8, 3)
    piece = Piece(0.01 * np.arange(8), 100.0, q, q + 0.1, q + 0.2, q + 0.5)
    moved = without_delay(piece, np.array([0.02, -0.01, 0.0]))
    assert moved.time == pytest.approx([0.01, 0.02, 0.03, 0.04, 0.05])
    for found, expected in zip(moved[2:5], piece[2:5]):
        assert (found == expected[1:6]).all()
    assert (moved.effort == piece.effort[[[3, 0, 1], [4, 1, 2], [5, 2, 3], [6, 3, 4], [7, 4, 5]],
                                         [0, 1, 2]]).all()
    change = no_change(3)._replace(pace=2.0, delay=np.array([0.02, 0.02, 0.02]),
                                   positions=np.diag([1.0, -1.0, 3.0])).shifted(1, 0.7)
    changed = change.piece(piece)
    assert (changed.rate, changed.time[1] - changed.time[0]) == pytest.approx((200.0, 0.005))
    assert changed.q[0] == pytest.approx([0.0, -1.0 + 0.7, 6.0])
    assert changed.qd[1] == pytest.approx([6.2, -8.2, 30.6])
    assert changed.qdd[1] == pytest.approx([12.8, -16.8, 62.4])
    assert changed.effort[0] == pytest.approx([6.5, 7.5, 8.5])


def test_friction_of_one_joint_that_looks_like_a_lead_aligns_no_joint():
    alone, = compared([LEADING], [0.0])
    assert alone.total.lag == pytest.approx(-0.085, abs=0.01)   # nothing else is known
    joints = compared([LEADING, HEAVY, LIGHT, LONG], [0.0] * 4)
    assert np.isnan(lags_of(joints)).all()
    assert joints[0].figures == joints[0].total.unaligned


def test_joints_of_a_message_share_the_lag_also_those_whose_friction_hides_it():
    joints = compared([LEADING, HEAVY, LIGHT, LONG], [0.03] * 4)
    assert lags_of(joints) == [pytest.approx(0.03, abs=0.003)] * 4
    assert len(set(lags_of(joints))) == len({joint.window.lag for joint in joints}) == 1


def test_a_joint_that_is_late_alone_does_not_move_the_others():
    joints = compared([HEAVY, LIGHT, LONG, LIGHT], [0.02, 0.02, 0.06, 0.02])
    assert lags_of(joints) == [pytest.approx(0.02, abs=0.003)] * 4


def test_drivers_with_messages_of_their_own_have_lags_of_their_own():
    joints = compared([HEAVY, LIGHT, LONG, LIGHT], [0.02, 0.02, 0.06, 0.06],
                      messages=[(0, 1), (2, 3)])
    lags = lags_of(joints)
    assert lags == [pytest.approx(lag, abs=0.005) for lag in (0.02, 0.02, 0.06, 0.06)]
    assert lags[0] == lags[1] and lags[2] == lags[3]


@pytest.mark.slow
@pytest.mark.skipif(not UR10.exists(), reason='the recording of a UR10 is not here')
def test_a_real_robot_has_one_lag(tmp_path, monkeypatch):
    """Its efforts are 8 ms late; joint by joint, 22 to 65 ms would be found for 60 ms more."""
    messages = []
    for side in ('add_measured', 'add_computed'):
        monkeypatch.setattr(Comparison, side, lambda self, *message, side=side: messages.append(
            (side, *message)))
    model = read_urdf(robot_path('ur10_robot').read_text())
    evaluate(open_recording(UR10), InverseDynamics(model), EvaluationSettings(), tmp_path)
    monkeypatch.undo()
    for delay, lag in ((0, np.nan), (60_000_000, 0.068)):
        comparison = Comparison()
        for side, stamp, *vectors in messages:
            getattr(comparison, side)(stamp + delay * (side == 'add_measured'), *vectors)
        assert lags_of(comparison.joints()) == [pytest.approx(lag, abs=0.01, nan_ok=True)] * 6


@pytest.mark.parametrize(('left', 'effect', 'places', 'found'), [
    (0.70, 0.11, [4.0], 0.02), (0.70, 0.09, [4.0], None),   # a tenth is of the computed effort
    (0.74, 0.5, [4.0], 0.02), (0.78, 0.5, [4.0], None),   # a fifth less is left than without lag
    (0.70, 0.5, [19.0], 0.0955), (0.70, 0.5, [20.0], None),   # within the search
    (0.90, 0.5, [4.0, 4.3, 3.7], 0.02), (0.90, 0.5, [4.0, 4.3], None),   # three joints agree
    (0.90, 0.5, [4.0, 4.0, 4.7], 0.0211), (0.90, 0.5, [4.0, 4.0, 5.4], None)])
def test_from_what_on_a_lag_is_significant(left: float, effect: float, places: list[float],
                                           found: float | None) -> None:
    lags = np.arange(-20, 21)
    joints = {f'joint{number}': LagEvidence(
        1.0 - (1.0 - left) * np.exp(-((lags - place) / 3.0) ** 2), 1e-12, 1.0, effect)
        for number, place in enumerate(places)}
    shared = shared_lags(joints, dict.fromkeys(joints, 0), tried_lags(0.1))
    assert [*shared.values()] == pytest.approx(
        len(joints) * [np.nan if found is None else found], abs=2e-4, nan_ok=True)
