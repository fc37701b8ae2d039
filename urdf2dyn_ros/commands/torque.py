"""Print the efforts that a state or a trajectory requires; at rest, those against gravity."""

import argparse
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from urdf2dyn_ros.commands.arguments import (
    CARRIED,
    FRICTION,
    JOINTS,
    READING,
    ROBOT,
    add,
    print_remarks,
    read_reading,
    read_recorded_loads,
    read_robot,
    results,
)
from urdf2dyn_ros.errors import BalanceError, ParameterError, RecordingError, StateError
from urdf2dyn_ros.estimation.degrees import angle_unit
from urdf2dyn_ros.estimation.hold import Hold, read_hold
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.recordings import open_recording
from urdf2dyn_ros.recordings.joint_names import match_joints
from urdf2dyn_ros.recordings.pages import ReportTable, behind_gaps, motion_picture, text_table
from urdf2dyn_ros.recordings.pieces import RecordedNames, read_segments, with_held
from urdf2dyn_ros.recordings.plan import LONGEST_STEP, Plan, doubts, instants
from urdf2dyn_ros.recordings.recording import Recording
from urdf2dyn_ros.recordings.report import write_head, write_rows
from urdf2dyn_ros.recordings.series import Stamps
from urdf2dyn_ros.recordings.smoothing import FEWEST_SMOOTHED, smooth
from urdf2dyn_ros.robot.multibody import make_multibody
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.robot.terms import Rotor
from urdf2dyn_ros.system import create_files, json_text, require, writing_to
from urdf2dyn_ros.text import counted, first_names, printable, quote, suggestion

_OF_TRAJECTORIES = ('--output', '--overwrite', '--recording', '--accelerations', '--pause',
                    '--topic', '--columns', '--rate', '--rename', '--hold')
_STATE = {'q': 'positions [rad or m]', 'qd': 'velocities [rad/s or m/s]',
          'qdd': 'accelerations [rad/s^2 or m/s^2]'}
_RATES = {'q': '', 'qd': '/s', 'qdd': '/s^2'}   # of the units
_ROUNDING = 1e-6   # by which a table may exceed a limit, relative to it
_NOTHING = 1e-12   # effort that is rounding, relative to the largest one
# rad/s or m/s, of a plan with points seconds apart: it is 20 rad/s with times in milliseconds
_SLOWEST = 0.02
_FULL_TURN = 7.0   # position of a joint with limits from which on it looks like degrees [rad]


def add_torque(parser: argparse.ArgumentParser) -> None:
    """Add the robot, the state or the trajectory, the loads and the results."""
    add(parser, *ROBOT)
    for name, what in _STATE.items():
        parser.add_argument(f'--{name}', nargs='+', default=(), metavar='VALUE',
                            help=f'{what} of the joints in their order, or JOINT=VALUE of some '
                            'of them (default: 0)')
    parser.add_argument('--trajectory', metavar='FILE', help='a motion instead of a state: '
                        'table (.csv with time, q_<joint>, and optionally qd_ and qdd_), '
                        'trajectory_msgs/JointTrajectory as .yaml, or bag; its points are joined '
                        'as joint_trajectory_controller does it')
    parser.add_argument('--recording', action='store_true', help='the trajectory was measured: it '
                        'is smoothed, not passed through all points (default for bags of '
                        'JointState)')
    parser.add_argument('--accelerations', choices=('zero',), default='',
                        help='zero: each point is a pose without accelerations, and without '
                        'velocities that the file does not have')
    parser.add_argument('--pause', type=float, metavar='SECONDS', help='rest after the '
                        'trajectory, in its last pose, for the RMS over a cycle')
    parser.add_argument('--standing', nargs='+', default=[], metavar='FOOT',
                        help='the base is free, and the robot stands on these links: points, or '
                        'with a sole about their origin as FOOT:LENGTHxWIDTH [m]')
    parser.add_argument('--mu', type=float, metavar='NUMBER',
                        help='friction of the ground (default: 0.6), with --standing')
    add(parser, *CARRIED, *FRICTION, link='link that carries it (default: the only tip)')
    parser.add_argument('--terms', action='store_true', help='show the terms of each effort: '
                        'gravity, coriolis, inertia, and loads; of a trajectory the largest of '
                        'each')
    add(parser, *JOINTS, *READING, angles='angles of the state, or of a trajectory whose unit is '
        'not stated,')
    parser.add_argument('--json', action='store_true', help='print JSON, in SI units')
    parser.add_argument('-o', '--output', type=Path, metavar='FILE', help='table of a trajectory '
                        "(.csv; default: <the file's stem>_torque.csv); a picture (.png) of the "
                        'same name is written as well')
    add(parser, '--overwrite')
    parser.set_defaults(base='fixed')


