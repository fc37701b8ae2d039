"""Pictures of a tuned filter: its estimates of every joint, and the reference."""

from pathlib import Path
from typing import Any

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.drawing.picture import (
    add_head,
    add_name,
    draw_pair,
    drawn_name,
    panels,
    png_bytes,
    style_axes,
    write,
)
from urdf2dyn_ros.drawing.small_units import label_values
from urdf2dyn_ros.system.atomic_file import atomic_file
from urdf2dyn_ros.tuning.motion import RecordedMotion
from urdf2dyn_ros.tuning.suggestion import Suggestion

_JOINTS_PER_PAGE = 6

_MOST_POINTS = 4000
"""Points of a line; more cannot be distinguished at this size."""

_CELL, _HEADER = (4.6, 2.7), 0.8
"""Width and height of the place of a quantity, height of the strip with title and legend [in]."""

_NARROW_HEADER = 0.75
"""Height of the legend of a single joint [in]."""

_LEFT, _RIGHT = 0.85, 0.15
"""Distance of both axes from the borders of the place [in]."""

_UPPER, _LOWER = (1.12, 1.23), (0.45, 0.46)
"""Bottom and height of the two axes in the place [in]."""

_QUANTITIES = {'position': ('q', 'rad | m'), 'velocity': ('qd', 'rad/s | m/s'),
               'acceleration': ('qdd', 'rad/s² | m/s²')}
_LONGEST_NAME = 40
_LONGEST_TITLE = 110


def plot_tuning(motion: RecordedMotion, suggestion: Suggestion, path: Path,
                title: str) -> list[Path]:
    """Draw pages of six joints, stem, stem_2 and so on; return their paths."""
    pages = [range(first, min(first + _JOINTS_PER_PAGE, len(motion.names)))
             for first in range(0, len(motion.names), _JOINTS_PER_PAGE)]
    paths = [path if number == 1 else path.with_name(f'{path.stem}_{number}{path.suffix}')
             for number in range(1, len(pages) + 1)]
    for number, (joints, page) in enumerate(zip(pages, paths), start=1):
        of = f'   page {number} of {len(pages)}' if len(pages) > 1 else ''
        figure = tuning_page(motion, suggestion, joints, f'{title}{of}')
        with atomic_file(page) as part:
            write(figure, part)
    return paths


def joint_pictures(motion: RecordedMotion, suggestion: Suggestion) -> list[tuple[bytes, str]]:
    """Return a PNG of every joint that suits a narrow page, and its words."""
    pictures = []
    for joint, name in enumerate(motion.names):
        figure, lines = _grid(motion, suggestion, [(joint, each) for each in _QUANTITIES], 1,
                              _NARROW_HEADER)
        add_head(figure, '', 0, lines, legend=0.5 * _NARROW_HEADER, rows=len(lines))
        pictures.append((png_bytes(figure),
                         f'Joint {name}: position, velocity and acceleration, estimated and '
                         'smoothed with later samples, and their differences.'))
    return pictures


def tuning_page(motion: RecordedMotion, suggestion: Suggestion, joints: range, title: str) -> Any:
    """Return the figure of some joints, a row each."""
    figure, lines = _grid(motion, suggestion, [(joint, each) for joint in joints
                                               for each in _QUANTITIES], len(_QUANTITIES), _HEADER)
    add_head(figure, title, _LONGEST_TITLE, lines, legend=0.52)
    return figure


def _grid(motion: RecordedMotion, suggestion: Suggestion, drawn: list[tuple[int, str]],
          columns: int, header: float) -> tuple[Any, list[Any]]:
    """Draw quantities of joints under a header [in]; return the lines of one as well."""
    figure, places = panels(len(drawn), columns, _CELL, header, (_LEFT, _RIGHT),
                            (_UPPER, _LOWER))
    lines: list[Any] = []
    shown = suggestion.tuned if suggestion.parameters else suggestion.untuned
    for (joint, quantity), (upper, lower) in zip(drawn, places):
        field, unit = _QUANTITIES[quantity]
        lines = _draw(upper, lower, motion, getattr(suggestion.smoothed, field)[:, joint],
                      getattr(suggestion.estimate, field)[:, joint], unit)
        upper.set_ylabel(f'{quantity}\n[{unit}]', fontsize='small')
        lower.yaxis.label.set_size('small')
        if quantity == next(iter(_QUANTITIES)):
            add_name(upper, drawn_name(motion.names[joint], _LONGEST_NAME))
        if field == 'qdd':
            upper.set_title(f'RMS of the residual {100.0 * shown[joint]:.3g} %'
                            if suggestion.moving[joint] else 'does not move',
                            fontsize='medium', loc='right')
    return figure, lines


def _draw(upper: Any, lower: Any, motion: RecordedMotion, smoothed: Array,
          estimate: Array, unit: str) -> list[Any]:
    """Draw one quantity of a joint on its two axes; return the three lines."""
    step = max(1, len(motion.stamps) // _MOST_POINTS)
    residual = estimate - smoothed
    # no line across a gap
    broken = motion.starts.copy()
    broken[0] = False
    rows = np.arange(0, len(motion.stamps), step)
    gaps = np.add.reduceat(broken, rows) > 0
    time = motion.time[rows]
    curves = [np.where(gaps, np.nan, values[rows]) for values in (smoothed, estimate, residual)]
    lines = draw_pair(upper, lower, time, curves, (
        'reference (smoothed with later samples)', 'estimate',
        'residual (estimate - reference)'), (3.0, 1.3, 0.7))
    _limit(upper, np.where(motion.settled, smoothed, np.nan))
    settled = np.where(motion.settled, residual, np.nan)
    _limit(lower, settled)
    for axes in (upper, lower):
        style_axes(axes, inset=0.52)
        axes.set_xlim(time[0], time[-1])
    label_values(lower, 'residual\n', unit, settled)
    return lines


def _limit(axes: Any, values: Array) -> None:
    """Limit the axis to some values: those of the warm-up may be much larger."""
    known = values[np.isfinite(values)]
    if len(known) and np.ptp(known) > 0.0:
        margin = 0.08 * np.ptp(known)
        axes.set_ylim(known.min() - margin, known.max() + margin)
