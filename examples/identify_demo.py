"""
Identify a simulated robot that is not as its URDF says, and compare its efforts before and after.

    pip install '.[demo]'
    python examples/identify_demo.py [ROBOT.urdf] [--duration S] [--output DIR]

The simulated RX-90, or any robot with all limits, has masses, centres and inertias that are 20 to
50 % off, friction and rotors. It plays the motion of `urdf2dyn excite`, `urdf2dyn identify` reads
what was recorded, and two nodes compute the efforts of another motion: one from the URDF, one from
what was identified. Files of an earlier run are replaced.
"""

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

try:
    import numpy as np
    from matplotlib.figure import Figure
    from sensor_msgs.msg import JointState

    from urdf2dyn_ros import InverseDynamics
    from urdf2dyn_ros.nodes.demonstration import (
        START_TIMEOUT,
        DemoError,
        demo_exit_code,
        running_graph,
    )
    from urdf2dyn_ros.simulation import available_simulator
except ImportError as error:
    sys.exit(f"this example needs urdf2dyn_ros and ROS 2's Python library ({error}); "
             "in a clone of it: pip install '.[demo]'")

RX90 = Path(__file__).parent.parent / 'urdf' / 'rx90.urdf'
COULOMB, VISCOUS, ROTOR = 0.03, 0.04, 0.5
"""
Coulomb friction, viscous friction at the limit of the velocity, over the limit of the effort;
reflected inertia of the rotor over that of the links.
"""
WIDTHS = {'rad': 0.02, 'm': 0.002}   # velocity in which the sign of friction turns over [1/s]
LARGEST_ERROR = 0.01   # of the efforts after identification, over the measured ones
AT_REST = 1e-3   # largest velocity of a joint that is at rest [rad/s or m/s]
QUEUE = 10_000   # [messages]
Check = Callable[[], None]   # raises a KeyboardInterrupt after Ctrl-C


def altered(urdf: str) -> tuple[str, dict[str, float]]:
    """Return another robot of the same shape, and its drives as parameters of the simulator."""
    random = np.random.default_rng(1990)

    def factors(count: int) -> np.ndarray:
        signs = random.choice((-1.0, 1.0), count)
        return 1.0 + signs * random.uniform(0.2, 0.5, count)

    def multiply(element: Any, key: str, factor: Any) -> None:
        values = np.array(element.get(key).split(), float) * factor
        element.set(key, ' '.join(map(repr, values.tolist())))

    robot = ElementTree.fromstring(urdf)
    for inertial in robot.iter('inertial'):
        (mass, size), centre = factors(2), factors(3)
        multiply(inertial.find('mass'), 'value', mass)
        for key in inertial.find('inertia').attrib:   # its tensor remains possible
            multiply(inertial.find('inertia'), key, size)
        if 'xyz' in getattr(inertial.find('origin'), 'attrib', {}):
            multiply(inertial.find('origin'), 'xyz', centre)
    text = ElementTree.tostring(robot, encoding='unicode')

    dynamics, drives = InverseDynamics(text, base='fixed'), {}
    inertias = dynamics.mass_matrix(np.zeros(len(dynamics.joint_names))).diagonal()
    for joint, limits, inertia, unit in zip(dynamics.joint_names, dynamics.limits, inertias,
                                            dynamics.units):
        effort, velocity = limits.effort or 0.0, limits.velocity or 1.0
        coulomb, viscous, rotor = random.uniform(0.7, 1.3, 3)
        drives |= {f'joints.{joint}.coulomb': float(coulomb * COULOMB * effort),
                   f'joints.{joint}.viscous': float(viscous * VISCOUS * effort / velocity),
                   f'joints.{joint}.friction_width': WIDTHS[unit],
                   f'joints.{joint}.armature': float(rotor * ROTOR * inertia)}
    return text, drives


def command(folder: Path, check: Check, *words: str) -> None:
    """Run a command of this package in the folder of the results."""
    print(f'$ urdf2dyn {" ".join(words)}', flush=True)
    code = subprocess.run([sys.executable, '-m', 'urdf2dyn_ros', *words], cwd=folder).returncode
    check()
    if code != 0:
        raise DemoError(f'urdf2dyn {words[0]} ended with exit code {code}')


