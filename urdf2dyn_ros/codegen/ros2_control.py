"""
A controller of ros2_control for one robot: a ROS 2 package in C++.

Its files are the texts in the folder `controller`, in which @name@ stands for what belongs to the
robot, and the equations in C as the fast style writes them. Friction is a table of the controller
and no part of the equations: it is that of the reference where a motion is followed, and of the
measured velocity, with a dead band, where the arm is guided by hand.
"""

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import NamedTuple

from numpy.typing import ArrayLike

from urdf2dyn_ros.codegen.functions.observer import CONTACT_THRESHOLDS, OBSERVER_GAIN
from urdf2dyn_ros.codegen.generator import generate
from urdf2dyn_ros.codegen.infix import filled, shortest
from urdf2dyn_ros.codegen.languages import c
from urdf2dyn_ros.codegen.program import Program
from urdf2dyn_ros.equations.loop_constraints import LoopConstraints
from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.robot.joints import AT_REST, JOINTS, Coordinate
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.model import RobotModel
from urdf2dyn_ros.robot.multibody import Body, Multibody, make_multibody
from urdf2dyn_ros.robot.spatial import Scalar
from urdf2dyn_ros.robot.terms import Friction
from urdf2dyn_ros.robot.writer import mock_urdf
from urdf2dyn_ros.text import __version__, counted, quote

# that the controller calls
FUNCTIONS = ('inverse_dynamics', 'gravity', 'mass_matrix', 'momentum')
_GOAL_MARGIN = 0.2   # least margin of references to singular poses, of that where a robot starts
JUMP_MARGINS = {'rad': 0.02, 'm': 0.005}   # [rad] and [m] that a position may step in any case
PLACES = {   # text in the folder `controller` to where it is in the package
    'CMakeLists.txt': 'CMakeLists.txt', 'package.xml': 'package.xml', 'README.md': 'README.md',
    'plugin.xml': '@package@.xml', 'parameters.yaml': 'src/parameters.yaml',
    'robot.hpp': 'include/@package@/robot.hpp',
    'equations.hpp': 'include/@package@/equations.hpp',
    'settings.hpp': 'include/@package@/settings.hpp',
    'validators.hpp': 'include/@package@/validators.hpp',
    'momentum_observer.hpp': 'include/@package@/momentum_observer.hpp',
    'monitor.hpp': 'include/@package@/monitor.hpp',
    'dynamics_broadcaster.hpp': 'include/@package@/dynamics_broadcaster.hpp',
    'dynamics_broadcaster.cpp': 'src/dynamics_broadcaster.cpp',
    'dynamics_core.hpp': 'include/@package@/dynamics_core.hpp',
    'dynamics_controller.hpp': 'include/@package@/dynamics_controller.hpp',
    'dynamics_controller.cpp': 'src/dynamics_controller.cpp',
    'controllers.yaml': 'config/controllers.yaml',
    'controllers.launch.in': 'launch/controllers.launch.py',
    'mock_hardware.launch.in': 'launch/mock_hardware.launch.py',
    'test_dynamics_core.cpp': 'test/test_dynamics_core.cpp',
    'test_dynamics_controller.cpp': 'test/test_dynamics_controller.cpp'}


class FrictionRow(NamedTuple):
    """Friction of a body's joint, which turns `ratio` times as fast as independent joint j."""

    j: int
    ratio: float
    name: str
    friction: Friction
    origin: str


class ContactRule(NamedTuple):
    """Gains of the momentum observer, and external efforts that are contacts; 0: not reported."""

    gains: Sequence[float] = OBSERVER_GAIN.default   # [1/s], one for all joints or for each
    thresholds: Sequence[float] = CONTACT_THRESHOLDS.default   # [N m or N], likewise


CONTACTS = ContactRule()


