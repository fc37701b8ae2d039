"""The node `joint_simulator`: a robot in a physics engine that moves by itself for a while."""

from __future__ import annotations

import sys
import time
from array import array
from collections.abc import Sequence
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.time import Time
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64, String

from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.nodes.parameters import NodeParameters
from urdf2dyn_ros.nodes.running import run
from urdf2dyn_ros.parameters import Parameter
from urdf2dyn_ros.simulators import SIMULATORS, simulator_class
from urdf2dyn_ros.simulators.gears import gears
from urdf2dyn_ros.simulators.simulator import Sample, Simulator
from urdf2dyn_ros.trajectory import SmoothTrajectory
from urdf2dyn_ros.urdf.reader import read_urdf

PARAMETERS = (
    Parameter('robot_description', '', 'The robot, as URDF.', read_only=True),
    Parameter('simulator', 'dart', 'Physics engine.', choices=tuple(SIMULATORS), read_only=True),
    Parameter('gravity', (0.0, 0.0, -9.81), 'Gravity in the root frame.', unit='m/s^2',
              read_only=True),
    Parameter('friction', False, 'Whether damping and friction of the URDF act in the joints; '
              'the net effort that is published has neither in it.', read_only=True),
    Parameter('duration', 20.0, 'How long the robot moves.', unit='s', minimum=0.5,
              maximum=86400.0, read_only=True),
    Parameter('physics_step', 0.001, 'Time step of the engine.', unit='s', minimum=1e-5,
              maximum=0.01, read_only=True),
    Parameter('publish_rate', 250.0, 'Joint states for each second of simulated time; one is '
              'published every whole number of physics steps.', unit='Hz', minimum=1.0,
              maximum=10000.0, read_only=True),
    Parameter('real_time_factor', 1.0, 'Simulated time for each second.', minimum=0.01,
              maximum=100.0, read_only=True),
    Parameter('start.subscribers', 1, 'Subscribers of joint_states that the motion waits for.',
              minimum=0, read_only=True),
    Parameter('start.timeout', 20.0, 'It starts without them after this time.', unit='s',
              minimum=0.0, read_only=True),
)

KP, KD = 400.0, 40.0
"""Feedback of the motion's errors [1/s^2], [1/s]: critically damped, 20 rad/s."""

SETTLING = 0.5
"""Simulated time at rest [s] between the last subscriber's coming and the motion."""

PATIENCE = 0.25
"""A simulation that is further behind than this [s] does not try to catch up."""

TURN = 0.02
"""Time [s] after which signals and parameters get a turn, however far behind it is."""

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class JointSimulator(Node):
    """
    Holds still until it is heard, moves smoothly for the duration, and holds still again.

    Positions, velocities and efforts of a message belong to the same instant, and its stamp is
    the time of the start plus the simulated time, exactly, however slow the computer is.

    """

    def __init__(self) -> None:
        super().__init__('joint_simulator')
        values = NodeParameters(self, PARAMETERS).values
        if not values['robot_description']:
            raise ParameterError('parameter robot_description is empty: give it the text of a '
                                 'URDF, for instance in a file of parameters')
        model = read_urdf(values['robot_description'])
        self._simulator: Simulator = simulator_class(values['simulator'])(
            model, gravity=values['gravity'], dt=values['physics_step'],
            friction=values['friction'])
        driven = gears(model)
        self._trajectory = SmoothTrajectory(
            [joint.type for joint in driven.drivers], driven.limits, values['duration'])
        q, qd, _ = self._trajectory(0.0)
        self._simulator.set_state(q, qd)
        self._every = max(1, round(1.0 / (values['publish_rate'] * values['physics_step'])))
        self._factor: float = values['real_time_factor']
        self._subscribers: int = values['start.subscribers']
        self._timeout: float = values['start.timeout']
        self._motion_start: float | None = None
        self._progress = 0.0
        self._steps = 0

        self._states = self.create_publisher(JointState, 'joint_states', 10)
        self._description = self.create_publisher(String, 'robot_description', LATCHED)
        self._description.publish(String(data=values['robot_description']))
        self._progress_topic = self.create_publisher(Float64, '~/progress', LATCHED)
        self.get_logger().info(
            f'robot {model.name!r} with {len(driven.drivers)} joints in {values["simulator"]}, '
            f'holding still until joint_states has {self._subscribers} subscriber(s)')
        self._first_stamp = self.get_clock().now().nanoseconds
        self._wall_start = time.monotonic()
        period = self._every * values['physics_step'] / self._factor
        self.create_timer(max(period, 0.001), self._advance,
                          clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _advance(self) -> None:
        """Simulate up to the present."""
        now = time.monotonic()
        late = now - self._wall_start - self._simulator.time / self._factor
        if late > PATIENCE:
            self._wall_start += late
            self.get_logger().warning('the simulation is slower than asked for',
                                      throttle_duration_sec=10.0)
        self._start_when_heard()
        while (self._simulator.time < (now - self._wall_start) * self._factor
               and time.monotonic() - now < TURN):
            moved = -1.0 if self._motion_start is None else (
                self._simulator.time - self._motion_start)
            tau = self._simulator.computed_torque(*self._trajectory(moved), KP, KD)
            sample = self._simulator.step(tau)
            if self._steps % self._every == 0:
                self._publish(sample)
            self._steps += 1
        self._report()

    def _start_when_heard(self) -> None:
        if self._motion_start is not None:
            return
        heard = self._states.get_subscription_count() >= self._subscribers
        if heard or self._simulator.time > self._timeout * self._factor:
            self._motion_start = self._simulator.time + SETTLING
            self.get_logger().info(
                f'moving for {self._trajectory.duration:g} s'
                + ('' if heard else f', though nobody came within {self._timeout:g} s'))

    def _publish(self, sample: Sample) -> None:
        stamp = Time(nanoseconds=self._first_stamp + round(sample.time * 1e9))
        message = JointState()
        message.header.stamp = stamp.to_msg()
        message.name = list(self._simulator.joint_names)
        message.position = array('d', sample.q)
        message.velocity = array('d', sample.qd)
        message.effort = array('d', sample.effort)
        self._states.publish(message)

    def _report(self) -> None:
        """Publish how much of the motion is done, in steps of about a percent."""
        if self._motion_start is None or self._progress == 1.0:
            return
        done = (self._simulator.time - self._motion_start) / self._trajectory.duration
        done = min(max(done, 0.0), 1.0)
        if done - self._progress >= 0.01 or done == 1.0:
            self._progress = done
            self._progress_topic.publish(Float64(data=done))
        if done == 1.0:
            self.get_logger().info('the motion is done, holding still')


def main(arguments: Sequence[str] | None = None) -> Any:
    """Run the node; return the exit code."""
    return run(JointSimulator, arguments)


if __name__ == '__main__':
    sys.exit(main())
