"""The figures of a soak as a table, and as a picture."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use('Agg')
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import SubFigure
from matplotlib.ticker import MaxNLocator
from scipy.stats import theilslopes
from under_load.process_figures import Figures

WARM_UP = 300.0
"""Time that is excluded at the start [s], at most half of the whole."""
TEN_MINUTES = 600.0
SERIES = (('memory', 'memory [MB]', '#0072b2'), ('threads', 'number of threads', '#d55e00'),
          ('files', 'number of open files', '#009e73'))
"""Quantities over time: field of `Figures`, title with its unit, colour."""


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
    figure = plt.figure(figsize=(11, 5.2), layout='constrained')
    left, right = figure.subfigures(1, 2, width_ratios=(1.1, 1))
    _over_time(left, found)
    _recoveries(right.subplots(), found['faults'])
    for ax in figure.axes:
        ax.spines[['top', 'right']].set_visible(False)
        ax.grid(color='#e8e8e8')
    figure.savefig(path, dpi=120, metadata={'Software': None})
    plt.close(figure)


def _over_time(figure: SubFigure, found: dict[str, Any]) -> None:
    """Draw a panel for each quantity, since their units differ."""
    samples = np.array(found['samples'])   # time [s], then the fields of Figures
    panels = figure.subplots(len(SERIES), 1, sharex=True, height_ratios=(2, 1, 1))
    for ax, (name, title, color) in zip(panels, SERIES):
        values = samples[:, 1 + Figures._fields.index(name)]
        ax.plot(samples[:, 0] / 60.0, values, color=color)
        ax.set_ylim(0.0, 1.25 * values.max())
        ax.set_title(title, loc='left', fontsize=10)
        ax.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    panels[0].set_title(f'memory of the node [MB]: {found["growth"]["memory"]:+.2f} MB per 10 '
                        'minutes', loc='left', fontsize=10)
    panels[-1].set_xlabel('time [min]')


def _recoveries(ax: Axes, faults: dict[str, Any]) -> None:
    """Draw a dot for each recovery, in a row for each kind of fault."""
    for k, tally in enumerate(faults.values()):
        times = [time * 1e3 for time in tally['recoveries']]
        ax.plot(times, [k] * len(times), 'o', color='#0072b2', alpha=0.5)
    ax.axvline(200.0, color='#555555', linestyle='--', linewidth=1.0)
    ax.set_yticks(range(len(faults)), list(faults))
    ax.invert_yaxis()
    ax.set_xlim(left=min(0.0, ax.get_xlim()[0]))
    ax.set_xlabel('time [ms]; dashed: the limit')
    ax.set_title('data until efforts are right again, by fault', loc='left', fontsize=10)
