"""Effort semantics: what a measured effort is, and how it is made comparable."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array


@dataclass(frozen=True)
class JointFacts:
    """
    Facts of one joint from the robot description.

    Attributes
    ----------
    unit : str
        Unit of the effort.
    damping : float
        [N m s/rad or N s/m].
    friction : float
        Coulomb friction [N m or N].
    limit : float or None
        Largest effort of the actuator [N m or N]; None if unknown or zero.

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
    Both sides of a comparison at k instants: gain * measured + added, and computed.

    Attributes
    ----------
    gain : float
        [-], or [N m/A] for a current.
    added, computed : ndarray, (k,)
        [N m or N].

    """

    gain: float
    added: Array
    computed: Array


class Known(NamedTuple):
    """
    Quantities of a joint at k instants.

    Attributes
    ----------
    computed, velocity, gravity : ndarray, (k,)
        Inverse dynamics [N m or N], [rad/s or m/s], effort against gravity [N m or N].
    facts : JointFacts
    gain : float
        Gain of its current [N m/A].
    still : float
        Velocity up to which the joint is at rest [rad/s or m/s].

    """

    computed: Array
    velocity: Array
    gravity: Array
    facts: JointFacts
    gain: float
    still: float


def net(known: Known) -> Fair:
    """Return efforts that move the links: inverse dynamics unchanged."""
    return Fair(1.0, np.zeros_like(known.computed), known.computed)


def commanded(known: Known) -> Fair:
    """
    Return efforts of actuators: inverse dynamics and friction of the URDF, without rotors.

    At rest static friction is undetermined; it is set to zero.

    """
    velocity = np.where(np.abs(known.velocity) > known.still, known.velocity, 0.0)
    friction = known.facts.damping * velocity + known.facts.friction * np.sign(velocity)
    return Fair(1.0, np.zeros_like(friction), known.computed + friction)


def current(known: Known) -> Fair:
    """Return efforts of actuators from their currents and gains."""
    return commanded(known)._replace(gain=known.gain)


def gravity_compensated(known: Known) -> Fair:
    """Return net efforts from which the driver subtracted the effort against gravity."""
    return Fair(1.0, known.gravity, known.computed)


@dataclass(frozen=True)
class Semantics:
    """A meaning in words, the function that makes both sides comparable, and what it needs."""

    meaning: str
    sides: Callable[[Known], Fair]
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
