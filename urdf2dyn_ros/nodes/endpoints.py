"""A node's publishers, subscriptions, services, timers, and workers for longer jobs."""

import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial, wraps
from typing import Any, TypeVar

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.exceptions import InvalidTopicNameException
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSPolicyKind, QoSProfile, ReliabilityPolicy
from rclpy.qos_overriding_options import QoSOverridingOptions
from rclpy.task import Future
from rclpy.validate_topic_name import validate_topic_name
from std_srvs.srv import Trigger

from urdf2dyn_ros.errors import ExportError, ParameterError, Urdf2DynError

# ---- Callbacks whose errors are logged and do not end the process, and timers of the steady clock

def barrier(node: Node, callback: Callable[..., None],
            failed: Callable[[str], None] = lambda text: None) -> Callable[..., None]:
    """
    Return a callback that logs errors, one in five seconds, instead of raising them.

    The function `failed` is called with the traceback of every error.
    """
    @wraps(callback)   # rclpy looks at the signature for the arguments that a callback takes
    def guarded(*message: Any) -> None:
        try:
            callback(*message)
        except Exception:
            report_defect(node, failed)

    return guarded


def answering(node: Node, callback: Callable[[Any, Any], None],
              failed: Callable[[str], None]) -> Callable[[Any, Any], Any]:
    """Return the same for a service: a callback of a request and the response that it fills."""
    def guarded(request: Any, response: Any) -> Any:
        try:
            callback(request, response)
        except Exception as error:
            report_defect(node, failed)
            response.success, response.message = False, f'a defect: {error!r}'
        return response

    return guarded


def report_defect(node: Node, failed: Callable[[str], None]) -> None:
    """Log the error that is being handled, one in five seconds; pass its traceback to `failed`."""
    text = traceback.format_exc()
    failed(text)
    node.get_logger().error(f'a callback failed, this is a defect:\n{text}',
                            throttle_duration_sec=5.0)


def steady_timer(node: Node, period: float, callback: Callable[[], None]) -> None:
    """Call a callback every `period` [s], also while simulated time stands still or jumps."""
    node.create_timer(period, callback, clock=Clock(clock_type=ClockType.STEADY_TIME))


# ---- QoS profiles, and log lines about publishers and subscribers whose QoS is incompatible with
# them
#
# Each call returns a new profile: rclpy writes overrides into it.

_WEAK_POLICIES = {'reliability': ReliabilityPolicy.BEST_EFFORT,
                  'durability': DurabilityPolicy.VOLATILE}
"""Values of an offered policy that are incompatible with a request for the other value."""

_NOT_RECEIVED = ('nothing is received from a publisher of {topic}: it offers less {policy} than '
                 'this node requests; publish with {policy} {own}')
_NOT_DELIVERED = ('a subscriber of {topic} receives nothing: it requests more {policy} than this '
                  'node offers; subscribe with {policy} {own}')


def latched() -> QoSProfile:
    """Return the profile of a topic whose last message also reaches later subscribers."""
    return QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def best_effort(depth: int) -> QoSProfile:
    """Return the profile of a subscription that any publisher is compatible with."""
    return QoSProfile(depth=depth, reliability=ReliabilityPolicy.BEST_EFFORT)


