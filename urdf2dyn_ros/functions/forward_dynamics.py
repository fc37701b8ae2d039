"""Accelerations that efforts cause, in the way that takes fewer operations."""

from collections.abc import Sequence
from typing import ClassVar

from urdf2dyn_ros.functions.accelerations.accelerations_of_efforts import AccelerationsOfEfforts
from urdf2dyn_ros.functions.accelerations.by_articulated_bodies import (
    AccelerationsByArticulatedBodies,
)
from urdf2dyn_ros.functions.accelerations.by_factors import AccelerationsByFactors
from urdf2dyn_ros.functions.function import ModelFunction, Rows
from urdf2dyn_ros.functions.mechanics import Mechanics
from urdf2dyn_ros.functions.symbol import Symbol
from urdf2dyn_ros.multibody import Multibody

DEEPEST = 20
"""
Joints from the root to a tip up to which factors of the mass matrix are tried.

In a chain of so many, articulated bodies take half the operations (8316 and 4200).
"""


class CheapestAccelerations(AccelerationsOfEfforts):
    """By factors of the mass matrix, or by articulated bodies."""

    SYMBOLS: ClassVar[dict[str, Symbol]] = {
        **AccelerationsByFactors.SYMBOLS, **AccelerationsByArticulatedBodies.SYMBOLS}

    def ways(self, system: Multibody) -> Sequence[ModelFunction]:
        """Return the two ways, or the second alone where the first one takes far more."""
        if system.depth > DEEPEST:
            return (AccelerationsByArticulatedBodies(),)
        return AccelerationsByFactors(), AccelerationsByArticulatedBodies()

    def derive(self, mechanics: Mechanics) -> dict[str, Rows]:
        return self.ways(mechanics.system)[-1].derive(mechanics)
