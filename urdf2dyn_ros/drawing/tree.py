"""The picture of a robot: its bodies from the root outwards, their joints, links and masses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from urdf2dyn_ros.drawing.picture import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    LIGHT,
    ORANGE,
    empty_figure,
    save,
    shown,
    text_width,
)
from urdf2dyn_ros.drawing.tree_rows import TreeRow, tree_rows
from urdf2dyn_ros.drawing.tree_text import TreeLine, summary, tree_line
from urdf2dyn_ros.multibody import ROOT, Multibody, multibody
from urdf2dyn_ros.robot_model import RobotModel

_MARKS = {'revolute': ('o', BLUE), 'continuous': ('D', GREEN), 'prismatic': ('s', ORANGE)}
"""Shape and colour of a joint in the tree; a joint that mimics another is hollow."""

_ROW, _INDENT, _WIDEST_TREE = 0.21, 0.22, 3.3
"""Height of a row, width of a column of the tree, and of all columns at most [in]."""

_MARGIN, _GAP, _BAR, _HEAD, _LEGEND = 0.25, 0.3, 1.3, 0.72, 0.17
"""At the borders, between columns, longest bar of a mass, title, and a line of legend [in]."""

_NARROWEST = 6.1
"""Width [in] from which on the legend takes more than a line."""

_HEAD_LINES = ((0.3, 13.0, True), (0.56, 9.0, False), (0.78, 9.0, False))
"""Middle [in], size [pt] and weight of the robot's name, the summary, and what is left out."""

_SIZE = 8.0
"""Of the font [pt]."""

_BESIDE = 0.16
"""From a mark to the joint's name [in]."""

_LINKS = 'link + links fixed to it'


class _Lefts(NamedTuple):
    """Where texts begin [in], row by row or in all rows alike."""

    joints: Sequence[float]
    remarks: Sequence[float]
    links: float
    lumped: Sequence[float]
    masses: float


def draw_tree(model: RobotModel, path: Path) -> str:
    """
    Draw a robot's tree into a file; its ending says the format.

    Returns
    -------
    str
        What was left out, empty if nothing was.

    Raises
    ------
    DrawingError
        If the file cannot be written, or matplotlib is not installed.

    """
    system = multibody(model)
    rows = tree_rows(system)
    lines = [tree_line(system, row) for row in rows]
    left_out = sum(len(row.left_out) for row in rows)
    note = (f'{left_out} of {len(system.bodies)} bodies are left out: those that are the most '
            'joints away from the root' if left_out else '')
    figure = _figure(system, rows, lines, (shown(model.name, 60), summary(model, system), note))
    save(figure, path, f'{model.name}: kinematic tree')
    return note


def _figure(system: Multibody, rows: Sequence[TreeRow], lines: Sequence[TreeLine],
            head: tuple[str, str, str]) -> Any:
    """Return the picture; lengths are inches from its upper left corner."""
    figure = empty_figure(1.0, 1.0)
    lefts = _lefts(figure, rows, lines)
    handles = _handles(system, rows, lines)
    wide = sum(text_width(figure, handle.get_label(), _SIZE) + 0.45 for handle in handles)
    width = _MARGIN + max(lefts.masses + _BAR + 0.6, _MARGIN + min(wide, _NARROWEST),
                          _MARGIN + max(text_width(figure, text, size, bold)
                                        for text, (_, size, bold) in zip(head, _HEAD_LINES)))
    legend = _HEAD + (0.22 if head[2] else 0.0)
    # entries stand in columns as wide as their longest, so that more than one line needs more
    room = width - 2 * _MARGIN
    legend_lines = 1 if wide < room else math.ceil(1.35 * wide / room)
    top = legend + _LEGEND * legend_lines + 0.38
    height = top + _ROW * len(rows) + _MARGIN * 0.6
    figure.set_size_inches(width, height)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(0.0, width)
    axes.set_ylim(height, 0.0)
    axes.axis('off')

    for text, (y, size, bold), colour in zip(head, _HEAD_LINES, (BLACK, GREY, BLACK)):
        _write(axes, _MARGIN, y, text, colour, size, bold)
    axes.legend(handles=handles, loc='upper left', borderaxespad=0.0, frameon=False,
                bbox_to_anchor=(_MARGIN - 0.06, legend), bbox_transform=axes.transData,
                ncol=math.ceil(len(handles) / legend_lines), fontsize=_SIZE,
                handlelength=1.4, columnspacing=1.6)
    for left, text in ((lefts.joints[0], 'joint'), (lefts.links, _LINKS),
                       (lefts.masses, 'mass [kg]')):
        _write(axes, left, top - 0.16, text, BLACK, bold=True)
    heights = [top + _ROW * (number + 0.5) for number in range(len(rows))]
    for y in heights[1::2]:
        axes.axhspan(y - _ROW / 2, y + _ROW / 2, color='#F4F4F4', linewidth=0, zorder=0)
    _draw_tree(axes, system, rows, [left - _BESIDE for left in lefts.joints], heights)
    for line, y, joint, remark, lumped in zip(lines, heights, lefts.joints, lefts.remarks,
                                              lefts.lumped):
        _write(axes, joint, y, line.joint, BLACK)
        _write(axes, remark, y, line.remark, GREY)
        _write(axes, lefts.links, y, line.link, BLACK)
        _write(axes, lumped, y, line.lumped, GREY)
    _draw_masses(axes, lefts.masses, rows, lines, heights)
    return figure


