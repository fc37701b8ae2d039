"""Signals that end a command."""

import signal

ENDING_SIGNALS = {signal.SIGINT: 'interrupted', signal.SIGTERM: 'terminated'}
"""
What a command prints when a signal ends it: Ctrl-C, or that of kill, timeout and systemd.

The exit code is 128 more than the signal's number, as of a shell.

"""
