"""
The rows of a tree's picture: one for each body, limb by limb.

An only child is drawn straight below its parent, siblings one column to the right: a vertical
line is a chain, an elbow a branch. So a long chain needs no width, names are horizontal, and a
hundred rows read like a table.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from urdf2dyn_ros.counting import counted
from urdf2dyn_ros.drawing.picture import drawn_name
from urdf2dyn_ros.multibody import ROOT, Attached, Multibody
from urdf2dyn_ros.robot_model import RobotModel

MOST_BODIES = 120
"""Bodies drawn of a robot: those that are the fewest joints away from the root."""


@dataclass(frozen=True)
class TreeRow:
    """
    One line of the picture: the number of its body, or ROOT, and its column from the left.

    A line leads to the row `parent`. A row without a body of its own summarises the `omitted`
    ones, of which `body` is the first.
    """

    body: int
    column: int = 0
    parent: int | None = None
    omitted: tuple[int, ...] = ()


def tree_rows(system: Multibody, most: int = MOST_BODIES) -> tuple[TreeRow, ...]:
    """Return the rows from top to bottom, the root first; parents stand above their children."""
    depths: list[int] = []
    for body in system.bodies:
        depths.append(0 if body.parent == ROOT else depths[body.parent] + 1)
    kept = set(sorted(range(len(depths)), key=lambda number: (depths[number], number))[:most])
    above = {number: body.parent for number, body in enumerate(system.bodies)}
    anchors = {ROOT: ROOT}   # the nearest body above that is drawn
    omitted: dict[int, list[int]] = defaultdict(list)
    for number, parent in above.items():
        anchors[number] = number if number in kept else anchors[parent]
        if number not in kept:
            omitted[anchors[number]].append(number)
    firsts = {numbers[0]: tuple(numbers) for numbers in omitted.values()}
    children = Counter(above[number] for number in kept | firsts.keys())
    rows = [TreeRow(ROOT)]
    places = {ROOT: 0}
    for number in sorted(kept | firsts.keys()):   # bodies are numbered limb by limb
        parent = places[above[number]]
        column = rows[parent].column + (children[above[number]] > 1)
        places[number] = len(rows)
        rows.append(TreeRow(number, column, parent, firsts.get(number, ())))
    return tuple(rows)


_MOST_LETTERS = {'joint': 40, 'link': 36, 'lumped': 60}


@dataclass(frozen=True)
class TreeLine:
    """The texts of a row: name of the joint, a remark, links; and their masses [kg]."""

    joint: str
    remark: str
    link: str
    lumped: str
    mass: float
    lumped_mass: float


def summary(model: RobotModel, system: Multibody) -> str:
    """Return the robot in one line: freedoms, bodies, links, mass."""
    root = sum(attached.link.mass for attached in system.root)
    counts = ((len(system.joint_names), 'degree of freedom', 'degrees of freedom'),
              (len(system.bodies), 'moving body', 'moving bodies'),
              (len(model.links), 'link', 'links'))
    words = [counted(*each) for each in counts]
    return ', '.join([*words, f'{model.mass:.4g} kg, of which {model.mass - root:.4g} kg move'])


def tree_line(system: Multibody, row: TreeRow) -> TreeLine:
    if row.omitted:
        mass = sum(attached.link.mass for number in row.omitted
                   for attached in system.bodies[number].attached)
        count = len(row.omitted)
        return TreeLine('', f'… {counted(count, "more body", "more bodies")}, omitted',
                        '', '', mass, 0.0)
    if row.body == ROOT:
        return _body('', 'fixed to the world', system.root)
    body = system.bodies[row.body]
    driver = system.joint_names[body.coordinate]
    follows = ''
    if body.name != driver:
        factor = '' if body.multiplier == 1.0 else f'{body.multiplier:.4g} · '
        offset = '' if body.offset == 0.0 else f' {body.offset:+.4g}'
        follows = f'= {factor}{drawn_name(driver, 30)}{offset}'
    return _body(drawn_name(body.name, _MOST_LETTERS['joint']), follows, body.attached)


def _body(joint: str, remark: str, attached: Sequence[Attached]) -> TreeLine:
    # all coordinates of a planar or floating joint but the last move no link
    if not attached:
        return TreeLine(joint, remark, '', '', 0.0, 0.0)
    first, *others = attached
    return TreeLine(joint, remark, drawn_name(first.link.name, _MOST_LETTERS['link']),
                    _list(others), first.link.mass,
                    sum(other.link.mass for other in others))


def _list(others: Sequence[Attached]) -> str:
    """Return the names of lumped links, as many as fit."""
    names = [drawn_name(attached.link.name, _MOST_LETTERS['link']) for attached in others]
    text = ''
    for number, name in enumerate(names):
        longer = f'{text}, {name}' if text else f'+ {name}'
        if len(longer) > _MOST_LETTERS['lumped']:
            return (f'{text} and {len(names) - number} more' if text
                    else '+ ' + counted(len(names), 'link'))
        text = longer
    return text
