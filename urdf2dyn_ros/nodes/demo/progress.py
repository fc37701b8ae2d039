"""How far something is: a bar on a terminal, a line a second elsewhere."""

from __future__ import annotations

import sys
import time

WIDTH = 30


class Progress:
    """
    Shows a fraction of a duration.

    Parameters
    ----------
    duration : float
        What the fraction is of [s].

    """

    def __init__(self, duration: float) -> None:
        self._duration = duration
        self._terminal = sys.stdout.isatty()
        self._pause = 0.1 if self._terminal else 1.0
        self._last = -self._pause
        self._shown = ''

    def show(self, done: float, remark: str) -> None:
        """Show the fraction done, unless it was shown a moment ago."""
        now = time.monotonic()
        if now - self._last < self._pause and done < 1.0:
            return
        self._last = now
        text = f'{done * self._duration:5.1f} of {self._duration:g} s, {remark}'
        if self._terminal:
            full = round(WIDTH * done)
            text = f'[{"#" * full}{"." * (WIDTH - full)}] {text}'
            print(f'\r{text.ljust(len(self._shown))}', end='', flush=True)
        elif text != self._shown:
            print(text, flush=True)
        self._shown = text

    def close(self) -> None:
        """Leave the line of the bar."""
        if self._terminal:
            print(flush=True)
