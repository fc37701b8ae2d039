"""
What the package writes and computes, kept in files to prove that a change changes nothing.

    .venv/bin/python benchmarks/freeze.py exports [OUT.json] [--compare OLD.json]
    .venv/bin/python benchmarks/freeze.py stream [OUT.npz] [--compare OLD.npz] [--data FOLDER]

exports: the files of 30 robots, all functions, languages and styles, and numbers of operations;
stream: stamps and efforts of every recording by each estimator, with and without velocities. A
comparison lists every difference and ends with 1 if there is one.
Recordings that are not there are neither run nor compared.

"""

import argparse
import hashlib
import itertools
import json
import os
import re
import sqlite3
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from rosbags.typesys import Stores, get_typestore

from urdf2dyn_ros import (
    Friction,
    InverseDynamics,
    LinkFrames,
    Loads,
    RobotModel,
    Rotor,
    Spring,
    Target,
    Urdf2DynError,
    export_model,
    read_urdf,
)
from urdf2dyn_ros.estimation.estimators import ESTIMATORS
from urdf2dyn_ros.estimation.messages import Message
from urdf2dyn_ros.estimation.stream_setup import STREAM_PARAMETERS, make_stream

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = (Path(sysconfig.get_path('purelib')) / 'cmeel.prefix' / 'share'
            / 'example-robot-data' / 'robots')
WORKERS = 2

OWN = ('humanoid_3p33r', 'robot_2r', 'rx90', 'scara')
OTHERS = (
    'allegro_hand_description/urdf/allegro_left_hand', 'anymal_c_simple_description/urdf/anymal',
    'anymal_b_simple_description/robots/anymal-kinova', 'asr_twodof_description/urdf/TwoDofs',
    'baxter_description/urdf/baxter', 'bolt_description/robots/bolt',
    'borinot_description/urdf/borinot_flying_arm_2',
    'double_pendulum_description/urdf/double_pendulum_continuous',
    'hector_description/robots/quadrotor_base',
    'hextilt_description/urdf/hextilt_flying_arm_5', 'hyq_description/robots/hyq_no_sensors',
    'icub_description/robots/icub_reduced', 'kinova_description/robots/kinova',
    'panda_description/urdf/panda', 'simple_humanoid_description/urdf/simple_humanoid',
    'so_arm_description/urdf/so101', 'solo_description/robots/solo12',
    'talos_data/robots/talos_left_arm', 'talos_data/robots/talos_reduced',
    'tiago_description/robots/tiago', 'tiago_description/robots/tiago_no_hand',
    'ur_description/urdf/ur10_robot', 'ur_description/urdf/ur3_gripper',
    'ur_description/urdf/ur5_robot', 'xarm_description/urdf/xarm7', 'z1_description/urdf/z1')
ROBOTS = {Path(name).name: path for name, path in (
    *((name, ROOT / 'urdf' / f'{name}.urdf') for name in OWN),
    *((name, EXAMPLES / f'{name}.urdf') for name in OTHERS))}
FUNCTIONS = ('inverse_dynamics', 'gravity', 'bias', 'mass_matrix', 'forward_dynamics', 'momentum',
             'terms', 'inverse_dynamics_derivatives', 'forward_dynamics_derivatives',
             'forward_kinematics', 'jacobian', 'frame_motion', 'regressor', 'all')
OF_LINKS = ('forward_kinematics', 'jacobian', 'frame_motion')
LANGUAGES = ('python', 'c', 'cpp', 'matlab', 'rust', 'javascript')
STYLES = ('readable', 'fast', 'general')
MANY_JOINTS = 20   # that move; beyond it there are fewer styles and languages


# exports


