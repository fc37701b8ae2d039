"""Identify inertial parameters, rotors and friction of a robot from recordings of it."""

import argparse
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from threadpoolctl import threadpool_limits

from urdf2dyn_ros.commands.arguments import (
    add_base,
    add_efforts,
    add_file,
    add_joints,
    add_options,
    add_output,
    add_topic,
    add_workers,
    check_fixed,
    print_remarks,
    read_model,
    read_workers,
    results,
)
from urdf2dyn_ros.errors import IdentificationError, ParameterError
from urdf2dyn_ros.estimation.hold import read_hold
from urdf2dyn_ros.identification.checks import (
    SourceSettings,
    check_merged_file,
    read_summaries,
    shared_paths,
    with_filter_of,
    write_merged,
)
from urdf2dyn_ros.identification.delays import LARGEST_GIVEN_DELAY
from urdf2dyn_ros.identification.fit_data import CarriedPayload, payload_on
from urdf2dyn_ros.identification.gains import FREE, Gains, read_gains
from urdf2dyn_ros.identification.identification import Identification, identify
from urdf2dyn_ros.identification.identified_urdf import robot_texts
from urdf2dyn_ros.identification.report import (
    GAINS_TITLE,
    PAYLOAD_TITLE,
    VALIDATION_TITLE,
    identification_json,
    identification_picture,
    report_tables,
    verdict,
)
from urdf2dyn_ros.identification.robot import Robot, robot_of
from urdf2dyn_ros.identification.segments import RecordedNames
from urdf2dyn_ros.identification.summary import (
    MOST_SUMMARIES,
    SUFFIX,
    Summary,
    SummaryGroups,
    summary_bytes,
    summary_paths,
)
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.recordings.html_page import report_page, text_table
from urdf2dyn_ros.robot.reader import load_urdf
from urdf2dyn_ros.system import create_files, progress, require, writing_to
from urdf2dyn_ros.text import facts, typed_command

FILES = ('identified.urdf', 'parameters.yaml', 'identification.json', 'identification.png',
         'identification.html')
PICTURE_WORDS = 'Measured effort, and that of the identified model, of each joint over time'
SUMMARIES = 'summaries'
EXIT_REFUSED = 3   # exit code where there is no model, as the recordings do not suffice


def add(parser: argparse.ArgumentParser) -> None:
    """Add recordings, robot, method and results."""
    parser.add_argument('recordings', nargs='+', metavar='RECORDING',
                        help='rosbag2 directories, .db3, .mcap or .csv files (columns time, '
                        'q_<joint>, effort_<joint>), or summaries (.npz) of earlier runs')
    add_file(parser, '--urdf', required=True)
    parser.add_argument('--validate', nargs='+', default=[], metavar='RECORDING',
                        help='recordings that are not used for the fit, but predicted by it')
    add_output(parser, 'identified', 'the results')
    add_options(parser)
    add_topic(parser)
    add_joints(parser)
    parser.add_argument('--effort-semantics', choices=('commanded', 'current'),
                        default='commanded', help='what the measured effort is: commanded: '
                        'effort of the actuators; current: current of the motors (default: '
                        'commanded)')
    add_efforts(parser, 'identified, up to a factor that all have in common')
    add_base(parser, 'was at rest')
    parser.add_argument('--friction-per-recording', action='store_true',
                        help='friction and offsets of each recording are its own, as on '
                        'different days; links and rotors are shared')
    parser.add_argument('--payload-recording', nargs='+', default=[], metavar='RECORDING',
                        help='recordings of the robot with a payload, which the others are '
                        'without: the payload is identified, or gains by its known mass')
    parser.add_argument('--payload-link', metavar='LINK', help='the link that carries it')
    parser.add_argument('--payload-mass', type=float, metavar='KG',
                        help='its mass, if it is known: it fixes the effort per recorded unit of '
                        'all joints, as with --effort-semantics current --gains free')
    parser.add_argument('--merge', type=Path, metavar='FILE.npz',
                        help='write one summary of all recordings, of the size of one, instead '
                        'of identifying from them')
    add_workers(parser, 'read recordings and summarise them')
    parser.add_argument('--cutoff', type=float, metavar='HZ',
                        help='low pass of the columns (default: by cross-validation)')
    parser.add_argument('--delay', type=float, metavar='SECONDS',
                        help='by how much efforts are late (default: by cross-validation)')
    parser.add_argument('--weight', type=float, metavar='NUMBER',
                        help='weight of the URDF, in observations of each body (default: 10, or '
                        '1 or 100 where cross-validation prefers it)')
    parser.add_argument('--force', action='store_true',
                        help='write the numbers of joints that are not explained, too, which keep '
                        'those of the URDF otherwise')


