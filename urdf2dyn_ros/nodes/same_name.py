"""A line of the log while another node has the name of this one."""

from urdf2dyn_ros.nodes.endpoints import Endpoints

_CHECK_PERIOD = 5.0
"""Time between two checks [s]."""

_CHECKS_TO_LOG = 5
"""Checks in a row after which it is logged: a node that was killed is known for another 20 s."""


class SameName:
    """Logs that another node of this name publishes the same topics: each effort comes twice."""

    def __init__(self, endpoints: Endpoints) -> None:
        self._node = endpoints.node
        self._checks = 0
        endpoints.timer(_CHECK_PERIOD, self.check)

    def check(self) -> None:
        """Count the nodes of this name; log once, and again after there was only one."""
        name, namespace = self._node.get_name(), self._node.get_namespace()
        same = self._node.get_node_names_and_namespaces().count((name, namespace))
        self._checks = self._checks + 1 if same > 1 else 0
        if self._checks == _CHECKS_TO_LOG:
            self._node.get_logger().warning(
                f'{same} nodes have the name {self._node.get_fully_qualified_name()}: every '
                f'effort is published {same} times. Remedy: end all but one, or start them with '
                'other names (-r __node:=NAME) or namespaces (-r __ns:=/NAME)')
