"""Signals that end a command."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

# what a command prints when a signal ends it: Ctrl-C, or that of kill, timeout and systemd; the
# exit code is 128 more than the signal's number, as of a shell
ENDING_SIGNALS = {signal.SIGINT: 'interrupted', signal.SIGTERM: 'terminated'}


@contextmanager
def signals_later() -> Iterator[None]:
    """Call the handler of the first signal that was received meanwhile, at the end."""
    handlers: dict[signal.Signals, Callable[[int, FrameType | None], object]] = {}
    received: list[signal.Signals] = []
    if threading.current_thread() is threading.main_thread():
        for number in ENDING_SIGNALS:
            handler = signal.getsignal(number)
            if callable(handler):   # not ignored, nor the system's, which ends the process
                handlers[number] = handler
    for number in handlers:
        signal.signal(number, lambda number, frame: received.append(signal.Signals(number)))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if received:
            handlers[received[0]](received[0], None)
