"""The command line: its parser, the order of its words, and what is printed of errors."""

import argparse
import errno
import os
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

from urdf2dyn_ros.commands import COMMANDS, load
from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.text import __version__, suggestion

# ---- The order of words: a file after an option with any number of values is no value of it

def gain(word: str) -> str:
    """Return a word of --gains, which `read_gains` reads: a number, free or JOINT=VALUE."""
    return word


def file_first(parser: argparse.ArgumentParser, words: Sequence[str]) -> list[str]:
    """
    Return words with the file first, if an option would take it: ``--external link6 robot.urdf``.

    That is so if no other word can be the file, and the last option with any number of values has
    two or more, which are numbers or gains where there may be several files. Otherwise nothing
    changes.
    """
    values, numbers, k = range(0), False, 0   # of the last option with any number of values
    while k < len(words):
        word = words[k]
        if not _is_option(word):
            return list(words)
        action = _action(parser, word)
        nargs = 0 if action is None or '=' in word else action.nargs
        many = nargs in ('+', '*')
        most = len(words) if many else nargs if isinstance(nargs, int) else int(nargs is None)
        first = k = k + 1
        while k < len(words) and not _is_option(words[k]) and k - first < most:
            k += 1
        if many and action is not None:
            values, numbers = range(first, k), action.type in (float, gain)
    files = (None, '+') if numbers else (None,)
    required = sum(not action.option_strings and action.nargs in files
                   for action in parser._actions)
    if required != 1 or len(values) < 2:
        return list(words)
    file = values[-1]
    return [words[file], *words[:file], *words[file + 1:]]


def _is_option(word: str) -> bool:
    """Return whether a word is no value: negative numbers and standard input are values."""
    digits = word[1:2].isdigit() or word[1:2] == '.'
    return word.startswith('-') and word != '-' and not digits


def _action(parser: argparse.ArgumentParser, word: str) -> argparse.Action | None:
    """Return the option of a word, which may be abbreviated."""
    name = word.partition('=')[0]
    options = parser._option_string_actions
    known = [name] if name in options else [each for each in options if each.startswith(name)]
    actions = {id(options[each]): options[each] for each in known}
    return next(iter(actions.values())) if len(actions) == 1 else None


# ---- The command line: its parser, the order of its words, and what is printed of errors

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
            load(name)[0](each)
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
    parser = _Parser(f'{_PROGRAM} {name}', description=COMMANDS[name].help)
    parser._negative_number_matcher = re.compile(r'-\.?\d')   # -1e-3 is no option either
    add, run = load(name)
    add(parser)
    parser.set_defaults(run=run)
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
    # where the robot stands among the recordings, and is missing as an option
    robots = [word for word in words if word.endswith(('.urdf', '.xacro'))]
    if robots and not any(word.startswith('--u') for word in words) and any(
            action.required for action in parser._actions if '--urdf' in action.option_strings):
        parser.error(f'the robot is an option: --urdf {robots[-1]}')
    arguments, unknown = parser.parse_known_args(file_first(parser, words[1:]))
    if unknown:
        options = [option for option in parser._option_string_actions if option[1] == '-']
        remedies = [suggestion(word.partition('=')[0], options, search=True)
                    for word in unknown if word.startswith('--')]
        parser.error('; '.join([f'unknown arguments: {" ".join(unknown)}', *remedies[:1]]))
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
            # errors of files name them
            text = (f'cannot write to the standard output: {error.strerror}'
                    if error.errno in _NO_SPACE and error.filename is None else error)
            print(f'error: {text}', file=sys.stderr)
        return 1
    return code
