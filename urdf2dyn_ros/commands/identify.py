"""Identify inertial parameters, rotors and friction of a robot from recordings of it."""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from urdf2dyn_ros.commands.arguments import (
    CHECKED,
    EFFORTS,
    JOINTS,
    READING,
    WORKERS,
    add,
    add_output,
    check_fixed,
    print_remarks,
    read_model,
    read_reading,
    read_workers,
    results,
)
from urdf2dyn_ros.errors import IdentificationError, ParameterError
from urdf2dyn_ros.identification.identify import IdentificationSettings, identify
from urdf2dyn_ros.identification.report import (
    GAINS_TITLE,
    PAYLOAD_TITLE,
    VALIDATION_TITLE,
    identification_json,
    identification_picture,
    report_tables,
    verdict,
)
from urdf2dyn_ros.identification.result import Identification
from urdf2dyn_ros.identification.result_files import identified_mjcf, robot_texts
from urdf2dyn_ros.identification.summary import SUFFIX, summary_paths
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.recordings.pages import report_page, text_table
from urdf2dyn_ros.robot.reader import load_urdf
from urdf2dyn_ros.system import create_files, progress, require, writing_to
from urdf2dyn_ros.text import facts, typed_command

ROBOTS = ('identified.urdf', 'identified.xml', 'parameters.yaml')
FILES = (*ROBOTS, 'identification.json', 'identification.png', 'identification.html')
PICTURE_WORDS = 'Measured effort, and that of the identified model, of each joint over time'
SUMMARIES = 'summaries'
EXIT_REFUSED = 3   # exit code where recordings do not suffice, or contradict the model


def add_identify(parser: argparse.ArgumentParser) -> None:
    """Add recordings, robot, method and results."""
    parser.add_argument('recordings', nargs='+', metavar='RECORDING',
                        help='bags (rosbag2 directory, .db3, .mcap, .bag), tables (.csv, .tsv, '
                        '.txt, .parquet, .npz, .mat with time, q_<joint>, effort_<joint>), or '
                        'summaries (.npz) of earlier runs')
    add(parser, '--urdf', '--xacro-args')
    parser.add_argument('--validate', nargs='+', default=[], metavar='RECORDING',
                        help='recordings that are not used for the fit, but predicted by it')
    add_output(parser, 'identified', 'the results')
    add(parser, *CHECKED, *READING, *JOINTS)
    parser.add_argument('--effort-semantics', choices=('commanded', 'current'),
                        default='commanded', help='what the measured effort is: commanded: '
                        'effort of the actuators; current: current of the motors (default: '
                        'commanded)')
    add(parser, *EFFORTS, '--base', rests='was at rest',
        free='identified, up to a factor that all have in common')
    parser.add_argument('--payload-recording', nargs='+', default=[], metavar='RECORDING',
                        help='recordings with a payload that the others do not have: the payload '
                        'is identified, or, by its known mass, the gains')
    parser.add_argument('--payload-link', metavar='LINK', help='the link that carries it')
    parser.add_argument('--payload-mass', type=float, metavar='KG',
                        help='its mass, if it is known; gains are then free, as with '
                        '--effort-semantics current --gains free, unless --gains sets them')
    add(parser, *WORKERS, work='read recordings and summarise them')
    parser.add_argument('--cutoff', type=float, metavar='HZ',
                        help='low pass of the fit (default: by cross-validation)')
    parser.add_argument('--delay', type=float, metavar='SECONDS',
                        help='by how much efforts are late (default: by cross-validation)')
    parser.add_argument('--weight', type=float, metavar='NUMBER',
                        help='weight of the URDF, in observations of each body (default: 10, or '
                        '1 or 100 where cross-validation prefers it)')
    parser.add_argument('--force', action='store_true',
                        help='also write a robot that the data contradict, and the numbers of '
                        'joints that are not explained, which keep those of the URDF without it')


