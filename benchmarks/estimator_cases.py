"""
Errors of `kalman` in motions of every kind, and those of simpler estimators.

    .venv/bin/python benchmarks/estimator_cases.py [CASE ...]

Four motions of test/support/streams/known_motions.py and four more (a chirp from 0.2 to 3 Hz,
bumps, two tones, 0.8 rad at 0.05 Hz) are sampled as in its columns A to F, with velocities and
without, and on prismatic axes. A line has the errors, RMSE over RMS of the acceleration [%], of
`kalman`, of `kalman_fixed_lag`, of `finite_difference` with its low-pass of 20 Hz, and of the best
of several fixed densities, which is known with hindsight only. It ends with << where `kalman` is
worse than differences, or than 1.2 times the best density, and above 0.5 %.

"""

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.estimators import make_compiled
from urdf2dyn_ros.robot.spatial import Array

sys.path.insert(0, str(Path(__file__).parents[1] / 'test'))
from support.streams import known_motions

MOTIONS = (*known_motions.NAMES, 'chirp', 'bumps', 'tones', 'slow')
DENSITIES = tuple(10.0 ** power for power in range(-3, 8))
OF_BEST = 1.2
SMALL = 0.5   # %
LOOSE = {'max_std': 1e6}


class Case(NamedTuple):
    """
    How joints are sampled.

    `rate` [Hz], `step` of the encoder [rad or m], 0 for exact; `noise` of velocities [rad/s or
    m/s]; `scale`: metres for a radian of the motions, 1 for an arm; `alone`: no velocities.
    """

    rate: float
    step: float
    noise: float
    scale: float = 1.0
    alone: bool = False


def _columns(alone: bool) -> dict[str, Case]:
    return {name + ' alone' * alone: Case(
        row.rate, 2.0 * np.pi / 2 ** row.bits if row.bits else 0.0, row.noise, alone=alone)
        for name, row in known_motions.PROFILES.items()}


CASES = {
    **_columns(False), **_columns(True),
    **{f'{scale:g} m, {1e6 * step:g} um, {rate:g} Hz': Case(rate, step, noise, scale)
       for scale, step, noise in ((0.5, 1e-6, 1e-3), (0.05, 1e-6, 1e-4), (0.05, 1e-5, 1e-3))
       for rate in (100.0, 1000.0)}}


class Samples(NamedTuple):
    """Stamps [ns] (k,), measured q and qd, and true accelerations, (k, n)."""

    stamps: Array
    q: Array
    qd: Array
    true: Array


class Errors(NamedTuple):
    """Errors [%] of each motion, (n,)."""

    kalman: Array
    lagging: Array
    differences: Array
    best: Array

    @property
    def times(self) -> Array:
        """How many times what they may be those of `kalman` are, (n,)."""
        return self.kalman / np.maximum(np.minimum(self.differences, OF_BEST * self.best), SMALL)


def more(t: Array) -> list[tuple[Array, Array, Array]]:
    """Return q, qd and qdd of the further motions [rad], [rad/s], [rad/s^2]."""
    rise = 2.0 * np.pi * 2.8 / known_motions.DURATION
    phase, w = 2.0 * np.pi * 0.2 * t + 0.5 * rise * t * t, 2.0 * np.pi * 0.2 + rise * t
    chirp = (0.3 * np.sin(phase), 0.3 * w * np.cos(phase),
             0.3 * (rise * np.cos(phase) - w * w * np.sin(phase)))
    bumps = np.zeros((3, len(t)))
    for k, centre in enumerate(np.arange(0.5, known_motions.DURATION + 1.0, 1.5)):
        x = (t - centre) / 0.15
        bump = (-1) ** k * 0.5 * np.exp(-0.5 * x * x)
        bumps += bump, -bump * x / 0.15, bump * (x * x - 1.0) / 0.15 ** 2
    return [chirp, tuple(bumps), sines(t, (0.5, 0.7), (0.02, 5.3)), sines(t, (0.8, 0.05))]


def sines(t: Array, *tones: tuple[float, float]) -> tuple[Array, Array, Array]:
    """Return q, qd and qdd of a sum of sines of an amplitude [rad] and a frequency [Hz]."""
    each = [(a, 2.0 * np.pi * f) for a, f in tones]
    return (sum(a * np.sin(w * t) for a, w in each), sum(a * w * np.cos(w * t) for a, w in each),
            sum(-a * w * w * np.sin(w * t) for a, w in each))


def samples(case: Case, seconds: float = known_motions.DURATION) -> Samples:
    """Return the beginning of all motions, a joint each."""
    stamps = known_motions.record(known_motions.Profile(case.rate, 0, 0.0)).stamps
    stamps = stamps[stamps < known_motions.START + seconds * 1e9]
    columns = (np.stack(parts, axis=1)
               for parts in zip(*more((stamps - known_motions.START) * 1e-9)))
    q, qd, qdd = (case.scale * np.concatenate(parts, axis=1)
                  for parts in zip(known_motions.truth(stamps), columns))
    return measured(case, Samples(stamps, q, qd, qdd))


def measured(case: Case, true: Samples) -> Samples:
    """Return what the sensors show of a motion."""
    q = case.step * np.round(true.q / case.step) if case.step else true.q
    noise = case.noise * np.random.default_rng(0).normal(size=q.shape)
    return true._replace(q=q, qd=np.full_like(q, np.nan) if case.alone else true.qd + noise)


def deviation(motion: Samples, name: str, **parameters: float) -> Array:
    """Return the RMS error of the accelerations of an estimator [rad/s^2 or m/s^2], (n,)."""
    stamps, found = known_motions.estimated(
        make_compiled(name, motion.q.shape[1], **parameters),
        known_motions.Recording(motion.stamps, motion.q, motion.qd))
    t = (stamps - motion.stamps[0]) * 1e-9
    last = (motion.stamps[-1] - motion.stamps[0]) * 1e-9 - known_motions.ENDING
    some = (t >= known_motions.SETTLING) & (t <= last)
    true = motion.true[np.searchsorted(motion.stamps, stamps[some])]
    return np.sqrt(np.square(found[some] - true).mean(axis=0))


def error(motion: Samples, name: str, **parameters: float) -> Array:
    """Return the errors of an estimator [%], (n,)."""
    rms = np.sqrt(np.square(motion.true).mean(axis=0))
    return 100.0 * deviation(motion, name, **parameters) / rms


def compare(motion: Samples, densities: tuple[float, ...] = DENSITIES) -> Errors:
    """Return the errors of all estimators."""
    return Errors(
        error(motion, 'kalman', **LOOSE), error(motion, 'kalman_fixed_lag', **LOOSE),
        error(motion, 'finite_difference', cutoff=20.0),
        np.min([error(motion, 'kalman', snap_density=each, **LOOSE) for each in densities],
               axis=0))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument('cases', nargs='*', choices=[*CASES, []], default=list(CASES))
    for name in parser.parse_args().cases:
        found = compare(samples(CASES[name]))
        print(f'\n{name:22}' + ''.join(f'{each:>14}' for each in (
            'kalman', 'with a lag', 'differences', 'best density')))
        for row, (motion, times) in enumerate(zip(MOTIONS, found.times)):
            print(f'  {motion:20}' + ''.join(f'{each[row]:14.3g}' for each in found)
                  + ('  <<' if times > 1.0 else ''))


if __name__ == '__main__':
    main()
