"""The texts in the rows of a robot's picture: joints, links, masses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from urdf2dyn_ros.drawing.picture import drawn_name
from urdf2dyn_ros.drawing.tree_rows import TreeRow
from urdf2dyn_ros.multibody import ROOT, Attached, Multibody
from urdf2dyn_ros.robot_model import RobotModel

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
    words = [f'{count} {one if count == 1 else many}' for count, one, many in counts]
    return ', '.join([*words, f'{model.mass:.4g} kg, of which {model.mass - root:.4g} kg move'])


def tree_line(system: Multibody, row: TreeRow) -> TreeLine:
    """Return the texts of a row."""
    if row.omitted:
        mass = sum(attached.link.mass for number in row.omitted
                   for attached in system.bodies[number].attached)
        count = len(row.omitted)
        return TreeLine('', f'… {count} more {"body" if count == 1 else "bodies"}, omitted',
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
            return f'{text} and {len(names) - number} more' if text else f'+ {len(names)} links'
        text = longer
    return text
