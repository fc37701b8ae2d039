"""The result of an identification."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.fit.base_estimates import BaseEstimates, base_estimates
from urdf2dyn_ros.identification.fit.deviations import Deviations
from urdf2dyn_ros.identification.fit.fit_problem import Fit
from urdf2dyn_ros.identification.fit.held_out import Figures
from urdf2dyn_ros.identification.fit.joint_columns import units_of
from urdf2dyn_ros.identification.fit.pooled_fit import FitTerms
from urdf2dyn_ros.identification.gains import Gains, free_gains
from urdf2dyn_ros.identification.payload.identified_payload import IdentifiedPayload
from urdf2dyn_ros.identification.robot import Robot
from urdf2dyn_ros.identification.summary import Summary

MODELS = ('URDF', 'friction', 'identified')
"""The URDF as it is; its bodies with fitted friction and rotors; everything fitted."""


@dataclass(frozen=True)
class Identification:
    """The result of an identification of n joints."""

    robot: Robot
    summaries: Sequence[Summary]
    used: NDArray[np.bool_]   # (n,), joints that are identified
    terms: FitTerms
    weight: float
    fit: Fit
    sigma: Array
    deviations: Deviations
    held_out: Figures   # of parts that were held out of the fit
    parts: str   # what these are: 'blocks' or 'recordings'
    fits: list[Fit]   # those without each part
    validation: dict[str, Figures] = field(default_factory=dict)   # of other recordings, by name
    remarks: list[str] = field(default_factory=list)
    # JOINT_COLUMNS (n, 6) of each recording by name, if they have friction of their own; `fit` has
    # that of the last in which a joint is used
    own_friction: dict[str, Array] = field(default_factory=dict)
    gains: Gains | None = None   # of currents, before the fit, whose own are relative to them
    payload: IdentifiedPayload | None = None

    @property
    def joints(self) -> Array:
        """JOINT_COLUMNS (n, 6) with efforts in [N m or N], also where gains were free."""
        return self.fit.joints / units_of(self.fit.gains)

    @property
    def effort_per_unit(self) -> Array:
        """Return the gains (n,): effort over what was recorded."""
        return (1.0 if self.gains is None else self.gains.values) / self.fit.gains

    @cached_property
    def base(self) -> BaseEstimates:
        """Base parameters with their deviations."""
        return base_estimates(self.robot, self.fit.bodies, self.deviations.covariance)

    @property
    def units(self) -> tuple[str, ...]:
        """Unit of each joint's residuals: [N m or N], or [A] where gains are free."""
        return tuple('A' if free else unit for free, unit in zip(
            free_gains(self.gains, len(self.used)), self.robot.dynamics.effort_units))