def record(simulator: dict[str, Any], file: Path, check: Check) -> None:
    """Write a table of what the simulator publishes."""
    messages: list[Any] = []
    with running_graph(check) as graph:
        graph.start('joint_simulator', simulator)
        graph.follow(simulator['duration'], lambda: f'{len(messages)} messages',
                     lambda meanwhile: graph.client.subscribe(JointState, 'joint_states',
                                                              messages.append, QUEUE))
    names, stamps = messages[0].name, [nanoseconds(message) for message in messages]
    check_complete(stamps)
    columns = ['time', *(f'{what}_{name}' for what in ('q', 'qd', 'effort') for name in names)]
    rows = [[(stamp - stamps[0]) * 1e-9, *message.position, *message.velocity, *message.effort]
            for stamp, message in zip(stamps, messages)]
    np.savetxt(file, rows, '%.12g', delimiter=',', header=','.join(columns), comments='')


def compare(joints: tuple[str, ...], models: dict[str, dict[str, Any]],
            simulator: dict[str, Any], check: Check) -> dict[str, np.ndarray]:
    """Return time [s] (k,) and efforts (k, n) of another motion: measured, and of each model."""
    received: dict[str, dict[int, np.ndarray]] = {name: {} for name in ('measured', *models)}
    moving = set()

    def keep(source: str) -> Callable[[Any], None]:
        def receive(message: Any) -> None:
            columns = [list(message.name).index(name) for name in joints]
            received[source][nanoseconds(message)] = np.array(message.effort)[columns]
            if source == 'measured' and np.abs(message.velocity).max() > AT_REST:
                moving.add(nanoseconds(message))
        return receive

    def begin(meanwhile: Check) -> None:
        for name in models:
            graph.client.wait(lambda: received[name],  # noqa: B023
                              START_TIMEOUT, f'message on {name}/efforts', meanwhile)
        graph.client.subscribe(JointState, 'joint_states', keep('measured'), QUEUE)

    with running_graph(check) as graph:
        for name, parameters in models.items():
            file = parameters.pop('file', None)
            graph.start('inverse_dynamics', parameters, [
                '-r', f'__node:={name}', *(['--params-file', str(file)] if file else [])])
            graph.client.subscribe(JointState, f'{name}/efforts', keep(name), QUEUE)
        graph.start('joint_simulator', {**simulator, 'start.subscribers': 3})
        graph.follow(simulator['duration'], lambda: f'{len(received["identified"])} efforts '
                     'computed', begin)
        end = max(received['measured'])
        graph.client.wait(lambda: all(max(received[name]) >= end for name in models),
                          START_TIMEOUT, 'efforts of the end of the motion', graph.watch)
    check_complete(list(received['measured']))
    stamps = sorted(moving.intersection(*(received[name] for name in models)))
    if len(stamps) < 2:
        raise DemoError('no effort of the moving robot was computed')
    return {'time': (np.array(stamps) - stamps[0]) * 1e-9,
            **{name: np.array([efforts[stamp] for stamp in stamps])
               for name, efforts in received.items()}}


def nanoseconds(message: Any) -> int:
    return int(message.header.stamp.sec * 10**9 + message.header.stamp.nanosec)


def check_complete(stamps: list[int]) -> None:
    """Raise a DemoError if messages of the simulator are missing, whose steps are all equal."""
    steps = np.diff(sorted(stamps))
    lost = int(np.rint(steps / steps.min() - 1.0).sum()) if steps.size else 1
    if lost:
        raise DemoError(f'{lost} of {steps.size + lost + 1} messages of joint_states were lost: '
                        'the computer is too busy; run the demonstration again')


def error(efforts: dict[str, np.ndarray], name: str, axis: int | None = None) -> Any:
    """Return the norm of the error over that of the measured efforts, of all joints or each."""
    return (np.linalg.norm(efforts[name] - efforts['measured'], axis=axis)
            / np.linalg.norm(efforts['measured'], axis=axis))


