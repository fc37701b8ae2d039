"""Arguments that commands share, robots and loads as they say, and directories of results."""

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, NamedTuple

from urdf2dyn_ros.codegen.functions import CHOICES
from urdf2dyn_ros.codegen.functions.dynamics import Dynamics
from urdf2dyn_ros.codegen.signature import FRAME_AXES, LinkFrames
from urdf2dyn_ros.errors import ExportError, ParameterError, UrdfError
from urdf2dyn_ros.estimation.moving_base import BASE_PARAMETER
from urdf2dyn_ros.estimation.observer import OBSERVER_PARAMETERS
from urdf2dyn_ros.recordings import Reading
from urdf2dyn_ros.recordings.measured_efforts import GAINS_PARAMETER
from urdf2dyn_ros.recordings.workers import Workers
from urdf2dyn_ros.robot.loads import (
    BASES,
    GRAVITY,
    GRAVITY_PARAMETER,
    JOINT_PARAMETERS,
    LOAD_PARAMETERS,
    PAYLOAD,
    WRENCH_TOPICS,
    Loads,
    check_names,
    payload_doubts,
    payload_fault,
    unused_settings,
    with_loads,
)
from urdf2dyn_ros.robot.lock import lock_joints, locked_positions
from urdf2dyn_ros.robot.loop_notations import LOOP_PARAMETERS
from urdf2dyn_ros.robot.model import Inertial, Joint, Link, RobotModel
from urdf2dyn_ros.robot.multibody import make_multibody
from urdf2dyn_ros.robot.parameters import read_parameter_file
from urdf2dyn_ros.robot.reader import load_urdf, read_configured
from urdf2dyn_ros.robot.spatial import Triple
from urdf2dyn_ros.system import made_folder, writing_to
from urdf2dyn_ros.text import EFFORT_SOURCES, first_names, listed, printable

if TYPE_CHECKING:   # most commands do not need it, and start sooner
    from urdf2dyn_ros.inverse_dynamics import InverseDynamics


# ---- The arguments, by their names; a command says what stands in braces in a help

