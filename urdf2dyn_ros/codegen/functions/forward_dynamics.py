"""
Generated functions of the accelerations that efforts cause, in two ways, and of derivatives, of
inverse and of forward dynamics.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from urdf2dyn_ros.codegen.formulas import BACKWARD, Notation, Symbol, matrix, tensor, vector
from urdf2dyn_ros.codegen.functions.dynamics import EffortsOfMotion, MassMatrix, efforts_of
from urdf2dyn_ros.codegen.functions.function import Expected, ModelFunction, Results
from urdf2dyn_ros.codegen.mechanics import UNNOTED, LoopArguments, Mechanics
from urdf2dyn_ros.codegen.signature import BY_JOINT, WRENCH, Quantity, Rows
from urdf2dyn_ros.equations import derivatives
from urdf2dyn_ros.equations.forward_dynamics import (
    SMALLEST_INERTIA,
    ArticulatedBodies,
    Factors,
    RowNote,
    factorise,
    inverse,
    rigid,
    solved,
    weakness,
)
from urdf2dyn_ros.equations.loop_constraints import dotted, summed
from urdf2dyn_ros.equations.newton_euler import forward_sweep
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.robot.loads import TERMS, Loads, body_terms
from urdf2dyn_ros.robot.multibody import ROOT, Multibody
from urdf2dyn_ros.robot.spatial import AXES, ZERO, Array, Dual, Scalar, slope, value
from urdf2dyn_ros.text import mention, quote

# unit of an effort to that of the acceleration of its joint
ACCELERATION_UNITS = {'N m': 'rad/s^2', 'N': 'm/s^2'}


class AccelerationsOfEfforts(ModelFunction):
    INPUTS = ('q', 'qd', 'tau')
    SUMMARY = 'the accelerations qdd that efforts cause, the inverse of inverse_dynamics'
    TITLE = ('Forward dynamics{robot}: {results} = FD({forward_dynamics}), the accelerations that '
             'efforts cause.')
    NO_LOAD_FRICTION = 'several accelerations may have the same efforts'
    RESULTS = (Quantity('qdd', 'accelerations [rad/s^2 or m/s^2]', ACCELERATION_UNITS),)
    SECOND_MOMENTS = True

    def check(self, system: Multibody, loads: Loads) -> None:
        super().check(system, loads)
        weak = weakness(system, body_terms(system, loads))
        if weak is not None:
            joint, inertia, rest = weak
            why = (f'what it moves has an inertia of {inertia:g}' if inertia <= SMALLEST_INERTIA
                   else f'of the inertia {inertia:g} that it moves, {rest:.3g} is left as the '
                   'joints behind it move freely')
            without = '; the payload does not count, as it may be zero' if loads.payload else ''
            raise ParameterError(
                f'forward_dynamics at joint {quote(joint)}: {why}, so that no acceleration '
                'follows from its effort; give the links behind it their mass and inertia, or the '
                f'joint a rotor{without}')

    def expected(self, mechanics: Mechanics) -> dict[str, tuple[float, ...]]:
        """Return the accelerations by Cholesky's factors of the dense matrix."""
        bias = without_accelerations(mechanics)
        return {'qdd': dense_solution(_of_motors(mechanics), np.subtract(
            mechanics.arguments['tau'], bias))}


def dense_solution(M: Rows, b: ArrayLike) -> tuple[float, ...]:
    """Return M^-1 b by Cholesky's factors of the dense matrix."""
    if not len(M):
        return ()
    # with ones on the diagonal: inertias of fingers and of the torso are far apart
    scale: Array = 1.0 / np.sqrt(np.diag(M))
    half = np.linalg.inv(np.linalg.cholesky(scale[:, None] * np.array(M) * scale))
    return tuple((scale * (half.T @ (half @ (scale * np.array(b))))).tolist())


def without_accelerations(mechanics: Mechanics) -> Sequence[Scalar]:
    """Return the bias of the actuated joints; a base that moves has its accelerations."""
    def renamed(i: int, symbol: str, entries: tuple[Scalar, ...]) -> None:
        mechanics.notes.note(i, 'bias' if symbol == 'tau' else symbol, entries)

    return mechanics.reduced(EffortsOfMotion.RESULTS[0],
                             mechanics.efforts(('q', 'qd'), renamed).efforts)


