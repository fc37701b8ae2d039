"""
The rules for robot descriptions: a function each.

A rule yields its problems; what another rule reports as faulty is None or empty for it. A new one
needs its function here, with `@rule`, and a URDF that breaks it alone, test/corpus/<code>.urdf.
`check_description` at the end applies them, in the order of this file; those for names that URDF
does not have stand in unknown_names.py.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from statistics import median

from urdf2dyn_ros.errors import Problem, UrdfError
from urdf2dyn_ros.robot.document import (
    ATTRIBUTES,
    AXIAL_TYPES,
    CHILDREN,
    JOINT_TYPES,
    MOVING_TYPES,
    MULTI_DOF_TYPES,
    NO_EFFECT,
    NUMBER_ATTRIBUTES,
    REQUIRED_ATTRIBUTES,
    REQUIRED_CHILDREN,
    TENSOR_ATTRIBUTES,
    Description,
    Element,
    children,
    gear_ratios,
    line_of,
    merged,
    name_of,
    read_numbers,
    read_reduction,
    reductions,
    reject,
    transmissions,
    type_of,
    undeclared,
    warn,
)
from urdf2dyn_ros.robot.joints import DECOMPOSED
from urdf2dyn_ros.robot.model import Joint
from urdf2dyn_ros.robot.spatial import LARGEST_MAGNITUDE, inertia_flaw
from urdf2dyn_ros.robot.unknown_names import (
    loops_of_other_tools,
    terms_of_other_tools,
    texts,
    unknown_attributes,
    unknown_elements,
)
from urdf2dyn_ros.text import escaped, listed, quote, suggestion

MAX_PROBLEMS = 1000   # of rejections, after which no more rules are applied
STRICT_CODES = ('inertia-negative', 'inertia-triangle')   # rejected with `strict_inertia`

_SHORTEST_AXIS = 1e-8   # a shorter one has no direction
_UNIT_TOLERANCE = 1e-3   # of the length of an axis
_LARGEST_DISTANCE = 100.0   # [m] from an origin to the next
_LARGEST_MASS = 1e4   # of a link [kg]
_LARGEST_MASS_RATIO = 1e6   # of two links [-]
# Radius of gyration of a link by its reach: the medians of 70 real robots are 0.2 to 0.95, but for
# placeholders up to 17; inertias of another unit are 1000 times as large, radii 32 times.
_LEAST_GYRATION, _LARGEST_GYRATION = 0.05, 5.0   # [-], median of a robot's links
_LEAST_RADIUS = 2e-3   # of one link, by its reach; 2.6e-3 is the least of 70 real robots [-]
_LARGEST_RADIUS = 0.5   # of one link, by the size of the robot [-]
_LARGEST_TURN = 4.0 * math.pi   # of a revolute joint's limits [rad]
_LARGEST_SPEED = 40.0   # half of a robot's revolute joints; 70 real robots: up to 32 [rad/s]
_UNLIMITED = 1e4   # [rad]: as large a limit stands for none
_LEAST_LOAD = 5e-3   # of gravity by limits of effort, at most; real robots: 0.013 to 18 [-]
_MOST_DAMPING = 10.0   # by the limit of effort, at 1 rad/s; real robots: up to 2.2 [-]
_GRAVITY = 9.81   # [m/s^2]
_MULTIPLIED_TAGS = ('origin', 'mass', 'inertia', 'mimic', 'force')

Rule = Callable[[Description], Iterator[Problem]]

RULES: list[Rule] = []


def rule(function: Rule) -> Rule:
    """Add a rule."""
    RULES.append(function)
    return function


# Single elements and attributes: present, once, readable.

@rule
def xacro_unresolved(robot: Description) -> Iterator[Problem]:
    """No ${...} or $(...) remains."""
    return merged(
        reject('xacro-unresolved', element, 'this is an expression of xacro, not URDF: run xacro '
               'on the file first', attribute)
        for element in robot.elements for attribute in ATTRIBUTES[str(element.tag)]
        if _has_xacro(element.get(attribute, '')))


def _has_xacro(text: str) -> bool:
    return '${' in text or '$(' in text


@rule
def plain_numbers(robot: Description) -> Iterator[Problem]:
    """Every number is plain and finite, and an attribute has as many as it needs."""
    for element in robot.elements:
        for attribute, count in NUMBER_ATTRIBUTES.get(str(element.tag), {}).items():
            text = element.get(attribute)
            if text is None or _has_xacro(text) or robot.numbers(element, attribute):
                continue
            try:
                read_numbers(text, count)
            except ValueError as error:
                yield reject('number', element, f'{quote(text)}: {error}', attribute)


@rule
def missing_parts(robot: Description) -> Iterator[Problem]:
    """Elements and attributes without a default are there; a wrench has a force or a torque."""
    for element in robot.elements:
        for tag in REQUIRED_CHILDREN.get(str(element.tag), ()):
            if element.find(tag) is None:
                required = ' '.join(f'{name}="..."' for name in REQUIRED_ATTRIBUTES[tag])
                yield reject('element-missing', element,
                             f'<{tag}> is missing; add <{tag} {required}/>')
        if element.tag == 'force' and element.get('force') is element.get('torque') is None:
            yield reject('force-missing', element, 'neither force nor torque; add '
                         'force="fx fy fz" [N] or torque="..." [N m]')
        missing = [attribute for attribute in REQUIRED_ATTRIBUTES.get(str(element.tag), ())
                   if element.get(attribute) is None]
        if missing:
            example = ' '.join(f'{attribute}="..."' for attribute in missing)
            zero = ', with 0 where it is zero' if element.tag == 'inertia' else ''
            yield reject('attribute-missing', element,
                         f'{", ".join(missing)} missing; add {example}{zero}')


@rule
def repeated_elements(robot: Description) -> Iterator[Problem]:
    """A link or joint has a tag once; parsers disagree on which one they use."""
    for element in robot.elements:
        if element is robot.robot or str(element.tag) not in CHILDREN:
            continue
        counts = Counter(str(child.tag) for child in children(element))
        for tag in (tag for tag, count in counts.items() if count > 1):
            yield reject('element-repeated', element.findall(tag)[1], f'there are {counts[tag]} '
                         f'<{tag}>, one is allowed; delete the others')


@rule
def quaternions(robot: Description) -> Iterator[Problem]:
    """A quaternion is of URDF 1.1 or later, has a direction, and is the only rotation."""
    version = robot.robot.get('version', '1.0').strip()
    for element in robot.elements:
        if element.tag != 'origin' or element.get('quat_xyzw') is None:
            continue
        values = robot.numbers(element, 'quat_xyzw')
        if version in ('1', '1.0'):
            yield reject('quaternion', element, 'ROS ignores quaternions before URDF 1.1; add '
                         'version="1.1" to <robot>, or write the rotation as rpy="..."',
                         'quat_xyzw')
        elif element.get('rpy') is not None:
            yield reject('quaternion', element, 'there are rpy and quat_xyzw, one is allowed; '
                         'delete one of them', 'quat_xyzw')
        elif values is not None and max(map(abs, values)) < _SHORTEST_AXIS:
            yield reject('quaternion', element, 'a zero quaternion is no rotation; write one of '
                         'length 1, like "0 0 0 1"', 'quat_xyzw')


@rule
def unused_axes(robot: Description) -> Iterator[Problem]:
    """Where an axis is not used, it is at least readable."""
    for joint in robot.joints:
        axis = joint.find('axis')
        if (axis is not None and type_of(joint) in ('fixed', 'floating')
                and robot.numbers(axis, 'xyz') is None):
            yield warn('axis-unused', axis, f'a {type_of(joint)} joint has no axis: this one is '
                       'ignored, and is no vector; delete it', 'xyz', effect=NO_EFFECT)


@rule
def undeclared_prefixes(robot: Description) -> Iterator[Problem]:
    """Prefixes are declared, also in <gazebo>, where others read the text without namespaces."""
    return merged(
        warn('prefix-in-gazebo', element, 'a prefix is not declared, which is not XML; add '
             'xmlns:PREFIX="..." to <robot>', effect=NO_EFFECT)
        for element in undeclared(robot.robot))


@rule
def names(robot: Description) -> Iterator[Problem]:
    """Links and joints have unique names; the robot has one, though efforts do not need it."""
    if not name_of(robot.robot).strip():
        yield warn('robot-name', robot.robot, 'the robot has no name and is called "robot"; '
                   'add name="..."', effect=NO_EFFECT)
    for element in (*robot.links, *robot.joints):
        if not name_of(element).strip():
            yield reject('name-missing', element,
                         f'a {element.tag} must have a name; add name="..."')
    for elements in (robot.links, robot.joints):
        groups: dict[str, list[Element]] = defaultdict(list)
        for element in elements:
            groups[name_of(element)].append(element)
        for name, group in groups.items():
            if len(group) > 1 and name.strip():
                lines = ', '.join(str(line) for line in map(line_of, group[:10]) if line)
                yield reject('name-duplicate', group[1], f'{len(group)} {group[0].tag}s have this '
                             f'name{f" (lines {lines})" if lines else ""}; rename')


RULES += (unknown_elements, unknown_attributes, texts, loops_of_other_tools,
          terms_of_other_tools)


# The graph: every joint connects two links, and together they make one tree.

@rule
def unknown_links(robot: Description) -> Iterator[Problem]:
    """The parent and the child of a joint and the link of a force are links of this robot."""
    ends = (end for joint in robot.joints for end in joint.iterchildren('parent', 'child'))
    for element in (*ends, *robot.forces):
        name = element.get('link')
        if name is not None and name not in robot.link_of:
            yield reject('link-unknown', element, f'no link is named {quote(name)}; '
                         f'{suggestion(name, robot.link_of, robot.is_small)}', 'link')


@rule
def self_loops(robot: Description) -> Iterator[Problem]:
    """A joint connects two different links."""
    for joint in robot.joints:
        link = robot.parent_of[joint]
        if link and link == robot.child_of[joint]:
            yield reject('self-loop', joint, f'link {quote(link)} is both parent and child; a '
                         'joint connects two links')


@rule
def two_parents(robot: Description) -> Iterator[Problem]:
    """A link is the child of one joint; closed chains are no trees."""
    for child, joints in _joints_by_child(robot).items():
        if len(joints) > 1:
            names = listed(name_of(joint) for joint in joints)
            parents = listed(robot.parent_of[joint] for joint in joints)
            yield reject('two-parents', joints[1], f'link {quote(child)} is the child of '
                         f'{len(joints)} joints ({names}, with the parents {parents}); a link has '
                         'one parent: keep one joint, cut the loop open')


@rule
def two_roots(robot: Description) -> Iterator[Problem]:
    """At most one link is the child of no joint; if none is, there is a cycle."""
    # A misspelled child leaves its link without a parent: that is one fault, reported once.
    if any(robot.child_of[joint] not in robot.link_of for joint in robot.joints):
        return
    by_child = _joints_by_child(robot)
    roots = [name for name in robot.link_of if name not in by_child]
    if len(roots) > 1:
        yield reject('two-roots', robot.link_of[roots[1]], f'{len(roots)} links are child of no '
                     f'joint: {listed(roots)}; a robot is one tree with one root, connect the '
                     'others to it')


@rule
def cycles(robot: Description) -> Iterator[Problem]:
    """The parents of every link end at the root."""
    by_child = _joints_by_child(robot)
    joint_of = {child: by_child[child][0] for child in robot.link_of
                if len(by_child.get(child, ())) == 1
                and robot.parent_of[by_child[child][0]] != child}
    code = 'cycle' if any(name not in by_child for name in robot.link_of) else 'no-root'
    for links in _loops({child: robot.parent_of[joint] for child, joint in joint_of.items()}):
        joints = [joint_of[name] for name in links]
        yield reject(code, min(joints, key=lambda joint: line_of(joint) or 0),
                     f'links {listed(links)} are parents of one another, by joints '
                     f'{listed(map(name_of, joints))}, without a root; one of these joints is too '
                     'many, or its parent and child are exchanged')


def _joints_by_child(robot: Description) -> dict[str, list[Element]]:
    by_child: dict[str, list[Element]] = defaultdict(list)
    for joint in robot.joints:
        child = robot.child_of[joint]
        if child in robot.link_of:
            by_child[child].append(joint)
    return by_child


def _paths(next_of: Mapping[str, str]) -> Iterator[tuple[list[str], str]]:
    """
    Yield paths that contain every key once, and the name after the last of each.

    That name is in the path if it ends in a loop, is in an earlier path, or is no key.
    """
    visited: set[str] = set()
    for start in next_of:
        path: dict[str, None] = {}
        name = start
        while name in next_of and name not in visited and name not in path:
            path[name] = None
            name = next_of[name]
        yield list(path), name
        visited |= path.keys()


def _loops(next_of: Mapping[str, str]) -> Iterator[list[str]]:
    """Yield the names of every loop."""
    for path, end in _paths(next_of):
        if end in path:
            yield path[path.index(end):]


# Single joints: type, axis, limits, friction.

@rule
def joint_types(robot: Description) -> Iterator[Problem]:
    """The type is one of URDF's."""
    for joint in robot.joints:
        kind = joint.get('type')
        if kind is not None and kind not in JOINT_TYPES:
            yield reject('joint-type', joint, f'{quote(kind)} is no type of joint; the types are '
                         f'{", ".join(JOINT_TYPES)}', 'type')


