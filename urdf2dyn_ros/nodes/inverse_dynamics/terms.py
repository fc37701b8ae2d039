"""The topics ~/terms/<name>: the parts of the efforts, for whoever asks."""

from __future__ import annotations

from typing import Any

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import JointState

from urdf2dyn_ros.errors import StateError
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.loads import TERMS
from urdf2dyn_ros.nodes.conversions import JointStateFields
from urdf2dyn_ros.nodes.topics import Topics
from urdf2dyn_ros.stream.output import Output

TERM_TOPICS = ('gravity', 'coriolis', 'inertia', *TERMS, 'external')


class Terms:
    """
    Publishes the terms that somebody subscribes to; zeros for one that is off.

    Parameters
    ----------
    node : Node
    topics : Topics
        Of the node.

    """

    def __init__(self, node: Node, topics: Topics) -> None:
        self._node, self._topics = node, topics
        self._publishers: dict[str, Any] = {}

    def offer(self, enabled: bool) -> None:
        """Have the topics, or have them no longer."""
        if enabled and not self._publishers:
            self._publishers = {name: self._topics.publisher(JointState, f'~/terms/{name}')
                                for name in TERM_TOPICS}
        elif not enabled:
            old, self._publishers = self._publishers, {}
            for publisher in old.values():
                self._node.destroy_publisher(publisher)

    def publish(self, dynamics: InverseDynamics, message: JointStateFields,
                output: Output) -> None:
        """Publish the terms of an output."""
        asked = {name: publisher for name, publisher in self._publishers.items()
                 if publisher.get_subscription_count() > 0}
        if not asked:
            return
        try:
            with np.errstate(all='ignore'):
                found = dynamics.terms(output.q, output.qd, output.qdd, *output.load_arguments)
        except (ArithmeticError, StateError):   # too large for floating point, unlike their sum
            return
        zeros = np.zeros_like(output.effort)
        for name, publisher in asked.items():
            publisher.publish(message.filled(output, found.get(name, zeros)))
