"""Efforts of another semantics than the chosen one, and figures that no sensor supports."""

import numpy as np
import pytest

from urdf2dyn_ros.recordings.comparison import Comparison
from urdf2dyn_ros.recordings.measured_efforts import JointFacts
from urdf2dyn_ros.recordings.report import figure_texts, notes

START = 1_700_000_000_000_000_000
DAMPING, FRICTION = 2.0, 3.0
FACTS = JointFacts('N m', DAMPING, FRICTION)


def weight(names, q):
    return 20.0 * np.cos(q)


def compared(chosen, actual, included=0.0, facts=FACTS, inertia=1.0):
    """
    Return the comparison of a joint whose efforts are of the actual semantics.

    The computed ones include a share of its friction.

    """
    comparison = Comparison(semantics=chosen)
    comparison.describe({'a': facts}, weight)
    for k in range(1500):
        t = 0.004 * k
        q, qd = np.sin(2.0 * t), 2.0 * np.cos(2.0 * t)
        net = float(weight((), np.array([q]))[0] - 4.0 * inertia * np.sin(2.0 * t))
        friction = DAMPING * qd + FRICTION * np.sign(qd)
        measured = {'net': net, 'commanded': net + friction,
                    'gravity_compensated': net - float(weight((), np.array([q]))[0]),
                    'hanging': net - 2.0 * float(weight((), np.array([q]))[0]),
                    'half compensated': net - 0.5 * float(weight((), np.array([q]))[0]),
                    'magnitude': abs(net - 14.0),
                    'noise': np.sin(29.0 * t) + 0.01 * net}[actual]
        comparison.add_measured(START + 4_000_000 * k, ['a'], [measured])
        comparison.add_computed(
            START + 4_000_000 * k, ['a'], [net + included * friction], [q], [qd])
    return comparison.joints()[0]


@pytest.mark.parametrize('chosen', ['net', 'commanded', 'gravity_compensated'])
@pytest.mark.parametrize('actual', ['net', 'commanded', 'gravity_compensated'])
def test_the_semantics_that_explains_the_efforts_is_named(chosen, actual) -> None:
    hint = compared(chosen, actual).total.hint
    if chosen == actual:
        assert hint == ''
    else:
        assert f'seems to be {actual} (' in hint and f'not {chosen}: ' in hint
        assert 'that would leave less than 30 % of the RMSE' in hint
        # which may be of another direction
        assert ('whether gravity is that of the robot' in hint) == (
            'gravity_compensated' in (chosen, actual))


def test_efforts_from_which_half_the_gravity_is_compensated_are_named_as_such() -> None:
    """Not as half of another unit, although gravity is most of the effort."""
    hint = compared('net', 'half compensated').total.hint
    assert hint.startswith('a bias proportional to gravity, -50 % of the effort against it')
    assert 'that of the opposite gravity' in compared('net', 'hanging').total.hint
    assert 'does the driver compensate a part of it?' in hint


def test_noise_is_no_multiple_of_the_computed_effort() -> None:
    """Although any factor near zero leaves much less than the difference."""
    assert compared('net', 'noise', inertia=10.0).total.hint == ''


def test_efforts_without_a_sign_are_not_compared() -> None:
    joint = compared('net', 'magnitude')
    assert 'the efforts have no sign: none is negative' in joint.total.fault
    assert joint.total.fault == joint.window.fault


def test_friction_that_counts_twice_is_suspected() -> None:
    """The node computes it, and the chosen semantics adds that of the URDF."""
    hint = compared('commanded', 'commanded', included=1.0).total.hint
    assert 'seems to be net (' in hint and 'includes friction already (friction.enabled' in hint
    assert 'friction.enabled' not in compared('net', 'commanded').total.hint


def test_of_a_robot_without_friction_net_is_named_in_place_of_commanded() -> None:
    hint = compared('gravity_compensated', 'net', facts=JointFacts('N m')).total.hint
    assert 'seems to be net (' in hint


@pytest.mark.parametrize(('measured', 'relative'), [
    (lambda t: 5.0 + 1e-6 * np.sin(t), False), (lambda t: 1e-8 * np.sin(t), False),
    (lambda t: 5.0 + 0.1 * np.sin(t), True)])
def test_there_is_no_relative_figure_of_an_effort_that_no_sensor_resolves(measured, relative):
    """As of a robot at rest, where a residual is millions of percent of rounding."""
    comparison = Comparison()
    for k in range(500):
        comparison.add_measured(START + 4_000_000 * k, ['a'], [measured(0.02 * k)])
        comparison.add_computed(START + 4_000_000 * k, ['a'], [5.0 + 0.2 * np.sin(0.02 * k)])
    joint = comparison.joints()[0]
    assert np.isfinite(joint.figures.rmse)
    assert np.isfinite([joint.figures.nrmse, joint.figures.r2]).all() == relative
    assert (figure_texts(joint.total)[3] != '-') == relative


def test_an_effort_that_no_sensor_resolves_has_no_lag() -> None:
    """As of a robot at rest, whose last digit toggles."""
    comparison = Comparison()
    for k in range(600):
        comparison.add_measured(START + 10_000_000 * k, ['a'], [150.0 + 0.001 * (k % 2)])
        comparison.add_computed(START + 10_000_000 * k, ['a'], [153.197], [0.1], [0.0])
    joint = comparison.joints()[0]
    assert np.isnan(joint.total.lag)
    assert not [note for note in notes([joint]) if 'early' in note or 'late' in note]
