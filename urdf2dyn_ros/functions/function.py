"""What every generated function is: inputs, results, how it is derived and checked."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import ClassVar

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.inertia import BodyInertia
from urdf2dyn_ros.equations.simplification.fewest_operations import fewest_operations
from urdf2dyn_ros.functions.mechanics import Mechanics
from urdf2dyn_ros.functions.quantity import Quantity
from urdf2dyn_ros.functions.symbol import Symbol
from urdf2dyn_ros.loads import Loads
from urdf2dyn_ros.multibody import Multibody

Rows = Sequence[Sequence[Scalar]]
"""Entries of a matrix by rows; those of a vector are rows of one entry."""

Expected = dict[str, tuple[float, ...]]
"""Name of a result to its expected entries; for a matrix those of its product."""


class ModelFunction(ABC):
    """One generated function; an instance has no state."""

    INPUTS: ClassVar[tuple[str, ...]]   # names of the inputs of joints that it depends on
    OPTIONS: ClassVar[tuple[str, ...]] = ()   # those of 'link' and 'axes' that it depends on
    # names of the inputs of loads that it depends on, where the program has them
    LOAD_INPUTS: ClassVar[tuple[str, ...]] = ('base_motion', 'external', 'payload')
    SUMMARY: ClassVar[str]   # what it returns
    SUMMARY_WITH_LOADS: ClassVar[str] = ''   # the same with loads, if that is more
    # title of a program of this function, with the names of functions for their arguments and
    # {results}; by default its name and summary
    TITLE: ClassVar[str] = ''
    # all results that there can be, in order, where `quantities` does not say more
    RESULTS: ClassVar[tuple[Quantity, ...]]
    SYMBOLS: ClassVar[Mapping[str, Symbol]] = MappingProxyType({})   # those that it alone notes
    # symbols at the beginning of a line of the legend to the lines in the place of it
    LEGEND: ClassVar[Mapping[str, str]] = MappingProxyType({})
    SECOND_MOMENTS: ClassVar[bool] = False   # `Mechanics.second_moments` are used
    SPINS: ClassVar[bool] = True   # the recursion takes the matrices U
    MERGED: ClassVar[bool] = True   # terms may share constants: their sum alone is returned
    KINEMATIC: ClassVar[bool] = False   # masses, gravity and loads have no effect
    LOADS: ClassVar[bool] = True   # loads have an effect; else a program of it has none

    def check(self, system: Multibody, loads: Loads) -> None:   # noqa: B027 - most need none
        """Raise a ParameterError for a robot or loads that it does not exist for."""

    def ways(self, system: Multibody) -> Sequence['ModelFunction']:
        """Return the functions with the same results, of which the cheapest one is generated."""
        return (self,)

    def waiting(self, system: Multibody) -> int:
        """Return how many operations last as long as those of one call wait for each other."""
        return 0

    @abstractmethod
    def derive(self, mechanics: Mechanics) -> dict[str, Rows]:
        """Return the results that there are, by name and in any order, for any scalar."""

    def constants(self, mechanics: Mechanics) -> dict[str, Rows]:
        """Return the results that depend on the robot alone; they are not in `derive`."""
        return {}

    def quantities(self, mechanics: Mechanics) -> tuple[Quantity, ...]:
        """Return all results that there can be, in order, for a robot and its links."""
        return self.RESULTS

    def simplified(self, system: Multibody,
                   moving: bool) -> tuple[Multibody, list[BodyInertia | None]]:
        """
        Return the robot in the frames of the fast style, and inertias with second moments.

        They are for the motion or, if not `moving`, for accelerations alone.
        """
        return fewest_operations(system, moving)

    def expected(self, mechanics: Mechanics) -> Expected:
        """Return expected results on numbers, by the textbook recursion."""
        return {name: tuple(float(entry) for row in rows for entry in row)
                for name, rows in self.derive(mechanics).items()}

    def in_root_frame(self, mechanics: Mechanics) -> dict[str, tuple[Scalar, ...]]:
        """Return vectors for people, by name; none by default."""
        return {}

    def reference(self, result: str) -> tuple[str, str]:
        """Return the function and the result that have the expected values; empty: this one."""
        return '', result


def by_joint(entries: Sequence[Scalar]) -> Rows:
    """Return the rows of a vector."""
    return [(entry,) for entry in entries]