def draw(robot: InverseDynamics, efforts: dict[str, np.ndarray], file: Path) -> None:
    """Draw the efforts of up to twelve joints."""
    count = min(12, len(robot.joint_names))
    figure = Figure(figsize=(12.4, 0.8 + 2.1 * -(-count // 2)))
    figure.suptitle('simulated with other inertias, friction and rotors than in the URDF; a '
                    f'motion that was not recorded: error {100.0 * error(efforts, "urdf"):.3g} % '
                    f'→ {100.0 * error(efforts, "identified"):.2g} %')
    places = figure.subplots(-(-count // 2), 2, squeeze=False).ravel()
    for k, (axes, name) in enumerate(zip(places, robot.joint_names)):
        for source, colour, width, style, label in (
                ('measured', '#56B4E9', 3.2, '-', 'simulated'),
                ('urdf', '#6E6E6E', 1.1, '--', 'computed from the URDF'),
                ('identified', '#D55E00', 1.1, '-', 'computed from the identified parameters')):
            axes.plot(efforts['time'], efforts[source][:, k], color=colour, linewidth=width,
                      linestyle=style, label=label)
        axes.set_title(name, loc='left', parse_math=False)
        before, after = (100.0 * error(efforts, source, 0)[k] for source in ('urdf', 'identified'))
        axes.set_title(f'error {before:.3g} % → {after:.2g} %', fontsize='small', loc='right')
        axes.set_ylabel(f'effort [{robot.effort_units[k]}]', fontsize='small')
        axes.set_xlabel('time [s]', fontsize='small')
        axes.grid(color='#DDDDDD', linewidth=0.5)
    for axes in places[count:]:
        axes.axis('off')
    top = 1.0 - 0.65 / figure.get_figheight()
    figure.legend(*places[0].get_legend_handles_labels(), loc='lower center', ncol=3,
                  bbox_to_anchor=(0.5, top), frameon=False)
    figure.tight_layout(rect=(0.0, 0.0, 1.0, 1.0 - 0.3 / figure.get_figheight()))
    figure.savefig(file, dpi=110)


def demonstrate(urdf: Path, duration: float, folder: Path, check: Check) -> None:
    """Excite, record, identify and compare; a DemoError if the error is not small then."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(urdf, folder / 'robot.urdf')
    description = urdf.read_text(encoding='utf-8')
    robot, (real, drives) = InverseDynamics(description, base='fixed'), altered(description)
    engine = available_simulator()
    simulator = {'simulator': engine, 'robot_description': real, 'duration': duration,
                 'effort': 'commanded', 'start.timeout': START_TIMEOUT, **drives}
    print(f'1. {urdf}: the simulated robot has masses, centres and inertias that are 20 to 50 % '
          'off, friction and rotors; the motion to record is within half of its limits')
    command(folder, check, 'excite', 'robot.urdf', '-o', 'excitation.csv', '--duration',
            f'{duration:g}', '--fraction', '0.5', '--base', 'fixed', '--overwrite')
    print(f'\n2. it plays this motion in {engine}, and what it publishes is recorded')
    record({**simulator, 'trajectory_file': str(folder / 'excitation.csv')},
           folder / 'recording.csv', check)
    print('\n3. from the recording and the URDF')
    command(folder, check, 'identify', 'recording.csv', '--urdf', 'robot.urdf', '--efforts',
            'simulated', '--base', 'fixed', '-o', 'identified', '--overwrite')
    print('\n4. another motion: two nodes compute its efforts, one with robot.urdf, one with '
          'identified/')
    node = {'base': 'fixed', 'estimator': 'kalman_fixed_lag'}
    efforts = compare(robot.joint_names, {
        'urdf': {**node, 'robot_description': description},
        'identified': {**node, 'file': folder / 'identified' / 'parameters.yaml',
                       'robot_description': (folder / 'identified' / 'identified.urdf').read_text(
                           encoding='utf-8')}}, simulator, check)
    errors = {source: {'all': error(efforts, source),
                       **dict(zip(robot.joint_names, error(efforts, source, 0).tolist()))}
              for source in ('urdf', 'identified')}
    for joint, before in errors['urdf'].items():
        print(f'{joint:16} error of the efforts: {100.0 * before:.3g} % with the URDF, '
              f'{100.0 * errors["identified"][joint]:.2g} % identified')
    draw(robot, efforts, folder / 'identify_demo.png')
    (folder / 'identify_demo.json').write_text(json.dumps(errors, indent=1))
    print(f'\n{folder / "identify_demo.png"}', flush=True)
    if not errors['identified']['all'] <= LARGEST_ERROR:
        raise DemoError(f'more than {100.0 * LARGEST_ERROR:g} % of the torque of the identified '
                        'robot is wrong; see identified/identification.html')


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=(__doc__ or '').split('\n')[1])
    parser.add_argument('robot', nargs='?', type=Path, default=RX90, metavar='ROBOT.urdf')
    parser.add_argument('--duration', type=float, default=10.0,
                        help='of each of the two motions [s]')
    parser.add_argument('--output', type=Path, default=Path('demo_output/identify'))
    given = parser.parse_args()
    sys.exit(demo_exit_code(lambda check: demonstrate(
        given.robot, given.duration, given.output.absolute(), check)))