def run_identify(arguments: argparse.Namespace) -> int:
    """Print the report and write the files; return 3 if no model can be identified."""
    require('urdf2dyn identify', 'scipy', 'matplotlib')
    text = load_urdf(arguments.urdf, xacro_args=arguments.xacro_args)
    model = read_model(arguments, text)
    dynamics = InverseDynamics(model, tuple(arguments.gravity), base=arguments.base)
    check_fixed(dynamics, 'and its motion is not in joint states')
    settings = _settings(arguments)
    try:
        result = _identify(dynamics, arguments, settings, text)
    except IdentificationError as error:
        print(f'error: {error}', file=sys.stderr)
        return EXIT_REFUSED
    if result.refused:
        print('error: the data contradict the model, as the verdict says first: no robot is '
              'written, only the report and the summaries; --force writes it', file=sys.stderr)
    return EXIT_REFUSED if result.refused else 0


def _identify(dynamics: InverseDynamics, arguments: argparse.Namespace,
              settings: IdentificationSettings, text: str | bytes) -> Identification:
    with (results(arguments.output, (*FILES, SUMMARIES), arguments.overwrite) as output,
          TemporaryDirectory(prefix='.', dir=output) as staging):
        staged: dict[str, Path] = {}

        def keep(name: str, content: bytes) -> None:
            staged[f'{name}{SUFFIX}'] = path = Path(staging) / f'{len(staged)}{SUFFIX}'
            path.write_bytes(content)

        result = identify(arguments.recordings, dynamics, arguments.validate, settings, progress,
                          keep)
        _write(result, staged, text, arguments, output)
    return result


def _settings(arguments: argparse.Namespace) -> IdentificationSettings:
    current, weighed = arguments.effort_semantics == 'current', arguments.payload_mass is not None
    if current != bool(arguments.gains) and not (current and weighed):   # which makes them free
        raise ParameterError('--gains and --effort-semantics current require each other')
    reading = read_reading(arguments)
    return IdentificationSettings(
        topic=reading.topic, hold=tuple(arguments.hold), renames=tuple(arguments.rename),
        gains=tuple(arguments.gains), cutoff=arguments.cutoff, delay=arguments.delay,
        weight=arguments.weight, payload_recordings=tuple(arguments.payload_recording),
        payload_link=arguments.payload_link, payload_mass=arguments.payload_mass,
        force=arguments.force, columns=reading.columns, workers=read_workers(arguments),
        degrees=reading.degrees, rate=reading.rate)


def _write(result: Identification, staged: Mapping[str, Path], text: str | bytes,
           arguments: argparse.Namespace, output: Path) -> None:
    """Print the report; write all files, or none."""
    about = {**facts(typed_command(), arguments.urdf, text), 'robot': result.robot.model.name,
             'recordings': ', '.join(arguments.recordings), 'efforts': arguments.efforts}
    lines = [f'{name}: {value}' for name, value in about.items()]
    title = f'{result.robot.model.name}: identified'
    tables = report_tables(result)
    picture = identification_picture(result, title)
    head = [f'Does it explain the data? {verdict(result)}', *lines]
    robots = {} if result.refused else {
        **robot_texts(result, text, ['Identified; to be used with identified.urdf.', *head]),
        'identified.xml': identified_mjcf(result, ['Identified, for MuJoCo.', *head])}
    files = {
        **robots, 'identification.json': identification_json(result, about).encode(),
        'identification.png': picture,
        'identification.html': report_page(
            title, tables, result.remarks, lines, (picture, PICTURE_WORDS)).encode()}
    summaries = output / SUMMARIES
    contents: dict[Path, bytes | Path] = {
        **{output / name: content for name, content in files.items()},
        **{summaries / name: path for name, path in staged.items()}}
    with results(summaries, (), overwrite=True), writing_to(output):
        create_files(contents, replace=True)
        for name in ROBOTS if result.refused else ():   # of an earlier run
            (output / name).unlink(missing_ok=True)
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
