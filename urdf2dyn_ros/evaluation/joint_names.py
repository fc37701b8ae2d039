"""The check that a recording has the joints of a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from urdf2dyn_ros.errors import RecordingError
from urdf2dyn_ros.quoting import first_names
from urdf2dyn_ros.recordings import Record

_RECORDS_SEARCHED = 1000
"""Records that are searched for names: a sample may need several messages."""

_MOST_NAMES = 40
"""Names in an error."""


def heads_with(names: Sequence[str], records: Iterator[Record]) -> list[Record]:
    """Return the first records, up to the one that completes the names."""
    heads: list[Record] = []
    missing = set(names)
    for record in islice(records, _RECORDS_SEARCHED):
        heads.append(record)
        missing.difference_update(record.names)
        if not missing:
            break
    return heads


def check_recorded_joints(joints: Sequence[str], heads: Iterable[Record], path: Path) -> None:
    """Raise RecordingError with the names of both sides if a joint of a model is missing."""
    recorded = tuple(dict.fromkeys(name for record in heads for name in record.names))
    missing = [joint for joint in joints if joint not in recorded]
    if not missing:
        return
    sides = (f'\n  recorded: {first_names(recorded, _MOST_NAMES)}'
             f'\n  robot: {first_names(joints, _MOST_NAMES)}\n')
    if len(missing) == len(joints):
        raise RecordingError(
            path, f'none of its joints is a joint of the robot:{sides}if only their names '
            r"differ, rename the recording's: --rename 'fer_joint(\d)=panda_joint\1'")
    raise RecordingError(
        path, f'joints of the robot that are not in it: {first_names(missing, _MOST_NAMES)}; '
        f'efforts need the motion of all joints:{sides}rename the recorded ones with --rename, '
        'or use a URDF with the recorded joints, in which the joints at rest are fixed')