@rule
def axes(robot: Description) -> Iterator[Problem]:
    """An axis that is used has a direction, and is a unit vector."""
    for joint in robot.joints:
        axis = joint.find('axis')
        xyz = robot.numbers(axis, 'xyz')
        if axis is None or xyz is None or type_of(joint) not in AXIAL_TYPES:
            continue
        norm = math.hypot(*xyz)
        if norm < _SHORTEST_AXIS:
            yield reject('axis-zero', axis, 'a zero vector has no direction; write one of length '
                         '1, like "0 0 1"', 'xyz')
        elif abs(norm - 1.0) > _UNIT_TOLERANCE:
            unit = ' '.join(f'{entry / norm + 0.0:.12g}' for entry in xyz)
            yield warn('axis-not-unit', axis, f'length {norm:.6g} instead of 1; only its '
                       f'direction is used, write "{unit}"', 'xyz',
                       effect='no effect, if only the direction was meant')


@rule
def ranges(robot: Description) -> Iterator[Problem]:
    """Limits are there where URDF requires them, and their range is more than a position."""
    limited = [joint for joint in robot.joints if type_of(joint) in ('revolute', 'prismatic')]
    yield from merged(
        warn('limit-missing', joint, 'URDF requires <limit lower="..." upper="..."> here; efforts '
             'do not depend on it', effect=NO_EFFECT)
        for joint in limited if not joint.xpath('limit[1][@lower or @upper]'))
    single, among = [], set(limited)
    for limit in robot.robot.iterfind('joint/limit'):
        lower, upper = robot.number(limit, 'lower'), robot.number(limit, 'upper')
        if lower is not None and upper is not None and lower > upper:
            yield warn('limit-inverted', limit, f'lower {lower:g} is above upper {upper:g}; '
                       'exchange them', effect=NO_EFFECT)
        elif lower is not None and lower == upper and limit.getparent() in among:
            single.append(warn('limit-single', limit, 'lower equals upper: the joint cannot move; '
                               'write its range, or type="fixed"', 'lower', effect=NO_EFFECT))
    yield from merged(single)


