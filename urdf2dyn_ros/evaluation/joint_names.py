"""Whether a recording has the joints of a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from urdf2dyn_ros.errors import RecordingError
from urdf2dyn_ros.recordings import Record

_RECORDS_SEARCHED = 1000
"""Records that are looked through for names: several messages may make a sample."""

_MOST_NAMES = 40
"""Names in an error."""


def heads_with(names: Sequence[str], records: Iterator[Record]) -> list[Record]:
    """Take records until all names have been met, or so many that they will not come."""
    heads: list[Record] = []
    missing = set(names)
    for record in islice(records, _RECORDS_SEARCHED):
        heads.append(record)
        missing.difference_update(record.names)
        if not missing:
            break
    return heads


def check_recorded_joints(joints: Sequence[str], heads: Iterable[Record], path: Path) -> None:
    """
    Make sure that every joint of a model is among the recorded ones.

    Raises
    ------
    RecordingError
        If one is not; with the names of both sides.

    """
    there = tuple(dict.fromkeys(name for record in heads for name in record.names))
    missing = [joint for joint in joints if joint not in there]
    if not missing:
        return
    sides = f'\n  recorded: {_listed(there)}\n  robot: {_listed(joints)}\n'
    if len(missing) == len(joints):
        raise RecordingError(
            path, f'no joint of it is one of the robot:{sides}if they differ in their names '
            r"alone, rename the recording's: --rename 'fer_joint(\d)=panda_joint\1'")
    raise RecordingError(
        path, f'joints of the robot that are not in it: {_listed(missing)}; a robot moves as a '
        f'whole, so that all are needed:{sides}rename the recorded ones with --rename, or give a '
        'URDF with the recorded joints, those that do not move fixed')


def _listed(names: Sequence[str]) -> str:
    more = f' and {len(names) - _MOST_NAMES} more' if len(names) > _MOST_NAMES else ''
    return ', '.join(names[:_MOST_NAMES]) + more
