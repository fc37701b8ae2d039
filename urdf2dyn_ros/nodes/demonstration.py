"""The demonstration: a simulated robot, its inverse dynamics and their comparison, in a graph."""

import json
import math
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import rclpy
from rcl_interfaces.srv import GetParameters
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import NodeNameNonExistentError
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64
from std_srvs.srv import Trigger

from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.nodes.endpoints import latched
from urdf2dyn_ros.nodes.joint_simulator import SIMULATOR_PARAMETERS
from urdf2dyn_ros.robot.loads import checked_gravity
from urdf2dyn_ros.robot.model import RobotModel
from urdf2dyn_ros.robot.parameters import check_all
from urdf2dyn_ros.robot.reader import load_urdf, read_description
from urdf2dyn_ros.robot.spatial import Triple
from urdf2dyn_ros.robot.writer import clean_urdf
from urdf2dyn_ros.simulation import available_simulator
from urdf2dyn_ros.system import ENDING_SIGNALS, child_environment, robot_file

# ---- A DDS graph of this computer alone, without network and other robots, and a node in it

_LAST_DOMAIN = 101   # above it, ports are among the ephemeral ones of the system
_DISCOVERY_TIME = 0.5   # of other nodes in a domain of this computer [s]
_DISCOVERED_PARTICIPANTS = 10   # DDS participants of a domain that are found by their ports
_LOST_RESPONSE_TIME = 2.0   # [s]; it was sent before the client was discovered


class Client:
    """
    A node that subscribes to others and calls their services, spun only while it waits.

    It has a context of its own, which installs no signal handler: Ctrl-C remains the caller's.
    """

    def __init__(self, name: str, domain: int) -> None:
        self._context = rclpy.Context()
        self._context.init(domain_id=domain)
        self.node: Any = rclpy.create_node(name, context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self.node)

    def close(self) -> None:
        """Leave the graph."""
        self._executor.shutdown()
        self.node.destroy_node()
        self._context.try_shutdown()

    def subscribe(self, kind: Any, topic: str, callback: Callable[[Any], None],
                  qos: QoSProfile | int = 10) -> None:
        """Subscribe; the callback runs during `wait`."""
        self.node.create_subscription(kind, topic, callback, qos)

    def wait(self, condition: Callable[[], object], timeout: float, what: str,
             meanwhile: Callable[[], None] = lambda: None) -> None:
        """
        Run callbacks until the condition holds, else raise a TimeoutError after `timeout` [s].

        The noun `what` is for its text. `meanwhile` is called several times a second, and may
        raise.
        """
        deadline = time.monotonic() + timeout
        while not condition():
            meanwhile()
            if time.monotonic() > deadline:
                raise TimeoutError(f'no {what} within {timeout:g} s')
            self._executor.spin_once(timeout_sec=0.05)

    def call(self, kind: Any, service: str, timeout: float,
             meanwhile: Callable[[], None] = lambda: None, request: Any = None) -> Any:
        """Call a service; without a response in time, raise a TimeoutError."""
        client = self.client(kind, service, timeout, meanwhile)
        response = client.call_async(request or kind.Request())
        self.wait(response.done, timeout, f'response of service {service}', meanwhile)
        return response.result()

    def client(self, kind: Any, service: str, timeout: float,
               meanwhile: Callable[[], None] = lambda: None) -> Any:
        """
        Return a client of a service whose node has discovered it.

        A response that is sent before the client is discovered is lost, and a client that finds
        its service ready would wait for ever.
        """
        client = self.node.create_client(kind, service)
        self.wait(client.service_is_ready, timeout, f'service {service}', meanwhile)
        name = self.node.resolve_service_name(service)
        self.wait(lambda: self._offering(name), timeout, f'node with the service {service}',
                  meanwhile)
        self.discovered(self._offering(name)[0], timeout, meanwhile)
        return client

    def discovered(self, node: str, timeout: float, meanwhile: Callable[[], None]) -> None:
        """
        Wait until a node has discovered all publishers, subscriptions and clients of this one.

        DDS announces them in their order: a node that responds to a newer client has discovered
        the others.
        """
        newer = self.node.create_client(GetParameters, f'{node}/get_parameters')
        self.responds(newer, node, timeout, meanwhile)
        self.node.destroy_client(newer)

    def responds(self, client: Any, node: str, timeout: float,
                 meanwhile: Callable[[], None] = lambda: None) -> None:
        """Wait until a node responds to a client of its parameters; calls may be repeated."""
        self.wait(client.service_is_ready, timeout, f'service of {node}', meanwhile)
        responses: list[Any] = []
        last_request = -math.inf

        def request() -> None:
            nonlocal last_request
            meanwhile()
            if time.monotonic() > last_request + _LOST_RESPONSE_TIME:
                responses.append(client.call_async(GetParameters.Request()))
                last_request = time.monotonic()

        self.wait(lambda: any(response.done() for response in responses), timeout,
                  f'response of {node}', request)

    def _offering(self, service: str) -> list[str]:
        nodes = []
        for name, namespace in self.node.get_node_names_and_namespaces():
            try:
                offered = self.node.get_service_names_and_types_by_node(name, namespace)
            except NodeNameNonExistentError:   # it has just ended
                continue
            if any(each == service for each, _ in offered):
                nodes.append(f'{namespace.rstrip("/")}/{name}')
        return nodes


