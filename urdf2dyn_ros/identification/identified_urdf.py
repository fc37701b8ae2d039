"""The identified robot as files: a URDF, and parameters that it cannot express."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any, AnyStr

from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.identification.identification import Identification
from urdf2dyn_ros.identification.robot import (
    ARMATURE,
    COULOMB,
    VISCOUS,
    friction_of,
    link_inertias,
)
from urdf2dyn_ros.robot.document import TENSOR_ATTRIBUTES, Element
from urdf2dyn_ros.robot.loads import TERMS
from urdf2dyn_ros.robot.model import Inertia, Joint, Link, RobotModel
from urdf2dyn_ros.robot.parameters import parameter_file_text
from urdf2dyn_ros.robot.reader import read_description
from urdf2dyn_ros.robot.terms import Friction, JointTerm, Rotor
from urdf2dyn_ros.robot.urdf_text import (
    Edit,
    EditableText,
    Layout,
    Tag,
    attributes_of,
    edited,
    rewritten,
)
from urdf2dyn_ros.text import quote

# ---- The text of a URDF with identified numbers
#
# Only numbers of `<inertial>` (mass, origin, inertia) and `<dynamics>` (damping, friction) change.
# Comments, meshes, quotes, order and line ends stay byte for byte, and so does every number that
# is equal.

Numbers = Sequence[float]


def identified_urdf(text: AnyStr, model: RobotModel) -> AnyStr:
    """
    Return a URDF with the inertias, damping and friction of a model.

    Parameters
    ----------
    text : str or bytes
        As `load_urdf` returns it; after an expansion by xacro, the expanded text. Bytes keep their
        encoding.
    model : RobotModel
        ``read_urdf(text)`` with other `inertia` of links, `damping` and `friction` of joints
        (`dataclasses.replace`). An inertia in the place of None adds an element ``<inertial>``, in
        the indentation of the file; so does damping or friction that is not zero for a joint
        without ``<dynamics>``.

    Returns
    -------
    str or bytes
        Its numbers are exactly those of the model. If nothing differs it is `text` itself.

    Raises
    ------
    UrdfError
        If the text is no valid URDF, or numbers of the model are none that a URDF may have.
    ParameterError
        If the model differs in anything else, or lacks an inertia that the text has.

    """
    old: RobotModel = read_description(text)
    _check_rest(old, model)

    def edit(source: str) -> str:
        return edited(source, _Writer(source).edits(old, model))

    result: AnyStr = edit(text) if isinstance(text, str) else rewritten(text, edit)
    written = read_description(result)
    if _kept(written, model) != written:   # the reader may see what places() does not
        raise ParameterError('the text with other numbers does not have them: report this URDF')
    return result


def _inertial(inertia: Inertia) -> dict[str, dict[str, Numbers]]:
    """Return the attributes of the children of <inertial>, by tag and name."""
    return {'origin': {'xyz': inertia.com, 'rpy': inertia.rpy}, 'mass': {'value': (inertia.mass,)},
            'inertia': {name: (entry,) for name, entry in zip(TENSOR_ATTRIBUTES, inertia.tensor)}}


def _kept(old: RobotModel, model: RobotModel) -> RobotModel:
    """Return `old` with the numbers of a model that `identified_urdf` writes."""
    return replace(old, links=tuple(
        replace(link, inertia=other.inertia) for link, other in zip(old.links, model.links)),
        joints=tuple(replace(joint, damping=other.damping, friction=other.friction)
                     for joint, other in zip(old.joints, model.joints)))


def _check_rest(old: RobotModel, model: RobotModel) -> None:
    same_count = (len(old.links), len(old.joints)) == (len(model.links), len(model.joints))
    if not same_count or _kept(old, model) != replace(model, warnings=old.warnings):
        raise ParameterError(f'robot {quote(model.name)} differs from the text in more than '
                             'inertias, damping and friction: nothing else can be written')
    for link, other in zip(old.links, model.links):
        if link.inertia is not None and other.inertia is None:
            raise ParameterError(f'link {quote(link.name)} has an <inertial> that the model '
                                 'lacks: it cannot be removed')


class _Writer(EditableText):
    """Finds what has to change in a text."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        first = next(self.description.robot.iterchildren('*'), None)
        self._layout = Layout(text, None if first is None else self.places[first])

    def edits(self, old: RobotModel, model: RobotModel) -> Iterator[Edit]:
        """Yield (start, end, text in its place)."""
        for link, new_link, element in zip(old.links, model.links, self.description.links):
            if link != new_link:
                yield from self._link(link, new_link, element)
        for joint, new_joint, element in zip(old.joints, model.joints, self.description.joints):
            if joint != new_joint:
                yield from self._joint(joint, new_joint, element)

    def _link(self, old: Link, new: Link, element: Element) -> Iterator[Edit]:
        assert new.inertia is not None
        inertial = element.find('inertial')
        if inertial is None or old.inertia is None:
            children = [(tag, _written(row)) for tag, row in _inertial(new.inertia).items()]
            yield self._inserted(element, [('inertial', ''), *children], first=True)
            return
        before = _inertial(old.inertia)
        for tag, row in _inertial(new.inertia).items():
            yield from self._changed(inertial, tag, before[tag], row, first=True)

    def _joint(self, old: Joint, new: Joint, element: Element) -> Iterator[Edit]:
        before, after = ({'damping': (joint.damping,), 'friction': (joint.friction,)}
                         for joint in (old, new))
        yield from self._changed(element, 'dynamics', before, after, first=False)

    def _changed(self, parent: Element, tag: str, before: Mapping[str, Numbers],
                 after: Mapping[str, Numbers], first: bool) -> Iterator[Edit]:
        """Yield edits of the attributes of a child, or a child with those that differ."""
        changed = {name: after[name] for name in after if after[name] != before[name]}
        if not changed:
            return
        child = parent.find(tag)
        if child is None:
            yield self._inserted(parent, [(tag, _written(changed))], first)
            return
        place = self.places[child]
        there = attributes_of(self.text, place)
        last = max((end + 1 for _, end in there.values()),
                   default=place.start + 1 + len(place.name))
        for name, numbers in changed.items():
            if name in there:
                start, end = there[name]
                yield start, end, _renumbered(self.text[start:end], before[name], numbers)
            elif name == 'rpy' and 'quat_xyzw' in there:   # only one of both is allowed
                start, end = there['quat_xyzw']
                start = self.text.rindex('quat_xyzw', place.start, start)
                yield start, end + 1, _written({name: numbers}).strip()
            else:
                yield last, last, _written({name: numbers})

    def _inserted(self, parent: Element, lines: Sequence[Tag], first: bool) -> Edit:
        return self._layout.inserted(self.places[parent], [
            self.places[child] for child in parent.iterchildren('*')], lines, first)


