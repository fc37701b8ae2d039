"""What `urdf2dyn check` finds in a robot description, with the effect of each on the efforts."""

from dataclasses import dataclass
from typing import Any

from urdf2dyn_ros.commands.checks.effort_change import EffortChange, EffortChanges
from urdf2dyn_ros.errors import ParameterError, Problem, UrdfError
from urdf2dyn_ros.information import rounded_angles
from urdf2dyn_ros.loads import Loads
from urdf2dyn_ros.multibody import multibody
from urdf2dyn_ros.quoting import printable
from urdf2dyn_ros.urdf import read_description
from urdf2dyn_ros.urdf.text import decoded_text

_REJECTED = 'none are computed: the description is rejected'
_NO_EFFECT = 'no effect'

EFFECTS = {
    'axis-not-unit': 'no effect, if only the direction was meant',
    'base': 'none are computed unless the base is fixed',
    'dynamics-negative': 'none are computed with friction, which may not be negative; without '
                         'friction, no effect',
    'effort-zero': _NO_EFFECT,
    'floating-root': 'they depend on the motion of the base, an input; with a fixed base, no '
                     'effect',
    'inertia-negative': 'those that accelerate this link can have the wrong sign and size',
    'inertia-triangle': 'those that accelerate this link are of an inertia that no body has',
    'limit-inverted': _NO_EFFECT,
    'limit-missing': _NO_EFFECT,
    'limit-negative': _NO_EFFECT,
    'limit-single': _NO_EFFECT,
    'mass-zero': 'those of all joints before this link lack its weight',
    'massless-branch': 'zero in every motion at these joints',
    'mimic-ignored': _NO_EFFECT,
    'mimic-zero': 'nothing of this joint is reflected to the joint that drives it',
    'robot-name': _NO_EFFECT,
    'transmission-reduction': 'no rotor of this joint has its gear ratio; without rotors, no '
                              'effect',
    'transmission-twice': 'a rotor of this joint has the first gear ratio; without rotors, no '
                          'effect',
    'transmission-unknown': 'no rotor has this gear ratio; without rotors, no effect',
    'units-angle': 'what the rotation places is in another direction: all efforts before it can '
                   'be wrong',
    'units-length': 'if it is in millimetres, moments of all joints before it are up to 1000 '
                    'times too large',
    'units-mass': 'if it is in grams, efforts of all joints before it are up to 1000 times too '
                  'large',
    'units-mass-ratio': 'those of the heavy link hide those of the light one, or one is wrong',
}
"""Code of a warning to its effect on the efforts."""


@dataclass(frozen=True)
class Finding:
    """A problem, and its effect on the efforts, in numbers where there is a comparison."""

    problem: Problem
    change: EffortChange | None = None

    @property
    def error(self) -> bool:
        """Whether the description is rejected for it."""
        return self.problem.refused

    @property
    def effect(self) -> str:
        """The effect on the efforts, in words."""
        return _REJECTED if self.error else EFFECTS[self.problem.code]

    def text(self) -> str:
        """Return two lines for people."""
        kind = 'error' if self.error else 'warning'
        numbers = '' if self.change is None else f'\n  {self.change}'
        return f'{kind}: {self.problem}\n  efforts: {self.effect}{numbers}'

    def data(self) -> dict[str, Any]:
        problem = self.problem
        return {'severity': 'error' if self.error else 'warning', 'code': problem.code,
                'line': problem.line, 'element': problem.element, 'message': problem.message,
                'efforts': self.effect,
                'effort_change': None if self.change is None else self.change.data()}


def findings(text: str | bytes) -> tuple[str, list[Finding], list[str]]:
    """Return the robot's name, empty if it is rejected, all findings, and the rounded angles."""
    try:
        model = read_description(text)
    except UrdfError as error:
        return '', list(map(Finding, error.problems)), []
    changes = EffortChanges(decoded_text(text))
    reported = [Finding(problem, changes.of(problem)) for problem in model.warnings]
    try:
        Loads().check(multibody(model))
    except ParameterError as error:
        reported.append(Finding(Problem('base', str(error), refused=False)))
    return model.name, reported, list(rounded_angles(model))


def count_line(name: str, reported: list[Finding]) -> str:
    """Return the numbers of errors and warnings in a line."""
    errors = sum(finding.error for finding in reported)
    counts = [f'{n} {what}' + 's' * (n != 1) for n, what in (
        (errors, 'error'), (len(reported) - errors, 'warning')) if n]
    robot = f'robot {printable(name)!r}' if name else 'the robot'
    return f'{robot}: {" and ".join(counts) or "no problems"}'
