"""
The notations of closed loops and gears in a robot description, all as `Loop` and `Coupling`.

URDF has none. These are read: ``<loop_joint>`` of Isaac Sim, ``<loop>`` and ``<coupling>`` of
URDF+ (arXiv 2411.19753), ``<constraint>`` of urdfdom's issue 264, ``<gazebo><joint>``, Drake's
``<drake:ball_constraint>`` and ``<drake:distance_constraint>``, and pairs of links as options,
``'A=B:revolute'``, for a file that must not change.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from urdf2dyn_ros.errors import Problem
from urdf2dyn_ros.robot.document import (
    Description,
    Element,
    name_of,
    read_numbers,
    reject,
    rpy_of,
    tag_of,
    transmissions,
)
from urdf2dyn_ros.robot.loops import LOOP_TYPES
from urdf2dyn_ros.robot.model import Coupling, Loop, LoopFrame
from urdf2dyn_ros.robot.parameters import Parameter
from urdf2dyn_ros.robot.rotations import from_rpy
from urdf2dyn_ros.robot.spatial import IDENTITY, ZERO, Matrix, Triple, Vector, cross
from urdf2dyn_ros.text import quote, suggestion

# Names of other tools to keys of LOOP_TYPES.
_TYPES = {'ball': 'spherical', 'socket': 'spherical', 'weld': 'fixed', 'rod': 'distance',
          'hinge': 'revolute', 'slider': 'prismatic', 'cylinder': 'cylindrical'}
_WITH_AXIS = ('revolute', 'continuous', 'prismatic', 'cylindrical', 'universal')
_Z: Triple = (0.0, 0.0, 1.0)


LOOP_PARAMETERS = (
    Parameter('loops', ('',), 'Pairs of links whose frames coincide, each as LINK=LINK:TYPE, of a '
              'robot with closed loops whose description does not say so.'),
    Parameter('actuated', ('',), 'Joints that motors drive, of a robot with closed loops; by '
              'default those that the description says.'),
    Parameter('start', ('',), 'Positions near a closed pose, each as JOINT=POSITION [rad or m], '
              'of a robot with closed loops; by default the zero pose, if it is closed.'))


class LoopNotes(NamedTuple):
    """What a description says of loops, the elements that say it, and what is wrong with them."""

    loops: tuple[Loop, ...]
    couplings: tuple[Coupling, ...]
    driven: tuple[str, ...]
    elements: frozenset[Element]
    problems: tuple[Problem, ...]


def read_loops(robot: Description, pairs: Sequence[str] = (),
               actuated: Sequence[str] = ()) -> LoopNotes:
    """Return the loops and gears of a description whose links and joints are a tree."""
    pairs, actuated = ([names] if isinstance(names, str) else names for names in (pairs, actuated))
    loops: list[Loop] = []
    couplings: list[Coupling] = []
    problems: list[Problem] = []
    elements: list[Element] = []
    for element in _notations(robot):
        elements.append(element)
        try:
            if element.tag == 'coupling':
                couplings.append(_coupling(robot, element))
            else:
                loops.append(_loop(robot, element))
        except ValueError as error:
            problems.append(reject('loop-notation', element, str(error)))
    for pair in pairs:
        try:
            loops.append(_pair(robot, pair))
        except ValueError as error:
            problems.append(Problem('loop-notation', str(error), f'loop {quote(pair)}'))
    problems += [Problem('joint-unknown', f'no joint is named {quote(name)}; '
                         f'{suggestion(name, robot.joint_of, robot.is_small)}', 'actuated')
                 for name in actuated if name.partition('/')[0] not in robot.joint_of]
    closes = loops or couplings
    if actuated and not (closes or problems):
        problems.append(Problem('loop-notation', 'it names the motors of closed loops, and this '
                                'robot has none: leave it out', 'actuated'))
    return LoopNotes(tuple(loops), tuple(couplings), _driven(robot, actuated) if closes else (),
                     frozenset(elements), tuple(problems))


def _notations(robot: Description) -> Iterator[Element]:
    """Yield the elements that are read, in the order in which loops are counted."""
    for tag in ('loop_joint', 'loop', 'coupling', 'constraint'):
        yield from robot.robot.iterchildren(tag)
    yield from robot.robot.iterfind('gazebo/joint[child]')
    for tag in ('ball_constraint', 'distance_constraint'):
        for element in robot.robot.iterchildren(f'{{*}}{tag}'):
            if not any('stiffness' in str(child.tag) or 'damping' in str(child.tag)
                       for child in element):   # those are springs
                yield element


def _driven(robot: Description, actuated: Sequence[str]) -> tuple[str, ...]:
    """Return the joints that motors drive, by what says it first."""
    said = {name_of(joint): joint.get('independent', '').strip().lower() for joint in robot.joints}
    independent = [name for name, word in said.items() if word in ('true', '1')]
    if not independent and any(word in ('false', '0') for word in said.values()):
        independent = [name for name, word in said.items() if not word]
    commanded = [name_of(joint) for joint in robot.robot.iterfind('ros2_control/joint')
                 if joint.find('command_interface') is not None]
    moved = [name_of(joint) for drive in transmissions(robot)
             for joint in drive.iterfind('joint')]
    names = actuated or independent or [*commanded, *moved]
    return tuple(dict.fromkeys(names))


# ---- Loops

def _loop(robot: Description, element: Element) -> Loop:
    """Return what an element closes; a ValueError says what is wrong with it."""
    tag = tag_of(element).rpartition(':')[2]
    if tag in ('ball_constraint', 'distance_constraint'):
        return _of_drake(robot, element, tag)
    name = name_of(element) or tag
    kind = _kind(element.get('type', ''))
    if element.getparent().tag == 'gazebo':   # type: ignore[union-attr]
        return _of_gazebo(robot, element, name, kind)
    if tag == 'loop':
        ends = [(end, end.find('origin'))
                for end in _children(element, 'predecessor', 'successor')]
    elif tag == 'constraint' or element.find('parent') is not None:
        ends = [(_child(element, who), element.find(f'{who}_origin'))
                for who in ('parent', 'child')]
    else:   # the page of Isaac Sim writes link1 twice
        ends = [(end, end) for end in _children(element, 'link1', 'link2')]
    axes = [axis for k, who in enumerate(('parent', 'child')) for axis in [
        ends[k][0].find('axis'), element.find(f'{who}_axis'), element.find('axis')]
        if axis is not None]
    if kind in _WITH_AXIS and not axes:
        raise ValueError(f'a {kind} loop has an axis; add <axis xyz="..."/>, in the frames that '
                         'coincide')
    frames = []
    for k, (who, (end, origin)) in enumerate(zip(('parent', 'child'), ends)):
        places = (end.find('axis'), element.find(f'{who}_axis'),
                  element.find('axis2') if k else None, element.find('axis'))
        axis = next((place for place in places if place is not None), None)
        frames.append(LoopFrame(
            _link(robot, end.get('link', '')), _triple(origin, 'xyz'), _rpy(origin),
            _unit(_triple(axis, 'xyz')) if axis is not None else LoopFrame.axis))
    length = element.get('length') or element.get('distance')
    return _checked(Loop(name, kind, frames[0], frames[1],
                         read_numbers(length, 1)[0] if length else 0.0))


def _kind(text: str) -> str:
    kind = _TYPES.get(text.strip().lower(), text.strip().lower())
    if kind not in LOOP_TYPES:
        raise ValueError(f'{quote(text)} is no type of a loop; the types are '
                         f'{", ".join(LOOP_TYPES)}')
    return kind


def _checked(loop: Loop) -> Loop:
    if loop.first.link == loop.second.link:
        raise ValueError(f'both ends are on link {quote(loop.first.link)}; a loop closes between '
                         'two links')
    if loop.type == 'distance' and loop.length <= 0.0:
        raise ValueError('a distance needs length="..." [m], more than 0')
    return loop


def _of_drake(robot: Description, element: Element, tag: str) -> Loop:
    values = {tag_of(child).rpartition(f'{tag}_')[2]: child for child in element.iterchildren('*')}
    frames: list[LoopFrame] = []
    for body, point in (('body_A', 'p_AP'), ('body_B', 'p_BQ')):
        if body not in values:
            raise ValueError(f'<drake:{tag}_{body} name="..."/> is missing')
        frames.append(LoopFrame(_link(robot, name_of(values[body])),
                                _triple(values.get(point), 'value')))
    distance = values.get('distance')
    length = 0.0 if distance is None else read_numbers(distance.get('value', ''), 1)[0]
    return _checked(Loop(tag, 'distance' if tag.startswith('distance') else 'spherical',
                         frames[0], frames[1], length))


def _of_gazebo(robot: Description, element: Element, name: str, kind: str) -> Loop:
    """Return a loop whose frame in the first link is where that in the second is at zero."""
    first, second = (_link(robot, (element.findtext(who) or '').strip())
                     for who in ('parent', 'child'))
    pose = (element.findtext('pose') or '0 0 0 0 0 0').split()
    xyz, rpy = (_as_triple(read_numbers(' '.join(part), 3)) for part in (pose[:3], pose[3:]))
    axes = [element.findtext(f'{tag}/xyz') for tag in ('axis', 'axis2')]
    if kind in _WITH_AXIS and axes[0] is None:
        raise ValueError(f'a {kind} joint has an axis; add <axis><xyz>...</xyz></axis>')
    axis, axis2 = (_unit(_three(text or axes[0] or '1 0 0')) for text in axes)
    (R1, p1), (R2, p2) = _at_zero(robot, first), _at_zero(robot, second)
    R = R2 @ from_rpy(rpy)
    p = p2 + R2 @ xyz
    back = R1.T @ R
    return _checked(Loop(
        name, kind, LoopFrame(first, R1.T @ (p - p1), _angles(back), axis),
        LoopFrame(second, xyz, rpy, axis2 if kind == 'universal' else axis)))


def _pair(robot: Description, pair: str) -> Loop:
    """Return a loop at the frames of two links; a hinge is along the joints of a planar loop."""
    links, _, rest = pair.partition(':')
    first, sign, second = (part.strip() for part in links.partition('='))
    if not sign:
        raise ValueError('a loop is written LINK=LINK:TYPE, like tip=rod_end:revolute')
    kind, _, direction = rest.partition(':')
    kind = _kind(kind or 'spherical')
    first, second = _link(robot, first), _link(robot, second)
    axes = [_unit(_three(direction))] * 2 if direction else [_parallel(robot, link, first, second)
                                                             for link in (first, second)]
    return _checked(Loop(pair, kind, LoopFrame(first, axis=axes[0]), LoopFrame(second,
                                                                               axis=axes[1])))


def _parallel(robot: Description, link: str, first: str, second: str) -> Triple:
    """Return the axis of all hinges of a loop in the frame of a link, z if they differ."""
    chains = [_joints_to(robot, link) for link in (first, second)]
    axes = []
    for joint in (*chains[0], *chains[1]):
        if (joint in chains[0]) != (joint in chains[1]) and (
                joint.get('type') in ('revolute', 'continuous')):
            axis = joint.find('axis')
            R, _ = _at_zero(robot, robot.child_of[joint])
            axes.append(R @ ((1.0, 0.0, 0.0) if axis is None else _unit(_triple(axis, 'xyz'))))
    if not axes or any(math.hypot(*cross(axes[0], axis)) > 1e-6 for axis in axes):
        return _Z
    x, y, z = (round(float(entry), 9) + 0.0 for entry in _at_zero(robot, link)[0].T @ axes[0])
    return _unit((x, y, z))


# ---- Gears and belts

def _coupling(robot: Description, element: Element) -> Coupling:
    """Return a gear: sum of the successor's joints = ratio * sum of the predecessor's."""
    ends = [_joints_to(robot, _link(robot, end.get('link', '')))
            for end in _children(element, 'predecessor', 'successor')]
    ratio = element.find('ratio')
    if ratio is None:
        raise ValueError('<ratio value="..."/> is missing')
    value = read_numbers(ratio.get('value', ''), 1)[0]
    shared = set(ends[0]).intersection(ends[1])
    terms = [(name_of(joint), factor) for chain, factor in zip(ends, (-value, 1.0))
             for joint in chain if joint not in shared and joint.get('type') != 'fixed']
    if not terms:
        raise ValueError('no joint moves its links against each other')
    return Coupling(name_of(element) or 'coupling', tuple(terms))


# ---- What elements have

def _children(element: Element, *tags: str) -> list[Element]:
    children = list(element.iterchildren(*tags))
    if len(children) != 2:
        raise ValueError(f'it has {len(children)} of <{tags[0]} link="..."/> and <{tags[1]} '
                         'link="..."/>; one of each is required')
    return children


def _child(element: Element, tag: str) -> Element:
    child = element.find(tag)
    if child is None:
        raise ValueError(f'<{tag} link="..."/> is missing')
    return child


def _link(robot: Description, name: str) -> str:
    if name not in robot.link_of:
        raise ValueError(f'no link is named {quote(name)}; '
                         f'{suggestion(name, robot.link_of, robot.is_small)}')
    return name


def _as_triple(values: Iterable[float]) -> Triple:
    x, y, z = values
    return (x, y, z)


def _three(text: str) -> Triple:
    return _as_triple(read_numbers(text, 3))


def _triple(element: Element | None, attribute: str) -> Triple:
    return _three('0 0 0' if element is None else element.get(attribute, '0 0 0'))


def _rpy(element: Element | None) -> Triple:
    if element is not None and (quaternion := element.get('quat_xyzw')):
        return rpy_of(read_numbers(quaternion, 4))
    return _triple(element, 'rpy')


def _unit(axis: Triple) -> Triple:
    norm = math.hypot(*axis)
    if norm < 1e-8:
        raise ValueError('an axis of zero length has no direction')
    x, y, z = axis
    return axis if abs(norm - 1.0) < 1e-15 else (x / norm, y / norm, z / norm)


def _angles(R: Matrix) -> Triple:
    across = math.hypot(R[0][0], R[1][0])
    if across < 1e-9:
        return 0.0, math.atan2(-R[2][0], across), math.atan2(-R[0][1], R[1][1])
    return (math.atan2(R[2][1], R[2][2]), math.atan2(-R[2][0], across),
            math.atan2(R[1][0], R[0][0]))


def _joints_to(robot: Description, link: str) -> list[Element]:
    by_child = {child: joint for joint, child in robot.child_of.items()}
    joints: list[Element] = []
    while link in by_child and len(joints) <= len(by_child):   # a cycle is another rule's
        joints.append(by_child[link])
        link = robot.parent_of[joints[-1]]
    return joints[::-1]


def _at_zero(robot: Description, link: str) -> tuple[Matrix, Vector]:
    """Return root_R_link and root_p_link [m] of a link where all joints are at zero."""
    R: Matrix = IDENTITY
    p: Vector = ZERO
    for joint in _joints_to(robot, link):
        origin = joint.find('origin')
        p = p + R @ _triple(origin, 'xyz')
        R = R @ from_rpy(_rpy(origin))
    return R, p
