"""The topic ~/wrench: the estimated wrench on a link by the environment."""

from collections.abc import Mapping
from typing import Any

from geometry_msgs.msg import WrenchStamped

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.health import Status
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.multibody import multibody
from urdf2dyn_ros.nodes.endpoints import Endpoints
from urdf2dyn_ros.nodes.inverse_dynamics.messages import filled_wrench
from urdf2dyn_ros.nodes.inverse_dynamics.pipeline import Active, Pipeline
from urdf2dyn_ros.observer.wrench_estimate import WrenchEstimate, moving_joints, not_estimated
from urdf2dyn_ros.parameters import group
from urdf2dyn_ros.stream.output import Output


class WrenchTopic:
    """Publishes the wrench of every external effort while a link is requested for it."""

    def __init__(self, endpoints: Endpoints, pipeline: Pipeline) -> None:
        self._endpoints, self._pipeline = endpoints, pipeline
        self._dynamics: InverseDynamics | None = None   # what the estimate belongs to
        self._estimate: WrenchEstimate | None = None
        self._rejection = ''
        self._publisher: Any = None
        self._message = WrenchStamped()

    def check(self, new: Mapping[str, Any]) -> None:
        """Raise a ParameterError for a new link on which no wrench can be estimated."""
        old, active, link = self._pipeline.requested, self._pipeline.active, 'wrench_estimate.link'
        if (active is not None and new[link] and new[link] != old[link]
                and new['robot_description'] == old['robot_description']):
            moving_joints(multibody(active.dynamics.model), new[link])

    def apply(self, old: Mapping[str, Any]) -> None:
        """Estimate with the requested parameters from the next output on."""
        new = self._pipeline.requested
        if group(new, 'wrench_estimate') != group(old, 'wrench_estimate'):
            self._dynamics = self._estimate = None
        if not (new['wrench_estimate.link'] and new['observer.enabled']):
            self._rejection = ''
            self._close()

    def publish(self, active: Active, output: Output, external: Array) -> None:
        """Publish the wrench that explains the external efforts (n,) of an output [N m or N]."""
        estimate = self._estimating(active)
        if estimate is None:
            return
        self._publisher.publish(filled_wrench(self._message, output.stamp, estimate.link,
                                              estimate.update(output.q, external)))

    def status(self) -> Status | None:
        """Return the part of the status about the wrench; None if no link is requested for it."""
        values = self._pipeline.requested
        if not values['wrench_estimate.link']:
            return None
        if not values['observer.enabled']:
            return not_estimated('observer.enabled is false')
        active = self._pipeline.active
        estimate = None if active is None else self._estimating(active)
        return (not_estimated(self._rejection or 'there is no model for it yet')
                if estimate is None else estimate.report())

    def _estimating(self, active: Active) -> WrenchEstimate | None:
        """Return the estimate of the active model; None if there is none or it is disabled."""
        values = self._pipeline.requested
        link = values['wrench_estimate.link']
        if not (link and values['observer.enabled'] and active.values['observer.enabled']
                and active.values['wrench_estimate.link'] == link):
            return None   # disabled, or the worker still builds a model for it
        if active.dynamics is not self._dynamics:
            self._dynamics, self._estimate = active.dynamics, self._made(active.dynamics)
        return self._estimate

    def _made(self, dynamics: InverseDynamics) -> WrenchEstimate | None:
        """Return an estimate for this robot and create the topic; None if there can be none."""
        try:
            estimate = WrenchEstimate(dynamics, **group(self._pipeline.requested,
                                                        'wrench_estimate'))
            if self._publisher is None:
                self._publisher = self._endpoints.publisher(WrenchStamped, '~/wrench')
        except Urdf2DynError as error:
            if self._rejection != str(error):
                self._endpoints.node.get_logger().error(
                    f'no wrench is estimated, efforts are computed: {error}')
            self._rejection = str(error)
            self._close()   # subscribers would take the last message for a new one
            return None
        self._rejection = ''
        return estimate

    def _close(self) -> None:
        self._dynamics = self._estimate = None
        if self._publisher is not None:
            self._endpoints.node.destroy_publisher(self._publisher)
            self._publisher = None
