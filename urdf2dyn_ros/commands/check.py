"""Check a robot description: every problem, what it does to the efforts, and its remedy."""

import argparse
import json
import math
import shlex
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from urdf2dyn_ros.codegen.information import rounded_angles
from urdf2dyn_ros.commands.arguments import FILE, LOOPS, add
from urdf2dyn_ros.errors import ParameterError, Problem, StateError, Urdf2DynError, UrdfError
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.robot.assembly import about_loops, ambiguous
from urdf2dyn_ros.robot.document import (
    TENSOR_ATTRIBUTES,
    Description,
    Element,
    line_of,
    parse_document,
    place_of,
)
from urdf2dyn_ros.robot.joints import JOINTS
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.lock import lock_joints, locked_positions
from urdf2dyn_ros.robot.model import RobotModel
from urdf2dyn_ros.robot.multibody import Multibody, make_multibody
from urdf2dyn_ros.robot.plausibility import notes
from urdf2dyn_ros.robot.reader import load_urdf, read_configured, read_tree
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import counted, first_names, printable, quote

# ---- What a problem does to the efforts, in numbers: against the description without it

RANDOM_STATES = 100   # within the limits
MOST_CHANGES = 10   # problems of a description that are evaluated
_RATES = {'rad': (2.0, 5.0), 'm': (0.5, 2.0)}   # velocity without a limit, and acceleration
_LOOP_STATES = 30   # in which loops are closed
_LARGEST_RANGE = {'rad': math.pi, 'm': 1.0}


def _scale(robot: Description, element: Element, attribute: str, factor: float) -> None:
    values = robot.numbers(element, attribute) or ()
    element.set(attribute, ' '.join(repr(value * factor) for value in values))


def _remove_tensor(element: Element) -> None:
    for inertia in next(element.iterancestors('inertial')).iterchildren('inertia'):
        for name in TENSOR_ATTRIBUTES:
            inertia.set(name, '0')


def _remove_mass(element: Element) -> None:
    element.set('value', '0')
    _remove_tensor(element)


Change = Callable[[Description, Element], None]   # of the element with the problem

_NO_TENSOR: tuple[str, Change] = ('a link without this tensor',
                                  lambda robot, element: _remove_tensor(element))
# by the code of a warning: a description to compare with, in words and as a change; the others
# have no effect, or none without friction and rotors
OTHER_DESCRIPTIONS: dict[str, tuple[str, Change]] = {
    **dict.fromkeys(('inertia-negative', 'inertia-triangle', 'mass-zero'), _NO_TENSOR),
    'units-angle': ('the angles in degrees', lambda robot, element: _scale(
        robot, element, 'rpy', math.pi / 180.0)),
    'units-length': ('the lengths in millimetres', lambda robot, element: _scale(
        robot, element, 'xyz', 1e-3)),
    'units-mass': ('the mass in grams', lambda robot, element: _scale(
        robot, element, 'value', 1e-3)),
    'units-mass-ratio': ('the light link without mass',
                         lambda robot, element: _remove_mass(element)),
}


class EffortChanges:
    """The changes of one description that is not rejected."""

    def __init__(self, text: str | bytes, model: RobotModel,
                 locked: Mapping[str, float]) -> None:
        self._text, self._system, self._locked = text, make_multibody(model), locked
        self._left = MOST_CHANGES
        self._dynamics = _dynamics(model)
        self._states = _states(self._system)

    def of(self, problem: Problem) -> dict[str, Any] | None:
        """
        Return the effect of a problem as JSON has it; None where there is nothing to compare with.

        It is that of the efforts of the description as read minus those of another one, over
        random states; the joint is the one with the largest difference, `rms` that of this joint.
        """
        names = self._dynamics.joint_names
        if problem.code not in OTHER_DESCRIPTIONS or not self._left or not names:
            return None
        words, change = OTHER_DESCRIPTIONS[problem.code]
        robot = Description(parse_document(self._text))   # another tree, which is changed
        element = next((element for element in robot.robot.iter('*')
                        if line_of(element) == problem.line
                        for attribute in ('', *map(str, element.attrib))
                        if place_of(element, attribute) == problem.element), None)
        if element is None:
            return None
        self._left -= 1
        change(robot, element)
        try:
            corrected = _dynamics(lock_joints(read_tree(robot.robot), self._locked))
        except Urdf2DynError:
            return None
        if corrected.joint_names != names:
            return None
        difference = np.asarray(self._dynamics(*self._states)) - corrected(*self._states)
        largest = np.abs(difference).max(axis=0)
        k = int(largest.argmax())
        return {'compared_with': words, 'states': RANDOM_STATES, 'joint': names[k],
                'unit': self._dynamics.effort_units[k], 'largest': float(largest[k]),
                'rms': float(np.sqrt((difference[:, k] ** 2).mean())),
                'largest_of_joints': dict(zip(names, largest.tolist()))}

    def of_gravity(self) -> Problem | None:
        """Return the joint whose effort limit gravity alone exceeds most, in a random posture."""
        if not self._dynamics.joint_names:
            return None
        limits, q = self._dynamics.effort_limit, self._states[0]
        efforts = np.abs(np.asarray(self._dynamics(q)))
        share = np.divide(efforts, limits, np.zeros_like(efforts), where=limits > 0.0)
        state, k = np.unravel_index(int(share.argmax()), share.shape)
        if not share[state, k] > 1.0:   # nor where numbers overflow
            return None
        name, unit = self._dynamics.joint_names[k], self._dynamics.effort_units[k]
        others = int((share.max(axis=0) > 1.0).sum()) - 1
        posture = first_names([f'{joint} {value:.3g}' for joint, value in zip(
            self._dynamics.joint_names, q[state].tolist())], 12)
        element = Description(parse_document(self._text)).joint_of.get(name)
        return Problem(
            'gravity-effort', f'gravity alone needs {efforts[state, k]:.3g} {unit}; the '
            f'limit is {limits[k]:.3g} {unit}; in the posture {posture}, within the limits'
            f'{f" (and too much of {others} other joints)" if others else ""}; check masses, '
            'lengths and this limit', f'joint {quote(name)} <limit>',
            None if element is None else line_of(element), False,
            'no effect of the limit; if a mass or length is wrong, so are they')