_SHARED: dict[str, dict[str, Any]] = {
    'robot': {'metavar': 'ROBOT.urdf', 'help': 'URDF or xacro file; - for standard input'},
    '--urdf': {'metavar': 'ROBOT.urdf', 'required': True,
               'help': 'URDF or xacro file; - for standard input'},
    '--xacro-args': {'default': '', 'metavar': '"NAME:=VALUE ..."',
                     'help': 'arguments of a xacro file, as on its command line'},
    '--gravity': {'nargs': 3, 'type': float, 'default': GRAVITY, 'metavar': ('X', 'Y', 'Z'),
                  'help': 'gravity in the root frame [m/s^2] (default: 0 0 -9.81)'},
    '--strict-inertia': {'action': 'store_true',
                         'help': 'reject inertias that are physically impossible'},
    '--lock': {'nargs': '+', 'action': 'extend', 'default': [], 'metavar': 'JOINT=POSITION',
               'help': 'joints that do not move, fixed at these positions [rad or m]'},
    '--loop': {'nargs': '+', 'action': 'extend', 'default': [], 'metavar': 'LINK=LINK:TYPE',
               'help': 'links whose frames coincide, as in <loop_joint>'},
    '--actuated': {'nargs': '+', 'action': 'extend', 'default': [], 'metavar': 'JOINT',
                   'help': 'joints that motors drive, of a robot with closed loops'},
    '--start': {'nargs': '+', 'action': 'extend', 'default': [], 'metavar': 'JOINT=POSITION',
                'help': 'positions near a closed pose [rad or m], to choose an assembly'},
    '--base': {'choices': ('auto', 'fixed'), 'default': 'auto',
               'help': 'fixed: a floating root {rests} (default: auto, as in the URDF)'},

    '--function --model': {
        'dest': 'model', 'default': 'inverse_dynamics', 'metavar': 'FUNCTION',
        'help': f'one of {", ".join(CHOICES)} (default: inverse_dynamics); terms: those '
        f'whose sum the efforts are; all: {", ".join(Dynamics.COMBINED)}, and one function that '
        'returns these at once'},
    '--link': {'nargs': '+', 'action': 'extend', 'default': [], 'metavar': 'LINK',
               'help': 'links of a function about links (default: the only tip)'},
    '--axes': {'default': FRAME_AXES[0], 'metavar': 'AXES',
               'help': 'axes of the vectors at these links, one of '
               f'{", ".join(FRAME_AXES)} (default: root)'},

    '--external': {'nargs': '+', 'action': 'extend', 'default': [], 'metavar': 'LINK',
                   'help': 'links with an external wrench as an input'},
    '--payload-mass': {'type': float, 'metavar': 'KG', 'help': 'mass of a payload'},
    '--payload-link': {'default': '', 'metavar': 'LINK', 'help': '{link}'},
    '--payload-com': {'nargs': 3, 'type': float, 'metavar': ('X', 'Y', 'Z'),
                      'help': 'its centre of mass in the frame of that link [m] (default: 0 0 0)'},
    '--friction': {'action': 'store_true',
                   'help': 'include damping and friction of the tags <dynamics> as viscous and '
                   'Coulomb friction'},
    '--parameters': {
        'action': 'append', 'default': [], 'metavar': 'FILE',
        'help': "file of the node's parameters, from which gravity and loads are read: "
        'friction.*, rotor.*, spring.*, forces.*, payload.*, joints.*, current_gains, '
        'observer.gain and contact.thresholds; other options override it; may be '
        'repeated'},

    '--topic': {'metavar': 'TOPIC', 'help': 'topic of bags (default: their only topic of joint '
                'states, or /joint_states)'},
    '--columns': {
        'nargs': '+', 'action': 'extend', 'default': [], 'metavar': 'WHAT=NAME',
        'help': "what the columns of tables are: 'position={{joint}}_pos [deg]', "
        "'velocity=dq{{n}}', 'effort=cur{{n}} [mA]', 'time=t [ms]' (default: q_<joint> and other "
        'usual names; SI units where none is stated)'},
    '--degrees': {'action': 'store_true', 'help': '{angles} are in degrees'},
    '--rate': {'type': float, 'metavar': 'HZ',
               'help': 'rows in a second of a table without a time'},
    '--rename': {
        'action': 'append', 'default': [], 'metavar': 'REGEX=NAME',
        'help': 'rename recorded joints whose whole name matches, for instance '
        r"'fer_joint(\d)=panda_joint\1'; may be repeated"},
    '--hold': {
        'action': 'append', 'default': [], 'metavar': 'JOINT[=POSITION]',
        'help': 'a joint that is not recorded, at rest at this position [rad or m] (default: 0 or '
        'the limit nearest to it); auto: all that are not recorded; may be repeated'},
    '--efforts': {'choices': EFFORT_SOURCES, 'default': EFFORT_SOURCES[0],
                  'help': 'what the report calls the recorded efforts (default: '
                  f'{EFFORT_SOURCES[0]})'},
    '--gains': {'nargs': '+', 'default': (), 'metavar': 'GAIN',
                'help': 'gains of currents [N m/A or N/A]: one, one for each joint, or '
                'JOINT=VALUE; free: {free}'},

    '--workers': {'type': int, 'default': 1, 'metavar': 'N',
                  'help': 'processes of this machine that {work} (default: 1)'},
    '--scheduler': {'default': '', 'metavar': 'ADDRESS',
                    'help': 'address of a Dask scheduler whose workers {work}, as '
                    'tcp://host:8786; they read the same paths (needs the extra cluster)'},
    '--overwrite': {'action': 'store_true', 'help': 'replace {replaced}'},
}
_WORDS = {'replaced': 'existing files', 'angles': 'recorded angles whose unit is not stated',
          'link': 'link of a payload, whose inertial parameters are an input'}

FILE = ('robot', '--xacro-args')
LOOPS = ('--loop', '--actuated', '--start')
CHECKED = ('--gravity', '--strict-inertia', '--lock', *LOOPS)
ROBOT = (*FILE, *CHECKED)
FUNCTION = ('--function --model', '--link', '--axes')
FRICTION = ('--friction', '--parameters')
CARRIED = ('--payload-mass', '--payload-link', '--payload-com')
JOINTS = ('--rename', '--hold')
READING = ('--topic', '--columns', '--degrees', '--rate')
EFFORTS = ('--efforts', '--gains')
WORKERS = ('--workers', '--scheduler')


def add(parser: argparse.ArgumentParser, *names: str, **words: str) -> None:
    """Add shared arguments; the words stand in the place of the names in braces in their help."""
    for name in names:
        settings = _SHARED[name]
        parser.add_argument(*name.split(), **{
            **settings, 'help': settings['help'].format_map({**_WORDS, **words})})


def add_loads(parser: argparse.ArgumentParser) -> None:
    """Add base, external wrenches, payload, friction and the file of parameters."""
    parser.add_argument('--base', default='auto', metavar='BASE',
                        help=f'one of {", ".join(BASES)} (default: auto); moving: the motion of '
                        'the root is an input and its wrench a result; auto: moving if the root '
                        'has a floating joint')
    add(parser, '--external', '--payload-link', *FRICTION)


def add_output(parser: argparse.ArgumentParser, default: str, content: str,
               replaced: str = _WORDS['replaced']) -> None:
    """Add the directory of the results, and whether to replace what is there."""
    shown = 'the current one' if default == '.' else default
    parser.add_argument('-o', '--output', type=Path, default=Path(default), metavar='DIR',
                        help=f'directory of {content} (default: {shown})')
    add(parser, '--overwrite', replaced=replaced)


