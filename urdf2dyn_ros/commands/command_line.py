"""The command line: its parser, the order of its words, and what is printed of errors."""

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from urdf2dyn_ros.commands import COMMANDS
from urdf2dyn_ros.commands.word_order import file_first
from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.quoting import suggestion
from urdf2dyn_ros.version import __version__

_HELP = 'help'


def _parsers() -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    """Return the parser, and those of the commands."""
    parser = argparse.ArgumentParser(
        prog='urdf2dyn', description='Inverse dynamics of any robot from its URDF.',
        epilog='urdf2dyn help COMMAND, or urdf2dyn COMMAND --help, explains a command.')
    parser.add_argument('-V', '--version', action='version', version=f'urdf2dyn_ros {__version__}')
    commands = parser.add_subparsers(required=True, metavar='COMMAND')
    of: dict[str, argparse.ArgumentParser] = {}
    for name, command in COMMANDS.items():
        text = (command.__doc__ or '').strip()
        of[name] = commands.add_parser(name, help=text, description=text)
        command.add(of[name])
        of[name].set_defaults(run=command.run)
    return parser, of


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Return the arguments; end with 2 and a remedy after wrong ones."""
    parser, of = _parsers()
    if words and words[0] == _HELP:
        words = [*words[1:2], '--help']
    name = words[0] if words else ''
    if name and not name.startswith('-') and name not in of:
        parser.error(f'there is no command {name!r}; {suggestion(name, of, search=True)}')
    if name in of:
        words = [name, *file_first(of[name], words[1:])]
    arguments, unknown = parser.parse_known_args(words)
    if unknown:
        command = of[name]
        options = [option for option in command._option_string_actions if option[1] == '-']
        remedies = [suggestion(word.partition('=')[0], options, search=True)
                    for word in unknown if word.startswith('--')]
        command.error('; '.join([f'unknown arguments: {" ".join(unknown)}', *remedies[:1]]))
    return arguments


def run(words: Sequence[str]) -> int:
    """Run a command; return its exit code, 1 after an error that was printed."""
    arguments = parse(words)
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
    return code
