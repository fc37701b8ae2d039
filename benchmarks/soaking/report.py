"""The figures of a soak as a table, and as a picture."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use('Agg')
import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import theilslopes
from under_load.process_figures import Figures

WARM_UP = 300.0
"""Time that is excluded at the start [s], at most half of the whole."""
TEN_MINUTES = 600.0


def growth(samples: Sequence[tuple[float, Figures]]) -> dict[str, float]:
    """Return the slopes of Theil and Sen of memory [MB], threads and open files per 10 minutes."""
    start = min(WARM_UP, samples[-1][0] / 2.0)
    kept = [(when, row) for when, row in samples if when >= start]
    times = np.array([when for when, _ in kept])
    return {name: TEN_MINUTES * float(theilslopes([getattr(row, name) for _, row in kept],
                                                  times)[0])
            for name in ('memory', 'threads', 'files')}


def table(found: dict[str, Any]) -> str:
    """Return a row for each fault, and the figures of the whole."""
    lines = [f'{"fault":22}{"times":>7}{"recovery [s]: median":>22}{"most":>9}'
             f'{"wrong outputs":>15}{"largest error":>15}']
    for name, tally in found['faults'].items():
        times = tally['recoveries'] or [float('nan')]
        lines.append(f'{name:22}{len(tally["recoveries"]):7}{np.median(times):22.3f}{max(times):9.3f}'
                     f'{tally["wrong"]:15}{tally["error"]:15.2%}')
    lines += [f'{name}: {len(tally["unheard"])} times the node did not receive the first '
              f'{", ".join(f"{time:.3f}" for time in tally["unheard"])} s'
              for name, tally in found['faults'].items() if tally['unheard']]
    slopes = found['growth']
    lines += [f'{found["minutes"]:.1f} minutes, {found["answers"]} outputs, exit code '
              f'{found["exit code"]}', f'per 10 minutes: memory {slopes["memory"]:+.2f} MB, '
              f'threads {slopes["threads"]:+.2f}, open files {slopes["files"]:+.2f}']
    return '\n'.join(lines + [f'failure: {text}' for text in found['failures']])


def draw(found: dict[str, Any], path: Path) -> None:
    """Write the picture: memory, threads and files over time, and every recovery."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout='constrained',
                                         width_ratios=(1.2, 1))
    when, _, memory, threads, files = np.array(found['samples']).T
    left.plot(when / 60.0, memory, color='#0072b2', label='memory [MB]')
    left.plot(when / 60.0, threads, color='#d55e00', linestyle='--', label='threads')
    left.plot(when / 60.0, files, color='#009e73', linestyle=':', label='open files')
    left.set_ylim(0.0, 1.35 * max(memory.max(), threads.max(), files.max()))
    left.set_xlabel('time [min]')
    left.set_title(f'the node: {found["growth"]["memory"]:+.2f} MB per 10 minutes', loc='left')
    left.legend(frameon=False, loc='upper left', ncols=3)
    names = list(found['faults'])
    for k, name in enumerate(names):
        times = [time * 1e3 for time in found['faults'][name]['recoveries']]
        right.plot(times, [k] * len(times), 'o', color='#0072b2', alpha=0.5)
    right.axvline(200.0, color='#555555', linestyle='--', linewidth=1.0)
    right.set_yticks(range(len(names)), names)
    right.invert_yaxis()
    right.set_xlim(left=min(0.0, right.get_xlim()[0]))
    right.set_xlabel('data until efforts are right again [ms]; dashed: the goal')
    right.set_title('after each fault', loc='left')
    for ax in (left, right):
        ax.spines[['top', 'right']].set_visible(False)
        ax.grid(color='#e8e8e8')
    figure.savefig(path, dpi=120, metadata={'Software': None})
    plt.close(figure)
