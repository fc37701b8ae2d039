"""How far a command is, on standard error: a bar on a terminal, a line every few seconds else."""

from __future__ import annotations

import sys
import time

PATIENCE = 2.0
"""Time before anything is shown [s]."""

WIDTH = 30
PAUSES = {True: 0.1, False: 5.0}
"""Time between two bars on a terminal, and between two lines elsewhere [s]."""


class Progress:
    """
    Shows the fraction of some work that takes longer than two seconds.

    Parameters
    ----------
    what : str
        The work, in a word.

    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._terminal = sys.stderr.isatty()
        self._next = time.monotonic() + PATIENCE
        self._shown = False

    def tell(self, fraction: float) -> None:
        """Show the fraction done, unless it was shown a moment ago."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + PAUSES[self._terminal]
        text = f'{self._what}: {100.0 * fraction:3.0f} %'
        if self._terminal:
            full = round(WIDTH * fraction)
            text = f'\r[{"#" * full}{"." * (WIDTH - full)}] {text}'
        print(text, end='' if self._terminal else '\n', file=sys.stderr, flush=True)
        self._shown = True

    def close(self) -> None:
        """Take the bar away."""
        if self._terminal and self._shown:
            print('\r\033[K', end='', file=sys.stderr, flush=True)
