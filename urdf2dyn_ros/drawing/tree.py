"""The picture of a robot: its bodies from the root outwards, their joints, links and masses."""

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
    drawn_name,
    empty_figure,
    inch_axes,
    save,
    text_width,
    write_text,
)
from urdf2dyn_ros.drawing.tree_rows import TreeLine, TreeRow, summary, tree_line, tree_rows
from urdf2dyn_ros.multibody import ROOT, Multibody, multibody
from urdf2dyn_ros.robot_model import RobotModel

JOINT_MARKS = {'revolute': ('o', BLUE), 'continuous': ('D', GREEN), 'prismatic': ('s', ORANGE)}
"""Shape and colour of a joint in the tree; a joint that mimics another is hollow."""

_OTHER_MARK = ('^', BLACK)

_ROW, _INDENT, _WIDEST_TREE = 0.21, 0.22, 3.3
"""Height of a row, width of a column of the tree, and of all columns at most [in]."""

_MARGIN, _GAP, _BAR, _HEAD, _LEGEND = 0.25, 0.3, 1.3, 0.72, 0.17
"""Border, space between columns, longest bar, title, and a line of the legend [in]."""

_ONE_LINE_WIDTH = 6.1
"""Width beyond which the legend takes more than one line [in]."""

_HEAD_LINES = ((0.3, 13.0, True), (0.56, 9.0, False), (0.78, 9.0, False))
"""Middle [in], size [pt] and weight of the robot's name, the summary, and what is omitted."""

_FONT_SIZE = 8.0
"""Size of the font [pt]."""

_NAME_DISTANCE = 0.16
"""Distance from a mark to the joint's name [in]."""

_LINKS = 'link + links fixed to it'


class _Lefts(NamedTuple):
    """Left ends of texts [in], by row or the same in all rows."""

    joints: Sequence[float]
    remarks: Sequence[float]
    links: float
    lumped: Sequence[float]
    masses: float


def draw_tree(model: RobotModel, path: Path) -> str:
    """Draw a robot's tree; return which bodies are omitted, or an empty text."""
    system = multibody(model)
    rows = tree_rows(system)
    lines = [tree_line(system, row) for row in rows]
    omitted = sum(len(row.omitted) for row in rows)
    note = (f'{omitted} of {len(system.bodies)} bodies are omitted: those that are the most '
            'joints away from the root' if omitted else '')
    figure = _figure(system, rows, lines,
                     (drawn_name(model.name, 60), summary(model, system), note))
    save(figure, path, f'{model.name}: kinematic tree')
    return note


def _figure(system: Multibody, rows: Sequence[TreeRow], lines: Sequence[TreeLine],
            head: tuple[str, str, str]) -> Any:
    """Return the picture; lengths are inches from its upper left corner."""
    figure = empty_figure(1.0, 1.0)
    lefts = _lefts(figure, rows, lines)
    handles = _handles(system, rows, lines)
    wide = sum(text_width(figure, handle.get_label(), _FONT_SIZE) + 0.45 for handle in handles)
    width = _MARGIN + max(lefts.masses + _BAR + 0.6, _MARGIN + min(wide, _ONE_LINE_WIDTH),
                          _MARGIN + max(text_width(figure, text, size, bold)
                                        for text, (_, size, bold) in zip(head, _HEAD_LINES)))
    legend = _HEAD + (0.22 if head[2] else 0.0)
    # columns are as wide as their longest entry, so that several lines need more room
    room = width - 2 * _MARGIN
    legend_lines = 1 if wide < room else math.ceil(1.35 * wide / room)
    top = legend + _LEGEND * legend_lines + 0.38
    height = top + _ROW * len(rows) + _MARGIN * 0.6
    axes = inch_axes(figure, width, height)

    for text, (y, size, bold), colour in zip(head, _HEAD_LINES, (BLACK, GREY, BLACK)):
        write_text(axes, _MARGIN, y, text, colour, size, bold)
    axes.legend(handles=handles, loc='upper left', borderaxespad=0.0, frameon=False,
                bbox_to_anchor=(_MARGIN - 0.06, legend), bbox_transform=axes.transData,
                ncol=math.ceil(len(handles) / legend_lines), fontsize=_FONT_SIZE,
                handlelength=1.4, columnspacing=1.6)
    for left, text in ((lefts.joints[0], 'joint'), (lefts.links, _LINKS),
                       (lefts.masses, 'mass [kg]')):
        write_text(axes, left, top - 0.16, text, BLACK, _FONT_SIZE, bold=True)
    heights = [top + _ROW * (number + 0.5) for number in range(len(rows))]
    for y in heights[1::2]:
        axes.axhspan(y - _ROW / 2, y + _ROW / 2, color='#F4F4F4', linewidth=0, zorder=0)
    _draw_tree(axes, system, rows, [left - _NAME_DISTANCE for left in lefts.joints], heights)
    for line, y, joint, remark, lumped in zip(lines, heights, lefts.joints, lefts.remarks,
                                              lefts.lumped):
        write_text(axes, joint, y, line.joint, BLACK, _FONT_SIZE)
        write_text(axes, remark, y, line.remark, GREY, _FONT_SIZE)
        write_text(axes, lefts.links, y, line.link, BLACK, _FONT_SIZE)
        write_text(axes, lumped, y, line.lumped, GREY, _FONT_SIZE)
    _draw_masses(axes, lefts.masses, rows, lines, heights)
    return figure


