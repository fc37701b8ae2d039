"""Computed efforts as a bag of joint states, written by the library rosbags."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.joint_states.serialized import JointStateTemplate
from urdf2dyn_ros.recordings.bag import METADATA
from urdf2dyn_ros.recordings.messages import JOINT_STATE, types
from urdf2dyn_ros.recordings.recording import one_line
from urdf2dyn_ros.recordings.storage import library

_TOPIC = '/inverse_dynamics/efforts'
_PLUGINS = {'db3': 'SQLITE3', 'mcap': 'MCAP'}
_VERSION = 8
"""Version of the format: the newest that ROS 2 Humble reads, and all later ones."""


class EffortBag:
    """
    A bag of the messages that the node would publish; its directory appears when it is complete.

    An earlier bag of this kind, 'db3' or 'mcap', is replaced. The frame of the messages is the
    model's root. It raises Urdf2DynError if rosbags is not installed, and ExportError if it cannot
    be written.
    """

    def __init__(self, path: Path, kind: str, joints: Sequence[str], frame: str,
                 topic: str = _TOPIC) -> None:
        rosbag2 = library()
        _check_ours(path)
        # SQLite would read these characters as parts of an address
        kind = 'mcap' if set('?#%') & set(str(path)) else kind
        self._path = path
        self._part = path.with_name(f'.{secrets.token_hex(8)}')
        # the file in it is named after the directory
        self._bag = self._part / path.name
        self._message = _message(joints, frame)
        try:
            self._writer = rosbag2.Writer(
                self._bag, version=_VERSION,
                storage_plugin=rosbag2.StoragePlugin[_PLUGINS[kind]])
            self._writer.open()
            self._connection = self._writer.add_connection(topic, JOINT_STATE,
                                                           typestore=types())
        # the library raises many types when the disk is full or not writable
        except Exception as error:
            self._discard()
            raise self._failed(error) from None

    def write(self, stamp: int, q: Array, qd: Array, effort: Array) -> None:
        """Write a message: stamp [ns], q, qd and effort (n,) in the order of the joints."""
        try:
            self._writer.write(self._connection, stamp, self._message.filled(stamp, q, qd, effort))
        except Exception as error:
            raise self._failed(error) from None

    def __enter__(self) -> EffortBag:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        try:
            self._writer.__exit__(kind, error, trace)
            if kind is None:
                _remove(self._path)
                self._bag.replace(self._path)
        except Exception as problem:
            raise self._failed(problem) from None
        finally:
            self._discard()

    def _discard(self) -> None:
        with suppress(OSError):
            _remove(self._bag)
            self._part.rmdir()

    def _failed(self, error: Exception) -> ExportError:
        return ExportError(f'cannot write the bag {self._path}: {one_line(error)}')


def _message(joints: Sequence[str], frame: str) -> JointStateTemplate:
    """Return what writes joint states of the same joints."""
    store = types()
    kinds = store.types
    header = kinds['std_msgs/msg/Header'](kinds['builtin_interfaces/msg/Time'](0, 0), frame)
    message = kinds[JOINT_STATE](header, list(joints), *np.zeros((3, len(joints))))
    return JointStateTemplate(store.serialize_cdr(message, JOINT_STATE, little_endian=True),
                              len(joints))


def _files(path: Path) -> set[str]:
    """Return the possible names of a bag's files, including journals of SQLite."""
    return {METADATA} | {f'{path.name}.{kind}{end}' for kind in _PLUGINS
                         for end in ('', '-journal')}


def _check_ours(path: Path) -> None:
    """Raise ExportError before the work if something else would be replaced."""
    strange = [path.name] if path.exists() and not path.is_dir() else sorted(
        {file.name for file in path.iterdir()} - _files(path)) if path.exists() else []
    if strange:
        raise ExportError(f'{path} would be replaced by a new bag, but it has other contents: '
                          f'{", ".join(strange[:3])}; move it, or choose another directory')


def _remove(path: Path) -> None:
    if path.is_dir():
        for name in _files(path):
            (path / name).unlink(missing_ok=True)
        path.rmdir()


def storage_kind(path: Path) -> str:
    """Return the kind of a bag's files, mcap for other recordings, to write efforts alike."""
    files = path.iterdir() if path.is_dir() else [path]
    return 'db3' if any('.db3' in file.suffixes for file in files) else 'mcap'
