"""The demonstration: a simulated robot, its inverse dynamics and their comparison, end to end."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from urdf2dyn_ros.algebra.vectors import Triple
from urdf2dyn_ros.comparison.files import REPORT_FILES
from urdf2dyn_ros.nodes.demo.demo_graph import (
    START_TIMEOUT,
    DemoError,
    DemoGraph,
    demo_exit_code,
    demo_graph,
)
from urdf2dyn_ros.parameters import check_all
from urdf2dyn_ros.parameters.gravity import checked_gravity
from urdf2dyn_ros.robot_model import RobotModel
from urdf2dyn_ros.simulators.parameters import SIMULATOR_PARAMETERS
from urdf2dyn_ros.system.share import robot_file
from urdf2dyn_ros.urdf.reader import read_description
from urdf2dyn_ros.urdf.sources import load_urdf
from urdf2dyn_ros.urdf.writer import clean_urdf

DEMO_FILES = REPORT_FILES
"""Results of the demonstration, besides the exported model, whose name is the robot's."""

_LARGEST_NRMSE = 0.05
"""NRMSE above which the efforts do not agree."""

_SERVICE_TIMEOUT = 120.0
"""Time until a service responds [s]."""


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
        graph.stop_newest()   # a robot that stands still only delays the report
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
