"""
The rows of a tree's picture: one for each body, limb by limb.

An only child is drawn straight below its parent, siblings one column to the right: a vertical
line is a chain, an elbow a branch. So a long chain needs no width, names are horizontal, and a
hundred rows read like a table.

"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from urdf2dyn_ros.multibody import ROOT, Multibody

MOST_BODIES = 120
"""Bodies drawn of a robot: those that are the fewest joints away from the root."""


@dataclass(frozen=True)
class TreeRow:
    """
    One line of the picture.

    Attributes
    ----------
    body : int
        Number of the body, or ROOT; the first of the omitted bodies if there are any.
    column : int
        Counted from the left.
    parent : int or None
        Number of the row of the parent, to which a line leads.
    omitted : tuple of int
        Numbers of the bodies that the row summarises; empty if it shows a body.

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
