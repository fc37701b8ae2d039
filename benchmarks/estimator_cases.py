"""
Errors of `kalman` in motions of every kind, and those of simpler estimators.

    .venv/bin/python benchmarks/estimator_cases.py [CASE ...]

Four motions of test/support/streams/known_motions.py and four more (a chirp from 0.2 to 3 Hz,
bumps, two tones, 0.8 rad at 0.05 Hz) are sampled as in its columns A to F, with velocities and
without. A line has the errors, RMSE over RMS of the acceleration [%], of `kalman`, of
`kalman_fixed_lag`, of `finite_difference` with its low-pass of 20 Hz, and of the best of several
fixed densities, which is known with hindsight only. It ends with << where `kalman` is worse than
differences, or 1.2 times worse than the best density, and above 0.5 %.

"""

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.estimators import make_compiled

sys.path.insert(0, str(Path(__file__).parents[1] / 'test'))
from support.streams import known_motions

MOTIONS = (*known_motions.NAMES, 'chirp', 'bumps', 'tones', 'slow')
DENSITIES = tuple(10.0 ** power for power in range(-3, 8))
OF_BEST = 1.2
SMALL = 0.5   # %
CASES = {f'{column}{" alone" if alone else ""}': (column, alone)
         for column in known_motions.PROFILES for alone in (False, True)}


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
    def worse(self) -> Array:
        """Which are worse than they should be, (n,) of bool."""
        most = np.minimum(self.differences, OF_BEST * self.best)
        return self.kalman > np.maximum(most, SMALL)


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


def samples(profile: known_motions.Profile, alone: bool = False) -> Samples:
    """Return all motions, a joint each; without velocities if `alone`."""
    stamps = known_motions.record(profile).stamps
    columns = (np.stack(parts, axis=1)
               for parts in zip(*more((stamps - known_motions.START) * 1e-9)))
    q, qd, qdd = (np.concatenate(parts, axis=1)
                  for parts in zip(known_motions.truth(stamps), columns))
    if profile.bits:
        step = 2.0 * np.pi / 2 ** profile.bits
        q = step * np.round(q / step)
    noise = profile.noise * np.random.default_rng(0).normal(size=qd.shape)
    return Samples(stamps, q, np.full_like(qd, np.nan) if alone else qd + noise, qdd)


def error(motion: Samples, name: str, **parameters: float) -> Array:
    """Return the errors of an estimator [%], (n,)."""
    estimator = make_compiled(name, motion.q.shape[1], **parameters)
    stamps, found = known_motions.estimated(
        estimator, known_motions.Recording(motion.stamps, motion.q, motion.qd))
    t = (stamps - known_motions.START) * 1e-9
    some = ((t >= known_motions.SETTLING)
            & (t <= known_motions.DURATION - known_motions.ENDING))
    true = motion.true[np.searchsorted(motion.stamps, stamps[some])]
    return 100.0 * np.sqrt(np.square(found[some] - true).mean(axis=0)
                           / np.square(true).mean(axis=0))


def compare(motion: Samples, densities: tuple[float, ...] = DENSITIES) -> Errors:
    """Return the errors of all estimators."""
    loose = {'max_std': 1e6}
    return Errors(
        error(motion, 'kalman', **loose), error(motion, 'kalman_fixed_lag', **loose),
        error(motion, 'finite_difference', cutoff=20.0),
        np.min([error(motion, 'kalman', snap_density=each, **loose) for each in densities],
               axis=0))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument('cases', nargs='*', choices=[*CASES, []], default=list(CASES))
    for name in parser.parse_args().cases:
        column, alone = CASES[name]
        found = compare(samples(known_motions.PROFILES[column], alone))
        print(f'\n{name:16}' + ''.join(f'{each:>14}' for each in (
            'kalman', 'with a lag', 'differences', 'best density')))
        for row, (motion, worse) in enumerate(zip(MOTIONS, found.worse)):
            print(f'  {motion:14}' + ''.join(f'{each[row]:14.3g}' for each in found)
                  + ('  <<' if worse else ''))


if __name__ == '__main__':
    main()
