"""Descriptions and parameters to a model and its stream: what models.py does, without a graph."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest
from std_msgs.msg import String

from support.nodes.moving_robot import DYNAMICS, TEXT
from support.robot_files import OWN
from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.errors import ParameterError, UrdfError
from urdf2dyn_ros.estimation.messages import Message
from urdf2dyn_ros.nodes.inverse_dynamics import NODE_PARAMETERS
from urdf2dyn_ros.nodes.models import Descriptions, Pipeline
from urdf2dyn_ros.robot.spatial import Array

START, PERIOD = 1_700_000_000_000_000_000, 5_000_000
HEAVIER = TEXT.replace('<robot name="rx90"', '<robot name="other"')
NAMES = InverseDynamics(read_urdf(TEXT)).joint_names


def motion(stamp: int) -> Array:
    """Return q, qd, qdd (3, 6)."""
    t, w = (stamp - START) * 1e-9, 2.0 * np.pi * np.linspace(0.3, 0.8, 6)
    return np.array([0.6 * np.sin(w * t), 0.6 * w * np.cos(w * t), -0.6 * w * w * np.sin(w * t)])


class Robot:
    """A pipeline with descriptions, whose worker works when it is told to."""

    def __init__(self, **values: Any) -> None:
        self.parameters: Any = SimpleNamespace(
            values={row.name: row.default for row in NODE_PARAMETERS} | {
                'backend': 'python', **values})
        self.stamp, self.jobs = START, []   # type: int, list[Any]
        self.pipeline = Pipeline(self.parameters, {'link6': np.zeros(10)}, lambda: self.stamp)
        self.node = MagicMock()
        endpoints: Any = SimpleNamespace(node=self.node, subscribe=self._subscribe,
                                         published=lambda topic: f'/{topic}')
        worker: Any = SimpleNamespace(submit=lambda *job: self.jobs.append(job))
        self.descriptions = Descriptions(endpoints, self.pipeline, worker, self.pipeline.activate)

    def _subscribe(self, kind: Any, topic: str, callback: Callable[[String], None], *rest: Any,
                   **options: Any) -> None:
        self.describe = lambda text: callback(String(data=text))

    def work(self) -> int:
        """Do the newest job, as the worker does; return how many there were."""
        jobs, self.jobs = self.jobs, []
        for job, done in jobs[-1:]:
            try:
                result = job()
            except Exception as error:
                done(None, error)
            else:
                done(result, None)
        return len(jobs)

    def set(self, **changes: Any) -> bool:
        """Set parameters as the node does; return whether another model is built."""
        old, self.parameters.values = self.parameters.values, {
            **self.parameters.values,
            **{name.replace('__', '.'): value for name, value in changes.items()}}
        try:
            builds = self.descriptions.apply(old)
        except Exception:
            self.parameters.values = old
            raise
        if not builds:
            self.pipeline.restart()
        return builds

    def move(self, messages: int, period: int = PERIOD) -> int:
        """Receive states; check the efforts, whose stamps increase; return how many there are."""
        found, last = 0, 0
        for _ in range(messages):
            self.stamp += period
            q, qd, _ = motion(self.stamp)
            active = self.pipeline.active
            output = active.stream.receive(Message(self.stamp, NAMES, q, qd, []))
            if output is not None:
                found += 1
                assert output.stamp > last, 'older than the effort before'
                last = output.stamp
                right = active.dynamics(*motion(last), *output.load_arguments)
                assert output.effort == pytest.approx(right, rel=0.05, abs=4.0)   # at starts
        return found


@pytest.fixture
def robot() -> Robot:
    robot = Robot(robot_description=TEXT)
    assert robot.work() == 1
    robot.move(300)
    return robot


@pytest.mark.fault(52)
def test_no_message_is_unanswered_after_a_change_of_parameters(robot: Robot) -> None:
    """What does not change goes on; another estimator begins beside the one before."""
    for changes in ({'stream__max_gap': 0.3}, {'stream__max_skew': 0.1}, {'implausible': 'warn'},
                    {'stream__max_deviation': 900.0}, {'hold': ('joint1',)}, {'hold': ('auto',)},
                    {'wrench__timeout': 0.2}, {'kalman__bandwidth': 30.0},
                    {'estimator': 'finite_difference'}, {'stream__use_receive_time': True},
                    {'estimator': 'kalman'}, {'kalman__bandwidth': 0.0}):
        assert not robot.set(**changes)
        assert robot.pipeline.active.stream.missing_joints == ()
        assert robot.move(10) == 10, f'not all after {changes}'
        robot.set(stream__max_skew=0.2)   # while another estimator has not begun yet
        robot.set(hold=('joint2',))   # which is published, whichever estimator has begun
        assert robot.move(60) == 60, f'not all after {changes}'
    assert robot.pipeline.active.stream.counters['gap'] == 0
    robot.set(estimator='kalman_fixed_lag')
    assert robot.move(200) >= 190   # efforts of each stamp, 20 ms later
    for changes in ({'gravity': (0.0, 0.0, -1.62)}, {'payload__link': 'link6'}):
        assert robot.set(**changes)
        assert robot.move(20) == 20, 'by the model before'
        assert robot.work() == 1
        assert robot.move(50) == 50
    robot.set(estimator='external')   # whose accelerations nobody publishes
    assert 200 < robot.move(300, 4 * PERIOD) <= 251, 'the filters answer for 5 s, not for ever'


def test_measured_efforts_of_drivers_count_those_of_their_followers() -> None:
    """As simulators report each joint's: residuals and contacts are of all that a driver moves."""
    robot = Robot(robot_description=TEXT.replace(
        '<joint name="joint3" type="revolute">',
        '<joint name="joint3" type="revolute"><mimic joint="joint2" multiplier="-0.5"/>'))
    robot.work()
    active, residuals = robot.pipeline.active, []
    for _ in range(400):
        robot.stamp += PERIOD
        state = motion(robot.stamp)
        state[:, 2] = -0.5 * state[:, 1]
        output = active.receive(Message(robot.stamp, NAMES, *state[:2], DYNAMICS(*state)))
        if output is not None:
            residuals.append(output.measured - output.effort)
    assert active.dynamics.n == 5 and len(residuals) > 350
    assert np.abs(residuals[-100:]).max() < 0.01   # 8 without joint3


