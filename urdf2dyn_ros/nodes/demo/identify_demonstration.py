"""The demonstration of identify: a simulated robot differs from its URDF, and is identified."""

import shlex
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sensor_msgs.msg import JointState

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.algebra.vectors import Triple
from urdf2dyn_ros.evaluation.effort_bag import EffortBag
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.nodes.conversions import nanoseconds
from urdf2dyn_ros.nodes.demo.altered_robot import AlteredRobot, altered
from urdf2dyn_ros.nodes.demo.child_process import ChildProcess, stop_all
from urdf2dyn_ros.nodes.demo.demo_graph import (
    START_TIMEOUT,
    DemoError,
    DemoGraph,
    demo_exit_code,
    demo_graph,
)
from urdf2dyn_ros.nodes.demo.identify_picture import BeforeAndAfter, before_and_after_picture
from urdf2dyn_ros.parameters import check_all
from urdf2dyn_ros.parameters.gravity import checked_gravity
from urdf2dyn_ros.recordings.storage import library
from urdf2dyn_ros.robot_model import RobotModel
from urdf2dyn_ros.simulators.parameters import SIMULATOR_PARAMETERS
from urdf2dyn_ros.stamps import SECOND_NS
from urdf2dyn_ros.system.atomic_file import create_files, made_folder
from urdf2dyn_ros.system.json_text import json_text
from urdf2dyn_ros.system.share import robot_file
from urdf2dyn_ros.text_table import aligned
from urdf2dyn_ros.urdf.reader import read_description
from urdf2dyn_ros.urdf.source import load_urdf
from urdf2dyn_ros.urdf.writer import clean_urdf

IDENTIFY_FILES = ('robot.urdf', 'excitation.csv', 'excitation.yaml', 'excitation.png',
                  'recording', 'identified', 'identify_demo.png', 'identify_demo.json')
"""Results of the demonstration; those without an ending are directories."""

LARGEST_ERROR = 0.01
"""Torque error of the identified robot, over the measured torque, that is still a success."""

_SHARE_OF_LIMITS = 0.5
"""Share of the limits that the recorded motion uses."""

_AT_REST = 1e-3
"""Largest velocity of a joint that is at rest [rad/s or m/s]."""

_MESSAGES = 10_000

_MODELS = ('urdf', 'identified')


def run_identify_demo(robot: Path | None, duration: float, output: Path,
                      gravity: Triple) -> int:
    """
    Excite a simulated robot, record and identify it, and compute the efforts of another motion.

    Its inertias, friction and rotors are not those of its URDF. All nodes and commands run as
    child processes; they are stopped in any case. The arguments are those of `run_demo`: a robot
    with all limits, the duration of each of the two motions, an existing directory for
    IDENTIFY_FILES, which are replaced; all are written, or none. The exit code is 0 if the torque
    error is at most LARGEST_ERROR, 1 if not, 130 after Ctrl-C, 143 after SIGTERM.
    """
    library()   # an error now if bags cannot be written
    return demo_exit_code(lambda check: _demonstrate(
        robot or robot_file('rx90'), duration, output.absolute(), gravity, check))


