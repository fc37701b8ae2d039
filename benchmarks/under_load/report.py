"""The figures of the load as a table, and as a picture."""

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use('Agg')
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

COLORS = {'copy': '#999999', 'ours, Python': '#0072b2', 'ours, C': '#d55e00'}
COLUMNS = ('sent', 'answered', 'lost', 'rate', 'late', 'cpu', 'p50', 'p99')
HEADS = ('sent', 'answered', 'lost', 'sent [1/s]', 'late', 'CPU [us]', 'p50 [us]', 'p99 [us]')


plain_ticks = FuncFormatter(lambda value, _: f'{value:,g}')
"""Ticks of a logarithmic axis as 100 and 1,000 instead of powers of ten."""


def table(found: dict[str, Any]) -> str:
    """Return a row per robot, executor and node, with the ratio of its cost to the copy's."""
    lines = [f'{"":40}' + ''.join(f'{head:>11}' for head in (*HEADS, 'CPU/copy'))]
    for row in found['rows']:
        copy = of(found, row['robot'], row['executor'], 'copy')
        ratio = f'{row["cpu"] / copy["cpu"]:.2f}' if copy else ''
        name = f'{row["joints"]} joints, {row["executor"]}: {row["node"]}'
        cells = [f'{row[key]:.4g}' if isinstance(row[key], float) else str(row[key])
                 for key in COLUMNS]
        lines.append(f'{name:40}' + ''.join(f'{cell:>11}' for cell in (*cells, ratio)))
    return '\n'.join(lines)


def of(found: dict[str, Any], robot: str, executor: str, node: str) -> dict[str, Any] | None:
    """Return a row; None if it was not measured."""
    return next((row for row in found['rows'] if (row['robot'], row['executor'], row['node'])
                 == (robot, executor, node)), None)


def draw(found: dict[str, Any], path: Path) -> None:
    """Write the picture: cost per message, and time from stamp to publishing."""
    groups = list(dict.fromkeys((row['robot'], row['joints'], row['executor'])
                                for row in found['rows'] if row['executor'] != 'auto'))
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout='constrained')
    for ax in (left, right):
        ax.set_xticks(range(len(groups)), [f'{joints} joints,\n{executor}'
                                           for _, joints, executor in groups])
        ax.spines[['top', 'right']].set_visible(False)
        ax.grid(axis='y', color='#e8e8e8')
        ax.set_axisbelow(True)
    for k, (node, color) in enumerate(COLORS.items()):
        rows = [of(found, robot, executor, node) for robot, _, executor in groups]
        places = [x + 0.26 * (k - 1) for x, row in enumerate(rows) if row]
        kept = [row for row in rows if row]
        left.bar(places, [row['cpu'] for row in kept], 0.24, color=color, label=node)
        _latencies(right, places, kept, color)
    left.set_title('processor time of the node per message', loc='left')
    left.set_ylabel('processor time [µs]')
    left.set_ylim(0.0, 1.3 * max(row['cpu'] for row in found['rows']))
    left.legend(frameon=False, ncols=3, loc='upper left')
    right.set_title('from stamp to publishing: p50 (dot) to p99 (bar)', loc='left')
    right.set_yscale('log')
    right.set_ylabel('latency [µs]')
    right.yaxis.set_major_formatter(plain_ticks)
    figure.supxlabel(f'1000 messages a second; {found["host"]["processor"]}', fontsize=8,
                     color='#777777', x=0.01, ha='left')
    figure.savefig(path, dpi=120, metadata={'Software': None})
    plt.close(figure)


def _latencies(ax: Axes, places: list[float], rows: list[dict[str, Any]], color: str) -> None:
    ax.vlines(places, [row['p50'] for row in rows], [row['p99'] for row in rows], color=color,
              linewidth=4, alpha=0.5)
    ax.plot(places, [row['p50'] for row in rows], 'o', color=color)
    ax.plot(places, [row['p99'] for row in rows], '_', color=color, markersize=12,
            markeredgewidth=2)
