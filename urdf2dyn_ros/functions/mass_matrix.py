"""The mass matrix."""

from typing import ClassVar

from urdf2dyn_ros.algebra.vectors import ZERO
from urdf2dyn_ros.equations.mass_matrix import mass_matrix
from urdf2dyn_ros.equations.newton_euler import AppliedLoads
from urdf2dyn_ros.equations.simplification.parallel_axes import (
    parallel_axes,
    parallel_groups,
)
from urdf2dyn_ros.functions.function import Expected, ModelFunction, Rows
from urdf2dyn_ros.functions.mechanics import Mechanics
from urdf2dyn_ros.functions.mention import mention
from urdf2dyn_ros.functions.quantity import JOINTS, Quantity
from urdf2dyn_ros.functions.symbol import Symbol, tensor, vector
from urdf2dyn_ros.joints import JOINTS as JOINT_TYPES

_COMPOSITE = 'Tips to root: moments of the mass of each link with what it carries'
_COLUMNS = 'Columns: force and moment that a unit acceleration of one joint requires'


class MassMatrix(ModelFunction):
    """M of tau = M(q) qdd + bias(q, qd), which no load but a payload or a rotor changes."""

    INPUTS = ('q',)
    LOAD_INPUTS = ('payload',)
    SUMMARY = 'the symmetric matrix M of tau = M(q) qdd + bias(q, qd)'
    RESULTS = (Quantity('M', 'M [kg m^2, kg m or kg] by rows', columns=JOINTS, times='qdd'),)
    SECOND_MOMENTS, SPINS = True, False
    SYMBOLS: ClassVar[dict[str, Symbol]] = {
        'Rc': Symbol(_COMPOSITE, ('c{n}', 's{n}'), 'R{n}: turn about z by q{n}'),
        'Ic': Symbol(
            _COMPOSITE, ('mc{n}', *vector('hc'), *tensor('Sc')),
            'mc{n}, hc{n}, Sc{n}: m{n}, h{n}, S{n} and those of what link {n} carries, in frame '
            '{n}'),
        'uF': Symbol(_COLUMNS, vector('f'), 'f{n} = mc{n} a{n} + wd{n} x hc{n}'),
        'uN': Symbol(_COLUMNS, vector('n'), 'n{n}: moment of Sc{n}, and hc{n} x a{n}'),
        'ufj': Symbol(_COLUMNS, vector('fj')),
        'unj': Symbol(_COLUMNS, vector('nj')),
        'ufp': Symbol(_COLUMNS, vector('fp'), 'fp{n} = {A}fj{n}'),
        'unr': Symbol(_COLUMNS, vector('nr'), 'nr{n} = nj{n} + Ic{n} z'),
        'unp': Symbol(_COLUMNS, vector('np'), 'np{n} = {A}nj{n} + p{n} x fp{n}'),
        'unpr': Symbol(_COLUMNS, vector('np'), 'np{n} = {A}nr{n} + p{n} x fp{n}'),
        'utau': Symbol(_COLUMNS, ()),
    }

    def derive(self, mechanics: Mechanics) -> dict[str, Rows]:
        system, q = mechanics.system, mechanics.of_joints('q')
        groups = [] if mechanics.textbook else parallel_groups(system)
        shared = parallel_axes(system, mechanics.second_moments, q, groups)
        numbers = shared.numbers

        def column(j: int) -> None:
            i = numbers[j]
            body = system.bodies[i]
            mechanics.notes.begin(
                '', f'_{i + 1}', f'joint {i + 1}{mention(body.name)} accelerates by 1 '
                f'{JOINT_TYPES[body.type].unit}/s^2')

        return {'M': mass_matrix(shared.system, shared.inertias, q,
                                 shared.note(mechanics.notes.note), column,
                                 shared.terms(mechanics.terms))}

    def expected(self, mechanics: Mechanics) -> Expected:
        inertial = AppliedLoads(terms=mechanics.terms_where(inertial=True))
        return {'M': tuple(map(float, mechanics.sweep(('q', 'qdd'), inertial, ZERO).efforts))}
