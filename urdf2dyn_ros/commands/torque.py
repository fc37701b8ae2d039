"""Print the efforts that a state or a trajectory requires; at rest, those against gravity."""

import argparse
import math
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path

import numpy as np

from urdf2dyn_ros.commands.arguments import (
    CARRIED,
    FRICTION,
    JOINTS,
    ROBOT,
    add,
    print_remarks,
    read_recorded_loads,
    read_robot,
    results,
)
from urdf2dyn_ros.errors import ParameterError, RecordingError
from urdf2dyn_ros.estimation.hold import read_hold
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.recordings import open_recording
from urdf2dyn_ros.recordings.joint_names import match_joints
from urdf2dyn_ros.recordings.pages import ReportTable, motion_picture, text_table
from urdf2dyn_ros.recordings.report import write_head, write_rows
from urdf2dyn_ros.recordings.series import Stamps
from urdf2dyn_ros.recordings.smoothing import FEWEST_SAMPLES, smooth
from urdf2dyn_ros.robot.multibody import multibody
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.system import create_files, require, writing_to
from urdf2dyn_ros.text import counted, first_names, printable, quote, suggestion

_STATE = {'q': 'positions [rad or m]', 'qd': 'velocities [rad/s or m/s]',
          'qdd': 'accelerations [rad/s^2 or m/s^2]'}
_RATES = {'q': '', 'qd': '/s', 'qdd': '/s^2'}   # of the units
_ROUNDING = 1e-6   # by which a table may exceed a limit, relative to it
_NOTHING = 1e-12   # effort that is rounding, relative to the largest one


def add_torque(parser: argparse.ArgumentParser) -> None:
    """Add the robot, the state or the trajectory, the loads and the results."""
    add(parser, *ROBOT)
    for name, what in _STATE.items():
        parser.add_argument(f'--{name}', nargs='+', default=(), metavar='VALUE',
                            help=f'{what} of the joints in their order, or JOINT=VALUE of some '
                            'of them (default: 0)')
    parser.add_argument('--trajectory', metavar='FILE', help='a motion instead of a state: '
                        'table (.csv with time, q_<joint>, and optionally qd_ and qdd_), '
                        'trajectory_msgs/JointTrajectory as .yaml, or bag')
    parser.add_argument('--accelerations', choices=('differentiated', 'zero'), default='',
                        help='where those of the trajectory come from (default: from the file, or '
                        'else differentiated); zero: also velocities that the file does not have '
                        'are zero')
    parser.add_argument('--degrees', action='store_true',
                        help='angles of the state or of the trajectory are in degrees')
    add(parser, *CARRIED, *FRICTION, link='link that carries it')
    parser.add_argument('--terms', action='store_true', help='show the terms of each effort: '
                        'gravity, coriolis, inertia, and loads; of a trajectory the largest of '
                        'each')
    add(parser, *JOINTS, '--topic', '--columns')
    parser.add_argument('-o', '--output', type=Path, metavar='FILE', help='table of a trajectory '
                        "(.csv; default: <the file's stem>_torque.csv); a picture (.png) of the "
                        'same name is written as well')
    add(parser, '--overwrite')
    parser.set_defaults(base='fixed')


def run_torque(arguments: argparse.Namespace) -> int:
    """Print the efforts of each joint; of a trajectory also the files."""
    model = read_robot(arguments.robot, arguments.xacro_args, arguments.strict_inertia)
    robot = read_recorded_loads(arguments, model)
    mass, link = robot.values['payload.mass'], robot.values['payload.link']
    if arguments.payload_mass and not link:
        raise ParameterError(f'--payload-mass {mass:g}: which link carries it? Add --payload-link')
    if (arguments.payload_link or arguments.payload_com) and not mass:
        raise ParameterError('--payload-link and --payload-com require --payload-mass')
    dynamics = InverseDynamics(robot.model, robot.gravity, 'python', loads=robot.loads)
    if not dynamics.joint_names:
        raise ParameterError(f'robot {model.name!r} has no joint that moves: there is no effort')
    if multibody(model).floating:
        print_remarks(['the root floats in the URDF; here it is at rest'], 'note')
    if arguments.trajectory:
        return _trajectory(dynamics, arguments)
    if arguments.output:
        raise ParameterError('--output is the table of a trajectory: add --trajectory FILE')
    motion = np.array([[_values(name, getattr(arguments, name), dynamics)] for name in _STATE])
    motion *= _scale(dynamics, arguments.degrees)
    print_remarks(_beyond_limits(dynamics, motion))
    print(text_table(_state_table(dynamics, motion, arguments)))
    return 0


def _scale(dynamics: InverseDynamics, degrees: bool) -> Array:
    """Return the SI units in those of a user, (n,)."""
    return np.array([math.pi / 180.0 if degrees and unit == 'rad' else 1.0
                     for unit in dynamics.units])


