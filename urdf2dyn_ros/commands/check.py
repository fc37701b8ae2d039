"""Check a robot description: every problem, what it does to the efforts, and how to mend it."""

import argparse
import json
from pathlib import Path

from urdf2dyn_ros.commands.checks.checking import Finding, count_line, findings
from urdf2dyn_ros.commands.checks.mending import Mended, mended
from urdf2dyn_ros.commands.output import add_overwrite, results
from urdf2dyn_ros.commands.robot import add_file
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.system.atomic_file import create_files, writing_to
from urdf2dyn_ros.urdf.source import load_urdf


def add(parser: argparse.ArgumentParser) -> None:
    """Add the robot, what counts as a failure, the format, and what is mended."""
    add_file(parser)
    parser.add_argument('--strict', action='store_true',
                        help='fail on warnings as well as on errors')
    parser.add_argument('--json', action='store_true', help='print JSON')
    parser.add_argument('--fix', action='store_true',
                        help='write what can be mended without a guess to the file of --output, '
                        'and report what is left')
    parser.add_argument('-o', '--output', type=Path, metavar='FILE',
                        help='the mended description')
    add_overwrite(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print all findings; return 1 after errors, with --strict also after warnings."""
    text = load_urdf(arguments.robot)
    changes: list[Mended] = []
    if arguments.fix != (arguments.output is not None):
        raise ParameterError('--fix needs --output FILE, and --output needs --fix')
    if arguments.fix:
        if isinstance(text, str):
            raise ParameterError(f'{arguments.robot!r} is xacro, which is not mended: expand it '
                                 'first, and mend the URDF')
        text, changes = mended(text)
        path = arguments.output
        with results(path.parent, (path.name,), arguments.overwrite, 'file'), writing_to(path):
            create_files({path: text}, replace=arguments.overwrite)
    name, reported, rounded = findings(text)
    errors = sum(finding.error for finding in reported)
    if arguments.json:
        print(json.dumps({'robot': name, 'errors': errors, 'warnings': len(reported) - errors,
                          'mended': [change.data() for change in changes],
                          'problems': [finding.data() for finding in reported],
                          'rounded': rounded}, indent=2))
    else:
        print('\n'.join([*(f'mended: {change}' for change in changes),
                         *map(Finding.text, reported), *(f'note: {line}' for line in rounded),
                         *[str(arguments.output)] * arguments.fix,
                         count_line(name, reported) + ' left' * arguments.fix]))
    return int(bool(errors or (arguments.strict and reported)))
