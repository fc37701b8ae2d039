"""What is asked of the operating system: signals, files, processes, memory."""

import errno
import json
import math
import os
import pickle
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

from urdf2dyn_ros.errors import ExportError, MissingLibraryError, SourceError, Urdf2DynError

# ---- Signals that end a command

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


# ---- Files that are written completely or not at all

# errors of a file system without hard links, such as FAT; of a full one
NO_HARD_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def writing_to(place: Path) -> Iterator[None]:
    """Raise an OSError as an ExportError with the place that cannot be written."""
    try:
        yield
    except OSError as error:
        reason = error.strerror
        if isinstance(error, FileExistsError | NotADirectoryError) and (
                place.exists() and not place.is_dir()):
            kind = 'file' if place.is_file() else 'device'
            reason = f'it is a {kind}, and the results need a directory'
        file = error.filename if error.errno in FULL else None
        raise ExportError(f'cannot write to {file or place}: {reason}') from None


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Name the file in the error of a full disk, which has a temporary name or none."""
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            error.filename = str(path)
        raise


@contextmanager
def made_folder(path: Path) -> Iterator[None]:
    """
    Create a directory, with those above it, where there is none.

    Of those that were created here, the ones that are empty at the end are removed, as after an
    error or Ctrl-C.
    """
    missing = [each for each in (path, *path.parents) if not each.exists()]
    try:
        path.mkdir(parents=True, exist_ok=True)
        yield
    finally:
        for folder in missing:
            with suppress(OSError):   # not empty, or not made
                folder.rmdir()


@contextmanager
def atomic_file(path: Path) -> Iterator[Path]:
    """
    Yield the path of a temporary file in the same directory, which replaces `path` at the end.

    It has the ending of `path`, which often is that of the format.
    """
    part = _unused(path)
    try:
        with _named(path):
            part.open('xb').close()
            yield part
            with part.open('rb') as file:
                os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def create_files(texts: Mapping[Path, bytes | Path], replace: bool = False) -> None:
    """
    Write several files into directories that exist; new files all, or none.

    A text may be a file of the same file system, which then is renamed.

    All texts are written to the disk under other names before the first file is renamed, so that
    neither a full disk nor the end of the process leaves a part of a file. Of files that are
    replaced, some may be new and some old: if a rename fails, or the process ends between two.
    Ctrl-C, and SIGTERM if it has a handler, take effect when all of them are there. Symbolic links
    are not followed. If `replace` is false and a file of that name exists, also one that was
    created meanwhile, a FileExistsError is raised.
    """
    parts: dict[Path, Path] = {}
    new: list[Path] = []
    with signals_later():
        try:
            for path, text in texts.items():
                parts[path] = part = text if isinstance(text, Path) else _unused(path)
                with _named(path), part.open('ab' if isinstance(text, Path) else 'xb') as file:
                    if not isinstance(text, Path):
                        file.write(text)
                    file.flush()
                    os.fsync(file.fileno())
            for path, part in parts.items():
                if replace:
                    part.replace(path)
                else:
                    _link(part, path)
                    new.append(path)
        except BaseException:
            for path in new:
                path.unlink(missing_ok=True)
            raise
        finally:
            for part in parts.values():
                with suppress(OSError):
                    part.unlink(missing_ok=True)


def _unused(path: Path) -> Path:
    return path.with_name(f'.{secrets.token_hex(8)}{path.suffix}')


def _link(part: Path, path: Path) -> None:
    """Give a file its name if no other file has it, where a rename would replace that one."""
    try:
        os.link(part, path)
    except OSError as error:
        if error.errno not in NO_HARD_LINKS:
            raise
        path.open('xb').close()
        part.replace(path)


# ---- Child processes

IMPORT_ROOT = Path(__file__).resolve().parents[1]   # the directory that contains the package
# otherwise numpy starts a thread for each core, which waits for work without sleeping
_ONE_THREAD = {'OMP_NUM_THREADS': '1', 'OPENBLAS_NUM_THREADS': '1'}
# first of all it gives way to the robot's driver, whatever priority the caller has; modules are
# imported from where the caller imports them, not from the current directory
_CHILD = """
import contextlib, os, sys
with contextlib.suppress(OSError):
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
os.nice(10)
caller, *sys.path[:] = sys.argv[1:]
from urdf2dyn_ros.system import answer
answer(int(caller))
"""

_Result = TypeVar('_Result')


def child_environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of this process, with `more` and the package on the import path."""
    paths = [str(IMPORT_ROOT), *filter(None, [os.environ.get('PYTHONPATH')])]
    return {**os.environ, 'PYTHONPATH': os.pathsep.join(paths), **(more or {})}


