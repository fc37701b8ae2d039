"""The topics ~/external_efforts and ~/contact, and the service ~/reset_contact."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rclpy.node import Node
from rclpy.qos import DurabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool
from std_srvs.srv import Trigger

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.health import Status
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.nodes.barrier import answering
from urdf2dyn_ros.nodes.inverse_dynamics.data_path import Running
from urdf2dyn_ros.nodes.topics import Topics
from urdf2dyn_ros.observer.assembly import PER_JOINT, contact_watch
from urdf2dyn_ros.observer.contact_watch import ContactWatch, not_observed
from urdf2dyn_ros.observer.momentum_observer import per_joint
from urdf2dyn_ros.stream.output import Output
from urdf2dyn_ros.stream.stream import Stream

_NO_MODEL = 'there is no model for it yet'


class Observer:
    """
    Publishes what touches the robot, as long as it can be observed.

    A contact is remembered until the service is called or the observer is turned off, whatever
    model, estimator or thresholds come meanwhile.

    Parameters
    ----------
    node : Node
    topics : Topics
        Of the node.
    values : mapping
        The parameters at the start.
    failed : callable
        Called with the traceback of every error.

    """

    def __init__(self, node: Node, topics: Topics, values: Mapping[str, Any],
                 failed: Callable[[str], None]) -> None:
        self._node, self._topics, self._values = node, topics, values
        self._observed: Stream | None = None   # whose outputs the watch has
        self._watch: ContactWatch | None = None
        self._refused = ''
        self._touched: tuple[str, ...] = ()
        self._efforts: Any = None
        self._contact: Any = None
        node.create_service(Trigger, '~/reset_contact', answering(node, self._reset, failed))

    def check(self, values: Mapping[str, Any], running: Running | None) -> None:
        """Raise a ParameterError for new values that are not one for each joint that there is."""
        old = self._values
        if running is None or values['robot_description'] != old['robot_description']:
            return
        begins = values['observer.enabled'] and not old['observer.enabled']
        for name in PER_JOINT:
            if begins or values[name] != old[name]:
                per_joint(name, values[name], running.loaded.dynamics.joint_names)

    def take(self, values: Mapping[str, Any]) -> None:
        """Observe with these parameters from the next output on."""
        if _observing(values) != _observing(self._values):
            self._observed = self._watch = None
        self._values = values
        if not values['observer.enabled']:
            self._touched, self._refused = (), ''
            self._close()

    def publish(self, running: Running, output: Output) -> None:
        """Publish what follows from an output."""
        watch = self._watching(running)
        external = None if watch is None else watch.update(output)
        if watch is None or external is None:
            return
        self._efforts.publish(running.message.filled(output, external))
        if watch.touched != self._touched:
            self._touch(watch, external)

    def status(self, running: Running | None) -> Status | None:
        """Return the part of the status that tells of contacts, if they are asked for."""
        if not self._values['observer.enabled']:
            return None
        watch = None if running is None else self._watching(running)
        if watch is None:
            return not_observed(self._refused or _NO_MODEL, self._touched)
        return watch.report()

    def _touch(self, watch: ContactWatch, external: Array) -> None:
        before, self._touched = self._touched, watch.touched
        if not before:
            self._contact.publish(Bool(data=True))
        self._node.get_logger().warning(watch.description(self._touched[len(before):], external))

    def _watching(self, running: Running) -> ContactWatch | None:
        """Return who watches the stream that runs; None if nobody can, or is asked to."""
        loaded = running.loaded
        if not (self._values['observer.enabled'] and loaded.values['observer.enabled']):
            return None   # turned off, or a model with what it takes is on its way
        if running.stream is not self._observed:
            self._observed, self._watch = running.stream, self._made(loaded.dynamics)
        return self._watch

    def _made(self, dynamics: InverseDynamics) -> ContactWatch | None:
        """Return who watches a stream of this robot, and have the topics; None if nobody can."""
        before = self._refused
        try:
            watch = contact_watch(self._values, dynamics, self._touched)
            self._open()
        except ParameterError as error:
            self._refused = str(error)
            if self._refused != before:
                self._node.get_logger().error('what touches the robot is not observed, efforts '
                                              f'are computed: {error}')
            self._close()   # its last word would pass for one of now
            return None
        self._refused = ''
        return watch

    def _open(self) -> None:
        if self._contact is None:
            self._efforts = self._topics.publisher(JointState, '~/external_efforts')
            self._contact = self._topics.publisher(
                Bool, '~/contact', 1, DurabilityPolicy.TRANSIENT_LOCAL)
            self._contact.publish(Bool(data=bool(self._touched)))

    def _close(self) -> None:
        """Have the topics no longer."""
        for publisher in filter(None, (self._efforts, self._contact)):
            self._node.destroy_publisher(publisher)
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
        elif self._values['observer.enabled']:
            response.message = f'nothing is observed: {self._refused or _NO_MODEL}'
        else:
            response.message = 'nothing is observed: observer.enabled is false'


def _observing(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items()
            if name.startswith(('observer.', 'contact.'))}