def run_torque(arguments: argparse.Namespace) -> int:
    """Print the efforts of each joint; of a trajectory also the files."""
    model = read_robot(arguments)
    robot = read_recorded_loads(arguments, model)
    if (arguments.payload_link or arguments.payload_com) and not robot.values['payload.mass']:
        raise ParameterError('--payload-link and --payload-com require --payload-mass')
    dynamics = InverseDynamics(robot.model, robot.gravity, 'python', loads=robot.loads)
    if not dynamics.joint_names:
        raise ParameterError(f'robot {model.name!r} has no joint that moves: there is no effort')
    if arguments.standing and (arguments.trajectory or arguments.qd or arguments.qdd):
        raise ParameterError('--standing is of a pose at rest: leave out --trajectory, --qd and '
                             '--qdd')
    if arguments.mu is not None and not arguments.standing:
        raise ParameterError('--mu is the friction of the ground: add --standing FOOT ...')
    if make_multibody(model).floating and not arguments.standing:
        print_remarks(['the root floats in the URDF; here it is at rest'], 'note')
    if arguments.trajectory:
        return _trajectory(dynamics, arguments)
    for option in _OF_TRAJECTORIES:
        value = getattr(arguments, option[2:])
        if value is not False and value not in (None, '', []):   # 0 is a value
            raise ParameterError(f'{option} is of a trajectory: add --trajectory FILE')
    motion = np.array([[_values(name, getattr(arguments, name), dynamics)] for name in _STATE])
    if arguments.degrees and (arguments.lock or arguments.start):
        print_remarks(['--degrees is of --q, --qd and --qdd: --lock and --start are in rad'])
    motion *= _scale(dynamics, arguments.degrees)
    print_remarks([*_looks_like_degrees(dynamics, motion[0], arguments.degrees),
                   *_beyond_limits(dynamics, np.zeros(1), motion)])
    efforts, terms = _efforts(dynamics, motion, arguments.terms)
    ground = None
    if arguments.standing:
        require('urdf2dyn torque --standing', 'scipy')
        try:
            ground = dynamics.standing(motion[0, 0], _feet(arguments.standing),
                                       0.6 if arguments.mu is None else arguments.mu)
        except BalanceError as error:
            print(f'no: {error}')
            return 1
        if arguments.terms:
            terms['feet'] = ground.efforts - efforts
        efforts = np.where(np.abs(ground.efforts) > _NOTHING * np.abs(efforts).max(),
                           ground.efforts, 0.0)[None]
    rows = [{'joint': name, 'unit': unit, 'effort_unit': effort_unit,
             **{each: float(motion[k, 0, joint]) for k, each in enumerate(_STATE)},
             'effort': float(efforts[0, joint]),
             'share': _share(dynamics, joint, efforts[0, joint]),
             'terms': {each: float(part[0, joint]) for each, part in terms.items()}}
            for joint, (name, unit, effort_unit) in enumerate(zip(
                dynamics.joint_names, dynamics.units, dynamics.effort_units))]
    if arguments.json:
        print(json_text({'robot': dynamics.model.name, 'gravity': [*map(
            float, dynamics.gravity_vector)], 'joints': rows, **({} if ground is None else {
                'feet': {foot: wrench.tolist() for foot, wrench in ground.wrenches.items()}})}),
            end='')
    else:
        print(text_table(_state_table(rows, arguments)))
        if ground is not None:
            print('\n' + text_table(ReportTable('', ('foot', 'normal force', 'tangential'), [
                (foot, f'{ground.normal[foot]:.6g} N', f'{ground.tangential[foot]:.4g} N')
                for foot in ground.wrenches])))
    return 0


