"""Robot descriptions from a file, standard input, or xacro."""

import contextlib
import io
import sys

from urdf2dyn_ros.errors import SourceError
from urdf2dyn_ros.urdf.document import MAX_BYTES


def load_urdf(path: str) -> str | bytes:
    """
    Return the text of a robot description, a file or ``'-'`` for standard input.

    A file whose name or content is xacro's is expanded by xacro. A SourceError says if there is no
    such file, it cannot be read, or xacro is missing or fails.

    """
    # One byte more than the reader accepts, so that it rejects a larger text.
    if path == '-':
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    try:
        with open(path, 'rb') as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = getattr(error, 'strerror', None) or str(error)
        raise SourceError(f'cannot read {path!r}: {reason}') from None
    if path.endswith('.xacro') or b'<xacro:' in data:
        return _run_xacro(path)
    return data


def description_text(path: str) -> str:
    """Return the same as text, for a parameter of ROS; a SourceError if it is not UTF-8."""
    data = load_urdf(path)
    try:
        return data if isinstance(data, str) else data.decode('utf-8')
    except UnicodeDecodeError:
        raise SourceError(f'{path!r} is not UTF-8; save it as UTF-8') from None


def _run_xacro(path: str) -> str:
    try:
        import xacro
    except ImportError:
        raise SourceError(
            f'{path!r} is xacro, and the xacro package is not installed: pip install xacro '
            '(with ROS 2: apt install ros-$ROS_DISTRO-xacro), or use the URDF made from it'
        ) from None
    printed = io.StringIO()  # xacro prints warnings
    try:
        with contextlib.redirect_stderr(printed), contextlib.redirect_stdout(printed):
            return str(xacro.process_file(path).toxml())
    # xacro evaluates the expressions of the file, which may raise any exception.
    except (Exception, SystemExit) as error:
        reason = str(error) or repr(error)
        raise SourceError(f'xacro cannot process {path!r}: {reason}') from None