def call_in_child(function: Callable[..., _Result], arguments: Sequence[object],
                  failed: type[Urdf2DynError], limit: float) -> _Result:
    """
    Return what a function of this package returns in another process, while other threads go on.

    In a thread it would hold the interpreter's lock nearly all the time. Errors of this package
    and of files are raised here; one of the class `failed` if the process ends early, or takes
    longer than `limit` [s]: one that hangs would leave its caller busy for ever.
    """
    process = f'the process of {function.__name__}'
    try:
        done = subprocess.run(
            [sys.executable, '-c', _CHILD, str(os.getpid()), str(IMPORT_ROOT), *sys.path],
            input=pickle.dumps((function, arguments), pickle.HIGHEST_PROTOCOL),
            capture_output=True, env={**os.environ, **_ONE_THREAD}, timeout=limit,
            start_new_session=True)   # a Ctrl-C in the terminal is for the caller
    except subprocess.TimeoutExpired:
        raise failed(f'{process} took longer than {limit:g} s and was ended; the next call starts '
                     'another one') from None
    except OSError as error:
        raise failed(f'cannot start {process}: {error.strerror}') from None
    if done.returncode:
        *_, last = done.stderr.decode(errors='replace').strip().splitlines() or ['no output']
        raise failed(f'{process} ended with code {done.returncode}: {last}')
    result: _Result | Exception = pickle.loads(done.stdout)
    if isinstance(result, Exception):
        raise result
    return result


def answer(caller: int) -> None:
    """Call the function on standard input; write its result or its error to standard output."""
    def end_with_caller() -> None:
        while os.getppid() == caller:
            time.sleep(0.5)
        os._exit(1)   # no result would be read

    threading.Thread(target=end_with_caller, daemon=True).start()
    output, sys.stdout = sys.stdout.buffer, sys.stderr   # other output is no result
    function, arguments = pickle.load(sys.stdin.buffer)
    try:
        result = function(*arguments)
    except (Urdf2DynError, OSError) as error:
        result = error
    output.write(pickle.dumps(result))
    output.flush()


# ---- Libraries that only some commands need: pip installs them with an extra

# the extra of setup.py with each of these libraries; `all` has all of them
EXTRAS = {'matplotlib': 'plots', 'sympy': 'symbolic', 'scipy': 'analysis'}


def require(command: str, *libraries: str) -> None:
    """Raise a MissingLibraryError if libraries are not installed, before any work is done."""
    missing = [library for library in libraries if find_spec(library) is None]
    if missing:
        extra = EXTRAS[missing[0]] if len(libraries) == 1 else 'all'
        raise MissingLibraryError(f'{command} needs {" and ".join(missing)}: '
                                  f"pip install 'urdf2dyn_ros[{extra}]'")


# ---- Results as JSON, for programs

def json_text(data: Mapping[str, Any]) -> str:
    """Return the text of a file; numbers that are not finite are null, as they are unknown."""
    return json.dumps(_known(data), indent=1, allow_nan=False) + '\n'


def _known(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _known(entry) for key, entry in value.items()}
    return [*map(_known, value)] if isinstance(value, (list, tuple)) else value


# ---- Memory of this process

def resident_memory() -> float:
    """Return the resident memory (VmRSS) [MB]; NaN where the system does not report it."""
    try:
        with open('/proc/self/statm', encoding='ascii') as file:
            pages = int(file.read().split()[1])
        return pages * os.sysconf('SC_PAGE_SIZE') / 1e6
    except (OSError, ValueError, IndexError):
        return math.nan


# ---- The fraction done of some work, as a bar on a terminal

_BAR = '{desc}: {percentage:3.0f} % |{bar:30}| {remaining} left'


@contextmanager
def progress(work: str) -> Iterator[Callable[[float], None]]:
    """
    Yield a function that shows the fraction done, once the work takes more than 2 seconds.

    The bar is on stderr; where that is not a terminal, nothing is shown.
    """
    # not at the top: the command line imports this module before it handles Ctrl-C
    from tqdm import tqdm

    with tqdm(total=1.0, desc=work, delay=2.0, miniters=0, leave=False, disable=None,
              bar_format=_BAR) as bar:
        def show(fraction: float) -> None:
            bar.update(fraction - bar.n)

        yield show


# ---- Directory of the files that are installed with the package, such as robots and launch files

PACKAGE = 'urdf2dyn_ros'


def share_directory(here: Path | None = None) -> Path:
    """
    Return the directory that has ``urdf/`` in it.

    In a checkout it is the directory above the package; once installed, by pip or colcon,
    ``share/urdf2dyn_ros`` of the prefix that the package is in. The package is that of the file
    `here`, by default this one.
    """
    here = (here or Path(__file__)).resolve()
    for parent in here.parents[1:]:
        for candidate in (parent, parent / 'share' / PACKAGE):
            if (candidate / 'urdf' / 'rx90.urdf').is_file():
                return candidate
    raise SourceError(f'the robots that come with {PACKAGE} are not found: neither urdf/ next to '
                      f'{here.parent} nor share/{PACKAGE}/urdf in a directory above; '
                      'install the package again')


def robot_file(name: str) -> Path:
    """Return the URDF of a robot that comes with the package, for instance ``'rx90'``."""
    return share_directory() / 'urdf' / f'{name}.urdf'
