"""Accelerations that efforts cause, and their derivatives with respect to q, qd and tau."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from urdf2dyn_ros.algebra.dual import Dual, dual
from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.equations.elimination.sparse_factors import Factors, inverse, solved
from urdf2dyn_ros.functions.accelerations.accelerations_of_efforts import (
    AccelerationsOfEfforts,
    dense_solution,
)
from urdf2dyn_ros.functions.accelerations.by_factors import AccelerationsByFactors, accelerations
from urdf2dyn_ros.functions.function import Expected, ModelFunction, Rows, by_joint
from urdf2dyn_ros.functions.inverse_dynamics_derivatives import InverseDynamicsDerivatives
from urdf2dyn_ros.functions.mass_matrix import MassMatrix
from urdf2dyn_ros.functions.mechanics import UNNOTED, Mechanics
from urdf2dyn_ros.functions.quantity import JOINTS, Quantity
from urdf2dyn_ros.functions.symbol import Symbol
from urdf2dyn_ros.loads import Loads
from urdf2dyn_ros.multibody import Multibody

_COLUMNS = "Derivatives of the accelerations: L' D L columns = -derivatives of the efforts"
_BY_STATE = ('ei_{x}_{n} = -taui_{x}_{n} - sum of lk_i ek_{x}_{n}, '
             'qddi_{x}_{n} = ei_{x}_{n} / di - sum of li_j qddj_{x}_{n}')
_INVERSE = 'inverse of M, column by column: Miij = (1 / di where i = j) - sum of li_k Mikj'


class ForwardDynamicsDerivatives(ModelFunction):
    """qdd, dqdd/dq, dqdd/dqd, and dqdd/dtau, the inverse of M."""

    INPUTS = AccelerationsOfEfforts.INPUTS
    SUMMARY = ('the accelerations qdd that efforts cause, and their derivatives dqdd_dq, dqdd_dqd '
               'and Minv with respect to q, qd and tau: rows accelerations, columns joints')
    TITLE = 'Derivatives{robot}: {results} of qdd = FD({forward_dynamics_derivatives}).'
    RESULTS = (
        *AccelerationsOfEfforts.RESULTS,
        Quantity('dqdd_dq', 'dqdd_dq [1/s^2, 1/(m s^2) or m/s^2]', columns=JOINTS, times='qdd'),
        Quantity('dqdd_dqd', 'dqdd_dqd [1/s, 1/(m s) or m/s]', columns=JOINTS, times='qdd'),
        Quantity('Minv', 'Minv [1/(kg m^2), 1/(kg m) or 1/kg]', columns=JOINTS, times='qdd'))
    SECOND_MOMENTS, SPINS = True, InverseDynamicsDerivatives.SPINS
    SYMBOLS: ClassVar[dict[str, Symbol]] = {
        **{f'{symbol}_{x}': Symbol(_COLUMNS, (f'{name}{{n}}_{x}',))
           for symbol, name in (('e', 'e'), ('x', 'qdd')) for x in ('q', 'qd')},
        'Minv': Symbol(_COLUMNS, ('Mi{n}',))}
    LEGEND: ClassVar[dict[str, str]] = {'Ti, wri': '\n'.join((
        *(function.LEGEND['Ti, wri'] for function in (
            AccelerationsByFactors, InverseDynamicsDerivatives)),
        'wdi_d, ..     the same vector with the accelerations qdd; without _d they are zero',
        'Miij          entry of the inverse of M'))}

    def check(self, system: Multibody, loads: Loads) -> None:
        AccelerationsByFactors().check(system, loads)

    def derive(self, mechanics: Mechanics) -> dict[str, Rows]:
        """Return the accelerations, and -M^-1 times the derivatives of the efforts there."""
        function = InverseDynamicsDerivatives()
        if mechanics.textbook:
            qdd, known = accelerations(mechanics)
        else:   # in the frames of the derivatives, whose mass matrix is this one
            unnoted = replace(mechanics, notes=UNNOTED, recursion=mechanics.recursion._replace(
                note=UNNOTED.note))
            still = function.derive(_accelerated(unnoted, [0.0] * len(mechanics.of_joints('q'))))
            M = _with_constants(still['M'], MassMatrix().derive(unnoted)['M'])
            qdd, known = accelerations(mechanics, [row[0] for row in still['tau']], M)
        mechanics.notes.begin('With qdd. ', '_d')
        by = function.derive(_accelerated(mechanics, qdd))
        results: dict[str, Rows] = {'qdd': by_joint(qdd)}
        for x in ('q', 'qd'):
            results[f'dqdd_d{x}'] = [*zip(*(
                self._column(mechanics, known, x, j, column)
                for j, column in enumerate(zip(*by[f'dtau_d{x}']))))]
        results['Minv'] = self._inverse(mechanics, known)
        return results

    @staticmethod
    def _column(mechanics: Mechanics, known: Factors, x: str, j: int,
                column: Sequence[Scalar]) -> list[Scalar]:
        """Return how the accelerations vary with q or qd of one joint."""
        drivers = mechanics.system.drivers
        n = drivers[j] + 1

        def note(k: int, symbol: str, entries: Sequence[tuple[int, Scalar]]) -> None:
            for _, entry in entries:
                mechanics.notes.note(drivers[k], f'{symbol}_{x}', (entry,))

        mechanics.notes.begin('', f'_{n}', _BY_STATE.format(x=x, n=n))
        return solved(known, [-1.0 * entry for entry in column], note)

    @staticmethod
    def _inverse(mechanics: Mechanics, known: Factors) -> Rows:
        drivers, result = mechanics.system.drivers, inverse(known)
        for j, column in enumerate(result):
            mechanics.notes.begin('', f'_{drivers[j] + 1}', _INVERSE)
            for k in range(j, len(column)):
                mechanics.notes.note(drivers[k], 'Minv', (column[k],))
        return result

    def expected(self, mechanics: Mechanics) -> Expected:
        """Return the accelerations, and their derivatives in the direction of qdd."""
        qdd = AccelerationsByFactors().expected(mechanics)['qdd']
        direction = mechanics.of_joints('qdd')
        M = MassMatrix().derive(mechanics)['M']
        results = {'qdd': qdd, 'Minv': dense_solution(M, direction)}
        state = [mechanics.of_joints('q'), mechanics.of_joints('qd'), qdd]
        for k, name in enumerate(('dqdd_dq', 'dqdd_dqd')):
            varied: list[Sequence[Scalar]] = [*state]
            varied[k] = [Dual(value, slope) for value, slope in zip(state[k], direction)]
            results[name] = dense_solution(M, [
                -dual(effort).slope for effort in mechanics.sweep_of(varied).efforts])
        return results


def _accelerated(mechanics: Mechanics, qdd: Sequence[Scalar]) -> Mechanics:
    """Return the same with accelerations as arguments."""
    arguments: Mapping[str, Sequence[Scalar]] = {**mechanics.arguments, 'qdd': qdd}
    return replace(mechanics, arguments=arguments, _sweeps={})


def _with_constants(M: Rows, same: Rows) -> Rows:
    """Return a matrix with the entries that are numbers in another form of it, as of tips."""
    return [[b if isinstance(b, float) else a for a, b in zip(row, others)]
            for row, others in zip(M, same)]
