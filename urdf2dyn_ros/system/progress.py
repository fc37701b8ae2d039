"""The fraction done of some work: a bar on a terminal, a line now and then elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

_WIDTH = 30

_TERMINAL_PAUSE = 0.1
"""Time between two bars on a terminal [s]."""


class ProgressBar:
    """
    Shows the fraction done.

    Where the stream is not a terminal, `pause` is the time between two lines [s]; `delay` is that
    before anything is shown [s].
    """

    def __init__(self, stream: TextIO, pause: float, delay: float = 0.0) -> None:
        self._stream = stream
        self._terminal = stream.isatty()
        self._pause = _TERMINAL_PAUSE if self._terminal else pause
        self._next = time.monotonic() + delay
        self._shown = ''

    def show(self, fraction: float, text: str, at_once: bool = False) -> None:
        """Show the fraction done, unless another one was shown a moment ago."""
        now = time.monotonic()
        if now < self._next and not at_once:
            return
        self._next = now + self._pause
        if self._terminal:
            full = round(_WIDTH * fraction)
            text = f'[{"#" * full}{"." * (_WIDTH - full)}] {text}'
            print(f'\r{text.ljust(len(self._shown))}', end='', file=self._stream, flush=True)
        elif text != self._shown:
            print(text, file=self._stream, flush=True)
        self._shown = text

    def close(self, erase: bool = False) -> None:
        """End the line of the bar, or erase it."""
        if self._terminal and self._shown:
            print('\r\033[K' if erase else '\n', end='', file=self._stream, flush=True)


@contextmanager
def progress(work: str) -> Iterator[Callable[[float], None]]:
    """Yield a function that shows the fraction done, once the work takes more than 2 seconds."""
    bar = ProgressBar(sys.stderr, pause=5.0, delay=2.0)
    try:
        yield lambda fraction: bar.show(fraction, f'{work}: {100.0 * fraction:3.0f} %')
    finally:
        bar.close(erase=True)
