"""The output of a stream for one stamp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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


class Outputs(NamedTuple):
    """The fields of k outputs: stamps (k,) [ns], and arrays (k, n)."""

    stamps: NDArray[np.int64]
    q: Array
    qd: Array
    qdd: Array
    effort: Array
    measured: Array

    def some(self, rows: slice | NDArray[np.bool_]) -> Outputs:
        return Outputs(self.stamps[rows], self.q[rows], self.qd[rows], self.qdd[rows],
                       self.effort[rows], self.measured[rows])

    @staticmethod
    def of(outputs: Sequence[Output]) -> Outputs:
        """Return the fields of outputs as arrays."""
        return Outputs(np.array([output.stamp for output in outputs], dtype=np.int64), *(
            np.array([getattr(output, what) for output in outputs])
            for what in Outputs._fields[1:]))
