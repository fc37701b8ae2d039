"""What every generated function is: inputs, results, symbols, how it is derived."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from operator import mul
from types import MappingProxyType
from typing import Any, ClassVar

from urdf2dyn_ros.codegen.formulas import Symbol
from urdf2dyn_ros.codegen.mechanics import Mechanics
from urdf2dyn_ros.codegen.signature import Quantity
from urdf2dyn_ros.equations.fewest_operations import fewest_operations
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.robot.inertia import SecondMoments
from urdf2dyn_ros.robot.loads import Loads, body_terms
from urdf2dyn_ros.robot.multibody import Multibody
from urdf2dyn_ros.text import quote

Results = dict[str, Sequence[Any]]   # by name: entries of a vector, rows of a matrix

# name of a result to its expected entries; for a matrix those of its product
Expected = dict[str, tuple[float, ...]]


_IN_LOOPS = 'in a closed loop it depends on the forces that close it'


class ModelFunction(ABC):
    """
    One generated function; an instance has no state.

    A new one is a subclass in a file of its own, and a line in FUNCTIONS. It has INPUTS, SUMMARY,
    RESULTS and `derive`; SYMBOLS, if it notes what no other function does. All else is for what is
    unusual.
    """

    INPUTS: ClassVar[tuple[str, ...]]   # names of the inputs of joints that it depends on
    SUMMARY: ClassVar[str]   # what it returns
    RESULTS: ClassVar[tuple[Quantity, ...]]   # all that there can be, in order
    SYMBOLS: ClassVar[Mapping[str, Symbol]] = MappingProxyType({})   # those that it alone notes

    @abstractmethod
    def derive(self, mechanics: Mechanics) -> Results:
        """Return the results that there are, by name and in any order, for any scalar."""

    # words: the summary with loads, if that is more; the title of a program, with the names of
    # functions for their arguments and {results}, by default name and summary; lines in the place
    # of those that `heading.LEGEND` has about something
    SUMMARY_WITH_LOADS: ClassVar[str] = ''
    TITLE: ClassVar[str] = ''
    LEGEND: ClassVar[Mapping[str, str]] = MappingProxyType({})
    # names of the inputs of loads that it depends on, where the program has them
    LOAD_INPUTS: ClassVar[tuple[str, ...]] = ('base_motion', 'external', 'payload')
    # what exists where the base is fixed alone, and why
    FIXED_BASE: ClassVar[tuple[str, str] | None] = None
    # why there must be no friction that depends on the effort that a joint transmits
    NO_LOAD_FRICTION: ClassVar[str] = ''
    # of 'link' and 'axes', those that it depends on: a function about links has some
    OPTIONS: ClassVar[tuple[str, ...]] = ()
    # what the fast style must know: whether `Mechanics.second_moments` are used, and the recursion
    # takes the matrices U
    SECOND_MOMENTS: ClassVar[bool] = False
    SPINS: ClassVar[bool] = True
    # whether readable files have the gains of the momentum observer among their parameters, and
    # the vectors in the root frame
    OBSERVES: ClassVar[bool] = False
    IN_ROOT_FRAME: ClassVar[bool] = False

    @property
    def kinematic(self) -> bool:
        """Whether masses, gravity and loads have no effect."""
        return bool(self.OPTIONS)

    def check(self, system: Multibody, loads: Loads) -> None:
        """Raise a ParameterError for a robot or loads that it does not exist for."""
        if self.FIXED_BASE and loads.moving(system):
            what, why = self.FIXED_BASE
            raise ParameterError(f'{what} is that of a robot whose base is fixed: {why}; set '
                                 "base 'fixed'")
        for i, terms in body_terms(system, loads).items() if (
                self.NO_LOAD_FRICTION or system.closed_loops) else ():
            if any(term.needs_transmitted() for term in terms):
                raise ParameterError(
                    f'the friction of joint {quote(system.bodies[i].name)} depends on the effort '
                    f'that it transmits: {self.NO_LOAD_FRICTION or _IN_LOOPS}; set its load to 0')

    def expected(self, mechanics: Mechanics) -> Expected:
        """Return expected results on numbers, by the textbook recursion; of a matrix a product."""
        results = self.derive(mechanics)
        return {each.name: tuple(
            float(sum(map(mul, entry, mechanics.arguments[each.times])) if each.columns else entry)
            for entry in results[each.name])
            for each in self.quantities(mechanics) if each.name in results}

    def quantities(self, mechanics: Mechanics) -> tuple[Quantity, ...]:
        """Return all results that there can be, in order, for a robot and its links."""
        return self.RESULTS

    def constant_results(self, mechanics: Mechanics) -> Results:
        """Return the results that depend on the robot alone; they are not in `derive`."""
        return {}

    def simplified(self, system: Multibody,
                   with_velocities: bool) -> tuple[Multibody, list[SecondMoments | None]]:
        """Return the robot in the frames of the fast style, and its second moments."""
        return fewest_operations(system, with_velocities)

    def ways(self, system: Multibody) -> Sequence[tuple['ModelFunction', int]]:
        """Return functions with the same results, and to how many operations waiting amounts."""
        return ((self, 0),)
