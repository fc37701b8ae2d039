"""What a measured effort is, how it is made comparable, and whether another meaning fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from urdf2dyn_ros.robot.model import Mimic
from urdf2dyn_ros.robot.spatial import Array

MEASURED, ADDED, COMPUTED, VELOCITY, GRAVITY, IN_SUMS = range(6)
"""
Columns of pairs of one instant; ADDED is to be added to the measured effort.

IN_SUMS is 1 for pairs that have measured neighbours at every lag.
"""

_COMPUTED, _VELOCITY, _GRAVITY = range(3)   # columns of what is computed, before it is paired


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


def rate_unit(unit: str) -> str:
    """Return the unit of velocity for a unit of effort."""
    return {'N m': 'rad/s', 'N': 'm/s'}.get(unit, 'rad/s | m/s')


class Fair(NamedTuple):
    """
    Both sides of a comparison at k instants: gain * measured + added, and computed [N m or N].

    The gain is a number, or [N m/A] for a current.
    """

    gain: float
    added: Array
    computed: Array


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

    def sides(self, rows: Array, facts: JointFacts, gain: float, still: float) -> Fair:
        """
        Return both sides for rows (k, 3) of computed effort, velocity and effort against gravity.

        The gain is that of a current [N m/A], `still` the velocity up to which the joint is at
        rest [rad/s or m/s].
        """
        computed = rows[:, _COMPUTED]
        if self.friction:
            computed = computed + facts.friction_at(rows[:, _VELOCITY], still)
        return Fair(gain if self.current else 1.0,
                    rows[:, _GRAVITY] if self.gravity else np.zeros_like(computed), computed)


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

# residual relative to that of the chosen semantics from which on another one is likely
_BETTER_RESIDUAL = 0.3
_FEWEST_PAIRS = 100
_LEAST_FACTOR = 0.3   # least difference from 1 of a factor that wrong masses do not explain
# residual of a multiple of the computed effort, relative to the measured one
_MOST_LEFT = 0.5
# least residual, relative to the measured effort, that needs an explanation
_LEAST_RESIDUAL = 0.01
_LEAST_BIAS = 5e-4   # part of the effort against gravity: 9.81 for 9.8 is twice as much
_MOST_BIAS = 1.5   # share from which it is no other gravity: a sign or a unit


def contradiction(chosen: str, rows: Array, facts: JointFacts, still: float) -> str:
    """
    Return a hint if another semantics explains the pairs (k, 6) much better, or an empty text.

    Currents are not judged: their gain may be wrong, too.
    """
    rows = rows[np.isfinite(rows[:, VELOCITY])]
    if chosen == 'current' or len(rows) < _FEWEST_PAIRS:
        return ''
    friction = facts.friction_at(rows[:, VELOCITY], still)
    net = rows[:, COMPUTED] - (friction if SEMANTICS[chosen].friction else 0.0)
    residuals = {'net': rows[:, MEASURED] - net,
                 'commanded': rows[:, MEASURED] - net - friction,
                 'gravity_compensated': rows[:, MEASURED] + rows[:, GRAVITY] - net}
    sizes = {name: _rms(residual) for name, residual in residuals.items()}
    text = (_upside_down(rows, net, sizes, facts) if chosen == 'net' else '') or _proportional(
        rows, net, sizes, facts)
    if text:
        return text
    best = min(sizes, key=lambda name: sizes[name] if np.isfinite(sizes[name]) else np.inf)
    size = _rms(rows[:, MEASURED] + rows[:, ADDED])
    if not (sizes[chosen] > _LEAST_RESIDUAL * size
            and sizes[best] < _BETTER_RESIDUAL * sizes[chosen]):
        return _weight_bias(rows)
    included = (', and whether the computed one includes friction already (friction.enabled of '
                'inverse_dynamics): then it compares as net'
                if SEMANTICS[chosen].friction and best == 'net' else '')
    if 'gravity_compensated' in (best, chosen):   # another direction looks like none
        included += ', and whether gravity is that of the robot'
    return (f'the measured effort seems to be {best} ({SEMANTICS[best].meaning}), not {chosen}: '
            f'that would leave less than {100.0 * _BETTER_RESIDUAL:g} % of the RMSE; check the '
            f'semantics of the effort{included}')


def _rms(values: Array) -> float:
    return float(np.sqrt(np.square(values).mean()))


def _weight_bias(rows: Array, most: float = np.inf) -> str:
    """
    Return a hint if the residual is a multiple of the effort against gravity, or an empty text.

    That has to leave at most an RMSE of `most` [N m or N].
    """
    residual, gravity = rows[:, MEASURED] + rows[:, ADDED] - rows[:, COMPUTED], rows[:, GRAVITY]
    share = float(residual @ gravity / (gravity @ gravity)) if gravity.any() else np.nan
    left, size = _rms(residual - share * gravity), _rms(residual)
    if not (left < min(_BETTER_RESIDUAL * size, most)
            and _LEAST_BIAS < abs(share) < _MOST_BIAS):   # or NaN
        return ''
    percent = format(100.0 * share, '.0f' if abs(share) > 0.1 else '.1g')
    return (f'a bias proportional to gravity, {percent} % of the effort against it; is '
            'gravity another one (--gravity, parameter gravity; -9.8 in Gazebo), or a mass, or '
            'does the driver compensate a part of it?')


def _upside_down(rows: Array, net: Array, sizes: Mapping[str, float], facts: JointFacts) -> str:
    """Return a hint if the measured effort is that of the opposite gravity, or an empty text."""
    left = _rms(rows[:, MEASURED] - net + 2.0 * rows[:, GRAVITY])
    opposite = _rms(rows[:, MEASURED] + net)   # which a slow robot has as well
    if not left < _BETTER_RESIDUAL * min(opposite, *sizes.values()):
        return ''
    return (f'the measured effort is that of the opposite gravity, which leaves an RMSE of '
            f'{left:.3g} instead of {sizes["net"]:.3g} {facts.unit}: does the robot hang, or is z '
            'of its root downwards? (--gravity, parameter gravity)')


def _proportional(rows: Array, net: Array, sizes: Mapping[str, float], facts: JointFacts) -> str:
    """Return a hint if the measured effort is a multiple of the net one (k,), or an empty text."""
    measured = rows[:, MEASURED]
    factor = float(measured @ net / (net @ net)) if net.any() else 0.0
    residual, size = _rms(measured - factor * net), _rms(measured)
    others = min(filter(np.isfinite, sizes.values()), default=0.0)
    if _weight_bias(rows, 0.5 * residual):   # a part of gravity alone leaves even less
        return ''
    if (abs(factor - 1.0) < _LEAST_FACTOR or factor <= 0.0 or residual > _MOST_LEFT * size
            or residual > _BETTER_RESIDUAL * others):
        return ''
    return (f'the measured effort is {factor:.3g} times the computed one, but for '
            f'{100.0 * residual / size:.2g} %: is it a current, an effort before the gear, or in '
            f'another unit? The semantics current with a gain of {1.0 / factor:.3g} {facts.unit} '
            'for each of its units would explain it')