def _written(values: Mapping[str, Numbers]) -> str:
    """Return attributes as text; float() as numpy's numbers have a repr of their own."""
    return ''.join(f' {name}="{" ".join(repr(float(number)) for number in numbers)}"'
                   for name, numbers in values.items())


def _renumbered(text: str, old: Numbers, new: Numbers) -> str:
    """Return an attribute's value with the numbers that differ."""
    parts = re.split(r'([^ \t\r\n]+)', text)
    if '&' in text or len(parts) != 2 * len(old) + 1:
        return ' '.join(repr(float(number)) for number in new)
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
    joints = {joint: _settings(each) for joint, each in terms.items()}
    frictions = [term for each in terms.values() for term in each if isinstance(term, Friction)]
    values: dict[str, Any] = {'friction.enabled': any(not term.is_off() for term in frictions)}
    widths = {settings['friction_width'] for settings in joints.values()
              if 'friction_width' in settings}
    if len(widths) == 1:   # the same for all
        values['friction.width'], = widths
        joints = {joint: {name: value for name, value in settings.items()
                          if name != 'friction_width'} for joint, settings in joints.items()}
    if gains:
        values['current_gains'] = [*gains]
    if any(joints.values()):
        values['joints'] = {joint: settings for joint, settings in joints.items() if settings}
    rows = [row for term in TERMS.values() for row in term.rows().values()]
    return parameter_file_text(values, head, {
        'current_gains': 'effort over current, a joint each',
        **{row.setting: f'[{row.row.unit}]' for row in rows}})


def _settings(terms: Sequence[JointTerm]) -> dict[str, float]:
    """Return the node's parameters of a joint that have an effect and are not in the URDF."""
    return {row.setting: row.setting_of(float(value)) for term in terms if not term.is_off()
            for _, row, value in term.parameters() if row.urdf not in _IN_URDF}


# ---- The identified robot as files: a URDF, and parameters that a URDF cannot express

# Joints that are not explained keep the numbers of the URDF, and so do their bodies, unless forced

def identified_model(result: Identification) -> RobotModel:
    """Return the model with identified inertias, damping and friction."""
    robot, model = result.robot, result.robot.model
    inertias: dict[str, Inertia] = {}
    changes = sorted({body for j, used in enumerate(result.used) if used
                      for body in robot.columns.bodies[j]} - {*result.terms.fixed} - {
        number for number, body in enumerate(robot.system.bodies)
        if result.used[body.coordinate] and not result.written[body.coordinate]})
    for number in changes:
        body = robot.system.bodies[number]
        inertias |= link_inertias(body.attached, robot.prior.nominal[number],
                                  result.fit.bodies[number])
    links = tuple(replace(link, inertia=inertias.get(link.name, link.inertia))
                  for link in model.links)
    rows = dict(compress(zip(robot.joints, result.joints), result.written))
    joints = tuple(
        replace(joint, damping=float(rows[joint.name][VISCOUS]),
                friction=float(rows[joint.name][COULOMB])) if joint.name in rows else joint
        for joint in model.joints)
    return replace(model, links=links, joints=joints)


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
    if isinstance(text, str):
        urdf = identified_urdf(text, model).encode()
    else:
        urdf = identified_urdf(text, model)
    gains = () if result.gains is None else result.effort_per_unit.tolist()
    parameters = identified_parameters(identified_joint_terms(result), head, gains)
    return {'identified.urdf': urdf, 'parameters.yaml': parameters.encode()}
