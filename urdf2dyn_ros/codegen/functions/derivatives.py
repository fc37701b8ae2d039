"""Generated functions of derivatives, of efforts and of accelerations, and the Coriolis matrix."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from urdf2dyn_ros.codegen.formulas import Notation, Symbol, matrix, tensor, vector
from urdf2dyn_ros.codegen.functions.dynamics import EffortsOfMotion, MassMatrix, efforts_of
from urdf2dyn_ros.codegen.functions.forward_dynamics import (
    AccelerationsByFactors,
    AccelerationsOfEfforts,
    accelerations,
    dense_solution,
    matrix_of_motors,
)
from urdf2dyn_ros.codegen.functions.function import Expected, ModelFunction, Results
from urdf2dyn_ros.codegen.mechanics import UNNOTED, LoopArguments, Mechanics
from urdf2dyn_ros.codegen.signature import BY_JOINT, WRENCH, Quantity
from urdf2dyn_ros.equations import derivatives
from urdf2dyn_ros.equations.fewest_operations import same_axes
from urdf2dyn_ros.equations.forward_dynamics import Factors, inverse, solved
from urdf2dyn_ros.equations.loop_constraints import dotted, summed
from urdf2dyn_ros.equations.newton_euler import newton_euler
from urdf2dyn_ros.robot.inertia import second_moments
from urdf2dyn_ros.robot.loads import TERMS, Loads
from urdf2dyn_ros.robot.multibody import ROOT, Multibody
from urdf2dyn_ros.robot.spatial import AXES, ZERO, Dual, Scalar, slope, value
from urdf2dyn_ros.text import mention

_COMPOSITE = 'Tips to root: inertia and momentum of each link with what it carries'
_COLUMNS = 'Columns: how q, qd and qdd of one joint change forces, moments and efforts'
STATE = ('q', 'qd', 'qdd')
_LETTERS = 'qva'


def _back(force: str, moment: str = '') -> Callable[[Notation], str]:
    """Return the formula of a vector of a column in the axes of the joint."""
    symbol = moment or force

    def formula(at: Notation) -> str:
        n = at.n
        if at.joint.turns:
            return f'{symbol}j{n} = R{n} {symbol}{n}'
        arm = f' + q{n} z x {force}{n}' if moment else ''
        if symbol == 'g':
            arm = f' + (W{n} x q{n} z + 2 qd{n} z) x fa{n}'
        return f'{symbol}j{n} = {symbol}{n}{arm}'
    return formula


def _columns() -> dict[str, Symbol]:
    """Return the symbols of the vectors of a column, where it begins and on its way."""
    symbols = {'dg': Symbol(_COLUMNS, vector('g')),
               'dgj': Symbol(_COLUMNS, vector('gj'), _back('g')),
               'dgr': Symbol(_COLUMNS, vector('gr'), 'gr{n} = gj{n} + {Ic} {wp} x z'),
               'dgp': Symbol(_COLUMNS, _of_parent('g'), lambda at: (
                   f'g{at.p} = {at.A}g{"r" if at.on_parent else "j"}{at.n} + '
                   f'(W{at.p} x p{at.n}) x fa{at.p}')),
               'dnvr': Symbol(_COLUMNS, vector('nvr'), 'nvr{n} = nvj{n} + {Ic} {wp} x z'),
               'dnar': Symbol(_COLUMNS, vector('nar'), 'nar{n} = naj{n} + {Ic} z')}
    for x in _LETTERS:
        f, n = f'f{x}', f'n{x}'
        symbols |= {
            f'd{f}': Symbol(_COLUMNS, vector(f)),
            f'd{n}': Symbol(_COLUMNS, vector(n)),
            f'd{f}j': Symbol(_COLUMNS, vector(f'{f}j'), _back(f)),
            f'd{n}j': Symbol(_COLUMNS, vector(f'{n}j'), _back(f, n)),
            f'd{f}p': Symbol(_COLUMNS, _of_parent(f), f'{f}{{p}} = {{A}}{f}j{{n}}'),
            f'd{n}p': Symbol(_COLUMNS, _of_parent(n), lambda at, x=x: (   # type: ignore[misc]
                f'n{x}{at.p} = {at.A}n{x}{"r" if at.on_parent and x != "q" else "j"}{at.n} + '
                f'p{at.n} x f{x}{at.p}'))}
    return symbols


def _of_parent(symbol: str) -> tuple[str, ...]:
    return tuple(symbol + '{p}_' + x for x in AXES)


class InverseDynamicsDerivatives(ModelFunction):
    INPUTS = STATE
    SUMMARY = ('the efforts tau that a motion requires, and their derivatives dtau_dq, dtau_dqd '
               'and M with respect to q, qd and qdd: rows efforts, columns joints')
    TITLE = 'Derivatives{robot}: {results} of tau = ID({inverse_dynamics_derivatives}).'
    NO_LOAD_FRICTION = 'its derivatives have jumps'
    RESULTS = (
        EffortsOfMotion.RESULTS[0],
        Quantity('dtau_dq', 'dtau_dq [N m, N or N/m]', columns=BY_JOINT, times='qdd'),
        Quantity('dtau_dqd', 'dtau_dqd [N m s, N s or N s/m]', columns=BY_JOINT, times='qdd'),
        *MassMatrix.RESULTS,
        EffortsOfMotion.RESULTS[1],
        *(Quantity(f'dwrench_d{x}', f'derivatives by {x} of the force [N] and moment [N m] that '
                   'the world must apply at the origin of the root', rows=WRENCH, columns=BY_JOINT,
                   times='qdd') for x in STATE))
    SECOND_MOMENTS, SPINS = True, False
    SYMBOLS: ClassVar[dict[str, Symbol]] = {
        'W': Symbol(_COMPOSITE, vector('W'), 'W{n} = 2 w{n}'),
        'composite': Symbol(
            _COMPOSITE, ('mc{n}', *vector('hc'), *tensor('Jc'), *vector('Pc'), *matrix('Kc')),
            'mc{n}, hc{n}, Jc{n}, Pc{n}, Kc{n}: m{n}, h{n}, J{n}, W{n} x h{n}, -[W{n}]x S{n} and '
            'those of what link {n} carries, in frame {n}'),
        'jointed': Symbol(_COMPOSITE, (*vector('hcj'), *tensor('Jcj'), *vector('Pcj'),
                                       *matrix('Kcj')),
                          'hcj{n}, Jcj{n}, Pcj{n}, Kcj{n}: the same in the axes of joint {n}'),
        'passed': Symbol(_COMPOSITE, (*vector('hcp'), *tensor('Jcp'), *vector('Pcp'),
                                      *matrix('Kcp')),
                         'hcp{n}, Jcp{n}, Pcp{n}, Kcp{n}: the same in frame {p}'),
        **_columns(),
        **{f'd{name}': Symbol(
            _COLUMNS, tuple(f'{name}{{n}}_{x}' for x in STATE),
            f'{name}{{n}}_q, {name}{{n}}_qd, {name}{{n}}_qdd: derivatives of {name}{{n}}')
           for name in TERMS},
        'drow': Symbol(_COLUMNS, tuple(f'tau{{n}}_{x}' for x in STATE)),
        'dothers': Symbol(_COLUMNS, ('q{n}_tau', 'qd{n}_tau')),
    }
    LEGEND: ClassVar[dict[str, str]] = {'root frame': """\
