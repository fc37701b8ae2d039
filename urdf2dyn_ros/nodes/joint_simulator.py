"""The node joint_simulator: a robot in a physics engine that moves for a while."""

import sys
import time
from array import array
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rclpy.clock import Clock
from rclpy.node import Node
from rclpy.time import Time
from rosgraph_msgs.msg import Clock as ClockMessage
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64, String

from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.nodes.endpoints import latched, steady_timer
from urdf2dyn_ros.nodes.runtime import NodeParameters, run_node
from urdf2dyn_ros.robot.loads import GRAVITY_PARAMETER, JOINT_PARAMETERS
from urdf2dyn_ros.robot.parameters import Parameter
from urdf2dyn_ros.robot.reader import read_description
from urdf2dyn_ros.simulation import SIMULATORS, simulator_class
from urdf2dyn_ros.simulation.simulator import (
    EFFORTS,
    Drives,
    SimulatedSample,
    computed_torque,
    find_gears,
)
from urdf2dyn_ros.simulation.trajectories import FileTrajectory, SmoothTrajectory
from urdf2dyn_ros.text import counted

# ---- The parameters

SIMULATOR_PARAMETERS = (
    Parameter('robot_description', '', 'The robot, as URDF.', read_only=True),
    Parameter('simulator', 'dart', 'Engine that simulates physics.',
              choices=tuple(SIMULATORS), read_only=True),
    replace(GRAVITY_PARAMETER, read_only=True),
    Parameter('friction', False, 'Whether damping and friction of the URDF act in the joints.',
              read_only=True),
    Parameter('effort', 'net', 'Which effort is published: net, what a wrench sensor in the '
              'joint would see and Gazebo Sim publishes, without friction; or commanded, what '
              'the actuator supplies, including the friction and rotors of the drives that '
              'joints.<joint>.* are, as in the parameters of inverse_dynamics.',
              choices=EFFORTS, read_only=True),
    Parameter('trajectory_file', '', 'Motion, as urdf2dyn excite writes it: a table (.csv: time, '
              'q_<joint>, qd_<joint>), which begins at its first row, or a '
              'trajectory_msgs/JointTrajectory (.yaml), which begins at rest in the middle. '
              'Without it every joint swings in two sines.', read_only=True),
    Parameter('duration', 20.0, 'How long the robot moves; a file has its own duration.',
              unit='s', minimum=0.5, maximum=86400.0, read_only=True),
    Parameter('physics_step', 0.001, 'Time step of the engine.', unit='s', minimum=1e-5,
              maximum=0.01, read_only=True),
    Parameter('publish_rate', 250.0, 'Joint states for each second of simulated time; one is '
              'published every whole number of physics steps.', unit='Hz', minimum=1.0,
              maximum=10000.0, read_only=True),
    Parameter('real_time_factor', 1.0, 'Simulated time for each second.', minimum=0.01,
              maximum=100.0, read_only=True),
    Parameter('publish_clock', False, 'Publish /clock with every joint state, for nodes with '
              'use_sim_time; time then begins at 0.', read_only=True),
    Parameter('start.subscribers', 1, 'Subscribers of joint_states that the motion waits for.',
              minimum=0, read_only=True),
    Parameter('start.timeout', 20.0, 'It starts without them after this time.', unit='s',
              minimum=0.0, read_only=True),
)


# ---- The node

_SETTLING_TIME = 0.5   # at rest, from the last subscriber to the motion [s]
_QUEUE_DEPTH = 500   # joint states for a busy subscriber: after a delay they come all at once
_LONGEST_DELAY = 0.25   # [s]; a simulation that is further behind does not catch up
_LONGEST_TURN = 0.02   # after which signals and parameters are handled, however far behind [s]