def _of_motors(mechanics: Mechanics) -> Rows:
    return mechanics.reduced(MassMatrix.RESULTS[0], MassMatrix().derive(mechanics)['M'])


_FACTORS = "Factors of the mass matrix, M = L' D L, tips to root"
_BY_FACTORS = "Accelerations: L' D L qdd = tau - bias"


def _bias(at: Notation) -> str:
    # without accelerations a rotor requires nothing unless its parent feels that it spins
    terms = [f'{name}{at.n}' for name, term in at.terms.items()
             if at.on_parent or not term.INERTIAL]
    return at.of_coordinate('bias', [at.along, *terms])


class AccelerationsByFactors(AccelerationsOfEfforts):
    """The bias, the mass matrix and its factors M = L' D L: for trees that are not deep."""

    SYMBOLS: ClassVar[dict[str, Symbol]] = {
        'bias': Symbol(BACKWARD, ('bias{n}',), _bias),
        'pivot': Symbol(_FACTORS, ('d{n}',)),
        'rest': Symbol(_FACTORS, ('r{n}',)),
        'inverse': Symbol(_FACTORS, ('id{n}',)),
        'factor': Symbol(_FACTORS, ('l{n}',)),
        'e': Symbol(_BY_FACTORS, ('e{n}',)),
        'x': Symbol(_BY_FACTORS, ('qdd{n}',)),
    }
    LEGEND: ClassVar[dict[str, str]] = {'Ti, wri': """\
biasi         effort of joint i where all accelerations are zero
mci, hci, Sci mass, first and second moments of link i with all that it carries
Mij           entry of the mass matrix: effort of joint i where joint j accelerates by 1
rij, di, lij  the rest of Mij as the joints behind i move freely; rii; rij / di, idi: 1 / di
ei            effort that is left for joint i as the joints behind it move freely"""}

    def derive(self, mechanics: Mechanics) -> Results:
        return {'qdd': accelerations(mechanics)[0]}


def accelerations(mechanics: Mechanics, bias: Sequence[Scalar] | None = None,
                  M: Rows | None = None) -> tuple[list[Scalar], Factors]:
    """Return qdd, and the factors of M; bias and M by default as their functions return them."""
    if bias is None:
        bias = without_accelerations(mechanics)
    log = _noted_rows(mechanics)
    known = factorise(_of_motors(mechanics) if M is None else M, log)
    rest = [a - b for a, b in zip(mechanics.arguments['tau'], bias)]
    return solved(known, rest, log), known


def _noted_rows(mechanics: Mechanics) -> RowNote:
    """Return what notes the rows of the factors and the entries of the solution."""
    notes, system, drivers = mechanics.notes, mechanics.system, mechanics.system.motors
    behind: dict[int, list[int]] = {}   # numbers of the joints behind one
    title = ''

    def of_row(k: int) -> str:
        n, before = drivers[k] + 1, behind.get(k, [])
        less = ''.join(f' - l{m}_{n} r{m}_j' for m in before)
        if len(before) > _SPELLED_OUT:
            less = f' - sum of lk_{n} rk_j over k = {", ".join(map(str, before))}'
        return (f'joint {n}{mention(system.bodies[drivers[k]].name)}: r{n}_j = M{n}_j{less}, '
                f'd{n} = r{n}_{n}, l{n}_j = r{n}_j / d{n}')

    def note(k: int, symbol: str, entries: Sequence[tuple[int, Scalar]]) -> None:
        nonlocal title
        title = of_row(k) if symbol == 'r' else _SWEEPS.get(symbol, title)
        for j, entry in entries:
            if symbol == 'l':
                behind.setdefault(j, []).append(drivers[k] + 1)
            name, tag = _NAMES[symbol], f'_{drivers[j] + 1}'
            if j == k:
                name, tag = ('pivot' if symbol == 'r' else name), ''
            notes.begin('', tag, title)
            notes.note(drivers[k], name, (entry,))

    return note


_NAMES = {'r': 'rest', 'id': 'inverse', 'l': 'factor', 'e': 'e', 'x': 'x'}
_SWEEPS = {
    'e': 'tips to root: ei = taui - biasi - sum of lk_i ek over the joints k behind',
    'x': 'root to tips: qddi = ei / di - sum of li_j qddj over the joints j before'}
_SPELLED_OUT = 4   # terms of a sum that a comment spells out


