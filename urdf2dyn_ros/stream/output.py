"""The output of a stream for one stamp."""

from typing import NamedTuple

from urdf2dyn_ros.algebra.arrays import Array


class Output(NamedTuple):
    """
    An estimate with its efforts, in the order of the model.

    Attributes
    ----------
    stamp : int
        Stamp of the sample that was estimated [ns]: the newest, or older by the estimator's lag.
    q, qd, qdd : ndarray, (n,)
        [rad or m], [rad/s or m/s], [rad/s^2 or m/s^2].
    effort : ndarray, (n,)
        Computed [N m or N].
    measured : ndarray, (n,)
        Measured efforts of the same stamp [N m or N]; NaN where not measured.
    std : ndarray, (n,)
        Standard deviation of qdd; NaN where the estimator does not return it.
    load_arguments : tuple of ndarray
        Arguments of the equations after q, qd and qdd.
    wrench : ndarray, (6,), or None
        Force [N] and moment [N m] that the world must apply at the origin of the root, in its
        frame; None where the root is fixed.

    """

    stamp: int
    q: Array
    qd: Array
    qdd: Array
    effort: Array
    measured: Array
    std: Array
    load_arguments: tuple[Array, ...] = ()
    wrench: Array | None = None
