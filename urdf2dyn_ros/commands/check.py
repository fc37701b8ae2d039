"""Check a robot description: every problem, what it does to the efforts, and how to mend it."""

import argparse
import json

from urdf2dyn_ros.commands.checking import Finding, count_line, findings
from urdf2dyn_ros.urdf.source import load_urdf


def add(parser: argparse.ArgumentParser) -> None:
    """Add the robot, what counts as a failure, and the format."""
    parser.add_argument('robot', metavar='ROBOT.urdf',
                        help='URDF or xacro file; - for standard input')
    parser.add_argument('--strict', action='store_true',
                        help='fail on warnings as well as on errors')
    parser.add_argument('--json', action='store_true', help='print JSON')


def run(arguments: argparse.Namespace) -> int:
    """Print all findings; return 1 after errors, with --strict also after warnings."""
    name, found, rounded = findings(load_urdf(arguments.robot))
    errors = sum(finding.error for finding in found)
    if arguments.json:
        print(json.dumps({'robot': name, 'errors': errors, 'warnings': len(found) - errors,
                          'problems': [finding.data() for finding in found],
                          'rounded': rounded}, indent=2))
    else:
        print('\n'.join([*map(Finding.text, found), *(f'note: {line}' for line in rounded),
                         count_line(name, found)]))
    return int(bool(errors or (arguments.strict and found)))
