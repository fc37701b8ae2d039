"""The contract of every simulator: efforts in, one physics step, one consistent sample out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """
    What a step measured, all of it at the instant that the step departed from.

    Gazebo publishes the effort of that instant beside the positions after the step, so that there
    the two are one physics step apart; here they belong together.

    Attributes
    ----------
    time : float
        Simulated time [s].
    q, qd, qdd : ndarray, (n,)
        [rad or m], [rad/s or m/s], [rad/s^2 or m/s^2]; qdd is what the step then applied.
    effort : ndarray, (n,)
        Net effort [N m or N]: what moves the links, after damping and friction of the joint.

    """

    time: float
    q: Vector
    qd: Vector
    qdd: Vector
    effort: Vector


class Simulator(Protocol):
    """
    A robot in a physics engine; vectors are in the order of `joint_names`.

    Attributes
    ----------
    joint_names : tuple of str
        The n joints that drive, in the order of the file.
    time : float
        Simulated time [s].
    q, qd : ndarray, (n,)
        The present state [rad or m], [rad/s or m/s].

    """

    joint_names: tuple[str, ...]

    @property
    def time(self) -> float: ...

    @property
    def q(self) -> Vector: ...

    @property
    def qd(self) -> Vector: ...

    def set_state(self, q: Vector, qd: Vector) -> None:
        """Place the robot: q, qd (n,)."""

    def step(self, tau: Vector) -> Sample:
        """Advance by one physics step under the efforts tau (n,) [N m or N]."""

    def computed_torque(self, q: Vector, qd: Vector, qdd: Vector,
                        kp: float, kd: float) -> Vector:
        """Return the efforts (n,) that follow a motion, by the engine's own dynamics."""
