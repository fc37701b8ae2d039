"""The descriptions that `urdf2dyn check` compares with, to find what a problem does to efforts."""

import math
import re
from collections.abc import Callable
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, NamedTuple

from urdf2dyn_ros.loads import Loads
from urdf2dyn_ros.loads.load_parameters import LOAD_PARAMETERS, with_loads
from urdf2dyn_ros.multibody import multibody
from urdf2dyn_ros.robot_model import RobotModel
from urdf2dyn_ros.urdf.document import (
    TENSOR_ATTRIBUTES,
    Element,
    name_of,
    read_reduction,
    reductions,
)
from urdf2dyn_ros.urdf.text import Edit, EditableText

Change = Callable[[EditableText, Element, str], list[Edit]]
"""The edits of the element that has a problem, or its attribute."""

ROTOR_INERTIA = 1e-4
"""Inertia of the rotors with which gear ratios are compared [kg m^2]: of a motor of some 500 W."""

_DEFAULTS: dict[str, Any] = {**{row.name: row.default for row in LOAD_PARAMETERS}, 'base': 'fixed',
                             'payload.link': ''}


def no_loads(model: RobotModel) -> tuple[RobotModel, Loads]:
    """Return the robot without joint terms."""
    return model, Loads('fixed')


def _with_friction(model: RobotModel) -> tuple[RobotModel, Loads]:
    """Return the robot with friction, whose negative values, which are rejected, are positive."""
    positive = tuple(replace(joint, damping=abs(joint.damping or 0.0),
                             friction=abs(joint.friction or 0.0)) for joint in model.joints)
    return with_loads({**_DEFAULTS, 'friction.enabled': True}, replace(model, joints=positive))


def _with_rotors(model: RobotModel) -> tuple[RobotModel, Loads]:
    return with_loads({**_DEFAULTS, **{f'joints.{body.name}.rotor_inertia': ROTOR_INERTIA
                                       for body in multibody(model).bodies}}, model)


class OtherDescription(NamedTuple):
    """Another description to compare with: in words, as edits, and the loads in both cases."""

    words: str
    change: Change
    loads: Callable[[RobotModel], tuple[RobotModel, Loads]] = no_loads


def _scaled(attribute: str, factor: float) -> Change:
    def change(text: EditableText, element: Element, _: str) -> list[Edit]:
        values = text.description.numbers(element, attribute) or ()
        return text.with_values(element, {
            attribute: ' '.join(repr(value * factor) for value in values)})

    return change


def _without_tensor(text: EditableText, element: Element, _: str) -> list[Edit]:
    inertia = element if element.tag == 'inertia' else element.getparent()
    if inertia is not None and inertia.tag != 'inertia':
        inertia = inertia.find('inertia')
    return [] if inertia is None else text.with_values(
        inertia, dict.fromkeys(TENSOR_ATTRIBUTES, '0'))


def _without_mass(text: EditableText, element: Element, attribute: str) -> list[Edit]:
    return [*text.with_values(element, {'value': '0'}), *_without_tensor(text, element, '')]


def _at_another_joint(text: EditableText, element: Element, _: str) -> list[Edit]:
    """Return the edits that name the joint that an unknown one resembles most."""
    known = [*text.description.joint_of]
    edits = []
    for joint in element.iterchildren('joint'):
        close = get_close_matches(name_of(joint), known, n=1)
        if close and name_of(joint) not in known:
            edits += text.with_values(joint, {'name': close[0]})
    return edits


def _largest_number(text: EditableText, element: Element, _: str) -> list[Edit]:
    """Return the edit that leaves the largest number: 100 of 1:100."""
    values = re.findall(r'\d+(?:[.,]\d+)?', str(element.xpath('string()')))
    largest = max((float(value.replace(',', '.')) for value in values), default=0.0)
    return text.with_text(element, repr(largest)) if largest else []


def _second_reduction(text: EditableText, element: Element, _: str) -> list[Edit]:
    """Return the edit that gives the first reduction of a joint the value of this one."""
    read = list(reductions(text.description))
    joint = next((name for name, each in read if each is element), None)
    for name, each in read:
        if name == joint and not isinstance(read_reduction(each), str):
            return text.with_text(each, str(element.xpath('string()')).strip())
    return []


_NO_TENSOR = 'a link without this tensor'
_ROTORS = f'both with a rotor of {ROTOR_INERTIA:g} kg m^2 at each joint'

OTHER_DESCRIPTIONS = {
    'dynamics-negative': OtherDescription('no friction of this kind there, if the sign is dropped',
                                          lambda text, element, name: text.with_values(
                                              element, {name: '0'}), _with_friction),
    'inertia-negative': OtherDescription(_NO_TENSOR, _without_tensor),
    'inertia-triangle': OtherDescription(_NO_TENSOR, _without_tensor),
    'mass-zero': OtherDescription(_NO_TENSOR, _without_tensor),
    'transmission-reduction': OtherDescription(
        f'the largest number in its text, {_ROTORS}', _largest_number, _with_rotors),
    'transmission-twice': OtherDescription(
        f'this gear ratio, {_ROTORS}', _second_reduction, _with_rotors),
    'transmission-unknown': OtherDescription(
        f'the transmission at the joint of the most similar name, {_ROTORS}', _at_another_joint,
        _with_rotors),
    'units-angle': OtherDescription('the angles in degrees', _scaled('rpy', math.pi / 180.0)),
    'units-length': OtherDescription('the lengths in millimetres', _scaled('xyz', 1e-3)),
    'units-mass': OtherDescription('the mass in grams', _scaled('value', 1e-3)),
    'units-mass-ratio': OtherDescription('the light link without mass', _without_mass),
}
"""Code of a warning to what the description is compared with; the others have no effect."""