def keep_local() -> None:
    """Confine DDS of this process and its children to this computer, whatever the setting."""
    for name in ('ROS_STATIC_PEERS', 'ROS_DISCOVERY_SERVER'):
        os.environ.pop(name, None)
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    # Humble knows only the older variable, which later distributions warn of
    if os.environ.get('ROS_DISTRO') == 'humble':
        os.environ['ROS_LOCALHOST_ONLY'] = '1'


def join_empty_domain(name: str) -> tuple[Client, int]:
    """
    Return a node of this name in a domain without other nodes, and the domain.

    An OSError says if all domains of this computer are in use.
    """
    keep_local()
    for attempt in range(_LAST_DOMAIN):
        domain = (os.getpid() + attempt) % _LAST_DOMAIN + 1
        if str(domain) == os.environ.get('ROS_DOMAIN_ID') or _in_use(domain):
            continue
        client = Client(name, domain)
        end = time.monotonic() + _DISCOVERY_TIME
        client.wait(lambda: time.monotonic() > end, 2.0 * _DISCOVERY_TIME, 'end of discovery')  # noqa: B023
        if client.node.get_node_names() == [name]:
            return client, domain
        client.close()
    raise OSError(f'the ROS domains 1 to {_LAST_DOMAIN} of this computer are all in use: end the '
                  'nodes of one, which `ros2 node list` shows where ROS_DOMAIN_ID is its number')


def _in_use(domain: int) -> bool:
    """
    Return whether participants of this computer receive in a domain, by the ports they took.

    They have RTPS's ports 7400 + 250 domain + 10 + 2 participant (OMG DDSI-RTPS 2.5, 9.6.2.4).
    Discovery takes longer than anyone would wait where the computer is busy.
    """
    for participant in range(_DISCOVERED_PARTICIPANTS):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.bind(('', 7400 + 250 * domain + 10 + 2 * participant))
            except OSError:
                return True
    return False


# ---- A node of this package as a child process: started, its output kept, stopped

# signals to stop a child, and the time [s] for its end: on a busy machine DDS ends slowly
_STOPS = ((signal.SIGINT, 20.0), (signal.SIGTERM, 3.0), (signal.SIGKILL, 3.0))

_LINES_KEPT = 500
_LINES_SHOWN = 15


class ChildError(Urdf2DynError):
    """A child process that ended too early, or with an error."""


