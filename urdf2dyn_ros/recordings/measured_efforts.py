"""What a measured effort is, how it is made comparable, and whether another meaning fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from urdf2dyn_ros.robot.model import Mimic
from urdf2dyn_ros.robot.parameters import Parameter
from urdf2dyn_ros.robot.spatial import Array

MEASURED, ADDED, COMPUTED, VELOCITY, GRAVITY = range(5)
"""Columns of pairs of one instant; ADDED is to be added to the measured effort."""


@dataclass(frozen=True)
class JointFacts:
    """
    Facts of one joint from the robot description; `unit` is that of its effort.

    The damping is in [N m s/rad or N s/m]; `friction` is Coulomb friction, `limit` the largest
    effort of the actuator, both in [N m or N]; an unknown limit, or one of zero, is None.
    """

    unit: str = 'N m | N'
    damping: float = 0.0
    friction: float = 0.0
    limit: float | None = None

    def friction_at(self, velocity: Array, still: float) -> Array:
        """
        Return friction at velocities (k,), without rotors [N m or N].

        At rest, up to the velocity `still`, static friction is undetermined; it is set to zero.
        """
        velocity = np.where(np.abs(velocity) > still, velocity, 0.0)
        return self.damping * velocity + self.friction * np.sign(velocity)


GAINS_PARAMETER = Parameter(
    'current_gains', (1.0,), 'Effort of a joint per current: one for all, or one for each in the '
    'order of the computed efforts.', unit='N m/A or N/A', any_length=True, nonzero=True)


def rate_unit(unit: str) -> str:
    """Return the unit of velocity for a unit of effort."""
    return {'N m': 'rad/s', 'N': 'm/s'}.get(unit, 'rad/s | m/s')


@dataclass(frozen=True)
class Semantics:
    """
    A meaning in words, and how both sides become comparable.

    Friction of the URDF is added to the computed effort, the effort against gravity to the
    measured one; a current is multiplied by a gain.
    """

    meaning: str
    friction: bool = False
    gravity: bool = False
    current: bool = False

    def sides(self, rows: Array, facts: JointFacts, still: float) -> tuple[Array, Array]:
        """
        Return what is to be added to the measured effort, and the computed one [N m or N].

        Rows (k, 3) have computed effort, velocity and effort against gravity. Up to the velocity
        `still` [rad/s or m/s] the joint is at rest.
        """
        computed, velocity, gravity = rows.T
        if self.friction:
            computed = computed + facts.friction_at(velocity, still)
        return gravity if self.gravity else np.zeros_like(computed), computed


SEMANTICS = {
    'net': Semantics('what moves the links'),
    'commanded': Semantics('commands of the actuators; friction of the URDF is added to the '
                           'computed effort', friction=True),
    'current': Semantics('current of the motors, multiplied by current_gains; friction of '
                         'the URDF is added to the computed effort', friction=True, current=True),
    'gravity_compensated': Semantics('effort without the effort against gravity, which is added, '
                                     'as of UR drivers since PolyScope 5.23 and 10.11',
                                     gravity=True),
}


def with_followers(names: Sequence[str], efforts: Any, mimics: Mapping[str, Mimic]) -> Any:
    """
    Return efforts (k,) to which those of mimic joints, by name, are added.

    Simulators report each joint's effort, but the computed one of a driver moves its followers,
    too: a follower's counts by its multiplier, as its power does.
    """
    if mimics.keys().isdisjoint(names):
        return efforts
    entries = {name: entry for entry, name in enumerate(names)}
    result = np.array(efforts, dtype=np.float64)
    for name in mimics.keys() & entries.keys():
        if mimics[name].joint in entries and np.isfinite(result[entries[name]]):
            result[entries[mimics[name].joint]] += (
                mimics[name].multiplier * float(efforts[entries[name]]))
    return result


# ---- Whether measured efforts are of another semantics or gravity than the chosen one

# RMSE relative to that of the chosen meaning, or of the best without a fitted number, from which
# on another explanation is likely
_BETTER = 0.3
_NOTHING = 1e-6   # part of the RMSE that is rounding
_FEWEST_PAIRS = 100
_LEAST_FACTOR = 0.3   # least difference from 1 of a factor that wrong masses do not explain
# RMSE of a multiple of the computed effort, relative to the measured one
_MOST_LEFT = 0.5
# least RMSE, relative to the measured effort, that another semantics may explain
_LEAST_RESIDUAL = 0.01
_LEAST_BIAS = 5e-4   # part of the effort against gravity: 9.81 for 9.8 is twice as much
_MOST_BIAS = 1.5   # share from which it is no other gravity: a sign or a unit


def contradiction(chosen: str, rows: Array, facts: JointFacts, still: float) -> str:
    """
    Return a hint if another meaning or gravity explains the pairs (k, 5) much better, or ''.

    Currents are not judged: their gain may be wrong, too.
    """
    rows = rows[np.isfinite(rows[:, VELOCITY])]
    if chosen == 'current' or len(rows) < _FEWEST_PAIRS:
        return ''
    measured, added, computed, velocity, gravity = rows.T
    friction = facts.friction_at(velocity, still)
    net = computed - (friction if SEMANTICS[chosen].friction else 0.0)
    residual = measured + added - computed
    size, most = _rms(residual), _rms(measured)

    # RMSE that explanations leave, and what they say: first those without a fitted number
    rms_of = {name: _rms(values) for name, values in (
        ('net', measured - net), ('commanded', measured - net - friction),
        ('gravity_compensated', measured + gravity - net)) if name != chosen}
    plain = [(rmse, _other_semantics(chosen, name)) for name, rmse in rms_of.items()
             if np.isfinite(rmse) and size > _LEAST_RESIDUAL * _rms(measured + added)]
    rmse = _rms(measured - net + 2.0 * gravity)
    # a slow robot is explained by the opposite effort as well
    if chosen == 'net' and rmse < _BETTER * _rms(measured + net):
        plain.append((rmse, 'the measured effort is that of the opposite gravity, which leaves an '
                      f'RMSE of {rmse:.3g} instead of {size:.3g} {facts.unit}: does the robot '
                      'hang, or is z of its root downwards? (--gravity, parameter gravity)'))
    fitted = []
    factor, rmse = _fitted(measured, net)
    if factor > 0.0 and abs(factor - 1.0) >= _LEAST_FACTOR and rmse <= _MOST_LEFT * most:
        fitted.append((rmse, (
            f'the measured effort is {factor:.3g} times the computed one, but for '
            f'{100.0 * rmse / most:.2g} %: is it a current, an effort before the gear, or in '
            f'another unit? The semantics current with a gain of {1.0 / factor:.3g} {facts.unit} '
            'for each of its units would explain it')))
    share, rmse = _fitted(residual, gravity)
    # a multiple of gravity is nearly one of the effort of a slow robot
    if _LEAST_BIAS < abs(share) < _MOST_BIAS and all(rmse < 0.5 * other for other, _ in fitted):
        percent = format(100.0 * share, '.0f' if abs(share) > 0.1 else '.1g')
        fitted = [(rmse, (
            f'a bias proportional to gravity, {percent} % of the effort against it; is '
            'gravity another one (--gravity, parameter gravity; -9.8 in Gazebo), or a mass, or '
            'does the driver compensate a part of it?'))]
    least, text = size, ''
    # among equal ones the first: net is commanded without friction, about a vertical axis all are
    best = min((rmse for rmse, _ in plain), default=0.0) + _NOTHING * size
    for rmse, words in (*[pair for pair in plain if pair[0] <= best][:1], *fitted):
        if max(rmse, _NOTHING * size) < _BETTER * least:
            least, text = max(rmse, _NOTHING * size), words
    return text


def _rms(values: Array) -> float:
    return float(np.sqrt(np.square(values).mean()))


def _fitted(values: Array, basis: Array) -> tuple[float, float]:
    """Return the factor of a basis (k,) that fits values (k,), and the RMS of the rest."""
    power = float(basis @ basis)
    factor = float(values @ basis) / power if power else 0.0
    return factor, _rms(values - factor * basis)


def _other_semantics(chosen: str, best: str) -> str:
    included = (', and whether the computed one includes friction already (friction.enabled of '
                'inverse_dynamics): then it compares as net'
                if SEMANTICS[chosen].friction and best == 'net' else '')
    if 'gravity_compensated' in (best, chosen):   # another direction looks like none
        included += ', and whether gravity is that of the robot'
    return (f'the measured effort seems to be {best} ({SEMANTICS[best].meaning}), not {chosen}: '
            f'that would leave less than {100.0 * _BETTER:g} % of the RMSE; check the '
            f'semantics of the effort{included}')
