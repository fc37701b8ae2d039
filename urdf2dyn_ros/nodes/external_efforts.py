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
        self._watch: ContactWatch | None = None
        self._made_of: tuple[object, ...] = ()   # model and parameters of the watch
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

    def follow(self) -> None:
        """Observe the active model with the requested parameters from the next output on."""
        values, active = self._pipeline.requested, self._pipeline.active
        made_of: tuple[object, ...] = ()   # disabled, or a worker still builds a model for it
        if active is not None and self._enabled and active.request.values['observer.enabled']:
            made_of = active.dynamics, values_below(values, 'observer'), values_below(
                values, 'contact')
        if made_of != self._made_of:
            self._made_of = made_of
            self._watch = self._made(active.dynamics) if active and made_of else None
        if not self._enabled:
            self._touched, self._rejection = (), ''
            self._close()

    def publish(self, active: ActiveModel, output: Output) -> Array | None:
        """Publish and return the external efforts of an output; publish a contact that begins."""
        watch = self._watch
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

    def take_status(self) -> Status | None:
        """Return what ~/status has of contacts since the call before; None if disabled."""
        if not self._enabled:
            return None
        if self._watch is None:
            return not_observed(self._rejection or _NO_MODEL, self._touched)
        return self._watch.take_report()

    @property
    def _enabled(self) -> bool:
        return bool(self._pipeline.requested['observer.enabled'])

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
        self._estimate: WrenchEstimate | None = None
        self._made_of: tuple[object, ...] = ()   # model and parameters of the estimate
        self._rejection = ''
        self._publisher: Any = None
        self._message = WrenchStamped()

    def check(self, new: Mapping[str, Any]) -> None:
        """Raise a ParameterError for a new link on which no wrench can be estimated."""
        old, active, link = self._pipeline.requested, self._pipeline.active, 'wrench_estimate.link'
        if (active is not None and new[link] and new[link] != old[link]
                and new['robot_description'] == old['robot_description']):
            moving_joints(make_multibody(active.dynamics.model), new[link])

    def follow(self) -> None:
        """Estimate on the active model with the requested parameters from the next output on."""
        values, active = self._pipeline.requested, self._pipeline.active
        link = values['wrench_estimate.link']
        wanted = bool(link and values['observer.enabled'])
        made_of: tuple[object, ...] = ()   # as above
        if (active is not None and wanted and active.request.values['observer.enabled']
                and active.request.values['wrench_estimate.link'] == link):
            made_of = active.dynamics, values_below(values, 'wrench_estimate')
        if made_of != self._made_of:
            self._made_of = made_of
            self._estimate = self._made(active.dynamics) if active and made_of else None
        if not wanted:
            self._rejection = ''
            self._close()

    def publish(self, output: Output, external: Array) -> None:
        """Publish the wrench that explains the external efforts (n,) of an output [N m or N]."""
        estimate = self._estimate
        if estimate is not None:
            self._publisher.publish(filled_wrench(self._message, output.stamp, estimate.link,
                                                  estimate.update(output.q, external)))

    def take_status(self) -> Status | None:
        """Return what ~/status has of the wrench since the call before; None without a link."""
        values = self._pipeline.requested
        if not values['wrench_estimate.link']:
            return None
        if not values['observer.enabled']:
            return not_estimated('observer.enabled is false')
        return (not_estimated(self._rejection or _NO_MODEL) if self._estimate is None else
                self._estimate.take_report())

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
        if self._publisher is not None:
            self._endpoints.node.destroy_publisher(self._publisher)
            self._publisher = None
