"""The commands of urdf2dyn: one file each, and one line each in the table."""

from __future__ import annotations

import argparse
from typing import Protocol

from urdf2dyn_ros.commands import demo, evaluate, export, graph, info, plot, tune


class Command(Protocol):
    """
    What a module must offer to be in the table.

    Its docstring is the command's help, in one sentence.

    """

    __doc__: str | None

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Do it; return the exit code. A `Urdf2DynError` is printed by the caller, and gives 1."""


COMMANDS: dict[str, Command] = {
    'export': export,
    'info': info,
    'graph': graph,
    'plot': plot,
    'tune': tune,
    'evaluate': evaluate,
    'demo': demo,
}

__all__ = ['COMMANDS', 'Command']
