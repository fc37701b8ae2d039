"""
Accelerations estimated from recordings of real robots, against a zero-phase reference.

    .venv/bin/python benchmarks/real_accelerations.py RECORDING[:CUTOFF_HZ] ... [--picture FILE] \
        [--unit rad]

Recordings are CSV tables or bags, as `urdf2dyn evaluate` reads them. The reference is the recorded
position through a Butterworth low-pass of order 4, forwards and backwards, differentiated twice:
it has no lag and hardly any noise. Errors are RMSE over RMS of the reference [%], from 1 s after
the first motion to 0.3 s before the last. The estimators receive the samples as they are; "q
alone" without the velocities; "through the stream" with its checks of velocities and of samples
that are repeated, as in the node. Below the errors of a filter: the samples within two of its
standard deviations [%].

"""

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.estimation.estimators import make_estimator
from urdf2dyn_ros.estimation.hold import unlimited_joints
from urdf2dyn_ros.estimation.stream import Stream
from urdf2dyn_ros.recordings import open_recording
from urdf2dyn_ros.recordings.smoothing import smooth
from urdf2dyn_ros.robot.spatial import Array

CUTOFF = 8.0
MOVED = 1e-3   # rad or m
ONE_BANDWIDTH = {'bandwidth': 100.0}
ROWS = {
    'kalman, q alone': ('kalman', {}, False),
    'kalman': ('kalman', {}, True),
    'one bandwidth': ('kalman', ONE_BANDWIDTH, True),
    'one bandwidth, q alone': ('kalman', ONE_BANDWIDTH, False),
    'kalman_fixed_lag': ('kalman_fixed_lag', {}, True),
    'kalman_fixed_lag, q alone': ('kalman_fixed_lag', {}, False),
    'finite_difference': ('finite_difference', {}, True),
}
COLORS = (('#9ecae1', 0.7), ('#d55e00', 2.2))
"""Colours and widths of the estimates in the picture."""


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


def estimated(motion: Motion, name: str, parameters: dict, velocity: bool) -> Array:
    """
    Return accelerations and their deviations (2, k, n) at the stamps they are declared for.

    They are NaN where there is no estimate.
    """
    estimator = make_estimator(name, motion.q.shape[1], **parameters)
    found = np.full((2, *motion.q.shape), np.nan)
    index = {int(stamp): k for k, stamp in enumerate(motion.stamps)}
    for stamp, q, qd in zip(motion.stamps.tolist(), motion.q, motion.qd):
        estimate = estimator.update(stamp, q, qd if velocity else np.full_like(qd, np.nan))
        if estimate.valid and estimate.stamp in index:
            found[:, index[estimate.stamp]] = estimate.qdd, estimate.std
    return found


def streamed(motion: Motion, kind: str, parameters: dict) -> Array:
    """Return the accelerations that the stream, with its checks, gives to a model, (k, n)."""
    stream = Stream(unlimited_joints(motion.names), lambda q, qd, qdd: qdd,
                    lambda joints: make_estimator(kind, joints, **parameters),
                    clock=lambda: int(motion.stamps[0]))
    found = {stamp: stream.receive(stamp, motion.names, q, qd if np.isfinite(qd).any() else (), ())
             for stamp, q, qd in zip(motion.stamps.tolist(), motion.q, motion.qd)}
    given = {each.stamp: each.effort for each in found.values() if each}
    return np.array([given.get(stamp, np.full(len(motion.names), np.nan))
                     for stamp in motion.stamps.tolist()])


def errors(found: Array, true: Array, some: Array) -> tuple[Array, float]:
    """Return the errors [%] (n,), and the part of the samples with an estimate [%]."""
    answered = some & np.isfinite(found).all(axis=1)
    if not answered.any():
        return np.full(true.shape[1], np.nan), 0.0
    rms = np.sqrt(np.square(true[answered]).mean(axis=0))
    return (100.0 * np.sqrt(np.square(found - true)[answered].mean(axis=0)) / rms,
            100.0 * float(answered.sum() / some.sum()))


