"""The samples of a recording that parameters are tuned on: all, or pieces from all over it."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.errors import RecordingError
from urdf2dyn_ros.joint_states.samples import Sample, Samples
from urdf2dyn_ros.recordings import Record, Recording

Array = NDArray[np.float64]

SECOND = 1_000_000_000

PIECE = 1000
PIECES = 20
"""Samples in a piece, and pieces that are kept: enough for any figure here."""

HEADS = 50
"""Messages that are looked through for names of joints: several may make a sample."""

FEWEST = 200

WARM_UP = 50
"""Samples after a start on which an estimator is not judged."""


@dataclass
class Motion:
    """
    What was measured.

    Attributes
    ----------
    path : Path
        Of the recording.
    names : tuple of str
        Of n joints.
    stamps : ndarray of int, (k,)
        [ns].
    q, qd : ndarray, (k, n)
        [rad or m], [rad/s or m/s]; qd is NaN where not measured.
    starts : ndarray of bool, (k,)
        Where nothing may be concluded from the samples before.
    all_stamps : ndarray of int
        Of the whole recording, in the order of the file [ns].
    events : Counter
        What was left out, and why.
    error : RecordingError or None
        Why the recording could not be read to its end.

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

    @property
    def time(self) -> Array:
        """Since the first sample [s], (k,)."""
        seconds: Array = (self.stamps - self.stamps[0]) * 1e-9
        return seconds

    def some(self, pieces: int) -> Motion:
        """Return a part of it: so many pieces from all over it."""
        number = np.arange(len(self.stamps)) // PIECE
        step = max(1, int(np.ceil((number[-1] + 1) / pieces)))
        kept = number % step == 0
        starts = self.starts.copy()
        if step > 1:
            starts[::PIECE] = True
        return Motion(self.path, self.names, self.stamps[kept], self.q[kept], self.qd[kept],
                      starts[kept], self.all_stamps)

    @property
    def settled(self) -> NDArray[np.bool_]:
        """Where an estimator has had `WARM_UP` samples since a start, (k,)."""
        rows = np.arange(len(self.starts))
        last = np.maximum.accumulate(np.where(self.starts, rows, 0))
        return rows - last >= WARM_UP


class _Pieces:
    """Keeps pieces from all over a stream of unknown length, in bounded memory."""

    def __init__(self) -> None:
        self._kept: list[tuple[int, list[Sample]]] = []
        self._number = 0
        self._step = 1

    def add(self, sample: Sample) -> None:
        number, place = divmod(self._number, PIECE)
        self._number += 1
        if number % self._step:
            return
        if place == 0:
            if len(self._kept) == PIECES:
                self._step *= 2
                self._kept = [piece for piece in self._kept if piece[0] % self._step == 0]
                if number % self._step:
                    return
            self._kept.append((number, []))
        self._kept[-1][1].append(sample)

    def result(self) -> tuple[list[Sample], list[bool]]:
        """Return the samples, and which of them do not follow the one before."""
        samples, starts = [], []
        last = -1
        for number, piece in self._kept:
            samples += piece
            starts += [sample.restart for sample in piece]
            starts[-len(piece)] |= number != last + 1
            last = number
        return samples, starts


def read_motion(recording: Recording, joints: Sequence[str] = ()) -> Motion:
    """
    Return the motion of some joints; of all for an empty sequence.

    Raises
    ------
    RecordingError
        If a joint is not in the recording, or there are too few samples. A recording that breaks
        off gives what was read, and the error with it.

    """
    records = iter(recording)
    heads = list(islice(records, HEADS))
    there = tuple(dict.fromkeys(name for record in heads for name in record.names))
    for joint in joints:
        if joint not in there:
            raise RecordingError(recording.path, f'no joint {joint!r}; there are: '
                                 + ', '.join(there))
    names = tuple(joints) or there
    events: Counter[str] = Counter()
    # a jump by a turn is one of the angle, whatever the joint
    samples = Samples(names, [True] * len(names), events)
    pieces, stamps = _Pieces(), array('q')
    error = None
    try:
        _read(chain(heads, records), names[0], samples, pieces, stamps, events)
    except RecordingError as broken:
        error = broken
    kept, starts = pieces.result()
    if len(kept) < FEWEST:
        why = ', '.join(f'{event}: {count}' for event, count in events.items())
        raise error or RecordingError(
            recording.path, f'{len(kept)} samples of {", ".join(names)}, at least {FEWEST} are '
            f'needed ({why or "there are no more"})')
    return Motion(recording.path, names, np.array([sample.stamp for sample in kept]),
                  np.array([sample.q for sample in kept]),
                  np.array([sample.qd for sample in kept]), np.array(starts),
                  np.array(stamps, dtype=np.int64), events, error)


def _read(records: Iterable[Record], first: str, samples: Samples, pieces: _Pieces,
          stamps: array[int], events: Counter[str]) -> None:
    later = None
    for record in records:
        if later is None:   # a table's time may begin at zero, which in a message is no stamp
            later = max(SECOND - record.stamp, 0)
        if first in record.names:
            stamps.append(record.stamp)
        sample = samples.take(record.stamp + later, record.names, cast(Any, record.position),
                              cast(Any, record.velocity), cast(Any, record.effort))
        if isinstance(sample, Sample):
            pieces.add(sample)
        else:
            events[sample] += 1