@rule
def joint_magnitudes(robot: Description) -> Iterator[Problem]:
    """Limits of magnitudes are positive; damping and friction do not drive a joint."""
    reasons = {'limit': 'the limit of a magnitude must not be negative',
               'dynamics': 'negative {} drives the joint'}
    effects = {'limit': NO_EFFECT, 'dynamics': 'none are computed with friction, which may not be '
               'negative; without friction, no effect'}
    for tag, attribute in (('limit', 'effort'), ('limit', 'velocity'),
                           ('dynamics', 'damping'), ('dynamics', 'friction')):
        for element in robot.robot.iterfind(f'joint/{tag}'):
            if (robot.number(element, attribute) or 0.0) < 0.0:
                yield warn(f'{tag}-negative', element, f'{reasons[tag].format(attribute)}; drop '
                           'the sign', attribute, effect=effects[tag])
    limits = ((joint, joint.find('limit')) for joint in robot.joints)   # mostly it was forgotten
    yield from merged(
        warn('effort-zero', limit, 'other programs apply no effort with this limit, computed '
             'efforts do not depend on it; write what the joint can do', 'effort',
             effect=NO_EFFECT)
        for joint, limit in limits if limit is not None and type_of(joint) in MOVING_TYPES
        and robot.number(limit, 'effort') == 0.0)