def _demonstrate(robot: Path, duration: float, output: Path, gravity: Triple,
                 check: Callable[[], None]) -> None:
    begin = time.monotonic()
    check_all(SIMULATOR_PARAMETERS, {'duration': duration})
    model = read_description(load_urdf(str(robot)))
    text = clean_urdf(model, fill_limits=False)
    real = altered(model)
    options = ['--gravity', *map(str, checked_gravity(gravity))]
    if 'base_motion' in InverseDynamics(model).inputs:
        options += ['--base', 'fixed']   # the simulator fixes a floating root
    simulated = {'duration': float(duration), 'gravity': list(gravity)}
    with TemporaryDirectory(prefix='.', dir=output) as name:
        work = Path(name)
        (work / 'robot.urdf').write_text(text, encoding='utf-8')
        _say(f'1. robot {model.name!r} from {robot}: the simulated one has masses, centres and '
             'inertias that are 20 to 50 % off, friction and rotors; the motion to record is '
             'within half of its limits')
        _command(['excite', 'robot.urdf', '-o', 'excitation.csv', '--duration', f'{duration:g}',
                  '--fraction', f'{_SHARE_OF_LIMITS:g}', *options], work, check)
        _say('2. it plays this motion in DART, and what it publishes is recorded as a bag')
        _record(real, simulated, work, check)
        _say('3. from the bag and the URDF')
        _command(['identify', 'recording', '--urdf', 'robot.urdf', '--efforts', 'simulated',
                  '-o', 'identified', *options], work, check)
        _say('4. another motion: two nodes compute its efforts, one with robot.urdf, one with '
             'identified/')
        comparison = _compared(model, real, simulated, work, check)
        print(_table(comparison))
        (work / 'identify_demo.png').write_bytes(before_and_after_picture(comparison, model.name))
        (work / 'identify_demo.json').write_text(_figures(comparison), encoding='utf-8')
        check()
        _keep(work, output)
    print(f'after {time.monotonic() - begin:.0f} s:', *(output / name for name in IDENTIFY_FILES),
          sep='\n', flush=True)
    _, error = comparison.total_errors()
    if not error <= LARGEST_ERROR:
        raise DemoError(f'the torque error of the identified robot is {100.0 * error:.2g} %, more '
                        f'than {100.0 * LARGEST_ERROR:g} %; see identified/identification.html')


def _say(text: str) -> None:
    print(f'\n{text}', flush=True)


def _command(words: Sequence[str], folder: Path, check: Callable[[], None]) -> None:
    """Run a command of this package in a folder, and print its output meanwhile."""
    print(f'$ urdf2dyn {shlex.join(words)}', flush=True)
    child = ChildProcess('urdf2dyn_ros', words, folder=folder)
    shown = 0
    try:
        while child.wait(0.1) is None:
            check()
            shown = _print_new(child, shown)
        _print_new(child, shown)
    finally:
        stop_all([child])
    if child.exit_code != 0:
        raise DemoError(f'urdf2dyn {words[0]} ended with exit code {child.exit_code}')


def _print_new(child: ChildProcess, shown: int) -> int:
    """Print the lines after so many, and return the number of all lines."""
    lines = list(child.lines)
    for line in lines[shown:]:
        print(f'  {line}', flush=True)
    return len(lines)


def _simulator(robot: AlteredRobot, simulated: Mapping[str, Any],
               **more: Any) -> dict[str, Any]:
    return {'robot_description': clean_urdf(robot.model), 'effort': 'commanded',
            'start.timeout': START_TIMEOUT, **robot.drives, **simulated, **more}


def _record(robot: AlteredRobot, simulated: Mapping[str, Any], work: Path,
            check: Callable[[], None]) -> None:
    """Write the bag of the motion of the excitation."""
    messages: list[Any] = []
    with demo_graph(check) as graph:
        graph.start('joint_simulator', _simulator(
            robot, simulated, trajectory='file', trajectory_file=str(work / 'excitation.csv')))
        graph.follow(simulated['duration'], lambda: f'{len(messages)} messages',
                     lambda meanwhile: graph.client.subscribe(
                         JointState, 'joint_states', messages.append, _MESSAGES))
    check_complete([nanoseconds(message.header.stamp) for message in messages])
    with EffortBag(work / 'recording', 'mcap', messages[0].name, robot.model.root,
                   '/joint_states') as bag:
        for message in messages:
            bag.write(nanoseconds(message.header.stamp), *(np.array(values) for values in (
                message.position, message.velocity, message.effort)))


