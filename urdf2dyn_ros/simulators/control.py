"""The table of controls: laws by which a simulated robot follows a motion."""

from collections.abc import Callable
from typing import NamedTuple

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.simulators.simulator import Simulator

_KP, _KD = 400.0, 40.0
"""Gains on position and velocity errors [1/s^2], [1/s]: critically damped, 20 rad/s."""

_POSITION_GAIN = 10.0
"""Gain on the position error of a commanded velocity [1/s]."""


class Control(NamedTuple):
    """
    The kind of a command, one of ``COMMANDED``, and the law that gives it (n,).

    A law is a function of the simulator and of the desired q, qd and qdd (n,).
    """

    command: str
    law: Callable[[Simulator, Array, Array, Array], Array]


def computed_torque(simulator: Simulator, q: Array, qd: Array, qdd: Array) -> Array:
    """Return efforts by the engine's own model, without Coulomb friction."""
    return simulator.required(qdd + _KP * (q - simulator.q) + _KD * (qd - simulator.qd))


def pd(simulator: Simulator, q: Array, qd: Array, qdd: Array) -> Array:
    """Return efforts of a spring and a damper at every joint; the robot sags under gravity."""
    return simulator.inertia * (_KP * (q - simulator.q) + _KD * (qd - simulator.qd))


def velocity(simulator: Simulator, q: Array, qd: Array, qdd: Array) -> Array:
    """Return the desired velocities, corrected by the position error."""
    return qd + _POSITION_GAIN * (q - simulator.q)


def position(simulator: Simulator, q: Array, qd: Array, qdd: Array) -> Array:
    return q


CONTROLS = {
    'computed_torque': Control('effort', computed_torque),
    'pd': Control('effort', pd),
    'velocity': Control('velocity', velocity),
    'position': Control('position', position),
}