class ChildProcess:
    """
    A Python module run by this interpreter, its output kept line by line.

    It has the environment of this process with additions, and a session of its own, so that a
    Ctrl-C in the terminal reaches only the parent, which then stops its children in order.
    """

    def __init__(self, module: str, arguments: Sequence[str] = (),
                 environment: Mapping[str, str] | None = None) -> None:
        self.name = module.rpartition('.')[2]
        self.lines: deque[str] = deque(maxlen=_LINES_KEPT)
        self._process = subprocess.Popen(
            [sys.executable, '-u', '-m', module, *arguments], env=child_environment(environment),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors='replace', start_new_session=True)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.lines.append(line.rstrip('\n'))

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """None while it runs; minus the number of the signal that killed it."""
        return self._process.poll()

    @property
    def output(self) -> str:
        """Its last lines, standard output and errors together."""
        return '\n'.join(list(self.lines))

    @property
    def tail(self) -> str:
        """Its last few lines, indented."""
        lines = list(self.lines)[-_LINES_SHOWN:] or ['(none)']
        return '\n'.join(f'  | {line}' for line in lines)

    def send(self, number: int) -> None:
        """Send a signal, unless it has ended already."""
        if self.exit_code is None:
            self._process.send_signal(number)

    def wait(self, timeout: float) -> int | None:
        """Return the exit code, None if it still runs after `timeout` [s]."""
        try:
            code = self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return None
        self._reader.join(1.0)
        return code


def stop_all(children: Sequence[ChildProcess]) -> None:
    """
    Stop the children, those that started last first: SIGINT, then SIGTERM, then SIGKILL.

    No two end at the same time: Fast DDS from PyPI waits forever if it deletes its participant
    while it processes the end of another one (eProsima/Fast-DDS, issue 6513).
    """
    for child in reversed(children):
        for number, patience in _STOPS:
            child.send(number)
            if child.wait(patience) is not None:
                break


def check_running(children: Sequence[ChildProcess]) -> None:
    """Raise a ChildError if a child has ended."""
    for child in children:
        if child.wait(0.0) is not None:
            raise ChildError(f'node {child.name} ended with exit code {child.exit_code}; its last '
                             f'lines:\n{child.tail}')


def check_exit_codes(children: Sequence[ChildProcess]) -> None:
    """Raise a ChildError if a child ended with an error."""
    for child in children:
        if child.exit_code != 0:
            raise ChildError(f'node {child.name} did not end cleanly (exit code '
                             f'{child.exit_code}); its last lines:\n{child.tail}')


# ---- Nodes of this package as child processes in an empty DDS domain, and a client among them

# time until the robot moves, and without any progress of the motion [s]
START_TIMEOUT, _STALL_TIMEOUT = 60.0, 20.0

_LINE_PERIOD = 1.0   # between two lines of progress [s]


class DemoError(Urdf2DynError):
    """A demonstration that did not finish, or did not show agreement."""