@rule
def coordinate_names(robot: Description) -> Iterator[Problem]:
    """No joint has the name of another's coordinate, by which positions are identified."""
    for joint in robot.joints:
        name, kind = name_of(joint), type_of(joint)
        if kind not in MULTI_DOF_TYPES:
            continue
        for part in DECOMPOSED[kind](Joint(name, kind, '', '')):
            other = robot.joint_of.get(part.name)
            if other is not None:
                yield reject('name-taken', other, f'joint {quote(name)}, {kind}, has a coordinate '
                             'of this name; rename one')


@rule
def floating_root(robot: Description) -> Iterator[Problem]:
    """A floating joint at the root makes the base a moving one."""
    children = {robot.child_of[joint] for joint in robot.joints}
    for joint in robot.joints:
        if type_of(joint) == 'floating' and robot.parent_of[joint] not in children:
            yield warn('floating-root', joint, 'the root floats: its motion is an input of the '
                       'equations; with a fixed base it stays where the joint places it', 'type',
                       effect='they depend on the motion of the base, an input; with a fixed '
                       'base, no effect')


# Mimic joints: each follows another joint that exists and moves, and no loop.

@rule
def idle_mimics(robot: Description) -> Iterator[Problem]:
    """A joint that mimics another moves: it is not fixed, and its multiplier not zero."""
    fixed = ((joint, joint.find('mimic')) for joint in robot.joints if type_of(joint) == 'fixed')
    yield from merged(
        warn('mimic-ignored', mimic, 'a fixed joint cannot mimic another; the mimic is ignored, '
             'delete it', 'joint', effect=NO_EFFECT)
        for joint, mimic in fixed if mimic is not None)
    for _, mimic in _mimics(robot):
        if robot.number(mimic, 'multiplier') == 0.0:
            yield warn('mimic-zero', mimic, 'multiplier 0: the joint stands still at its offset',
                       'multiplier', effect='nothing of this joint is reflected to the joint that '
                       'drives it')


@rule
def mimicked_joints(robot: Description) -> Iterator[Problem]:
    """The mimicked joint is another one, and both have one coordinate."""
    for joint, mimic in _mimics(robot):
        name = mimic.get('joint')
        if name is None:
            continue
        target = robot.joint_of.get(name)
        if target is None:
            others = (other for other in robot.joint_of if other != name_of(joint))
            yield reject('mimic-unknown', mimic, f'no joint is named {quote(name)}; '
                         f'{suggestion(name, others, robot.is_small)}', 'joint')
        elif name == name_of(joint):
            yield reject('mimic-self', mimic, 'the joint mimics itself; name the joint that '
                         'drives it', 'joint')
        elif type_of(target) == 'fixed':
            yield reject('mimic-fixed', mimic, f'joint {quote(name)} is fixed; mimic a joint that '
                         'moves', 'joint')
        else:
            for end in (joint, target):
                if type_of(end) in MULTI_DOF_TYPES:
                    yield reject('mimic-multi-dof', mimic, f'joint {quote(name_of(end))} is '
                                 f'{type_of(end)} and has several coordinates; only joints with '
                                 'one can mimic or be mimicked', 'joint')