def write(model: RobotModel, name: str, gravity: ArrayLike, loads: Loads,
          gains: Sequence[float], contacts: ContactRule) -> dict[str, str]:
    """
    Return the files of a package: {path: text}.

    The payload is on the link of the loads or, by default, on the only tip. Gains other than 1
    are efforts per current, and currents are commanded.
    """
    system = make_multibody(model)
    loads.check(system)
    if loads.moving(system) or loads.external:
        raise ExportError('ros2_control: a controller knows neither the motion of a base nor '
                          'external wrenches: use base fixed and no external wrenches, or export '
                          'C and call it with what your sensors measure')
    joints = [system.bodies[i] for i in system.motors]
    missing = [body.name for body in joints if not (body.limits.effort and body.limits.velocity)]
    if missing or not joints:
        raise ExportError(
            f'ros2_control: joints without limits: {", ".join(missing) or "no joint moves"}; a '
            'controller of efforts needs <limit effort="..." velocity="..."/> other than 0 of '
            'each joint: add what its drive can do to the URDF')
    if len(gains) not in (1, len(joints)):
        raise ExportError(f'ros2_control: {len(gains)} current_gains for {len(joints)} joints: '
                          'one is required for each, or one for all')
    undetermined = [body.name for body, gain in zip(joints, gains) if not math.isfinite(gain)]
    if undetermined:
        raise ExportError(f'ros2_control: current_gains of {", ".join(undetermined)} are unknown: '
                          'what they were identified from does not determine them; set them in '
                          'the file of parameters')
    friction = list(_friction(model, system, loads))
    tip = system.tips[0] if len(system.tips) == 1 else ''
    rigid = replace(loads, payload=loads.payload or tip, terms={
        body.name: [term for term in loads.terms.get(body.name, ())
                    if body.coordinate in system.unknown or not isinstance(term, Friction)]
        for body in system.bodies})
    program = generate(system, name=re.sub('_+', '_', name.lower()), style='fast',
                       gravity=gravity, functions=FUNCTIONS, loads=rigid, with_closure=True,
                       twins=True)
    values = {**_names(program, joints, rigid.payload, friction), **_tables(joints, friction),
              **_contacts(joints, contacts), **_closing(program, system),
              **_commands(joints, gains), **_references(program, friction)}
    folder, package = files('urdf2dyn_ros.codegen') / 'controller', values['package']
    texts = {place: (folder / source).read_text('utf-8') for source, place in PLACES.items()}
    result = {f'{package}/{filled(place, values)}': filled(text, values)
              for place, text in texts.items()}
    result[f'{package}/config/mock_hardware.urdf'] = mock_urdf(model, values['command'])
    for file, text in c.C.write(program).items():
        place = 'src' if file.endswith('.c') else f'include/{package}'
        result[f'{package}/{place}/{file}'] = text
    return result


def _friction(model: RobotModel, system: Multibody, loads: Loads) -> Iterator[FrictionRow]:
    """Yield friction but that of joints whose rates the equations alone know."""
    joints = {joint.name: joint for joint in model.joints}
    for body in (body for body in system.bodies if body.coordinate in system.actuated):
        for term in loads.terms.get(body.name, ()):
            if not isinstance(term, Friction) or term.is_off():
                continue
            if term.load and body.multiplier != 1.0:
                raise ExportError(f'ros2_control: friction of mimic joint {quote(body.name)} '
                                  'depends on its load, which only the simulation knows: use '
                                  'viscous and Coulomb friction')
            described = joints.get(body.name)
            urdf = described is not None and term == Friction(
                viscous=described.damping, coulomb=described.friction, steepness=term.steepness)
            yield FrictionRow(
                system.actuated.index(body.coordinate), float(body.multiplier), body.name, term,
                '<dynamics> of the URDF' if urdf else 'parameters, as identified or set')