mci, hci, Jci mi, hi, Ji of link i with what it carries, in frame i; Wi = 2 wi
Pci, Kci      of the same: twice its momentum relative to the origin; of r and v there, Kci d
              is the integral of 2 r x (d x v) over the mass
Si            second moments of link i by itself
fqi, nqi      how the q of a column changes force and moment on link i; fvi, nvi: its qd;
              fai, nai: its qdd; fqji, nqji: the same in the axes of joint i
gi            gi . d is how a change d of wi changes the effort of the column's joint"""}

    def derive(self, mechanics: Mechanics) -> Results:
        """Return the efforts, the matrices and, with a moving base, the same of the wrench."""
        notes, moving = mechanics.notes, mechanics.moving
        groups = [] if mechanics.textbook else same_axes(mechanics.system, moving)
        shared = mechanics.in_parallel_axes(mechanics.inertias, groups)
        system, terms, note = shared.system, shared.terms(mechanics.terms), shared.note(notes.note)
        sweep = newton_euler(
            system, shared.inertias, mechanics.state(STATE), mechanics.gravity,
            shared.recursion(mechanics.recursion), shared.loads(mechanics.loads()))
        moments = (mechanics.second_moments if mechanics.textbook else
                   second_moments(shared.inertias))
        results = efforts_of(mechanics, sweep.efforts, sweep.wrenches[ROOT])
        own = []
        for i, (inertia, second) in enumerate(zip(shared.inertias[:-1], moments)):
            spun = derivatives.spun_motion(sweep, i)
            note(i, 'W', spun.twice_w)
            own.append(derivatives.own_composite(inertia, second, spun))
        whole = derivatives.composites(system, sweep, own, terms, note)
        numbers = shared.originals

        def column(j: int) -> None:
            n, name = numbers[j] + 1, system.bodies[j].name
            notes.begin('', f'_{n}', f'q, qd and qdd of joint {n}{mention(name)}')

        of_efforts, of_wrench = derivatives.derivatives(
            system, sweep, whole, terms, moving, note, column)
        results |= dict(zip(('dtau_dq', 'dtau_dqd', 'M'), of_efforts))
        if moving:
            results |= dict(zip(('dwrench_dq', 'dwrench_dqd', 'dwrench_dqdd'), of_wrench))
        if isinstance(mechanics.arguments, LoopArguments):
            notes.begin('Of the actuated joints. ', '_a')
            results |= _through_loops(mechanics.arguments, results)
        return results

    def expected(self, mechanics: Mechanics) -> Expected:
        """Return what the recursion returns, and its derivatives in the direction of qdd."""
        results: Expected = {}
        for x in STATE:
            varied = _varied(mechanics, x, mechanics.given('qdd'))
            for name, entries in varied.items():
                results[name] = tuple(map(value, entries))
                key = 'M' if (name, x) == ('tau', 'qdd') else f'd{name}_d{x}'
                results[key] = tuple(map(slope, entries))
        return results