@rule
def mimic_loops(robot: Description) -> Iterator[Problem]:
    """A chain of mimics ends at a joint that does not mimic."""
    mimics = _mimic_of(robot)
    for loop in _loops({name: mimic.get('joint', '') for name, mimic in mimics.items()}):
        if len(loop) > 1:
            yield reject('mimic-loop', mimics[loop[0]], f'joints {listed(loop)} mimic each other; '
                         'one of them must not mimic', 'joint')


@rule
def mimic_products(robot: Description) -> Iterator[Problem]:
    """The product of the multipliers of a chain of mimics is not too large."""
    mimics = _mimic_of(robot)
    product: dict[str, float] = {}
    for path, driver in _paths({name: mimic.get('joint', '') for name, mimic in mimics.items()}):
        for name in reversed(path):
            multiplier, before = robot.number(mimics[name], 'multiplier'), product.get(driver, 1.0)
            value = (1.0 if multiplier is None else multiplier) * before
            if abs(value) > LARGEST_MAGNITUDE >= abs(before):
                yield reject('mimic-product', mimics[name], 'with all mimics of its chain it '
                             f'moves {value:g} times as far as the joint that drives it, more '
                             f'than {LARGEST_MAGNITUDE:g}; correct a multiplier', 'multiplier')
            driver, product[name] = name, value


def _mimics(robot: Description) -> Iterator[tuple[Element, Element]]:
    """Yield the joints that mimic others, each with its mimic."""
    for joint in robot.joints:
        mimic = joint.find('mimic')
        if mimic is not None and type_of(joint) != 'fixed':
            yield joint, mimic


def _mimic_of(robot: Description) -> dict[str, Element]:
    return {name_of(joint): mimic for joint, mimic in _mimics(robot)}


# Inertial parameters: those of a body that can exist.

@rule
def inertial_parameters(robot: Description) -> Iterator[Problem]:
    """
    A mass is positive, or zero with a zero inertia, as of a frame; a body can have the inertia.

    Its principal moments are not negative, and none exceeds the sum of the other two.
    """
    for link in robot.links:
        mass, inertia = link.find('inertial/mass'), link.find('inertial/inertia')
        value = robot.number(mass, 'value')
        entries = [entry for name in TENSOR_ATTRIBUTES
                   if (entry := robot.number(inertia, name)) is not None]
        if mass is not None and value is not None and value < 0.0:
            yield reject('mass-negative', mass, 'a mass is not negative; drop the sign or measure '
                         'it again', 'value')
        elif mass is not None and value == 0.0 and any(entries):
            yield warn('mass-zero', mass, 'an inertia without mass is used as written; give the '
                       'link its mass', 'value', effect='those of all joints before this link '
                       'lack its weight')
        if inertia is None or len(entries) < len(TENSOR_ATTRIBUTES) or not any(entries):
            continue
        flaw = inertia_flaw([inertia.get(name, '') for name in TENSOR_ATTRIBUTES], entries,
                            value or 0.0)
        if flaw is not None:
            wrong = ('can have the wrong sign and size' if flaw[0] == 'inertia-negative' else
                     'are wrong: its inertia is physically impossible')
            yield warn(flaw[0], inertia, flaw[1],
                       effect=f'those that accelerate this link {wrong}')


# The whole robot: efforts that are always zero, and numbers in the wrong unit.

@rule
def magnitudes(robot: Description) -> Iterator[Problem]:
    """Numbers are not so large that their products overflow."""
    for element in robot.elements:
        if element.tag not in _MULTIPLIED_TAGS:
            continue
        for attribute in NUMBER_ATTRIBUTES[str(element.tag)]:
            values = robot.numbers(element, attribute)
            if values is not None and max(map(abs, values)) > LARGEST_MAGNITUDE:
                yield reject('number-too-large', element, f'more than {LARGEST_MAGNITUDE:g} in SI '
                             'units, which no robot has; correct it', attribute)


@rule
def massless_branches(robot: Description) -> Iterator[Problem]:
    """Every moving joint moves some mass; otherwise its effort is always zero."""
    order = _outwards(robot)
    massive = {name: _has_inertia(robot, link) for name, link in robot.link_of.items()}
    for joint in reversed(order):
        parent, child = robot.parent_of[joint], robot.child_of[joint]
        massive[parent] = massive[parent] or massive[child]
    drivers = _drivers(robot, (joint for joint in order if massive[robot.child_of[joint]]))
    branch_of: dict[str, Element] = {}   # link to the first joint without mass before it
    branches: dict[Element, list[str]] = defaultdict(list)   # that joint to all that move
    for joint in order:
        parent, child = robot.parent_of[joint], robot.child_of[joint]
        moves = type_of(joint) in MOVING_TYPES
        if parent in branch_of or (moves and not massive[child]):
            branch_of[child] = branch_of.get(parent, joint)
            if moves:
                branches[branch_of[child]].append(name_of(joint))
    for first, moving in branches.items():
        if not drivers.intersection(moving):
            yield warn('massless-branch', first, 'no link beyond it has mass or inertia: the '
                       f'effort of {listed(moving)} is zero in every motion; give link '
                       f'{quote(robot.child_of[first])} an <inertial>',
                       effect='zero in every motion at these joints')


