"""Draw a robot's kinematic tree, or write it for Graphviz: joints, links, masses."""

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from urdf2dyn_ros.commands.arguments import FILE, LOOPS, add, check_free, read_robot
from urdf2dyn_ros.errors import DrawingError
from urdf2dyn_ros.export import default_name, write_files
from urdf2dyn_ros.recordings import pages as picture
from urdf2dyn_ros.robot.model import RobotModel
from urdf2dyn_ros.robot.multibody import Attached, Multibody, make_multibody
from urdf2dyn_ros.system import require
from urdf2dyn_ros.text import counted, printable

MOST_BODIES = 400   # of a picture, which is 2 m high then
_MARKS = {'root': ('s', picture.BLACK), 'revolute': ('o', picture.BLUE),
          'continuous': ('D', picture.GREEN), 'prismatic': ('s', picture.ORANGE)}
_SIZE, _LETTER = 8.0, 0.0676   # of the monospaced font [pt], and the width of a letter [in]
_ROW, _INDENT, _MARGIN, _GAP, _BAR, _HEAD = 0.21, 3 * _LETTER, 0.25, 0.3, 1.3, 1.0   # [in]
_TITLES = ('joint', 'type', 'link + links fixed to it', 'mass [kg]')


class _Row(NamedTuple):
    """A body; `parent` is the row of its parent, `kind` its type and what it mimics."""

    column: int
    parent: int
    joint: str
    kind: str
    links: str
    mass: float   # [kg]


def add_graph(parser: argparse.ArgumentParser) -> None:
    """Add the robot and the picture."""
    add(parser, *FILE, *LOOPS, '--lock')
    parser.add_argument('-o', '--output', metavar='FILE', help='.svg or .png, or .dot for '
                        'Graphviz (default: <robot>_graph.svg)')
    add(parser, '--overwrite')


def run_graph(arguments: argparse.Namespace) -> int:
    """Print the path of the picture."""
    path = picture.checked_path('x.svg' if arguments.output is None else arguments.output,
                                (*picture.FORMATS, '.dot'))
    as_text = path.suffix.lower() == '.dot'
    if not as_text:
        require('urdf2dyn graph', 'matplotlib')
    model = read_robot(arguments)
    if arguments.output is None:
        path = Path(f'{default_name(model.name)}_graph.svg')
    check_free([path], arguments.overwrite, 'file')
    if as_text:
        write_files({path.name: _dot(model)}, path.parent, arguments.overwrite)
    else:
        picture.save(_figure(model), path, f'{model.name}: kinematic tree')
    print(path)
    return 0


def _dot(model: RobotModel) -> str:
    """Return links as nodes and joints as edges, those that are fixed dashed."""
    def quoted(text: str) -> str:
        return json.dumps(printable(text), ensure_ascii=False)

    lines = [f'digraph {quoted(model.name)} {{', '  node [shape=box];']
    lines += [f'  {quoted(link.name)} [label={quoted(link.name)[:-1]}\\n{link.mass:.4g} kg"];'
              for link in model.links]
    for joint in model.joints:
        style = ', style=dashed' if not joint.moves else ''
        lines.append(f'  {quoted(joint.parent)} -> {quoted(joint.child)} '
                     f'[label={quoted(joint.name)[:-1]}\\n{joint.type}"{style}];')
    lines += [f'  {quoted(loop.first.link)} -> {quoted(loop.second.link)} [dir=none, '
              f'style=dotted, constraint=false, label={quoted(loop.name)[:-1]}\\n{loop.type}"];'
              for loop in model.loops]
    return '\n'.join([*lines, '}', ''])


