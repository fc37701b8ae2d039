"""Bags and tables with known records, written as other programs write them."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

SECOND = 1_000_000_000
START = 1_700_000_000_123_456_789
PLUGINS = {'db3': StoragePlugin.SQLITE3, 'mcap': StoragePlugin.MCAP}
JOINT_STATE = 'sensor_msgs/msg/JointState'
JOINT_TRAJECTORY = 'trajectory_msgs/msg/JointTrajectory'
STRING = 'std_msgs/msg/String'
STORE = get_typestore(Stores.ROS2_JAZZY)
T = STORE.types


def _duration(kind: str, time: int) -> Any:
    return T[f'builtin_interfaces/msg/{kind}'](*divmod(time, SECOND))


def _header(stamp: int, frame: str = '') -> Any:
    return T['std_msgs/msg/Header'](_duration('Time', stamp), frame)


def joint_state(stamp: int, names: Sequence[str], position: Any, velocity: Any = (),
                effort: Any = (), frame: str = '') -> Any:
    """Return a message; numbers may be missing."""
    return T[JOINT_STATE](_header(stamp, frame), list(names),
                          *(np.array(values, dtype=float)
                            for values in (position, velocity, effort)))


def joint_trajectory(stamp: int, names: Sequence[str],
                     points: Iterable[tuple[int, Any, Any, Any, Any]]) -> Any:
    """Return a message of points: time from start [ns], q, qd, qdd, effort."""
    point = T['trajectory_msgs/msg/JointTrajectoryPoint']
    return T[JOINT_TRAJECTORY](_header(stamp), list(names), [
        point(*(np.array(values, dtype=float) for values in numbers), _duration('Duration', time))
        for time, *numbers in points])


def text(words: str) -> Any:
    """Return a message that is no joint state."""
    return T[STRING](words)


def write_bag(path: Path, kind: str, topics: dict[str, Sequence[Any]], compression: Any = None,
              period: int = 1_000_000) -> Path:
    """Write messages by topic, recorded so far apart [ns]; return the file, not its directory."""
    with_compression = Writer(path, version=8, storage_plugin=PLUGINS[kind])
    if compression:
        with_compression.set_compression(*compression)
    with with_compression as writer:
        for topic, messages in topics.items():
            name = messages[0].__msgtype__ if messages else JOINT_STATE
            connection = writer.add_connection(topic, name, typestore=STORE)
            for number, message in enumerate(messages):
                writer.write(connection, START + number * period,
                             STORE.serialize_cdr(message, name))
    return next(file for file in path.iterdir() if kind in file.name)


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
    with path.open('w', newline='') as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)
    return path