class DemoGraph:
    """
    Child processes and a client; `watch` raises an error if one of them has ended.

    A TimeoutError within `running_graph` becomes a DemoError with the last lines of all nodes.
    """

    def __init__(self, client: Client, domain: int, directory: Path,
                 check: Callable[[], None]) -> None:
        self.client, self.domain = client, domain
        self._directory, self._check = directory, check
        self.children: list[ChildProcess] = []

    def start(self, node: str, values: Mapping[str, Any], arguments: Sequence[str] = ()) -> None:
        """Start a node by its module in ``urdf2dyn_ros.nodes`` with parameters."""
        file = self._directory / f'{len(self.children)}.yaml'
        # JSON is YAML with any description quoted
        file.write_text(json.dumps({'/**': {'ros__parameters': values}}, ensure_ascii=False),
                        encoding='utf-8')
        self.children.append(ChildProcess(
            f'urdf2dyn_ros.nodes.{node}',
            ['--ros-args', *arguments, '--params-file', str(file)],
            {'ROS_DOMAIN_ID': str(self.domain)}))

    def watch(self) -> None:
        """Raise a KeyboardInterrupt after Ctrl-C, an error if a node has ended."""
        self._check()
        check_running(self.children)

    def follow(self, duration: float, text: Callable[[], str],
               begin: Callable[[Callable[[], None]], None]) -> None:
        """
        Show the progress of a motion of a duration [s], followed by a text, until it is done.

        `begin` is called with what is to be done while it waits, and starts the motion.
        """
        done = [0.0]
        self.client.subscribe(Float64, 'joint_simulator/progress',
                              lambda message: done.append(message.data), latched())
        shown = time.monotonic() - _LINE_PERIOD

        def meanwhile(at_once: bool = False) -> None:
            nonlocal shown
            self.watch()
            if at_once or time.monotonic() >= shown + _LINE_PERIOD:
                shown = time.monotonic()
                print(f'{done[-1] * duration:5.1f} of {duration:g} s, {text()}', flush=True)

        begin(meanwhile)
        self.client.wait(lambda: done[-1] > 0.0, _STALL_TIMEOUT, 'motion of joint_simulator',
                         meanwhile)
        while done[-1] < 1.0:
            before = len(done)
            self.client.wait(lambda: len(done) > before, _STALL_TIMEOUT,  # noqa: B023
                             'progress of joint_simulator', meanwhile)
        meanwhile(at_once=True)


@contextmanager
def running_graph(check: Callable[[], None]) -> Iterator[DemoGraph]:
    """Yield a graph without nodes; at the end those that were started are stopped in any case."""
    with ExitStack() as stack:
        client, domain = join_empty_domain('demo')
        stack.callback(client.close)
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        graph = DemoGraph(client, domain, directory, check)
        stack.callback(lambda: stop_all(graph.children))
        try:
            yield graph
        except TimeoutError as error:
            raise DemoError('\n'.join([str(error), *(
                f'last lines of {child.name}:\n{child.tail}' for child in graph.children)])
                ) from None
        stop_all(graph.children)
        check_exit_codes(graph.children)