def _values(option: str, words: Sequence[str], dynamics: InverseDynamics) -> Array:
    """Return the values (n,) of an option: one for each joint, or JOINT=VALUE, the others 0."""
    names = dynamics.joint_names
    pairs = [(name if sign else '', text) for name, sign, text in (
        word.rpartition('=') for word in words)]
    named = [name for name, _ in pairs if name]
    if not named and len(words) == len(names):
        pairs = [(name, text) for name, (_, text) in zip(names, pairs)]
    elif len(named) < len(words):
        raise ParameterError(
            f'--{option}: {counted(len(words) - len(named), "value")} without a name, but '
            f'{counted(len(names), "joint")}: give one for each, in the order '
            f'{first_names(names, 40)}; or JOINT=VALUE for some, the others are 0')
    values: dict[str, float] = {}
    for name, text in pairs:
        if name not in names or name in values:
            fault = ('the joint is named twice' if name in values else
                     f'the robot has no joint {quote(name)} of its own; '
                     f'{suggestion(name, names, search=True)}')
            raise ParameterError(f'--{option} {name}={text}: {fault}')
        try:
            values[name] = float(text)
        except ValueError:
            values[name] = math.nan
        if not math.isfinite(values[name]):
            raise ParameterError(f'--{option}: {quote(text)}, for joint {quote(name)}, is not a '
                                 'number')
    return np.array([values.get(name, 0.0) for name in names])


def _beyond_limits(dynamics: InverseDynamics, motion: Array) -> Iterator[str]:
    """Yield a sentence for each limit of the URDF that a motion (3, k, n) exceeds."""
    for joint, (name, unit, limits) in enumerate(zip(
            dynamics.joint_names, dynamics.units, dynamics.limits)):
        q, qd = motion[0, :, joint], np.abs(motion[1, :, joint])
        lower, upper = limits.lower, limits.upper
        if not dynamics.continuous[joint] and lower is not None and upper is not None:
            far = np.maximum(lower - q, q - upper)
            if far.max() > _ROUNDING * max(abs(lower), abs(upper)):
                yield (f'{printable(name)}: the position {q[far.argmax()]:.4g} {unit} is outside '
                       f'of its limits, {lower:.4g} to {upper:.4g}')
        if limits.velocity and qd.max() > limits.velocity * (1.0 + _ROUNDING):
            yield (f'{printable(name)}: the velocity {qd.max():.4g} {unit}/s is beyond its limit, '
                   f'{limits.velocity:.4g}')


def _share(dynamics: InverseDynamics, joint: int, effort: float) -> str:
    """Return an effort as a share of its limit; - without a limit."""
    limit = dynamics.limits[joint].effort
    return f'{100.0 * abs(effort) / limit:.1f} %' if limit else '-'


def _state_table(dynamics: InverseDynamics, motion: Array,
                 arguments: argparse.Namespace) -> ReportTable:
    shown = [name for name in _STATE if name == 'q' or getattr(arguments, name)]
    q, qd, qdd = motion[:, 0]
    in_units = motion[:, 0] / _scale(dynamics, arguments.degrees)
    efforts = dynamics(q, qd, qdd)
    terms = dynamics.terms(q, qd, qdd) if arguments.terms else {}
    least = _NOTHING * np.abs(efforts).max()
    efforts, *parts = (np.where(np.abs(each) > least, each, 0.0)
                       for each in (efforts, *terms.values()))
    rows = []
    for joint, (name, si_unit, effort_unit) in enumerate(zip(
            dynamics.joint_names, dynamics.units, dynamics.effort_units)):
        unit = 'deg' if arguments.degrees and si_unit == 'rad' else si_unit
        state = [f'{value[joint]:.6g} {unit}{_RATES[each]}' for each, value in zip(
            _STATE, in_units) if each in shown]
        rows.append((printable(name), *state, f'{efforts[joint]:.6g} {effort_unit}',
                     _share(dynamics, joint, efforts[joint]),
                     *(f'{part[joint]:.6g}' for part in parts)))
    return ReportTable('', ('joint', *shown, 'effort', 'of limit', *terms), rows)


# ---- Trajectories

def _trajectory(dynamics: InverseDynamics, arguments: argparse.Namespace) -> int:
    """Print the figures of a trajectory, and write its table and its picture."""
    for name in _STATE:
        if getattr(arguments, name):
            raise ParameterError(f'--{name} is of a state, and --trajectory has its own: omit one')
    require('urdf2dyn torque --trajectory', 'matplotlib')
    path = arguments.output or Path(f'{Path(arguments.trajectory).stem}_torque.csv')
    if path.suffix.lower() != '.csv':
        raise ParameterError(f'--output {str(path)!r} must end in .csv')
    names = [path.name, path.with_suffix('.png').name]
    with results(path.parent, names, arguments.overwrite, 'file') as output:
        stamps, motion, how = _motion(dynamics, arguments)
        q, qd, qdd = motion
        efforts = dynamics(q, qd, qdd)
        terms = dynamics.terms(q, qd, qdd) if arguments.terms else {}
        columns = {'q': q, 'qd': qd, 'qdd': qdd, 'effort': efforts, 'power': efforts * qd, **terms}
        text = StringIO()
        write_head(text, dynamics.joint_names, [*columns])
        write_rows(text, stamps.tolist(),
                   np.stack([*columns.values()], axis=2).reshape(len(stamps), -1).tolist())
        time = (stamps - stamps[0]) * 1e-9
        picture = motion_picture(
            time, {name: columns[name] for name in ('q', 'qd', 'effort', 'power')},
            dynamics.joint_names, f'{dynamics.model.name}: {Path(arguments.trajectory).name}')
        with writing_to(output):
            create_files({output / names[0]: text.getvalue().encode(),
                          output / names[1]: picture}, arguments.overwrite)
    print_remarks(_beyond_limits(dynamics, motion))
    print(f'{arguments.trajectory}: {counted(len(time), "point")}, {time[-1]:.3f} s, '
          f'accelerations {how}', '',
          text_table(_trajectory_table(dynamics, time, motion, efforts, terms)), '', sep='\n')
    for name in names:
        print(output / name)
    return 0


