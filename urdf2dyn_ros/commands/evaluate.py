"""Compute the efforts of a recording and compare them with the measured ones."""

import argparse
import os
from collections.abc import Sequence

from urdf2dyn_ros.codegen.compiled import BACKENDS
from urdf2dyn_ros.codegen.functions.observer import OBSERVER_GAIN
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
    read_recorded_loads,
    read_workers,
    results,
)
from urdf2dyn_ros.errors import ParameterError, RecordingError
from urdf2dyn_ros.estimation.estimators import ESTIMATORS
from urdf2dyn_ros.identification.gains import read_gains
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.recordings import DIRECTORY, RECORDINGS, check_distinct
from urdf2dyn_ros.recordings.evaluation import OFFLINE_DEFAULT, EvaluationSettings, figures_table
from urdf2dyn_ros.recordings.many import (
    MANY_FILES,
    RESULTS,
    EvaluationJob,
    evaluate_many,
    folder_names,
    many_json,
    many_remarks,
    many_tables,
)
from urdf2dyn_ros.recordings.measured_efforts import SEMANTICS
from urdf2dyn_ros.recordings.pages import report_page, text_table
from urdf2dyn_ros.recordings.workers import Workers
from urdf2dyn_ros.robot.reader import load_urdf
from urdf2dyn_ros.system import create_files, progress, require, writing_to
from urdf2dyn_ros.text import counted, facts, typed_command

MOST_ROWS = 50   # recordings of which each has a row on the terminal


def add_evaluate(parser: argparse.ArgumentParser) -> None:
    """Add recording, robot, method and results."""
    *most, last = (suffix for suffix in RECORDINGS if suffix != DIRECTORY)
    parser.add_argument('recordings', nargs='+', metavar='BAG_OR_CSV',
                        help=f'rosbag2 directory, {", ".join(most)} or {last} file (columns time, '
                        'q_<joint>, and optionally qd_<joint>, qdd_<joint>, effort_<joint>)')
    add(parser, *READING, '--urdf', '--xacro-args', *CHECKED, '--parameters',
        *JOINTS)
    parser.add_argument('--estimator', choices=(OFFLINE_DEFAULT, *ESTIMATORS), default='',
                        help='estimator of accelerations; external: as recorded (default: as '
                        f'recorded, or else {OFFLINE_DEFAULT}, offline)')
    parser.add_argument('--effort-semantics', choices=tuple(SEMANTICS), default='net',
                        help='what the measured effort is: ' + '; '.join(
                            f'{name}: {row.meaning}' for name, row in SEMANTICS.items())
                        + ' (default: net)')
    add(parser, *EFFORTS, free='for identify alone, which fits and prints them')
    parser.add_argument('--observer', action='store_true',
                        help='estimate external efforts and contacts with a momentum observer')
    parser.add_argument('--observer-gain', type=float, metavar='GAIN',
                        help='gain of the observer [1/s] (default: that of --parameters, or '
                        f'{OBSERVER_GAIN.default[0]:g})')
    parser.add_argument('--thresholds', nargs='+', type=float, metavar='EFFORT',
                        help='external efforts that are contacts [N m or N]: one, or one for each '
                        'joint (default: those of --parameters; contact.yaml, of a recording '
                        'without contact, has them)')
    add(parser, '--base', rests='was at rest')
    parser.add_argument('--backend', choices=BACKENDS, default='python',
                        help='back end that evaluates the equations (default: python)')
    add(parser, *WORKERS, work='evaluate recordings')
    add_output(parser, 'evaluate_output', 'the results, with a directory for each of several '
               'recordings')


def run_evaluate(arguments: argparse.Namespace) -> int:
    """Print summary and figures; return 1 if the recording is not complete."""
    require('urdf2dyn evaluate', 'scipy', 'matplotlib')
    text = load_urdf(arguments.urdf, xacro_args=arguments.xacro_args)
    robot = read_recorded_loads(
        arguments, read_model(arguments, text))
    model = robot.model
    dynamics = InverseDynamics(model, robot.gravity, arguments.backend, loads=robot.loads)
    check_fixed(dynamics, 'and its motion is not in joint states')
    gain, *others = robot.values['observer.gain']
    if others and arguments.observer and arguments.observer_gain is None:
        raise ParameterError('observer.gain of a file has several entries, and a recording is '
                             'observed with one: choose it with --observer-gain')
    settings = EvaluationSettings(
        arguments.estimator, arguments.effort_semantics, _gains(arguments, dynamics.joint_names),
        tuple(arguments.rename), arguments.observer,
        gain if arguments.observer_gain is None else arguments.observer_gain,
        tuple(arguments.thresholds or robot.values['contact.thresholds']), tuple(arguments.hold))
    job = EvaluationJob(dynamics, settings, read_reading(arguments), arguments.efforts,
                        facts(typed_command(), arguments.urdf, text))
    workers = read_workers(arguments)
    return (_one(job, arguments) if len(arguments.recordings) == 1 and workers.here
            else _many(job, arguments, workers))


def _gains(arguments: argparse.Namespace, joints: Sequence[str]) -> tuple[float, ...]:
    if arguments.effort_semantics != 'current':
        if arguments.gains:
            raise ParameterError('--gains require --effort-semantics current')
        return (1.0,)
    if not arguments.gains:
        raise ParameterError('--gains are missing: currents require one gain for all joints or '
                             f'one for each of {len(joints)} [N m/A or N/A]')
    gains = read_gains(arguments.gains, joints)
    if gains.free.any():
        raise ParameterError('--gains free: evaluate compares with known gains; urdf2dyn identify '
                             '--effort-semantics current --gains free fits and prints them')
    return tuple(gains.values.tolist())


def _one(job: EvaluationJob, arguments: argparse.Namespace) -> int:
    path, = arguments.recordings
    with (results(arguments.output, RESULTS, arguments.overwrite) as output,
          progress('evaluating') as show):
        result, about = job.evaluated(path, output, show)
    print_remarks(result.remarks)
    print('\n'.join([*about, '', figures_table(result), '', *map(str, result.files)]))
    if result.error is not None:
        raise result.error
    if result.span is None:
        raise RecordingError(path, 'no effort could be computed, for the reasons above')
    return 0


def _many(job: EvaluationJob, arguments: argparse.Namespace, workers: Workers) -> int:
    """Write a directory for each recording, and a report; return 1 if one is not complete."""
    check_distinct(arguments.recordings)
    paths = [os.path.abspath(path) if workers.scheduler else path for path in arguments.recordings]
    names = (*MANY_FILES, *folder_names(paths))
    with results(arguments.output, names, arguments.overwrite) as output:
        with progress('evaluating') as show:
            recordings = evaluate_many(job, paths, output.resolve(), workers, show)
        tables, remarks = many_tables(recordings), many_remarks(recordings)
        count = counted(len(recordings), 'recording')
        page = report_page(f'{job.dynamics.model.name}: {count}', tables,
                           remarks, [f'{name}: {value}' for name, value in job.facts.items()])
        with writing_to(output):
            create_files({output / name: text.encode() for name, text in zip(
                MANY_FILES, (many_json(recordings, job.facts), page))}, replace=True)
    print_remarks(remarks)
    for table in tables if len(recordings) <= MOST_ROWS else tables[:1]:
        print(table.title, text_table(table), '', sep='\n')
    for name in MANY_FILES:
        print(output / name)
    return 1 if any(recording.fault for recording in recordings) else 0