def _through_loops(arguments: LoopArguments, tree: Results) -> Results:
    """
    Return efforts and derivatives of the actuated joints from those of all joints of the tree.

    q of an actuated joint changes q, qd and qdd of all joints by columns of G, dG/dt and d2G/dt2,
    and G of G' tau; its qd changes qd and qdd by those of G and 2 dG/dt; its qdd changes qdd by G.
    """
    n, none = len(arguments.constraints.actuated), [0.0] * len(tree['tau'])
    by = {'tau': [tree[key] for key in ('dtau_dq', 'dtau_dqd', 'M')]}
    if 'wrench' in tree:
        by['wrench'] = [tree[f'dwrench_d{x}'] for x in STATE]
    columns: dict[str, list[Sequence[Scalar]]] = {}
    for k in range(n):
        varied = arguments.varied('q', [float(j == k) for j in range(n)])
        G, Gd, Gdd = ([slope(entry) for entry in part] for part in varied.state(STATE))
        for x, state, changes in (('q', varied, (G, Gd, Gdd)),
                                  ('qd', arguments, (none, G, [2.0 * entry for entry in Gd])),
                                  ('qdd', arguments, (none, none, G))):
            for name, matrices in by.items():
                column: list[Scalar] = [
                    summed(dotted(row, change) for row, change in zip(rows, changes))
                    for rows in zip(*matrices)]
                if name == 'tau':
                    column = [slope(entry) for entry in state.constraints.reduced(
                        [Dual.of(*pair) for pair in zip(tree['tau'], column)])]
                columns.setdefault(
                    'M' if (name, x) == ('tau', 'qdd') else f'd{name}_d{x}', []).append(column)
    return {'tau': arguments.constraints.reduced(tree['tau']),
            **{name: [*zip(*entries)] for name, entries in columns.items()}}


