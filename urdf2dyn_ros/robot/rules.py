"""
The rules for robot descriptions: a function each.

A rule yields its problems; what another rule reports as faulty is None or empty for it. A new one
needs its function here, with `@rule`, and a URDF that breaks it alone, test/corpus/<code>.urdf.
`check_description` at the end applies them, in the order of this file, which takes in those of
other_tools.py; then, to a description that none of them rejects, those for implausible numbers in
plausibility.py.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain

from urdf2dyn_ros.errors import Problem, UrdfError
from urdf2dyn_ros.robot.document import (
    ATTRIBUTES,
    MAX_LINKS,
    NO_EFFECT,
    NUMBER_ATTRIBUTES,
    REQUIRED_ATTRIBUTES,
    REQUIRED_CHILDREN,
    TENSOR_ATTRIBUTES,
    TRANSPOSED,
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
    tag_of,
    transmissions,
    type_of,
    warn,
)
from urdf2dyn_ros.robot.inertia import inertia_flaw
from urdf2dyn_ros.robot.joints import URDF_TYPES
from urdf2dyn_ros.robot.model import FLOATING, Joint
from urdf2dyn_ros.robot.other_tools import OTHER_TOOLS_RULES, closest
from urdf2dyn_ros.robot.plausibility import PLAUSIBILITY_RULES
from urdf2dyn_ros.robot.spatial import LARGEST_MAGNITUDE
from urdf2dyn_ros.text import escaped, listed, quote, suggestion

MAX_PROBLEMS = 1000   # of rejections, after which no more rules are applied
STRICT_CODES = ('inertia-negative', 'inertia-triangle')   # rejected with `strict_inertia`

_SHORTEST_AXIS = 1e-8   # a shorter one has no direction
_UNIT_TOLERANCE = 1e-3   # of the length of an axis
_MULTIPLIED_TAGS = ('origin', 'mass', 'inertia', 'mimic', 'force')

Check = Callable[[Description], Iterator[Problem]]

RULES: list[Check] = []


def rule(function: Check) -> Check:
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
            renamed = [f'{other} is {name}' for other, name in TRANSPOSED.items()
                       if name in missing and element.get(other) is not None]
            yield reject('attribute-missing', element, f'{", ".join(missing)} missing; ' + (
                f'{", ".join(renamed)}: rename it' if renamed else f'add {example}{zero}'))


@rule
def repeated_elements(robot: Description) -> Iterator[Problem]:
    """A link or joint has a tag once; parsers disagree on which one they use, or use none."""
    for element in robot.elements[1:]:   # all but the robot
        counts = Counter(str(child.tag) for child in children(element))
        for tag in (tag for tag, count in counts.items() if count > 1):
            _, second, *_ = repeated = element.findall(tag)
            said = f'there are {counts[tag]} <{tag}>, one is allowed; delete the others'
            contents = [[(part.tag, dict(part.attrib)) for part in each.iter('*')]
                        for each in repeated]
            if all(content == contents[0] for content in contents):
                yield warn('element-twice', second, f'{said}, which say the same',
                           effect=NO_EFFECT)
            else:
                yield reject('element-repeated', second, said)


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


# Names that are none of URDF's, and what other tools read otherwise.

RULES.extend(OTHER_TOOLS_RULES)


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
                         'one parent: cut the loop open, and write the joint that '
                         'closes it as ' + _as_loop(robot, joints[1]))


def _as_loop(robot: Description, joint: Element) -> str:
    origin, axis = joint.find('origin'), joint.find('axis')
    place = ''.join(f' {name}="{origin.get(name)}"' for name in ('xyz', 'rpy')
                    if origin is not None and origin.get(name))
    along = f'<axis xyz="{axis.get("xyz")}"/>' if axis is not None else ''
    return escaped(f'<loop_joint name="{name_of(joint)}" type="{joint.get("type")}"><link1 '
                   f'link="{robot.parent_of[joint]}"{place}/><link2 '
                   f'link="{robot.child_of[joint]}"/>{along}</loop_joint>', 400)


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


def _loops(next_of: Mapping[str, str]) -> Iterator[list[str]]:
    visited: set[str] = set()
    for start in next_of:
        path: dict[str, None] = {}
        name = start
        while name in next_of and name not in visited and name not in path:
            path[name] = None
            name = next_of[name]
        if name in path:
            yield [*path][[*path].index(name):]
        visited |= path.keys()


# Single joints: type, axis, limits, friction.

@rule
def joint_types(robot: Description) -> Iterator[Problem]:
    """The type is one of URDF's."""
    for joint in robot.joints:
        kind = joint.get('type')
        if kind is not None and kind not in URDF_TYPES:
            yield reject('joint-type', joint, f'{quote(kind)} is no type of joint; the types are '
                         f'{", ".join(URDF_TYPES)}', 'type')


