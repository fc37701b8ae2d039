"""What levels and sentences the figures of a node give."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import nan
from unittest.mock import MagicMock

import numpy as np
import pytest

from support.robot_files import OWN
from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.estimation.estimators import make_estimator
from urdf2dyn_ros.estimation.hold import joints_of
from urdf2dyn_ros.estimation.messages import Message
from urdf2dyn_ros.estimation.outcomes import JOINT_STATE_EVENTS, JOINT_STATE_OUTCOMES
from urdf2dyn_ros.estimation.status import (
    FaultLog,
    MonitorReport,
    NodeState,
    input_status,
    missing_joints,
    model_status,
    output_status,
)
from urdf2dyn_ros.estimation.stream import Output, Stream
from urdf2dyn_ros.estimation.velocities import JointVelocity
from urdf2dyn_ros.robot.model import Limits
from urdf2dyn_ros.system import resident_memory
from urdf2dyn_ros.text import Level

TEXT = (OWN / 'robot_2r.urdf').read_text()
DYNAMICS = InverseDynamics(read_urdf(TEXT))
NAMES = list(DYNAMICS.joint_names)
SECOND = 10**9
NOW = 1_700_000_000 * SECOND
OUTPUT = Output(NOW - 20_000_000, *(np.zeros(2) for _ in range(5)), np.array([nan, 0.5]))
FIGURES = MonitorReport(received=250.0, published=240.0, messages=1000, silence=0.0, silent=False,
                        latency=(80.0, 160.0, 900.0), newest=OUTPUT, failures=0, failure='')
ONE = ['/driver (RELIABLE, VOLATILE)']
TWO = [*ONE, '/replay (RELIABLE, VOLATILE)']


def state(stamps: Sequence[int] = (NOW - SECOND // 250, NOW), names: Sequence[str] = NAMES,
          dynamics: InverseDynamics = DYNAMICS, refused: str = '',
          estimator: str = 'none') -> NodeState:
    """Return a state whose stream has received these stamps at the time NOW."""
    stream = Stream(joints_of(dynamics), dynamics, lambda joints: make_estimator(
        estimator, joints), clock=lambda: NOW)
    for stamp in stamps:
        stream.receive(Message(stamp, names, [0.1] * len(names), [], []))
    return NodeState(dynamics, stream, estimator, refused)


def judged(running: NodeState, figures: MonitorReport = FIGURES, publishers: Sequence[str] = ONE,
           **grown: int) -> tuple[Level, str]:
    status = input_status(running, figures, Counter(grown or {'used': 250}), publishers)
    assert status.part == 'input'
    return status.level, status.message


def test_a_model_reports_what_it_computes() -> None:
    """Name, joints, operations, back end."""
    status = model_status(state())
    assert (status.part, status.level) == ('model', Level.OK)
    assert status.values['model'] == 'robot_2r'
    assert status.values['joints'] == 'joint1, joint2'
    assert status.values['operations'].startswith('14 multiplications, 7 additions')
    assert status.values['back end'] == 'python'
    assert status.values['number of warnings'] == '0'


def test_warnings_and_refusals_of_descriptions() -> None:
    """A warning is WARN, a refusal ERROR, its other lines are among the values."""
    bad = InverseDynamics(read_urdf(re.sub(r'izz="[^"]*"', 'izz="678.6"', TEXT)))
    status = model_status(state(dynamics=bad))
    assert status.level == Level.WARN and 'inertia' in status.values['warnings']
    status = model_status(state(refused='two problems\nhere'))
    assert status.level == Level.ERROR and status.message.endswith('stays active: two problems')
    assert status.values['rejected'] == 'two problems\nhere'
    assert status.values['model'] == 'robot_2r'
    status = model_status(NodeState(None, None, 'none', 'no XML'))
    assert status.level == Level.ERROR and 'no XML' in status.message
    status = model_status(NodeState(None, None, 'none', ''))
    assert status.level == Level.WARN and 'no robot description was received' in status.message
    status = model_status(NodeState(None, None, 'none', '', building=True))
    assert status.level == Level.WARN and 'is being read and compiled' in status.message


def test_a_healthy_input_is_ok_with_every_counter() -> None:
    """By the keys of outcomes and events, and `received` as the node counts it."""
    assert judged(state()) == (Level.OK, '250 messages per second')
    values = input_status(state(), FIGURES, Counter(used=250), ONE).values
    assert values.keys() >= {*JOINT_STATE_OUTCOMES, *JOINT_STATE_EVENTS}
    assert (values['received'], values['used'], values['warming_up']) == ('1000', '1', '1')
    assert values['age of the newest stamp [s]'] == '0'
    assert values['publishers'] == ONE[0] and values['number of publishers'] == '1'


@pytest.mark.fault(49)
def test_silence_is_no_data() -> None:
    """And says since when, and whether there is a publisher."""
    silent = replace(FIGURES, silent=True, silence=2.5, received=0.0, newest=None)
    assert judged(state(), silent) == (Level.WARN, 'no data for 2.5 s on /joint_states')
    never = replace(silent, silence=None)
    assert judged(state()._replace(topic='/left/measured'), never, []) == (
        Level.WARN, 'no data yet on /left/measured, which no node publishes')
    assert output_status(state(), silent, Counter()).level == Level.STALE


@pytest.mark.parametrize(('stamp', 'words'), [
    (NOW - 7200 * SECOND, '7.2e+03 s behind'), (NOW + SECOND // 2, '0.5 s ahead of')])
@pytest.mark.fault(33)
def test_stamps_of_another_clock_are_reported_with_the_offset(stamp: int, words: str) -> None:
    """Efforts are computed anyway."""
    level, message = judged(state((stamp,)))
    assert level == Level.WARN and words in message


def test_a_slow_streams_stamps_are_judged_by_their_age_on_arrival() -> None:
    """Three seconds old because it came three seconds ago."""
    figures = replace(FIGURES, silence=3.0)
    assert judged(state((NOW - 3 * SECOND,)), figures)[0] == Level.OK


@pytest.mark.fault(27)
def test_two_publishers_of_the_same_joints_are_an_error() -> None:
    """Of disjoint joints they are none."""
    assert judged(state(), publishers=TWO, incomplete=100, used=100)[0] == Level.OK
    level, message = judged(state(), publishers=TWO, used=100, duplicate_stamp=60, out_of_order=9)
    assert level == Level.ERROR and 'driver' in message and 'replay' in message
    assert judged(state(), publishers=TWO, used=100, out_of_order=2)[0] == Level.OK
    level, message = judged(state(), publishers=TWO, used=500, position_rejected=5)
    assert level == Level.ERROR and 'driver' in message and 'replay' in message
    assert judged(state(), publishers=TWO, used=500, position_rejected=1)[0] == Level.OK
    assert judged(state(), used=500, position_rejected=5)[0] == Level.OK
    level, message = judged(state(), used=20, duplicate_stamp=80, relayed=80)
    assert level == Level.WARN and 'is the simulation paused' in message
    level, message = judged(state(), publishers=TWO, used=100, out_of_order=98, relayed=98)
    assert level == Level.WARN and message.startswith('98 of 198 messages are the same as one')
    assert 'driver' in message and 'replay' in message
    level, message = judged(state(), publishers=TWO, warming_up=100, jump_back=50, gap=50)
    assert level == Level.ERROR and 'driver' in message and 'replay' in message


@pytest.mark.fault(31, 32)
def test_stamps_that_jump_again_and_again_are_warned_of() -> None:
    """Of one publisher; a bag that begins again now and then is none of it."""
    level, message = judged(state(), warming_up=80, used=20, jump_back=6, gap=7)
    assert level == Level.WARN and message.startswith('13 of 100 stamps jump')
    assert judged(state(), used=100, jump_back=1)[0] == Level.OK


def test_messages_that_are_dropped_are_reported_with_the_reason() -> None:
    """From a tenth on."""
    level, message = judged(state(), used=100, position_not_finite=30, no_stamp=20)
    assert level == Level.WARN
    assert message == (
        '50 of 150 messages dropped: position_not_finite 30 (all positions of the model are NaN, '
        '1e9 or more, or left out), no_stamp 20')
    assert judged(state(), used=100, no_stamp=5)[0] == Level.OK


@pytest.mark.fault(37)
def test_use_lag_and_scale_of_each_velocity_are_in_the_figures() -> None:
    """One joint's is 0.1 s late, the other's is not measured."""
    running = state(estimator='kalman')
    assert running.stream is not None
    for k in range(300):
        time = 0.01 * k
        running.stream.receive(Message(
            NOW + (k + 1) * 10_000_000, NAMES, [np.sin(2.0 * time), 0.1],
            [2.0 * np.cos(2.0 * (time - 0.1)), np.nan], []))
    late, missing = input_status(running, FIGURES, Counter(used=300), ONE).values[
        'velocities'].split('\n')
    assert re.fullmatch(r'joint1 not used: lag (9|10)\d\.\d ms, scale (1|0\.99\d|1\.0[01]) '
                        r'\(it is (9|10)\d(\.\d)? ms late\)', late)
    assert missing == 'joint2 not used: not measured'
    assert str(JointVelocity(True, -1e-6, 1.0, '')) == 'used: lag 0.0 ms, scale 1'


@pytest.mark.fault(25)
def test_missing_and_unknown_joints_are_named() -> None:
    """Unknown ones are nothing to warn of."""
    running = state(names=['joint2', 'wheel', 'fan'])
    level, message = judged(running, incomplete=9)
    assert level == Level.WARN and message.startswith(
        'missing joints: joint1; joints that the model does not have: wheel, fan; if nothing')
    values = input_status(running, FIGURES, Counter(incomplete=9), ONE).values
    assert values['remedy'].endswith("ros2 param set inverse_dynamics hold '[\"joint1\"]'")
    assert values['missing joints'] == 'joint1' and values['unknown joints'] == 'wheel, fan'
    names = [f'joint{k}' for k in range(12)]
    assert missing_joints(MagicMock(missing_joints=names, unknown_joints=()), 'hold them') == (
        f'missing joints: {", ".join(names[:10])} and 2 more; hold them')
    assert judged(state(names=[*NAMES, 'wheel']))[0] == Level.OK


@pytest.mark.parametrize(('published', 'described', 'words'), [
    ('left_{}', '{}', 'with the prefix "left_": publish the robot description with this prefix'),
    ('{}', 'left_{}', 'without the prefix "left_": publish joint states with this prefix')])
@pytest.mark.fault(25)
def test_a_prefix_of_all_names_is_a_warning_in_the_log(published, described, words):
    """At once, with what to set."""
    text = re.sub(r'name="(joint\d)"', lambda name: f'name="{described.format(name[1])}"', TEXT)
    running = state(names=[published.format(name) for name in NAMES],
                    dynamics=InverseDynamics(read_urdf(text)))
    line, = FaultLog().warned(running.warnings)
    assert line.warning and line.text.startswith(f'names of joints: they are published {words}')
    assert 'prefix:=' in line.text and 'parameter of the driver' in line.text
    assert FaultLog().warned(state(names=[*NAMES, *map('left_{}'.format, NAMES)]).warnings) == []


def test_the_output_has_lag_deviation_latency_and_memory() -> None:
    """The largest deviation among those that are known."""
    status = output_status(state(), FIGURES, Counter(used=240))
    assert (status.part, status.level) == ('output', Level.OK)
    values = status.values
    assert values['published [1/s]'] == '240' and values['estimator'] == 'none'
    assert values['largest standard deviation of accelerations [rad/s^2 or m/s^2]'] == '0.5'
    assert values['lag [ms]'] == '20'
    assert [values[f'latency {name} [us]'] for name in ('p50', 'p99', 'max')] == [
        '80', '160', '900']
    assert float(values['memory [MB]']) == pytest.approx(resident_memory(), rel=0.02)
    blind = replace(FIGURES, newest=OUTPUT._replace(std=np.array([nan, nan])))
    assert 'unknown' in output_status(state(), blind, Counter()).values.values()


def test_no_output_is_explained() -> None:
    """By what became of the messages, or by the model that is not there."""
    silent = replace(FIGURES, newest=None, published=0.0)
    status = output_status(state(), silent, Counter(warming_up=7, gap=1))
    assert status.level == Level.WARN and status.message.startswith('no efforts: warming_up 7 (')
    status = output_status(NodeState(None, None, 'none', ''), silent, Counter())
    assert status.level == Level.STALE and 'without a model' in status.message


@pytest.mark.fault(53)
def test_a_callback_that_failed_is_an_error_with_its_traceback() -> None:
    figures = replace(FIGURES, failures=3, failure='Traceback: KeyError')
    status = output_status(state(), figures, Counter(used=1))
    assert status.level == Level.ERROR and 'defect' in status.message
    assert status.values['callback errors'] == '3'
    assert status.values['callback error'] == 'Traceback: KeyError'


@pytest.mark.parametrize(('factor', 'said'), [(0.9, 0), (1.1, 2)])
def test_efforts_that_are_hardly_known_are_named(factor: float, said: int) -> None:
    """By the mass matrix and deviations of accelerations: 10 % of an effort, or 3 % of a limit."""
    std, limit = np.array([300.0, 500.0]), 100.0
    deviation = np.linalg.norm(DYNAMICS.mass_matrix(np.zeros(2)) * std, axis=1)
    figures = replace(FIGURES, std=std, largest=deviation / 0.1 / factor)
    status = output_status(state(), figures, Counter())
    told = status.values.get('warnings', '').splitlines()
    assert len(told) == said and (status.level == Level.OK) == (not said)
    assert not said or status.message.endswith('help, and 1 more')
    assert all(f'joint{k + 1}: uncertain by {deviation[k]:.2g} N m' in text
               for k, text in enumerate(told))
    limited = InverseDynamics(replace(DYNAMICS.model, joints=tuple(
        replace(joint, limits=Limits(effort=limit)) for joint in DYNAMICS.model.joints)))
    figures = replace(FIGURES, std=std * factor * 0.03 * limit / deviation[0], largest=0.0 * std)
    status = output_status(state(dynamics=limited), figures, Counter())
    warnings = status.values.get('warnings', '')
    assert ('joint1: uncertain' in warnings) == bool(said)
