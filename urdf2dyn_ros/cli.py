"""The command urdf2dyn, which needs no ROS except for the demo."""

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from urdf2dyn_ros.commands import COMMANDS
from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.version import __version__


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog='urdf2dyn', description='Inverse dynamics of any robot from its URDF.')
    parser.add_argument('--version', action='version', version=f'urdf2dyn_ros {__version__}')
    commands = parser.add_subparsers(required=True, metavar='COMMAND')
    for name, command in COMMANDS.items():
        text = (command.__doc__ or '').strip()
        added = commands.add_parser(name, help=text, description=text)
        command.add(added)
        added.set_defaults(run=command.run)
    return parser


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code: 0, or 1 after an error that was printed."""
    arguments = _parser().parse_args(words)
    try:
        code: int = arguments.run(arguments)
        print(end='', flush=True)   # errors of writing occur here
    except Urdf2DynError as error:
        print(f'error: {error}', file=sys.stderr)
        return 1
    except OSError as error:
        with suppress(AttributeError, OSError):   # no standard output, or not a file
            # else Python writes the rest again when it ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):   # a reader like head
            print(f'error: {error}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return code


if __name__ == '__main__':
    sys.exit(main())