def _feet(words: Sequence[str]) -> dict[str, tuple[float, float] | None]:
    """Return the soles of feet [m], None of a point, from FOOT or FOOT:LENGTHxWIDTH."""
    feet: dict[str, tuple[float, float] | None] = {}
    for word in words:
        foot, _, sole = word.partition(':')
        try:
            length, width = map(float, sole.split('x')) if sole else (0.0, 0.0)
        except ValueError:
            raise ParameterError(f'--standing {word}: write FOOT, or FOOT:LENGTHxWIDTH in m, as '
                                 f'{foot}:0.2x0.1') from None
        feet[foot] = (length, width) if sole else None
    return feet


def _scale(dynamics: InverseDynamics, degrees: bool) -> Array:
    """Return the SI units in those of a user, (n,)."""
    return np.array([math.pi / 180.0 if degrees and unit == 'rad' else 1.0
                     for unit in dynamics.units])


def _values(option: str, words: Sequence[str], dynamics: InverseDynamics) -> Array:
    """Return the values (n,) of an option: one for each joint, or JOINT=VALUE, the others 0."""
    names = dynamics.joint_names
    if not set(',;[]() ') & set(''.join(names)):   # 0,-60,90 and [0, -60, 90] as well
        words = ' '.join(words).translate(str.maketrans(',;[]()', '      ')).split()
    pairs = [(name if sign else '', text) for name, sign, text in (
        word.rpartition('=') for word in words)]
    named = [name for name, _ in pairs if name]
    if not named and len(words) == len(names):
        pairs = [(name, text) for name, (_, text) in zip(names, pairs)]
    elif len(named) < len(words):
        raise ParameterError(
            f'--{option}: {counted(len(words) - len(named), "value")} without a name, but '
            f'{counted(len(names), "joint")}: give one for each, in the order '
            f'{first_names(names, 40)}; or JOINT=VALUE for some, the others are 0; --lock '
            'JOINT=POSITION for those that do not move')
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


def _looks_like_degrees(dynamics: InverseDynamics, q: Array, degrees: bool) -> Iterator[str]:
    """Yield a question about positions (k, n) beyond a turn."""
    far = {name: value for joint, (name, unit) in enumerate(zip(
               dynamics.joint_names, dynamics.units))
           if unit == 'rad' and not dynamics.continuous[joint]
           and abs(value := q[np.abs(q[:, joint]).argmax(), joint]) > _FULL_TURN}
    if far and not degrees:
        values = [f'{printable(name)} {value:g} rad' for name, value in far.items()]
        limits = dict(zip(dynamics.joint_names, dynamics.limits))
        units = [angle_unit(value, max(-(limits[name].lower or 0.0), limits[name].upper or 0.0)
                            or 2.0 * math.pi) for name, value in far.items()]
        unit = max(units, key=units.count)
        yield (f'{first_names(values, 5)}: more than a turn; are these {unit}? Then '
               + ('add --degrees' if unit == 'degrees' else 'convert them'))


