"""The topics ~/terms/<term>: the terms whose sum the efforts are."""

from __future__ import annotations

from typing import Any

import numpy as np
from sensor_msgs.msg import JointState

from urdf2dyn_ros.errors import StateError
from urdf2dyn_ros.loads import TERMS
from urdf2dyn_ros.nodes.endpoints import Endpoints
from urdf2dyn_ros.nodes.inverse_dynamics.pipeline import Active
from urdf2dyn_ros.stream.output import Output

TERM_NAMES = ('gravity', 'coriolis', 'inertia', *TERMS, 'external')


class TermTopics:
    """Publishes the terms that have subscribers; zeros for one that is off."""

    def __init__(self, endpoints: Endpoints, enabled: bool) -> None:
        self._endpoints = endpoints
        self._publishers: dict[str, Any] = {}
        self.enable(enabled)

    def enable(self, enabled: bool) -> None:
        """Create or destroy the topics."""
        if enabled and not self._publishers:
            self._publishers = {name: self._endpoints.publisher(JointState, f'~/terms/{name}')
                                for name in TERM_NAMES}
        elif not enabled:
            old, self._publishers = self._publishers, {}
            for publisher in old.values():
                self._endpoints.node.destroy_publisher(publisher)

    def publish(self, active: Active, output: Output) -> None:
        """Publish the terms of an output."""
        subscribed = {name: publisher for name, publisher in self._publishers.items()
                      if publisher.get_subscription_count() > 0}
        if not subscribed:
            return
        try:
            with np.errstate(all='ignore'):
                terms = active.dynamics.terms(output.q, output.qd, output.qdd,
                                              *output.load_arguments)
        except (ArithmeticError, StateError):   # too large for floating point, unlike their sum
            return
        zeros = np.zeros_like(output.effort)
        for name, publisher in subscribed.items():
            publisher.publish(active.message.filled(output, terms.get(name, zeros)))
