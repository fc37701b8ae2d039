"""A node's topics, services, timers and messages, and workers for longer jobs."""

import os
import threading
import time
import traceback
from array import array
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import Any, TypeVar

from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from geometry_msgs.msg import Vector3, WrenchStamped
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.exceptions import InvalidTopicNameException
from rclpy.executors import Executor
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSPolicyKind, QoSProfile, ReliabilityPolicy
from rclpy.qos_overriding_options import QoSOverridingOptions
from rclpy.task import Future
from rclpy.validate_topic_name import validate_topic_name
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from urdf2dyn_ros.errors import ExportError, ParameterError, Urdf2DynError
from urdf2dyn_ros.estimation.stream import Output
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import SECOND_NS, Status

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
        except Exception:   # a defect, of any class: the robot's node goes on
            report_defect(node, failed)

    return guarded


def answering(node: Node, callback: Callable[[Any, Any], None],
              failed: Callable[[str], None]) -> Callable[[Any, Any], Any]:
    """Return a service's callback that never raises, of a request and the response it fills."""
    def guarded(request: Any, response: Any) -> Any:
        try:
            callback(request, response)
        except Exception as error:   # likewise
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


def own_directory(node: Node, directory: str) -> str:
    """Return a directory's folder for the node's namespace: two nodes of one name write to two."""
    return os.path.join(directory, node.get_namespace().strip('/'))


# ---- QoS profiles; each call returns a new one, as rclpy writes overrides into it

def latched() -> QoSProfile:
    """Return the profile of a topic whose last message also reaches later subscribers."""
    return QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


def best_effort(depth: int) -> QoSProfile:
    """Return the profile of a subscription that any publisher is compatible with."""
    return QoSProfile(depth=depth, reliability=ReliabilityPolicy.BEST_EFFORT)


# ---- A node's publishers, subscriptions, services and timers

_OVERRIDABLE = (QoSPolicyKind.HISTORY, QoSPolicyKind.DEPTH, QoSPolicyKind.RELIABILITY,
                QoSPolicyKind.DURABILITY)
UNDISCOVERED = 'a node whose name is not discovered yet'
_UNKNOWN = '_NODE_NAME_UNKNOWN_'   # what rmw calls a node that it discovers after its publisher


class Endpoints:
    """
    Makes a node's endpoints; an error of a callback is logged and counted, the node goes on.

    A user can override the QoS of topics at the start:
    ``qos_overrides./joint_states.subscription.depth``. rclpy logs incompatible QoS of other nodes.
    The function `failed` is called with the traceback of a callback's error. While `is_active`
    returns false, messages are dropped and timers do nothing; without it, a node is always active.
    The services for longer jobs are kept in `jobs`, also when everything else is destroyed.
    """

    def __init__(self, node: Node, failed: Callable[[str], None],
                 is_active: Callable[[], bool] = lambda: True,
                 jobs: 'dict[str, JobService] | None' = None) -> None:
        self.node, self._failed, self._is_active = node, failed, is_active
        self.jobs: dict[str, JobService] = {} if jobs is None else jobs   # by the first name
        self._others = {id(entity) for entities in (
            node.publishers, node.subscriptions, node.services, node.timers)
            for entity in entities}

    def destroy(self) -> None:
        """Destroy every entity that was created since this object was."""
        for job in self.jobs.values():
            job.close()
            self._others |= {id(service) for service in job.services}
        for kind in ('publisher', 'subscription', 'service', 'timer'):
            for entity in list(getattr(self.node, f'{kind}s')):
                if id(entity) not in self._others:
                    getattr(self.node, f'destroy_{kind}')(entity)

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
        own = qos or QoSProfile(depth=10)
        return self._made('publisher', name,
                          partial(self.node.create_publisher, kind, name, own))

    def subscribe(self, kind: Any, name: str, callback: Callable[..., None],
                  qos: QoSProfile, raw: bool = False, always: bool = False) -> Any:
        """
        Return a subscription, to bytes if `raw` is true; raises as `publisher` does.

        If `always` is true, messages are received while the node is not active, too.
        """
        received = self.guarded(callback if always else self._while_active(callback))
        return self._made('subscription', name, partial(
            self.node.create_subscription, kind, name, received, qos, raw=raw))

    def published(self, topic: str) -> str:
        """Return the resolved name of a topic and its publishers, for a line of the log."""
        return (f'{self.node.resolve_topic_name(topic)}, published by '
                f'{", ".join(self.publishers(topic)) or "no node"}')

    def publishers(self, topic: str) -> list[str]:
        """Return the publishers of a topic, with reliability and durability."""
        return [(UNDISCOVERED if end.node_name == _UNKNOWN else
                 f'{end.node_namespace.rstrip("/")}/{end.node_name}')
                + f' ({end.qos_profile.reliability.name}, {end.qos_profile.durability.name})'
                for end in self.node.get_publishers_info_by_topic(
                    self.node.resolve_topic_name(topic))]

    def _while_active(self, callback: Callable[..., None]) -> Callable[..., None]:
        @wraps(callback)
        def called(*arguments: Any) -> None:
            if self._is_active():
                callback(*arguments)

        return called

    def _made(self, end: str, name: str, make: Callable[..., Any]) -> Any:
        try:
            validate_topic_name(name)
        except InvalidTopicNameException as error:
            raise ParameterError(f'{name!r} is no name of a topic: {error}') from None
        topic = self.node.resolve_topic_name(name)
        try:
            return make(qos_overriding_options=QoSOverridingOptions(_OVERRIDABLE))
        except Exception as error:  # rclpy has several kinds for a bad value
            raise ParameterError(f'no {end} for {topic}, the parameters qos_overrides.{topic}.'
                                 f'{end}.* are unusable: {error}') from error


