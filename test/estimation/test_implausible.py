"""Positions far beyond the limits of their joints, as in degrees: no efforts by default."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from publishers import START, Array, Robot, new_stream, robot

from support.robot_files import OWN
from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.estimation.hold import joints_of
from urdf2dyn_ros.estimation.messages import Message
from urdf2dyn_ros.estimation.status import MonitorReport, NodeState, input_status, output_status
from urdf2dyn_ros.estimation.stream import Output, Stream
from urdf2dyn_ros.text import Level

pytestmark = pytest.mark.fault(36)

ROBOT = robot(OWN / 'rx90.urdf')
NAMES = ROBOT.dynamics.joint_names
FIGURES = MonitorReport(100.0, 0.0, 100, 0.0, False, (1.0, 1.0, 1.0), None, 0, '')
STEP = 10_000_000


def motion(time: float) -> Array:
    """Return positions and velocities (2, n): sums of sines about zero."""
    return np.array([ROBOT.motion(joint, time)[:2] for joint in range(len(NAMES))]).T


def published(stream: Stream, steps: range, unit: Callable[[int], float] = lambda k: 1.0,
              velocities: bool = True) -> list[Output | None]:
    """Return what messages at 100 Hz give, whose angles are times a unit."""
    return [stream.receive(Message(START + STEP * k, NAMES, q, qd if velocities else [], []))
            for k in steps for q, qd in [unit(k) * motion(k * 1e-2)]]


def degrees(k: int) -> float:
    return 180.0 / np.pi


@pytest.mark.parametrize(('estimator', 'velocities'), [
    pytest.param(name, known, marks=[] if (name == 'kalman' or known) else pytest.mark.slow)
    for name in ('kalman', 'kalman_fixed_lag', 'finite_difference', 'none')
    for known in (True, False)])
def test_degrees_give_no_efforts_also_where_they_pass_zero(estimator, velocities):
    """But for the first moments, if the arm begins near zero."""
    stream = new_stream(ROBOT, estimator=estimator)
    outputs = published(stream, range(1500), degrees, velocities)
    assert not any(outputs[60:])
    assert stream.counters['implausible'] > 500


def test_the_reason_names_joint_value_rule_and_remedy() -> None:
    stream = new_stream(ROBOT)
    published(stream, range(300), degrees)
    grown = stream.counters.copy()
    state = NodeState(ROBOT.dynamics, stream, 'kalman', '')
    received = input_status(state, FIGURES, grown, ['/driver'])
    assert received.level == Level.ERROR
    words = received.message
    far = next(name for name in NAMES if f'position of {name!r}: it is ' in words)
    limits = ROBOT.dynamics.limits[NAMES.index(far)]
    assert f'limits {limits.lower:.4g} to {limits.upper:.4g} rad: is it in degrees?' in words
    value = float(words.partition(': it is ')[2].partition(' rad')[0])
    assert value < limits.lower - 2.0 * np.pi or value > limits.upper + 2.0 * np.pi
    assert words.endswith('Publish radians, correct the limits in the robot description, or set '
                          'the parameter implausible to warn')
    assert 'implausible' in output_status(state, FIGURES, grown).message
    assert far in received.values['warnings']


def test_it_is_allowed_by_a_parameter() -> None:
    stream = new_stream(ROBOT, implausible='warn')
    outputs = published(stream, range(600), degrees)
    assert sum(output is not None for output in outputs) > 500
    assert 'in degrees?' in stream.warnings[0] and not stream.counters['implausible']
    assert input_status(NodeState(ROBOT.dynamics, stream, 'kalman', ''), FIGURES,
                        stream.counters, ['/driver']).level == Level.WARN


@pytest.mark.parametrize('pause', [0, 100, -500], ids=['at once', 'after a gap', 'set back'])
def test_radians_are_right_again(pause: int) -> None:
    """A driver that is corrected: its positions step, or it is started again."""
    stream = new_stream(ROBOT)
    published(stream, range(500), degrees)
    outputs = [output for output in published(stream, range(500 + pause, 1000 + pause))[100:]
               if output is not None]
    assert len(outputs) > 380 and stream.implausible == ()
    expected = ROBOT.efforts([output.stamp for output in outputs])
    errors = np.abs([output.effort for output in outputs] - expected).max(axis=0)
    assert (errors < 0.1 * np.abs(expected).max(axis=0)).all()


def test_a_glitch_withholds_nothing() -> None:
    """It contradicts the motion and is not used: it has no effort either."""
    stream = new_stream(ROBOT)
    outputs = published(stream, range(800), lambda k: 1000.0 if k > 300 and k % 50 == 0 else 1.0)
    assert not stream.counters['implausible']
    assert all(outputs[100:])


ENDLESS = (OWN / 'rx90.urdf').read_text().replace('"revolute"', '"continuous"').encode()
WHEELS = Robot(ENDLESS, InverseDynamics(read_urdf(ENDLESS)))


@pytest.mark.parametrize('velocities', [True, False])
def test_degrees_of_joints_without_limits_are_seen_by_their_speed(velocities: bool) -> None:
    """They are far above the limit of the velocity, whatever their unit is."""
    stream = new_stream(WHEELS)
    outputs = published(stream, range(1000), degrees, velocities)
    assert not any(outputs[300:]) and stream.counters['implausible'] > 500
    assert 'times its limit or more: is it in degrees?' in stream.warnings[0]


def test_degrees_whose_velocities_are_in_radians_are_proven_by_them() -> None:
    """Slowly, as wheels whose URDF has no limits: positions change 57 times as fast."""
    text = re.sub(rb' velocity="[^"]*"', b' velocity="0"', ENDLESS)
    stream = new_stream(Robot(text, InverseDynamics(read_urdf(text))))
    outputs = [stream.receive(Message(START + STEP * k, NAMES, np.degrees(q), qd, []))
               for k in range(1500) for q, qd in [0.1 * motion(k * 1e-2)]]
    assert not any(outputs[400:]) and 'are the positions in degrees?' in stream.warnings[0]


def test_joints_without_limits_may_turn() -> None:
    """Also far: a wheel is no arm in degrees."""
    assert ENDLESS.count(b'"continuous"') == 6
    stream = new_stream(WHEELS)
    outputs = [stream.receive(Message(START + STEP * k, NAMES, [0.05 * k] * 6, [5.0] * 6, []))
               for k in range(1000)]
    assert all(outputs[100:]) and stream.warnings == ()
    text = re.sub(rb'(lower|upper)="[^"]*"', rb'\1="0"', (OWN / 'rx90.urdf').read_bytes())
    assert np.isinf(joints_of(InverseDynamics(read_urdf(text))).limits).all()


def test_a_velocity_that_does_not_follow_the_motion_proves_no_unit() -> None:
    """A constant one has the scale of degrees by chance."""
    q, qd = np.array([motion(k * 1e-2) for k in range(1500)]).transpose(1, 0, 2)
    by_chance = np.square(qd).mean(axis=0) / qd.mean(axis=0) / np.degrees(1.0)
    stream = new_stream(WHEELS)
    outputs = [stream.receive(Message(START + STEP * k, NAMES, q[k], by_chance))
               for k in range(1500)]
    assert all(outputs[100:])
    assert 'it does not follow the position' in stream.velocities[NAMES[0]].fault
