"""The joints of a model as a stream sees them: names, continuous ones, limits of positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.joint_states.layouts import Indices


class ModelJoints(NamedTuple):
    """Joints in the model's order."""

    names: tuple[str, ...]
    # (n,), which joints are continuous; only their positions are unwrapped
    continuous: NDArray[np.bool_]
    # (n, 2), lower and upper positions [rad]; infinite for joints that have none or are measured
    # in m
    limits: Array

    def chosen(self, joints: Indices) -> ModelJoints:
        """Return the joints with some indices (k,)."""
        return ModelJoints(tuple(self.names[joint] for joint in joints.tolist()),
                           self.continuous[joints], self.limits[joints])


def joints_of(dynamics: InverseDynamics) -> ModelJoints:
    """Return the joints of a model, with the limits of the angles that have them."""
    limits = [(row.lower, row.upper) if unit == 'rad' and not continuous
              and row.lower is not None and row.upper is not None and row.lower < row.upper
              else (-np.inf, np.inf) for row, unit, continuous in zip(
                  dynamics.limits, dynamics.units, dynamics.continuous)]
    return unlimited_joints(dynamics.joint_names, dynamics.continuous)._replace(
        limits=np.array(limits).reshape(-1, 2))


def unlimited_joints(names: Sequence[str], continuous: Sequence[bool] = ()) -> ModelJoints:
    """Return joints whose positions have no limits, none of them continuous by default."""
    return ModelJoints(tuple(names), np.array(continuous or [False] * len(names), dtype=bool),
                       np.tile((-np.inf, np.inf), (len(names), 1)))