def _varied(mechanics: Mechanics, x: str, direction: Sequence[float]) -> Results:
    """Return efforts and wrench, as dual numbers, where an argument varies."""
    if isinstance(mechanics.arguments, LoopArguments):
        varied = mechanics.arguments.varied(x, direction)
        sweep = mechanics.sweep_of(varied.state(STATE))
        efforts = varied.constraints.reduced(sweep.efforts)
        return efforts_of(mechanics, efforts, sweep.wrenches[ROOT])
    state = [mechanics.arguments[name] for name in STATE]
    k = STATE.index(x)
    state[k] = [Dual.of(*pair) for pair in zip(state[k], direction)]
    sweep = mechanics.sweep_of(state)
    return efforts_of(mechanics, sweep.efforts, sweep.wrenches[ROOT])


class CoriolisMatrix(ModelFunction):
    """C of bias(q, qd) = C(q, qd) qd + gravity(q), by Christoffel's symbols."""

    INPUTS = ('q', 'qd')
    LOAD_INPUTS = ('payload',)
    SUMMARY = ('the matrix C of bias(q, qd) = C(q, qd) qd + gravity(q), with which dM/dt - 2 C is '
               'skew-symmetric')
    RESULTS = (Quantity('C', 'C [kg m^2/s, kg m/s or kg/s] by rows', columns=BY_JOINT,
                        times='qdd'),)
    SECOND_MOMENTS, SPINS = True, False
    FIXED_BASE = 'the matrix C', 'a moving one needs more columns'
    LEGEND: ClassVar[dict[str, str]] = InverseDynamicsDerivatives.LEGEND

    def derive(self, mechanics: Mechanics) -> Results:
        """Return half of the derivative by qd of C qd, whose coefficients are Christoffel's."""
        alone = self._links_alone(mechanics)
        by_qd = InverseDynamicsDerivatives().derive(alone)['dtau_dqd']
        return {'C': [[0.5 * entry for entry in row] for row in by_qd]}

    def expected(self, mechanics: Mechanics) -> Expected:
        """Return C qdd, half of the derivative in the direction of qdd."""
        efforts = _varied(self._links_alone(mechanics), 'qd', mechanics.given('qdd'))['tau']
        return {'C': tuple(0.5 * slope(effort) for effort in efforts)}

    @staticmethod
    def _links_alone(mechanics: Mechanics) -> Mechanics:
        """Return what has no gravity, no accelerations and no loads but payloads and rotors."""
        return replace(_accelerated(mechanics), gravity=ZERO, wrenches={},
                       terms=mechanics.terms_where(inertial=True))


