"""The identified robot as files: a URDF, parameters that it cannot express, and a MuJoCo model."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, AnyStr

import numpy as np
from lxml import etree

from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.identification.result import Identification
from urdf2dyn_ros.identification.robot import (
    ARMATURE,
    COULOMB,
    VISCOUS,
    friction_of,
    link_inertias,
)
from urdf2dyn_ros.robot.document import (
    TENSOR_ATTRIBUTES,
    Description,
    Element,
    codec_of,
    parse_document,
)
from urdf2dyn_ros.robot.joints import AT_REST, JOINTS, URDF_TYPES, Coordinate
from urdf2dyn_ros.robot.loads import TERMS
from urdf2dyn_ros.robot.lock import lock_joints
from urdf2dyn_ros.robot.model import Inertial, Joint, RobotModel
from urdf2dyn_ros.robot.parameters import parameter_file_text
from urdf2dyn_ros.robot.reader import read_description
from urdf2dyn_ros.robot.rotations import from_rpy
from urdf2dyn_ros.robot.terms import JointTerm, Rotor
from urdf2dyn_ros.robot.writer import numbers_text

# ---- The identified robot: joints that are not explained keep the numbers of the URDF, and so do
# their bodies, unless forced


def identified_model(result: Identification) -> RobotModel:
    """Return the model with identified inertias, damping and friction."""
    robot, model = result.robot, result.robot.model
    inertias: dict[str, Inertial] = {}
    changes = sorted({body for j, used in enumerate(result.used) if used
                      for body in robot.columns.bodies[j]} - {*result.terms.fixed} - {
        number for number, movers in enumerate(robot.columns.movers)
        if (result.used & ~result.written)[movers].any()})
    for number in changes:
        inertias |= link_inertias(robot.system.bodies[number].attached,
                                  robot.prior.nominal[number], result.fit.bodies[number])
    rows = dict(compress(zip(robot.joints, result.joints), result.written))
    return replace(
        model, links=tuple(replace(link, inertia=inertias.get(link.name, link.inertia))
                           for link in model.links),
        joints=tuple(replace(joint, damping=float(rows[joint.name][VISCOUS]),
                             friction=float(rows[joint.name][COULOMB]))
                     if joint.name in rows else joint for joint in model.joints))


def identified_joint_terms(result: Identification) -> dict[str, tuple[JointTerm, ...]]:
    """Return friction and rotor of every joint that is identified."""
    return {name: (friction_of(row, float(width)), Rotor(armature=float(row[ARMATURE])))
            for name, row, written, width in zip(
                result.robot.joints, result.joints, result.written, result.robot.sign_widths)
            if written}


def robot_texts(result: Identification, text: str | bytes,
                head: Sequence[str]) -> dict[str, bytes]:
    """Return identified.urdf and parameters.yaml; `head` are lines of a comment."""
    model = identified_model(result)
    urdf = (identified_urdf(text, model).encode() if isinstance(text, str)
            else identified_urdf(text, model))
    gains = () if result.gains is None else result.handed_gains.tolist()
    parameters = identified_parameters(identified_joint_terms(result), head, gains)
    return {'identified.urdf': urdf, 'parameters.yaml': parameters.encode()}


# ---- The text of a URDF with identified numbers
#
# Only numbers of `<inertial>` (mass, origin, inertia) and `<dynamics>` (damping, friction) change.
# Comments, meshes, quotes, order and line ends stay byte for byte, and so does every number that
# is equal.

def identified_urdf(text: AnyStr, model: RobotModel) -> AnyStr:
    """
    Return a URDF with exactly the inertias, damping and friction of a model, which is of the text.

    What the text lacks is added, in a line of its own where its neighbour has one. If nothing
    differs it is `text` itself. Bytes keep their encoding.
    """
    result: AnyStr
    if isinstance(text, str):
        result = _edited(text, model)
    else:
        codec = codec_of(text)
        source = text.decode(codec)
        if source.encode(codec) != text:
            raise ParameterError(f'this text in {codec} has bytes that another writer would not '
                                 'write: save it as UTF-8')
        result = _edited(source, model).encode(codec)
    written: RobotModel = lock_joints(read_description(result), dict(model.locked))
    if replace(written, warnings=()) != replace(model, warnings=()):
        raise ParameterError('the text with other numbers does not have them: report this URDF')
    return result


_Numbers = Sequence[float]
_Edit = tuple[int, int, str]   # beginning and end of a part of a text, and what replaces it

_TOKEN = re.compile(
    r"""<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>
    |<(?P<end>/?)(?P<name>[^\s/>!?]+)(?:[^>"']|"[^"]*"|'[^']*')*>""", re.DOTALL | re.VERBOSE)
_ATTRIBUTE = re.compile(r"""([^\s=]+)\s*=\s*("[^"]*"|'[^']*')""")


@dataclass
class _Place:
    """An element as offsets in the text; those of its end tag are `opened` in `<a/>`."""

    name: str   # with its prefix, if there is one
    start: int   # beginning of its start tag
    opened: int   # end of its start tag
    closed: int = -1   # beginning of its end tag
    end: int = -1   # end of its end tag


def _places(text: str) -> list[_Place]:
    """Return the elements of a well-formed text without a DOCTYPE, in the order of their tags."""
    elements, unclosed = list[_Place](), list[_Place]()
    for token in _TOKEN.finditer(text):
        if token['end']:
            place = unclosed.pop()
            place.closed, place.end = token.span()
        elif token['name'] is not None:
            place = _Place(token['name'], *token.span())
            elements.append(place)
            if text[place.opened - 2] == '/':
                place.closed = place.end = place.opened
            else:
                unclosed.append(place)
    return elements


def _edited(text: str, model: RobotModel) -> str:
    parts, at, old = [], 0, read_description(text)
    for start, end, new in sorted(_Editor(text).edits(old, model)):   # no two of them overlap
        parts += [text[at:start], new]
        at = end
    return ''.join([*parts, text[at:]])


def _inertial_tags(inertia: Inertial) -> dict[str, dict[str, _Numbers]]:
    """Return the attributes of the children of <inertial>, by tag and name."""
    return {'origin': {'xyz': inertia.com, 'rpy': inertia.rpy}, 'mass': {'value': (inertia.mass,)},
            'inertia': {name: (entry,) for name, entry in zip(TENSOR_ATTRIBUTES, inertia.tensor)}}


class _Editor:
    def __init__(self, text: str) -> None:
        self._text, root = text, parse_document(text)
        self._description = Description(root)
        self._places = dict(zip(root.iter('*'), _places(text), strict=True))

    def edits(self, old: RobotModel, model: RobotModel) -> Iterator[_Edit]:
        for link, new, element in zip(old.links, model.links, self._description.links):
            if link == new or new.inertia is None:
                continue
            inertial, after = element.find('inertial'), _inertial_tags(new.inertia)
            if inertial is None or link.inertia is None:
                yield self._inserted(element, 'inertial', {}, after, first=True)
                continue
            before = _inertial_tags(link.inertia)
            for tag, row in after.items():
                yield from self._changed(inertial, tag, before[tag], row, first=True)
        for joint, other, element in zip(old.joints, model.joints, self._description.joints):
            now, then = ({'damping': (side.damping,), 'friction': (side.friction,)}
                         for side in (joint, other))
            yield from self._changed(element, 'dynamics', now, then, first=False)

    def _changed(self, parent: Element, tag: str, before: Mapping[str, _Numbers],
                 after: Mapping[str, _Numbers], first: bool) -> Iterator[_Edit]:
        """Yield edits of the attributes of a child, or a child with those that differ."""
        changed = {name: after[name] for name in after if after[name] != before[name]}
        child = parent.find(tag)
        if child is None or not changed:
            if changed:
                yield self._inserted(parent, tag, changed, {}, first)
            return
        place = self._places[child]
        begin = place.start + 1 + len(place.name)
        there = {match[1]: (match.start(2) + 1, match.end(2) - 1)   # without the quotes
                 for match in _ATTRIBUTE.finditer(self._text, begin, place.opened)}
        last = max((end + 1 for _, end in there.values()), default=begin)
        for name, numbers in changed.items():
            if name in there:
                start, end = there[name]
                yield start, end, _value(self._text[start:end], before[name], numbers)
            elif name == 'rpy' and 'quat_xyzw' in there:   # only one of both is allowed
                start, end = there['quat_xyzw']
                start = self._text.rindex('quat_xyzw', place.start, start)
                yield start, end + 1, _attributes({name: numbers}).strip()
            else:
                yield last, last, _attributes({name: numbers})

    def _inserted(self, parent: Element, tag: str, attributes: Mapping[str, _Numbers],
                  children: Mapping[str, Mapping[str, _Numbers]], first: bool) -> _Edit:
        """Return the edit that adds an element to a parent, as first or last of its children."""
        place = self._places[parent]
        prefix = ''.join(place.name.rpartition(':')[:2])
        inner = ''.join(f'<{prefix}{name}{_attributes(row)}/>' for name, row in children.items())
        new = f'<{prefix}{tag}{_attributes(attributes)}' + (
            f'>{inner}</{prefix}{tag}>' if inner else '/>')
        there = [self._places[child] for child in parent.iterchildren('*')]
        if there:
            near = there[0 if first else -1]
            blanks = self._text[len(self._text[:near.start].rstrip()):near.start]
            return ((near.start, near.start, new + blanks) if first else
                    (near.end, near.end, blanks + new))
        if place.end == place.opened:   # <a/>
            slash = len(self._text[:place.opened - 2].rstrip())
            return slash, place.end, f'>{new}</{place.name}>'
        return place.opened, place.opened, new


def _attributes(values: Mapping[str, _Numbers]) -> str:
    return ''.join(f' {name}="{numbers_text(numbers)}"' for name, numbers in values.items())


def _value(text: str, old: _Numbers, new: _Numbers) -> str:
    """Return an attribute's value with the numbers that differ."""
    parts = re.split(r'([^ \t\r\n]+)', text)
    if '&' in text or len(parts) != 2 * len(old) + 1:
        return numbers_text(new)
    for k, (before, after) in enumerate(zip(old, new)):
        if before != after:
            parts[2 * k + 1] = repr(float(after))
    return ''.join(parts)


# ---- What a URDF cannot express of an identified robot, as a file of the node's parameters

_IN_URDF = ('damping', 'friction')   # attributes of <dynamics>, which `identified_urdf` writes


def identified_parameters(terms: Mapping[str, Sequence[JointTerm]],
                          head: Sequence[str] = (), gains: Sequence[float] = ()) -> str:
    """
    Return the text of parameters.yaml: rotors, and friction but for viscous and Coulomb.

    Read together with the URDF that has damping and friction, by the node (``config:=``) or a
    command (``--parameters``), it gives these terms. They are as in `Loads.terms`; a mimic joint
    has its own. `head` are lines of a comment. The gains of currents, of all joints, are those of
    effort_comparison, and of an exported controller.
    """
    on = {joint: [term for term in each if not term.is_off()] for joint, each in terms.items()}
    joints = {joint: {row.setting: row.setting_of(float(value)) for term in each
                      for _, row, value in term.parameters() if row.urdf not in _IN_URDF}
              for joint, each in on.items()}
    values: dict[str, Any] = {'friction.enabled': any(
        term.DISSIPATES for each in on.values() for term in each)}
    widths = {settings['friction_width'] for settings in joints.values()
              if 'friction_width' in settings}
    if len(widths) == 1:   # the same for all
        values['friction.width'], = widths
        for settings in joints.values():
            settings.pop('friction_width', None)
    if gains:
        values['current_gains'] = [*gains]
    if any(joints.values()):
        values['joints'] = {joint: settings for joint, settings in joints.items() if settings}
    rows = [row for term in TERMS.values() for row in term.rows().values()]
    return parameter_file_text(values, head, {
        'current_gains': 'effort over current, a joint each',
        **{row.setting: f'[{row.node_parameter.unit}]' for row in rows}})


# ---- The identified robot as a model of MuJoCo (MJCF): bodies, rotors, friction and gains
#
# For what MuJoCo has as well, its inverse dynamics is ours to rounding: inertias, rotors as
# `armature`, viscous friction as `damping`, the offset of friction as a constant force of the
# actuator, and Coulomb friction as `frictionloss`, a constraint that is a sign of the velocity but
# close to rest.

_TIMESTEP = 0.002   # MuJoCo's own default [s]
_LEAST_INERTIA = 2e-15   # mass [kg] and moments [kg m^2] of a link without; MuJoCo rejects less
_LACKING = ('stribeck', 'load', 'quadratic', 'asymmetry')   # parameters that it does not have
_ZERO = Coordinate(0.0, 0.0, 0.0)   # where the constant part of an effort is what is left of it


def identified_mjcf(result: Identification, head: Sequence[str] = ()) -> bytes:
    """Return identified.xml; `head` are lines of a comment. It has no shapes and no contacts."""
    model, terms = identified_model(result), identified_joint_terms(result)
    lacking = [f'{joint} {name} {value:.6g}' for joint, each in terms.items() for term in each
               for name, _, value in term.parameters() if name in _LACKING]
    robot = etree.Element('mujoco', model=model.name)
    robot.append(etree.Comment('\n'.join((*head, 'Friction that MuJoCo does not have: ' + (
        ', '.join(lacking) or 'none'))).replace('--', '- -') + '\n'))
    _add(robot, 'compiler', angle='radian', balanceinertia='false', boundmass=_LEAST_INERTIA,
         boundinertia=_LEAST_INERTIA)
    _add(robot, 'option', gravity=result.robot.dynamics.gravity_vector, timestep=_TIMESTEP)
    # as stiff as it may be; by default friction turns over 20 ms before a joint does
    _add(_add(robot, 'default'), 'joint', solreffriction=(2.0 * _TIMESTEP, 1.0))
    bodies = {model.root: _add(robot, 'worldbody')}   # the root is fixed
    inertias = {link.name: link.inertia for link in model.links}
    for joint in model.joints:
        x, y, _ = from_rpy(joint.rpy).T
        body = _add(robot, 'body', name=joint.child, pos=joint.xyz, xyaxes=(*x, *y))
        bodies[joint.child] = body
        inertia = inertias[joint.child]
        if inertia is not None and inertia.mass:
            R: np.ndarray = np.array(from_rpy(inertia.rpy))
            xx, xy, xz, yy, yz, zz = inertia.tensor
            J = R @ np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))) @ R.T
            _add(body, 'inertial', mass=inertia.mass, pos=inertia.com,
                 fullinertia=(J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]))
        if joint.moves:
            _add_joints(body, joint, terms)
    for joint in model.joints:
        bodies[joint.parent].append(bodies[joint.child])
    followers = [joint for joint in model.joints if joint.name in model.mimics]
    equality = _add(robot, 'equality') if followers or model.loops else robot
    for loop in model.loops:   # MuJoCo closes them at a point
        _add(equality, 'connect', body1=loop.first.link, body2=loop.second.link,
             anchor=loop.first.xyz)
    for joint in followers:
        assert joint.mimic is not None
        _add(equality, 'joint', joint1=joint.name, joint2=joint.mimic.joint,
             polycoef=(joint.mimic.offset, joint.mimic.multiplier, 0.0, 0.0, 0.0))
    actuators = _add(robot, 'actuator')
    for name, gain, limit in zip(result.robot.joints, result.handed_gains.tolist(),
                                 result.robot.dynamics.limits):
        if np.isnan(gain):   # which the data do not determine
            continue
        constant = sum(float(term.effort(AT_REST, _ZERO, 0.0)) for term in terms.get(name, ()))
        motor = _add(actuators, 'general', name=name, joint=name, gear=gain, biastype='affine',
                     biasprm=(-constant / gain, 0.0, 0.0))
        if limit.effort:
            most = abs(limit.effort / gain)
            motor.set('ctrlrange', numbers_text((-most, most)))
    return bytes(etree.tostring(robot, encoding='utf-8', pretty_print=True))


def _add_joints(body: Element, joint: Joint, terms: Mapping[str, Sequence[JointTerm]]) -> None:
    for part in URDF_TYPES[joint.type].parts(joint):
        element = _add(body, 'joint', name=part.name, axis=part.axis,
                       type='hinge' if JOINTS[part.type].turns else 'slide')
        armature = sum(float(term.slopes(_ZERO)[2]) for term in terms.get(part.name, ()))
        for name, value in (('damping', joint.damping), ('frictionloss', joint.friction),
                            ('armature', armature)):
            if value:
                element.set(name, numbers_text(value))
        lower, upper = joint.limits.lower, joint.limits.upper
        if JOINTS[part.type].bounded and lower is not None and upper is not None:
            element.set('range', numbers_text((lower, upper)))


def _add(parent: Element, tag: str, **values: str | float | Sequence[float]) -> Element:
    element = etree.SubElement(parent, tag)
    for name, value in values.items():
        element.set(name, value if isinstance(value, str) else numbers_text(value))
    return element