def _beyond_limits(dynamics: InverseDynamics, time: Array, motion: Array,
                   efforts: Array | None = None) -> Iterator[str]:
    """Yield a sentence for each limit of the URDF that a motion (3, k, n) exceeds."""
    for joint, (name, unit, limits) in enumerate(zip(
            dynamics.joint_names, dynamics.units, dynamics.limits)):
        q, qd = motion[0, :, joint], np.abs(motion[1, :, joint])
        lower, upper = limits.lower, limits.upper

        def at(size: Array) -> str:
            return f' at {time[size.argmax()]:.3f} s' if len(time) > 1 else ''

        if not dynamics.continuous[joint] and lower is not None and upper is not None:
            far = np.maximum(lower - q, q - upper)
            if far.max() > _ROUNDING * max(abs(lower), abs(upper)):
                yield (f'{printable(name)}: the position {q[far.argmax()]:.4g} {unit}{at(far)} is '
                       f'outside of its limits, {lower:.4g} to {upper:.4g}')
        if limits.velocity and qd.max() > limits.velocity * (1.0 + _ROUNDING):
            yield (f'{printable(name)}: the velocity {qd.max():.4g} {unit}/s{at(qd)} is beyond '
                   f'its limit, {limits.velocity:.4g}')
        if efforts is not None and limits.effort:
            size = np.abs(efforts[:, joint])
            if size.max() > limits.effort * (1.0 + _ROUNDING):
                yield (f'{printable(name)}: the effort {size.max():.4g} '
                       f'{dynamics.effort_units[joint]}{at(size)} is beyond its limit, '
                       f'{limits.effort:.4g}')


def _share(dynamics: InverseDynamics, joint: int, effort: float) -> float | None:
    limit = dynamics.limits[joint].effort
    return abs(float(effort)) / limit if limit else None


def _percent(share: float | None) -> str:
    return '-' if share is None else f'{100.0 * share:.1f} %'


_AT_ONCE = 20_000   # states, so that the memory does not grow with the trajectory


def _efforts(dynamics: InverseDynamics, motion: Array,
             with_terms: bool) -> tuple[Array, dict[str, Array]]:
    """Return the efforts (k, n) of a motion (3, k, n), and their terms, without rounding."""
    parts = [motion[:, k:k + _AT_ONCE] for k in range(0, motion.shape[1], _AT_ONCE)]
    closed = [{'passive': dynamics.close(part[0])} if dynamics.passive_names else {}
              for part in parts]
    efforts = np.concatenate([dynamics(*part, **pose) for part, pose in zip(parts, closed)])
    pieces = [dynamics.terms(*part, **pose)
              for part, pose in zip(parts, closed)] if with_terms else [{}]
    terms = {name: np.concatenate([each[name] for each in pieces]) for name in pieces[0]}
    least = _NOTHING * np.abs(efforts).max()

    def clean(values: Array) -> Array:
        return np.where(np.abs(values) > least, values, 0.0)

    return clean(efforts), {name: clean(each) for name, each in terms.items()}


def _state_table(rows: Sequence[Mapping[str, Any]], arguments: argparse.Namespace) -> ReportTable:
    shown = [name for name in _STATE if name == 'q' or getattr(arguments, name)]
    cells = []
    for row in rows:
        degrees = arguments.degrees and row['unit'] == 'rad'
        unit, size = ('deg', math.pi / 180.0) if degrees else (row['unit'], 1.0)
        cells.append((printable(row['joint']), *(
            f'{row[each] / size:.6g} {unit}{_RATES[each]}' for each in shown),
            f'{row["effort"]:.6g} {row["effort_unit"]}', _percent(row['share']),
            *(f'{part:.6g}' for part in row['terms'].values())))
    return ReportTable('', ('joint', *shown, 'effort', 'of limit', *rows[0]['terms']), cells)


# ---- Trajectories

_MOST_ROWS = 100_000   # of the table that is written


