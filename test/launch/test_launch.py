"""
launch/dynamics.launch.py, started by ROS 2's own launch: efforts, exported file, a new life after
SIGKILL, end by SIGINT.

The launch stack is not on PyPI, so `make test` skips this. Where ROS 2 is installed (Humble or
later, pytest below 9, which launch_testing's plugin does not know):

    colcon build
    . install/setup.bash
    python3 -m pytest -v src/urdf2dyn_ros/test/launch/test_launch.py

or with `launch_test` in place of `python3 -m pytest -v`; `colcon test` runs it too.

"""

import os
import signal
import tempfile
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.system import robot_file

try:
    import launch_testing.actions
    import launch_testing.asserts
    import rclpy
    from launch import LaunchDescription
    from launch.actions import IncludeLaunchDescription
    from launch.launch_description_sources import PythonLaunchDescriptionSource
    from launch.substitutions import PathJoinSubstitution
    from launch_ros.substitutions import FindPackageShare
    from lifecycle_msgs.msg import Transition
    from lifecycle_msgs.srv import ChangeState
    from rclpy.qos import DurabilityPolicy, QoSProfile
    from sensor_msgs.msg import JointState
    from std_msgs.msg import String
    from std_srvs.srv import Trigger
except ImportError as error:
    pytest.skip(f'launch comes with ROS 2, not from PyPI, and is not installed: {error}',
                allow_module_level=True)

ROBOT = robot_file('rx90')
DYNAMICS = InverseDynamics(read_urdf(ROBOT.read_text()))
EXPORTED = tempfile.TemporaryDirectory()
STEP = 4_000_000


@pytest.mark.launch_test
def generate_test_description() -> LaunchDescription:
    """Return what is started before the tests, which stays on this computer."""
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    os.environ.setdefault('ROS_DOMAIN_ID', str(1 + os.getpid() % 101))
    return LaunchDescription([
        _dynamics(namespace='left', urdf=str(ROBOT), export_directory=EXPORTED.name),
        # the arguments of one inclusion hold for the next
        _dynamics(namespace='right', urdf='', export_directory='', respawn='true',
                  joint_states_topic='measured'),
        _dynamics(namespace='managed', urdf=str(ROBOT), respawn='false', lifecycle='true',
                  joint_states_topic='joint_states'),
        launch_testing.actions.ReadyToTest(),
    ])


def _dynamics(**arguments: str) -> IncludeLaunchDescription:
    share = FindPackageShare('urdf2dyn_ros')
    return IncludeLaunchDescription(
        PythonLaunchDescriptionSource(
            PathJoinSubstitution([share, 'launch', 'dynamics.launch.py'])),
        launch_arguments=arguments.items())


def _process(namespace: str) -> int | None:
    """Return the number of the process that launch has started in a namespace."""
    for folder in Path('/proc').glob('[0-9]*'):
        try:
            parent = int((folder / 'stat').read_text().rpartition(')')[2].split()[1])
            words = (folder / 'cmdline').read_text().split('\0')
        except (OSError, UnicodeDecodeError):  # it has ended just now
            continue
        if parent == os.getpid() and f'__ns:=/{namespace}' in words:
            return int(folder.name)
    return None


class TestRunning(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        rclpy.init()
        cls.node = rclpy.create_node('test', namespace='left')

    @classmethod
    def tearDownClass(cls) -> None:
        cls.node.destroy_node()
        rclpy.try_shutdown()

    def wait(self, condition: Callable[[], object], what: str) -> None:
        deadline = time.monotonic() + 120.0
        while not condition():
            self.assertLess(time.monotonic(), deadline, f'no {what}')
            rclpy.spin_once(self.node, timeout_sec=0.01)

    def test_the_model_is_announced(self, proc_output: Any) -> None:
        proc_output.assertWaitFor("model of 'rx90'", timeout=120, stream='stderr')

    def test_joint_states_give_efforts(self) -> None:
        """A robot at rest needs the efforts that balance gravity."""
        self.check_efforts('left', 'joint_states')

    def check_efforts(self, namespace: str, topic: str) -> None:
        """Publish a robot at rest until there are efforts, and compare them."""
        efforts: list[JointState] = []
        self.node.create_subscription(
            JointState, f'/{namespace}/inverse_dynamics/efforts', efforts.append, 10)
        publisher = self.node.create_publisher(JointState, f'/{namespace}/{topic}', 10)
        names = list(DYNAMICS.joint_names)
        q = [0.1 * (joint + 1) for joint in range(len(names))]
        rest = [0.0] * len(names)
        message = JointState(name=names, position=q, velocity=rest)
        stamp = time.time_ns()

        def published() -> bool:
            nonlocal stamp
            stamp += STEP
            message.header.stamp.sec, message.header.stamp.nanosec = divmod(stamp, 10**9)
            publisher.publish(message)
            return bool(efforts)

        self.wait(published, 'efforts')
        self.assertEqual(efforts[0].name, names)
        for given, expected in zip(efforts[0].effort, DYNAMICS(q, rest, rest)):
            self.assertAlmostEqual(given, expected, delta=1e-6)

    def test_the_model_is_exported(self) -> None:
        """Into the directory of the argument export_directory."""
        client = self.node.create_client(Trigger, 'export_model')
        self.wait(client.service_is_ready, 'service')
        answer = client.call_async(Trigger.Request())
        self.wait(answer.done, 'answer')
        self.assertTrue(answer.result().success, answer.result().message)
        self.assertEqual(Path(answer.result().message),
                         Path(EXPORTED.name).resolve() / 'left' / 'rx90_dynamics.py')
        self.assertTrue(Path(answer.result().message).is_file())

    def test_a_managed_node_publishes_once_it_is_active(self) -> None:
        client = self.node.create_client(ChangeState, '/managed/inverse_dynamics/change_state')
        self.wait(client.service_is_ready, 'service')
        for transition in (Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_ACTIVATE):
            answer = client.call_async(ChangeState.Request(transition=Transition(id=transition)))
            self.wait(answer.done, 'answer')
            self.assertTrue(answer.result().success)
        self.check_efforts('managed', 'joint_states')

    def test_a_killed_node_lives_again(self) -> None:
        """With the model that is latched on its topic, where the argument respawn says so."""
        publisher = self.node.create_publisher(String, '/right/robot_description', QoSProfile(
            depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL))
        publisher.publish(String(data=ROBOT.read_text()))
        self.check_efforts('right', 'measured')
        killed = _process('right')
        os.kill(killed, signal.SIGKILL)
        self.wait(lambda: _process('right') not in (None, killed), 'process after the killed one')
        self.check_efforts('right', 'measured')


@launch_testing.post_shutdown_test()
class TestEnded(unittest.TestCase):
    """After launch has sent SIGINT to the node."""

    def test_it_ended_in_order(self, proc_info: Any, proc_output: Any) -> None:
        """Exit code 0, and nothing but messages."""
        launch_testing.asserts.assertExitCodes(proc_info)
        for process in proc_output.processes():
            for output in proc_output[process]:
                self.assertNotIn(b'Traceback', output.text)
