"""One picture of a comparison: measured and computed effort of every joint, and the residual."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from urdf2dyn_ros.comparison.columns import lateness
from urdf2dyn_ros.comparison.drawing import COMPUTED, MEASURED, RESIDUAL, thinned
from urdf2dyn_ros.comparison.joint_comparison import JointComparison
from urdf2dyn_ros.drawing.picture import DPI, empty_figure, shown
from urdf2dyn_ros.errors import ComparisonError
from urdf2dyn_ros.system.atomic_file import atomic_file

_CELL, _HEADER = (5.3, 2.9), 0.75
"""Width and height of a joint's place, height of the strip with title and legend [in]."""

_ALONE = 7.5
"""Width [in] of the place if there is one column only."""

_LEFT, _RIGHT = 0.95, 0.15
"""Of both axes, to the borders of the place [in]."""

_EFFORT, _RESIDUE = (1.22, 1.35), (0.45, 0.55)
"""Bottom and height of the two axes in the place [in]."""

_STRETCHES = 1000
"""Along the axis of time that can be told apart at this size."""


def plot_comparison(joints: Sequence[JointComparison], path: Path, title: str = '') -> None:
    """
    Draw the joints that have samples into a file; its ending says the format.

    The effort and its residual have an axis each: where the two efforts agree, their lines lie on
    each other and only the residual shows by how much they do.

    Raises
    ------
    ComparisonError
        If no joint has samples.
    DrawingError
        If matplotlib is not installed.

    """
    drawn = [joint for joint in joints if len(joint.stamps)]
    if not drawn:
        raise ComparisonError('there is no effort to draw: none was measured and computed at the '
                              'same time')
    # Not much higher than wide, whatever the number of joints.
    columns = min(4, math.ceil(len(drawn) / 3.5))
    rows = math.ceil(len(drawn) / columns)
    place = (_CELL[0] if columns > 1 else _ALONE, _CELL[1])
    size = (place[0] * columns, place[1] * rows + _HEADER)
    figure = empty_figure(*size)
    start = min(int(joint.stamps[0]) for joint in drawn)
    for number, joint in enumerate(drawn):
        row, column = divmod(number, columns)
        left, floor = place[0] * column + _LEFT, place[1] * (rows - 1 - row)
        upper, lower = (
            figure.add_axes((left / size[0], (floor + bottom) / size[1],
                             (place[0] - _LEFT - _RIGHT) / size[0], height / size[1]))
            for bottom, height in (_EFFORT, _RESIDUE))
        lines = _draw(upper, lower, joint, start)
    figure.text(0.5, 1.0 - 0.12 / size[1], shown(title, 40 * columns + 40), ha='center',
                va='top', fontsize='large', parse_math=False)
    figure.legend(handles=lines, loc='center', bbox_to_anchor=(0.5, 1.0 - 0.55 / size[1]),
                  ncol=len(lines), frameon=False)
    with atomic_file(path) as part:
        figure.savefig(part, dpi=DPI)


def _draw(upper: Any, lower: Any, joint: JointComparison, start: int) -> list[Any]:
    """Draw a joint on its two axes; return the three lines."""
    drawn = thinned(np.stack((joint.measured, joint.computed, joint.residual)), _STRETCHES)
    time = (joint.stamps[drawn] - start) * 1e-9
    lines = [
        *upper.plot(time, joint.measured[drawn], color=MEASURED, linewidth=3.5,
                    label='measured'),
        *upper.plot(time, joint.computed[drawn], color=COMPUTED, linewidth=1.2,
                    linestyle=(0, (5, 3)), label='computed'),
        *lower.plot(time, joint.residual[drawn], color=RESIDUAL, linewidth=0.7,
                    label='residual (measured - computed)'),
    ]
    figures = 'not credible' if joint.doubt else f'NRMSE {100.0 * joint.figures.nrmse:.2g} %'
    if not math.isnan(joint.total.lag):
        figures += f', {lateness(joint.total.lag)}'
    upper.set_title(f'{shown(joint.joint, 32)}   {figures}', fontsize='medium', loc='left',
                    parse_math=False)
    upper.set_ylabel(f'effort [{joint.unit}]', fontsize='small')
    lower.set_ylabel(f'residual\n[{joint.unit}]', fontsize='small')
    lower.set_xlabel('time [s]', fontsize='small', labelpad=1.0)
    upper.tick_params(labelbottom=False, labelsize='small')
    lower.tick_params(labelsize='small')
    lower.locator_params(axis='y', nbins=3)
    inset = -0.57 / (upper.get_position().width * upper.figure.get_figwidth())
    for axes in (upper, lower):
        axes.ticklabel_format(axis='y', scilimits=(-2, 4), useOffset=False)
        axes.yaxis.get_offset_text().set_fontsize('small')
        axes.yaxis.set_label_coords(inset, 0.5)
        axes.grid(color='#DDDDDD', linewidth=0.5)
        axes.margins(x=0.01)
    return lines
