"""What a stream gives for one instant."""

from __future__ import annotations

from typing import NamedTuple

from urdf2dyn_ros.algebra.arrays import Array


class Output(NamedTuple):
    """
    What was computed for one instant, in the model's order.

    Attributes
    ----------
    stamp : int
        The instant [ns]: the message's stamp, less the lag that the estimator declares.
    q, qd, qdd : ndarray, (n,)
        [rad or m], [rad/s or m/s], [rad/s^2 or m/s^2].
    effort : ndarray, (n,)
        Computed from these [N m or N].
    measured : ndarray, (n,)
        Measured at the same instant [N m or N]; NaN where not measured.
    std : ndarray, (n,)
        Standard deviation of qdd; NaN where the estimator does not know it.
    given : tuple of ndarray
        What else it was computed from: what the equations take beside q, qd and qdd.
    wrench : ndarray, (6,), or None
        Force [N] and moment [N m] that the world must apply at the origin of the root, in its
        frame; None where the root stands still.

    """

    stamp: int
    q: Array
    qd: Array
    qdd: Array
    effort: Array
    measured: Array
    std: Array
    given: tuple[Array, ...] = ()
    wrench: Array | None = None
