"""Lag, friction and semantics in closed form; totals do not depend on the order of messages."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.recordings.comparison import Comparison, gravity_of, robot_facts
from urdf2dyn_ros.recordings.measured_efforts import JointFacts, with_followers

START = 1_700_000_000_123_456_789
DAMPING, COULOMB, OFFSET = 0.4, 0.7, 0.2

PENDULUM = """
<robot name="pendulum">
  <link name="base"/>
  <link name="bob"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
  <link name="mirror"><inertial><mass value="1"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
  <joint name="swing" type="revolute"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/>
    <limit lower="-9" upper="9" effort="40" velocity="9"/>
    <dynamics damping="0.4" friction="0.7"/></joint>
  <joint name="follower" type="revolute"><parent link="base"/><child link="mirror"/>
    <axis xyz="0 1 0"/><limit lower="-9" upper="9" effort="40" velocity="9"/>
    <mimic joint="swing" multiplier="-2"/><dynamics damping="0.1" friction="0.3"/></joint>
</robot>
"""


def motion(time):
    """Return position, velocity and acceleration of a motion of three frequencies."""
    amplitude, rate, phase = np.array([1.0, 0.5, 0.2]), np.array([1.3, 3.1, 5.3]), [0.0, 1.0, 2.0]
    angle = np.multiply.outer(time, rate) + phase
    return ((amplitude * np.sin(angle)).sum(-1), (amplitude * rate * np.cos(angle)).sum(-1),
            -(amplitude * rate**2 * np.sin(angle)).sum(-1))


def effort(time):
    """Return what a pendulum of 4 N m at 0.3 kg m^2 needs."""
    q, _, qdd = motion(time)
    return 0.3 * qdd + 4.0 * np.cos(q)


def friction(time):
    velocity = motion(time)[1]
    return DAMPING * velocity + COULOMB * np.sign(velocity) + OFFSET


def compared(measured, computed=effort, rate=250, duration=20.0, velocity=None, name='a',
             facts=None, gravity=None, **options):
    """Return the comparison of two functions of time that are sampled at one rate [Hz]."""
    comparison = Comparison(**options)
    comparison.describe(facts or {}, gravity)
    time = np.arange(round(duration * rate)) / rate
    q, qd, _ = motion(time)
    qd = qd if velocity is None else velocity(time)
    for t, m, c, q_t, qd_t in zip(time, measured(time), computed(time), q, qd):
        stamp = START + round(t * 1e9)
        comparison.add_measured(stamp, [name], [m])
        comparison.add_computed(stamp, [name], [c], [q_t], [qd_t])
    (result,) = comparison.joints()
    return result


def noise(sigma):
    generator = np.random.default_rng(0)
    return lambda time: sigma * generator.standard_normal(len(time))


@pytest.mark.parametrize(('lag', 'rate', 'sigma', 'bound'), [
    (0.012, 250, 0.0, 2e-5), (-0.03, 250, 0.0, 2e-5), (0.001, 1000, 0.0, 2e-5),
    (0.03, 50, 0.0, 2e-4), (0.0124, 250, 0.05, 5e-4), (0.0124, 125, 0.05, 5e-4),
    (0.08, 250, 0.3, 2e-3)])
def test_a_lag_is_found_and_taken_away(lag, rate, sigma, bound):
    """Positive: the measurement is late."""
    disturbance = noise(sigma)
    result = compared(lambda time: effort(time - lag) + disturbance(time), rate=rate)
    assert result.total.lag == pytest.approx(lag, abs=bound)
    assert result.window.lag == pytest.approx(lag, abs=1.5 * bound)
    figures, unaligned = result.figures, result.total.unaligned
    assert figures.rmse < max(1.02 * sigma, 0.02 * unaligned.rmse)
    assert figures.rmse <= figures.max_error < 6.0 * max(sigma, figures.rmse)
    assert np.sqrt(np.mean(result.residual**2)) < max(1.02 * sigma, 0.02 * unaligned.rmse)
    late = unaligned.rmse**2 - sigma**2
    slope = np.gradient(effort(np.arange(0.0, 20.0, 0.001)), 0.001)
    assert late == pytest.approx(lag**2 * np.mean(slope**2), rel=0.05)


@pytest.mark.parametrize(('measured', 'options'), [
    (effort, {}),
    (lambda time: effort(time - 0.0003), {}),            # less than half a step of a simulator
    (lambda time: effort(time - 0.15), {}),              # beyond the search
    (lambda time: effort(time - 0.012), {'search': 0.0}),
    (lambda time: effort(time) + noise(0.5)(time), {}),
    (lambda time: effort(time) + noise(3.0)(time), {'rate': 125}),   # halfway there is less of it
    (lambda time: noise(1.0)(time), {}),
    (lambda time: effort(time) + friction(time), {}),    # damping turns the phase as a lag does
    (lambda time: effort(time) + friction(time) + noise(0.01)(time), {}),
])
def test_no_lag_is_invented(measured, options):
    rate = options.pop('rate', 250)
    result = compared(measured, rate=rate, **options)
    assert np.isnan(result.total.lag)
    assert result.figures == result.total.unaligned


def test_a_lag_is_found_despite_friction_and_a_wrong_mass():
    late = compared(lambda time: effort(time - 0.02) + friction(time - 0.02))
    assert late.total.lag == pytest.approx(0.02, abs=6e-4)
    assert late.figures.friction.viscous.value == pytest.approx(DAMPING, rel=0.004)
    assert late.figures.friction.coulomb.value == pytest.approx(COULOMB, rel=0.0014)
    light = compared(lambda time: effort(time - 0.01), lambda time: 1.25 * effort(time))
    assert light.total.lag == pytest.approx(0.01, abs=1e-9)


@pytest.mark.parametrize('sigma', [0.0, 0.3])
def test_friction_is_identified_with_its_standard_error(sigma):
    disturbance = noise(sigma)
    result = compared(lambda time: effort(time) + friction(time) + disturbance(time),
                      duration=60.0)
    fit = result.figures.friction
    assert fit.unknown == ''
    for term, truth in ((fit.viscous, DAMPING), (fit.coulomb, COULOMB), (fit.offset, OFFSET)):
        assert term.value == pytest.approx(truth, abs=max(2.5 * term.error, 1e-3))
        assert term.error < 0.01
    assert fit.rmse == pytest.approx(sigma, rel=0.03, abs=0.04)   # samples at rest are Coulomb's
    velocity = np.array([-2.0, 0.5])
    np.testing.assert_allclose(fit.residual(velocity), DAMPING * velocity
                               + COULOMB * np.sign(velocity) + OFFSET, atol=0.05)


@pytest.mark.parametrize('velocity', [
    lambda time: 0.0 * time, lambda time: 0.004 * np.sin(time), lambda time: np.nan * time,
    lambda time: 1.0 + 0.5 * np.sin(time),       # one direction
    lambda time: np.sign(np.sin(time))])         # one speed
def test_a_motion_that_shows_no_friction_is_reported(velocity):
    fit = compared(lambda time: effort(time) + noise(0.1)(time), velocity=velocity)
    assert 'both ways, at several speeds, in 50 samples' in fit.figures.friction.unknown
    assert np.isnan(fit.figures.friction.viscous.value)


def test_samples_at_rest_do_not_count_for_friction():
    """At rest friction is anything up to the Coulomb one."""
    def velocity(time):
        return np.where(time % 4.0 < 2.0, motion(time)[1], 0.0)

    def measured(time):
        moving = np.abs(velocity(time)) > 0.0
        return effort(time) + np.where(moving, friction(time), -0.6)

    fit = compared(measured, velocity=velocity).figures.friction
    assert fit.viscous.value == pytest.approx(DAMPING, abs=1e-12)
    assert fit.coulomb.value == pytest.approx(COULOMB, abs=1e-12)
    assert fit.offset.value == pytest.approx(OFFSET, abs=1e-12)


# ---- what effort means

FACTS = {'a': JointFacts('N m', DAMPING, COULOMB)}


def test_net_efforts_have_no_friction_in_them():
    assert compared(effort, facts=FACTS).figures.rmse == 0.0


def test_commanded_efforts_have_the_friction_of_the_urdf_in_them():
    result = compared(lambda time: effort(time) + friction(time) - OFFSET, facts=FACTS,
                      semantics='commanded')
    assert result.figures.rmse < 0.05   # a few samples where the velocity is about zero
    fit = result.figures.friction
    assert fit.viscous.value == pytest.approx(DAMPING, rel=1e-9)   # all of it, not the rest
    assert fit.coulomb.value == pytest.approx(COULOMB, rel=1e-9)
    np.testing.assert_allclose(fit.residual(np.array([-1.0, 1.0])), 0.0, atol=3e-3)


def test_every_joint_has_its_own_gain_and_all_or_one_are_set():
    for gains, fault in (((2.0, 4.0), ''), ((2.0, 4.0, 8.0), '3 entries for 2 joints')):
        comparison = Comparison(semantics='current', gains=gains)
        for k in range(100):
            value = np.sin(0.1 * k)
            comparison.add_measured(START + k, ['b', 'a'], [value / 4.0, value / 2.0])
            comparison.add_computed(START + k, ['a', 'b'], [value, value])
        for joint in comparison.joints():
            assert fault in joint.fault
            assert fault or joint.figures.rmse < 1e-15


def test_efforts_without_gravity_get_it_back():
    model = read_urdf(PENDULUM)
    dynamics = InverseDynamics(model)

    def computed(time):
        q, qd, qdd = (column[:, None] for column in motion(time))
        return dynamics(q, qd, qdd)[:, 0]

    def measured(time):
        return computed(time) - dynamics.gravity(motion(time)[0][:, None])[:, 0]

    options = {'name': 'swing', 'facts': robot_facts(model),
               'semantics': 'gravity_compensated'}
    result = compared(measured, computed, gravity=gravity_of(dynamics), **options)
    assert result.figures.rmse < 1e-12
    np.testing.assert_allclose(result.measured, result.computed, atol=1e-12)
    assert result.figures.nrmse_rms < 1e-12   # of the whole effort
    assert 'no robot description' in compared(measured, computed, **options).fault
    wrong = compared(measured, computed, gravity=gravity_of(dynamics),
                     **{**options, 'name': 'another'})
    assert wrong.figures.samples == 0


def test_facts_come_from_the_urdf_with_mimic_joints_reflected():
    (name, facts), = robot_facts(read_urdf(PENDULUM)).items()
    mimics = read_urdf(PENDULUM).mimics   # the multiplier is -2
    assert list(with_followers(('swing', 'follower'), (1.0, 3.0), mimics)) == [-5.0, 3.0]
    assert with_followers(('swing', 'follower'), (1.0, np.nan), mimics)[0] == 1.0   # not measured
    assert name == 'swing'
    assert facts == JointFacts('N m', pytest.approx(0.4 + 4.0 * 0.1),
                               pytest.approx(0.7 + 2.0 * 0.3), 40.0)


# ---- totals

def figures_of(result):
    span = result.total
    fit = span.figures.friction
    return [span.figures.samples, span.unaligned.samples, span.lag, *(
        getattr(figures, name) for figures in (span.unaligned, span.figures)
        for name in ('rmse', 'bias', 'nrmse', 'nrmse_rms', 'r2')), span.unaligned.max_error,
        fit.viscous.value, fit.coulomb.value, fit.offset.value, fit.rmse]


def fed(parts, capacity=60_000):
    """Return a comparison of 10 s; `parts` says how many come of one side, then of the other."""
    time = np.arange(0.0, 10.0, 0.005)
    measured = effort(time - 0.012) + friction(time - 0.012) + noise(0.02)(time)
    computed, velocity = effort(time), motion(time)[1]
    comparison = Comparison(capacity)
    done, turn = [0, 0], 0
    while min(done) < len(time):
        size = parts[turn // 2 % len(parts)]
        side = turn % 2
        for k in range(done[side], min(done[side] + size, len(time))):
            stamp = START + 5_000_000 * k
            if side:
                comparison.add_computed(stamp, ['a'], [computed[k]], [0.0], [velocity[k]])
            else:
                comparison.add_measured(stamp, ['a'], [measured[k]])
        done[side] = min(done[side] + size, len(time))
        if turn % 7 == 3:
            comparison.joints(samples=False)
        turn += 1
    (result,) = comparison.joints()
    return result


@cache
def fed_at_once():
    return fed([4000])


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(st.lists(st.integers(1, 400), min_size=1, max_size=6))
def test_totals_do_not_depend_on_how_the_efforts_come_or_on_the_capacity(parts):
    whole = fed_at_once()
    apart = fed(parts, capacity=1000)
    assert len(apart.stamps) <= 1000 < len(whole.stamps)
    np.testing.assert_allclose(figures_of(apart), figures_of(whole), rtol=1e-7, atol=1e-9)
