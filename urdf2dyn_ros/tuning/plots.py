"""Pictures of a tuned filter: what it estimates of every joint, and what hindsight says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.comparison.drawing import COMPUTED, MEASURED, RESIDUAL
from urdf2dyn_ros.drawing.picture import DPI, empty_figure, shown
from urdf2dyn_ros.system.atomic_file import atomic_file
from urdf2dyn_ros.tuning.motion import RecordedMotion
from urdf2dyn_ros.tuning.suggestion import Suggestion

_JOINTS_PER_PAGE = 6
"""On a page."""

_MOST_POINTS = 4000
"""Drawn of a line; more cannot be told apart at this size."""

_CELL, _HEADER = (4.6, 2.7), 0.8
"""Width and height of the place of a quantity, height of the strip with title and legend [in]."""

_LEFT, _RIGHT = 0.85, 0.15
"""Of both axes, to the borders of the place [in]."""

_UPPER, _LOWER = (1.12, 1.23), (0.45, 0.46)
"""Bottom and height of the two axes in the place [in]."""

_QUANTITIES = {'position': ('q', 'rad | m'), 'velocity': ('qd', 'rad/s | m/s'),
              'acceleration': ('qdd', 'rad/s² | m/s²')}
_LONGEST_NAME = 40
_LONGEST_TITLE = 110


def plot_tuning(motion: RecordedMotion, found: Suggestion, path: Path, title: str) -> list[Path]:
    """
    Draw all joints into a file, beyond six into more: stem_2 and so on; return their paths.

    Raises
    ------
    DrawingError
        If matplotlib is not installed.

    """
    pages = [range(first, min(first + _JOINTS_PER_PAGE, len(motion.names)))
             for first in range(0, len(motion.names), _JOINTS_PER_PAGE)]
    paths = [path if number == 1 else path.with_name(f'{path.stem}_{number}{path.suffix}')
             for number in range(1, len(pages) + 1)]
    for number, (joints, page) in enumerate(zip(pages, paths), start=1):
        of = f'   page {number} of {len(pages)}' if len(pages) > 1 else ''
        figure = _page(motion, found, joints, f'{title}{of}')
        with atomic_file(page) as part:
            figure.savefig(part, dpi=DPI)
    return paths


def _page(motion: RecordedMotion, found: Suggestion, joints: range, title: str) -> Any:
    size = (_CELL[0] * len(_QUANTITIES), _CELL[1] * len(joints) + _HEADER)
    figure = empty_figure(*size)
    lines: list[Any] = []
    for row, joint in enumerate(joints):
        floor = _CELL[1] * (len(joints) - 1 - row)
        for column, (quantity, (field, unit)) in enumerate(_QUANTITIES.items()):
            upper, lower = (
                figure.add_axes(((_CELL[0] * column + _LEFT) / size[0], (floor + bottom) / size[1],
                                 (_CELL[0] - _LEFT - _RIGHT) / size[0], height / size[1]))
                for bottom, height in (_UPPER, _LOWER))
            lines = _draw(upper, lower, motion, getattr(found.smoothed, field)[:, joint],
                          getattr(found.estimate, field)[:, joint])
            upper.set_ylabel(f'{quantity}\n[{unit}]', fontsize='small')
            lower.set_ylabel('residual', fontsize='small')
            if column == 0:
                upper.set_title(shown(motion.names[joint], _LONGEST_NAME), fontsize='medium',
                                loc='left', parse_math=False)
            if field == 'qdd':
                upper.set_title(f'RMS of the residual {100.0 * found.tuned[joint]:.3g} %'
                                if found.moving[joint] else 'does not move',
                                fontsize='medium', loc='right')
    figure.text(0.5, 1.0 - 0.12 / size[1], shown(title, _LONGEST_TITLE), ha='center',
                va='top', fontsize='large', parse_math=False)
    figure.legend(handles=lines, loc='center', bbox_to_anchor=(0.5, 1.0 - 0.52 / size[1]),
                  ncol=len(lines), frameon=False)
    return figure


def _draw(upper: Any, lower: Any, motion: RecordedMotion, smoothed: Array,
          estimate: Array) -> list[Any]:
    """Draw one quantity of a joint on its two axes; return the three lines."""
    step = max(1, len(motion.stamps) // _MOST_POINTS)
    residual = estimate - smoothed
    # lines must not cross what was not recorded
    broken = motion.starts.copy()
    broken[0] = False
    rows = np.arange(0, len(motion.stamps), step)
    gaps = np.add.reduceat(broken, rows) > 0
    time = motion.time[rows]
    drawn = [np.where(gaps, np.nan, values[rows]) for values in (smoothed, estimate, residual)]
    lines = [
        *upper.plot(time, drawn[0], color=MEASURED, linewidth=3.0,
                    label='reference (constant-jerk smoother)'),
        *upper.plot(time, drawn[1], color=COMPUTED, linewidth=1.3, linestyle=(0, (5, 3)),
                    label='estimate with what is suggested'),
        *lower.plot(time, drawn[2], color=RESIDUAL, linewidth=0.7,
                    label='residual (estimate - reference)'),
    ]
    _limit(upper, np.where(motion.settled, smoothed, np.nan))
    _limit(lower, np.where(motion.settled, residual, np.nan))
    lower.set_xlabel('time [s]', fontsize='small', labelpad=1.0)
    upper.tick_params(labelbottom=False, labelsize='small')
    lower.tick_params(labelsize='small')
    lower.locator_params(axis='y', nbins=3)
    inset = -0.52 / (_CELL[0] - _LEFT - _RIGHT)
    for axes in (upper, lower):
        axes.ticklabel_format(axis='y', scilimits=(-2, 4), useOffset=False)
        axes.yaxis.get_offset_text().set_fontsize('small')
        axes.yaxis.set_label_coords(inset, 0.5)
        axes.grid(color='#DDDDDD', linewidth=0.5)
        axes.set_xlim(time[0], time[-1])
    return lines


def _limit(axes: Any, values: Array) -> None:
    """Show the range of some values: an estimator that warms up must not make the rest small."""
    known = values[np.isfinite(values)]
    if len(known) and np.ptp(known) > 0.0:
        margin = 0.08 * np.ptp(known)
        axes.set_ylim(known.min() - margin, known.max() + margin)
