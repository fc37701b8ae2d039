"""Where the command line gets a robot description from: a file, standard input, or xacro."""

from __future__ import annotations

import contextlib
import io
import sys

from urdf2dyn_ros.errors import SourceError
from urdf2dyn_ros.urdf.document import MAX_BYTES


def load_urdf(path: str) -> str | bytes:
    """
    Return the text of a robot description.

    Parameters
    ----------
    path : str
        A file, or ``'-'`` for standard input. A file of xacro, told by its name or by its
        content, is run through xacro.

    Raises
    ------
    SourceError
        If there is no such file, it cannot be read, or xacro is missing or fails.

    """
    # One byte more than the reader takes, so that it refuses what is too large for it.
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


def _run_xacro(path: str) -> str:
    try:
        import xacro
    except ImportError:
        raise SourceError(
            f'{path!r} is xacro, and the xacro package is not installed: pip install xacro '
            '(with ROS 2: apt install ros-$ROS_DISTRO-xacro), or give the URDF made from it'
        ) from None
    chatter = io.StringIO()  # xacro prints warnings as it goes
    try:
        with contextlib.redirect_stderr(chatter), contextlib.redirect_stdout(chatter):
            return str(xacro.process_file(path).toxml())
    # xacro evaluates the expressions of the file: any exception can come out of it.
    except (Exception, SystemExit) as error:
        reason = str(error) or repr(error)
        raise SourceError(f'xacro cannot process {path!r}: {reason}') from None
