"""Rules on mimic joints: what they follow exists, moves, and does not follow them."""

from __future__ import annotations

from collections.abc import Iterator

from urdf2dyn_ros.algebra.magnitude import LARGEST_MAGNITUDE
from urdf2dyn_ros.errors import Problem
from urdf2dyn_ros.quoting import listed, meant, quote
from urdf2dyn_ros.urdf.description import Description, Element, name_of, number, type_of
from urdf2dyn_ros.urdf.findings import refuse, together, warn
from urdf2dyn_ros.urdf.schema import MULTI_DOF_TYPES


def on_fixed(robot: Description) -> Iterator[Problem]:
    """A fixed joint has nothing to mimic with."""
    message = 'a fixed joint cannot follow another; the mimic is ignored, delete it'
    mimics = ((joint, joint.find('mimic')) for joint in robot.joints)
    return together(
        warn('mimic-ignored', mimic, message, 'joint')
        for joint, mimic in mimics
        if mimic is not None and type_of(joint) == 'fixed'
    )


def targets(robot: Description) -> Iterator[Problem]:
    """What a joint mimics is another joint, with one degree of freedom as its own."""
    for mimic in _mimics(robot):
        joint, name = _owner(mimic), mimic.get('joint')
        own = name_of(joint)
        if name is None:
            continue
        target = robot.joint_of.get(name)
        if target is None:
            others = (other for other in robot.joint_of if other != own)
            remedy = meant(name, others, robot.is_small)
            message = f'no joint is named {quote(name)}; {remedy}'
            yield refuse('mimic-unknown', mimic, message, 'joint')
        elif name == own:
            message = 'the joint mimics itself; name the joint that drives it'
            yield refuse('mimic-self', mimic, message, 'joint')
        elif type_of(target) == 'fixed':
            message = f'joint {quote(name)} is fixed; mimic a joint that moves'
            yield refuse('mimic-fixed', mimic, message, 'joint')
        else:
            for end in (joint, target):
                if type_of(end) in MULTI_DOF_TYPES:
                    message = (
                        f'joint {quote(name_of(end))} is {type_of(end)}, with several degrees of '
                        'freedom; only joints with one can mimic or be mimicked'
                    )
                    yield refuse('mimic-multi-dof', mimic, message, 'joint')


def loops(robot: Description) -> Iterator[Problem]:
    """Whoever mimics is driven, in the end, by a joint that does not."""
    follows = {name_of(_owner(mimic)): mimic for mimic in _mimics(robot)}
    walked: set[str] = set()
    for start in follows:
        path: dict[str, Element] = {}
        name = start
        while name in follows and name not in walked and name not in path:
            path[name] = follows[name]
            name = follows[name].get('joint', '')
        if name in path:
            loop = list(path)[list(path).index(name) :]
            if len(loop) > 1:
                message = f'joints {listed(loop)} mimic each other; one of them must not mimic'
                yield refuse('mimic-loop', follows[loop[0]], message, 'joint')
        walked |= path.keys()


def multipliers(robot: Description) -> Iterator[Problem]:
    """A multiplier of zero is legal, and a joint that stands still."""
    for mimic in _mimics(robot):
        if number(mimic, 'multiplier') == 0.0:
            message = 'multiplier 0: the joint stands still at its offset'
            yield warn('mimic-zero', mimic, message, 'multiplier')


def products(robot: Description) -> Iterator[Problem]:
    """The multipliers of a chain of mimics, which all apply, make no number out of range."""
    follows = {name_of(_owner(mimic)): mimic for mimic in _mimics(robot)}
    product: dict[str, float] = {}
    for start in follows:
        path: dict[str, Element] = {}
        name = start
        while name in follows and name not in product and name not in path:
            path[name] = follows[name]
            name = follows[name].get('joint', '')
        for follower, mimic in reversed(path.items()):
            multiplier = number(mimic, 'multiplier')
            value = (1.0 if multiplier is None else multiplier) * product.get(name, 1.0)
            if abs(value) > LARGEST_MAGNITUDE >= abs(product.get(name, 1.0)):
                message = (
                    f'with the mimics that it follows it moves {value:g} times as far as the '
                    f'joint that drives it, more than {LARGEST_MAGNITUDE:g}; correct a multiplier'
                )
                yield refuse('mimic-product', mimic, message, 'multiplier')
            name, product[follower] = follower, value


def _mimics(robot: Description) -> Iterator[Element]:
    for joint in robot.joints:
        mimic = joint.find('mimic')
        if mimic is not None and type_of(joint) != 'fixed':
            yield mimic


def _owner(mimic: Element) -> Element:
    owner = mimic.getparent()
    assert owner is not None
    return owner


RULES = (on_fixed, targets, loops, multipliers, products)