@rule
def axes(robot: Description) -> Iterator[Problem]:
    """An axis that is used is there, has a direction, and is a unit vector."""
    yield from merged(
        warn('axis-missing', joint, 'without <axis>, "1 0 0" is used, as URDF says; write it',
             effect='no effect, if that is the axis')
        for joint in robot.joints if type_of(joint).moves and type_of(joint).axial
        and joint.get('type') in URDF_TYPES and not any(
            closest(tag_of(child), ('axis',)) for child in joint.iterchildren('*')))
    for joint in robot.joints:
        axis = joint.find('axis')
        xyz = robot.numbers(axis, 'xyz')
        if axis is None or xyz is None or not type_of(joint).axial:
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
    """Limits are there where URDF requires them, and not inverted."""
    yield from merged(
        warn('limit-missing', joint, 'URDF requires <limit lower="..." upper="..."> here; efforts '
             'do not depend on it', effect=NO_EFFECT)
        for joint in robot.joints if type_of(joint).bounded
        and not joint.xpath('limit[1][@lower or @upper]'))
    yield from merged(
        warn('limit-zero', limit, 'no limit is other than 0, which no joint that moves can have; '
             'write those of the joint', effect=NO_EFFECT)
        for joint in robot.joints if type_of(joint).bounded for limit in joint.findall('limit')[:1]
        if {'lower', 'upper'} & {*limit.attrib}
        and not any(robot.number(limit, name) for name in NUMBER_ATTRIBUTES['limit']))
    for limit in robot.robot.iterfind('joint/limit'):
        lower, upper = robot.number(limit, 'lower'), robot.number(limit, 'upper')
        if lower is not None and upper is not None and lower > upper:
            yield warn('limit-inverted', limit, f'lower {lower:g} is above upper {upper:g}; '
                       'exchange them', effect=NO_EFFECT)


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


@rule
def coordinate_names(robot: Description) -> Iterator[Problem]:
    """No joint has the name of another's coordinate, by which positions are identified."""
    for joint in robot.joints:
        if type_of(joint).single:
            continue
        name, kind = name_of(joint), joint.get('type', '')
        for part in type_of(joint).parts(Joint(name, kind, '', '')):
            other = robot.joint_of.get(part.name)
            if other is not None:
                yield reject('name-taken', other, f'joint {quote(name)}, {kind}, has a coordinate '
                             'of this name; rename one')


@rule
def floating_root(robot: Description) -> Iterator[Problem]:
    """A floating joint at the root makes the base a moving one."""
    children = {robot.child_of[joint] for joint in robot.joints}
    for joint in robot.joints:
        if joint.get('type') == FLOATING and robot.parent_of[joint] not in children:
            yield warn('floating-root', joint, 'the root floats: its motion is an input of the '
                       'equations; with a fixed base it stays where the joint places it', 'type',
                       effect='they depend on the motion of the base, an input; with a fixed '
                       'base, no effect')


# Mimic joints: each follows another joint that exists and moves, and no loop.

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
        elif not type_of(target).moves:
            yield reject('mimic-fixed', mimic, f'joint {quote(name)} is fixed; mimic a joint that '
                         'moves', 'joint')
        else:
            for end in (joint, target):
                if not type_of(end).single:
                    yield reject('mimic-multi-dof', mimic, f'joint {quote(name_of(end))} is '
                                 f'{end.get("type")} and has several coordinates; only joints '
                                 'with one can mimic or be mimicked', 'joint')


@rule
def mimic_chains(robot: Description) -> Iterator[Problem]:
    """A chain of mimics ends at a joint that does not mimic, and moves no joint too far."""
    mimics = {name_of(joint): mimic for joint, mimic in _mimics(robot)}
    driver = {name: mimic.get('joint', '') for name, mimic in mimics.items()}
    loops = list(_loops(driver))
    for loop in loops:
        if len(loop) > 1:
            yield reject('mimic-loop', mimics[loop[0]], f'joints {listed(loop)} mimic each other; '
                         'one of them must not mimic', 'joint')
    travel: dict[str, float] = {}   # by that of the joint at the end of the chain
    for start in () if loops else mimics:
        chain = [start]
        while chain[-1] in mimics and chain[-1] not in travel:
            chain.append(driver[chain[-1]])
        for name in reversed(chain[:-1]):
            before = travel.get(driver[name], 1.0)
            factor = robot.number(mimics[name], 'multiplier')
            travel[name] = before * (1.0 if factor is None else factor)
            if abs(travel[name]) > LARGEST_MAGNITUDE >= abs(before):
                yield reject('mimic-product', mimics[name], 'with all mimics of its chain it '
                             f'moves {travel[name]:g} times as far as the joint that drives it, '
                             f'more than {LARGEST_MAGNITUDE:g}; correct a multiplier',
                             'multiplier')
    for mimic in mimics.values():
        if robot.number(mimic, 'multiplier') == 0.0:
            yield warn('mimic-zero', mimic, 'multiplier 0: the joint stands still at its offset',
                       'multiplier', effect='nothing of this joint is reflected to the joint that '
                       'drives it')


def _mimics(robot: Description) -> Iterator[tuple[Element, Element]]:
    for joint in robot.joints:
        mimic = joint.find('mimic')
        if mimic is not None and type_of(joint).moves:
            yield joint, mimic


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


# Transmissions and <ros2_control>, for which no description is rejected.