def _trajectory(dynamics: InverseDynamics, arguments: argparse.Namespace) -> int:
    for name in _STATE:
        if getattr(arguments, name):
            raise ParameterError(f'--{name} is of a state, and --trajectory has its own: omit one')
    pause = arguments.pause
    if pause is not None and not 0.0 <= pause < math.inf:
        raise ParameterError(f'--pause {pause:g}: must be a time in seconds, at least 0')
    require('urdf2dyn torque --trajectory', 'matplotlib', 'scipy')
    path = arguments.output or Path(f'{Path(arguments.trajectory).stem}_torque.csv')
    if path.suffix.lower() != '.csv':
        raise ParameterError(f'--output {str(path)!r} must end in .csv')
    names = [path.name, path.with_suffix('.png').name]
    with results(path.parent, names, arguments.overwrite, 'file') as output:
        stamps, motion, begins, how = _motion(dynamics, arguments)
        q, qd, qdd = motion
        efforts, terms = _efforts(dynamics, motion, arguments.terms)
        columns = {'q': q, 'qd': qd, 'qdd': qdd, 'effort': efforts, 'power': efforts * qd, **terms}
        written = np.arange(len(stamps))
        if len(written) > _MOST_ROWS:   # with the largest efforts
            some = np.linspace(0, len(stamps) - 1, _MOST_ROWS - len(dynamics.joint_names))
            written = np.union1d(some.astype(int), np.abs(efforts).argmax(axis=0))
        text = StringIO()
        write_head(text, dynamics.joint_names, [*columns])
        write_rows(text, stamps[written].tolist(), np.stack(
            [each[written] for each in columns.values()], axis=2).reshape(
                len(written), -1).tolist())
        time = (stamps - stamps[0]) * 1e-9
        picture = motion_picture(
            time, {name: columns[name] for name in ('q', 'qd', 'effort', 'power')},
            dynamics.joint_names, f'{dynamics.model.name}: {Path(arguments.trajectory).name}')
        with writing_to(output):
            create_files({output / names[0]: text.getvalue().encode(),
                          output / names[1]: picture}, arguments.overwrite)
    beyond = [*_beyond_limits(dynamics, time, motion, efforts)]
    print_remarks(beyond)
    rows = _figures(dynamics, time, motion, begins, efforts, terms, pause)
    files = [str(output / name) for name in names]
    if arguments.json:
        print(json_text({
            'robot': dynamics.model.name, 'gravity': [*map(float, dynamics.gravity_vector)],
            'trajectory': arguments.trajectory, 'taken_as': how, 'duration': float(time[-1]),
            'pause': pause, 'beyond_limits': beyond, 'joints': rows, 'files': files}), end='')
        return 0
    print(f'{arguments.trajectory}: {how}; {time[-1]:.3f} s', '',
          text_table(_trajectory_table(rows)), '', sep='\n')
    motors = _motor_table(rows)
    if motors.rows:
        print(*motors.text, text_table(motors), '', sep='\n')
    print(*files, sep='\n')
    return 0


class _Motion(NamedTuple):
    """A motion (3, k, n) at stamps (k,) [ns], and what the file was taken for."""

    stamps: Stamps
    values: Array
    begins: list[int]   # rows at which it begins, also behind a gap
    how: str


def _motion(dynamics: InverseDynamics, arguments: argparse.Namespace) -> _Motion:
    names = dynamics.joint_names
    hold, faults = read_hold(arguments.hold, dynamics)
    if faults:
        raise ParameterError('\n'.join(faults))
    recording = open_recording(arguments.trajectory, **read_reading(arguments)._asdict())
    recorded = match_joints(recording, dict(zip(names, dynamics.units)), hold, arguments.rename,
                            dynamics.model.mimics)
    stamps, rows = [], []
    for record in recorded.records:
        stamps.append(record.stamp)
        of_joint = [dict(zip(record.names, values)) if len(values) == len(record.names) else {}
                    for values in (record.position, record.velocity, record.acceleration)]
        rows.append([[each.get(name, math.nan) for name in names] for each in of_joint])
    times = np.array(stamps, dtype=np.int64)
    points = np.array(rows).transpose(1, 0, 2)
    given = np.isfinite(points[1:]).any(axis=2)   # velocities and accelerations, of any joint
    for name, position in recorded.hold.positions.items():
        points[0, :, names.index(name)] = position
        points[1:, :, names.index(name)] = np.where(given, 0.0, math.nan)
    first = dict(zip(recorded.heads[0].names, recorded.heads[0].position))
    if dynamics.passive_names and {*dynamics.passive_names} <= {*first}:
        with suppress(StateError):   # else from the start pose
            dynamics.close(points[0, 0], start={
                name: first[name] for name in dynamics.passive_names})
    measured = arguments.recording or not (recording.plan or recording.in_order)
    if measured and not arguments.accelerations and not np.isfinite(points[1:]).all():
        return _smoothed(dynamics, recording, hold, arguments)
    print_remarks([*recorded.remarks, *recording.remarks])
    print_remarks(filter(None, [recording.reading]), 'note')
    if not measured:
        recording.check_single()
    back = np.flatnonzero(np.diff(times) <= 0)
    if len(back):
        raise RecordingError(recording.path, f'point {back[0] + 2} is not later than the one '
                             'before: sort the points, or keep one trajectory of several')
    for point, joint in np.argwhere(~np.isfinite(points[0])):
        raise RecordingError(
            recording.path, f'point {point + 1} has no position of {names[joint]!r}: a trajectory '
            'has all joints in each; of a recording, urdf2dyn evaluate computes the efforts')
    if not any(recording.units.get('position', {}).values()):
        print_remarks(_looks_like_degrees(dynamics, points[0], arguments.degrees))
    return _between(points, times, dynamics, arguments, recording, measured)


