"""
Draw docs/notes/hindsight.png: how filters of a bank are weighted by what is seen with hindsight.

    .venv/bin/python benchmarks/hindsight_picture.py [FILE]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use('agg')
import matplotlib.pyplot as plt
import numpy as np

from urdf2dyn_ros.estimation.estimator import Estimator

RATE, DURATION, BITS = 500.0, 3.2, 17
SLOW, FAST = 2, 8   # filters that are drawn


def motion(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return positions and accelerations: minimum jerk over 1 rad in 0.8 s, there and back."""
    s = np.clip((t - 0.6) / 0.8, 0.0, 1.0) - np.clip((t - 1.9) / 0.8, 0.0, 1.0)
    a = np.zeros_like(t)
    for start, sign in ((0.6, 1.0), (1.9, -1.0)):
        u = (t - start) / 0.8
        a += sign * np.where((u > 0) & (u < 1), (60 * u - 180 * u**2 + 120 * u**3) / 0.64, 0.0)
    return s**3 * (10 - 15 * s + 6 * s**2), a


def main(file: Path) -> None:
    """Estimate, and draw."""
    t = np.arange(0.0, DURATION, 1.0 / RATE)
    q, true = motion(t)
    step = 2.0 * np.pi / 2**BITS
    estimator = Estimator(1)
    rows, weights = [], []
    for time, position in zip(t, np.rint(q / step) * step):
        estimate = estimator.update(1 + round(time * 1e9), np.array([position]),
                                    np.array([np.nan]))
        bank = estimator._bank
        if bank is None:
            rows.append([np.nan] * 4)
            weights.append(np.full(12, np.nan))
            continue
        reference = bank.x[2, 5, 0] - 2.613 / bank.w[5] * bank.x[3, 5, 0]
        rows.append([bank.x[2, SLOW, 0], bank.x[2, FAST, 0], reference, estimate.qdd[0]])
        each, found = bank.each, estimator._hindsight.weights[:, 0]
        weights.append([*(found[:each] + found[each:2 * each]), found[-1]] + [0.0] * (11 - each))
    slow, fast, reference, mixed = np.array(rows).T
    delay = 2.613 / bank.w[5]
    figure, (above, below) = plt.subplots(2, 1, figsize=(8, 5.6), sharex=True,
                                          height_ratios=(3, 2), layout='constrained')
    above.plot(t, fast, color='#c9c9c9', lw=0.8, zorder=1,
               label=f'fast filter, {bank.w[FAST]:.0f} rad/s')
    above.plot(t, slow, color='#56b4e9', lw=1.4, label=f'slow filter, {bank.w[SLOW]:.0f} rad/s')
    above.plot(t, true, color='black', lw=2.4, label='true')
    above.plot(t - delay, reference, color='#009e73', lw=1.4, ls='--',
               label=f'reference: known {1e3 * delay:.0f} ms later')
    above.plot(t, mixed, color='#d55e00', lw=1.4, label='mixed: what is published')
    above.set(ylabel='acceleration [rad/s$^2$]', ylim=(-16, 16))
    above.legend(loc='upper right', fontsize=8, ncols=2)
    shares = np.array([row[:12] for row in weights], dtype=float).T
    colors = plt.get_cmap('viridis')(np.linspace(0.0, 1.0, len(bank.w[:bank.each])))
    below.stackplot(t, np.nan_to_num(shares[:bank.each]), colors=colors, lw=0)
    below.set(ylabel='weight of the bandwidths', xlabel='time [s]', ylim=(0, 1),
              xlim=(0, DURATION))
    bar = figure.colorbar(matplotlib.cm.ScalarMappable(
        matplotlib.colors.LogNorm(bank.w[0], bank.w[bank.each - 1]), 'viridis'), ax=below,
        pad=0.01)
    bar.set_label('rad/s')
    figure.savefig(file, dpi=110)


if __name__ == '__main__':
    main(Path(sys.argv[1] if len(sys.argv) > 1 else 'docs/notes/hindsight.png'))
