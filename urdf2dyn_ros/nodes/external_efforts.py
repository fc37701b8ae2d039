"""The topics ~/external_efforts, ~/contact and ~/wrench, and ~/reset_contact."""

from collections.abc import Mapping
from typing import Any

from geometry_msgs.msg import WrenchStamped
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool
from std_srvs.srv import Trigger

from urdf2dyn_ros.errors import ParameterError, Urdf2DynError
from urdf2dyn_ros.estimation.observer import (
    PER_JOINT,
    ContactWatch,
    WrenchEstimate,
    contact_watch,
    moving_joints,
    not_estimated,
    not_observed,
    per_joint,
)
from urdf2dyn_ros.estimation.stream import Output
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.nodes.endpoints import Endpoints, filled_wrench, latched
from urdf2dyn_ros.nodes.models import ActiveModel, Pipeline
from urdf2dyn_ros.robot.multibody import make_multibody
from urdf2dyn_ros.robot.parameters import values_below
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import Status

# ---- The topics ~/external_efforts and ~/contact, and the service ~/reset_contact

_NO_MODEL = 'there is no model for it yet'


class Observer:
    """
    Publishes external efforts and contacts, if the requested parameters enable it.

    A contact is remembered until the service is called or the observer is disabled, even if model,
    estimator or thresholds change.
    """

    def __init__(self, endpoints: Endpoints, pipeline: Pipeline) -> None:
        self._endpoints, self._pipeline = endpoints, pipeline
        self._observed: InverseDynamics | None = None   # what the watch belongs to
        self._watch: ContactWatch | None = None
        self._rejection = ''
        self._touched: tuple[str, ...] = ()
        self._efforts: Any = None
        self._contact: Any = None
        endpoints.service(Trigger, '~/reset_contact', self._reset)

    def check(self, new: Mapping[str, Any]) -> None:
        """Raise a ParameterError for new values that are not one for each joint of the model."""
        old, active = self._pipeline.requested, self._pipeline.active
        if active is None or new['robot_description'] != old['robot_description']:
            return
        begins = new['observer.enabled'] and not old['observer.enabled']
        for name in PER_JOINT:
            if begins or new[name] != old[name]:
                per_joint(name, new[name], active.dynamics.joint_names)

    def apply(self, old: Mapping[str, Any]) -> None:
        """Observe with the requested parameters from the next output on."""
        if any(values_below(self._pipeline.requested, prefix) != values_below(old, prefix)
               for prefix in ('observer', 'contact')):
            self._observed = self._watch = None
        if not self._enabled:
            self._touched, self._rejection = (), ''
            self._close()

    def publish(self, active: ActiveModel, output: Output) -> Array | None:
        """Publish and return the external efforts of an output; publish a contact that begins."""
        watch = self._watching(active)
        external = None if watch is None else watch.update(output)
        if watch is None or external is None:
            return None
        self._efforts.publish(active.message.filled(output, external))
        if watch.touched != self._touched:
            before, self._touched = self._touched, watch.touched
            if not before:
                self._contact.publish(Bool(data=True))
            self._endpoints.node.get_logger().warning(
                watch.description(self._touched[len(before):], external))
        return external

    def status(self) -> Status | None:
        """Return the part of the status about contacts; None if the observer is disabled."""
        if not self._enabled:
            return None
        active = self._pipeline.active
        watch = None if active is None else self._watching(active)
        if watch is None:
            return not_observed(self._rejection or _NO_MODEL, self._touched)
        return watch.report()

    @property
    def _enabled(self) -> bool:
        return bool(self._pipeline.requested['observer.enabled'])

    def _watching(self, active: ActiveModel) -> ContactWatch | None:
        """Return the watch of the active stream; None if there is none or it is disabled."""
        if not (self._enabled and active.values['observer.enabled']):
            return None   # disabled, or the worker still builds a model for it
        if active.dynamics is not self._observed:
            self._observed, self._watch = active.dynamics, self._made(active.dynamics)
        return self._watch

    def _made(self, dynamics: InverseDynamics) -> ContactWatch | None:
        """Return a watch of this robot and create the topics; None if it cannot be observed."""
        try:
            watch = contact_watch(self._pipeline.requested, dynamics, self._touched)
            self._open()
        except ParameterError as error:
            if self._rejection != str(error):
                self._endpoints.node.get_logger().error(
                    f'contacts are not observed, efforts are computed: {error}')
            self._rejection = str(error)
            self._close()   # subscribers would take the last message for a new one
            return None
        self._rejection = ''
        return watch

    def _open(self) -> None:
        if self._contact is None:
            self._efforts = self._endpoints.publisher(JointState, '~/external_efforts')
            self._contact = self._endpoints.publisher(Bool, '~/contact', latched())
            self._contact.publish(Bool(data=bool(self._touched)))

    def _close(self) -> None:
        for publisher in filter(None, (self._efforts, self._contact)):
            self._endpoints.node.destroy_publisher(publisher)
        self._efforts = self._contact = None

    def _reset(self, request: Trigger.Request, response: Trigger.Response) -> None:
        touched, self._touched = self._touched, ()
        if self._watch is not None:
            self._watch.reset()
        if touched and self._contact is not None:
            self._contact.publish(Bool(data=False))
        response.success = bool(touched) or self._watch is not None
        if touched:
            response.message = f'forgotten: contact at {", ".join(touched)}'
        elif self._watch is not None:
            response.message = 'there was no contact'
        elif self._enabled:
            response.message = f'contacts are not observed: {self._rejection or _NO_MODEL}'
        else:
            response.message = 'contacts are not observed: observer.enabled is false'


# ---- The topic ~/wrench: the estimated wrench on a link by the environment

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
            moving_joints(make_multibody(active.dynamics.model), new[link])

    def apply(self, old: Mapping[str, Any]) -> None:
        """Estimate with the requested parameters from the next output on."""
        new = self._pipeline.requested
        if values_below(new, 'wrench_estimate') != values_below(old, 'wrench_estimate'):
            self._dynamics = self._estimate = None
        if not (new['wrench_estimate.link'] and new['observer.enabled']):
            self._rejection = ''
            self._close()

    def publish(self, active: ActiveModel, output: Output, external: Array) -> None:
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
        return (not_estimated(self._rejection or _NO_MODEL) if estimate is None else
                estimate.report())

    def _estimating(self, active: ActiveModel) -> WrenchEstimate | None:
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
            estimate = WrenchEstimate(dynamics, **values_below(self._pipeline.requested,
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