def _compared(model: RobotModel, robot: AlteredRobot, simulated: Mapping[str, Any], work: Path,
              check: Callable[[], None]) -> BeforeAndAfter:
    """Return measured and computed efforts of the motion `smooth`."""
    joints = InverseDynamics(model, base='fixed')
    received: dict[str, dict[int, Array]] = {name: {} for name in ('measured', *_MODELS)}
    moving: set[int] = set()

    def keep(source: str) -> Callable[[Any], None]:
        def receive(message: Any) -> None:
            columns = [list(message.name).index(name) for name in joints.joint_names]
            received[source][nanoseconds(message.header.stamp)] = np.array(message.effort)[columns]
            if source == 'measured' and np.abs(message.velocity).max() > _AT_REST:
                moving.add(nanoseconds(message.header.stamp))
        return receive

    def begin(graph: DemoGraph, meanwhile: Callable[[], None]) -> None:
        for name in _MODELS:
            graph.client.wait(lambda: received[name], START_TIMEOUT,  # noqa: B023
                              f'message on {name}/efforts', meanwhile)
        graph.client.subscribe(JointState, 'joint_states', keep('measured'), _MESSAGES)

    with demo_graph(check) as graph:
        for name, file in zip(_MODELS, ('robot.urdf', 'identified/identified.urdf')):
            arguments = ['-r', f'__node:={name}']
            if name == 'identified':
                arguments += ['--params-file', str(work / 'identified' / 'parameters.yaml')]
            graph.start('inverse_dynamics', {
                'robot_description': (work / file).read_text(encoding='utf-8'), 'base': 'fixed',
                'gravity': simulated['gravity'], 'estimator': 'kalman_fixed_lag'}, arguments)
            graph.client.subscribe(JointState, f'{name}/efforts', keep(name), _MESSAGES)
        graph.start('joint_simulator',
                    _simulator(robot, simulated, **{'start.subscribers': 3}))
        graph.follow(simulated['duration'],
                     lambda: f'{len(received["identified"])} efforts computed',
                     lambda meanwhile: begin(graph, meanwhile))
        end = max(received['measured'])
        graph.client.wait(lambda: all(max(received[name]) >= end for name in _MODELS),
                          START_TIMEOUT, 'efforts of the end of the motion', graph.watch)
    check_complete(received['measured'])
    return _before_and_after(joints, received, moving)


def _before_and_after(joints: InverseDynamics, received: Mapping[str, Mapping[int, Array]],
                      moving: set[int]) -> BeforeAndAfter:
    """Return the efforts (n,) of the stamps [ns] at which there are all, and the robot moves."""
    stamps = sorted(moving.intersection(*map(set, (received[name] for name in _MODELS))))
    if len(stamps) < 2:
        raise DemoError('no effort of the moving robot was computed')
    seconds = (np.array(stamps) - stamps[0]) / SECOND_NS
    return BeforeAndAfter(joints.joint_names, joints.effort_units, seconds, *(
        np.array([received[name][stamp] for stamp in stamps])
        for name in ('measured', *_MODELS)))


def check_complete(stamps: Iterable[int]) -> None:
    """Raise a DemoError if messages of the simulator are missing, whose steps are all equal."""
    steps = np.diff(sorted(stamps))
    lost = int(np.rint(steps / steps.min() - 1.0).sum()) if steps.size else 1
    if lost:
        raise DemoError(f'{lost} of {steps.size + lost + 1} messages of joint_states were lost: '
                        'the computer is too busy; run the demonstration again')


def _table(comparison: BeforeAndAfter) -> str:
    """Return the errors of each joint and of all, in percent of the measured torques."""
    rows = [*zip(comparison.joints, *comparison.errors()), ('all', *comparison.total_errors())]
    lines = [('torque error', 'URDF', 'identified'),
             *((name, f'{100.0 * before:.3g} %', f'{100.0 * after:.2g} %')
               for name, before, after in rows)]
    return '\n'.join(['', *aligned(lines)])


def _figures(comparison: BeforeAndAfter) -> str:
    before, after = comparison.errors()
    total = dict(zip(_MODELS, comparison.total_errors()))
    return json_text({'torque_error': total, 'joints': {
        joint: dict(zip(_MODELS, pair))
        for joint, pair in zip(comparison.joints, zip(before, after))}}, indent=1)


def _keep(work: Path, output: Path) -> None:
    """Copy all results from the temporary directory, or none."""
    files = {path.relative_to(work): path.read_bytes()
             for path in sorted(work.rglob('*')) if path.is_file()}
    with ExitStack() as stack:
        for folder in sorted({output / path.parent for path in files}):
            stack.enter_context(made_folder(folder))
        create_files({output / path: content for path, content in files.items()}, replace=True)