# ---- The directory of a command's results

def print_remarks(remarks: Iterable[object], kind: str = 'warning') -> None:
    """Print a line for each remark on standard error."""
    for remark in remarks:
        print(f'{kind}: {remark}', file=sys.stderr)


def check_free(paths: Iterable[Path], overwrite: bool, other: str) -> None:
    """Raise an ExportError for a file that exists, unless `overwrite`; --output names `other`."""
    existing = [path for path in paths if not overwrite and path.exists()]
    if existing:
        raise ExportError(f'{existing[0]} exists, which may be your work: choose another '
                          f'{other} with --output, or add --overwrite')


@contextmanager
def results(path: Path, names: Iterable[str], overwrite: bool,
            other: str = 'directory') -> Iterator[Path]:
    """
    Create a directory if necessary, as `made_folder`, and check that it is writable.

    That is before the work. If one of the files exists, an ExportError is raised unless
    `overwrite`; `other` is what --output names.
    """
    check_free([path / name for name in names], overwrite, other)
    with ExitStack() as stack:
        with writing_to(path):
            stack.enter_context(made_folder(path))
            with TemporaryFile(dir=path):
                pass
        yield path


# ---- The robot of a command, and the links of a function about them

def check_fixed(dynamics: 'InverseDynamics', reason: str) -> None:
    """Raise a ParameterError with the reason if the root floats."""
    if 'base_motion' in dynamics.inputs:
        raise ParameterError(f'the root of robot {dynamics.model.name!r} floats, {reason}; if it '
                             'is at rest, add --base fixed')


def read_robot(arguments: argparse.Namespace) -> RobotModel:
    """Return the model of a description; print its warnings on standard error."""
    return read_model(arguments, load_urdf(arguments.robot, xacro_args=arguments.xacro_args))


def read_model(arguments: argparse.Namespace, text: str | bytes) -> RobotModel:
    """Return the model of a text, with joints locked; print its warnings on standard error."""
    options = vars(arguments)
    in_files = {name: value for path in options.get('parameters', ())
                for name, value in read_parameter_file(path, 'inverse_dynamics').items()}
    try:
        model = read_configured(text, {**options, **{
            row.name: options.get('loop' if row.name == 'loops' else row.name)
            or row.check(in_files.get(row.name, row.default)) for row in LOOP_PARAMETERS}})
    except UrdfError as error:
        name = options.get('robot') or arguments.urdf
        raise UrdfError(error.problems, name.strip('-')) from None
    print_remarks(model.warnings)
    return lock_joints(model, locked_positions(options.get('lock', ())))


def read_frames(arguments: argparse.Namespace) -> LinkFrames:
    """Return the links and the axes."""
    return LinkFrames(tuple(arguments.link), arguments.axes)


# ---- Loads: options, and a file of the node's parameters

_ROWS = {row.name: row for row in (
    GRAVITY_PARAMETER, BASE_PARAMETER, GAINS_PARAMETER, *LOAD_PARAMETERS, *PAYLOAD,
    *OBSERVER_PARAMETERS)}
_FAMILIES = (JOINT_PARAMETERS, WRENCH_TOPICS)
_KNOWN_GROUPS = sorted({name.partition('.')[0] for name in _ROWS}
                       | {family.form.partition('.')[0] for family in _FAMILIES})
# likeness of a name to the first word of a parameter from which on it is a misspelt one
_ALIKE = 0.8


class LoadedRobot(NamedTuple):
    """A robot with the forces that count, gravity [m/s^2] and loads; the node's parameters."""

    model: RobotModel
    gravity: Triple
    loads: Loads
    values: Mapping[str, Any]


def read_loads(arguments: argparse.Namespace, model: RobotModel) -> LoadedRobot:
    """Return the declared loads; warn on standard error of what has no effect."""
    robot = _read(arguments, model)
    return robot._replace(loads=replace(
        robot.loads, external=tuple(arguments.external) or robot.loads.external))


def read_recorded_loads(arguments: argparse.Namespace, model: RobotModel) -> LoadedRobot:
    """
    Return the loads with which joint states are evaluated.

    The payload is a part of the model. Wrenches, which joint states do not have, raise a
    ParameterError.
    """
    robot = _read(arguments, model)
    if robot.loads.external:
        raise ParameterError(f'{", ".join(arguments.parameters)}: external_wrenches of '
                             f'{first_names(robot.loads.external, 5)} are not in joint states: '
                             'remove them from the file')
    robot.loads.check(make_multibody(robot.model))   # the link of the payload as well
    return robot._replace(model=_with_payload(robot.model, robot.values),
                          loads=replace(robot.loads, payload=''))