def run(arguments: argparse.Namespace) -> int:
    """Print the report and write the files; return 3 if no model can be identified."""
    require('urdf2dyn identify', 'scipy', 'matplotlib')
    text = load_urdf(arguments.urdf, xacro_args=arguments.xacro_args)
    model = read_model(text, arguments.strict_inertia, arguments.urdf)
    dynamics = InverseDynamics(model, tuple(arguments.gravity), base=arguments.base)
    check_fixed(dynamics, 'and its motion is not in joint states')
    if model.forces:
        raise ParameterError('the URDF has tags <force>, which are not identified: remove them')
    robot = robot_of(model, dynamics)
    settings = _settings(arguments, robot)
    try:
        if arguments.merge is not None:
            _merge(robot, arguments, settings)
        else:
            _identify(robot, arguments, settings, text)
    except IdentificationError as error:
        print(f'error: {error}', file=sys.stderr)
        return EXIT_REFUSED
    return 0


def _merge(robot: Robot, arguments: argparse.Namespace, settings: SourceSettings) -> None:
    check_merged_file(arguments.merge, arguments.overwrite)
    with progress('reading and compressing') as show, threadpool_limits(1, user_api='blas'):
        sentence, remarks = write_merged(robot, arguments.recordings, settings, arguments.merge,
                                         show)
    print_remarks(remarks, 'note')
    print(sentence)


def _identify(robot: Robot, arguments: argparse.Namespace, settings: SourceSettings,
              text: str | bytes) -> None:
    with (results(arguments.output, (*FILES, SUMMARIES), arguments.overwrite) as output,
          TemporaryDirectory(prefix='.', dir=output) as staging):
        with threadpool_limits(1, user_api='blas'):
            result, staged = _identified(robot, arguments, settings, Path(staging))
        _write(result, staged, text, arguments, output)


def _settings(arguments: argparse.Namespace, robot: Robot) -> SourceSettings:
    hold, faults = read_hold(arguments.hold, robot.dynamics)
    if faults:
        raise ParameterError('\n'.join(faults))
    _check_payload(arguments)
    current = arguments.effort_semantics == 'current'
    if current != bool(arguments.gains):
        raise ParameterError('--gains and --effort-semantics current require each other')
    for name, least in (('cutoff', 0.1), ('weight', 1e-6)):
        value = getattr(arguments, name)
        if value is not None and not least <= value <= 1e6:
            raise ParameterError(f'--{name} {value:g}: must be between {least:g} and 1e6')
    most = LARGEST_GIVEN_DELAY
    if arguments.delay is not None and not -most <= arguments.delay <= most:
        raise ParameterError(f'--delay {arguments.delay:g}: must be between -{most} and {most} s')
    gains = read_gains(arguments.gains, robot.joints) if current else None
    if arguments.payload_recording:
        _check_scale(arguments.payload_mass, gains)
        _payload(robot, arguments, ())   # a wrong link is an error before anything is read
    return SourceSettings(
        arguments.topic, RecordedNames(robot.joints, robot.dynamics.continuous,
                                       robot.dynamics.units, hold, tuple(arguments.rename),
                                       robot.dynamics.model.mimics),
        gains, arguments.cutoff, arguments.delay, read_workers(arguments),
        tuple(arguments.columns))


def _check_payload(arguments: argparse.Namespace) -> None:
    """Check the options of a payload; one of known mass makes gains free unless they are set."""
    mass, link = arguments.payload_mass, arguments.payload_link
    if bool(arguments.payload_recording) != bool(link):
        raise ParameterError('--payload-recording and --payload-link require each other')
    if mass is None:
        return
    if not link:
        raise ParameterError('--payload-mass requires --payload-recording and --payload-link')
    if not 0.0 < mass <= 1e6:
        raise ParameterError(f'--payload-mass {mass:g}: must be above 0 and at most 1e6 kg')
    if not arguments.gains:
        arguments.effort_semantics, arguments.gains = 'current', [FREE]