def _rows(system: Multibody) -> list[_Row]:
    """
    Return the root, then the bodies, which are numbered limb by limb, parents first.

    An only child is straight below its parent, siblings are one column to the right: a vertical
    line is a chain, an elbow a branch.
    """
    siblings = Counter(body.parent for body in system.bodies)
    rows: list[_Row] = []

    def append(column: int, parent: int, joint: str, kind: str, links: Sequence[Attached]) -> None:
        names = ' + '.join(each.link.name for each in links)
        rows.append(_Row(column, parent, picture.drawn_name(joint, 40), kind,
                         picture.drawn_name(names, 80), sum(each.link.mass for each in links)))

    append(0, 0, '', 'root', system.root)
    for body in system.bodies:
        above, driver, kind = body.parent + 1, system.joint_names[body.coordinate], body.type
        if body.name != driver:
            kind += f' = {body.multiplier:.4g} {picture.drawn_name(driver, 30)} {body.offset:+.4g}'
        append(rows[above].column + (siblings[body.parent] > 1), above, body.name,
               kind.removesuffix(' +0'), body.attached)
    return rows


def _figure(model: RobotModel) -> Any:
    """Return the picture; lengths are inches from its upper left corner."""
    system = make_multibody(model)
    if len(system.bodies) > MOST_BODIES:
        raise DrawingError(f'{len(system.bodies)} bodies are too many for a picture (at most '
                           f'{MOST_BODIES}): write a file for Graphviz with -o FILE.dot')
    rows = _rows(system)
    marks = [_MARGIN + 0.1 + _INDENT * row.column for row in rows]
    lefts = [_MARGIN]   # of the columns
    for title, *letters in zip(_TITLES, *((4 + 3 * row.column + len(row.joint), len(row.kind),
                                           len(row.links)) for row in rows)):
        lefts.append(lefts[-1] + _GAP + _LETTER * max(len(title), *letters))
    name = picture.drawn_name(model.name, 60)
    counts = (counted(len(system.joint_names), 'coordinate'), counted(len(model.links), 'link'))
    width = max(lefts[-1] + _BAR + 0.8, 2 * _MARGIN + 1.55 * _LETTER * len(name))
    height = _HEAD + _ROW * len(rows) + 0.15
    figure = picture.empty_figure(width, height)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(0.0, width)
    axes.set_ylim(height, 0.0)
    axes.axis('off')
    heights = [_HEAD + _ROW * (number + 0.5) for number in range(len(rows))]

    def write(x: float, y: float, text: str, colour: str, size: float = _SIZE) -> None:
        axes.text(x, y, text, color=colour, size=size, family='monospace', va='center_baseline',
                  parse_math=False)   # a name may contain a $

    write(_MARGIN, 0.28, name, picture.BLACK, 12.0)
    write(_MARGIN, 0.53, f'{", ".join(counts)}, {model.mass:.4g} kg', picture.GREY)
    for left, title in zip(lefts, _TITLES):
        write(left, _HEAD - 0.14, title, picture.GREY)
    scale = _BAR / (max(row.mass for row in rows) or 1.0)
    for k, (row, x, y) in enumerate(zip(rows, marks, heights)):
        if k % 2:
            axes.axhspan(y - _ROW / 2, y + _ROW / 2, color='#F4F4F4', linewidth=0, zorder=0)
        if k:
            axes.plot([marks[row.parent]] * 2 + [x], [heights[row.parent], y, y],
                      color=picture.GREY, linewidth=1.1, zorder=1)
        marker, colour = _MARKS.get(row.kind.split()[0], ('^', picture.BLACK))
        axes.plot([x], [y], marker, color=colour, markersize=6.0, zorder=2,
                  markerfacecolor='white' if '=' in row.kind else colour)   # hollow: it mimics
        axes.barh([y], [row.mass * scale], 0.11, lefts[3], color=picture.GREY, linewidth=0)
        write(x + 0.16, y, row.joint, picture.BLACK)
        write(lefts[1], y, row.kind, picture.GREY)
        write(lefts[2], y, row.links, picture.BLACK)
        write(lefts[3] + row.mass * scale + 0.06, y, f'{row.mass:.3g}', picture.BLACK)
    return figure