@rule
def joints_of_drives(robot: Description) -> Iterator[Problem]:
    """A transmission, <ros2_control> and <gazebo> are of parts of this robot."""
    for code, effect, what, known, references in (
            ('transmission-unknown', 'no rotor has this gear ratio; without rotors, no effect',
             'joint', robot.joint_of, _driven(transmissions(robot))),
            ('control-unknown', 'no effect; ros2_control does not start with this joint',
             'joint', robot.joint_of, _driven(robot.robot.iterchildren('ros2_control'))),
            ('gazebo-unknown', 'no effect; Gazebo ignores it', 'link or joint',
             {**robot.link_of, **robot.joint_of},
             ((element, element.get('reference', ''))
              for element in robot.robot.iterfind('gazebo[@reference]')))):
        unknown = [(owner, name) for owner, name in references if name not in known]
        search = robot.is_small and len(unknown) <= 100
        yield from merged(
            warn(code, owner, f'no {what} is named {quote(name)}: it is ignored; '
                 f'{suggestion(name, known, search)}', effect=effect)
            for owner, name in unknown)


def _driven(owners: Iterable[Element]) -> Iterator[tuple[Element, str]]:
    return ((owner, name_of(joint)) for owner in owners for joint in owner.iterchildren('joint'))


@rule
def mimics_of_drives(robot: Description) -> Iterator[Problem]:
    """What follows another joint in <ros2_control> does so in the URDF."""
    for element in robot.robot.iterfind('ros2_control/joint'):
        said = {str(each.get('name')): (each.text or '').strip()
                for each in element.iterfind('param')}
        joint = robot.joint_of.get(name_of(element))
        follows = 'mimic' in said or element.get('mimic') == 'true'
        if follows and joint is not None and joint.find('mimic') is None:
            driver = f'joint {quote(said["mimic"])}' if 'mimic' in said else 'another joint'
            values = ''.join(f' {name}={quote(said[name])}' for name in ('multiplier', 'offset')
                             if name in said)
            yield warn('mimic-not-counted', joint, f'it follows {driver} in <ros2_control> alone, '
                       'and moves by itself here; give it <mimic '
                       f'joint={quote(said.get("mimic", "..."))}{values}/>',
                       effect='what it needs is missing at the joint that it follows')


@rule
def reduction_numbers(robot: Description) -> Iterator[Problem]:
    """A reduction is one number, finite and not zero, and a joint has one gear ratio."""
    ratios = gear_ratios(robot)
    without = 'without rotors, no effect'
    faulty, further = [], []
    for joint, reduction in reductions(robot):
        try:
            value = read_reduction(reduction)
        except ValueError as error:
            faulty.append(warn('transmission-reduction', reduction, f'{error}; the joint has no '
                               'gear ratio from it', effect='no rotor of this joint has its gear '
                               f'ratio; {without}'))
        else:
            if value != ratios[joint]:
                further.append(warn(
                    'transmission-twice', reduction, f'{value:g}, but the first reduction of '
                    f'joint {quote(joint)} is {ratios[joint]:g}, which is used; delete one of '
                    f'them', effect=f'a rotor of this joint has the first gear ratio; {without}'))
    yield from (*merged(faulty), *merged(further))


def check_description(robot: Description, strict_inertia: bool) -> tuple[Problem, ...]:
    """
    Return the warnings on a description.

    If it is rejected, raise an UrdfError with all problems in the order of their lines.
    """
    problems = list(_not_a_urdf(robot))
    left = MAX_PROBLEMS
    for problem in () if problems else chain.from_iterable(each(robot) for each in RULES):
        if strict_inertia and problem.code in STRICT_CODES:
            problem = replace(problem, refused=True)
        problems.append(problem)
        left -= problem.refused
        if not left:
            problems.append(Problem('too-many-problems', f'stopped after {MAX_PROBLEMS} problems'))
            break
    refused = any(problem.refused for problem in problems)
    if not refused:
        problems += chain.from_iterable(each(robot) for each in PLAUSIBILITY_RULES)
    problems.sort(key=lambda problem: problem.line or math.inf)
    if refused:
        raise UrdfError(problems)
    return tuple(problems)


def _not_a_urdf(robot: Description) -> Iterator[Problem]:
    """Yield the problems for which no rule is applied."""
    root = robot.robot
    if root.tag != 'robot':
        yield Problem('root-element', f'the root element is {quote(str(root.tag))}, that of a '
                      'URDF is <robot>; convert the file first', line=line_of(root))
    elif not robot.links:
        yield reject('no-links', root, 'no <link> in <robot>; a robot has at least one')
    # A tree has fewer joints than links.
    for kind, elements in (('links', robot.links), ('joints', robot.joints)):
        if len(elements) > MAX_LINKS:
            yield reject('too-many-links', root,
                         f'{len(elements)} {kind}; at most {MAX_LINKS} are read')
    for element in root.iterdescendants('{*}*'):
        namespace, _, tag = str(element.tag)[1:].rpartition('}')
        if namespace.endswith('xacro'):
            yield Problem('xacro', f'<xacro:{escaped(tag, 40)}> is xacro, not URDF: run xacro on '
                          'it first', line=line_of(element))
            break
