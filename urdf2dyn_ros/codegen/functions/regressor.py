"""The regressor of the base inertial parameters, and these."""

from typing import ClassVar

from urdf2dyn_ros.codegen.functions.function import (
    BY_JOINT,
    Axis,
    Expected,
    Mechanics,
    ModelFunction,
    Quantity,
    Rows,
    Symbol,
    by_joint,
    tensor,
    vector,
)
from urdf2dyn_ros.equations.fewest_operations import FULL_INERTIA, InheritedSpin, for_any_inertia
from urdf2dyn_ros.equations.newton_euler import TEXTBOOK, Recursion, newton_euler, second_moment
from urdf2dyn_ros.equations.regressor import (
    MASS_ENTRIES,
    UnitParameter,
    base_parameters,
    base_values,
    grouped,
    regressor,
)
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.robot.joints import Note
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.multibody import Multibody
from urdf2dyn_ros.robot.spatial import AXES, TENSOR, BodyInertia, Scalar

_COLUMNS = 'Columns: force and moment that a parameter of 1 requires'
_BACKWARD = frozenset(('f', 'n', 'fj', 'nj', 'fp', 'np', 'tau'))


def _moment(xy: str) -> str:
    """Return the moment that a second moment of 1 requires."""
    x, y = xy[0], xy[1]
    one = f'e{x} x U{{n}} e{y}'
    return one if x == y else f'{one} + e{y} x U{{n}} e{x}'


class Regressor(ModelFunction):
    """Y of tau = Y pi, and pi, for a robot with a fixed base and nothing else that acts."""

    INPUTS = ('q', 'qd', 'qdd')
    LOAD_INPUTS = ()
    SUMMARY = ('the matrix Y of tau = Y pi, the efforts of links and gravity, and the base '
               'inertial parameters pi')
    RESULTS = (Quantity('Y', 'efforts [N m or N] that each parameter requires if it is 1'),
               Quantity('pi', 'base inertial parameters'))
    SECOND_MOMENTS = True
    SYMBOLS: ClassVar[dict[str, Symbol]] = {
        'yFm': Symbol(_COLUMNS, vector('f'), 'f{n} = a{n}'),
        **{f'yFh{x}': Symbol(_COLUMNS, vector('f'), f'f{{n}} = U{{n}} e{x}') for x in AXES},
        **{f'yNh{x}': Symbol(_COLUMNS, vector('n'), f'n{{n}} = e{x} x a{{n}}') for x in AXES},
        **{f'yNS{xy}': Symbol(_COLUMNS, vector('n'), f'n{{n}} = {_moment(xy)}')
           for xy in TENSOR},
        'yfj': Symbol(_COLUMNS, vector('fj')),
        'ynj': Symbol(_COLUMNS, vector('nj')),
        'yfp': Symbol(_COLUMNS, vector('fp'), 'fp{n} = {A}fj{n}: f{p}'),
        'ynp': Symbol(_COLUMNS, vector('np'), 'np{n} = {A}nj{n} + p{n} x fp{n}: n{p}'),
        'ytau': Symbol(_COLUMNS, ()),
        'base': Symbol(_COLUMNS, ('mb{n}', *vector('hb'), *tensor('Sb'))),
        'pi': Symbol(_COLUMNS, ('pi{n}',)),
    }
    LEGEND: ClassVar[dict[str, str]] = {
        'Fi, Ni': """\
ex, ey, ez    unit vectors along the axes
Si            second moments, the integral of r r' over the mass: Sxx + Syy = Jzz, Sxy = -Jxy
mbi, hbi, Sbi mi, hi, Si with what is regrouped; hxi is entry x of hbi, Sxyi entry xy of Sbi"""}

    def check(self, system: Multibody, loads: Loads) -> None:
        if loads.moving(system):
            raise ParameterError('the regressor is that of a robot whose base is fixed: a moving '
                                 "one needs other parameters as well; set base 'fixed'")

    def simplified(self, system: Multibody,
                   moving: bool) -> tuple[Multibody, list[BodyInertia | None]]:
        return for_any_inertia(system)

    def quantities(self, mechanics: Mechanics) -> tuple[Quantity, ...]:
        columns = grouped(*_numbers(mechanics)).columns
        axis = Axis('base_parameters', tuple(column.name for column in columns),
                    tuple(column.unit for column in columns)) if columns else BY_JOINT
        Y, pi = self.RESULTS
        return (Y._replace(columns=axis, times='pi'), pi._replace(rows=axis))

    def derive(self, mechanics: Mechanics) -> dict[str, Rows]:
        notes, system = mechanics.notes, mechanics.system
        groups = grouped(*_numbers(mechanics))
        recursion = mechanics.recursion
        if recursion.moment is second_moment:   # every body has all that needs U
            recursion = Recursion(second_moment, InheritedSpin(system, [FULL_INERTIA] * len(
                system.bodies)))
        sweep = newton_euler(
            system, [None] * (len(system.bodies) + 1),
            [mechanics.of_joints(x) for x in self.INPUTS], mechanics.gravity,
            recursion._replace(note=_forward(notes.note)))
        current = [groups.columns[0]] if groups.columns else []

        def begin(column: UnitParameter) -> None:
            current[0] = column
            k = groups.columns.index(column) + 1
            notes.begin('', f'_{column.name}', f'column {k}: {column.name}')

        def note(i: int, symbol: str, entries: tuple[Scalar, ...]) -> None:
            symbol += current[0].entry * (symbol in 'FN')
            if f'y{symbol}' in self.SYMBOLS:
                notes.note(i, f'y{symbol}', entries)

        Y = regressor(system, groups.columns, sweep, note, begin)
        notes.begin()
        return {'Y': Y}

    def constants(self, mechanics: Mechanics) -> dict[str, Rows]:
        groups, notes = grouped(*_numbers(mechanics)), mechanics.notes
        pi = base_values(mechanics.system, mechanics.second_moments, groups, notes.note)
        for column, value in zip(groups.columns, pi):
            notes.begin(tag=f'_{column.entry}')
            notes.note(column.body, 'pi', (value,))
        notes.begin()
        return {'pi': by_joint(pi)}

    def expected(self, mechanics: Mechanics) -> Expected:
        """Return the efforts of bodies with the parameters that Y is multiplied by, and pi."""
        system, gravity = _numbers(mechanics)
        entries = [dict.fromkeys(MASS_ENTRIES, 0.0) for _ in system.bodies]
        for column, value in zip(grouped(system, gravity).columns, mechanics.arguments['pi']):
            entries[column.body][column.entry] = value
        sweep = newton_euler(system, [*map(_inertia, entries), None],
                             [mechanics.of_joints(x) for x in self.INPUTS], gravity, TEXTBOOK)
        return {'Y': tuple(map(float, sweep.efforts)),
                'pi': tuple(map(float, base_parameters(system, gravity).values))}


def _numbers(mechanics: Mechanics) -> tuple[Multibody, tuple[float, float, float]]:
    assert mechanics.numbers is not None
    return mechanics.numbers


def _forward(note: Note) -> Note:
    """Return a note of the motion alone: the links are massless."""
    def noted(i: int, symbol: str, entries: tuple[Scalar, ...]) -> None:
        if symbol not in _BACKWARD:
            note(i, symbol, entries)
    return noted


def _inertia(entries: dict[str, float]) -> BodyInertia:
    """Return the inertia with the tensor of these second moments."""
    return BodyInertia.of(entries[entry] for entry in MASS_ENTRIES).with_tensor()
