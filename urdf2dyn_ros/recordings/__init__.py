"""Recorded joint states, read without ROS: a kind is a class and a line here."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from urdf2dyn_ros.errors import RecordingError
from urdf2dyn_ros.recordings.bag import METADATA, BagRecording, TrajectoryFile
from urdf2dyn_ros.recordings.recording import ProgressCallback, Recording
from urdf2dyn_ros.recordings.table import CsvRecording, ParquetRecording

DIRECTORY = 'directory'

# kinds of recordings by the suffix of the file
RECORDINGS: dict[str, Callable[[Path, str | None, Sequence[str]], Recording]] = {
    **dict.fromkeys((DIRECTORY, '.db3', '.mcap', '.bag'), BagRecording),
    **dict.fromkeys(('.yaml', '.yml'), TrajectoryFile),
    '.parquet': ParquetRecording, '.csv': CsvRecording}


def open_recording(path: str | Path, topic: str | None = None,
                   progress: ProgressCallback | None = None,
                   columns: Sequence[str] = ()) -> Recording:
    """
    Return a recording, to be iterated over.

    Parameters
    ----------
    path : str or Path
        A rosbag2 directory, or a file .db3, .mcap, .bag (of ROS 1), .yaml, .parquet or .csv.
    topic : str or None
        Topic of a bag; by default the only one of joint states, or /joint_states if there are
        several, or else the only one of joint trajectories.
    progress : callable or None
        A function of the fraction that has been read.
    columns : sequence of str
        What columns of a table are, where they have other names: 'position={joint}_pos',
        'effort=tau{n}', 'time=stamp'.

    Raises
    ------
    RecordingError
        If the file does not exist, its kind or topic is unknown, or it cannot be read.

    """
    path = Path(path)
    with suppress(RuntimeError):   # ~ without such a user is part of the name
        path = path.expanduser()
    if not path.exists():
        raise RecordingError(path, 'there is no such file or directory')
    kind = DIRECTORY if path.is_dir() else path.suffix.lower()
    if kind not in RECORDINGS or path.name == METADATA:
        hint = (f'; it is a part of a bag: name the directory {str(path.parent)!r}'
                if (path.parent / METADATA).exists() else '')
        raise RecordingError(path, f'unknown kind of recording {kind!r}: a bag directory, '
                             + ', '.join(list(RECORDINGS)[1:]) + f' can be read{hint}')
    recording = RECORDINGS[kind](path, topic, columns)
    recording.progress = progress
    return recording