def _check_scale(mass: float | None, gains: Gains | None) -> None:
    """Check that either the mass of a payload or the scale of the efforts is known."""
    free = gains is not None and bool(gains.free.any())
    if mass is not None and not free:
        raise ParameterError('--payload-mass fixes gains that are free, but all are known: omit '
                             'it, and the mass is identified, or use --gains free')
    if mass is None and gains is not None and gains.free.all():
        raise ParameterError('a payload of unknown mass does not fix free gains: add '
                             '--payload-mass, or a gain that is known (--gains free JOINT=VALUE)')


def _identified(robot: Robot, arguments: argparse.Namespace, settings: SourceSettings,
                staging: Path) -> tuple[Identification, dict[str, Path]]:
    """Return the identification, and the files of all summaries by name, in a directory."""
    remarks: list[str] = []
    staged: dict[str, Path] = {}
    with progress('reading and compressing') as show:
        paths = [*arguments.recordings, *arguments.payload_recording, *arguments.validate]
        count = len(arguments.recordings)
        loaded = count + len(arguments.payload_recording)

        def shown(first: int, part: Sequence[str], settings: SourceSettings) -> list[Summary]:
            most = len(part) if arguments.friction_per_recording else MOST_SUMMARIES
            groups = SummaryGroups(len(part), most)
            for each in read_summaries(
                    robot, shared_paths(part, settings), settings, remarks,
                    lambda fraction: show((first + fraction * len(part)) / len(paths))):
                if first == 0:
                    staged[f'{each.name}{SUFFIX}'] = path = staging / f'{len(staged)}{SUFFIX}'
                    path.write_bytes(summary_bytes(each, robot))
                groups.add(each)
            return groups.summaries()
        summaries = shown(0, arguments.recordings, settings)
        payload = _payload(robot, arguments, shown(
            count, arguments.payload_recording, settings)) if (
            arguments.payload_recording) else None
        # nothing of the model is chosen from what it is judged by
        judged = with_filter_of(summaries, settings)
        try:
            validation = shown(loaded, arguments.validate, judged) if arguments.validate else []
        except IdentificationError as error:   # of no recording for the validation
            validation = []
            remarks += [f'not used: {fault}' for fault in str(error).splitlines()]
    with progress('fitting') as show:
        result = identify(robot, summaries, validation, arguments.weight, settings.gains, show,
                          arguments.friction_per_recording, payload)
    result.remarks[:0] = remarks
    return replace(result, force=arguments.force), staged


def _payload(robot: Robot, arguments: argparse.Namespace,
             summaries: Sequence[Summary]) -> CarriedPayload:
    mass = math.nan if arguments.payload_mass is None else arguments.payload_mass
    return payload_on(robot, arguments.payload_link, mass, summaries)


def _write(result: Identification, staged: Mapping[str, Path], text: str | bytes,
           arguments: argparse.Namespace, output: Path) -> None:
    """Print the report; write all files, or none."""
    about = {**facts(typed_command(), arguments.urdf, text), 'robot': result.robot.model.name,
             'recordings': ', '.join(arguments.recordings), 'efforts': arguments.efforts}
    lines = [f'{name}: {value}' for name, value in about.items()]
    title = f'{result.robot.model.name}: identified'
    tables = report_tables(result)
    picture = identification_picture(result, title)
    files = {
        **robot_texts(result, text, ['Identified; to be used with identified.urdf.',
                                     f'Does it explain the data? {verdict(result)}', *lines]),
        'identification.json': identification_json(result, about).encode(),
        'identification.png': picture,
        'identification.html': report_page(
            title, tables, result.remarks, lines, (picture, PICTURE_WORDS)).encode()}
    summaries = output / SUMMARIES
    contents: dict[Path, bytes | Path] = {
        **{output / name: content for name, content in files.items()},
        **{summaries / name: path for name, path in staged.items()}}
    with results(summaries, (), overwrite=True), writing_to(output):
        create_files(contents, replace=True)
        for path in summary_paths(summaries):
            if path not in contents:   # of recordings that are no part of this result
                path.unlink()
    print('\n'.join((tables[0].title, *tables[0].text)), text_table(tables[0]), sep='\n\n')
    shown = (VALIDATION_TITLE, GAINS_TITLE, PAYLOAD_TITLE)
    for table in (*(each for each in tables if each.title.startswith(shown)), tables[-1]):
        settings = table.text[-1:] if table.title == PAYLOAD_TITLE else ()
        print('', table.title, text_table(table), *settings, sep='\n')
    print()
    print_remarks(result.remarks, 'note')
    for name in files:
        print(output / name)
    print(summaries)
