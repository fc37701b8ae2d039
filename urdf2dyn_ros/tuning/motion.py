"""
The samples of a recording for tuning: all of them, or pieces distributed over all of it.

If its time jumps back, only the longest stretch of rising stamps: two passes together would be a
motion that was never recorded.

"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import RecordingError
from urdf2dyn_ros.joint_states.samples import Sample, Samples
from urdf2dyn_ros.recordings import Record, Recording
from urdf2dyn_ros.recordings.messages import LATEST_STAMP, TOO_LATE
from urdf2dyn_ros.stamps import SECOND_NS
from urdf2dyn_ros.tuning.stretches import PIECE, SetBack, Stretches

_RECORDS_SEARCHED = 50
"""Messages that are looked through for names of joints: several may make a sample."""

_FEWEST_SAMPLES = 200

WARM_UP = 50
"""Samples after a start on which an estimator is not judged."""


@dataclass
class RecordedMotion:
    """
    Measured positions and velocities.

    Attributes
    ----------
    path : Path
        The recording.
    names : tuple of str
        Names of n joints.
    stamps : ndarray of int, (k,)
        Each later than the one before [ns].
    q, qd : ndarray, (k, n)
        [rad or m], [rad/s or m/s]; qd is NaN where not measured.
    starts : ndarray of bool, (k,)
        Samples that are not related to those before.
    all_stamps : ndarray of int
        Those of the whole stretch, in the order of the file [ns].
    events : Counter
        Dropped samples by outcome.
    error : RecordingError or None
        The error if the recording could not be read to its end.
    set_back : str
        Where the time jumps back, and what was dropped for that; empty if it does not.
    skipped : int
        Samples of the stretch between the pieces.

    """

    path: Path
    names: tuple[str, ...]
    stamps: NDArray[np.int64]
    q: Array
    qd: Array
    starts: NDArray[np.bool_]
    all_stamps: NDArray[np.int64]
    events: Counter[str] = field(default_factory=Counter)
    error: RecordingError | None = None
    set_back: str = ''
    skipped: int = 0

    @property
    def time(self) -> Array:
        """Since the first sample [s], (k,)."""
        seconds: Array = (self.stamps - self.stamps[0]) * 1e-9
        return seconds

    def some(self, pieces: int) -> RecordedMotion:
        """Return so many pieces, distributed over all of it."""
        number = np.arange(len(self.stamps)) // PIECE
        step = max(1, int(np.ceil((number[-1] + 1) / pieces)))
        kept = number % step == 0
        starts = self.starts.copy()
        if step > 1:
            starts[::PIECE] = True
        return RecordedMotion(self.path, self.names, self.stamps[kept], self.q[kept],
                              self.qd[kept], starts[kept], self.all_stamps)

    @property
    def settled(self) -> NDArray[np.bool_]:
        """Samples with at least `WARM_UP` others since a start, (k,)."""
        rows = np.arange(len(self.starts))
        last = np.maximum.accumulate(np.where(self.starts, rows, 0))
        return rows - last >= WARM_UP


def read_motion(recording: Recording, joints: Sequence[str] = ()) -> RecordedMotion:
    """
    Return the motion of some joints; of all for an empty sequence.

    If the time jumps back, that of the longest stretch of rising stamps.

    Raises
    ------
    RecordingError
        If a joint is not in the recording, or there are too few samples. A recording that breaks
        off gives what was read, and the error with it.

    """
    records = iter(recording)
    heads = list(islice(records, _RECORDS_SEARCHED))
    there = tuple(dict.fromkeys(name for record in heads for name in record.names))
    for joint in joints:
        if joint not in there:
            raise RecordingError(recording.path, f'no joint {joint!r}; there are: '
                                 + ', '.join(there))
    names = tuple(dict.fromkeys(joints)) or there
    events: Counter[str] = Counter()
    # a jump by a turn is one of the angle, whatever the joint
    samples = Samples(names, [True] * len(names), events)
    stretches = Stretches()
    error = None
    try:
        _read(chain(heads, records), names[0], samples, stretches, events, recording.remark)
    except RecordingError as broken:
        error = broken
    stretch, set_back = stretches.longest, str(stretches)
    kept, starts = stretch.result()
    if len(kept) < _FEWEST_SAMPLES:
        why = ', '.join(f'{event}: {count}' for event, count in events.items())
        raise error or RecordingError(
            recording.path, f'samples of {", ".join(names)}: {len(kept)}, but at least '
            f'{_FEWEST_SAMPLES} are needed ({set_back or why or "there are no more"})')
    motion = RecordedMotion(recording.path, names, np.array([sample.stamp for sample in kept]),
                    np.array([sample.q for sample in kept]),
                    np.array([sample.qd for sample in kept]), np.array(starts),
                    np.array(stretch.stamps, dtype=np.int64), events, error, set_back,
                    stretch.count - len(kept))
    settled = int(motion.settled.sum())
    if settled < _FEWEST_SAMPLES - WARM_UP:
        raise RecordingError(
            recording.path, f'{len(kept)} samples of {", ".join(names)} in pieces with gaps '
            f'between: only {settled} of them come {WARM_UP} or more after a gap, when an '
            f'estimator has warmed up, but at least {_FEWEST_SAMPLES - WARM_UP} are needed')
    return motion


def _read(records: Iterable[Record], first: str, samples: Samples, stretches: Stretches,
          events: Counter[str], remark: Callable[[str], None]) -> None:
    later = None
    for number, record in enumerate(records, start=1):
        if later is None:   # a table's time may begin at zero, which in a message is no stamp
            later = max(SECOND_NS - record.stamp, 0)
        stamp = record.stamp + later
        if not 0 < stamp < LATEST_STAMP:   # before the beginning of time, or in other units
            events['no_stamp'] += 1
            if stamp > 0:
                remark(TOO_LATE)
            continue
        before, jumps = samples.newest - later, events['jump_back']
        sample = samples.add(stamp, record.names, cast(Any, record.position),
                              cast(Any, record.velocity), cast(Any, record.effort))
        if events['jump_back'] > jumps:
            stretches.cut(SetBack(number, before, record.stamp))
        if first in record.names:
            stretches.now.stamps.append(record.stamp)
        if isinstance(sample, Sample):
            stretches.now.add(sample)
        else:
            events[sample] += 1
