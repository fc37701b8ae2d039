"""
What other tools define or read otherwise: names that are none of URDF's, texts, terms and loops.

A function of `OTHER_TOOLS_RULES` is a rule as those of rules.py, and most only warn.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from difflib import get_close_matches
from itertools import chain, islice

from urdf2dyn_ros.errors import Problem
from urdf2dyn_ros.robot.document import (
    ATTRIBUTES,
    CHILDREN,
    NUMBER_ATTRIBUTES,
    REDUCTION_TAGS,
    TRANSPOSED,
    Description,
    Element,
    merged,
    read_numbers,
    tag_of,
    transmissions,
    warn,
)
from urdf2dyn_ros.robot.loop_notations import read_loops
from urdf2dyn_ros.text import escaped, quote

# What other tools define, by tag of the parent: ignored without a word. Names with a prefix are
# always known. ``transmission joint`` is the joint in a transmission.
_REDUCED = ('mechanicalReduction', 'mechanical_reduction', 'hardwareInterface', 'role', 'offset',
            'motorTorqueConstant', 'type')
OTHER_CHILDREN = {
    'robot': ('transmission', 'material', 'gazebo', 'ros2_control', 'sensor', 'frame', 'mujoco',
              'plugin', 'actuator', 'group', 'chain', 'disable_collisions', 'comment', 'version',
              'author', 'license', 'self_collision_checking', 'isaac_sim_config'),
    'link': ('visual', 'collision', 'contact', 'sensor', 'self_collision_checking', 'material',
             'collision_checking', 'self_filter', 'verbose', 'gravity', 'kinematic', 'surface'),
    'joint': ('calibration', 'safety_controller', 'hardwareInterface', 'verbose', 'actuator',
              'limits_soft', 'sensor', 'material'),
    'transmission': ('type', 'joint', 'actuator', *REDUCTION_TAGS, 'leftActuator', 'offset',
                     'rightActuator', 'flexJoint', 'rollJoint', 'gap_joint', 'passive_joint',
                     'use_simulated_gripper_joint', 'simulated_actuated_joint', 'plugin', 'param',
                     'motorTorqueConstant', 'compensator', 'hardwareInterface'),
    'transmission joint': (*_REDUCED, 'deadBandUpper', 'deadBandLower', 'saturationLower',
                           'saturationUpper', 'ignoreTransmissionAbsoluteEncoder',
                           'mechanicalOffset', 'state_interface', 'command_interface'),
    'transmission actuator': (*_REDUCED, 'gear_ratio', 'state_interface', 'command_interface'),
}
OTHER_ATTRIBUTES = {
    'robot': ('version',),
    'link': ('type', 'id'),
    'joint': ('dont_collapse', 'id', 'independent'),
    'limit': ('current', 'command_effort', 'gear_velocity'),
    'dynamics': ('D', 'K', 'mu_coulomb', 'mu_viscous', 'stiffness', 'spring_stiffness',
                 'spring_reference'),
    'transmission': ('name', 'type'),
    'transmission joint': ('name', 'role'),
    'transmission actuator': ('name', 'role'),
}

# What changes efforts where other tools read it, and is not counted, with any prefix.
LOOP_TAGS = ('loop_joint', 'loop', 'coupling', 'constraint', 'ball_constraint',
             'distance_constraint', 'weld_constraint', 'coupler_constraint', 'linear_bushing_rpy')
ROTOR_NAMES = ('rotor_inertia', 'rotorInertia', 'motor_inertia', 'motorInertia', 'armature',
               'reflected_inertia')
# By code: names, what they are, the remedy, and what efforts lack. K and D, the elasticity and
# damping of a gear, add none.
_NOT_COUNTED = {
    'rotor-not-counted': (ROTOR_NAMES, 'the inertia of a motor', 'give it with its gear ratio as '
                          'parameter joints.NAME.rotor_inertia',
                          'those of accelerations lack the inertia of the motor'),
    'spring-not-counted': (('spring_stiffness', 'stiffness', 'springStiffness'), 'a spring',
                           'give it as parameter joints.NAME.spring_stiffness',
                           'those of this joint lack the spring'),
}

_GRAVITY_OFF = {'gravity': ('false', '0'), 'turnGravityOff': ('true', '1')}   # by tag of Gazebo

# Where the schema has a tag, by tag.
_PLACES = {tag: [place for place, tags in CHILDREN.items() if tag in tags]
           for tag in chain.from_iterable(CHILDREN.values())}

_MOST_NAMES = 100   # that are unknown and reported

# What is assumed where an element or attribute is missing; the others have no effect on efforts.
_ASSUMED = {
    'link': 'there is no such link', 'joint': 'there is no such joint',
    'force': 'no force acts there', 'inertial': 'the link has neither mass nor inertia',
    **dict.fromkeys(('mass', 'inertia'), 'the link has neither mass nor inertia'),
    'origin': 'zero displacement and rotation', 'axis': 'the axis "1 0 0"',
    'dynamics': 'no damping and no friction', 'damping': 'no damping', 'friction': 'no friction',
    'mimic': 'the joint moves by itself', 'multiplier': 'the multiplier 1', 'xyz': '"0 0 0"',
    'rpy': '"0 0 0"', 'offset': 'the offset 0', 'mechanicalReduction': 'no gear ratio'}


def _without(meant: str) -> str:
    assumed = _ASSUMED.get(meant)
    return f'in its place is assumed: {assumed}' if assumed else (
        'they are computed as if it were not there')


def unknown_elements(robot: Description) -> Iterator[Problem]:
    """Elements are URDF's, or known to be another tool's."""
    unknown: dict[tuple[str, str], list[Element]] = defaultdict(list)
    for parent, kind in _parents(robot):
        known = {*CHILDREN.get(kind, ()), *OTHER_CHILDREN.get(kind, ()), *LOOP_TAGS, *ROTOR_NAMES}
        for element in parent.iterchildren('*'):
            if not element.prefix and element.tag not in known:
                unknown[kind, str(element.tag)].append(element)
    # Of what has no effect on efforts, only what is meant to have one; a group of SRDF has names.
    for parent in chain.from_iterable(
            map(robot.robot.iterfind, ('link/visual', 'link/collision', 'group'))):
        for element in parent.iterchildren(*_PLACES):
            if len(element) if parent.tag == 'group' else element.tag != 'origin':
                unknown[str(parent.tag), str(element.tag)].append(element)
    for (kind, tag), elements in islice(unknown.items(), _MOST_NAMES):
        places = _PLACES.get(tag, [])
        owners = [*elements[0].iterancestors(*places or [kind.split()[-1]])]
        where = ' or '.join(f'<{place}>' for place in places
                            if not owners or place in {owner.tag for owner in owners})
        meant = tag if places else closest(
            tag, CHILDREN.get(kind) or OTHER_CHILDREN.get(kind, ()))
        remedy = (f'move it into {where}' if places else f'did you mean <{meant}>?'
                  if meant else 'delete it, or correct its name')
        message = (f'<{kind.split()[-1]}> has no element <{escaped(tag, 40)}>, which is ignored; '
                   f'{remedy}')
        there = meant and any(owner is not robot.robot and owner.find(meant) is not None
                              for owner in owners)
        effect = f'those of the <{meant}> that is there, too' if there else _without(meant)
        yield from merged(warn('unknown-element', element, message, effect=effect)
                          for element in elements)


def unknown_attributes(robot: Description) -> Iterator[Problem]:
    """Attributes are URDF's, or known to be another tool's."""
    unknown: dict[tuple[str, str], list[Element]] = defaultdict(list)
    pairs = [(element, str(element.tag)) for element in robot.elements]
    pairs += [pair for pair in _parents(robot) if pair[1].startswith('transmission')]
    for element, kind in pairs:
        known = {*ATTRIBUTES.get(kind, ()), *OTHER_ATTRIBUTES.get(kind, ()), *ROTOR_NAMES}
        for attribute in map(str, element.attrib):
            if (attribute not in known and not set('{:') & set(attribute)   # with a prefix
                    and not _is_repeated(element, attribute)):
                unknown[kind, attribute].append(element)
    for (kind, attribute), elements in islice(unknown.items(), _MOST_NAMES):
        ours = ATTRIBUTES.get(kind) or OTHER_ATTRIBUTES.get(kind, ())
        meant = TRANSPOSED.get(attribute) or closest(attribute, ours)
        remedy = (f'did you mean {meant}?' if meant else
                  f'it has {", ".join(ours)}' if ours else 'it has no attributes')
        message = (f'<{kind.split()[-1]}> has no attribute {escaped(attribute, 40)}, which is '
                   f'ignored; {remedy}')
        yield from merged(warn('unknown-attribute', element, message, attribute,
                               effect=_without(meant)) for element in elements)


def _is_repeated(inertia: Element, attribute: str) -> bool:
    """Return whether an attribute is the other one of two equal entries of a tensor."""
    with suppress(KeyError, ValueError):
        return (read_numbers(inertia.get(attribute, ''), 1)
                == read_numbers(inertia.get(TRANSPOSED[attribute], ''), 1))
    return False


def numbers_of_urdfdom(robot: Description) -> Iterator[Problem]:
    """A number ends where its attribute does, or in several at a blank; urdfdom reads no other."""
    yield from merged(
        warn('number-end', element, 'urdfdom, and with it robot_state_publisher, KDL and '
             'Pinocchio, cannot read a number with a blank, a tab or the end of a line after it: '
             'it drops the element, or the file; write the number alone', attribute,
             effect='here they count the number; there the link can be without mass')
        for element in robot.elements
        for attribute, count in NUMBER_ATTRIBUTES.get(str(element.tag), {}).items()
        if (text := element.get(attribute)) and robot.numbers(element, attribute)
        and element.tag != 'force' and not all(re.fullmatch(r'\s*\S+', part) for part in (
            [text] if count == 1 else filter(None, text.split(' ')))))


def texts(robot: Description) -> Iterator[Problem]:
    """Numbers and names are in attributes, not in a text as in SDF."""
    for element in robot.elements:
        tag = str(element.tag)
        text = ' '.join([element.text or '', *(child.tail or '' for child in element)]).strip()
        if text and tag not in CHILDREN:
            example = ' '.join(f'{attribute}="..."' for attribute in ATTRIBUTES[tag])
            yield warn('text-ignored', element, f'the text {quote(text)} is ignored, URDF has '
                       f'attributes; write <{tag} {example}/>',
                       effect=_without('' if element.attrib else tag))


def loop_notations(robot: Description) -> Iterator[Problem]:
    """Loops are between two links of this robot; what is not read of other tools is said."""
    notes = read_loops(robot)
    yield from notes.problems
    for element in robot.robot.iterchildren(*(f'{{*}}{tag}' for tag in LOOP_TAGS)):
        if element not in notes.elements:
            yield warn('loop-not-counted', element, f'<{tag_of(element)}> closes a loop, which is '
                       'not counted: the links are a tree that is cut open here; write '
                       '<loop_joint> instead, if it is stiff',
                       effect='those of all joints of the loop are of the open tree, not of the '
                       'robot')


def terms_of_other_tools(robot: Description) -> Iterator[Problem]:
    """No name of another tool adds an effort that is a parameter here."""
    owners = [*robot.joints, *transmissions(robot), *robot.robot.iterfind('gazebo[@reference]')]
    for code, (names, what, remedy, effect) in _NOT_COUNTED.items():
        tags = [f'{{*}}{name}' for name in names]
        yield from merged(
            warn(code, element, f'{what} in a URDF is not counted; {remedy}', attribute,
                 effect=effect)
            for owner in owners for element in owner.iter('*')
            for attribute in ([''] if next(element.iter(*tags), None) is element
                              and (element.text or '1').strip('0. \t\r\n') else
                              [name for name in names if element.get(name, '').strip('0. ')]))


def gravity_of_gazebo(robot: Description) -> Iterator[Problem]:
    """Gravity acts on every link, for Gazebo as well."""
    yield from merged(
        warn('gravity-not-off', element, f'<{element.tag}> turns gravity off in Gazebo alone; '
             'here it acts on this link as on all others',
             effect='those of Gazebo lack its weight')
        for element in robot.robot.iterfind('gazebo[@reference]/*')
        if (element.text or '').strip().lower() in _GRAVITY_OFF.get(str(element.tag), ()))


def _parents(robot: Description) -> Iterator[tuple[Element, str]]:
    """Yield the elements whose children have known names, and the key of these."""
    for element in robot.elements:
        yield element, str(element.tag)
    for transmission in transmissions(robot):
        yield transmission, 'transmission'
        for end in transmission.iterchildren('joint', 'actuator'):
            yield end, f'transmission {end.tag}'


def closest(name: str, names: Iterable[str]) -> str:
    """Return the name that is meant, in any case; empty if none is similar."""
    by_lower = {each.lower(): each for each in names}
    close = get_close_matches(name.lower(), by_lower, n=1) if len(name) <= 100 else []
    return by_lower[close[0]] if close else ''


OTHER_TOOLS_RULES = (unknown_elements, unknown_attributes, numbers_of_urdfdom, texts,
                     loop_notations, terms_of_other_tools, gravity_of_gazebo)