def _names(program: Program, joints: Sequence[Body], payload: str,
           friction: Sequence[FrictionRow]) -> dict[str, str]:
    robot = program.name
    package = f'{robot}_dynamics_controller'
    origins = ' and '.join(sorted({row.origin for row in friction}))
    on = f'link {payload}' if payload else ''
    return {
        'robot': robot, 'package': package, 'PACKAGE': package.upper(),
        'origin': f'written by urdf2dyn_ros {__version__}',
        'joints': str(len(joints)),
        'joint_list': ', '.join(json.dumps(body.name) for body in joints),
        'command_joints': '\n'.join(
            '      - ' + json.dumps(f'{robot}_dynamics/{body.name}') for body in joints),
        'argument': 'payload.data(), ' if payload else '',
        'payload': f'mass, centre, inertia about it; on {on}' if payload else
                   'without effect: no link was chosen',
        'payload_help': f'Mass of a payload on {on} [kg].' if payload else
                        'Without effect: the package was exported without --payload-link.',
        'payload_words':
            f'A payload on {on}: `payload.mass`, `payload.com`, `payload.inertia`, at any time.'
            if payload else 'Several links could carry a payload: for one, export with '
            '`--payload-link LINK`.',
        'friction_words': f'Friction of {counted(len(friction), "joint")}: {origins}.' if friction
                          else 'It has no friction: export with `--friction` or `--parameters`.'}


def _tables(joints: Sequence[Body], friction: Sequence[FrictionRow]) -> dict[str, str]:
    efforts = [shortest(body.limits.effort or 0.0) for body in joints]
    velocities = [shortest(body.limits.velocity or 0.0) for body in joints]
    units = [JOINTS[body.type].unit for body in joints]
    rows = ''
    for row in friction:
        f = row.friction
        numbers = (row.ratio, f.viscous, f.coulomb, 1.0 / f.steepness, f.stribeck,
                   float(f.decay)**-0.5, f.offset, f.load, f.quadratic,
                   f.asymmetry)
        rows += (f'  // {_comment(row.name)}: {row.origin}\n  Friction{{{row.j}, '
                 f'{", ".join(map(_number, numbers))}}},\n')
    return {
        'joint_names': ''.join(f'  {c.quoted(body.name)},\n' for body in joints),
        'continuous': _lines(joints, [str(not JOINTS[body.type].bounded).lower()
                                      for body in joints]),
        'lower_limits': _lines(joints, [_bound(body, body.limits.lower, '-UNLIMITED')
                                        for body in joints]),
        'upper_limits': _lines(joints, [_bound(body, body.limits.upper, 'UNLIMITED')
                                        for body in joints]),
        'effort_limits': _lines(joints, efforts), 'velocity_limits': _lines(joints, velocities),
        'jump_margins': _lines(joints, [shortest(JUMP_MARGINS[unit]) for unit in units]),
        'effort_array': f'[{", ".join(efforts)}]',
        'velocity_array': f'[{", ".join(velocities)}]',
        'frictions': str(len(friction)), 'friction': f'\n{rows}' if rows else ''}


def _closing(program: Program, system: Multibody) -> dict[str, str]:
    """Return what closes loops that are not linear; without any, no joint is passive."""
    start = dict(system.closed_loops.start) if system.closed_loops else {}
    passive = [system.bodies[system.drivers[k]] for k in system.unknown]
    step = (f'    {program.name}_closure(\n      next.q.data(), near.data(), '
            'next.passive.data(), gap, margin);\n')
    pose = [start.get(name, 0.0) for name in system.joint_names]
    margin = math.sqrt(LoopConstraints(system, pose, system).margin()) if passive else 0.0
    return {
        'loop_words':
            f'The joints {", ".join(_comment(body.name) for body in passive)} close loops; they '
            'are not commanded. The robot must\n  be assembled as at `START` of `equations.hpp` '
            'when it is activated. A state at which the loops do not\n  close, or are singular, '
            'is a fault as those above; references are held where they close.' if passive else
            'It has no closed loops but linear ones.',
        'goal_margin': shortest(round(_GOAL_MARGIN * margin, 4)),
        'passives': str(len(passive)), 'passive': 'at.passive.data(), ' if passive else '',
        'reach': '0.1' if passive else 'UNLIMITED', 'newton': step if passive else '',
        **{key: _lines(bodies, [shortest(start.get(body.name, 0.0)) for body in bodies])
           for key, bodies in (('start', [system.bodies[i] for i in system.motors]),
                               ('passive_start', passive))}}