def demo_exit_code(run: Callable[[Callable[[], None]], None]) -> int:
    """
    Return 0, 1 after an error, which is printed, 130 after Ctrl-C, or 143 after SIGTERM.

    `run` is called with a function that raises a KeyboardInterrupt after one of these signals:
    raised at any instant, it would come out of rclpy as whatever error its C++ makes of it.
    """
    received: list[signal.Signals] = []

    def record(number: int, frame: FrameType | None) -> None:
        received.append(signal.Signals(number))

    def check() -> None:
        if received:
            raise KeyboardInterrupt

    before = {number: signal.signal(number, record) for number in ENDING_SIGNALS}
    try:
        run(check)
    except (Urdf2DynError, OSError) as error:
        print(f'error: {error}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        number = received[0] if received else signal.SIGINT
        print(ENDING_SIGNALS[number], file=sys.stderr)
        return 128 + number
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return 0


# ---- The demonstration: a simulated robot, its inverse dynamics and their comparison, end to end

_LARGEST_NRMSE = 0.05   # above which the efforts do not agree
_SERVICE_TIMEOUT = 120.0   # until a service responds [s]


def run_demo(robot: Path | None, duration: float, output: Path, gravity: Triple) -> int:
    """
    Simulate a robot, compute its efforts from its joint states, and compare the two.

    Three nodes run as child processes in a DDS domain of this computer; they are stopped in any
    case. The robot, with a fixed base, is a URDF or xacro, None for the RX-90; the duration is
    that of the motion [s], gravity is in the root frame [m/s^2]. Report and exported model replace
    those of an earlier demonstration in the directory `output`. The exit code is 0 if the efforts
    agree, 1 if not, 130 after Ctrl-C, 143 after SIGTERM.
    """
    return demo_exit_code(lambda check: _demonstrate(
        robot or robot_file('rx90'), duration, output.absolute(), gravity, check))


def _demonstrate(robot: Path, duration: float, output: Path, gravity: Triple,
                 check: Callable[[], None]) -> None:
    checked_gravity(gravity)
    check_all(SIMULATOR_PARAMETERS, {'duration': duration})
    model = read_description(load_urdf(str(robot)))
    with running_graph(check) as graph:
        engine = available_simulator()
        print(f'robot {model.name!r} from {robot}: simulated by {engine} for {duration:g} s, its '
              f'inverse dynamics computed from joint_states (DDS domain {graph.domain}, this '
              'computer only)\n'
              'What you see: the physics engine moves the robot and tells positions and the '
              'efforts that it took;\nthe node computes efforts from the positions and the URDF. '
              'The table at the end compares\nthe two, joint by joint (NRMSE: RMS of the '
              'difference, as a share of the range of the effort).', flush=True)
        for problem in model.warnings:
            print(f'note: {problem}', flush=True)
        for name, values in _parameters(model, duration, output, gravity, engine).items():
            graph.start(name, values)
        _follow(graph, duration)
        simulator = [graph.children.pop()]   # a robot that stands still only delays the report
        stop_all(simulator)
        check_exit_codes(simulator)
        _conclude(graph, model, output)


def _parameters(model: RobotModel, duration: float, output: Path, gravity: Triple,
                engine: str) -> dict[str, dict[str, Any]]:
    return {
        'effort_comparison': {'report.directory': str(output), 'report.overwrite': True,
                              'efforts': 'simulated'},
        'inverse_dynamics': {
            # the simulator fixes a floating root
            'gravity': list(gravity), 'base': 'fixed', 'estimator': 'kalman_fixed_lag',
            'export.directory': str(output), 'export.overwrite': True},
        'joint_simulator': {
            'simulator': engine,
            # without meshes, and in UTF-8 whatever the encoding of the file
            'robot_description': clean_urdf(model), 'gravity': list(gravity),
            'duration': float(duration), 'start.subscribers': 3, 'start.timeout': START_TIMEOUT},
    }


def _follow(graph: DemoGraph, duration: float) -> None:
    """Show the progress of the motion, and the number of efforts, until it is done."""
    efforts = [0]

    def count(message: Any) -> None:
        efforts[0] += 1

    def begin(meanwhile: Callable[[], None]) -> None:
        graph.client.wait(lambda: efforts[0], START_TIMEOUT, 'message on inverse_dynamics/efforts',
                          meanwhile)
        # the last of the subscribers that the motion waits for
        graph.client.subscribe(JointState, 'joint_states', lambda message: None)

    graph.client.subscribe(JointState, 'inverse_dynamics/efforts', count)
    graph.follow(duration, lambda: f'{efforts[0]} efforts computed', begin)


def _conclude(graph: DemoGraph, model: RobotModel, output: Path) -> None:
    """Request the report and the exported model, print them and check the agreement."""
    def respond(service: str) -> str:
        response = graph.client.call(Trigger, service, _SERVICE_TIMEOUT, graph.watch)
        if not response.success:
            raise DemoError(f'service {service}: {response.message}')
        return str(response.message)

    files, _, figures = respond('effort_comparison/save_report').partition('\n\n')
    print(f'\nsimulated against computed effort:\n{figures}\n\nreport:\n{files}')
    print(f'exported model:\n{respond("export_model")}', flush=True)
    joints = json.loads((output / 'efforts.json').read_text(encoding='utf-8'))['joints']
    if not joints:
        raise DemoError(f'robot {model.name!r}: no effort was compared')
    wrong = [f'{joint["joint"]}: {joint["not_credible"]}' for joint in joints
             if joint['not_credible']]
    wrong += [f'{joint["joint"]}: NRMSE {100.0 * joint["nrmse"]:.3g} %, more than '
              f'{100.0 * _LARGEST_NRMSE:g} %' for joint in joints
              if not joint['not_credible'] and joint['nrmse'] > _LARGEST_NRMSE]
    if wrong:
        raise DemoError('the comparison does not show agreement: ' + '; '.join(wrong))