def _smoothed(dynamics: InverseDynamics, recording: Recording, hold: Hold,
              arguments: argparse.Namespace) -> _Motion:
    """Return the motion of a recording, as it is identified by, and nothing in its gaps."""
    segments, names = read_segments(recording, RecordedNames(
        dynamics.joint_names, dynamics.continuous, dynamics.units, hold, arguments.rename,
        dynamics.model.mimics, currents=None))
    print_remarks(each for each in recording.remarks if each != recording.reading)
    print_remarks(filter(None, [recording.reading]), 'note')
    what = f'a recording of {counted(recording.count, "sample")}'
    if not segments:
        raise RecordingError(recording.path, f'{what}, but it is smoothed from {FEWEST_SMOOTHED} '
                             'without a gap on; if these are poses, add --accelerations zero')
    motion = with_held(np.concatenate(
        [smooth(each.stamps, each.q)[:3] for each in segments], axis=1), names)
    if not any(recording.units.get('position', {}).values()):
        print_remarks(_looks_like_degrees(dynamics, motion[0], arguments.degrees))
    parts = f' in {len(segments)} parts between gaps' if len(segments) > 1 else ''
    return _Motion(np.concatenate([each.stamps for each in segments]), motion,
                   [0, *np.cumsum([len(each.stamps) for each in segments[:-1]]).tolist()],
                   f'{what}, smoothed{parts}')


def _between(points: Array, stamps: Stamps, dynamics: InverseDynamics,
             arguments: argparse.Namespace, recording: Recording, measured: bool) -> _Motion:
    """Return the motion between points (3, k, n), or at those that were measured."""
    count = counted(len(stamps), 'point')
    if arguments.accelerations == 'zero':
        points[2] = 0.0
        return _Motion(stamps, np.nan_to_num(points), [0], f'{count} without accelerations')
    if measured:
        what = counted(len(stamps), 'sample')
        return _Motion(stamps, points, [0, *behind_gaps((stamps - stamps[0]) * 1e-9).tolist()],
                       f'a recording of {what}, with accelerations')
    if len(stamps) < 2:
        if np.isfinite(points[1:]).all():
            return _Motion(stamps, points, [0], f'{count} as given')
        raise RecordingError(recording.path, f'{count} is no motion: if it is a pose, add '
                             '--accelerations zero')
    time = (stamps - stamps[0]) * 1e-9
    print_remarks(doubts(time, points, [*map(printable, dynamics.joint_names)]))
    speeds = np.abs(np.diff(points[0], axis=0)) / np.diff(time)[:, None]
    if speeds.max() < _SLOWEST:
        recording.check_measured()
    plan = Plan(time, points)
    stamps = instants(stamps, plan.jumps)
    step = int(np.diff(stamps).max())
    coarse = f', every {step * 1e-6:.3g} ms' if step > 1.5 * LONGEST_STEP else ''
    return _Motion(stamps, plan((stamps - stamps[0]) * 1e-9), [0],
                   f'{count}, joined by {plan.text}{coarse}')


