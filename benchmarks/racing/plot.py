"""The picture of the times per state: a panel for calls from Python, one for calls from C."""

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use('Agg')
import matplotlib.pyplot as plt
from contestants import CONTESTANTS
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from racing.contestant import Contestant

STYLE = {'font.size': 9.5, 'axes.spines.top': False, 'axes.spines.right': False,
         'axes.titlesize': 10.5, 'axes.titleweight': 'bold', 'axes.titlelocation': 'left'}

# Okabe and Ito's, for colour-blind readers too; ours are warm, bold and filled
OURS = (('#d55e00', 'o'), ('#e69f00', 's'), ('#a04000', 'D'), ('#cc79a7', '^'), ('#882255', 'v'))
PEERS = {'Pinocchio + CasADi': ('#009e73', 'D'), 'Pinocchio': ('#0072b2', 'o'),
         'dynibo': ('#b09000', 'X')}
GAP = 0.047
"""Between neighbouring names, as part of the height."""


def draw(found: dict[str, Any], path: Path) -> None:
    """Write the picture, with both panels on the same scale."""
    robots, host = found['robots'], found['host']
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(1, 2, sharey=True, figsize=(10.5, 5.6), layout='constrained')
        for ax, side in zip(axes, ('Python', 'C')):
            _lines(ax, robots, side)
            ax.tick_params(labelleft=True)
        for ax in axes:
            _names(ax)
        missing = [f'without a time for {name}: {"; ".join(robot["left_out"])} '
                   '(reasons: benchmark.json)' for name, robot in robots.items()
                   if robot['left_out']]
        figure.supxlabel('\n'.join([*missing, f'{host["processor"]}; {host["compilers"]}']),
                         fontsize=7.5, color='#777777', x=0.01, ha='left')
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=120, metadata={'Software': None})
        plt.close(figure)


def _lines(ax: Axes, robots: dict[str, Any], side: str) -> None:
    """Draw a line per contestant, one place per robot."""
    ax.set_title(f'one evaluation, called from {side} (lower is faster)')
    ax.set_yscale('log')
    rows = [one for one in CONTESTANTS if one.side == side
            and any(one.name in robot['ns'] for robot in robots.values())]
    ours = [one for one in rows if one.ours]
    for one in rows:
        color, marker = OURS[ours.index(one) % len(OURS)] if one.ours else _peer(one)
        values = [robot['ns'].get(one.name, math.nan) for robot in robots.values()]
        ax.plot(range(len(robots)), values, marker=marker, color=color, label=one.name,
                linewidth=2.4 if one.ours else 1.2, markersize=7 if one.ours else 5.5,
                markerfacecolor=color if one.ours else 'white', zorder=3 if one.ours else 2)
    ax.set_xticks(range(len(robots)), [
        '\n'.join((*re.split(', |_', name), f'({robot["joints"]})'))
        for name, robot in robots.items()])
    ax.set_xlim(-0.2, max(len(robots) - 1, 3) + 0.2)   # room for the names, if only for one
    ax.yaxis.set_major_formatter(FuncFormatter(
        lambda y, _: f'{y:g} ns' if y < 1000 else f'{y / 1000:g} µs'))
    ax.grid(axis='y', color='#e8e8e8', zorder=0)


def _peer(one: Contestant) -> tuple[str, str]:
    return next((style for name, style in PEERS.items() if one.name.startswith(name)),
                ('#000000', 'x'))


def _names(ax: Axes) -> None:
    """Write every line's name at its end, moved apart where they would touch."""
    low, high = (math.log10(y) for y in ax.get_ylim())
    ends = [max((x, y) for x, y in zip(line.get_xdata(), line.get_ydata()) if y == y)
            for line in ax.lines]
    places = _apart([math.log10(y) for _, y in ends], (high - low) * GAP)
    last = ax.get_xlim()[1] - 0.2
    for line, (x, y), place in zip(ax.lines, ends, places):
        ax.annotate(line.get_label(), (x + 0.1, y), (last + 0.4, 10**place),
                    color=line.get_color(), va='center', fontsize=8.5, annotation_clip=False,
                    fontweight='bold' if line.get_linewidth() > 2 else 'normal',
                    arrowprops={'arrowstyle': '-', 'color': '#bbbbbb', 'linewidth': 0.6,
                                'shrinkA': 0, 'shrinkB': 2})


def _apart(values: Sequence[float], gap: float) -> list[float]:
    """Return the values with at least a gap between neighbours, moved as little as it takes."""
    order = sorted(range(len(values)), key=values.__getitem__)
    places = [values[k] for k in order]
    for _ in range(500):
        for i in range(len(places) - 1):
            missing = gap - (places[i + 1] - places[i])
            if missing > 1e-9:
                places[i] -= missing / 2
                places[i + 1] += missing / 2
    return [places[order.index(k)] for k in range(len(values))]