def _outwards(robot: Description) -> list[Element]:
    """Return the joints behind the roots, in an order from parents to children."""
    joints_of: dict[str, list[Element]] = defaultdict(list)
    children = set()
    for joint in robot.joints:
        if robot.child_of[joint] in robot.link_of:
            joints_of[robot.parent_of[joint]].append(joint)
            children.add(robot.child_of[joint])
    links = [name for name in robot.link_of if name not in children]
    seen = set(links)
    order = []
    for link in links:  # the list grows in the loop
        for joint in joints_of[link]:
            child = robot.child_of[joint]
            if child not in seen:
                seen.add(child)
                links.append(child)
                order.append(joint)
    return order


def _drivers(robot: Description, followers: Iterable[Element]) -> set[str]:
    """Return the names of the joints that `followers` mimic, directly or through others."""
    drivers: set[str] = set()
    for follower in followers:
        joint: Element | None = follower
        while joint is not None:
            mimic = joint.find('mimic')
            name = '' if mimic is None else mimic.get('joint', '')
            joint = None if name in drivers else robot.joint_of.get(name)
            drivers.add(name)
    return drivers


def _has_inertia(robot: Description, link: Element) -> bool:
    """Return whether a link has inertia, also where another rule reports its numbers."""
    inertia = link.find('inertial/inertia')
    values = [robot.number(link.find('inertial/mass'), 'value')]
    values += [robot.number(inertia, name) for name in TENSOR_ATTRIBUTES]
    return link.find('inertial') is not None and any(value != 0.0 for value in values)


@rule
def mass_units(robot: Description) -> Iterator[Problem]:
    """Masses are in kilograms, as far as their size shows."""
    masses: dict[str, tuple[float, Element]] = {}
    children = {robot.child_of[joint] for joint in robot.joints}
    for link in robot.links:
        mass = link.find('inertial/mass')
        value = robot.number(mass, 'value')
        if mass is None or value is None or value <= 0.0:
            continue
        # A root that is a frame alone often has a tiny mass by convention.
        if name_of(link) in children:
            masses[name_of(link)] = value, mass
        if value > _LARGEST_MASS:
            yield warn('units-mass', mass, f'more than {_LARGEST_MASS:g} kg; is it in grams? URDF '
                       'has kilograms', 'value', effect='if it is in grams, efforts of all joints '
                       'before it are up to 1000 times too large')
    if masses:
        light, heavy = (extreme(masses, key=lambda name: masses[name][0])
                        for extreme in (min, max))
        (least, element), (most, _) = masses[light], masses[heavy]
        if most > _LARGEST_MASS_RATIO * least:
            yield warn('units-mass-ratio', element, f'{quote(light)} has {least:g} kg and '
                       f'{quote(heavy)} {most:g} kg, more than {_LARGEST_MASS_RATIO:g} times as '
                       'much; are both in kilograms?', 'value', effect='those of the heavy link '
                       'hide those of the light one, or one is wrong')


@rule
def origin_units(robot: Description) -> Iterator[Problem]:
    """Origins are in metres and radians, as far as their size shows."""
    for element in robot.elements:
        if element.tag not in ('origin', 'force'):
            continue
        xyz, rpy = robot.numbers(element, 'xyz'), robot.numbers(element, 'rpy')
        if xyz is not None and math.hypot(*xyz) > _LARGEST_DISTANCE:
            yield warn('units-length', element, f'more than {_LARGEST_DISTANCE:g} m away; is it '
                       'in millimetres? URDF has metres', 'xyz', effect='if it is in millimetres, '
                       'moments of all joints before it are up to 1000 times too large')
        if rpy is not None and max(map(abs, rpy)) > 2.01 * math.pi:
            yield warn('units-angle', element, 'more than a full turn; is it in degrees? URDF has '
                       'radians', 'rpy', effect='what the rotation places is in another '
                       'direction: all efforts before it can be wrong')


@rule
def point_masses(robot: Description) -> Iterator[Problem]:
    """Some link with a mass has an inertia, too: bodies are no points."""
    inertias = [inertia for link in robot.links for inertia in link.findall('inertial/inertia')[:1]
                if (robot.number(link.find('inertial/mass'), 'value') or 0.0) > 0.0]
    if all(robot.number(each, entry) == 0.0 for each in inertias for entry in TENSOR_ATTRIBUTES):
        yield from merged(
            warn('inertia-zero', inertia, 'no link of the robot has an inertia: its masses are '
                 'points at the centres of mass; write the inertias, unless they are',
                 effect='those of accelerations lack the inertias about the centres of mass')
            for inertia in inertias)