def _read(arguments: argparse.Namespace, model: RobotModel) -> LoadedRobot:
    """Return the loads of the file, and of the options that the command has."""
    from_file = {name: value for file in arguments.parameters
                 for name, value in _read_file(file).items()}
    check_names(from_file, model)
    options = {row.name: row.named(f'--payload-{name}').check(value) for name, row in (
        ('mass', _ROWS['payload.mass']), ('link', _ROWS['payload.link']),
        ('com', _ROWS['payload.com'])) if (value := getattr(arguments, f'payload_{name}', None))}
    values = {**{name: row.default for name, row in _ROWS.items()}, **from_file, **options}
    if 'payload.mass' in options and not values['payload.link']:
        values['payload.link'] = _only_tip(model)
    if model.locked:   # the option overrides the file
        values['lock'] = ()
    friction = getattr(arguments, 'friction', False)
    if friction:
        values['friction.enabled'] = True
    if from_file:
        print_remarks(filter(None, (*unused_settings(values, model), payload_fault(values))))
    else:
        print_remarks(payload_doubts(values))
    chosen, loads = with_loads(values, model)
    if friction and not arguments.parameters and not any(
            term.DISSIPATES for each in loads.terms.values() for term in each):
        print_remarks(['no movable joint has a tag <dynamics> with damping or friction'])
    if arguments.base != 'auto':
        loads = replace(loads, base=arguments.base)
    # the default itself, where the option is not used
    gravity = values['gravity'] if arguments.gravity is GRAVITY else tuple(arguments.gravity)
    return LoadedRobot(chosen, gravity, loads, values)


def _only_tip(model: RobotModel) -> str:
    tips = make_multibody(model).tips
    if len(tips) != 1:
        raise ParameterError(f'--payload-mass: which link carries it? Add --payload-link with '
                             f'one of {first_names(tips, 12)}, or another link')
    print_remarks([f'the payload is carried by {printable(tips[0])}, the only tip'], 'note')
    return tips[0]


def _read_file(path: str) -> dict[str, Any]:
    values, others = {}, []
    for name, value in read_parameter_file(path, 'inverse_dynamics').items():
        family = next((each for each in _FAMILIES if each.has(name)), None)
        if family is None and name.partition('.')[0] not in _KNOWN_GROUPS:
            others.append(name)
            continue
        try:
            if family is None and name not in _ROWS:
                raise ParameterError(f'there is no parameter {name}; there are: '
                                     f'{", ".join(_ROWS)}')
            row = _ROWS[name] if family is None else family.row(name)
            # gains that recordings do not determine are refused where they are used
            values[name] = tuple(map(float, value)) if (
                row is GAINS_PARAMETER and isinstance(value, list)
                and any(entry != entry for entry in value)) else row.check(value)
        except ParameterError as error:
            raise ParameterError(f'{printable(path)}: {error}') from None
    misspelt = {name: close for name in others if (close := get_close_matches(
        name.partition('.')[0], _KNOWN_GROUPS, n=1, cutoff=_ALIKE))}
    unused = [name for name in others if name not in misspelt]
    print_remarks([f'{printable(path)}: there is no parameter {printable(name)}; did you mean '
                   f'{listed(close)}?' for name, close in misspelt.items()])
    if unused:
        print_remarks([f'{printable(path)}: this command does not use '
                       f'{printable(first_names(unused, 5))}'])
    return values


def _with_payload(model: RobotModel, values: Mapping[str, Any]) -> RobotModel:
    mass, carrier = values['payload.mass'], values['payload.link']
    if not (carrier and mass and values['payload.attached']):
        return model
    name, names = 'payload', {link.name for link in model.links}
    names |= {joint.name for joint in model.joints}
    while name in names:
        name += '_'
    body = Inertial(mass, values['payload.com'], (0.0, 0.0, 0.0), values['payload.inertia'])
    return replace(model, links=(*model.links, Link(name, body)),
                   joints=(*model.joints, Joint(name, 'fixed', carrier, name)))


# ---- How recordings are read, and processes that share the work on them

def read_reading(arguments: argparse.Namespace) -> Reading:
    return Reading(arguments.topic, tuple(arguments.columns), arguments.degrees, arguments.rate)


_MOST_WORKERS = 1024   # processes on one machine


def read_workers(arguments: argparse.Namespace) -> Workers:
    count = arguments.workers
    if not 1 <= count <= _MOST_WORKERS:
        raise ParameterError(f'--workers {count}: must be between 1 and {_MOST_WORKERS}')
    if arguments.scheduler and count > 1:
        raise ParameterError('--workers and --scheduler exclude each other: the workers of a '
                             'scheduler are started with it')
    return Workers(count, arguments.scheduler)