# operations that last as long as a division and what waits for it at one joint. In chains of 8 to
# 12 joints the same number of operations takes 20 to 25 % longer than with the factors of the mass
# matrix (gcc and clang, -O3 -march=native); in branches others fill the time.
WAITING_PER_JOINT = 35

_FREE = 'As the joints behind it move freely. '
_BY_BODIES = 'Forward, root to tips: accelerations of the joints, and what they add to ai and wdi'


_TOGETHER = (
    'joints {} together: rk_j, the effort of k for a unit acceleration of j, less the sum of lm_k '
    'rm_j over those behind; dk = rk_k, lk_j = rk_j / dk, ek = tauk - .. - sum of lm_k em')


def _inertia(kind: str) -> tuple[str, ...]:
    return (*tensor(f'M{kind}'), *matrix(f'H{kind}'), *tensor(f'J{kind}'))


def _six(symbol: str) -> tuple[str, ...]:
    return (*vector(f'f{symbol}'), *vector(f'n{symbol}'))


def _of_type(revolute: str, prismatic: str) -> Callable[[Notation], str]:
    return lambda at: (revolute if at.turning else prismatic).format_map(at)


def _column(at: Notation) -> str:
    rotor = f' + Ic{at.n} z' if at.on_parent else ''
    if at.turning:
        return f'fa{at.n} = HA{at.n} z, na{at.n} = JA{at.n} z{rotor}'
    return f"fa{at.n} = MA{at.n} z, na{at.n} = HA{at.n}' z{rotor}"


def _pivot(at: Notation) -> str:
    rotors = [f' + Ir{at.n}' for term in at.terms.values() if term.INERTIAL]
    entry = f'JA{at.n}_zz' if at.turning else f'MA{at.n}_zz'
    return f'd{at.n} = {entry}' + ''.join(rotors)


