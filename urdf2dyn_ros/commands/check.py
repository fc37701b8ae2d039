"""Check a robot description: every problem, what it does to the efforts, and its remedy."""

import argparse
import json

from urdf2dyn_ros.commands.checks.checking import Finding, count_line, findings
from urdf2dyn_ros.commands.robot import add_file
from urdf2dyn_ros.urdf.sources import load_urdf


def add(parser: argparse.ArgumentParser) -> None:
    """Add the robot, what counts as a failure, and the format."""
    add_file(parser)
    parser.add_argument('--strict', action='store_true',
                        help='fail on warnings as well as on errors')
    parser.add_argument('--json', action='store_true', help='print JSON')


def run(arguments: argparse.Namespace) -> int:
    """Print all findings; return 1 after errors, with --strict also after warnings."""
    name, reported, rounded = findings(load_urdf(arguments.robot))
    errors = sum(finding.error for finding in reported)
    if arguments.json:
        print(json.dumps({'robot': name, 'errors': errors, 'warnings': len(reported) - errors,
                          'problems': [finding.data() for finding in reported],
                          'rounded': rounded}, indent=2))
    else:
        print('\n'.join([*map(Finding.text, reported), *(f'note: {line}' for line in rounded),
                         count_line(name, reported)]))
    return int(bool(errors or (arguments.strict and reported)))