def test_a_wrench_acts_on_after_a_change_of_parameters() -> None:
    """One message, which acts until its timeout: by other limits, signs and equations."""
    robot = Robot(robot_description=TEXT, **{'external_wrenches.link6': 'ft',
                                             'wrench.timeout': 1000.0})
    robot.work()
    robot.pipeline.sources.wrenches.receive('link6', robot.stamp, 'link5', (9.0, 0.0, 0.0),
                                            (0.0, 0.0, 2.0))
    robot.move(300)
    for changes in ({'wrench__timeout': 2000.0}, {'wrench__sign': 'by_link'},
                    {'gravity': (0.0, 0.0, -1.62)}):
        assert robot.set(**changes) == ('gravity' in changes) == robot.work()
        assert robot.move(20) == 20, f'not all after {changes}'
    at = robot.pipeline.sources.wrenches.wrenches_at
    assert at(robot.stamp, np.zeros(6))[:3] == pytest.approx(
        -DYNAMICS.forward_kinematics(np.zeros(6), 'link6')[0].T
        @ DYNAMICS.forward_kinematics(np.zeros(6), 'link5')[0] @ [9.0, 0.0, 0.0])
    assert robot.set(robot_description=TEXT.replace('"link5"', '"elbow"')) == robot.work() == 1
    assert robot.move(5) == 0, 'a frame that the robot has no longer'


def test_limits_of_a_stream_that_goes_on_are_the_new_ones(robot: Robot) -> None:
    """Of gaps, of the declared deviation; and a joint that is held begins with the others."""
    counters = robot.pipeline.active.stream.counters
    robot.stamp += 400 * PERIOD // 10
    robot.move(100)
    assert counters['gap'] == 1
    robot.set(stream__max_gap=0.5)
    robot.stamp += 400 * PERIOD // 10
    robot.move(100)
    assert counters['gap'] == 1
    robot.set(stream__max_deviation=1e-9)
    assert robot.move(5) == 0 and counters['uncertain'] == 5


def test_of_descriptions_the_newest_counts_and_one_that_is_bad_changes_nothing(
        robot: Robot) -> None:
    with pytest.raises(UrdfError):
        robot.set(robot_description='<robot')
    with pytest.raises(ParameterError, match='"nobody"'):
        robot.set(joints__nobody__viscous=1.0)
    assert not robot.jobs
    robot.describe(HEAVIER)   # the parameter is set: its description counts
    assert not robot.jobs and 'is not used' in robot.node.get_logger().info.call_args[0][0]
    assert not robot.set(robot_description=''), 'the same model goes on'
    robot.describe(' ')
    robot.describe(TEXT)   # the same as now
    assert not robot.jobs
    robot.describe(HEAVIER)
    robot.describe('<robot name="x"/>')
    assert robot.descriptions.building is False, 'there is a model meanwhile'
    assert robot.work() == 2 and 'no-links' in robot.descriptions.rejection
    assert 'the model before it remains' in robot.node.get_logger().error.call_args[0][0]
    assert robot.pipeline.active.dynamics.model.name == 'rx90' and robot.move(20) == 20
    robot.describe(HEAVIER)
    robot.work()
    assert robot.descriptions.rejection == ''
    assert robot.pipeline.active.dynamics.model.name == 'other'
    assert robot.move(20) == 20, 'the same joints'
    robot.describe((OWN / 'scara.urdf').read_text())
    robot.work()
    assert robot.pipeline.active.stream.newest is None, 'other joints'


def test_a_value_that_changes_no_equation_builds_none(robot: Robot) -> None:
    """It counts as soon as its term does."""
    assert not robot.set(joints__joint1__viscous=7.0) and not robot.jobs
    pipeline, active = robot.pipeline, robot.pipeline.active
    assert active.request.values['joints.joint1.viscous'] == 7.0
    assert robot.set(friction__enabled=True)
    assert pipeline.active.request.values['friction.enabled'] is False, 'the worker builds it'
    robot.work()
    output = pipeline.active.dynamics
    q, qd, qdd = motion(START + 7 * PERIOD)
    assert output(q, qd, qdd) - active.dynamics(q, qd, qdd) == pytest.approx(
        [7.0 * qd[0], *[0.0] * 5], abs=1e-9)


def test_a_node_without_a_description_has_no_model() -> None:
    robot = Robot()
    assert not robot.jobs and robot.pipeline.active is None and robot.pipeline.sources.base is None
    assert not robot.set(gravity=(0.0, 0.0, -1.62)) or not robot.jobs
    robot.describe('<robot')
    assert robot.descriptions.building
    robot.work()
    assert not robot.descriptions.building
    assert 'there is no model yet' in robot.node.get_logger().error.call_args[0][0]
