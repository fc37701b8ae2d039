"""The demonstration: a simulated robot, its inverse dynamics and their comparison."""

import json
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from sensor_msgs.msg import JointState
from std_msgs.msg import Float64
from std_srvs.srv import Trigger

from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.nodes.endpoints import latched
from urdf2dyn_ros.nodes.joint_simulator import SIMULATOR_PARAMETERS
from urdf2dyn_ros.nodes.local_graph import (
    ChildProcess,
    Client,
    check_exit_codes,
    check_running,
    join_empty_domain,
    stop_all,
)
from urdf2dyn_ros.recordings.report import REPORT_FILES
from urdf2dyn_ros.robot.loads import checked_gravity
from urdf2dyn_ros.robot.model import RobotModel
from urdf2dyn_ros.robot.parameters import check_all
from urdf2dyn_ros.robot.reader import load_urdf, read_description
from urdf2dyn_ros.robot.spatial import Triple
from urdf2dyn_ros.robot.writer import clean_urdf
from urdf2dyn_ros.signals import ENDING_SIGNALS
from urdf2dyn_ros.system import robot_file

# ---- Nodes of this package as child processes in an empty DDS domain, and a client among them

# time until the robot moves, and without any progress of the motion [s]
START_TIMEOUT, _STALL_TIMEOUT = 60.0, 20.0

_LINE_PERIOD = 1.0   # between two lines of progress [s]


class DemoError(Urdf2DynError):
    """A demonstration that did not finish, or did not show agreement."""


class DemoGraph:
    """
    Child processes and a client; `watch` raises an error if one of them has ended.

    A TimeoutError within `demo_graph` becomes a DemoError with the last lines of all nodes.
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
def demo_graph(check: Callable[[], None]) -> Iterator[DemoGraph]:
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

    `run` is called with a function that raises a KeyboardInterrupt after one of these signals.
    """
    with _interrupts() as (check, received):
        try:
            run(check)
        except (Urdf2DynError, OSError) as error:
            print(f'error: {error}', file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            number = received[0] if received else signal.SIGINT
            print(ENDING_SIGNALS[number], file=sys.stderr)
            return 128 + number
    return 0


@contextmanager
def _interrupts() -> Iterator[tuple[Callable[[], None], Sequence[signal.Signals]]]:
    """
    Yield a function that raises a KeyboardInterrupt after SIGINT or SIGTERM, and those received.

    Raised at any instant, it would come out of rclpy as whatever error its C++ makes of it.
    """
    received: list[signal.Signals] = []

    def check() -> None:
        if received:
            raise KeyboardInterrupt

    def record(number: int, frame: FrameType | None) -> None:
        received.append(signal.Signals(number))

    before = {number: signal.signal(number, record) for number in ENDING_SIGNALS}
    try:
        yield check, received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


# ---- The demonstration: a simulated robot, its inverse dynamics and their comparison, end to end

# results of the demonstration, besides the exported model, whose name is the robot's
DEMO_FILES = REPORT_FILES
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
    with demo_graph(check) as graph:
        print(f'robot {model.name!r} from {robot}: simulated in DART for {duration:g} s, its '
              f'inverse dynamics computed from joint_states (DDS domain {graph.domain}, this '
              'computer only)', flush=True)
        for problem in model.warnings:
            print(f'note: {problem}', flush=True)
        for name, values in _parameters(model, duration, output, gravity).items():
            graph.start(name, values)
        _follow(graph, duration)
        simulator = [graph.children.pop()]   # a robot that stands still only delays the report
        stop_all(simulator)
        check_exit_codes(simulator)
        _conclude(graph, model, output)


def _parameters(model: RobotModel, duration: float, output: Path,
                gravity: Triple) -> dict[str, dict[str, Any]]:
    """Return the parameters of each node, in the order in which they are started."""
    return {
        'effort_comparison': {'report.directory': str(output), 'report.overwrite': True,
                              'efforts': 'simulated'},
        'inverse_dynamics': {
            # the simulator fixes a floating root
            'gravity': list(gravity), 'base': 'fixed', 'estimator': 'kalman_fixed_lag',
            'export.directory': str(output), 'export.overwrite': True},
        'joint_simulator': {
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
