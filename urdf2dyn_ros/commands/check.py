"""Check a robot description: every problem, what it does to the efforts, and its remedy."""

import argparse
import json
import math
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from urdf2dyn_ros.codegen.information import rounded_angles
from urdf2dyn_ros.commands.arguments import FILE, add
from urdf2dyn_ros.errors import ParameterError, Problem, Urdf2DynError, UrdfError
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.robot.document import (
    TENSOR_ATTRIBUTES,
    Description,
    Element,
    line_of,
    name_of,
    parse_document,
    place_of,
    read_reduction,
    reductions,
)
from urdf2dyn_ros.robot.joints import JOINTS
from urdf2dyn_ros.robot.loads import LOAD_PARAMETERS, Loads, with_loads
from urdf2dyn_ros.robot.model import RobotModel
from urdf2dyn_ros.robot.multibody import Multibody, multibody
from urdf2dyn_ros.robot.reader import load_urdf, read_description, read_tree
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import first_names, printable, quote

# ---- The descriptions that `urdf2dyn check` compares with, to find what a problem does to efforts

# Changes a description at the element that has a problem, or at its attribute; returns whether
# there was something to change.
Change = Callable[[Description, Element, str], bool]

# inertia of the rotors with which gear ratios are compared [kg m^2]: of a motor of some 500 W
ROTOR_INERTIA = 1e-4

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
    def change(robot: Description, element: Element, _: str) -> bool:
        values = robot.numbers(element, attribute) or ()
        element.set(attribute, ' '.join(repr(value * factor) for value in values))
        return True

    return change


def _without_friction(robot: Description, element: Element, attribute: str) -> bool:
    element.set(attribute, '0')
    return True


def _without_tensor(robot: Description, element: Element, _: str) -> bool:
    inertial = element.iterancestors('inertial')
    for inertia in next(inertial).iterchildren('inertia'):
        for name in TENSOR_ATTRIBUTES:
            inertia.set(name, '0')
    return True


def _without_mass(robot: Description, element: Element, _: str) -> bool:
    element.set('value', '0')
    return _without_tensor(robot, element, '')


def _at_another_joint(robot: Description, element: Element, _: str) -> bool:
    """Name the joint that an unknown one resembles most."""
    changed = False
    for joint in element.iterchildren('joint'):
        close = get_close_matches(name_of(joint), [*robot.joint_of], n=1)
        if close and name_of(joint) not in robot.joint_of:
            joint.set('name', close[0])
            changed = True
    return changed


def _largest_number(robot: Description, element: Element, _: str) -> bool:
    """Leave the largest number: 100 of 1:100."""
    values = re.findall(r'\d+(?:[.,]\d+)?', str(element.xpath('string()')))
    largest = max((float(value.replace(',', '.')) for value in values), default=0.0)
    element[:], element.text = [], repr(largest)
    return largest > 0.0


def _second_reduction(robot: Description, element: Element, _: str) -> bool:
    """Give the first reduction of a joint the value of this one."""
    read = list(reductions(robot))
    joint = next((name for name, each in read if each is element), None)
    for name, each in read:
        if name == joint and not isinstance(read_reduction(each), str):
            each[:], each.text = [], str(element.xpath('string()')).strip()
            return True
    return False


_NO_TENSOR = 'a link without this tensor'
_ROTORS = f'both with a rotor of {ROTOR_INERTIA:g} kg m^2 at each joint'

OTHER_DESCRIPTIONS = {
    'dynamics-negative': OtherDescription('no friction of this kind there, if the sign is dropped',
                                          _without_friction, _with_friction),
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


# ---- What a problem does to the efforts, in numbers: against the description without it

RANDOM_STATES = 100   # within the limits
MOST_CHANGES = 10   # problems of a description that are evaluated
_RATES = {'rad': (2.0, 5.0), 'm': (0.5, 2.0)}   # velocity without a limit, and acceleration
_LARGEST_RANGE = {'rad': math.pi, 'm': 1.0}


class EffortChanges:
    """The changes of one description that is not rejected."""

    def __init__(self, text: str | bytes, model: RobotModel) -> None:
        self._text, self._model = text, model
        self._left = MOST_CHANGES

    def of(self, problem: Problem) -> dict[str, Any] | None:
        """
        Return the effect of a problem as JSON has it; None where there is nothing to compare with.

        It is that of the efforts of the description as read minus those of another one, over
        random states; the joint is the one with the largest difference, `rms` that of this joint.
        """
        other = OTHER_DESCRIPTIONS.get(problem.code)
        if other is None or not self._left or not self._dynamics.joint_names:
            return None
        robot = Description(parse_document(self._text))   # another tree, which is changed
        place = next(((element, attribute) for element in robot.robot.iter('*')
                      if line_of(element) == problem.line
                      for attribute in ('', *map(str, element.attrib))
                      if place_of(element, attribute) == problem.element), None)
        self._left -= place is not None
        if place is None or not other.change(robot, *place):
            return None
        try:
            read, corrected = (_dynamics(model, other.loads) for model in (
                self._model, read_tree(robot.robot)))
        except Urdf2DynError:
            return None
        if corrected.joint_names != self._dynamics.joint_names:
            return None
        difference = np.asarray(read(*self._states)) - np.asarray(corrected(*self._states))
        largest = np.abs(difference).max(axis=0)
        k = int(largest.argmax())
        rms = float(np.sqrt((difference[:, k] ** 2).mean()))
        return {'compared_with': other.words, 'states': RANDOM_STATES,
                'joint': read.joint_names[k], 'unit': read.effort_units[k],
                'largest': float(largest[k]), 'rms': rms,
                'largest_of_joints': dict(zip(read.joint_names, largest.tolist()))}

    def of_gravity(self) -> Problem | None:
        """Return the joint whose effort limit gravity alone exceeds most, in a random posture."""
        if not self._dynamics.joint_names:
            return None
        system = multibody(self._model)
        limits = np.array([system.bodies[i].limits.effort or math.inf for i in system.drivers])
        q = self._states[0]
        efforts = np.abs(np.asarray(self._dynamics(q, 0.0 * q, 0.0 * q)))
        share = np.where(limits > 0.0, efforts / np.abs(limits), 0.0)
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
            f'{f" (and too much of {others} other joints)" * (others > 0)}; check masses, lengths '
            'and this limit', f'joint {quote(name)} <limit>',
            None if element is None else line_of(element), False,
            'no effect of the limit; if a mass or length is wrong, so are they')

    @cached_property
    def _dynamics(self) -> InverseDynamics:
        return _dynamics(self._model, no_loads)

    @cached_property
    def _states(self) -> Array:
        return _states(multibody(self._model))


