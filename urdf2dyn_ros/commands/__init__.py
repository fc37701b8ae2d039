"""
The command line: its commands, imported when they are used, its parser, and what is printed of
errors.
"""

import argparse
import os
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import NamedTuple, NoReturn

from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.system import FULL
from urdf2dyn_ros.text import __version__, suggestion

_PROGRAM, _HELP = 'urdf2dyn', 'help'


class Command(NamedTuple):
    """The module in this folder with `add_<command>` and `run_<command>`, and the help."""

    module: str
    help: str


# a new command is two functions and a line here
COMMANDS = {
    'torque': Command('torque', 'Print the efforts that a state or a trajectory requires; at '
                      'rest, those against gravity.'),
    'check': Command('check', 'Check a robot description: every problem, what it does to the '
                     'efforts, and its remedy.'),
    'export': Command('robot', "Write a robot's equations to files."),
    'info': Command('robot', 'Print what a robot consists of, and how many operations its '
                    'equations need.'),
    'latex': Command('robot', 'Print the equations of a robot of up to three joints as LaTeX.'),
    'graph': Command('graph', "Draw a robot's kinematic tree, or write it for Graphviz: joints, "
                     'links, masses.'),
    'page': Command('robot', 'Write a page of HTML that moves a robot and shows the efforts, '
                    'without a server.'),
    'plot': Command('plot', 'Draw the columns of a table over time.'),
    'evaluate': Command('evaluate', 'Compute the efforts of a recording and compare them with the '
                        'measured ones.'),
    'excite': Command('excite', "Find the motion within a robot's limits from which its "
                      'parameters are identified best.'),
    'identify': Command('identify', 'Identify inertial parameters, rotors and friction of a robot '
                        'from recordings of it.'),
    'demo': Command('robot', 'Simulate a robot, and compare its efforts with those that the node '
                    'computes, on a DDS graph of this computer.'),
}


def load(name: str) -> tuple[Callable[[argparse.ArgumentParser], None],
                             Callable[[argparse.Namespace], int]]:
    """
    Import a command; return what adds its arguments, and what runs it and returns the exit code.

    A `Urdf2DynError` is printed by the caller.
    """
    module = import_module(f'{__name__}.{COMMANDS[name].module}')
    return getattr(module, f'add_{name}'), getattr(module, f'run_{name}')


class _Parser(argparse.ArgumentParser):
    """One that says in a line what is wrong, and where all options are listed."""

    words: Sequence[str] = ()   # behind the command

    def error(self, message: str) -> NoReturn:
        what = 'commands' if self.prog == _PROGRAM else 'arguments'
        hint = '' if _HELP in message else f' ({self.prog} --help lists its {what})'
        # an option took the file
        if self.words and 'are required: ' in message and '--' not in message:
            hint += '; files stand before the options'
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


def command_parser(name: str) -> _Parser:
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
    parser.words = words[1:]
    arguments, unknown = parser.parse_known_args(parser.words)
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
        place = str(error).startswith('cannot write to ') and 'output' in vars(arguments)
        print(f'error: {error}{"; choose another place with --output" * place}', file=sys.stderr)
        return 1
    except OSError as error:
        with suppress(AttributeError, OSError):   # no standard output, or not a file
            # else Python writes the rest again when it ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):   # a reader like head
            # errors of files name them
            text = (f'cannot write to the standard output: {error.strerror}'
                    if error.errno in FULL and error.filename is None else error)
            print(f'error: {text}', file=sys.stderr)
        return 1
    return code
