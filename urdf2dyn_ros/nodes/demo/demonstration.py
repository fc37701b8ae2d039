"""The demonstration: a simulated robot, its inverse dynamics and their comparison, end to end."""

import json
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from sensor_msgs.msg import JointState
from std_msgs.msg import Float64
from std_srvs.srv import Trigger

from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.nodes.demo.child_process import (
    ChildProcess,
    check_exit_codes,
    check_running,
    last_lines,
    stop_all,
)
from urdf2dyn_ros.nodes.demo.local_graph import Client, join_empty_domain
from urdf2dyn_ros.nodes.qos import latched
from urdf2dyn_ros.parameters import check_all
from urdf2dyn_ros.parameters.gravity import GRAVITY
from urdf2dyn_ros.robot_model import RobotModel
from urdf2dyn_ros.simulators.parameters import SIMULATOR_PARAMETERS
from urdf2dyn_ros.system.progress import ProgressBar
from urdf2dyn_ros.system.share import robot_file
from urdf2dyn_ros.urdf.reader import read_description
from urdf2dyn_ros.urdf.source import load_urdf
from urdf2dyn_ros.urdf.writer import clean_urdf

_LARGEST_NRMSE = 0.05
"""NRMSE above which the efforts do not agree."""

_START_TIMEOUT, _STALL_TIMEOUT, _SERVICE_TIMEOUT = 60.0, 20.0, 120.0
"""Until the robot moves, without any progress of the motion, and of a service [s]."""


class DemoError(Urdf2DynError):
    """A demonstration that did not finish, or did not show agreement."""


def run_demo(robot: Path | None, duration: float, output: Path) -> int:
    """
    Simulate a robot, compute its efforts from its joint states, and compare the two.

    Three nodes run as child processes in a DDS domain of this computer; they are stopped in any
    case.

    Parameters
    ----------
    robot : Path or None
        URDF or xacro of a robot with a fixed base; None for the RX-90.
    duration : float
        Of the motion [s].
    output : Path
        Directory for the report and the exported model, which replace those of an earlier
        demonstration; created if it does not exist.

    Returns
    -------
    code : int
        0 if the demonstration finished and the efforts agree, 1 if not, 130 if interrupted.

    """
    with _interrupts() as check:
        try:
            _demonstrate(robot or robot_file('rx90'), duration, output.absolute(), check)
        except (Urdf2DynError, OSError) as error:
            print(f'error: {error}', file=sys.stderr)
            return 1
        except KeyboardInterrupt:
            print('interrupted', file=sys.stderr)
            return 130
    return 0


@contextmanager
def _interrupts() -> Iterator[Callable[[], None]]:
    """
    Record SIGINT and SIGTERM; yield a function that raises a KeyboardInterrupt after one.

    Raised at any instant, it would come out of rclpy as whatever error its C++ makes of it.

    """
    received: list[int] = []

    def check() -> None:
        if received:
            raise KeyboardInterrupt

    before = {number: signal.signal(number, lambda number, frame: received.append(number))
              for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield check
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _demonstrate(robot: Path, duration: float, output: Path,
                 check: Callable[[], None]) -> None:
    check_all(SIMULATOR_PARAMETERS, {'duration': duration})
    model = read_description(load_urdf(str(robot)))
    output.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        client, domain = join_empty_domain('demo')
        stack.callback(client.close)
        print(f'robot {model.name!r} from {robot}: simulated in DART for {duration:g} s, its '
              f'inverse dynamics computed from joint_states (DDS domain {domain}, this computer '
              'only)', flush=True)
        for problem in model.warnings:
            print(f'note: {problem}', flush=True)
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        children: list[ChildProcess] = []
        stack.callback(lambda: stop_all(children))

        def watch() -> None:
            check()
            check_running(children)

        for name, values in _parameters(model, duration, output).items():
            file = directory / f'{name}.yaml'
            # JSON is YAML with any description quoted
            file.write_text(json.dumps({'/**': {'ros__parameters': values}}, ensure_ascii=False),
                            encoding='utf-8')
            children.append(ChildProcess(
                f'urdf2dyn_ros.nodes.{name}', ['--ros-args', '--params-file', str(file)],
                {'ROS_DOMAIN_ID': str(domain)}))
        try:
            _follow(client, duration, watch)
            _conclude(client, model, output, watch)
        except TimeoutError as error:
            raise DemoError(f'{error}\n{last_lines(children)}') from None
        stop_all(children)
        check_exit_codes(children)


def _parameters(model: RobotModel, duration: float, output: Path) -> dict[str, dict[str, Any]]:
    """Return the parameters of each node, in the order in which they are started."""
    return {
        'effort_comparison': {'report.directory': str(output)},
        'inverse_dynamics': {
            # the simulator fixes a floating root
            'gravity': list(GRAVITY), 'base': 'fixed', 'estimator': 'kalman_fixed_lag',
            # of exact states there is no noise to learn before the motion begins
            'kalman_fixed_lag.snap_density': 1e5,
            'export.directory': str(output), 'export.overwrite': True},
        'joint_simulator': {
            # without meshes, and in UTF-8 whatever the encoding of the file
            'robot_description': clean_urdf(model), 'gravity': list(GRAVITY),
            'duration': float(duration), 'start.subscribers': 3, 'start.timeout': _START_TIMEOUT},
    }


def _follow(client: Client, duration: float, watch: Callable[[], None]) -> None:
    """Show the progress of the motion, and the number of efforts, until it is done."""
    done, efforts = [0.0], [0]

    def count(message: Any) -> None:
        efforts[0] += 1

    client.subscribe(Float64, 'joint_simulator/progress',
                     lambda message: done.append(message.data), latched())
    client.subscribe(JointState, 'inverse_dynamics/efforts', count)
    progress = ProgressBar(sys.stdout, pause=1.0)

    def meanwhile(at_once: bool = False) -> None:
        watch()
        progress.show(done[-1], f'{done[-1] * duration:5.1f} of {duration:g} s, {efforts[0]} '
                      'efforts computed', at_once)

    client.wait(lambda: efforts[0], _START_TIMEOUT, 'message on inverse_dynamics/efforts',
                meanwhile)
    # the last of the subscribers that the motion waits for
    client.subscribe(JointState, 'joint_states', lambda message: None)
    client.wait(lambda: done[-1] > 0.0, _STALL_TIMEOUT, 'motion of joint_simulator', meanwhile)
    while done[-1] < 1.0:
        before = len(done)
        client.wait(lambda: len(done) > before, _STALL_TIMEOUT,  # noqa: B023
                    'progress of joint_simulator', meanwhile)
    meanwhile(at_once=True)
    progress.close()


def _conclude(client: Client, model: RobotModel, output: Path,
              watch: Callable[[], None]) -> None:
    """Request the report and the exported model, print them and check the agreement."""
    def respond(service: str) -> str:
        response = client.call(Trigger, service, _SERVICE_TIMEOUT, watch)
        if not response.success:
            raise DemoError(f'service {service}: {response.message}')
        return str(response.message)

    files, _, figures = respond('effort_comparison/save_report').partition('\n\n')
    print(f'\nmeasured (simulated) against computed effort:\n{figures}\n\nreport:\n{files}')
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