def _lefts(figure: Any, rows: Sequence[TreeRow], lines: Sequence[TreeLine]) -> _Lefts:
    indent = min(_INDENT, _WIDEST_TREE / max(1, max(row.column for row in rows)))
    joints = [_MARGIN + 0.1 + row.column * indent + _NAME_DISTANCE for row in rows]
    remarks = [left + (text_width(figure, line.joint, _FONT_SIZE) + 0.08 if line.joint else 0.0)
               for left, line in zip(joints, lines)]
    links = _GAP + max(left + text_width(figure, line.remark, _FONT_SIZE)
                       for left, line in zip(remarks, lines))
    lumped = [links + text_width(figure, line.link, _FONT_SIZE) + 0.08 for line in lines]
    masses = _GAP + max(links + text_width(figure, _LINKS, _FONT_SIZE, bold=True),
                        *(left + text_width(figure, line.lumped, _FONT_SIZE)
                          for left, line in zip(lumped, lines)))
    return _Lefts(joints, remarks, links, lumped, masses)


def _draw_tree(axes: Any, system: Multibody, rows: Sequence[TreeRow], lefts: Sequence[float],
               heights: Sequence[float]) -> None:
    """Draw the lines from parents to children, and a mark for each joint."""
    for row, x, y in zip(rows, lefts, heights):
        if row.parent is not None:
            left, up = lefts[row.parent], heights[row.parent]
            axes.plot([left, left, x], [up, y, y], color=GREY, linewidth=1.1, zorder=1,
                      linestyle=':' if row.omitted else '-', solid_joinstyle='round')
    for row, x, y in zip(rows, lefts, heights):
        if not row.omitted:
            axes.plot([x], [y], linestyle='', zorder=2, **_mark(system, row))


def _mark(system: Multibody, row: TreeRow) -> dict[str, Any]:
    """Return the look of a joint's mark; that of a mimic joint is hollow."""
    if row.body == ROOT:
        return {'marker': 's', 'markersize': 7.5, 'color': BLACK}
    body = system.bodies[row.body]
    marker, colour = JOINT_MARKS.get(body.type, _OTHER_MARK)
    mimics = body.name != system.joint_names[body.coordinate]
    return {'marker': marker, 'markersize': 5.5 if marker == 'D' else 6.5, 'color': colour,
            'markerfacecolor': 'white' if mimics else colour, 'markeredgewidth': 1.4}


def _draw_masses(axes: Any, left: float, rows: Sequence[TreeRow], lines: Sequence[TreeLine],
                 heights: Sequence[float]) -> None:
    """Draw the masses as bars; of bodies that are omitted, the sum as a number alone."""
    heaviest = max(line.mass + line.lumped_mass for row, line in zip(rows, lines)
                   if not row.omitted) or 1.0
    scale = [0.0 if row.omitted else _BAR / heaviest for row in rows]
    own = [line.mass * factor for line, factor in zip(lines, scale)]
    lumped = [line.lumped_mass * factor for line, factor in zip(lines, scale)]
    middles = [left + length for length in own]
    axes.barh(heights, own, 0.11, left, color=GREY, linewidth=0)
    axes.barh(heights, lumped, 0.11, middles, color=LIGHT, linewidth=0)
    for line, middle, length, y in zip(lines, middles, lumped, heights):
        mass = line.mass + line.lumped_mass
        write_text(axes, middle + length + (0.06 if mass else 0.0), y,
                   f'{mass:.3g}' if mass else 'massless', BLACK if mass else GREY, _FONT_SIZE)


def _handles(system: Multibody, rows: Sequence[TreeRow], lines: Sequence[TreeLine]) -> list[Any]:
    """Return the legend's entries, for what is in the picture only."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch
    handles: dict[str, Any] = {}
    for row in rows:
        if not row.omitted:
            hollow = row.body != ROOT and _mark(system, row)['markerfacecolor'] == 'white'
            name = 'root' if row.body == ROOT else system.bodies[row.body].type
            name += ', mimics another' if hollow else ''
            handles.setdefault(name, Line2D([], [], linestyle='', label=name,
                                            **_mark(system, row)))
    order = ['root', *(name + mimics for name in JOINT_MARKS
                       for mimics in ('', ', mimics another'))]
    entries = [handles[name] for name in dict.fromkeys((*order, *handles)) if name in handles]
    entries.append(Patch(color=GREY, label='mass of the link'))
    if any(line.lumped_mass for line in lines):
        entries.append(Patch(color=LIGHT, label='of links fixed to it'))
    return entries