def _dynamics(model: RobotModel) -> InverseDynamics:
    return InverseDynamics(model, backend='python', base='fixed')


def _states(system: Multibody) -> Array:
    """Return positions, velocities and accelerations within the limits, (3, RANDOM_STATES, n)."""
    generator = np.random.default_rng(0)
    states = np.empty((3, RANDOM_STATES, len(system.motors)))
    for column, i in enumerate(system.motors):
        body = system.bodies[i]
        unit, limits = JOINTS[body.type].unit, body.limits
        far, (velocity, acceleration) = _LARGEST_RANGE[unit], _RATES[unit]
        lower, upper = -far, far
        if limits.lower is not None and limits.upper is not None and (
                limits.lower < limits.upper):
            lower, upper = limits.lower, limits.upper
        largest = abs(limits.velocity or velocity)
        for row, (low, high) in enumerate((
                (lower, upper), (-largest, largest), (-acceleration, acceleration))):
            states[row, :, column] = generator.uniform(low, high, RANDOM_STATES)
    return states


# ---- What `urdf2dyn check` finds in a robot description, with the effect of each on the efforts

@dataclass(frozen=True)
class Finding:
    """A problem, and its effect on the efforts, in numbers where there is a comparison."""

    problem: Problem
    change: dict[str, Any] | None = None

    @property
    def effect(self) -> str:
        """The effect on the efforts, in words."""
        return ('none are computed: the description is rejected' if self.problem.refused else
                self.problem.effect)

    @property
    def severity(self) -> str:
        return 'error' if self.problem.refused else 'warning'

    def text(self) -> str:
        """Return two lines for people."""
        text = f'{self.severity}: {self.problem}\n  efforts: {self.effect}'
        if (change := self.change) is None:
            return text
        if change['largest'] == 0.0:
            return f'{text}\n  no change of any effort, compared with {change["compared_with"]}'
        largest, rms = (f'{change[name]:.3g} {change["unit"]}' for name in ('largest', 'rms'))
        return (f'{text}\n  up to {largest} at joint "{change["joint"]}" (RMS {rms}), compared '
                f'with {change["compared_with"]}, over {RANDOM_STATES} random states within the '
                'limits')

    def data(self) -> dict[str, Any]:
        problem = self.problem
        return {'severity': self.severity, 'code': problem.code, 'line': problem.line,
                'element': problem.element, 'message': problem.message,
                'efforts': self.effect, 'effort_change': self.change}


class Report(NamedTuple):
    """What is to be said of a description."""

    robot: str   # its name; empty if it is rejected
    findings: list[Finding]
    notes: list[str]
    rounded: list[str]   # the angles that are read as quarter turns