# ---- A thread for jobs that take longer than the time between two messages

_Result = TypeVar('_Result')
_UNTIL_SPUN = 0.02   # between two looks for the executor of a node that is not spun yet [s]


class Worker:
    """
    Runs one job at a time in a thread, and then the newest of those submitted meanwhile.

    Its results are taken in the thread that spins the node, which alone has the node's state. A
    newer job replaces one that has not begun, so that jobs do not pile up. The thread does not
    keep the process alive: a node that is stopped does not wait for a job, which is why this is
    not a ThreadPoolExecutor. The function `guarded` makes callbacks whose errors do not end the
    node.
    """

    def __init__(self, node: Node,
                 guarded: Callable[[Callable[..., None]], Callable[..., None]]) -> None:
        self._node, self._guarded = node, guarded
        self._newest: deque[tuple[Callable[[], Any], Callable[..., None]]] = deque(maxlen=1)
        self._results: deque[Callable[[], None]] = deque()
        self._submitted, self._ended = threading.Event(), False
        threading.Thread(target=self._work, name='worker', daemon=True).start()

    def submit(self, job: Callable[[], _Result],
               done: Callable[[_Result | None, Exception | None], None]) -> None:
        """Run `job` in the thread; `done` has its result or its error in the one that spins."""
        self._newest.append((job, self._guarded(done)))
        self._submitted.set()

    def deliver(self) -> None:
        """Pass on the results that have come; for the thread that spins."""
        while self._results and not self._ended:
            self._results.popleft()()

    def end(self) -> None:
        """End the thread after the job that it runs now, whose result is dropped."""
        self._ended = True
        self._submitted.set()

    def future(self, job: Callable[[], object], executor: Executor | None) -> Any:
        """Return a Future of a coroutine's executor: result and error of a job that is begun."""
        future: Any = Future(executor=executor)
        # a sleeping executor is woken by a callback of the future, not by its result alone
        future.add_done_callback(lambda future: None)

        self.submit(job, lambda result, error: future.set_result((result, error)))
        return future

    def _work(self) -> None:
        while not self._ended:
            self._submitted.wait()
            self._submitted.clear()
            if not self._newest or self._ended:
                continue
            job, done = self._newest.popleft()
            try:
                result = partial(done, job(), None)
            except Exception as error:
                result = partial(done, None, error)
            self._results.append(result)
            while (executor := self._node.executor) is None and not self._ended:
                time.sleep(_UNTIL_SPUN)
            if executor is not None:
                executor.create_task(self.deliver)


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
        except Exception as error:   # of the job, of any class
            report_defect(self._node, self._failed)
            response.message = f'a defect: {error!r}'
        finally:
            self._under_way = None
        return response


# ---- Conversions between ROS messages and plain values

def nanoseconds(stamp: Time) -> int:
    return int(stamp.sec) * SECOND_NS + int(stamp.nanosec)


def time_message(stamp: int) -> Time:
    return Time(sec=stamp // SECOND_NS, nanosec=stamp % SECOND_NS)


def triple(vector: Vector3) -> tuple[float, float, float]:
    return vector.x, vector.y, vector.z


def diagnostic_status(status: Status, node: str, robot: str) -> DiagnosticStatus:
    """Return the status of a part of a node as a message."""
    return DiagnosticStatus(
        level=bytes([status.level]), name=f'{node}: {status.part}', message=status.message,
        hardware_id=robot,
        values=[KeyValue(key=key, value=value) for key, value in status.values.items()])


class JointStateFields:
    """
    JointState messages of always the same joints: one message, filled again and again.

    The frame is any one of the robot: RViz's Effort display omits messages without one.
    """

    def __init__(self, names: Sequence[str], frame: str) -> None:
        self._message = JointState(name=names)
        self._message.header.frame_id = frame

    def filled(self, output: Output, effort: Array) -> JointState:
        """Return positions, velocities and efforts (n,), for rclpy to publish at once."""
        message = self._message
        message.header.stamp = time_message(output.stamp)
        message.position, message.velocity, message.effort = (
            array('d', values.tobytes()) for values in (output.q, output.qd, effort))
        return message


def filled_wrench(message: WrenchStamped, stamp: int, frame: str, wrench: Array) -> WrenchStamped:
    """Return a message filled with force and moment (6,), as making another one takes longer."""
    force, torque = message.wrench.force, message.wrench.torque
    message.header.stamp, message.header.frame_id = time_message(stamp), frame
    force.x, force.y, force.z, torque.x, torque.y, torque.z = wrench.tolist()
    return message


def completed_message(output: Output, dynamics: InverseDynamics) -> JointState:
    """Return positions of all joints, the passive ones included, for robot_state_publisher."""
    passive = dynamics.close(output.q) if dynamics.passive_names else output.q[:0]
    message = JointState(name=[*dynamics.joint_names, *dynamics.passive_names])
    message.header.stamp = time_message(output.stamp)
    message.position = [*output.q.tolist(), *passive.tolist()]
    return message


def state_message(output: Output, names: Sequence[str]) -> JointTrajectory:
    """Return positions, velocities, accelerations and efforts as a trajectory of one point."""
    message = JointTrajectory()
    message.header.stamp = time_message(output.stamp)
    message.joint_names = names
    message.points = [JointTrajectoryPoint(
        positions=output.q.tolist(), velocities=output.qd.tolist(),
        accelerations=output.qdd.tolist(), effort=output.effort.tolist())]
    return message