@rule
def inertia_units(robot: Description) -> Iterator[Problem]:
    """Radii of gyration are in proportion to the links, hence inertias are in kg m^2."""
    reach = _reaches(robot)
    masses = {name: robot.number(link.find('inertial/mass'), 'value') or 0.0
              for name, link in robot.link_of.items()}
    heaviest = max(masses.values(), default=0.0)
    radius = {}
    for name, mass in masses.items():   # what other rules report has no radius
        inertia = robot.link_of[name].find('inertial/inertia')
        trace = sum(robot.number(inertia, entry) or 0.0 for entry in ('ixx', 'iyy', 'izz'))
        if trace > 0.0 and heaviest / _LARGEST_MASS_RATIO <= mass <= _LARGEST_MASS and mass > 0.0:
            radius[name] = math.sqrt(trace / mass / 2.0)
    ratio = {name: value / reach[name] for name, value in radius.items()   # not of a point mass
             if 1e-3 < reach[name] < _LARGEST_DISTANCE and value > 1e-6}
    if not ratio:
        return
    middle = median(ratio.values())
    if not _LEAST_GYRATION < middle < _LARGEST_GYRATION:
        name = min(ratio, key=lambda each: abs(ratio[each] - middle))
        yield warn('units-inertia', robot.link_of[name].findall('inertial/inertia')[0],
                   f'a radius of gyration of {radius[name]:.3g} m, but the link reaches '
                   f'{reach[name]:.3g} m, and half of the links are '
                   f'{"below" if middle < 1.0 else "above"} this proportion; are inertias in '
                   'kg m^2, or placeholders?', effect='those of accelerations are wrong '
                   'by orders of magnitude, if it is another unit')
        return
    size = sum(math.hypot(*robot.numbers(joint.find('origin'), 'xyz') or (0.0,))
               for joint in robot.joints) + max(reach.values())
    moved = set(robot.child_of.values())
    yield from merged(
        warn('units-inertia', robot.link_of[name].findall('inertial/inertia')[0],
             f'a radius of gyration of {radius[name]:.3g} m, but the link reaches '
             f'{reach[name]:.3g} m, and half of the links are above a proportion of {middle:.2g}; '
             'is it in kg m^2?', effect='those that accelerate this link are too small, if it is '
             'wrong') for name, value in ratio.items() if value < _LEAST_RADIUS)
    yield from merged(
        warn('units-inertia', robot.link_of[name].findall('inertial/inertia')[0],
             f'a radius of gyration of {value:.3g} m, but the link reaches {reach[name]:.3g} m '
             f'and all links together {size:.3g} m; is it in kg m^2, about the centre of mass?',
             effect='those that accelerate this link are too large, if it is wrong')
        for name, value in radius.items() if name in moved and reach[name] < _LARGEST_DISTANCE
        and value > _LARGEST_RADIUS * size > 0.0 and value > 4.0 * reach[name])


def _reaches(robot: Description) -> dict[str, float]:
    """Return how far a link reaches [m]: to its centre of mass, joints and travel."""
    reach = dict.fromkeys(robot.link_of, 0.0)
    for name, link in robot.link_of.items():
        reach[name] = math.hypot(*robot.numbers(link.find('inertial/origin'), 'xyz') or (0.0,))
    for joint in robot.joints:
        far = math.hypot(*robot.numbers(joint.find('origin'), 'xyz') or (0.0,))
        if type_of(joint) == 'prismatic':
            far += max(abs(robot.number(joint.find('limit'), end) or 0.0)
                       for end in ('lower', 'upper'))
        for name in (robot.parent_of[joint], robot.child_of[joint]):
            if name in reach:
                reach[name] = max(reach[name], far)
    return reach


@rule
def limit_units(robot: Description) -> Iterator[Problem]:
    """Limits of angles and their velocities are in radians, as far as their size shows."""
    limits = [limit for joint in robot.joints for limit in joint.findall('limit')[:1]
              if type_of(joint) == 'revolute']
    effect = 'no effect, but motions within these limits are not of the robot'
    yield from merged(
        warn('units-limit', limit, 'more than two turns; is it in degrees? URDF has radians',
             end, effect=effect)
        for limit in limits for end in ('lower', 'upper')
        if _LARGEST_TURN < abs(robot.number(limit, end) or 0.0) < _UNLIMITED)
    speeds = {limit: speed for limit in limits
              if (speed := robot.number(limit, 'velocity')) and not _stands_for_none(speed)}
    if speeds and median(speeds.values()) > _LARGEST_SPEED:
        yield from merged(
            warn('units-limit', limit, f'half of the joints are faster than {_LARGEST_SPEED:g} '
                 'rad/s; is it in degrees per second? URDF has rad/s', 'velocity', effect=effect)
            for limit, speed in speeds.items() if speed > _LARGEST_SPEED)


def _stands_for_none(limit: float) -> bool:
    """Return whether a limit is a power of ten that is written where there is none."""
    return limit in (1e2, 1e3, 1e4, 1e5, 1e6) or limit > 1e6