class QosMismatch:
    """Logs incompatible QoS of other nodes, once for each topic and policy."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._logged: set[tuple[str, str]] = set()

    def of_publisher(self, topic: str, own: QoSProfile, event: Any) -> None:
        """Log the policies for which subscribers of a topic receive nothing of this node."""
        self._log(_NOT_DELIVERED, topic, 'publisher', own, event, [
            policy for end in self._node.get_subscriptions_info_by_topic(topic)
            for policy in _incompatible(own, end.qos_profile)])

    def of_subscription(self, topic: str, own: QoSProfile, event: Any) -> None:
        """Log the policies for which this node receives nothing of publishers of a topic."""
        self._log(_NOT_RECEIVED, topic, 'subscription', own, event, [
            policy for end in self._node.get_publishers_info_by_topic(topic)
            for policy in _incompatible(end.qos_profile, own)])

    def _log(self, text: str, topic: str, end: str, own: QoSProfile, event: Any,
             policies: list[str]) -> None:
        # the event names only the last policy, of several that may be incompatible
        last = QoSPolicyKind(event.last_policy_kind).name.lower()
        for policy in dict.fromkeys([*policies, last]):
            if policy != 'invalid' and (topic, policy) not in self._logged:
                self._logged.add((topic, policy))
                value = getattr(getattr(own, policy, None), 'name', 'as this node does')
                self._node.get_logger().warning(
                    text.format(topic=topic, policy=policy, own=value) + ', or start this node '
                    f'with another qos_overrides.{topic}.{end}.{policy}')


def _incompatible(offered: QoSProfile, requested: QoSProfile) -> Iterable[str]:
    return (policy for policy, weak in _WEAK_POLICIES.items()
            if getattr(offered, policy) == weak != getattr(requested, policy))


# ---- A node's publishers, subscriptions, services and timers

try:
    from rclpy import event_handler as qos_events
except ImportError:  # Humble
    from rclpy import qos_event as qos_events

_OVERRIDABLE = (QoSPolicyKind.HISTORY, QoSPolicyKind.DEPTH, QoSPolicyKind.RELIABILITY,
                QoSPolicyKind.DURABILITY)

_UNKNOWN = '_NODE_NAME_UNKNOWN_'
"""What rmw calls the node of a publisher that it discovers before that node."""


class Endpoints:
    """
    Makes a node's endpoints; an error of a callback is logged and counted, the node goes on.

    A user can override the QoS of topics at the start:
    ``qos_overrides./joint_states.subscription.depth``. Incompatible QoS of other nodes is logged.
    The function `failed` is called with the traceback of a callback's error. While `is_active`
    returns false, messages are dropped and timers do nothing; without it, a node is always active.
    The services for longer jobs are kept in `jobs`, also when everything else is destroyed.
    """

    def __init__(self, node: Node, failed: Callable[[str], None],
                 is_active: Callable[[], bool] | None = None,
                 jobs: 'dict[str, JobService] | None' = None) -> None:
        self.node, self._failed, self._is_active = node, failed, is_active
        self._mismatch = QosMismatch(node)
        self.jobs: dict[str, JobService] = {} if jobs is None else jobs   # by the first name
        self._others = {id(entity) for entities in (
            node.publishers, node.subscriptions, node.services, node.timers)
            for entity in entities}

    def destroy(self) -> None:
        """Destroy every entity that was created since this object was."""
        for job in self.jobs.values():
            job.close()
            self._others |= {id(service) for service in job.services}
        for kind, destroy in (('publishers', self.node.destroy_publisher),
                              ('subscriptions', self.node.destroy_subscription),
                              ('services', self.node.destroy_service),
                              ('timers', self.node.destroy_timer)):
            for entity in list(getattr(self.node, kind)):
                if id(entity) not in self._others:
                    destroy(entity)

    def guarded(self, callback: Callable[..., None]) -> Callable[..., None]:
        """Return a callback whose errors do not end the node."""
        return barrier(self.node, callback, self._failed)

    def timer(self, period: float, callback: Callable[[], None]) -> None:
        """Call a callback every `period` [s] of the machine's steady clock."""
        steady_timer(self.node, period, self.guarded(self._while_active(callback)))

    def service(self, kind: Any, name: str, callback: Callable[[Any, Any], None]) -> None:
        """Offer a service; the callback fills the response to a request."""
        self.node.create_service(kind, name, answering(self.node, callback, self._failed))

    def publisher(self, kind: Any, name: str, qos: QoSProfile | None = None) -> Any:
        """Return a publisher; raises a ParameterError for an unusable name or QoS override."""
        topic, own = self._resolved(name), qos or QoSProfile(depth=10)
        events = qos_events.PublisherEventCallbacks(incompatible_qos=self.guarded(
            partial(self._mismatch.of_publisher, topic, own)))
        return self._made(topic, 'publisher', events,
                          partial(self.node.create_publisher, kind, name, own))

    def subscribe(self, kind: Any, name: str, callback: Callable[..., None],
                  qos: QoSProfile, raw: bool = False, always: bool = False) -> Any:
        """
        Return a subscription, to bytes if `raw` is true; raises as `publisher` does.

        If `always` is true, messages are received while the node is not active, too.
        """
        topic = self._resolved(name)
        received = self.guarded(callback if always else self._while_active(callback))
        events = qos_events.SubscriptionEventCallbacks(incompatible_qos=self.guarded(
            partial(self._mismatch.of_subscription, topic, qos)))
        return self._made(topic, 'subscription', events, partial(
            self.node.create_subscription, kind, name, received, qos, raw=raw))

    def publishers(self, topic: str) -> list[str]:
        """Return the publishers of a topic, with reliability and durability."""
        return [f'{_node_of(end)} '
                f'({end.qos_profile.reliability.name}, {end.qos_profile.durability.name})'
                for end in self.node.get_publishers_info_by_topic(
                    self.node.resolve_topic_name(topic))]

    def published(self, topic: str) -> str:
        """Return the resolved name of a topic and its publishers, for a line of the log."""
        return (f'{self.node.resolve_topic_name(topic)}, published by '
                f'{", ".join(self.publishers(topic)) or "no node"}')

    def _while_active(self, callback: Callable[..., None]) -> Callable[..., None]:
        is_active = self._is_active
        if is_active is None:
            return callback

        @wraps(callback)
        def called(*arguments: Any) -> None:
            if is_active():
                callback(*arguments)

        return called

    def _resolved(self, name: str) -> str:
        try:
            validate_topic_name(name)
        except InvalidTopicNameException as error:
            raise ParameterError(f'{name!r} is no name of a topic: {error}') from None
        return str(self.node.resolve_topic_name(name))

    def _made(self, topic: str, end: str, events: Any, make: Callable[..., Any]) -> Any:
        overriding = QoSOverridingOptions(_OVERRIDABLE)
        try:
            try:
                return make(event_callbacks=events, qos_overriding_options=overriding)
            # some RMWs have no such events: Humble raises
            except qos_events.UnsupportedEventTypeError:
                return make(qos_overriding_options=overriding)
        except Exception as error:  # rclpy has several kinds for a bad value
            raise ParameterError(f'no {end} for {topic}, the parameters qos_overrides.{topic}.'
                                 f'{end}.* are unusable: {error}') from error


