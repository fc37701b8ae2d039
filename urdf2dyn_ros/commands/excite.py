"""Find the motion within a robot's limits from which its parameters are identified best."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from urdf2dyn_ros.commands.arguments import (
    ROBOT,
    add,
    check_fixed,
    print_remarks,
    read_robot,
    results,
)
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.estimation.degrees import LIMIT_MARGIN
from urdf2dyn_ros.identification.excitation import (
    ENDINGS,
    PICTURE_RATE,
    Excitation,
    MotionLimits,
    approach_time,
    csv_text,
    excite,
    instants,
    read_limits,
    yaml_text,
)
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.recordings.pages import ReportTable, motion_picture, text_table
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.system import create_files, progress, require, writing_to
from urdf2dyn_ros.text import counted, quote

_COLLISIONS = ('collisions with itself, the floor and cables are not checked: play it slowly in a '
               'simulation first, and narrow the ranges with --limits where necessary')


def add_excite(parser: argparse.ArgumentParser) -> None:
    """Add robot, motion and results."""
    add(parser, *ROBOT)
    parser.add_argument('-o', '--output', type=Path, default=Path('trajectory.csv'),
                        metavar='FILE', help='table of the motion (default: trajectory.csv); '
                        'a trajectory_msgs/JointTrajectory (.yaml) and a picture (.png) of the '
                        'same name are written as well')
    add(parser, '--overwrite')
    parser.add_argument('--duration', type=float, default=20.0, metavar='SECONDS',
                        help='duration of the whole motion (default: 20)')
    parser.add_argument('--fraction', type=float, default=0.5, metavar='NUMBER',
                        help='share of the limits that the motion may use: position, velocity, '
                        'effort, and acceleration and jerk of URDF 1.2 (default: 0.5)')
    parser.add_argument('--limits', type=Path, metavar='FILE',
                        help='YAML with limits that replace those of the URDF, a line for '
                        'each joint: "<joint>: {lower: -1, upper: 1, velocity: 1, effort: 10, '
                        'acceleration: 5, jerk: 50}"')
    add(parser, '--base', rests='is at rest')


def run_excite(arguments: argparse.Namespace) -> int:
    """Print what the motion is worth and the files."""
    if arguments.output.suffix.lower() not in ENDINGS:
        raise ParameterError(f'--output {str(arguments.output)!r} must end in '
                             f'{" or ".join(ENDINGS)}; all three are written')
    require('urdf2dyn excite', 'scipy', 'matplotlib')
    model = read_robot(arguments)
    dynamics = InverseDynamics(model, tuple(arguments.gravity), base=arguments.base)
    check_fixed(dynamics, 'and its motion is not known')
    changes = read_limits(arguments.limits, dynamics.joint_names) if arguments.limits else {}
    print_remarks([
        f'--limits: {name} {value:g} of joint {quote(joint)} is beyond that of the URDF, {own:g}'
        + (': is it in degrees?' if unit == 'rad' and abs(value - own) > LIMIT_MARGIN
           and name in ('lower', 'upper') else '')
        for joint, limits, unit in zip(dynamics.joint_names, dynamics.limits, dynamics.units)
        for name, value in changes.get(joint, {}).items()
        if (own := getattr(limits, name)) is not None
        and (value < own if name == 'lower' else value > own)])
    stem = arguments.output.with_suffix('').name
    names = [stem + ending for ending in ENDINGS]
    with results(arguments.output.parent, names, arguments.overwrite, 'file') as output:
        with threadpool_limits(1, user_api='blas'), progress('optimising') as show:
            excitation = excite(dynamics, arguments.duration, arguments.fraction, changes, show)
        times = instants(excitation.duration, PICTURE_RATE)
        motion = excitation.motion(times)
        efforts = excitation.information.efforts(motion)
        joints, approach = dynamics.joint_names, approach_time(excitation)
        about = _about(excitation, arguments.fraction, approach)
        title = f'{model.name}: excitation'
        texts = (csv_text(excitation, joints).encode(),
                 yaml_text(excitation, joints, approach, [title, *about]).encode(),
                 motion_picture(times, {'q': motion[0], 'qd': motion[1], 'effort': efforts},
                                joints, title))
        table = _table(dynamics, excitation.limits, motion, efforts)
        with writing_to(output):
            create_files({output / name: text for name, text in zip(names, texts)},
                         arguments.overwrite)
    print('\n'.join([*about[:-1], '', text_table(table), '']))
    print(f'note: {_COLLISIONS}', file=sys.stderr)
    for name in names:
        print(output / name)
    return 0


def _about(excitation: Excitation, fraction: float, approach: float) -> list[str]:
    """Return sentences on a motion; the last one is on collisions."""
    best, other = excitation.log_det
    periods = round(excitation.duration / excitation.period)
    lines = [
        f'motion: {excitation.duration:g} s, {counted(periods, "period")} of '
        f'{excitation.period:g} s, within {100.0 * fraction:g} % of all limits, '
        'at rest at both ends',
        f'log det of the information: {best:.1f}; the best of {excitation.random} random motions: '
        f'{other:.1f}',
        f'the .yaml file begins with {approach:g} s in which the robot goes to the start, the '
        '.csv file at the start']
    if not excitation.complete:
        lines.append('the optimisation ended early, as it took too long on this machine')
    return [*lines, _COLLISIONS]


def _table(dynamics: InverseDynamics, limits: MotionLimits, motion: Array,
           efforts: Array) -> ReportTable:
    q, qd, _ = motion
    rows: list[Sequence[str]] = []
    for number, (joint, unit, effort_unit) in enumerate(zip(
            dynamics.joint_names, dynamics.units, dynamics.effort_units)):
        fastest, largest = (float(np.abs(values[:, number]).max()) for values in (qd, efforts))
        rows.append((joint, f'{q[0, number]:.3f}', f'{q[:, number].min():.3f}',
                     f'{q[:, number].max():.3f} {unit}', f'{fastest:.3f} {unit}/s',
                     f'{largest:.3g} {effort_unit}', f'{limits.effort[number]:.3g}'))
    return ReportTable('', ('joint', 'start', 'lowest', 'highest', 'fastest', 'largest effort',
                            'allowed'), rows)
