"""What a node says of those that publish a topic."""

from types import SimpleNamespace
from unittest.mock import MagicMock

from rclpy.qos import DurabilityPolicy, QoSProfile

from urdf2dyn_ros.nodes.endpoints import Endpoints

LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def test_a_publisher_that_is_discovered_before_its_node_has_no_name_yet() -> None:
    """Its name is then a placeholder of rmw, which no user can search for."""
    node = MagicMock()
    node.resolve_topic_name.return_value = '/robot_description'
    node.get_publishers_info_by_topic.return_value = [
        SimpleNamespace(node_namespace='/left/', node_name='publisher', qos_profile=LATCHED),
        SimpleNamespace(node_namespace='_NODE_NAMESPACE_UNKNOWN_',
                        node_name='_NODE_NAME_UNKNOWN_', qos_profile=LATCHED)]
    assert Endpoints(node, MagicMock()).published('robot_description') == (
        '/robot_description, published by /left/publisher (RELIABLE, TRANSIENT_LOCAL), '
        'a node whose name is not discovered yet (RELIABLE, TRANSIENT_LOCAL)')
