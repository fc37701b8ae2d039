"""The node inverse_dynamics: joint states in, efforts out, and the equations as files."""

from typing import Any

from rclpy.node import Node

from urdf2dyn_ros.nodes.endpoints import Endpoints
from urdf2dyn_ros.nodes.inverse_dynamics.parameters import NODE_FAMILIES, NODE_PARAMETERS
from urdf2dyn_ros.nodes.inverse_dynamics.wiring import Wiring
from urdf2dyn_ros.nodes.parameters import NodeParameters
from urdf2dyn_ros.nodes.running import run_node
from urdf2dyn_ros.status.monitor import Monitor


class InverseDynamicsNode(Node):
    """Publishes the efforts that the motion in joint_states requires."""

    def __init__(self, **options: Any) -> None:
        super().__init__('inverse_dynamics', allow_undeclared_parameters=True, **options)
        monitor = Monitor()
        self.wiring = Wiring(Endpoints(self, monitor.failed),
                             NodeParameters(self, NODE_PARAMETERS, NODE_FAMILIES), monitor)


def main() -> int:
    """Run the node until a signal ends it."""
    return run_node(InverseDynamicsNode, table=NODE_PARAMETERS)
