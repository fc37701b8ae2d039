"""The table of controls: what a simulator is commanded so that it follows a motion."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.simulators.simulator import Simulator

_KP, _KD = 400.0, 40.0
"""Feedback of the motion's errors [1/s^2], [1/s]: critically damped, 20 rad/s."""

_OUTER = 10.0
"""Feedback of the position's error on a commanded velocity [1/s]."""


class Control(NamedTuple):
    """
    A control, and what it commands.

    Attributes
    ----------
    command : str
        One of ``COMMANDS``, which the simulator has to be made for.
    law : callable
        (simulator, q, qd, qdd) to command (n,), for the wanted q, qd, qdd (n,).

    """

    command: str
    law: Callable[[Simulator, Array, Array, Array], Array]


def computed_torque(simulator: Simulator, q: Array, qd: Array, qdd: Array) -> Array:
    """Return the efforts that the engine's own model asks for; Coulomb friction is not in it."""
    return simulator.required(qdd + _KP * (q - simulator.q) + _KD * (qd - simulator.qd))


def pd(simulator: Simulator, q: Array, qd: Array, qdd: Array) -> Array:
    """Return the efforts of a spring and a damper at every joint; it sags under gravity."""
    return simulator.inertia * (_KP * (q - simulator.q) + _KD * (qd - simulator.qd))


def velocity(simulator: Simulator, q: Array, qd: Array, qdd: Array) -> Array:
    """Return the wanted velocities, corrected by the position's error."""
    return qd + _OUTER * (q - simulator.q)


def position(simulator: Simulator, q: Array, qd: Array, qdd: Array) -> Array:
    """Return the wanted positions."""
    return q


CONTROLS = {
    'computed_torque': Control('effort', computed_torque),
    'pd': Control('effort', pd),
    'velocity': Control('velocity', velocity),
    'position': Control('position', position),
}