def check_description(text: str | bytes, options: Mapping[str, Any]) -> Report:
    """Check a description; `options` are loops, actuated, start and lock, as the node has them."""
    locked = locked_positions(options.get('lock', ()))
    try:
        model = lock_joints(read_configured(text, options), locked)
    except UrdfError as error:
        return Report('', list(map(Finding, error.problems)), [], [])
    closed_loops, about = model.closed_loops, [*about_loops(model)]
    if closed_loops and closed_loops.other:
        reported = [*map(Finding, (*model.warnings, *ambiguous(closed_loops).problems))]
    elif closed_loops and closed_loops.unknown:   # which do not close at random positions
        closed, range_ = _closed_poses(model)
        reported = [*map(Finding, (*model.warnings, *closed))]
        about.append(range_)
    else:
        changes = EffortChanges(text, model, locked)
        reported = [Finding(problem, changes.of(problem)) for problem in model.warnings]
        if (gravity := changes.of_gravity()) is not None:
            reported.append(Finding(gravity))
    try:
        Loads().check(make_multibody(model))
    except ParameterError as error:
        reported.append(Finding(Problem(
            'base', str(error), refused=False,
            effect='none are computed unless the base is fixed')))
    return Report(model.name, reported, [*notes(Description(parse_document(text))), *about],
                  list(rounded_angles(model)))


def _closed_poses(model: RobotModel) -> tuple[list[Problem], str]:
    """Return what is wrong with loops within the limits of the actuated joints, and a note."""
    dynamics = _dynamics(model)
    start = dict(model.closed_loops.start) if model.closed_loops else {}
    names = (*dynamics.joint_names, *dynamics.passive_names)
    near = np.array([start[name] for name in dynamics.joint_names])
    poses, margins = [near], []
    for k, far in enumerate(_states(make_multibody(model))[0, :_LOOP_STATES], start=1):
        q = near + k / _LOOP_STATES * (far - near)
        with suppress(StateError):   # out of reach, or beyond a singular pose
            dynamics.close(q)
            poses.append(q)
            margins.append(dynamics.margin)
    passive = np.array([dynamics.close(q) for q in poses])
    every = [dict(zip(names, row)) for row in np.hstack([poses, passive]).tolist()]
    problems = []
    for joint in model.joints:
        positions = [pose[joint.name] for pose in every if joint.name in dynamics.passive_names
                     and joint.name in pose]
        for end, limit, sign in ((min, joint.limits.lower, -1.0), (max, joint.limits.upper, 1.0)):
            if positions and limit is not None and JOINTS[joint.type].bounded and (
                    sign * (end(positions) - limit) > 1e-6):
                problems.append(Problem(
                    'passive-limit', f'it is at {end(positions):.4g} where the loops close within '
                    f'the limits of the actuated joints; its limit is {limit:.4g}: correct it, or '
                    "the actuated joints' limits", f'joint {quote(joint.name)} <limit>', None,
                    False, 'those of poses that the robot cannot reach are computed'))
    return problems, (
        f'the loops close at {len(margins)} of {_LOOP_STATES} positions from the start to limits'
        + (f', least sine {min(margins):.3g} to {max(margins):.3g}' if margins else ''))


# ---- Check a robot description: every problem, what it does to the efforts, and its remedy

def add_check(parser: argparse.ArgumentParser) -> None:
    """Add the robot, what counts as a failure, and the format."""
    add(parser, *FILE, *LOOPS, '--lock')
    parser.add_argument('--strict', action='store_true',
                        help='fail on warnings as well as on errors')
    parser.add_argument('-v', '--verbose', action='store_true',
                        help='list all angles that are read as quarter turns')
    parser.add_argument('--json', action='store_true', help='print JSON')


def run_check(arguments: argparse.Namespace) -> int:
    """Print all findings; return 1 after errors, with --strict also after warnings."""
    text = load_urdf(arguments.robot, xacro_args=arguments.xacro_args)
    name, reported, remarks, rounded = check_description(text, {
        'loops': arguments.loop, 'actuated': arguments.actuated, 'start': arguments.start,
        'lock': arguments.lock})
    if len(rounded) < 2 or arguments.verbose:
        remarks += rounded
    else:
        remarks.append(f'{len(rounded)} angles are read as the quarter turns that they almost '
                       'are; -v lists them')
    if isinstance(text, str) and any(finding.problem.line for finding in reported):
        command = f'xacro {shlex.quote(arguments.robot)} {arguments.xacro_args}'.strip()
        remarks = [f'lines are those of the text that `{command}` prints', *remarks]
    errors = sum(finding.problem.refused for finding in reported)
    if arguments.json:
        print(json.dumps({'robot': name, 'errors': errors, 'warnings': len(reported) - errors,
                          'problems': [finding.data() for finding in reported],
                          'notes': remarks, 'rounded': rounded}, indent=2))
    else:
        counts = [counted(n, what) for n, what in (
            (errors, 'error'), (len(reported) - errors, 'warning')) if n]
        robot = f'robot {printable(name)!r}' if name else 'the robot'
        print('\n'.join([*map(Finding.text, reported), *(f'note: {line}' for line in remarks),
                         f'{robot}: {" and ".join(counts) or "no problems"}']))
    return int(bool(errors or (arguments.strict and reported)))
