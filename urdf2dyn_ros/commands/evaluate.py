"""Compute the efforts of a recording and compare them with the measured ones."""

import argparse
import sys

from urdf2dyn_ros.commands.loads import add_parameters, read_recorded_loads
from urdf2dyn_ros.commands.output import add_output, results
from urdf2dyn_ros.commands.recording import add_recording
from urdf2dyn_ros.commands.robot import add_options, read_model
from urdf2dyn_ros.comparison.files import write_figures
from urdf2dyn_ros.comparison.semantics import SEMANTICS
from urdf2dyn_ros.compiled.backend import BACKENDS
from urdf2dyn_ros.errors import ExportError, ParameterError, RecordingError
from urdf2dyn_ros.estimators import ESTIMATORS
from urdf2dyn_ros.evaluation.accelerations import OFFLINE_DEFAULT
from urdf2dyn_ros.evaluation.evaluation import BAG, TABLE, evaluate
from urdf2dyn_ros.evaluation.external_report import (
    EXTERNAL_FILES,
    external_picture,
    external_summary,
    write_external_efforts,
)
from urdf2dyn_ros.evaluation.result import Settings, evaluation_summary, figures_table
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.observer.contact import THRESHOLD
from urdf2dyn_ros.observer.momentum_observer import GAIN
from urdf2dyn_ros.origin import EFFORT_SOURCES, Origin, facts, typed_command
from urdf2dyn_ros.recordings import open_recording
from urdf2dyn_ros.system.extras import require
from urdf2dyn_ros.system.progress import progress
from urdf2dyn_ros.urdf.source import load_urdf

REPORT = ('efforts.json', 'efforts.png', 'efforts.html')
RESULTS = (TABLE, BAG, *REPORT, *EXTERNAL_FILES)


def add(parser: argparse.ArgumentParser) -> None:
    """Add recording, robot, method and results."""
    add_recording(parser, 'BAG_OR_CSV', 'and optionally qd_<joint>, qdd_<joint>, effort_<joint>')
    parser.add_argument('--urdf', required=True, metavar='ROBOT',
                        help='URDF or xacro file; - for standard input')
    add_options(parser)
    add_parameters(parser)
    parser.add_argument('--rename', action='append', default=[], metavar='REGEX=NAME',
                        help='rename recorded joints whose whole name matches, for instance '
                        r"'fer_joint(\d)=panda_joint\1'; may be repeated")
    parser.add_argument('--hold', action='append', default=[], metavar='JOINT[=POSITION]',
                        help='a joint that is not in the recording was at rest at this position '
                        '[rad or m] (default: 0 or the limit nearest to it); auto: all that are '
                        'not; may be repeated')
    parser.add_argument('--estimator', choices=(OFFLINE_DEFAULT, *ESTIMATORS), default='',
                        help='estimator of accelerations; external: as recorded (default: as '
                        f'recorded, or else {OFFLINE_DEFAULT}, offline)')
    parser.add_argument('--effort-semantics', choices=tuple(SEMANTICS), default='net',
                        help='what the measured effort is: ' + '; '.join(
                            f'{name}: {row.meaning}' for name, row in SEMANTICS.items())
                        + ' (default: net)')
    parser.add_argument('--efforts', choices=EFFORT_SOURCES, default=EFFORT_SOURCES[0],
                        help='where the recorded efforts come from, as the report names them '
                        f'(default: {EFFORT_SOURCES[0]})')
    parser.add_argument('--gains', nargs='+', type=float, default=(), metavar='GAIN',
                        help='gains of currents [N m/A or N/A]: one, or one for each joint')
    parser.add_argument('--observer', action='store_true',
                        help='estimate external efforts and contacts with a momentum observer')
    parser.add_argument('--observer-gain', type=float, metavar='GAIN',
                        default=GAIN, help='gain of the observer [1/s] (default: %(default)g)')
    parser.add_argument('--thresholds', nargs='+', type=float, metavar='EFFORT',
                        default=(THRESHOLD,),
                        help='external efforts that are contacts '
                        f'[N m or N]: one, or one for each joint (default: {THRESHOLD:g})')
    parser.add_argument('--base', choices=('auto', 'fixed'), default='auto',
                        help='fixed: a floating root was at rest (default: auto, as in the '
                        'URDF)')
    parser.add_argument('--backend', choices=BACKENDS, default='python',
                        help='back end that evaluates the equations (default: python)')
    add_output(parser, 'evaluate_output', 'the results')


def run(arguments: argparse.Namespace) -> int:
    """Print summary and figures; return 1 if the recording is not complete."""
    require('urdf2dyn evaluate', 'scipy', 'matplotlib')
    text = load_urdf(arguments.urdf)
    robot = read_recorded_loads(arguments, read_model(text, arguments.strict_inertia))
    model = robot.model
    dynamics = InverseDynamics(model, robot.gravity, arguments.backend, loads=robot.loads)
    if 'base_motion' in dynamics.inputs:
        raise ParameterError(f'the root of robot {model.name!r} floats, and its motion is not in '
                             'joint states; if it was at rest, add --base fixed')
    semantics = arguments.effort_semantics
    settings = Settings(arguments.estimator, semantics, tuple(arguments.gains),
                        tuple(arguments.rename), arguments.observer,
                        arguments.observer_gain, tuple(arguments.thresholds),
                        tuple(arguments.hold))
    with results(arguments.output, RESULTS, arguments.overwrite) as output:
        with progress('evaluating') as show:
            recording = open_recording(arguments.recording, arguments.topic, show)
            result = evaluate(recording, dynamics, settings, output)
        for remark in result.remarks:
            print(f'warning: {remark}', file=sys.stderr)
        origin = Origin(arguments.efforts, {**facts(typed_command(), arguments.urdf, text),
                                            'recording': str(recording.path)})
        about = evaluation_summary(recording, dynamics, semantics, result)
        if result.external is not None:
            about += external_summary(result.external)
        print('\n'.join([*about, '', figures_table(result), '']))
        try:
            # those of an earlier evaluation, if this one has any result
            for name in (*REPORT, *EXTERNAL_FILES) if result.files else ():
                (output / name).unlink(missing_ok=True)
            if result.compared:
                pictures = [] if result.external is None else [external_picture(result.external)]
                result.files += write_figures(
                    result.joints, output, f'{model.name}: {origin.efforts} and computed efforts',
                    about, origin, pictures)
            if result.external is not None and result.span is not None:
                result.files += write_external_efforts(
                    result.external, output, f'{model.name}: external efforts')
        except OSError as error:
            raise ExportError(f'cannot write to {output}: {error.strerror}') from None
    for path in result.files:
        print(path)
    if result.error is not None:
        raise result.error
    if result.span is None:
        raise RecordingError(recording.path, 'no effort could be computed, for the reasons above')
    return 0
