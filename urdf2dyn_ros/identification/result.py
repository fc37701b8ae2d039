"""The result of an identification."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from numpy import bool_
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.identification.fit.consistent_fit import Fit
from urdf2dyn_ros.identification.fit.deviations import Deviations
from urdf2dyn_ros.identification.fit.pooled_fit import FitTerms
from urdf2dyn_ros.identification.robot import Robot
from urdf2dyn_ros.identification.summary import Summary

MODELS = ('URDF', 'friction', 'identified')
"""The URDF as it is; its bodies with fitted friction and rotors; everything fitted."""


class Figures(NamedTuple):
    """Root mean squares (3, n) of the residuals of MODELS: all samples, moving ones; measured."""

    every: Array
    moving: Array
    measured: Array


@dataclass(frozen=True)
class Identification:
    """
    The result.

    Attributes
    ----------
    used : ndarray of bool, (n,)
        Joints that are identified.
    fit : Fit
    held_out : Figures
        Of parts that were held out of the fit.
    validation : dict
        Figures of recordings that were not used for the fit, by name.
    fits : list of Fit
        Those without each part; `parts` says whether these are blocks or recordings.
    own_friction : dict
        JOINT_COLUMNS (n, 6) of each recording by name, if they have friction of their own; `fit`
        has that of the last in which a joint is used.

    """

    robot: Robot
    summaries: Sequence[Summary]
    used: NDArray[bool_]
    terms: FitTerms
    weight: float
    fit: Fit
    sigma: Array
    deviations: Deviations
    held_out: Figures
    parts: str
    fits: list[Fit]
    validation: dict[str, Figures] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    own_friction: dict[str, Array] = field(default_factory=dict)

    @property
    def joints(self) -> Array:
        """JOINT_COLUMNS (n, 6) with efforts in [N m or N], also where gains were free."""
        result: Array = self.fit.joints / self.fit.gains[:, None]
        return result
