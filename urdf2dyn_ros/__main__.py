# PYTHON_ARGCOMPLETE_OK
"""
The command urdf2dyn, which needs no ROS except for the demo.

What takes time to import is imported in `main`, so that Ctrl-C during the imports, most of the
first second, ends the command as it does later.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType

from urdf2dyn_ros.system import ENDING_SIGNALS

# time [s] in which another signal has no effect: `timeout` sends two at once, and the second would
# interrupt the removal of temporary files
REPEATED_WITHIN = 1.0


def main(words: Sequence[str] | None = None) -> int:
    """
    Run the command line; return the exit code.

    It is 0, 1 after an error that was printed, 130 after Ctrl-C, or 143 after SIGTERM; wrong
    arguments end the process with 2.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError):   # not a file; no such stream
            stream.reconfigure(errors='backslashreplace')   # type: ignore[union-attr]
    with _interrupts() as received:
        try:
            from urdf2dyn_ros.commands import complete, run
            if '_ARGCOMPLETE' in os.environ:   # set by the shell
                complete()
            code = run(sys.argv[1:] if words is None else words)
        # libraries turn it into errors of their own, as of an import
        except BaseException:
            if received() is None:
                raise
        ending = received()
        if ending is None:
            return code
        with suppress(AttributeError, OSError):
            print(f'{ENDING_SIGNALS[ending]}: nothing else is written', file=sys.stderr)
        return 128 + ending


@contextmanager
def _interrupts() -> Iterator[Callable[[], signal.Signals | None]]:
    """
    Yield a function that returns the first signal of `ENDING_SIGNALS` that was received.

    They raise a KeyboardInterrupt, so that what is half done is removed, until the call of that
    function.
    """
    first: list[signal.Signals] = []
    latest, over = -REPEATED_WITHIN, False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal latest
        now = time.monotonic()
        if over or (first and now < latest + REPEATED_WITHIN):
            return
        first.append(signal.Signals(number))
        latest = now
        raise KeyboardInterrupt

    def received() -> signal.Signals | None:
        nonlocal over
        over = True
        return first[0] if first else None

    # nohup and the like ignore some; children that are started have the usual handlers again
    handled = [] if threading.current_thread() is not threading.main_thread() else [
        number for number in ENDING_SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    previous = {number: signal.signal(number, interrupt) for number in handled}
    try:
        yield received
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def run_as_process() -> None:
    """Run the command line as a process, which ends with its exit code."""
    code = main()
    # from here on they would interrupt the end of the interpreter, Ctrl-C with a traceback
    for number in ENDING_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    with suppress(AttributeError, OSError):
        sys.stdout.flush()
    # after a signal during another exec, as of a dataclass, python -m would end itself by SIGINT
    exec('')
    sys.exit(code)


if __name__ == '__main__':
    run_as_process()