def covered(found: Array, deviations: Array, true: Array, some: Array) -> Array:
    """Return the part of the samples whose reference is within two deviations [%], (n,)."""
    answered = some & np.isfinite(found).all(axis=1)
    return 100.0 * (np.abs(found - true) <= 2.0 * deviations)[answered].mean(axis=0)


def draw(path: Path, motion: Motion, true: Array, found: dict[str, Array], unit: str) -> None:
    """Draw a few seconds of each joint: reference and estimates [unit/s^2]."""
    from matplotlib.figure import Figure
    time = (motion.stamps - motion.stamps[0]) * 1e-9
    rows = np.flatnonzero(judged(motion))
    some = rows[(time[rows] - time[rows[0]]) < 4.0]
    figure = Figure(figsize=(9.0, 1.0 + 1.8 * len(motion.names)), layout='constrained')
    for k, (name, axes) in enumerate(zip(motion.names, np.atleast_1d(
            figure.subplots(len(motion.names), 1, sharex=True)))):
        for (label, values), (color, width) in zip(found.items(), COLORS):
            axes.plot(time[some], values[some, k], color=color, linewidth=width, label=label)
        axes.plot(time[some], true[some, k], 'k', linewidth=0.9, label='reference')
        reach = 2.0 * np.abs(true[some, k]).max()
        axes.set_ylim(-reach, reach)
        axes.set_title(name, loc='left', fontsize=9)
        axes.set_ylabel(f'acceleration [{unit}/s²]', fontsize=8)
        axes.grid(color='#e8e8e8')
    axes.set_xlabel('time [s]')
    figure.legend(*axes.get_legend_handles_labels(), loc='outside upper center', ncols=4,
                  frameon=False)
    figure.savefig(path, dpi=110)


def main() -> None:
    """Print a table for each recording."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0].strip())
    parser.add_argument('recordings', nargs='+', metavar='RECORDING[:CUTOFF_HZ]')
    parser.add_argument('--picture', type=Path, help='PNG of the last recording')
    parser.add_argument('--unit', default='rad or m', help='of its positions, in the picture')
    arguments = parser.parse_args()
    for text in arguments.recordings:
        name, _, cutoff = text.partition(':')
        motion = load(Path(name))
        if not motion.names:
            print(f'\n{name}: no joint moves by more than {10.0 * MOVED:g} rad or m')
            continue
        true, some = reference(motion, float(cutoff or CUTOFF)), judged(motion)
        print(f'\n{name}: {len(motion.stamps)} samples of {", ".join(motion.names)}; reference '
              f'{float(cutoff or CUTOFF):g} Hz')
        found = {}
        for label, (kind, parameters, velocity) in ROWS.items():
            if velocity and not np.isfinite(motion.qd).any():
                continue
            found[label], deviations = estimated(motion, kind, parameters, velocity)
            figures, answered = errors(found[label], true, some)
            print(f'  {label:26}' + ''.join(f'{figure:8.0f}' for figure in figures)
                  + f' %   {answered:5.1f} % of the samples')
            if np.isfinite(deviations[some]).any():
                print('    within 2 deviations   ' + ''.join(f'{part:8.1f}' for part in covered(
                    found[label], deviations, true, some)) + ' %')
        through = streamed(motion, 'kalman', {})
        figures, answered = errors(through, true, some)
        worst = np.nanmax(np.abs(through - true)[some], axis=0)
        print(f'  {"kalman, through the stream":26}' + ''.join(
            f'{figure:8.0f}' for figure in figures) + f' %   {answered:5.1f} % of the samples')
        print('    largest error         ' + ''.join(f'{each:8.1f}' for each in worst)
              + ' rad/s^2 or m/s^2')
        figures, _ = errors(smooth(motion.stamps, motion.q).qdd, true, some)
        print(f'  {"offline (evaluate)":26}' + ''.join(f'{figure:8.0f}' for figure in figures)
              + ' %')
        if arguments.picture:
            shown = [label for label in ('one bandwidth, q alone', 'kalman, q alone')
                     if label in found]
            draw(arguments.picture, motion, true, {label: found[label] for label in shown},
                 arguments.unit)


if __name__ == '__main__':
    main()
