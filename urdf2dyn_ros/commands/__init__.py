"""The commands of urdf2dyn, imported when they are used: one is a file and a name here."""

import argparse
import ast
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol, cast


class CommandModule(Protocol):
    """The contract of a command's module, whose docstring is the help in one sentence."""

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Run the command; return the exit code. A `Urdf2DynError` is printed by the caller."""


@dataclass(frozen=True)
class Command:
    """A command by the name of its module."""

    name: str

    @property
    def help(self) -> str:
        """The docstring of the module, read from its text: nothing is imported for an overview."""
        spec = find_spec(f'{__name__}.{self.name}')
        read = getattr(spec and spec.loader, 'get_source', None)   # of files and of zip archives
        return ast.get_docstring(ast.parse(read(spec.name) or '')) or '' if spec and read else ''

    def load(self) -> CommandModule:
        """Import the module, with all that the command needs."""
        return cast(CommandModule, import_module(f'{__name__}.{self.name}'))


COMMANDS = {name: Command(name) for name in (
    'torque',
    'check',
    'export',
    'info',
    'latex',
    'graph',
    'page',
    'plot',
    'evaluate',
    'excite',
    'identify',
    'demo',
)}