@rule
def effort_units(robot: Description) -> Iterator[Problem]:
    """Some joint can lift little more than it carries; none has more friction than effort."""
    reach = _reaches(robot)
    mass = {name: max(robot.number(link.find('inertial/mass'), 'value') or 0.0, 0.0)
            for name, link in robot.link_of.items()}
    moment = {name: mass[name] * reach[name] for name in mass}   # at most, about a link's joint
    loads: dict[Element, tuple[float, float]] = {}   # limits: by gravity, and gravity [N m, N]
    for joint in reversed(_outwards(robot)):
        parent, child, limit = robot.parent_of[joint], robot.child_of[joint], joint.find('limit')
        effort = robot.number(limit, 'effort') or 0.0
        load = _GRAVITY * (mass if type_of(joint) == 'prismatic' else moment)[child]
        moment[parent] += moment[child] + mass[child] * reach[child]
        mass[parent] += mass[child]
        if limit is None or effort <= 0.0 or type_of(joint) not in AXIAL_TYPES:
            continue
        if load > 0.0 and not (effort > 1e2 and _stands_for_none(effort)):
            loads[limit] = load / effort, load
        dynamics, speed = joint.find('dynamics'), robot.number(limit, 'velocity') or 1.0
        for name, most in (('friction', effort),
                           ('damping', _MOST_DAMPING * effort / min(abs(speed), 1.0))):
            if dynamics is not None and (robot.number(dynamics, name) or 0.0) > most:
                yield warn('units-friction', dynamics, f'more than the limit of effort, '
                           f'{effort:g}, can move; is it in SI units, as the limit?', name,
                           effect='those with friction are too large, if it is wrong; without '
                           'friction, no effect')
    if loads:
        limit, (most, load) = max(loads.items(), key=lambda item: item[1])
        if most < _LEAST_LOAD:
            yield warn('units-effort', limit, f'gravity needs {load:.2g} at most, and at no '
                       f'joint more than {_LEAST_LOAD:g} of the limit; are masses in kilograms, '
                       'limits in N m?', 'effort', effect='if masses are in tonnes, '
                       'efforts are 1000 times too small; if limits are in N mm, no effect')


# Transmissions, for which no description is rejected.

@rule
def transmissions_of_unknown_joints(robot: Description) -> Iterator[Problem]:
    """A transmission drives joints of this robot."""
    unknown = [(transmission, name) for transmission in transmissions(robot)
               for name in map(name_of, transmission.iterchildren('joint'))
               if name not in robot.joint_of]
    search = robot.is_small and len(unknown) <= 100
    return merged(
        warn('transmission-unknown', transmission, f'no joint is named {quote(name)}: it is '
             f'ignored; {suggestion(name, robot.joint_of, search)}',
             effect='no rotor has this gear ratio; without rotors, no effect')
        for transmission, name in unknown)


@rule
def reduction_numbers(robot: Description) -> Iterator[Problem]:
    """A reduction is one number, finite and not zero, and a joint has one gear ratio."""
    ratios = gear_ratios(robot)
    faulty, further = [], []
    for joint, reduction in reductions(robot):
        value = read_reduction(reduction)
        if isinstance(value, str):
            faulty.append(warn(
                'transmission-reduction', reduction, f'{value}; the joint has no gear ratio from '
                'it', effect='no rotor of this joint has its gear ratio; without rotors, no '
                'effect'))
        elif value != ratios[joint]:
            further.append(warn(
                'transmission-twice', reduction, f'{value:g}, but the first reduction of joint '
                f'{quote(joint)} is {ratios[joint]:g}, which is used; delete one of them',
                effect='a rotor of this joint has the first gear ratio; without rotors, no '
                'effect'))
    yield from (*merged(faulty), *merged(further))


def check_description(robot: Description, strict_inertia: bool,
                      max_links: int) -> tuple[Problem, ...]:
    """
    Return the warnings on a description.

    If it is rejected, raise an UrdfError with all problems in the order of their lines.
    """
    problems = list(_not_a_urdf(robot, max_links))
    left = MAX_PROBLEMS
    for problem in () if problems else chain.from_iterable(each(robot) for each in RULES):
        problems.append(problem)
        left -= problem.refused
        if not left:
            problems.append(Problem('too-many-problems', f'stopped after {MAX_PROBLEMS} problems'))
            break
    if strict_inertia:
        problems = [replace(problem, refused=True)
                    if problem.code in STRICT_CODES else problem
                    for problem in problems]
    problems.sort(key=lambda problem: problem.line or math.inf)
    if any(problem.refused for problem in problems):
        raise UrdfError(problems)
    return tuple(problems)


def _not_a_urdf(robot: Description, max_links: int) -> Iterator[Problem]:
    """Yield the problems for which no rule is applied."""
    root = robot.robot
    if root.tag != 'robot':
        yield Problem('root-element', f'the root element is {quote(str(root.tag))}, that of a '
                      'URDF is <robot>; convert the file first', line=line_of(root))
    elif not robot.links:
        yield reject('no-links', root, 'no <link> in <robot>; a robot has at least one')
    # A tree has fewer joints than links.
    for kind, elements in (('links', robot.links), ('joints', robot.joints)):
        if len(elements) > max_links:
            yield reject('too-many-links', root,
                         f'{len(elements)} {kind}; the limit max_links is {max_links}')
    for element in root.iterdescendants('{*}*'):
        namespace, _, tag = str(element.tag)[1:].rpartition('}')
        if namespace.endswith('xacro'):
            yield Problem('xacro', f'<xacro:{escaped(tag, 40)}> is xacro, not URDF: run xacro on '
                          'it first', line=line_of(element))
            break
