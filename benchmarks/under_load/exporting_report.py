"""The figures of the data path under each load as a table, and as a picture."""

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use('Agg')
import matplotlib.pyplot as plt

MARKERS = {'p50': ('o', '#0072b2'), 'p90': ('D', '#e69f00'), 'p99': ('s', '#d55e00')}


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


def draw(found: dict[str, Any], path: Path) -> None:
    """Draw the percentiles of the time from stamp to publishing under each load."""
    rows = found['rows']
    figure, ax = plt.subplots(figsize=(8, 3.2), layout='constrained')
    places = range(len(rows))
    ax.hlines(places, [row['p50'] for row in rows], [row['p99'] for row in rows],
              color='#bbbbbb', linewidth=6)
    for key, (marker, color) in MARKERS.items():
        ax.plot([row[key] for row in rows], places, marker, color=color, markersize=8,
                label=f'{key[1:]}th percentile')
    ax.set_yticks(places, [row['name'] for row in rows])
    ax.set_xlim(0.0, None)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_xlabel('from stamp to publishing [µs]')
    ax.spines[['top', 'right']].set_visible(False)
    ax.grid(axis='x', color='#e8e8e8')
    ax.set_axisbelow(True)
    ax.legend(frameon=False, ncols=3, loc='lower left', bbox_to_anchor=(0.0, 1.0))
    figure.supxlabel(f'7 joints, 1000 messages a second, {found["executor"]} executor; '
                     f'{found["host"]["processor"]}', fontsize=8, color='#777777', x=0.01,
                     ha='left')
    figure.savefig(path, dpi=120, metadata={'Software': None})
    plt.close(figure)
