"""The command line: its parser, the order of its words, and what is printed of errors."""

import argparse
import errno
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

from urdf2dyn_ros.commands import COMMANDS
from urdf2dyn_ros.commands.word_order import file_first
from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.quoting import suggestion
from urdf2dyn_ros.version import __version__

_PROGRAM, _HELP = 'urdf2dyn', 'help'
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class _Parser(argparse.ArgumentParser):
    """One that says in a line what is wrong, and where all options are listed."""

    def error(self, message: str) -> NoReturn:
        what = 'commands' if self.prog == _PROGRAM else 'arguments'
        hint = '' if _HELP in message else f' ({self.prog} --help lists its {what})'
        self.exit(2, f'{self.prog}: error: {message}{hint}\n')


def overview(complete: str = '') -> argparse.ArgumentParser:
    """Return the parser of a command line, of which one command may have its arguments."""
    parser = _Parser(
        prog=_PROGRAM, description='Inverse dynamics of any robot from its URDF.',
        epilog='urdf2dyn help COMMAND, or urdf2dyn COMMAND --help, explains a command.')
    parser.add_argument('-V', '--version', action='version', version=f'urdf2dyn_ros {__version__}')
    commands = parser.add_subparsers(required=True, metavar='COMMAND')
    for name, command in COMMANDS.items():
        each = commands.add_parser(name, help=command.help)
        if name == complete:
            command.load().add(each)
    return parser


def complete() -> None:
    """Print the completions of the line in the environment, and end; without argcomplete, none."""
    try:
        import argcomplete
    except ImportError:
        return
    words = os.environ.get('COMP_LINE', '').split()
    argcomplete.autocomplete(overview(*words[1:2]))


def command_parser(name: str) -> argparse.ArgumentParser:
    """Return the parser of a command, whose module is imported."""
    command = COMMANDS[name]
    parser = _Parser(f'{_PROGRAM} {name}', description=command.help)
    module = command.load()
    module.add(parser)
    parser.set_defaults(run=module.run)
    return parser


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Return the arguments; end with 2 and a remedy after wrong ones."""
    if words and words[0] == _HELP:
        words = [*words[1:2], '--help']
    name = words[0] if words else ''
    if name not in COMMANDS:
        parser = overview()
        if name and not name.startswith('-'):
            parser.error(f'there is no command {name!r}; '
                         f'{suggestion(name, COMMANDS, search=True)}')
        if not name:
            parser.error(f'there is no command; {_PROGRAM} {_HELP} lists them')
        return parser.parse_args(words)   # ends: an option, or an error
    parser = command_parser(name)
    _check_robot(parser, words[1:])
    arguments, unknown = parser.parse_known_args(file_first(parser, words[1:]))
    if unknown:
        options = [option for option in parser._option_string_actions if option[1] == '-']
        remedies = [suggestion(word.partition('=')[0], options, search=True)
                    for word in unknown if word.startswith('--')]
        parser.error('; '.join([f'unknown arguments: {" ".join(unknown)}', *remedies[:1]]))
    return arguments


def _check_robot(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """End with 2 where the robot stands among the recordings, and is missing as an option."""
    robots = [word for word in words if word.endswith(('.urdf', '.xacro'))]
    takes = any(action.required for action in parser._actions if '--urdf' in action.option_strings)
    if takes and robots and not any(word.startswith('--u') for word in words):
        parser.error(f'the robot is an option: --urdf {robots[-1]}')


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
            # errors of files name them
            text = (f'cannot write to the standard output: {error.strerror}'
                    if error.errno in _NO_SPACE and error.filename is None else error)
            print(f'error: {text}', file=sys.stderr)
        return 1
    return code