def _dynamics(model: RobotModel, with_loads: Callable[[RobotModel], tuple[RobotModel, Loads]],
              ) -> InverseDynamics:
    model, loads = with_loads(model)
    return InverseDynamics(model, backend='python', loads=loads)


def _states(system: Multibody) -> Array:
    """Return positions, velocities and accelerations within the limits, (3, RANDOM_STATES, n)."""
    generator = np.random.default_rng(0)
    columns = []
    for i in system.drivers:
        body = system.bodies[i]
        unit, limits = JOINTS[body.type].unit, body.limits
        far, (velocity, acceleration) = _LARGEST_RANGE[unit], _RATES[unit]
        lower, upper = -far, far
        if limits.lower is not None and limits.upper is not None and (
                limits.lower < limits.upper):
            lower, upper = limits.lower, limits.upper
        largest = abs(limits.velocity or velocity)
        columns.append([generator.uniform(low, high, RANDOM_STATES) for low, high in (
            (lower, upper), (-largest, largest), (-acceleration, acceleration))])
    return np.stack(columns, axis=-1)


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


def findings(text: str | bytes) -> tuple[str, list[Finding], list[str]]:
    """Return the robot's name, empty if it is rejected, all findings, and the rounded angles."""
    try:
        model = read_description(text)
    except UrdfError as error:
        return '', list(map(Finding, error.problems)), []
    changes = EffortChanges(text, model)
    reported = [Finding(problem, changes.of(problem)) for problem in model.warnings]
    if (gravity := changes.of_gravity()) is not None:
        reported.append(Finding(gravity))
    try:
        Loads().check(multibody(model))
    except ParameterError as error:
        reported.append(Finding(Problem(
            'base', str(error), refused=False,
            effect='none are computed unless the base is fixed')))
    return model.name, reported, list(rounded_angles(model))


# ---- Check a robot description: every problem, what it does to the efforts, and its remedy

def add_check(parser: argparse.ArgumentParser) -> None:
    """Add the robot, what counts as a failure, and the format."""
    add(parser, *FILE)
    parser.add_argument('--strict', action='store_true',
                        help='fail on warnings as well as on errors')
    parser.add_argument('-v', '--verbose', action='store_true',
                        help='list all angles that are read as quarter turns')
    parser.add_argument('--json', action='store_true', help='print JSON')


def run_check(arguments: argparse.Namespace) -> int:
    """Print all findings; return 1 after errors, with --strict also after warnings."""
    text = load_urdf(arguments.robot, xacro_args=arguments.xacro_args)
    name, reported, rounded = findings(text)
    notes = rounded if arguments.verbose or len(rounded) < 2 else [
        f'{len(rounded)} angles are read as the quarter turns that they almost are; -v lists them']
    if isinstance(text, str) and any(finding.problem.line for finding in reported):
        command = f'xacro {shlex.quote(arguments.robot)} {arguments.xacro_args}'.strip()
        notes = [f'lines are those of the text that `{command}` prints', *notes]
    errors = sum(finding.problem.refused for finding in reported)
    if arguments.json:
        print(json.dumps({'robot': name, 'errors': errors, 'warnings': len(reported) - errors,
                          'problems': [finding.data() for finding in reported],
                          'rounded': rounded}, indent=2))
    else:
        counts = [f'{n} {what}' + 's' * (n != 1) for n, what in (
            (errors, 'error'), (len(reported) - errors, 'warning')) if n]
        robot = f'robot {printable(name)!r}' if name else 'the robot'
        print('\n'.join([*map(Finding.text, reported), *(f'note: {line}' for line in notes),
                         f'{robot}: {" and ".join(counts) or "no problems"}']))
    return int(bool(errors or (arguments.strict and reported)))
