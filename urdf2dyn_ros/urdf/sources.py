"""Robot descriptions from a file, standard input, xacro, or a Robot object."""

import contextlib
import io
import os
import re
import shlex
import sys
from collections.abc import Mapping
from typing import Protocol, TypeAlias, runtime_checkable

from urdf_parser_py.urdf import Robot

from urdf2dyn_ros.errors import SourceError, UrdfError
from urdf2dyn_ros.robot_model import RobotModel
from urdf2dyn_ros.urdf.document import MAX_BYTES, MAX_DEPTH
from urdf2dyn_ros.urdf.reader import MAX_LINKS, ParsedRobot, read_description, read_robot

_NO_ARGUMENT = 'Undefined substitution argument'
"""What xacro says of an argument without a value."""

_NO_PACKAGES = re.compile('ament_index_python|AMENT_PREFIX_PATH|not found, searching')
"""What it says of $(find PACKAGE) where there is no ROS, or no such package."""

_SUFFIXES = ('.urdf', '.xacro', '.xml')


@runtime_checkable
class Readable(Protocol):
    """An open file."""

    def read(self, size: int, /) -> str | bytes:
        """Return at most so many characters or bytes."""


UrdfSource: TypeAlias = str | bytes | os.PathLike[str] | Readable | ParsedRobot
"""The text of a URDF, a path to it, an open file with it, or urdf_parser_py's Robot object."""


def read_urdf(source: UrdfSource, *, strict_inertia: bool = False, max_bytes: int = MAX_BYTES,
              max_links: int = MAX_LINKS, max_depth: int = MAX_DEPTH) -> RobotModel:
    """
    Return the model of a robot description.

    Nothing is repaired: the model has exactly the values of the text, or the text is rejected.

    Parameters
    ----------
    source : str, bytes, path, open file or Robot
        URDF as text or bytes, which may have any encoding that their first bytes or their
        declaration name; or a file with it: its path, also as a str, or the open file. A path may
        be that of a xacro file, if xacro is installed. A str is a path if it has no ``<``, and
        such a file or directory exists or its suffix is .urdf, .xacro or .xml. Or a
        ``urdf_parser_py.urdf.Robot``, without ``<force>`` and gear ratios; its limits lower and
        upper are missing where both are 0, as it has 0 for a missing one.
    strict_inertia : bool
        Reject inertias that no body can have, instead of warning.
    max_bytes : int
        Larger texts are rejected; by default 10 MB.
    max_links : int
        Robots with more links are rejected; by default 5000.
    max_depth : int
        Texts that are nested more deeply are rejected; by default 100, and the parser has a
        limit of its own of 256 or more.

    Raises
    ------
    SourceError
        If a file cannot be read, or xacro fails.
    UrdfError
        With all problems of the text.

    """
    name = ''
    if isinstance(source, os.PathLike) or (isinstance(source, str) and _is_path(source)):
        name = os.fspath(source)
        text = load_urdf(name, max_bytes)
    elif isinstance(source, str | bytes):
        text = source
    elif isinstance(source, Robot):
        return read_robot(source, strict_inertia=strict_inertia, max_links=max_links)
    elif isinstance(source, Readable):
        text = _content(source, max_bytes)
    else:
        raise SourceError(f'{type(source).__name__} is no robot description: it is the text of a '
                          'URDF (str or bytes), a path, an open file, or a Robot')
    try:
        return read_description(text, strict_inertia=strict_inertia, max_bytes=max_bytes,
                                max_links=max_links, max_depth=max_depth)
    except UrdfError as error:
        raise UrdfError(error.problems, name) from None


def _is_path(text: str) -> bool:
    """Return whether a text is a path rather than a URDF, in which there is an element."""
    if '<' in text or '\n' in text:
        return False
    return text.lower().endswith(_SUFFIXES) or os.path.exists(text)


def _content(file: Readable, max_bytes: int) -> str | bytes:
    try:
        text = file.read(max_bytes + 1)   # so that the reader rejects a larger one
    except (OSError, ValueError) as error:   # ValueError: closed, or in another encoding
        raise SourceError(f'cannot read {getattr(file, "name", file)!r}: {error}') from None
    if not isinstance(text, str | bytes):
        raise SourceError(f'cannot read {file!r}: it returns {type(text).__name__}, no text')
    return text


def load_urdf(path: str, max_bytes: int = MAX_BYTES, xacro_args: str = '') -> str | bytes:
    """
    Return the text of a robot description, a file or ``'-'`` for standard input.

    A file whose name or content is xacro's is expanded by xacro, with arguments as its command
    line has them: ``'prefix:=left_ gripper:=true'``. A SourceError says if there is no such file,
    it cannot be read, xacro is missing or fails, or there are arguments and nothing to expand.
    """
    # One byte more than the reader accepts, so that it rejects a larger text.
    if path == '-':
        return sys.stdin.buffer.read(max_bytes + 1)
    try:
        with open(path, 'rb') as file:
            data = file.read(max_bytes + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = getattr(error, 'strerror', None) or str(error)
        raise SourceError(f'cannot read {path!r}: {reason}') from None
    if path.endswith('.xacro') or b'<xacro:' in data:
        return _run_xacro(path, _mappings(xacro_args))
    if xacro_args:
        raise SourceError(f'{path!r} is no xacro file, and the arguments {xacro_args!r} are for '
                          'one: omit them, or name the .xacro')
    return data


def description_text(path: str, xacro_args: str = '') -> str:
    """Return the same as text, for a parameter of ROS; a SourceError if it is not UTF-8."""
    data = load_urdf(path, xacro_args=xacro_args)
    try:
        return data if isinstance(data, str) else data.decode('utf-8')
    except UnicodeDecodeError:
        raise SourceError(f'{path!r} is not UTF-8; save it as UTF-8') from None


def _mappings(xacro_args: str) -> dict[str, str]:
    """Return the values of xacro's arguments by name; a SourceError if they are no such."""
    rule = 'they are NAME:=VALUE, separated by spaces, with quotes around values with spaces'
    try:
        words = shlex.split(xacro_args)
    except ValueError as error:
        raise SourceError(f'arguments of xacro {xacro_args!r}: {error}; {rule}') from None
    pairs = [word.partition(':=') for word in words]
    for name, sign, value in pairs:
        if not (name and sign):
            raise SourceError(f'arguments of xacro: {name + sign + value!r}; {rule}')
    return {name: value for name, _, value in pairs}


def _run_xacro(path: str, mappings: Mapping[str, str]) -> str:
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
            return str(xacro.process_file(path, mappings=dict(mappings)).toxml())
    # xacro evaluates the expressions of the file, which may raise any exception.
    except (Exception, SystemExit) as error:
        reason = str(error) or repr(error)
        remedy = ('; give it with xacro_args:="NAME:=VALUE" of the launch files, or expand the '
                  f'file: xacro {shlex.quote(path)} NAME:=VALUE | urdf2dyn COMMAND -'
                  if _NO_ARGUMENT in reason else
                  '; $(find PACKAGE) needs ROS 2: source its setup.bash and that of the package, '
                  'or use the URDF that xacro makes where both are installed'
                  if _NO_PACKAGES.search(reason) else '')
        raise SourceError(f'xacro cannot process {path!r}: {reason}{remedy}') from None
