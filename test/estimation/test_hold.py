"""Joints that are not published, and are held at rest."""

import json
import shlex

import numpy as np
import pytest

from support.robot_files import EXAMPLES
from support.streams.pendulums import START
from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.estimation.hold import hold_advice, read_hold
from urdf2dyn_ros.estimation.messages import Message
from urdf2dyn_ros.estimation.status import remedy
from urdf2dyn_ros.estimation.stream_setup import STREAM_PARAMETERS, make_stream

PANDA = InverseDynamics(read_urdf(
    (EXAMPLES / 'panda_description/urdf/panda.urdf').read_text()))
ARM, FINGER = PANDA.joint_names[:7], PANDA.joint_names[7]
PERIOD = 4_000_000
VALUES = {row.name: row.default for row in STREAM_PARAMETERS} | {
    'estimator': 'finite_difference', 'finite_difference.align': 'centre'}

SLIDER = '<robot name="slider"><link name="root"/>' + ''.join(
    f'<link name="{name}_link"><inertial><mass value="2"/><inertia ixx="1" ixy="0" ixz="0" '
    f'iyy="1" iyz="0" izz="1"/></inertial></link><joint name="{name}" type="{kind}">'
    f'<parent link="root"/><child link="{name}_link"/><axis xyz="0 0 1"/>{rest}</joint>'
    for name, kind, rest in (
        ('lift', 'prismatic', '<limit lower="0.2" upper="0.6" effort="9" velocity="9"/>'),
        ('a=b', 'continuous', ''), ('bolt', 'fixed', ''), ('pan', 'continuous', ''),
        ('twin', 'continuous', '<mimic joint="pan"/>'), ('plate', 'planar', ''))) + '</robot>'

WHEEL = '<robot name="wheeled"><link name="root"/>' + ''.join(
    f'<link name="{name}_link"><inertial><origin xyz="0.1 0 0"/><mass value="2"/><inertia ixx="1" '
    f'ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>'
    f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{name}_link"/>'
    '<origin xyz="0.3 0 0"/><axis xyz="0 1 0"/></joint>' for name, parent in (
        ('lift', 'root'), ('reach', 'lift_link'), ('wheel', 'root'))) + '</robot>'


def arm(stamp):
    """Return q, qd, qdd (7,) of the arm."""
    angle = 2.0 * (stamp - START) * 1e-9 + np.arange(7.0)
    q = np.array([0.0, 0.3, 0.0, -1.5, 0.0, 1.5, 0.0]) + 0.2 * np.sin(angle)
    return q, 0.4 * np.cos(angle), -0.8 * np.sin(angle)


def published(source, stamp, names=ARM, finger=0.0):
    q, qd, _ = arm(stamp)
    count = len(names)
    return source.receive(Message(stamp, names, [*q, finger][:count], [*qd, 0.0][:count], []))


def panda(*hold):
    return make_stream(VALUES | {'hold': hold}, PANDA, clock=lambda: 0)


def expected(stamp, finger):
    q, qd, qdd = (np.append(part, 0.0) for part in arm(stamp))
    q[7] = finger
    return PANDA(q, qd, qdd)


def test_the_efforts_are_those_of_the_whole_robot_with_its_finger_at_rest():
    source = panda(f'{FINGER}=0.03')
    outputs = [published(source, START + k * PERIOD) for k in range(20)]
    output = outputs[-1]
    assert output.effort == pytest.approx(expected(output.stamp, 0.03), rel=0.0, abs=5e-5)
    assert (output.q[7], output.qd[7], output.qdd[7]) == (0.03, 0.0, 0.0)
    assert np.isnan(output.measured).all() and source.missing_joints == ()
    assert abs(output.effort[7]) > 1e-6   # it is carried


@pytest.mark.fault(25)
def test_auto_holds_what_is_not_published_for_five_seconds_until_it_is():
    source = panda('auto')
    outputs, waits = [], []
    for k in range(1300):
        outputs.append(published(source, START + k * PERIOD))
        waits.append(source.missing_joints)
    first = next(k for k, output in enumerate(outputs) if output)
    assert 1250 < first < 1265 and waits[1200] == (FINGER,) and waits[-1] == ()
    notice, = source.held.take_notices()
    assert f'{FINGER} at 0' in notice and '5 s' in notice
    for k in range(1300, 1320):
        output = published(source, START + k * PERIOD, PANDA.joint_names, 0.01)
    assert output.effort == pytest.approx(expected(output.stamp, 0.01), rel=0.0, abs=9e-5)
    notice, = source.held.take_notices()
    assert 'published positions are used' in notice and not source.held.positions


