"""Recordings of two joints, and what reading them must give: helpers of their tests."""

from pathlib import Path

import numpy as np
from rosbags.rosbag2 import CompressionFormat, CompressionMode

from support.recordings.bags import START, joint_state
from urdf2dyn_ros.errors import RecordingError
from urdf2dyn_ros.recordings.recording import Record, Recording

NAMES = ('shoulder', 'elbow [2]')
STORAGE = {'none': None, 'chunk': (CompressionMode.STORAGE, CompressionFormat.ZSTD),
           'message': (CompressionMode.MESSAGE, CompressionFormat.ZSTD),
           'file': (CompressionMode.FILE, CompressionFormat.ZSTD)}


MANY = 8_000   # several chunks of an MCAP file
VALUES = np.random.default_rng(5).normal(size=(3, MANY, 2))
VALUES[1, 3, 0] = np.nan   # a velocity that was not measured


def messages(count: int, start: int = START, names: tuple[str, ...] = NAMES) -> list:
    """Return joint states 1 ms apart."""
    return [joint_state(start + k * 1_000_000, names, *rows, frame='frame' * 40)
            for k, rows in enumerate(zip(*VALUES[:, :count]))]


def stamps(count: int) -> list[int]:
    return [START + k * 1_000_000 for k in range(count)]


def check(records: list[Record], count: int) -> None:
    """Hold records against what `messages` says, to the bit."""
    assert [record.stamp for record in records] == stamps(count)
    assert {tuple(record.names) for record in records} == {NAMES}
    for what, values in zip(('position', 'velocity', 'effort'), VALUES):
        found = np.array([getattr(record, what) for record in records])
        np.testing.assert_array_equal(found, values[:count])


def read(recording: Recording) -> tuple[list[Record], str]:
    records = []
    try:
        for record in recording:
            records.append(record)
    except RecordingError as error:
        assert error.path == str(recording.path)
        assert error.records == len(records) == recording.count
        return records, str(error)
    return records, ''


def listing(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.stat().st_size, path.stat().st_mtime_ns)
            for path in folder.rglob('*')}