def variants(model: RobotModel, function: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield language, name of the variant, and arguments of `export_model`."""
    moving = [joint for joint in model.joints if joint.type != 'fixed']
    big = len(moving) > MANY_JOINTS
    inner = {joint.parent for joint in model.joints}
    tip = [joint.child for joint in model.joints if joint.child not in inner][-1:]
    tip = tip or [model.links[-1].name]
    frames = {'frames': LinkFrames(tuple(tip))} if function in OF_LINKS else {}
    terms = (Friction(viscous=1.5, coulomb=0.7, stribeck=0.2, decay=0.1),
             Rotor(inertia=1e-4, gear_ratio=50.0), Spring(stiffness=3.0, reference=0.1))
    loaded = Loads(terms={joint.name: terms for joint in moving if joint.mimic is None
                          and joint.type in ('revolute', 'continuous', 'prismatic')},
                   external=tip, payload=tip[0])
    for language, style in itertools.product(LANGUAGES, STYLES):
        if not big or function == 'inverse_dynamics':
            chosen = style != 'general' or (language in ('python', 'c') and not big)
        else:
            chosen = style == 'fast' and language in ('python', 'c')
        if chosen:
            yield language, style, {'style': style, **frames}
        if ((language, style) in (('python', 'readable'), ('c', 'fast')) or (
                style == 'readable' and function == 'inverse_dynamics')) and not big:
            yield language, f'{style}, loads', {'style': style, 'loads': loaded, **frames}
        if style == 'readable' and language == 'python' and not big:
            yield language, f'{style}, moving base', {
                'style': style, 'loads': Loads(base='moving'), **frames}
        if style == 'fast' and language in ('c', 'rust') and not big:
            yield language, f'{style}, float', {'style': style, 'single': True, **frames}
        if style == 'fast' and language == 'python' and function in OF_LINKS[1:]:
            yield language, f'{style}, axes of the link', {
                'style': style, 'frames': LinkFrames(tuple(tip), 'link')}


@cache
def model_of(robot: str) -> RobotModel:
    """Return a robot's model, read once in each process."""
    return read_urdf(ROBOTS[robot])


def exported(robot: str, function: str) -> tuple[dict[str, Any], dict[str, str]]:
    """Return {language: {variant: {file: sha256}}}, and the operations of each call by style."""
    digests: dict[str, Any] = {}
    operations = {}
    for language, variant, arguments in variants(model_of(robot), function):
        single = arguments.pop('single', False)
        try:
            files = export_model(
                model_of(robot), Target(language, 'float' if single else 'double'),
                functions=function, **arguments)
        except Urdf2DynError as error:   # whose words may change
            digests.setdefault(language, {})[variant] = {'refused': type(error).__name__}
            continue
        digests.setdefault(language, {})[variant] = {
            name: hashlib.sha256(text.encode()).hexdigest() for name, text in files.items()}
        if language == 'python' and variant in STYLES:
            head = ' '.join(text for text in files.values()).split('"""')[1]
            operations[variant] = '; '.join(
                ' '.join(each.split()) for each in re.findall(r'One call of ([^.]+)\.', head))
    return digests, operations


def freeze_exports(options: argparse.Namespace) -> dict[str, Any]:
    """Return the digests and operations of all exports; the largest robots first."""
    result: dict[str, Any] = {robot: {'files': {}, 'operations': {}} for robot in options.robots}
    jobs = {f'{robot} {function}': partial(exported, robot, function)
            for robot in sorted(options.robots, key=lambda name: -ROBOTS[name].stat().st_size)
            for function in FUNCTIONS}
    with ProcessPoolExecutor(WORKERS) as pool:
        for job, (digests, operations) in done(pool, jobs):
            robot, function = job.split()
            result[robot]['files'][function] = digests
            result[robot]['operations'][function] = operations
    return {'format': 'every file', 'robots': result}


def shortened(frozen: dict[str, Any]) -> dict[str, Any]:
    """Return exports with one digest for all files of a robot, function and language."""
    return {'format': 'short', 'robots': {robot: {
        'operations': parts['operations'], 'files': {function: {
            language: hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()[:16]
            for language, files in languages.items()}
            for function, languages in parts['files'].items()}}
        for robot, parts in frozen['robots'].items()}}


def compare_exports(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    """Yield a line for each robot, function, language and variant whose files differ."""
    if old['format'] == 'short' != new['format']:
        new = shortened(new)
    chosen = {robot: old['robots'][robot] for robot in new['robots'] if robot in old['robots']}
    return differences(chosen, new['robots'])


# stream

STAR = """<robot name="star"><link name="root"/>{}</robot>"""
RAY = """<link name="{0}_link"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0"
ixz="0" iyz="0"/></inertial></link><joint name="{0}" type="revolute"><parent link="root"/>
<child link="{0}_link"/><axis xyz="0 0 1"/><limit lower="-1e3" upper="1e3" effort="1e3"
velocity="1e3"/></joint>"""
UR10 = 'ur10_exciting_trajectory/ur10_exciting_trajectory.db3'
URDFS = {
    'examples/rx90.csv': ROBOTS['rx90'], UR10: ROBOTS['ur10_robot'],
    'tx40/tx40.csv': 'tx40/tx40.urdf', 'tiago/tiago.csv': ROBOTS['tiago_no_hand'],
    'gazebo/rx90_doc_motion.csv': ROBOTS['rx90'], 'gazebo/scara_effort.csv': ROBOTS['scara'],
    'gazebo/rx90_update_rate_100.csv': ROBOTS['rx90'],
    'gazebo/rx90_friction_effort.csv': 'gazebo/rx90_friction.urdf',
    'gazebo/mimic_velocity.csv': 'gazebo/mimic.urdf'}
"""The description of the robot of a recording; the others are a star of links of unit inertia,
whose efforts are the accelerations."""


def samples_of(path: Path) -> tuple[list[int], list[str], list[Any], list[Any]]:
    """
    Return stamps [ns] of k messages, names of n joints, positions and velocities (k, n).

    Without code of the package, which may change. Velocities that were not recorded are empty.
    """
    if path.suffix == '.csv':
        table = np.genfromtxt(path, delimiter=',', names=True, deletechars='')
        names = [name[2:] for name in table.dtype.names if name.startswith('q_')]
        q, qd = (np.stack([table[f'{kind}_{name}'] for name in names], axis=1).tolist()
                 if f'{kind}_{names[0]}' in table.dtype.names else [] for kind in ('q', 'qd'))
        stamps = np.round(table['time'] * 1e9).astype(int) + 10**9   # 0 is no stamp
        return stamps.tolist(), names, q, qd or [[]] * len(q)
    types = get_typestore(Stores.ROS2_HUMBLE)
    with sqlite3.connect(path) as bag:
        messages = [types.deserialize_cdr(data, 'sensor_msgs/msg/JointState') for data, in
                    bag.execute('SELECT data FROM messages ORDER BY timestamp, id')]
    stamps = [each.header.stamp.sec * 10**9 + each.header.stamp.nanosec for each in messages]
    return (stamps, messages[0].name, [each.position.tolist() for each in messages],
            [each.velocity.tolist() for each in messages])


def streamed(recording: Path, urdf: str | Path) -> dict[str, Any]:
    """Return stamps and efforts by every estimator, with and without the velocities."""
    stamps, names, positions, velocities = samples_of(recording)
    star = STAR.format(''.join(map(RAY.format, names)))
    dynamics = InverseDynamics(urdf or star)
    arrays = {'names': np.array(dynamics.joint_names)}
    defaults = {row.name: row.default for row in STREAM_PARAMETERS} | {'hold': ('auto',)}
    for estimator, given in itertools.product(ESTIMATORS, ('q', 'q qd')):
        if given == 'q qd' and not velocities[0]:
            continue
        now = 0
        robot = make_stream(defaults | {'estimator': estimator}, dynamics, lambda: now)  # noqa: B023
        outputs = []
        for now, q, qd in zip(stamps, positions, velocities):
            output = robot.receive(Message(now, names, q, qd if given == 'q qd' else [], []))
            if output is not None:
                outputs.append(output)
        arrays[f'{estimator}, {given}, stamps'] = np.array([each.stamp for each in outputs],
                                                           dtype=np.int64)
        arrays[f'{estimator}, {given}, efforts'] = np.array(
            [each.effort for each in outputs]).reshape(-1, len(dynamics.joint_names))
    return arrays


def freeze_stream(options: argparse.Namespace) -> dict[str, Any]:
    """Return the arrays of all recordings."""
    recordings = {'examples/rx90.csv': ROOT / 'examples' / 'rx90.csv', **{
        path.relative_to(options.data).as_posix(): path
        for path in sorted((*options.data.rglob('*.csv'), *options.data.rglob(Path(UR10).name)))}}
    jobs = {name: partial(streamed, path, options.data / URDFS[name] if name in URDFS else '')
            for name, path in recordings.items()}
    with ProcessPoolExecutor(WORKERS) as pool:
        return {f'{name}: {what}': array for name, arrays in done(pool, jobs)
                for what, array in arrays.items()}


def compare_stream(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    """Yield a line for each recording and estimator whose stamps or efforts differ."""
    recordings = {what.partition(':')[0] for what in new}
    for what in sorted({*new, *(each for each in old if each.partition(':')[0] in recordings)}):
        case, _, kind = what.rpartition(', ')
        if what not in old or what not in new:
            yield f'{what}: only in the {"old" if what in old else "new"} file'
        elif kind == 'efforts':
            common, rows, others = np.intersect1d(
                old[f'{case}, stamps'], new[f'{case}, stamps'], return_indices=True)
            before, after = old[what][rows], new[what][others]
            counts = len(old[what]), len(new[what])
            scale = np.abs(before).max(axis=0, initial=1e-300)
            largest = (np.abs(after - before) / scale).max(axis=0, initial=0.0)
            if largest.any() or {*counts} != {len(common)}:
                names = new[f'{case.partition(":")[0]}: names'].tolist()
                yield (f'{case}: {counts[0]} outputs, now {counts[1]}, {len(common)} in common; '
                       'largest differences over largest effort: ' + ', '.join(
                           f'{name} {each:.1e}' for name, each in zip(names, largest)))


# all of them


def done(pool: Executor, jobs: dict[str, Callable[[], Any]]) -> Iterator[tuple[str, Any]]:
    """Run jobs, and yield their names and results as they end, with progress on stderr."""
    start = time.monotonic()
    names = {pool.submit(job): name for name, job in jobs.items()}
    for count, future in enumerate(as_completed(names), 1):
        print(f'{time.monotonic() - start:4.0f} s  {count} of {len(names)}  {names[future]}'[:99],
              file=sys.stderr, flush=True)
        yield names[future], future.result()


def differences(old: Any, new: Any, path: str = '') -> Iterator[str]:
    """Yield a line for each leaf that differs in two trees."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            yield from (differences(old[key], new[key], f'{path} {key}'.strip())
                        if key in old and key in new else
                        [f'{path} {key}: only in the {"old" if key in old else "new"} file'])
    elif old != new:
        yield f'{path}: {old}, now {new}'


def load(path: Path) -> dict[str, Any]:
    """Return what was kept in a file."""
    if path.suffix == '.npz':
        with np.load(path) as arrays:
            return dict(arrays)
    kept: dict[str, Any] = json.loads(path.read_text())
    return kept


def save(path: Path, frozen: dict[str, Any]) -> None:
    """Keep a result in a file."""
    if path.suffix == '.npz':
        np.savez_compressed(path, **frozen)
    else:
        path.write_text(json.dumps(frozen, indent=1, sort_keys=True) + '\n')


KINDS = {'exports': (freeze_exports, compare_exports), 'stream': (freeze_stream, compare_stream)}


def main() -> int:
    """Freeze, compare, or both."""
    parser = argparse.ArgumentParser(description=(__doc__ or '').strip().splitlines()[0])
    parser.add_argument('kind', choices=KINDS)
    parser.add_argument('output', type=Path, nargs='?')
    parser.add_argument('--compare', type=Path, metavar='OLD')
    parser.add_argument('--short', action='store_true', help='one digest for each language')
    parser.add_argument('--robots', nargs='+', choices=ROBOTS, default=list(ROBOTS),
                        metavar='NAME', help='exports of these alone')
    parser.add_argument('--data', type=Path, help='folder of recordings (default: $URDF2DYN_DATA)',
                        default=os.environ.get('URDF2DYN_DATA', 'recordings'))
    options = parser.parse_args()
    freeze, compare = KINDS[options.kind]
    old = load(options.compare) if options.compare else None
    new = freeze(options)
    if options.output:
        save(options.output, shortened(new) if options.short else new)
    if old is None:
        return 0
    print(f'compares {len(new.get("robots", new))} of {len(old.get("robots", old))}',
          file=sys.stderr)
    lines = list(compare(old, new))
    print(*lines, f'{len(lines)} differences from {options.compare}', sep='\n')
    return 1 if lines else 0


if __name__ == '__main__':
    sys.exit(main())
