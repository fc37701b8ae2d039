"""The commands of urdf2dyn: a command is a file and a line here."""

import argparse
from typing import Protocol

from urdf2dyn_ros.commands import (
    check,
    demo,
    evaluate,
    excite,
    export,
    graph,
    identify,
    info,
    plot,
    tune,
)


class Command(Protocol):
    """The contract of a command's module, whose docstring is the help in one sentence."""

    __doc__: str | None

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Run the command; return the exit code. A `Urdf2DynError` is printed by the caller."""


COMMANDS: dict[str, Command] = {
    'check': check,
    'export': export,
    'info': info,
    'graph': graph,
    'plot': plot,
    'tune': tune,
    'evaluate': evaluate,
    'excite': excite,
    'identify': identify,
    'demo': demo,
}

__all__ = ['COMMANDS', 'Command']
