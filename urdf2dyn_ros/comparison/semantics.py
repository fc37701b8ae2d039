"""Effort semantics: what a measured effort is, and how it is made comparable."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array


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


class JointEfforts(NamedTuple):
    """
    Quantities (k,) of a joint at k instants; `computed` is the inverse dynamics [N m or N].

    Gravity is the effort against it [N m or N], the gain that of the current [N m/A], `still` the
    velocity up to which the joint is at rest [rad/s or m/s].
    """

    computed: Array
    velocity: Array
    gravity: Array
    facts: JointFacts
    gain: float
    still: float


def net(known: JointEfforts) -> Fair:
    """Return efforts that move the links: inverse dynamics unchanged."""
    return Fair(1.0, np.zeros_like(known.computed), known.computed)


def commanded(known: JointEfforts) -> Fair:
    """
    Return efforts of actuators: inverse dynamics and friction of the URDF, without rotors.

    At rest static friction is undetermined; it is set to zero.
    """
    velocity = np.where(np.abs(known.velocity) > known.still, known.velocity, 0.0)
    friction = known.facts.damping * velocity + known.facts.friction * np.sign(velocity)
    return Fair(1.0, np.zeros_like(friction), known.computed + friction)


def current(known: JointEfforts) -> Fair:
    """Return efforts of actuators from their currents and gains."""
    return commanded(known)._replace(gain=known.gain)


def gravity_compensated(known: JointEfforts) -> Fair:
    """Return net efforts from which the driver subtracted the effort against gravity."""
    return Fair(1.0, known.gravity, known.computed)


@dataclass(frozen=True)
class Semantics:
    """A meaning in words, the function that makes both sides comparable, and what it needs."""

    meaning: str
    sides: Callable[[JointEfforts], Fair]
    friction: bool = False
    gravity: bool = False


SEMANTICS = {
    'net': Semantics('what moves the links', net),
    'commanded': Semantics('commands of the actuators; friction of the URDF is added to the '
                           'computed effort', commanded, friction=True),
    'current': Semantics('current of the motors, multiplied by current_gains; friction of '
                         'the URDF is added to the computed effort', current, friction=True),
    'gravity_compensated': Semantics('effort without the effort against gravity, which is added',
                                     gravity_compensated, gravity=True),
}
