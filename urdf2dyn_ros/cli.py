# PYTHON_ARGCOMPLETE_OK
"""
The command urdf2dyn, which needs no ROS except for the demo.

Everything else is imported in `main`, so that Ctrl-C during the imports, most of the first second,
ends the command as it does later.

"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType

INTERRUPTED = 130
"""Exit code after Ctrl-C, as of a shell."""


def main(words: Sequence[str] | None = None) -> int:
    """
    Run the command line; return the exit code.

    It is 0, 1 after an error that was printed, or 130 after Ctrl-C; wrong arguments end the
    process with 2.

    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError):   # not a file; no such stream
            stream.reconfigure(errors='backslashreplace')   # type: ignore[union-attr]
    with _interrupts() as interrupted:
        try:
            from urdf2dyn_ros.commands.command_line import complete, run
            if '_ARGCOMPLETE' in os.environ:   # set by the shell
                complete()
            return run(sys.argv[1:] if words is None else words)
        # libraries turn it into errors of their own, as of an import
        except BaseException:
            if not interrupted():
                raise
            with suppress(AttributeError, OSError):
                print('interrupted: nothing else is written', file=sys.stderr)
            return INTERRUPTED


@contextmanager
def _interrupts() -> Iterator[Callable[[], bool]]:
    """Yield a function that returns whether Ctrl-C was pressed, which raises as usual."""
    pressed: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        pressed.append(number)
        raise KeyboardInterrupt

    # nohup and the like ignore it
    handles = (threading.current_thread() is threading.main_thread()
               and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN)
    previous = signal.signal(signal.SIGINT, interrupt) if handles else None
    try:
        yield lambda: bool(pressed)
    finally:
        if handles:
            signal.signal(signal.SIGINT, previous)


def run_as_process() -> None:
    """Run the command line as a process, which ends with its exit code."""
    code = main()
    # from here on Ctrl-C would interrupt the end of the interpreter, with a traceback
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(AttributeError, OSError):
        sys.stdout.flush()
    sys.exit(code)


if __name__ == '__main__':
    run_as_process()
