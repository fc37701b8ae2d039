"""What `effort` means in a measurement, and what is fair to compare with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array


@dataclass(frozen=True)
class JointFacts:
    """
    What a robot description says of one joint.

    Attributes
    ----------
    unit : str
        Of its effort.
    damping : float
        [N m s/rad or N s/m].
    friction : float
        Coulomb friction [N m or N].
    limit : float or None
        Largest effort of the actuator [N m or N]; None where it is not given, or zero.

    """

    unit: str = 'N m | N'
    damping: float = 0.0
    friction: float = 0.0
    limit: float | None = None


def rate_unit(unit: str) -> str:
    """Return the unit of the velocity of a joint whose effort has a unit."""
    return {'N m': 'rad/s', 'N': 'm/s'}.get(unit, 'rad/s | m/s')


class Fair(NamedTuple):
    """
    Both sides of a comparison at k instants.

    Attributes
    ----------
    gain : float
        The measurement is multiplied by it [-], or [N m/A] for a current.
    added : ndarray, (k,)
        Then added to the measurement [N m or N].
    computed : ndarray, (k,)
        [N m or N].

    """

    gain: float
    added: Array
    computed: Array


class Known(NamedTuple):
    """
    What is known of a joint at k instants.

    Attributes
    ----------
    computed, velocity, gravity : ndarray, (k,)
        Inverse dynamics [N m or N], [rad/s or m/s], effort against gravity [N m or N].
    facts : JointFacts
    gain : float
        Of its current [N m/A].
    still : float
        Velocity [rad/s or m/s] up to which the joint does not move.

    """

    computed: Array
    velocity: Array
    gravity: Array
    facts: JointFacts
    gain: float
    still: float


def net(known: Known) -> Fair:
    """Return efforts that move the links: inverse dynamics as it is."""
    return Fair(1.0, np.zeros_like(known.computed), known.computed)


def commanded(known: Known) -> Fair:
    """
    Return efforts of actuators: inverse dynamics, and friction of the URDF's <dynamics>.

    At rest friction may be anything up to the Coulomb one, and is taken for zero. Rotors are not
    in it.

    """
    velocity = np.where(np.abs(known.velocity) > known.still, known.velocity, 0.0)
    friction = known.facts.damping * velocity + known.facts.friction * np.sign(velocity)
    return Fair(1.0, np.zeros_like(friction), known.computed + friction)


def current(known: Known) -> Fair:
    """Return efforts of actuators from their currents, each joint with its own gain."""
    return commanded(known)._replace(gain=known.gain)


def gravity_compensated(known: Known) -> Fair:
    """Return net efforts from which the driver has taken the effort against gravity away."""
    return Fair(1.0, known.gravity, known.computed)


@dataclass(frozen=True)
class Semantics:
    """A meaning in words, what makes both sides comparable, and what that needs."""

    meaning: str
    sides: Callable[[Known], Fair]
    friction: bool = False
    gravity: bool = False


SEMANTICS = {
    'net': Semantics('what moves the links', net),
    'commanded': Semantics('what the actuators were told; friction of the URDF is added to the '
                           'computed effort', commanded, friction=True),
    'current': Semantics('current of the motors; multiplied by current_gains, and friction of '
                         'the URDF is added to the computed effort', current, friction=True),
    'gravity_compensated': Semantics('effort beyond that against gravity, which is added to it',
                                     gravity_compensated, gravity=True),
}
