"""The topics of an output: ~/efforts, ~/state, ~/residuals and ~/terms/<term>."""

from typing import Any

import numpy as np
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from urdf2dyn_ros.errors import StateError
from urdf2dyn_ros.loads import TERMS
from urdf2dyn_ros.nodes.endpoints import Endpoints
from urdf2dyn_ros.nodes.inverse_dynamics.messages import state_message
from urdf2dyn_ros.nodes.inverse_dynamics.pipeline import Active
from urdf2dyn_ros.status.monitor import Monitor
from urdf2dyn_ros.stream.output import Output

TERM_NAMES = ('gravity', 'coriolis', 'inertia', *TERMS, 'external')
"""The terms whose sum the efforts are."""

_COUNT_VALID_NS = 20_000_000
"""Time [ns] for which a count of subscribers is used: DDS is not queried for every message."""


class Outputs:
    """Publishes the efforts of every output, and its state and residuals to subscribers."""

    def __init__(self, endpoints: Endpoints, monitor: Monitor) -> None:
        self._monitor = monitor
        self._efforts = endpoints.publisher(JointState, '~/efforts')
        self._states = _Optional(endpoints.publisher(JointTrajectory, '~/state'))
        self._residuals = _Optional(endpoints.publisher(JointState, '~/residuals'))

    def publish(self, active: Active, output: Output, received: int) -> None:
        """Publish an output of the message that was received at a time [ns]."""
        self._efforts.publish(active.message.filled(output, output.effort))
        self._monitor.published(received, output)
        if self._states.subscribed(received):
            self._states.publish(state_message(output, active.dynamics.joint_names))
        if self._residuals.subscribed(received) and not np.isnan(output.measured).all():
            self._residuals.publish(active.message.filled(
                output, output.measured - output.effort))   # NaN where not measured


class _Optional:
    """A publisher whose messages are made only for subscribers."""

    def __init__(self, publisher: Any) -> None:
        self.publish = publisher.publish
        self._count = publisher.get_subscription_count
        self._counted, self._subscribed = 0, False

    def subscribed(self, now: int) -> bool:
        """Return whether there were subscribers a moment before the time now [ns]."""
        if now - self._counted > _COUNT_VALID_NS:
            self._counted, self._subscribed = now, self._count() > 0
        return self._subscribed


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