class AccelerationsByArticulatedBodies(AccelerationsOfEfforts):
    """Articulated bodies: for deep trees, as the work grows with the number of joints."""

    SYMBOLS: ClassVar[dict[str, Symbol]] = {
        'IA': Symbol(BACKWARD, _inertia('A'), lambda at: (
            f'IA{at.n} = {at.transmitted("I", "IFp")}')),
        'Ar6': Symbol(BACKWARD, _six('a'), _column),
        'Ar': Symbol(BACKWARD, ('d{n}',), _pivot),
        'Aid': Symbol(BACKWARD, ('id{n}',), 'id{n} = 1 / d{n}'),
        'Al6': Symbol(BACKWARD, _six('l'), 'fl{n} = fa{n} / d{n}, nl{n} = na{n} / d{n}'),
        'Ae': Symbol(BACKWARD, ('e{n}',), lambda at: ' - '.join(
            [f'e{at.n} = tau{at.n}', at.along, *(f'{name}{at.n}' for name in at.terms)])),
        'IF': Symbol(BACKWARD, _inertia('F'),
                     "IF{n} = (MA{n} - fa{n} fl{n}', HA{n} - fa{n} nl{n}', JA{n} - na{n} nl{n}')"),
        'IFj': Symbol(BACKWARD, _inertia('Fj'), 'IFj{n}: IF{n} in the axes of joint {n}'),
        'IAj': Symbol(BACKWARD, _inertia('Fj'), 'IFj{n}: IA{n} in the axes of joint {n}'),
        'IFp': Symbol(BACKWARD, _inertia('Fp'), 'IFp{n}: IFj{n} in frame {p}'),
        'Af': Symbol(BACKWARD, vector('ff'), 'ff{n} = f{n} + e{n} fl{n}'),
        'An': Symbol(BACKWARD, vector('nf'), 'nf{n} = n{n} + e{n} nl{n}'),
        'Afj': Symbol(BACKWARD, vector('fj'), _of_type('fj{n} = R{n} ff{n}', 'fj{n} = ff{n}')),
        'Anj': Symbol(BACKWARD, vector('nj'), _of_type(
            'nj{n} = R{n} nf{n}', 'nj{n} = nf{n} + q{n} z x ff{n}')),
        'Anr': Symbol(BACKWARD, vector('nr'), 'nr{n} = nj{n} + Ic{n} {wp} x qd{n} z'),
        'xaj': Symbol(_BY_BODIES, vector('xaj'), lambda at: (
            f"xaj{at.n} = A{at.n}' (xa{at.p} + xw{at.p} x p{at.n})" if at.rotated else
            f'xaj{at.n} = xa{at.p} + xw{at.p} x p{at.n}')),
        'xwj': Symbol(_BY_BODIES, vector('xwj'), "xwj{n} = A{n}' xw{p}", 'rotated'),
        'xab': Symbol(_BY_BODIES, vector('xab'), lambda at: (
            f'xab{at.n} = xaj{at.n} + x{at.wp} x q{at.n} z')),
        'xwb': Symbol(_BY_BODIES, vector('xwb'), lambda at: f"xwb{at.n} = R{at.n}' x{at.wp}"),
        'xA': Symbol(_BY_BODIES, ('qdd{n}',), _of_type(
            'qdd{n} = e{n} / d{n} - fl{n} . xa{n} - nl{n} . xwb{n}',
            'qdd{n} = e{n} / d{n} - fl{n} . xab{n} - nl{n} . xw{n}')),
        'xa': Symbol(_BY_BODIES, vector('xa'), lambda at: (
            f"xa{at.n} = R{at.n}' xaj{at.n}" if at.turning else
            f'xa{at.n} = xab{at.n} + {at.multiplier}qdd{at.driver} z')),
        'xw': Symbol(_BY_BODIES, vector('xw'), lambda at: (
            f'xw{at.n} = xwb{at.n} + {at.multiplier}qdd{at.driver} z' if at.turning else
            f'xw{at.n} = x{at.wp}')),
        # of joints that are eliminated together
        **{f'c{symbol}': Symbol(BACKWARD, vector(f'c{symbol}'))
           for symbol in ('fj', 'nj', 'fp', 'np')},
        **{symbol: Symbol(BACKWARD, names) for symbol, names in (
            ('Br6', _six('a')), ('Br_j', ('r{n}',)), ('Br', ('d{n}',)), ('Bid', ('id{n}',)),
            ('Bl6', _six('l')), ('Bl_j', ('l{n}',)), ('Be', ('e{n}',)), ('BF', _inertia('B')),
            ('Bf', vector('ff')), ('Bn', vector('nf')))},
        'xB': Symbol(_BY_BODIES, ('qdd{n}',),
                     'qdd{n} = e{n} / d{n} - sum of l{n}_j qddj over the joints j before it, and '
                     'what a link that carries all of them adds by fl{n}, nl{n}'),
    }
    LEGEND: ClassVar[dict[str, str]] = {'Ti, wri': """\
IAi           (MAi, HAi, JAi): MAi a + HAi wd is the force, HAi' a + JAi wd the moment of what
              link i carries, as the joints behind move freely; Ii: (mi 1, -[hi]x, Ji)
fai, nai      force and moment that accelerate joint i by 1; di: its effort, idi: 1 / di
fli, nli      fai / di, nai / di
ei            effort that is left for joint i as the joints behind it move freely
IFi, ffi, nfi what is left of IAi, fi, ni as joint i moves freely as well; IFji: in the axes of
              joint i; IFpi: in frame p
xai, xwi      what the accelerations qdd add to ai and wdi; xaji, xwji: in the axes of joint i;
              xabi, xwbi: without qddi"""}

    def derive(self, mechanics: Mechanics) -> Results:
        q, shared = mechanics.arguments['q'], mechanics.in_parallel_axes(mechanics.inertias)
        loads, recursion = shared.loads(mechanics.loads()), mechanics.recursion
        if not mechanics.textbook:
            recursion = shared.recursion(recursion)
        sweep = forward_sweep(
            shared.system, shared.inertias, [q, mechanics.arguments['qd'], [0.0] * len(q)],
            mechanics.gravity, recursion, loads)
        number = shared.numbers

        def part(joints: Sequence[int] | None, about: int | None) -> None:
            tag = '' if joints is None or about is None else f'_{number[about] + 1}'
            mechanics.notes.begin(_FREE, tag, '' if joints is None else _TOGETHER.format(
                ', '.join(str(number[i] + 1) for i in joints)))

        bodies = ArticulatedBodies(shared.system, list(map(rigid, shared.inertias)), sweep, loads,
                                   shared.note(mechanics.notes.note), part)
        part(None, None)
        bodies.eliminate(mechanics.arguments['tau'])
        mechanics.notes.begin()
        return {'qdd': bodies.solve()}


# joints from the root to a tip up to which factors of the mass matrix are tried. In a chain of so
# many, articulated bodies take half the operations (8316 and 4200).
DEEPEST = 20


