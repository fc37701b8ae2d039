"""
Accelerations of real robots, against a zero-phase reference.

The reference is the recorded position through a Butterworth low-pass of order 4, forwards and
backwards, differentiated twice: it has no lag and hardly any noise. Errors are RMSE over RMS of
the reference [%], from 1 s after the first motion to 0.3 s before the last.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.recordings import open_recording
from urdf2dyn_ros.robot.spatial import Array

MOVED = 1e-3   # rad or m


class Motion(NamedTuple):
    """Stamps [ns] (k,), positions and velocities (k, n), and the joints' names."""

    stamps: Array
    q: Array
    qd: Array
    names: tuple[str, ...]


def load(path: Path) -> Motion:
    """Return the samples of a recording whose stamps advance, all joints that move."""
    stamps, q, qd, names = [], [], [], ()
    for record in open_recording(path):
        if len(record.position) and (not stamps or record.stamp > stamps[-1]):
            names = tuple(record.names)
            stamps.append(record.stamp)
            q.append(record.position)
            qd.append(record.velocity if len(record.velocity)
                      else np.full(len(record.position), np.nan))
    q, qd = np.array(q), np.array(qd)
    moving = np.ptp(q, axis=0) > 10.0 * MOVED
    return Motion(np.array(stamps), q[:, moving], qd[:, moving],
                  tuple(name for name, moves in zip(names, moving) if moves))


def reference(motion: Motion, cutoff: float) -> Array:
    """Return the accelerations (k, n) of the low-passed positions."""
    time = (motion.stamps - motion.stamps[0]) * 1e-9
    period = float(np.median(np.diff(time)))
    even = np.arange(0.0, time[-1], period)
    from scipy.signal import butter, filtfilt  # which takes a second to import

    b, a = butter(4, 2.0 * cutoff * period)
    columns = []
    for q in motion.q.T:
        smooth = filtfilt(b, a, np.interp(even, time, q))
        columns.append(np.interp(time, even, np.gradient(np.gradient(smooth, period), period)))
    return np.stack(columns, axis=1)


def judged(motion: Motion) -> Array:
    """Return which samples count, (k,) of bool."""
    time = (motion.stamps - motion.stamps[0]) * 1e-9
    first = np.flatnonzero(np.abs(motion.q - motion.q[0]).max(axis=1) > MOVED)[0]
    last = np.flatnonzero(np.abs(np.diff(motion.q, axis=0)).max(axis=1) > 0.0)[-1]
    return (time > time[first] + 1.0) & (time < time[last] - 0.3)


def errors(found: Array, true: Array, some: Array) -> tuple[Array, float]:
    """Return the errors [%] (n,), and the part of the samples with an estimate [%]."""
    answered = some & np.isfinite(found).all(axis=1)
    if not answered.any():
        return np.full(true.shape[1], np.nan), 0.0
    rms = np.sqrt(np.square(true[answered]).mean(axis=0))
    return (100.0 * np.sqrt(np.square(found - true)[answered].mean(axis=0)) / rms,
            100.0 * float(answered.sum() / some.sum()))
