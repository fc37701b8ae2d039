"""A flying arm on the DDS graph with a sensor at its tip, and the truth about it."""

from collections.abc import Callable
from typing import Any

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Quaternion, Vector3, WrenchStamped
from sensor_msgs.msg import JointState

from support.nodes.graph import Graph
from support.nodes.moving_robot import STEP, stamp_of
from support.robot_files import robot_path
from support.streams.flying_robot import START, FreeFlyer, Pose, Seen, pose, waves
from urdf2dyn_ros import InverseDynamics, read_urdf

ALONE = robot_path('borinot_flying_arm_2').read_text()
FLOATING = ALONE.replace('</robot>', """<link name="odom"/>
    <joint name="flies" type="floating"><parent link="odom"/><child link="borinot__base_link"/>
    <origin xyz="1 2 3" rpy="0.3 -0.2 0.5"/></joint></robot>""")
MODEL = read_urdf(ALONE)
NAMES = InverseDynamics(MODEL).joint_names
TIP = 'flying_arm_2__ee'


def joints_at(stamp: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return q, qd, qdd (n,)."""
    return waves(len(NAMES), 3, 0.8, 1.0).at((stamp - START) * 1e-9)


def root_at(stamp: int) -> Pose:
    t = (stamp - START) * 1e-9
    return pose(waves(3, 1, 0.3, 1.0).at(t), waves(3, 2, 0.4, 1.0).at(t))


def imu(message: Any, seen: Seen, link: str) -> None:
    message.header.frame_id = link
    message.angular_velocity, message.linear_acceleration = map(vector, (seen.w, seen.f))


def odometry(message: Any, seen: Seen, link: str) -> None:
    message.header.frame_id, message.child_frame_id = 'odom', link
    message.pose.pose.orientation = Quaternion(**dict(zip('xyzw', seen.quaternion.tolist())))
    message.twist.twist.linear, message.twist.twist.angular = map(vector, (seen.v, seen.w))


def vector(entries: np.ndarray) -> Vector3:
    return Vector3(**dict(zip('xyz', entries.tolist())))


class Flight:
    """Joints and a sensor on a flying arm, and what the node makes of them."""

    def __init__(self, graph: Graph) -> None:
        self.graph, self.stamp = graph, START
        self.robot, self.oracle = FreeFlyer(ALONE), FreeFlyer(ALONE)
        self.joints = graph.publisher(JointState, 'joint_states')
        self.efforts = graph.messages(JointState, 'inverse_dynamics/efforts')
        self.wrenches = graph.messages(WrenchStamped, 'inverse_dynamics/base_wrench')
        self.status = graph.messages(DiagnosticArray, 'inverse_dynamics/status')
        graph.introduced()

    def sensor(self, kind: Any, topic: str) -> Any:
        publisher = self.graph.publisher(kind, topic)
        self.graph.wait(lambda: publisher.get_subscription_count() > 0)
        self.graph.introduced()
        return publisher

    def move(self, samples: int, sensor: Any = None, fill: Callable[..., None] = imu,
             link: str = TIP, every: int = 1) -> None:
        """Publish samples of the joints, and of the sensor, if there is one, `every` so many."""
        for number in self.graph.paced(samples):
            self.stamp += STEP
            q, qd, qdd = joints_at(self.stamp)
            stamp = dict(zip(('sec', 'nanosec'), divmod(self.stamp, 10**9)))
            if sensor is not None and number % every == 0:
                self.robot.move(root_at(self.stamp), dict(zip(NAMES, zip(q, qd, qdd))))
                message = sensor.msg_type()
                message.header.stamp.sec, message.header.stamp.nanosec = stamp.values()
                fill(message, self.robot.seen(TIP), link)
                sensor.publish(message)
            state = JointState(name=NAMES, position=q.tolist(), velocity=qd.tolist())
            state.header.stamp.sec, state.header.stamp.nanosec = stamp.values()
            self.joints.publish(state)
            self.graph.spin(0.004)

    def settle(self, sensor: Any, fill: Callable[..., None], every: int = 1) -> None:
        """Move until efforts and wrench are those of Pinocchio's free flyer."""
        def is_settled() -> bool:
            self.move(40, sensor, fill, every=every)
            return (self.wrenches[-1].header.stamp == self.efforts[-1].header.stamp
                    and self.error(self.efforts[-1], self.wrenches[-1]) < 0.01)

        self.graph.wait(is_settled, what='efforts and wrench of the free flyer')

    def error(self, efforts: JointState, message: WrenchStamped) -> float:
        """Return how far efforts and wrench are off, relative to the largest of each."""
        stamp, wrench = stamp_of(efforts), message.wrench
        assert message.header.frame_id == 'borinot__base_link'
        tau, expected = self.oracle(NAMES, *joints_at(stamp), root_at(stamp).base_motion, 0)
        found = [getattr(part, x) for part in (wrench.force, wrench.torque) for x in 'xyz']
        return max(np.abs(efforts.effort - tau).max() / np.abs(tau).max(),
                   np.abs(found - expected).max() / np.abs(expected).max())

    def says(self, words: str) -> bool:
        """Return whether a status since the last call says so."""
        texts = [part.message for array in self.status for part in array.status]
        self.status.clear()
        return any(words in text for text in texts)