def _node_of(end: Any) -> str:
    """Return the name of a publisher's node, or that it is not known yet."""
    if end.node_name == _UNKNOWN:
        return 'a node whose name is not discovered yet'
    return f'{end.node_namespace.rstrip("/")}/{end.node_name}'


# ---- A thread for jobs that take longer than the time between two messages

_Result = TypeVar('_Result')


class Worker:
    """
    Runs one job at a time in a thread, and then the newest of those submitted meanwhile.

    A newer job replaces one that has not begun, so that jobs do not pile up. The thread does not
    keep the process alive: a node that is stopped does not wait for a job, which is why this is
    not a ThreadPoolExecutor. The function `guarded` makes jobs whose errors do not end the thread.
    """

    def __init__(self, guarded: Callable[[Callable[[], None]], Callable[[], None]]) -> None:
        self._guarded = guarded
        self._newest: deque[Callable[[], None]] = deque(maxlen=1)
        self._submitted, self._ended = threading.Event(), False
        threading.Thread(target=self._work, name='worker', daemon=True).start()

    def submit(self, job: Callable[[], _Result],
               done: Callable[[_Result | None, Exception | None], None]) -> None:
        """Run `job`, then call `done` with its result or its error, both in the thread."""
        def run() -> None:
            try:
                result = job()
            except Exception as error:
                done(None, error)
            else:
                done(result, None)

        self._newest.append(self._guarded(run))
        self._submitted.set()

    def end(self) -> None:
        """End the thread after the job that it runs now."""
        self._ended = True
        self._submitted.set()

    def future(self, job: Callable[[], object], executor: Executor | None) -> Any:
        """Return a Future of a coroutine's executor: result and error of a job that is begun."""
        future: Any = Future(executor=executor)
        # a sleeping executor is woken by a callback of the future, not by its result alone
        future.add_done_callback(lambda future: None)

        def done(result: object, error: Exception | None) -> None:
            if not future.done():   # it was answered otherwise
                future.set_result((result, error))

        self.submit(job, done)
        return future

    def _work(self) -> None:
        while not self._ended:
            self._submitted.wait()
            self._submitted.clear()
            if self._newest and not self._ended:
                self._newest.popleft()()


# ---- Services Trigger whose response takes seconds, while the node goes on

_NOT_CONFIGURED = 'the node is not configured: there is no model'


class JobService:
    """
    Does the job of one call at a time in a worker; the response has its message or its error.

    The service has one or more names. The function `job` returns the job of a call, which returns
    the message; both may raise Urdf2DynError. `busy` returns the response to a call during another
    one; `failed` is called with the traceback of every other error, which is logged.

    It lives as long as the node: rclpy crashes if a service is destroyed before it has responded
    to every request. While it is closed, its response says so.
    """

    def __init__(self, node: Node, names: Sequence[str]) -> None:
        self._node = node
        self._under_way: Any = None   # the Future of the call that is being answered
        # a call that waits blocks its callback group for a second call and, if it were the node's
        # own group, for all messages
        group = ReentrantCallbackGroup()
        self.services = [node.create_service(Trigger, name, self._respond, callback_group=group)
                         for name in names]
        self._closed = True

    def open(self, worker: Worker, job: Callable[[], Callable[[], str]], busy: Callable[[], str],
             failed: Callable[[str], None] = lambda text: None) -> None:
        """Respond from now on."""
        self._worker, self._job, self._busy, self._failed = worker, job, busy, failed
        self._closed = False

    def close(self) -> None:
        """Respond to the call that is under way, and to all later ones, that there is no model."""
        self._closed = True
        if self._under_way is not None:
            self._under_way.set_result((None, ExportError(_NOT_CONFIGURED)))

    async def _respond(self, request: Trigger.Request, response: Trigger.Response,
                       ) -> Trigger.Response:
        if self._closed or self._under_way is not None:
            response.message = _NOT_CONFIGURED if self._closed else self._busy()
            return response
        try:
            job = self._job()
            self._under_way = future = self._worker.future(job, self._node.executor)
            message, error = await future
            if error is not None:
                raise error
            response.message, response.success = message, True
        except Urdf2DynError as error:
            response.message = str(error)
        except Exception as error:
            report_defect(self._node, self._failed)
            response.message = f'a defect: {error!r}'
        finally:
            self._under_way = None
        return response


# ---- A line of the log while another node has the name of this one

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
