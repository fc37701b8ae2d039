"""Suggest the Kalman filters' noise parameters from a recording of joint states."""

import argparse
import sys
from pathlib import Path

from urdf2dyn_ros.commands.output import add_output, print_remarks, results
from urdf2dyn_ros.commands.recording import add_recording
from urdf2dyn_ros.origin import facts, typed_command
from urdf2dyn_ros.quoting import listed
from urdf2dyn_ros.recordings import open_recording
from urdf2dyn_ros.system.atomic_file import create_files, writing_to
from urdf2dyn_ros.system.extras import require
from urdf2dyn_ros.system.progress import progress
from urdf2dyn_ros.tuning.held import held_texts
from urdf2dyn_ros.tuning.motion import read_motion
from urdf2dyn_ros.tuning.plots import plot_tuning
from urdf2dyn_ros.tuning.report import html_report, parameter_file, report
from urdf2dyn_ros.tuning.suggestion import TUNABLE, suggest

_FILES = ('tuned.yaml', 'tune.png', 'tune.html')


def add(parser: argparse.ArgumentParser) -> None:
    """Add the recording, the joints, the estimator and the directory of results."""
    add_recording(parser, 'RECORDING', 'qd_<joint>')
    parser.add_argument('--joints', nargs='+', default=(), metavar='JOINT',
                        help='use only these joints (default: all)')
    parser.add_argument('--hold', action='append', default=[], metavar='JOINT[=POSITION]',
                        help='a joint that is not in the recording is at rest at this position '
                        '[rad or m], as the parameter hold of the node in tuned.yaml; auto: all '
                        'that are not published; may be repeated')
    parser.add_argument('--estimator', choices=TUNABLE, default=TUNABLE[0],
                        help=f'estimator to be tuned (default: {TUNABLE[0]})')
    add_output(parser, '.', ', '.join(_FILES))


def run(arguments: argparse.Namespace) -> int:
    """Print figures and suggestion; return 1 if the recording is not complete."""
    require('urdf2dyn tune', 'scipy', 'matplotlib')
    with results(arguments.output, _FILES, arguments.overwrite) as output:
        return _tune(arguments, output)


def _tune(arguments: argparse.Namespace, output: Path) -> int:
    recording = open_recording(arguments.recording, arguments.topic)
    try:
        with progress('reading') as recording.progress:
            motion = read_motion(recording, arguments.joints)
    finally:   # a remark may explain why there are too few samples
        print_remarks(recording.remarks)
    held, recorded = held_texts(arguments.hold, motion.recorded)
    if recorded:
        print(f'warning: {listed(recorded)} held by --hold, but recorded: used as recorded, and '
              'not in tuned.yaml', file=sys.stderr)
    with progress('tuning') as show:
        suggestion = suggest(motion, arguments.estimator, show)
    print(report(motion, suggestion, held))
    name, about = recording.path.name or str(recording.path), facts(typed_command())
    title = f'{name}: tuning of {suggestion.estimator}' + (', longest segment of rising stamps'
                                                   if motion.set_back else '')
    parameters, page = (output / file for file in (_FILES[0], _FILES[2]))
    with writing_to(output):
        pictures = plot_tuning(motion, suggestion, output / _FILES[1], title)
        create_files({
            parameters: parameter_file(suggestion, name, about, held).encode(),
            page: html_report(motion, suggestion, held, title, about).encode()}, replace=True)
    for path in (parameters, *pictures, page):
        print(path)
    if recording.error is not None:
        print(f'error: {recording.error}', file=sys.stderr)
        return 1
    return 0
