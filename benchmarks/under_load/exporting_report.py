"""The figures of the data path under each load as a table, and as a picture."""

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use('Agg')
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FuncFormatter
from numpy.typing import NDArray

from under_load.report import plain_ticks

COLORS = ('#999999', '#d55e00', '#e69f00', '#cc79a7', '#009e73')
MOST_RANKS = 300
"""Points of a curve, evenly spaced on its logarithmic axis."""


def table(found: dict[str, Any]) -> str:
    """Return a row for each."""
    lines = [f'{"load":28}' + ''.join(f'{head:>10}' for head in (
        'sent', 'answered', 'done', '[1/s]', 'p50 [us]', 'p90 [us]', 'p99 [us]', 'p99 ratio'))
        + '   by turns: quartiles']
    seconds = found['seconds'] * found['rounds']
    for row in found['rows']:
        cells = (row['sent'], row['answered'], row['done'], f'{row["done"] / seconds:.1f}',
                 *(f'{row[key]:.0f}' for key in ('p50', 'p90', 'p99')), f'{row["ratio"]:.2f}')
        lines.append(f'{row["name"]:28}' + ''.join(f'{cell:>10}' for cell in cells)
                     + '   ' + '  '.join(f'{x:.2f}' for x in row['quartiles']))
    return '\n'.join(lines)


def curve(latencies: NDArray[np.float64]) -> dict[str, list[float]]:
    """Return the share of the outputs that took longer than a time, at some of the ranks."""
    late = np.sort(latencies)[::-1]
    ranks = np.unique(np.geomspace(1, len(late), MOST_RANKS).astype(int))
    return {'us': [round(float(time), 1) for time in late[ranks - 1]],
            'share': [float(f'{rank / len(late):.4g}') for rank in ranks]}


def draw(found: dict[str, Any], path: Path) -> None:
    """Draw the share of the outputs that took longer than a time."""
    figure, ax = plt.subplots(figsize=(8, 4.6), layout='constrained')
    for row, color in zip(found['rows'], COLORS, strict=True):
        ax.plot(row['curve']['us'], row['curve']['share'], color=color, label=row['name'])
    ax.axhline(0.01, color='#777777', linewidth=0.8, linestyle=':')
    ax.text(1.0, 0.011, '99th percentile', transform=ax.get_yaxis_transform(), ha='right',
            fontsize=8, color='#777777')
    ax.set_xscale('log')
    ax.set_yscale('log')
    ax.set_xlim(100.0, None)
    ax.set_xlabel('from stamp to publishing [µs]')
    ax.set_ylabel('share of the outputs [%]')
    ax.xaxis.set_major_formatter(plain_ticks)
    ax.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f'{100.0 * share:g}'))
    ax.set_title('outputs that took longer, by load', loc='left')
    ax.spines[['top', 'right']].set_visible(False)
    ax.grid(color='#e8e8e8')
    ax.legend(frameon=False)
    figure.supxlabel(f'7 joints, 1000 messages a second, {found["executor"]} executor; '
                     f'{found["host"]["processor"]}', fontsize=8, color='#777777', x=0.01,
                     ha='left')
    figure.savefig(path, dpi=120, metadata={'Software': None})
    plt.close(figure)
