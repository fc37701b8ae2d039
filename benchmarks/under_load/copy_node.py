"""A node that copies every message: the least that rclpy costs, for comparison."""

import sys

from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState

from urdf2dyn_ros.nodes.runtime import run_node


class CopyNode(Node):
    """The same topics, types and qualities of service as those of inverse_dynamics."""

    def __init__(self) -> None:
        super().__init__('inverse_dynamics')
        efforts = self.create_publisher(JointState, '~/efforts', 10)
        self.create_subscription(JointState, 'joint_states', efforts.publish,
                                 QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT))


if __name__ == '__main__':
    sys.exit(run_node(CopyNode))
