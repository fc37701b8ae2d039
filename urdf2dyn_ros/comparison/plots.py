"""One picture of a comparison: measured and computed effort of every joint, and the residual."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from urdf2dyn_ros.comparison.figures import JointComparison
from urdf2dyn_ros.comparison.figures_text import lateness
from urdf2dyn_ros.drawing.picture import (
    add_head,
    add_name,
    draw_pair,
    drawn_name,
    panels,
    style_axes,
    thinned,
    write,
)
from urdf2dyn_ros.drawing.small_units import label_values
from urdf2dyn_ros.errors import ComparisonError
from urdf2dyn_ros.origin import EffortSource
from urdf2dyn_ros.system.atomic_file import atomic_file

_CELL, _HEADER = (5.3, 2.9), 0.75
"""Width and height of a joint's place, height of the strip with title and legend [in]."""

_SINGLE_COLUMN = 7.5
"""Width of the place in a single column [in]."""

_LEFT, _RIGHT = 0.95, 0.15
"""Distance of both axes from the borders of the place [in]."""

_EFFORT, _RESIDUE = (1.22, 1.35), (0.45, 0.55)
"""Bottom and height of the two axes in the place [in]."""

_SEGMENTS = 1000
"""Segments of time that can be distinguished at this size."""


def plot_comparison(joints: Sequence[JointComparison], path: Path, title: str = '',
                    source: EffortSource = 'measured') -> None:
    """
    Draw the joints that have samples into a file; its ending selects the format.

    Effort and residual have an axis each, as the two efforts often lie on each other. It raises
    ComparisonError if no joint has samples.
    """
    drawn = [joint for joint in joints if len(joint.stamps)]
    if not drawn:
        raise ComparisonError('there is no effort to draw: none was measured and computed at the '
                              'same time')
    # Not much higher than wide, whatever the number of joints.
    columns = min(4, math.ceil(len(drawn) / 3.5))
    cell = (_CELL[0] if columns > 1 else _SINGLE_COLUMN, _CELL[1])
    figure, places = panels(len(drawn), columns, cell, _HEADER, (_LEFT, _RIGHT),
                            (_EFFORT, _RESIDUE))
    start = min(int(joint.stamps[0]) for joint in drawn)
    for joint, (upper, lower) in zip(drawn, places):
        lines = _draw(upper, lower, joint, start, source)
    add_head(figure, title, 40 * columns + 40, lines)
    with atomic_file(path) as part:
        write(figure, part)


def _draw(upper: Any, lower: Any, joint: JointComparison, start: int,
          source: EffortSource) -> list[Any]:
    """Draw a joint on its two axes; return the three lines."""
    curves = np.stack((joint.measured, joint.computed, joint.residual))
    rows = thinned(curves, _SEGMENTS)
    lines = draw_pair(upper, lower, (joint.stamps[rows] - start) * 1e-9, curves[:, rows],
                      (source, 'computed', f'residual ({source} - computed)'),
                      (3.5, 1.2, 0.7))
    figures = 'not credible' if joint.fault else f'NRMSE {100.0 * joint.figures.nrmse:.2g} %'
    if not math.isnan(joint.total.lag):
        figures += f', {lateness(joint.total.lag)}'
    add_name(upper, f'{drawn_name(joint.joint, 32)}   {figures}')
    upper.set_ylabel(f'effort [{joint.unit}]', fontsize='small')
    for axes in (upper, lower):
        style_axes(axes, inset=0.57)
        axes.margins(x=0.01)
    label_values(lower, 'residual\n', joint.unit, joint.residual)
    lower.yaxis.label.set_fontsize('small')
    return lines
