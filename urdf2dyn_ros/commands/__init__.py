"""The commands of urdf2dyn, imported when they are used: one is two functions and a line here."""

import argparse
from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple


class Command(NamedTuple):
    """The module in this folder with `add_<command>` and `run_<command>`, and the help."""

    module: str
    help: str


COMMANDS = {
    'torque': Command('torque', 'Print the efforts that a state requires, at rest those against '
                      'gravity, or a trajectory.'),
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
    'plot': Command('plot', 'Draw a CSV file with a column of time, or the report of a '
                    'comparison.'),
    'evaluate': Command('evaluate', 'Compute the efforts of a recording and compare them with the '
                        'measured ones.'),
    'excite': Command('excite', "Find the motion within a robot's limits from which its "
                      'parameters are identified best.'),
    'identify': Command('identify', 'Identify inertial parameters, rotors and friction of a robot '
                        'from recordings of it.'),
    'demo': Command('robot', 'Simulate a robot, compute its efforts and compare both, on a DDS '
                    'graph of this computer.'),
}


def load(name: str) -> tuple[Callable[[argparse.ArgumentParser], None],
                             Callable[[argparse.Namespace], int]]:
    """
    Import a command; return what adds its arguments, and what runs it and returns the exit code.

    A `Urdf2DynError` is printed by the caller.
    """
    module = import_module(f'{__name__}.{COMMANDS[name].module}')
    return getattr(module, f'add_{name}'), getattr(module, f'run_{name}')
