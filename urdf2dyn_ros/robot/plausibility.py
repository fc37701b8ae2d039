"""
Implausible numbers of a robot: of another unit, placeholders, efforts that are always zero.

A function of `PLAUSIBILITY_RULES` yields the warnings on a description that no rule of rules.py
rejects: a tree, all of whose numbers can be read.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterator
from statistics import median

from urdf2dyn_ros.errors import Problem
from urdf2dyn_ros.robot.document import (
    TENSOR_ATTRIBUTES,
    Description,
    Element,
    merged,
    name_of,
    type_of,
    warn,
)
from urdf2dyn_ros.robot.model import FLOATING
from urdf2dyn_ros.text import counted, listed, quote

_LARGEST_DISTANCE = 100.0   # [m] from an origin to the next
_LARGEST_MASS = 1e4   # of a link [kg]
_LEAST_MASS = 1e-6   # of a link; a smaller one, or this, stands for none [kg]
_LEAST_LINKS = 3   # that move, of which some can be compared
# Mass of the moving links by the cube of the robot's length, and of each by that of its reach:
# 69 real robots have 1 to 56, and medians of 0.3 to 4100 [kg/m^3]; cables and balloons less
_LEAST_DENSITY, _LARGEST_DENSITY = 0.03, 1e4
_HEAVY_DENSITY = 200.0   # of a robot whose links are too heavy
_UNIT = [1.0, 0.0, 0.0, 1.0, 0.0, 1.0]   # tensor
_LEG = re.compile(r'foot|ankle|calf|shank|thigh|(?<![a-z])leg(?![a-z])', re.IGNORECASE)
_LEAST_REACH = 0.01   # of a link whose density is known [m]
_LARGEST_SHARE = 10.0   # mass of a dense link over that of all others together
_LARGEST_MASS_RATIO = 1e6   # of two links [-]
# Radius of gyration of a link by its reach: the medians of 70 real robots are 0.2 to 0.95, but for
# placeholders up to 17; inertias of another unit are 1000 times as large, radii 32 times.
_LEAST_GYRATION, _LARGEST_GYRATION = 0.05, 5.0   # [-], median of a robot's links
_LEAST_RADIUS = 2e-3   # of one link, by its reach; 2.6e-3 is the least of 70 real robots [-]
_LARGEST_RADIUS = 0.5   # of one link, by the size of the robot [-]
_LARGEST_TURN = 4.0 * math.pi   # of a revolute joint's limits [rad]
_LARGEST_STROKE = 10.0   # of a prismatic joint's limits; 442 public files have up to 3 [m]
_LARGEST_SPEED = 40.0   # half of a robot's revolute joints; 70 real robots: up to 32 [rad/s]
_UNLIMITED = 1e4   # [rad or m]: as large a limit stands for none
_LEAST_LOAD = 5e-3   # of gravity by limits of effort, at most; real robots: 0.013 to 18 [-]
_MOST_DAMPING = 10.0   # by the limit of effort, at 1 rad/s; real robots: up to 2.2 [-]
_GRAVITY = 9.81   # [m/s^2]


def _outwards(robot: Description) -> list[Element]:
    joints_of: dict[str, list[Element]] = defaultdict(list)
    for joint in robot.joints:
        joints_of[robot.parent_of[joint]].append(joint)
    moved = set(robot.child_of.values())
    links = [name for name in robot.link_of if name not in moved]
    order: list[Element] = []
    for link in links:   # the list grows in the loop
        order += joints_of[link]
        links += [robot.child_of[joint] for joint in joints_of[link]]
    return order


def _masses(robot: Description) -> dict[str, float]:
    return {name: robot.number(link.find('inertial/mass'), 'value') or 0.0
            for name, link in robot.link_of.items()}


def _inertia(robot: Description, link: str) -> tuple[Element | None, list[float]]:
    element = robot.link_of[link].find('inertial/inertia')
    return element, [robot.number(element, entry) or 0.0 for entry in TENSOR_ATTRIBUTES]


def _distance(robot: Description, origin: Element | None) -> float:
    return math.hypot(*robot.numbers(origin, 'xyz') or (0.0,))


def _reaches(robot: Description, travel: bool = True) -> dict[str, float]:
    """Return how far a link reaches [m]: to its centre of mass, its joints, and their travel."""
    reach = {name: _distance(robot, link.find('inertial/origin'))
             for name, link in robot.link_of.items()}
    for joint in robot.joints:
        far = _distance(robot, joint.find('origin'))
        if travel and type_of(joint).slides:
            far += max(abs(robot.number(joint.find('limit'), end) or 0.0)
                       for end in ('lower', 'upper'))
        for name in (robot.parent_of[joint], robot.child_of[joint]):
            reach[name] = max(reach[name], far)
    return reach


def massless_branches(robot: Description) -> Iterator[Problem]:
    """A body that moves has mass, if it is visible; no joint moves links without mass alone."""
    order, masses = _outwards(robot), _masses(robot)
    massive = {name: mass != 0.0 or any(_inertia(robot, name)[1])
               for name, mass in masses.items()}
    for joint in reversed(order):
        massive[robot.parent_of[joint]] |= massive[robot.child_of[joint]]
    driver_of = {name_of(joint): mimic.get('joint', '') for joint in order
                 if (mimic := joint.find('mimic')) is not None}
    drivers = {driver_of.get(name_of(joint), '') for joint in order
               if massive[robot.child_of[joint]]}
    while more := {driver_of[name] for name in drivers & driver_of.keys()} - drivers:
        drivers |= more
    first_of: dict[str, Element] = {}   # link to the first joint without mass before it
    branches: dict[Element, list[str]] = defaultdict(list)   # that joint to all that move
    for joint in order:
        parent, child = robot.parent_of[joint], robot.child_of[joint]
        moves = type_of(joint).moves
        if parent in first_of or (moves and not massive[child]):
            first_of[child] = first_of.get(parent, joint)
            if moves:
                branches[first_of[child]].append(name_of(joint))
    links = _links_of_bodies(robot, order)
    yield from merged(
        warn('geometry-massless', robot.link_of[link], 'it moves and has a geometry, but no mass; '
             'give it an <inertial>', effect='those of all joints before it lack its weight')
        for body in links if body not in first_of and not any(masses[each] for each in links[body])
        for link in links[body] if robot.link_of[link].find('visual') is not None
        or robot.link_of[link].find('collision') is not None)
    for first, moving in branches.items():
        if not drivers.intersection(moving):
            yield warn('massless-branch', first, 'no link beyond it has mass or inertia: the '
                       f'effort of {listed(moving)} is zero in every motion; give link '
                       f'{quote(robot.child_of[first])} an <inertial>',
                       effect='zero in every motion at these joints')


def _links_of_bodies(robot: Description, order: list[Element]) -> dict[str, list[str]]:
    """Return the links that each moving joint moves without another one, by the first of them."""
    body_of: dict[str, str] = {}
    links: dict[str, list[str]] = defaultdict(list)
    for joint in order:
        child = robot.child_of[joint]
        body = child if type_of(joint).moves else body_of.get(robot.parent_of[joint], '')
        if body:
            body_of[child] = body
            links[body].append(child)
    return links


def mass_units(robot: Description) -> Iterator[Problem]:
    """Masses are in kilograms, as far as their size shows."""
    masses = {name: mass for name, mass in _masses(robot).items() if mass > 0.0}
    elements = {name: robot.link_of[name].findall('inertial/mass')[0] for name in masses}
    for name, mass in masses.items():
        if mass > _LARGEST_MASS:
            yield warn('units-mass', elements[name], f'more than {_LARGEST_MASS:g} kg; is it in '
                       'grams? URDF has kilograms', 'value', effect='if it is in grams, efforts '
                       'of all joints before it are up to 1000 times too large')
    joint_of, reach = {child: joint for joint, child in robot.child_of.items()}, _reaches(robot)
    carried = [link for body, links in _links_of_bodies(robot, _outwards(robot)).items()
               if type_of(joint_of[body]).axial for link in links]
    yield from (
        warn('units-mass', elements[name], f'{masses[name]:g} kg on {reach[name]:.3g} m, and '
             f'all other links {sum(masses.values()) - masses[name]:.3g} kg; is it in grams? '
             'URDF has kilograms', 'value', effect='if it is in grams, efforts of all joints '
             'before it are up to 1000 times too large')
        for name in carried if reach[name] > _LEAST_REACH and name in masses
        and _LARGEST_DENSITY * reach[name]**3 < masses[name] <= _LARGEST_MASS
        and masses[name] > _LARGEST_SHARE * (sum(masses.values()) - masses[name]) > 0.0)
    # a root that is a frame alone often has a tiny mass by convention
    children = set(robot.child_of.values())
    moved = [name for name, mass in masses.items() if name in children and mass > _LEAST_MASS]
    if moved:
        light, heavy = min(moved, key=masses.__getitem__), max(moved, key=masses.__getitem__)
        if masses[heavy] > _LARGEST_MASS_RATIO * masses[light]:
            yield warn('units-mass-ratio', elements[light], f'{quote(light)} has '
                       f'{masses[light]:g} kg and {quote(heavy)} {masses[heavy]:g} kg, more than '
                       f'{_LARGEST_MASS_RATIO:g} times as much; are both in kilograms?', 'value',
                       effect='those of the heavy link hide those of the light one, or one is '
                       'wrong')


def origin_units(robot: Description) -> Iterator[Problem]:
    """Origins are in metres and radians, as far as their size shows."""
    for element in robot.elements:
        if element.tag not in ('origin', 'force'):
            continue
        if _distance(robot, element) > _LARGEST_DISTANCE:
            yield warn('units-length', element, f'more than {_LARGEST_DISTANCE:g} m away; is it '
                       'in millimetres? URDF has metres', 'xyz', effect='if it is in millimetres, '
                       'moments of all joints before it are up to 1000 times too large')
        rpy = robot.numbers(element, 'rpy')
        for angle in rpy or ():
            if abs(angle) > 2.01 * math.pi or (abs(angle) > 1.0 and angle == round(angle)):
                yield warn('units-angle', element, f'{angle:g} rad is ' + (
                    'more than a full turn' if abs(angle) > 2.01 * math.pi else
                    f'{math.degrees(angle):.0f} degrees') + '; is it in degrees? URDF has '
                    'radians', 'rpy', effect='what the rotation places is in another '
                    'direction: all efforts before it can be wrong')
                break


def point_masses(robot: Description) -> Iterator[Problem]:
    """Some link with a mass has an inertia, too: bodies are no points."""
    inertias = [_inertia(robot, name) for name, mass in _masses(robot).items() if mass > 0.0]
    if not any(entry for _, entries in inertias for entry in entries):
        yield from merged(
            warn('inertia-zero', element, 'no link of the robot has an inertia: its masses are '
                 'points at the centres of mass; write the inertias, unless they are',
                 effect='those of accelerations lack the inertias about the centres of mass')
            for element, _ in inertias if element is not None)


def placeholders(robot: Description) -> Iterator[Problem]:
    """Masses, tensors and centres of mass of links differ, and no tensor is that of unity."""
    order, masses = _outwards(robot), _masses(robot)
    links = [link for links in _links_of_bodies(robot, order).values() for link in links
             if masses[link] > _LEAST_MASS]
    effect = 'they are of the placeholders, not of the robot'
    tensors = {link: _inertia(robot, link) for link in links}
    yield from merged(
        warn('inertia-placeholder', element, 'a unit tensor is a placeholder; write the '
             'inertia of the link', effect=effect)
        for element, entries in tensors.values() if element is not None and entries == _UNIT)
    if len(links) < _LEAST_LINKS or not set(links) & {robot.parent_of[joint] for joint in order
                                                      if type_of(joint).moves}:
        return   # few, or all alike: the propellers of a drone, the wheels of a cart
    different = {tuple(entries) for _, entries in tensors.values()}
    for what, same in (
            ('mass', len({masses[link] for link in links}) == 1),
            ('inertia', len(different) == 1 and not different & {(0.0,) * 6, tuple(_UNIT)}),
            ('centre of mass', not any(_distance(robot, robot.link_of[link].find(
                'inertial/origin')) for link in links))):
        if same:
            yield warn('same-everywhere', robot.link_of[links[0]], f'the {what} of all '
                       f'{len(links)} moving links is the same, as of placeholders; write those '
                       'of the links', effect=effect)


def densities(robot: Description) -> Iterator[Problem]:
    """Masses are in proportion to the cube of lengths, as far as kilograms and metres go."""
    order, masses, reach = _outwards(robot), _masses(robot), _reaches(robot)
    far: dict[str, float] = {}
    for joint in order:
        far[robot.child_of[joint]] = far.get(robot.parent_of[joint], 0.0) + _distance(
            robot, joint.find('origin'))
    moving = [link for links in _links_of_bodies(robot, order).values() for link in links
              if masses[link] > _LEAST_MASS]
    size = max((far[link] + _distance(robot, robot.link_of[link].find('inertial/origin'))
                for link in moving), default=0.0)
    if not (size > 1e-3 and max(reach.values()) <= _LARGEST_DISTANCE
            and max(masses.values()) <= _LARGEST_MASS):   # else a link has a warning
        return
    whole = sum(masses[link] for link in moving) / size**3
    middle = median(masses[link] / max(reach[link], 1e-3)**3 for link in moving)
    if whole < _LEAST_DENSITY or whole > _LARGEST_DENSITY or (
            middle > _LARGEST_DENSITY and whole > _HEAVY_DENSITY):
        yield warn('units-density', robot.link_of[max(moving, key=masses.__getitem__)],
                   f'with all moving links {sum(masses[link] for link in moving):.3g} kg on '
                   f'{size:.3g} m, {whole:.2g} kg/m^3 of the cube of this length; are lengths in '
                   'metres and masses in kilograms?', effect='wrong by orders of magnitude, if '
                   'it is another unit')


def inertia_units(robot: Description) -> Iterator[Problem]:
    """Radii of gyration are in proportion to the links, hence inertias are in kg m^2."""
    # a carriage is as small as it is, whatever its stroke
    reach, masses = _reaches(robot, travel=False), _masses(robot)
    heaviest = max(masses.values())
    radius = {}
    for name, mass in masses.items():
        _, (xx, _, _, yy, _, zz) = _inertia(robot, name)
        if (xx + yy + zz > 0.0 and heaviest / _LARGEST_MASS_RATIO <= mass <= _LARGEST_MASS
                and mass > 0.0):
            radius[name] = math.sqrt((xx + yy + zz) / mass / 2.0)
    ratio = {name: value / reach[name] for name, value in radius.items()   # not of a point mass
             if 1e-3 < reach[name] < _LARGEST_DISTANCE and value > 1e-6}
    if not ratio:
        return

    def out_of_proportion(name: str, proportion: str, effect: str) -> Problem:
        return warn('units-inertia', robot.link_of[name].findall('inertial/inertia')[0],
                    f'a radius of gyration of {radius[name]:.3g} m, but the link reaches '
                    f'{reach[name]:.3g} m {proportion}', effect=effect)

    middle = median(ratio.values())
    if not _LEAST_GYRATION < middle < _LARGEST_GYRATION:
        yield out_of_proportion(
            min(ratio, key=lambda name: abs(ratio[name] - middle)),
            f'and half of the links are {"below" if middle < 1.0 else "above"} this proportion; '
            'are inertias in kg m^2, or placeholders?', 'those of accelerations are wrong by '
            'orders of magnitude, if it is another unit')
        return
    size = sum(_distance(robot, joint.find('origin'))
               for joint in robot.joints) + max(reach.values())
    moved = set(robot.child_of.values())
    yield from merged(out_of_proportion(
        name, f'and half of the links are above a proportion of {middle:.2g}; is it in kg m^2?',
        'those that accelerate this link are too small, if it is wrong')
        for name, value in ratio.items() if value < _LEAST_RADIUS)
    yield from merged(out_of_proportion(
        name, f'and all links together {size:.3g} m; is it in kg m^2, about the centre of mass?',
        'those that accelerate this link are too large, if it is wrong')
        for name, value in radius.items() if name in moved and reach[name] < _LARGEST_DISTANCE
        and value > _LARGEST_RADIUS * size > 0.0 and value > 4.0 * reach[name])


def limit_units(robot: Description) -> Iterator[Problem]:
    """Limits are in radians and metres, as far as their size shows."""
    effect = 'no effect, but motions within these limits are not of the robot'
    size = sum(_distance(robot, joint.find('origin')) for joint in robot.joints)
    yield from merged(
        warn('units-limit', limit, f'more than {_LARGEST_STROKE:g} m, and all joints together '
             f'are {size:.3g} m apart; is it in millimetres? URDF has metres', end, effect=effect)
        for joint in robot.joints if type_of(joint).slides
        for limit in joint.findall('limit')[:1] for end in ('lower', 'upper')
        if max(_LARGEST_STROKE, 10.0 * size) < abs(robot.number(limit, end) or 0.0) < _UNLIMITED)
    limits = [limit for joint in robot.joints for limit in joint.findall('limit')[:1]
              if type_of(joint).bounded and not type_of(joint).slides]
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
    return limit in (1e2, 1e3, 1e4, 1e5) or limit >= 1e6


def effort_units(robot: Description) -> Iterator[Problem]:
    """Some joint can lift little more than it carries; none has more friction than effort."""
    reach, mass = _reaches(robot), _masses(robot)
    moment = {name: mass[name] * reach[name] for name in mass}   # at most, about a link's joint
    loads: dict[Element, tuple[float, float]] = {}   # limits: by gravity, and gravity [N m, N]
    for joint in reversed(_outwards(robot)):
        parent, child, limit = robot.parent_of[joint], robot.child_of[joint], joint.find('limit')
        effort = robot.number(limit, 'effort') or 0.0
        load = _GRAVITY * (mass if type_of(joint).slides else moment)[child]
        moment[parent] += moment[child] + mass[child] * reach[child]
        mass[parent] += mass[child]
        if limit is None or effort <= 0.0 or not type_of(joint).axial:
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


PLAUSIBILITY_RULES = (massless_branches, mass_units, origin_units, point_masses, placeholders,
                      densities, inertia_units, limit_units, effort_units)


def notes(robot: Description) -> Iterator[str]:
    """Yield what is no fault, and often not meant: fixed joints, and a fixed base with legs."""
    frozen = [name_of(joint) for joint in robot.joints
              if not type_of(joint).moves and joint.find('axis') is not None
              and len({robot.number(joint.find('limit'), end) or 0.0
                       for end in ('lower', 'upper')}) == 2]
    if frozen:
        yield (f'{counted(len(frozen), "fixed joint")} with an axis and limits: {listed(frozen)}; '
               'they do not move')
    limb_of: dict[str, str] = {}   # the link of the first joint that moves it
    for joint in _outwards(robot):
        parent, child = robot.parent_of[joint], robot.child_of[joint]
        limb_of[child] = limb_of.get(parent) or (child if type_of(joint).moves else '')
    legs = [*dict.fromkeys(limb for link, limb in limb_of.items() if limb and _LEG.search(link))]
    if len(legs) > 1 and not any(joint.get('type') == FLOATING for joint in robot.joints):
        yield (f'the legs {listed(legs)} are on a base that no floating joint moves: it is bolted '
               'to the world')
