"""Recorded joint states, read without ROS: a kind is a class and a line here."""

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from urdf2dyn_ros.errors import RecordingError
from urdf2dyn_ros.recordings.bag import METADATA, BagRecording, TrajectoryFile
from urdf2dyn_ros.recordings.recording import ProgressCallback, Recording, file_fault
from urdf2dyn_ros.recordings.table import TableRecording

DIRECTORY = 'directory'
BAGS = ('.db3', '.mcap', '.bag')

# kinds of recordings by the suffix of the file; all others are tables, of the kind that their
# first bytes show
RECORDINGS: dict[str, Callable[[Path, str | None, Sequence[str], float | None], Recording]] = {
    **dict.fromkeys((DIRECTORY, *BAGS), BagRecording),
    **dict.fromkeys(('.yaml', '.yml', '.json'), TrajectoryFile)}
TABLES = ('.csv', '.tsv', '.txt', '.parquet', '.npz', '.mat')   # usual suffixes of tables


class Reading(NamedTuple):
    """How a recording is read: the arguments of `open_recording`."""

    topic: str | None = None
    columns: Sequence[str] = ()
    degrees: bool = False
    rate: float | None = None


def open_recording(path: str | Path, topic: str | None = None,
                   progress: ProgressCallback | None = None,
                   columns: Sequence[str] = (), degrees: bool = False,
                   rate: float | None = None) -> Recording:
    """
    Return a recording, to be iterated over.

    Parameters
    ----------
    path : str or Path
        A rosbag2 directory, or a file .db3, .mcap, .bag (of ROS 1), .yaml, .json, or a table:
        text (.csv, .tsv, .txt), .parquet, .npz, .mat.
    topic : str or None
        Topic of a bag; by default the only one of joint states, or /joint_states if there are
        several, or else the only one of joint trajectories.
    progress : callable or None
        A function of the fraction that has been read.
    columns : sequence of str
        What columns of a table are, where they have other names or do not state their units:
        'position={joint}_pos [deg]', 'effort=tau{n}', 'time=stamp [ms]'.
    degrees : bool
        Whether angles whose unit is not stated are in degrees. Values are converted where the
        joints of a robot are known, as by `evaluate`.
    rate : float or None
        Rows in a second of a table without a time [Hz].

    Raises
    ------
    RecordingError
        If the file does not exist, its topic is unknown, or it cannot be read.

    """
    path = Path(path)
    with suppress(RuntimeError):   # ~ without such a user is part of the name
        path = path.expanduser()
    if fault := file_fault(path):
        raise RecordingError(path, fault)
    suffix = DIRECTORY if path.is_dir() else path.suffix.lower()
    if path.name == METADATA or ((path.parent / METADATA).exists()
                                 and suffix not in (*RECORDINGS, *TABLES)):
        raise RecordingError(path, f'a part of a bag: name the directory {str(path.parent)!r}')
    recording = RECORDINGS.get(suffix, TableRecording)(path, topic, columns, rate)
    recording.degrees, recording.progress = degrees, progress
    return recording


def check_distinct(paths: Iterable[str | Path]) -> None:
    """Raise a RecordingError where a recording is given twice: it would judge or weigh itself."""
    given: dict[str, str | Path] = {}
    for path in paths:
        real = os.path.realpath(path)
        if real in given:
            raise RecordingError(path, 'given twice' + (
                '' if str(given[real]) == str(path) else f', also as {given[real]}')
                + ': a recording counts once, for a fit or for its validation')
        given[real] = path