def test_a_finger_that_is_published_by_its_own_driver_releases_itself_alone():
    source = panda(FINGER, ARM[6])
    outputs = []
    for k in range(60):
        outputs.append(published(source, START + k * PERIOD, ARM[:6]))
        if k > 10:
            outputs.append(source.receive(Message(START + k * PERIOD, [FINGER], [0.02], [0.0])))
    output, = list(filter(None, outputs))[-1:]
    assert list(source.held.positions) == [ARM[6]]
    assert list(output.q[6:]) == [0.0, pytest.approx(0.02)]
    assert source.unknown_joints == ()


def test_auto_does_not_hold_a_joint_that_was_published_and_stopped():
    source = panda('auto')
    for k in range(3000):
        output = published(source, START + k * PERIOD, PANDA.joint_names if k < 100 else ARM)
    assert output is None and source.missing_joints == (FINGER,)
    assert source.never_received == () and not source.held.positions


@pytest.mark.parametrize(('text', 'words'), [
    ('pam', 'robot "slider" has no joint "pam"; did you mean "pan"?'),
    ('pan=x', 'the position "x" is not a number [rad]'),
    ('pan=nan', 'is not a number'), ('pan=', 'is not a number'),
    ('lift=0.7', 'outside of the limits of the joint, 0.2 to 0.6 m'),
    ('twin', 'mimics "pan": hold that one'), ('bolt=1', 'is fixed'),
    ('plate', 'several coordinates'), ('a=b=c', 'is not a number')])
def test_what_cannot_be_held_is_reported_with_the_remedy(text, words):
    hold, faults = read_hold([text], InverseDynamics(read_urdf(SLIDER)))
    fault, = faults
    assert fault.startswith(f'hold "{text}": ') and words in fault
    assert hold.positions == {}


def test_names_positions_and_defaults_are_read():
    dynamics = InverseDynamics(read_urdf(SLIDER))
    hold, faults = read_hold(['', 'lift', 'a=b', 'pan = -7', 'auto'], dynamics)
    assert faults == [] and hold.automatic
    assert hold.positions == {'lift': 0.2, 'a=b': 0.0, 'pan': -7.0}
    assert read_hold(['a=b=0.5'], dynamics)[0].positions == {'a=b': 0.5}
    for texts, words in ((['lift', 'lift=0.3'], 'held twice'),
                         (dynamics.joint_names, 'all joints of the robot')):
        assert words in read_hold(texts, dynamics)[1][0]


def test_the_advice_is_a_command_that_keeps_what_is_held():
    words = shlex.split(hold_advice(["finger's"], ('', 'head=1'), '/left/node').partition(': ')[2])
    assert words[:5] == ['ros2', 'param', 'set', '/left/node', 'hold']
    assert json.loads(words[5]) == ['head=1', "finger's"]


@pytest.mark.parametrize('hold', ['auto', 'wheel'])
@pytest.mark.parametrize('position', [[np.nan], [np.inf], None], ids=str)
@pytest.mark.fault(22, 25)
def test_a_wheel_without_a_position_is_held_like_one_that_is_not_published(hold, position):
    """In the message of the others, or in one of its own, which may have velocities alone."""
    dynamics = InverseDynamics(read_urdf(WHEEL))
    waiting, source = (make_stream(VALUES | {'hold': texts}, dynamics, clock=lambda: 0)
                       for texts in ((), (hold,)))
    for k in range(1400):
        t, stamp = k / 250, START + k * PERIOD
        q, qd = [0.5 * np.sin(t), 0.4 * np.cos(t)], [0.5 * np.cos(t), -0.4 * np.sin(t)]
        for each in (waiting, source):
            if position is None:
                output = each.receive(Message(stamp, ['lift', 'reach'], q, qd, []))
                each.receive(Message(stamp + 1, ['wheel'], [], [3.0], []))
            else:
                output = each.receive(Message(stamp, ['wheel', 'lift', 'reach'], [*position, *q],
                                      [3.0, *qd], []))
    assert output is not None and list(source.held.positions) == ['wheel']
    t = (output.stamp - START) * 1e-9
    expected = dynamics([0.5 * np.sin(t), 0.4 * np.cos(t), 0.0],
                        [0.5 * np.cos(t), -0.4 * np.sin(t), 0.0],
                        [-0.5 * np.sin(t), -0.4 * np.cos(t), 0.0])
    assert output.effort == pytest.approx(expected, rel=0.0, abs=1e-3)
    assert waiting.counters['used'] == 0 and waiting.counters['malformed'] == 0
    assert remedy(waiting, (), '/node') == (
        'published without a position (NaN or none): "wheel"; '
        + hold_advice(['wheel'], (), '/node'))


def test_positions_that_are_all_missing_are_not_those_of_another_robot():
    source = make_stream(VALUES, InverseDynamics(read_urdf(WHEEL)), clock=lambda: 0)
    for k in range(3):
        source.receive(Message(
            START + k * PERIOD, ['wheel', 'lift', 'reach'], [np.nan] * 3, [0.1] * 3))
    assert remedy(source, (), '/node') == (
        'published without a position (NaN or none): "lift", "reach", "wheel"')