def _motion(dynamics: InverseDynamics,
            arguments: argparse.Namespace) -> tuple[Stamps, Array, str]:
    """Return stamps (k,) [ns], motion (3, k, n) and where its accelerations come from."""
    names = dynamics.joint_names
    hold, faults = read_hold(arguments.hold, dynamics)
    if faults:
        raise ParameterError('\n'.join(faults))
    recording = open_recording(arguments.trajectory, arguments.topic, columns=arguments.columns)
    recorded = match_joints(recording, recording, names, hold, arguments.rename,
                               dynamics.model.mimics)
    stamps, rows = [], []
    for record in recorded.records:
        stamps.append(record.stamp)
        of_joint = [dict(zip(record.names, values)) if len(values) == len(record.names) else {}
                    for values in (record.position, record.velocity, record.acceleration)]
        rows.append([[each.get(name, math.nan) for name in names] for each in of_joint])
    print_remarks([*recorded.remarks, *recording.remarks])
    times = np.array(stamps, dtype=np.int64)
    motion = np.array(rows).transpose(1, 0, 2) * _scale(dynamics, arguments.degrees)
    for name, position in recorded.hold.positions.items():
        motion[:, :, names.index(name)] = np.array([[position], [0.0], [0.0]])
    back = np.flatnonzero(np.diff(times) <= 0)
    if len(back):
        raise RecordingError(recording.path, f'point {back[0] + 2} is not later than the one '
                             'before: sort the points, or keep one trajectory of several')
    for point, joint in np.argwhere(~np.isfinite(motion[0])):
        raise RecordingError(
            recording.path, f'point {point + 1} has no position of {names[joint]!r}: a trajectory '
            'has all joints in each; of a recording, urdf2dyn evaluate computes the efforts')
    return times, *_completed(motion, times, arguments.accelerations, recording.path)


def _completed(motion: Array, stamps: Stamps, accelerations: str,
               path: Path) -> tuple[Array, str]:
    """Return a motion (3, k, n) without gaps, and where its accelerations come from."""
    if accelerations == 'zero':
        motion[2] = 0.0
        return np.nan_to_num(motion), 'zero'
    if accelerations:
        motion[2] = np.nan
    if np.isfinite(motion).all():
        return motion, 'as given'
    if len(stamps) < FEWEST_SAMPLES:
        given = np.isfinite(motion[1]).all()
        raise RecordingError(
            path, f'{counted(len(stamps), "point")} without '
            f'{"" if given else "velocities and "}accelerations, which '
            f'only {FEWEST_SAMPLES} or more are differentiated to: add them to the file, or '
            '--accelerations zero')
    require('urdf2dyn torque --trajectory without accelerations', 'scipy')
    curve = smooth(stamps, motion[0])
    how = 'as given' if np.isfinite(motion[2]).all() else 'differentiated'
    return np.where(np.isfinite(motion), motion, np.array(curve[:3])), how


def _trajectory_table(dynamics: InverseDynamics, time: Array, motion: Array, efforts: Array,
                      terms: dict[str, Array]) -> ReportTable:
    steps = np.diff(time, prepend=time[0], append=time[-1])
    weights = steps[1:] + steps[:-1] if len(time) > 1 else np.ones(1)   # trapezoidal rule
    rms = np.sqrt(np.average(efforts**2, axis=0, weights=weights))
    power = efforts * motion[1] + 0.0   # no -0
    rows = []
    for joint, (name, unit, effort_unit) in enumerate(zip(
            dynamics.joint_names, dynamics.units, dynamics.effort_units)):
        row = int(np.abs(efforts[:, joint]).argmax())
        rows.append((
            printable(name), f'{efforts[row, joint]:.5g} {effort_unit}', f'{time[row]:.3f} s',
            _share(dynamics, joint, efforts[row, joint]), f'{rms[joint]:.5g} {effort_unit}',
            f'{np.abs(motion[1, :, joint]).max():.4g} {unit}/s',
            f'{max(power[:, joint].max(), 0.0):.4g} W', f'{min(power[:, joint].min(), 0.0):.4g} W',
            *(f'{np.abs(term[:, joint]).max():.5g}' for term in terms.values())))
    return ReportTable('', ('joint', 'largest', 'at', 'of limit', 'RMS', 'fastest', 'driving',
                            'braking', *terms), rows)