class CheapestAccelerations(AccelerationsByArticulatedBodies):
    """By factors of the mass matrix, or by articulated bodies."""

    SYMBOLS: ClassVar[dict[str, Symbol]] = {
        **AccelerationsByFactors.SYMBOLS, **AccelerationsByArticulatedBodies.SYMBOLS}

    def ways(self, system: Multibody) -> Sequence[tuple[ModelFunction, int]]:
        """Return the two ways, or the second alone where the first one takes far more."""
        # each pivot waits for those of the joints behind it
        by_bodies = AccelerationsByArticulatedBodies(), WAITING_PER_JOINT * system.depth
        if system.closed_loops:   # which bodies that move freely would not heed
            return ((AccelerationsByFactors(), 0),)
        return (by_bodies,) if system.depth > DEEPEST else (
            (AccelerationsByFactors(), 0), by_bodies)


# ---- Derivatives of the efforts, and of the accelerations that they cause

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
               'dgr': Symbol(_COLUMNS, vector('gr'), 'gr{n} = gj{n} + Ic{n} {wp} x z'),
               'dgp': Symbol(_COLUMNS, _of_parent('g'), lambda at: (
                   f'g{at.p} = {at.A}g{"r" if at.on_parent else "j"}{at.n} + '
                   f'(W{at.p} x p{at.n}) x fa{at.p}')),
               'dnvr': Symbol(_COLUMNS, vector('nvr'), 'nvr{n} = nvj{n} + Ic{n} {wp} x z'),
               'dnar': Symbol(_COLUMNS, vector('nar'), 'nar{n} = naj{n} + Ic{n} z')}
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
    LEGEND: ClassVar[dict[str, str]] = {'Ti, wri': """\
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
        system = mechanics.system
        if mechanics.textbook:
            sweep = mechanics.sweep(STATE)
            efforts, wrench, at = sweep.efforts, sweep.wrenches[ROOT], sweep.coordinates
            frames, own = derivatives.body_frames(system, sweep), []
            for i in range(len(system.bodies)):
                notes.note(i, 'W', frames[i].here.twice_w)
                own.append(derivatives.own_composite(
                    mechanics.inertias[i], mechanics.second_moments[i], frames[i].here))
        else:
            efforts, wrench, frames, own, at = derivatives.shared_axes(
                system, mechanics.inertias, mechanics.state(STATE), mechanics.gravity,
                mechanics.loads(), notes.note)
        results = efforts_of(mechanics, efforts, wrench)
        whole = derivatives.composites(system, frames, own, at, mechanics.terms, notes.note)

        def column(j: int) -> None:
            body = system.bodies[j]
            notes.begin('', f'_{j + 1}', f'q, qd and qdd of joint {j + 1}{mention(body.name)}')

        of_efforts, of_wrench = derivatives.derivatives(
            system, frames, whole, at, mechanics.terms, moving, notes.note, column)
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
            found = _varied(mechanics, x, mechanics.given('qdd'))
            for name, entries in found.items():
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
        for x, at, changes in (('q', varied, (G, Gd, Gdd)),
                               ('qd', arguments, (none, G, [2.0 * entry for entry in Gd])),
                               ('qdd', arguments, (none, none, G))):
            for name, matrices in by.items():
                column: list[Scalar] = [
                    summed(dotted(row, change) for row, change in zip(rows, changes))
                    for rows in zip(*matrices)]
                if name == 'tau':
                    column = [slope(entry) for entry in at.constraints.reduced(
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
    LEGEND: ClassVar[dict[str, str]] = {'Ti, wri': '\n'.join((
        *(function.LEGEND['Ti, wri'] for function in (
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
            unnoted = replace(mechanics, notes=UNNOTED, recursion=mechanics.recursion._replace(
                note=UNNOTED.note))
            still = function.derive(_accelerated(unnoted))
            M = _with_constants(still['M'], _of_motors(unnoted))
            qdd, known = accelerations(mechanics, still['tau'], M)
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
        direction, M = mechanics.given('qdd'), _of_motors(mechanics)
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
    return replace(mechanics, arguments=arguments, _sweeps={})


def _with_constants(M: Rows, same: Rows) -> Rows:
    """Return a matrix with the entries that are numbers in another form of it, as of tips."""
    return [[b if isinstance(b, float) else a for a, b in zip(row, others)]
            for row, others in zip(M, same)]
