"""The topics of an output: ~/efforts, ~/state and ~/residuals."""

from __future__ import annotations

from typing import Any

import numpy as np
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from urdf2dyn_ros.nodes.endpoints import Endpoints
from urdf2dyn_ros.nodes.inverse_dynamics.messages import state_message
from urdf2dyn_ros.nodes.inverse_dynamics.pipeline import Active
from urdf2dyn_ros.status.monitor import Monitor
from urdf2dyn_ros.stream.output import Output

_COUNT_VALID_NS = 20_000_000
"""Time [ns] for which a count of subscribers is used: DDS is not asked for every message."""


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