def _figures(dynamics: InverseDynamics, time: Array, motion: Array, begins: Sequence[int],
             efforts: Array, terms: Mapping[str, Array],
             pause: float | None) -> list[dict[str, Any]]:
    """Return what an actuator is chosen by, of each joint, in SI units."""
    steps = np.diff(time, prepend=time[0], append=time[-1])
    steps[[*begins]] = 0.0
    weights = 0.5 * (steps[1:] + steps[:-1])   # trapezoidal rule
    if len(time) == 1:
        weights = np.ones(1)
    squares = weights @ efforts**2
    rest = dynamics.gravity(motion[0, -1])   # in the last pose
    power = efforts * motion[1] + 0.0   # no -0
    ratios = {joint.name: joint.gear_ratio for joint in dynamics.model.joints}
    rows = []
    for joint, (name, unit, effort_unit) in enumerate(zip(
            dynamics.joint_names, dynamics.units, dynamics.effort_units)):
        at = int(np.abs(efforts[:, joint]).argmax())
        fastest = float(np.abs(motion[1, :, joint]).max())
        limit = dynamics.limits[joint].velocity
        rms = math.sqrt(squares[joint] / weights.sum())
        row: dict[str, Any] = {
            'joint': name, 'unit': unit, 'effort_unit': effort_unit,
            'largest': float(efforts[at, joint]), 'at': float(time[at]),
            'share': _share(dynamics, joint, efforts[at, joint]), 'rms': rms,
            'fastest': fastest, 'velocity_share': fastest / limit if limit else None,
            'driving': max(float(power[:, joint].max()), 0.0),
            'braking': min(float(power[:, joint].min()), 0.0),
            'terms': {each: float(np.abs(term[:, joint]).max()) for each, term in terms.items()}}
        if pause is not None:
            rms = row['rms_cycle'] = math.sqrt(
                (squares[joint] + pause * rest[joint]**2) / (weights.sum() + pause))
        rotor = next((term for term in dynamics.loads.terms.get(name, ())
                      if isinstance(term, Rotor)), None)
        ratio = float(rotor.gear_ratio) if rotor is not None else ratios.get(name)
        if ratio and (rotor is not None or ratio != 1.0):
            row['motor'] = {
                'gear_ratio': ratio, 'torque': abs(row['largest'] / ratio),
                'rms': rms / abs(ratio),
                'speed': fastest * abs(ratio), 'power': max(row['driving'], -row['braking']),
                'rotor': rotor is not None}
        rows.append(row)
    return rows


def _trajectory_table(rows: Sequence[Mapping[str, Any]]) -> ReportTable:
    cycle = ['RMS, cycle'] if 'rms_cycle' in rows[0] else []
    return ReportTable('', (
        'joint', 'largest', 'at', 'of limit', 'RMS', *cycle, 'fastest', 'of limit', 'driving',
        'braking', *rows[0]['terms']), [(
            printable(row['joint']), f'{row["largest"]:.5g} {row["effort_unit"]}',
            f'{row["at"]:.3f} s', _percent(row['share']),
            *(f'{row[each]:.5g} {row["effort_unit"]}'
              for each in ('rms', 'rms_cycle') if each in row),
            f'{row["fastest"]:.4g} {row["unit"]}/s', _percent(row['velocity_share']),
            f'{row["driving"]:.4g} W', f'{row["braking"]:.4g} W',
            *(f'{part:.5g}' for part in row['terms'].values())) for row in rows])


def _motor_table(rows: Sequence[Mapping[str, Any]]) -> ReportTable:
    motors = {row['joint']: row['motor'] for row in rows if 'motor' in row}
    light = [name for name, motor in motors.items() if not motor['rotor']]
    missing = f', nor the unknown inertia of rotors: {first_names(light, 5)}' if light else ''
    return ReportTable('', ('motor of', 'gear ratio', 'torque', 'RMS', 'speed', 'power'), [
        (printable(name), f'{motor["gear_ratio"]:.4g}', f'{motor["torque"]:.4g} N m',
         f'{motor["rms"]:.4g} N m', f'{motor["speed"] * 30.0 / math.pi:.4g} rpm',
         f'{motor["power"]:.4g} W') for name, motor in motors.items()],
        (f'Before the gears, which have no losses here{missing}:',))