def _lefts(figure: Any, rows: Sequence[TreeRow], lines: Sequence[TreeLine]) -> _Lefts:
    indent = min(_INDENT, _WIDEST_TREE / max(1, max(row.column for row in rows)))
    joints = [_MARGIN + 0.1 + row.column * indent + _BESIDE for row in rows]
    remarks = [left + (text_width(figure, line.joint, _SIZE) + 0.08 if line.joint else 0.0)
               for left, line in zip(joints, lines)]
    links = _GAP + max(left + text_width(figure, line.remark, _SIZE)
                      for left, line in zip(remarks, lines))
    lumped = [links + text_width(figure, line.link, _SIZE) + 0.08 for line in lines]
    masses = _GAP + max(links + text_width(figure, _LINKS, _SIZE, bold=True),
                       *(left + text_width(figure, line.lumped, _SIZE)
                         for left, line in zip(lumped, lines)))
    return _Lefts(joints, remarks, links, lumped, masses)


def _write(axes: Any, x: float, y: float, text: str, colour: str, size: float = _SIZE,
           bold: bool = False) -> None:
    # a name may have a $ in it, which would begin a formula
    axes.text(x, y, text, color=colour, size=size, weight='bold' if bold else 'normal',
              va='center_baseline', parse_math=False)


def _draw_tree(axes: Any, system: Multibody, rows: Sequence[TreeRow], lefts: Sequence[float],
               heights: Sequence[float]) -> None:
    """Draw the lines from parents to children, and a mark for each joint."""
    for row, x, y in zip(rows, lefts, heights):
        if row.parent is not None:
            left, up = lefts[row.parent], heights[row.parent]
            axes.plot([left, left, x], [up, y, y], color=GREY, linewidth=1.1, zorder=1,
                      linestyle=':' if row.left_out else '-', solid_joinstyle='round')
    for row, x, y in zip(rows, lefts, heights):
        if not row.left_out:
            axes.plot([x], [y], linestyle='', zorder=2, **_mark(system, row))


def _mark(system: Multibody, row: TreeRow) -> dict[str, Any]:
    """Return how a joint is marked; a mimic joint's mark is hollow."""
    if row.body == ROOT:
        return {'marker': 's', 'markersize': 7.5, 'color': BLACK}
    body = system.bodies[row.body]
    marker, colour = _MARKS[body.type]
    mimics = body.name != system.joint_names[body.coordinate]
    return {'marker': marker, 'markersize': 5.5 if marker == 'D' else 6.5, 'color': colour,
            'markerfacecolor': 'white' if mimics else colour, 'markeredgewidth': 1.4}


def _draw_masses(axes: Any, left: float, rows: Sequence[TreeRow], lines: Sequence[TreeLine],
                 heights: Sequence[float]) -> None:
    """Draw the masses as bars; of bodies that are left out, the sum as a number alone."""
    heaviest = max(line.mass + line.lumped_mass for row, line in zip(rows, lines)
                   if not row.left_out) or 1.0
    scale = [0.0 if row.left_out else _BAR / heaviest for row in rows]
    own = [line.mass * factor for line, factor in zip(lines, scale)]
    lumped = [line.lumped_mass * factor for line, factor in zip(lines, scale)]
    middles = [left + length for length in own]
    axes.barh(heights, own, 0.11, left, color=GREY, linewidth=0)
    axes.barh(heights, lumped, 0.11, middles, color=LIGHT, linewidth=0)
    for line, middle, length, y in zip(lines, middles, lumped, heights):
        mass = line.mass + line.lumped_mass
        _write(axes, middle + length + (0.06 if mass else 0.0), y,
               f'{mass:.3g}' if mass else 'massless', BLACK if mass else GREY)


def _handles(system: Multibody, rows: Sequence[TreeRow], lines: Sequence[TreeLine]) -> list[Any]:
    """Return the legend's entries: of what is in the picture, and of nothing else."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    found: dict[str, Any] = {}
    for row in rows:
        if not row.left_out:
            hollow = row.body != ROOT and _mark(system, row)['markerfacecolor'] == 'white'
            name = 'root' if row.body == ROOT else system.bodies[row.body].type
            name += ', mimics another' if hollow else ''
            found.setdefault(name, Line2D([], [], linestyle='', label=name,
                                          **_mark(system, row)))
    order = ['root', *(name + mimics for name in _MARKS for mimics in ('', ', mimics another'))]
    handles = [found[name] for name in order if name in found]
    handles.append(Patch(color=GREY, label='mass of the link'))
    if any(line.lumped_mass for line in lines):
        handles.append(Patch(color=LIGHT, label='of links fixed to it'))
    return handles