class JointSimulator(Node):
    """
    Holds still until it has subscribers, moves for the duration, and holds still again.

    Positions, velocities and efforts of a message are those of one instant, and its stamp is the
    time of the start plus the simulated time, exactly, however slow the computer is.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__('joint_simulator', allow_undeclared_parameters=True, **options)
        parameters = NodeParameters(self, SIMULATOR_PARAMETERS, (JOINT_PARAMETERS,))
        parameters.check, values = _fixed, parameters.values
        if not values['robot_description']:
            raise ParameterError('there is no robot: joint_simulator robot.urdf, or set parameter '
                                 'robot_description to the text of a URDF')
        model = read_description(values['robot_description'])
        self._simulator = simulator_class(values['simulator'])(
            model, gravity=values['gravity'], dt=values['physics_step'],
            friction=values['friction'])
        drivers, limits = find_gears(model).drivers, find_gears(model).limits
        smooth = SmoothTrajectory([joint.type for joint in drivers], limits, values['duration'])
        file = values['trajectory_file']
        self._trajectory = (FileTrajectory(file, drivers, limits, smooth.centre) if file
                            else smooth)
        q, qd, _ = self._trajectory(0.0)
        self._simulator.set_state(q, qd)
        self._effort: str = values['effort']
        self._drives = Drives(drivers, values)
        self._every = max(1, round(1.0 / (values['publish_rate'] * values['physics_step'])))
        self._factor: float = values['real_time_factor']
        self._subscribers: int = values['start.subscribers']
        self._timeout: float = values['start.timeout']
        self._motion_start: float | None = None
        self._progress = 0.0
        self._steps = 0
        self._make_topics(values)
        self.get_logger().info(
            f'robot {model.name!r} with {counted(len(drivers), "joint")} in '
            f'{values["simulator"]}, holding still until joint_states has '
            f'{counted(self._subscribers, "subscriber")}')
        self._first_stamp = 0 if self._clock_topic else Clock().now().nanoseconds
        self._wall_start = time.monotonic()
        period = self._every * values['physics_step'] / self._factor
        steady_timer(self, max(period, 0.001), self._advance)

    def _make_topics(self, values: Mapping[str, Any]) -> None:
        self._states = self.create_publisher(JointState, 'joint_states', _QUEUE_DEPTH)
        self._description = self.create_publisher(String, 'robot_description', latched())
        self._description.publish(String(data=values['robot_description']))
        self._progress_topic = self.create_publisher(Float64, '~/progress', latched())
        self._clock_topic = (self.create_publisher(ClockMessage, '/clock', 10)
                             if values['publish_clock'] else None)

    def _advance(self) -> None:
        now = time.monotonic()
        late = now - self._wall_start - self._simulator.time / self._factor
        if late > _LONGEST_DELAY:
            self._wall_start += late
            self.get_logger().warning('the simulation is slower than real_time_factor requests',
                                      throttle_duration_sec=10.0)
        self._start_with_subscribers()
        while (self._simulator.time < (now - self._wall_start) * self._factor
               and time.monotonic() - now < _LONGEST_TURN):
            sample = self._simulator.step(
                computed_torque(self._simulator, *self._trajectory(self._moving_time())))
            if self._steps % self._every == 0:
                self._publish(sample)
            self._steps += 1
        self._publish_progress()

    def _moving_time(self) -> float:
        """Return the time since the motion began [s]; negative before."""
        return -1.0 if self._motion_start is None else self._simulator.time - self._motion_start

    def _start_with_subscribers(self) -> None:
        if self._motion_start is not None:
            return
        subscribed = self._states.get_subscription_count() >= self._subscribers
        if subscribed or self._simulator.time > self._timeout * self._factor:
            self._motion_start = self._simulator.time + _SETTLING_TIME
            self.get_logger().info(
                f'moving for {self._trajectory.duration:g} s'
                + ('' if subscribed else f', without subscribers after {self._timeout:g} s'))

    def _publish(self, sample: SimulatedSample) -> None:
        stamp = Time(nanoseconds=self._first_stamp + round(sample.time * 1e9)).to_msg()
        if self._clock_topic:
            self._clock_topic.publish(ClockMessage(clock=stamp))
        effort = getattr(sample, self._effort)
        if self._effort == 'commanded':
            effort = effort + self._drives.efforts(sample)
        message = JointState(name=list(self._simulator.joint_names), position=array('d', sample.q),
                             velocity=array('d', sample.velocity), effort=array('d', effort))
        message.header.stamp = stamp
        self._states.publish(message)

    def _publish_progress(self) -> None:
        """Publish how much of the motion is done, in steps of about a percent."""
        if self._motion_start is None or self._progress == 1.0:
            return
        done = min(max(self._moving_time() / self._trajectory.duration, 0.0), 1.0)
        if done - self._progress >= 0.01 or done == 1.0:
            self._progress = done
            self._progress_topic.publish(Float64(data=done))
        if done == 1.0:
            self.get_logger().info('the motion is done, holding still')


def _fixed(values: Mapping[str, Any]) -> None:
    """Reject a change of drives: all other parameters are read-only."""
    raise ParameterError('parameters joints.* are fixed after the start')


def main() -> int:
    """Run the node until a signal ends it."""
    return run_node(JointSimulator, SIMULATOR_PARAMETERS)


if __name__ == '__main__':
    sys.exit(main())
