"""
The samples of a recording for tuning: all, or pieces from all of it.

After clock jumps only the longest segment is used: two segments on one time would be a motion that
was never recorded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import RecordingError
from urdf2dyn_ros.joint_states.repeated_positions import RepeatedPositions
from urdf2dyn_ros.joint_states.samples import Sample, Samples
from urdf2dyn_ros.joint_states.velocity_check import VelocityCheck
from urdf2dyn_ros.recordings import Record, Recording
from urdf2dyn_ros.recordings.messages import LATEST_STAMP, TOO_LATE
from urdf2dyn_ros.smoothing.repeated import without_repeated
from urdf2dyn_ros.stamps import SECOND_NS
from urdf2dyn_ros.tuning.segments import PIECE_SAMPLES, Segments, SetBack

_RECORDS_SEARCHED = 50
"""Messages that are searched for names of joints: a sample may need several."""

_FEWEST_SAMPLES = 200

WARM_UP = 50
"""Samples after a start that are excluded from the figures of an estimator."""


@dataclass
class RecordedMotion:
    """
    Samples of a recorded motion.

    The stamps (k,) [ns] increase strictly; q and qd are (k, n), and qd is NaN if not measured.
    `starts` (k,) are the samples that do not continue the one before, `all_stamps` those of the
    whole segment in the order of the file, `skipped` the number of its samples between the
    pieces. `set_back` is a sentence about clock jumps and the number of excluded samples, or
    empty. `recorded` are all joints of the recording; `repeated` counts samples that repeat the
    positions of the one before while the robot moves, which are no measurements and excluded;
    positions of single joints that are repeated are replaced.
    """

    path: Path
    names: tuple[str, ...]
    stamps: NDArray[np.int64]
    q: Array
    qd: Array
    starts: NDArray[np.bool_]
    all_stamps: NDArray[np.int64]
    events: Counter[str] = field(default_factory=Counter)
    set_back: str = ''
    skipped: int = 0
    recorded: tuple[str, ...] = ()
    repeated: int = 0

    @property
    def time(self) -> Array:
        """Time since the first sample [s], (k,)."""
        return np.asarray((self.stamps - self.stamps[0]) * 1e-9)

    def some(self, pieces: int) -> RecordedMotion:
        """Return so many pieces from all of the motion."""
        number = np.arange(len(self.stamps)) // PIECE_SAMPLES
        step = max(1, int(np.ceil((number[-1] + 1) / pieces)))
        kept = number % step == 0
        starts = self.starts.copy()
        if step > 1:
            starts[::PIECE_SAMPLES] = True
        return RecordedMotion(self.path, self.names, self.stamps[kept], self.q[kept],
                              self.qd[kept], starts[kept], self.all_stamps)

    @property
    def settled(self) -> NDArray[np.bool_]:
        """Whether there are `WARM_UP` samples since a start, (k,)."""
        rows = np.arange(len(self.starts))
        last = np.maximum.accumulate(np.where(self.starts, rows, 0))
        return rows - last >= WARM_UP


def read_motion(recording: Recording, joints: Sequence[str] = ()) -> RecordedMotion:
    """
    Return the motion of some joints, or of all joints, in the longest segment of rising stamps.

    A damaged recording is read up to the defect, which is then its `error`. A RecordingError if a
    joint is not in the recording, or there are too few samples.
    """
    records = recording.until_defect()
    heads = list(islice(records, _RECORDS_SEARCHED))
    there = tuple(dict.fromkeys(name for record in heads for name in record.names))
    for joint in joints:
        if joint not in there:
            raise RecordingError(recording.path, f'no joint {joint!r}; there are: '
                                 + ', '.join(there))
    names = tuple(dict.fromkeys(joints)) or there
    events: Counter[str] = Counter()
    # a jump by 2 pi is one of the angle, for any joint
    samples = Samples(names, [True] * len(names), events)
    segments = Segments()
    _read(chain(heads, records), names[0], samples, segments, events, recording.remark)
    segment, set_back = segments.longest, str(segments)
    kept, starts = segment.result()
    if len(kept) < _FEWEST_SAMPLES:
        why = ', '.join(f'{event}: {count}' for event, count in events.items())
        raise recording.error or RecordingError(
            recording.path, f'samples of {", ".join(names)}: {len(kept)}, but at least '
            f'{_FEWEST_SAMPLES} are needed ({set_back or why or "there are no more"})')
    motion = RecordedMotion(recording.path, names, np.array([sample.stamp for sample in kept]),
                            np.array([sample.q for sample in kept]),
                            np.array([sample.qd for sample in kept]), np.array(starts),
                            np.array(segment.stamps, dtype=np.int64), events, set_back,
                            segment.count - len(kept), there)
    motion = _measured(motion)
    settled = int(motion.settled.sum())
    if settled < _FEWEST_SAMPLES - WARM_UP:
        raise RecordingError(
            recording.path, f'{len(kept)} samples of {", ".join(names)} in pieces with gaps '
            f'between: only {settled} of them come {WARM_UP} or more after a gap, when an '
            f'estimator has warmed up, but at least {_FEWEST_SAMPLES - WARM_UP} are needed')
    return motion


def _measured(motion: RecordedMotion) -> RecordedMotion:
    """Return the motion without samples that the node recognises as repeated."""
    repeats, kept = RepeatedPositions(len(motion.names)), np.ones(len(motion.stamps), bool)
    for _ in range(2):   # what is known after some runs counts from the first one on
        check = VelocityCheck(len(motion.names))
        for row, (stamp, start) in enumerate(zip(motion.stamps.tolist(), motion.starts.tolist())):
            if start:
                check.restart()
                repeats.restart()
            q, received = motion.q[row].copy(), motion.qd[row].copy()
            qd = check.update(stamp, q, received.copy())
            kept[row] = not repeats.update(stamp, q, qd, received)
    stamps = motion.stamps[kept]
    return replace(motion, stamps=stamps, q=without_repeated(stamps, motion.q[kept]),
                   qd=motion.qd[kept], starts=motion.starts[kept], repeated=int((~kept).sum()))


def _read(records: Iterable[Record], first: str, samples: Samples, segments: Segments,
          events: Counter[str], remark: Callable[[str], None]) -> None:
    later = None
    for number, record in enumerate(records, start=1):
        if later is None:   # a table's time may begin at zero, but a message has no stamp of zero
            later = max(SECOND_NS - record.stamp, 0)
        stamp = record.stamp + later
        if not 0 < stamp < LATEST_STAMP:   # before the beginning, or in other units
            events['no_stamp'] += 1
            if stamp > 0:
                remark(TOO_LATE)
            continue
        before, jumps = samples.newest - later, events['jump_back']
        sample = samples.add(stamp, record.names, cast(Any, record.position),
                             cast(Any, record.velocity), cast(Any, record.effort))
        if events['jump_back'] > jumps:
            segments.cut(SetBack(number, before, record.stamp))
        if first in record.names:
            segments.now.stamps.append(record.stamp)
        if isinstance(sample, Sample):
            segments.now.add(sample)
        else:
            events[sample] += 1