def _contacts(joints: Sequence[Body], contacts: ContactRule) -> dict[str, str]:
    for what, values in (('observer.gain', contacts.gains),
                         ('contact.thresholds', contacts.thresholds)):
        if len(values) not in (1, len(joints)):
            raise ExportError(f'ros2_control: {len(values)} entries of {what} for {len(joints)} '
                              'joints: one is required for each, or one for all')
    gains, thresholds = (list(values) * (len(joints) if len(values) == 1 else 1)
                         for values in contacts)
    reported = any(thresholds)
    return {
        'observer_gains': _lines(joints, [*map(_number, gains)]),
        'gain_words': 'parameters' if reported else 'default of the generator',
        'thresholds': _lines(joints, [_number(each) if each else 'UNLIMITED'
                                      for each in thresholds]),
        'threshold_words': 'parameters, of recordings without contact' if reported else
                           'none is known, and none is reported',
        'contact_words': 'Contacts are reported from the thresholds of `robot.hpp` on.'
                         if reported else
                         'Contacts are not reported: export with the `contact.yaml` of '
                         '`urdf2dyn evaluate --observer`.'}


def _lines(joints: Sequence[Body], entries: Sequence[str]) -> str:
    """Return an entry a line, with the name of its joint."""
    width = max(map(len, entries), default=0) + 1
    return ''.join(f'  {entry + ",":{width}}   // {_comment(body.name)}\n'
                   for entry, body in zip(entries, joints))


def _commands(joints: Sequence[Body], gains: Sequence[float]) -> dict[str, str]:
    """Return the interface that is commanded, and the gains from it to efforts."""
    currents = any(gain != 1.0 for gain in gains)
    each = gains if len(gains) == len(joints) else [gains[0]] * len(joints)
    return {'command': 'current' if currents else 'effort',
            'gain_array': f'[{", ".join(map(_number, each))}]',
            'gain_origin': 'parameters, as identified or set' if currents else
                           'efforts are commanded as they are'}


def _references(program: Program, friction: Sequence[FrictionRow]) -> dict[str, str]:
    """Return states with the efforts of the recursion on numbers, for the test of the package."""
    states = []
    for reference in program.references:
        links = reference.expected['inverse_dynamics']['tau']
        efforts = list(links)
        for j, ratio, _, term, _ in friction:
            coordinate = Coordinate(0.0, ratio * reference.arguments['qd'][j], 0.0)
            efforts[j] += ratio * float(term.effort(AT_REST, coordinate, links[j]))
        vectors = [*(reference.arguments.get(x, ()) for x in ('q', 'passive', 'qd', 'qdd')),
                   reference.arguments.get('payload', (0.0,) * 10),
                   reference.expected['gravity']['tau'], links, efforts]
        states.append('  {' + ',\n   '.join(
            f'{{{", ".join(map(_number, vector))}}}' for vector in vectors) + '},\n')
    return {'states': str(len(states)), 'references': ''.join(states)}


def _bound(body: Body, limit: float | None, none: str) -> str:
    return shortest(limit) if limit is not None and JOINTS[body.type].bounded else none


def _number(value: Scalar) -> str:
    return shortest(float(value))


def _comment(name: str) -> str:
    """Return a name that can stand in a comment: what is not plain is data alone."""
    return name if re.fullmatch(r'[\w.:/ -]+', name, re.ASCII) else '-'
