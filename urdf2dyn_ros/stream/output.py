"""The output of a stream for one stamp."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array


class Output(NamedTuple):
    """An estimate with its efforts, in the order of the model."""

    # stamp of the sample that was estimated [ns]: the newest, or older by the estimator's lag
    stamp: int
    q: Array   # (n,) [rad or m]
    qd: Array   # (n,) [rad/s or m/s]
    qdd: Array   # (n,) [rad/s^2 or m/s^2]
    effort: Array   # (n,), computed [N m or N]
    measured: Array   # (n,), measured efforts of the same stamp [N m or N]; NaN where not measured
    std: Array   # (n,), standard deviation of qdd; NaN where the estimator does not return it
    load_arguments: tuple[Array, ...] = ()   # arguments of the equations after q, qd and qdd
    # (6,), force [N] and moment [N m] that the world must apply at the origin of the root, in its
    # frame; None where the root is fixed
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