_SOLVED_COLUMNS = "Derivatives of the accelerations: L' D L columns = -derivatives of the efforts"
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
        Quantity('dqdd_dq', 'dqdd_dq [1/s^2, 1/(m s^2) or m/s^2]', columns=BY_JOINT, times='qdd'),
        Quantity('dqdd_dqd', 'dqdd_dqd [1/s, 1/(m s) or m/s]', columns=BY_JOINT, times='qdd'),
        Quantity('Minv', 'Minv [1/(kg m^2), 1/(kg m) or 1/kg]', columns=BY_JOINT, times='qdd'))
    SECOND_MOMENTS, SPINS = True, InverseDynamicsDerivatives.SPINS
    SYMBOLS: ClassVar[dict[str, Symbol]] = {
        **{f'{symbol}_{x}': Symbol(_SOLVED_COLUMNS, (f'{name}{{n}}_{x}',))
           for symbol, name in (('e', 'e'), ('x', 'qdd')) for x in ('q', 'qd')},
        'Minv': Symbol(_SOLVED_COLUMNS, ('Mi{n}',))}
    LEGEND: ClassVar[dict[str, str]] = {'root frame': '\n'.join((
        *(function.LEGEND['root frame'] for function in (
            AccelerationsByFactors, InverseDynamicsDerivatives)),
        'wdi_d, ..     the same vector with the accelerations qdd; without _d they are zero',
        'Miij          entry of the inverse of M'))}

    def check(self, system: Multibody, loads: Loads) -> None:
        AccelerationsByFactors().check(system, loads)

    def derive(self, mechanics: Mechanics) -> Results:
        """Return the accelerations, and -M^-1 times the derivatives of the efforts there."""
        function = InverseDynamicsDerivatives()
        if mechanics.textbook:
            qdd, known = accelerations(mechanics)
        else:   # in the frames of the derivatives, whose mass matrix is this one
            still = function.derive(_accelerated(replace(
                mechanics, notes=UNNOTED, recursion=mechanics.recursion._replace(
                    note=UNNOTED.note))))
            qdd, known = accelerations(mechanics, still['tau'], still['M'])
        mechanics.notes.begin('With qdd. ', '_d')
        by = function.derive(_accelerated(mechanics, qdd))
        results: Results = {'qdd': qdd}
        for x in ('q', 'qd'):
            results[f'dqdd_d{x}'] = [*zip(*(
                self._column(mechanics, known, x, j, column)
                for j, column in enumerate(zip(*by[f'dtau_d{x}']))))]
        motors, Minv = mechanics.system.motors, inverse(known)
        for j, column in enumerate(Minv):
            mechanics.notes.begin('', f'_{motors[j] + 1}', _INVERSE)
            for k in range(j, len(column)):
                mechanics.notes.note(motors[k], 'Minv', (column[k],))
        return {**results, 'Minv': Minv}

    @staticmethod
    def _column(mechanics: Mechanics, known: Factors, x: str, j: int,
                column: Sequence[Scalar]) -> list[Scalar]:
        """Return how the accelerations vary with q or qd of one joint."""
        motors = mechanics.system.motors
        n = motors[j] + 1

        def note(k: int, symbol: str, entries: Sequence[tuple[int, Scalar]]) -> None:
            for _, entry in entries:
                mechanics.notes.note(motors[k], f'{symbol}_{x}', (entry,))

        mechanics.notes.begin('', f'_{n}', _BY_STATE.format(x=x, n=n))
        return solved(known, [-1.0 * entry for entry in column], note)

    def expected(self, mechanics: Mechanics) -> Expected:
        """Return the accelerations, and their derivatives in the direction of qdd."""
        qdd = AccelerationsByFactors().expected(mechanics)['qdd']
        direction, M = mechanics.given('qdd'), matrix_of_motors(mechanics)
        results = {'qdd': qdd, 'Minv': dense_solution(M, direction)}
        for x in ('q', 'qd'):
            efforts = _varied(_accelerated(mechanics, qdd), x, direction)['tau']
            results[f'dqdd_d{x}'] = dense_solution(M, [-slope(effort) for effort in efforts])
        return results


def _accelerated(mechanics: Mechanics, qdd: Sequence[Scalar] | None = None) -> Mechanics:
    qdd = [0.0] * len(mechanics.system.actuated) if qdd is None else qdd
    arguments: Mapping[str, Sequence[Scalar]] = (
        mechanics.arguments.replaced({'qdd': qdd})
        if isinstance(mechanics.arguments, LoopArguments) else
        {**mechanics.arguments, 'qdd': qdd})
    return replace(mechanics, arguments=arguments)
