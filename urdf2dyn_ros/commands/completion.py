"""Completion of the command line by argcomplete, where that is installed."""

import os

from urdf2dyn_ros.commands.command_line import overview


def complete() -> None:
    """Print the completions of the line in the environment, and end; without the library, none."""
    try:
        import argcomplete
    except ImportError:
        return
    words = os.environ.get('COMP_LINE', '').split()
    argcomplete.autocomplete(overview(*words[1:2]))
