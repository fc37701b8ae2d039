"""Generated functions of the accelerations that efforts cause, in two ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from urdf2dyn_ros.codegen.formulas import BACKWARD, Notation, Symbol, matrix, tensor, vector
from urdf2dyn_ros.codegen.functions.dynamics import EffortsOfMotion, MassMatrix
from urdf2dyn_ros.codegen.functions.function import ModelFunction, Results
from urdf2dyn_ros.codegen.mechanics import Mechanics
from urdf2dyn_ros.codegen.signature import Quantity, Rows
from urdf2dyn_ros.equations.forward_dynamics import (
    SMALLEST_INERTIA,
    ArticulatedBodies,
    Factors,
    RowNote,
    factorise,
    rigid,
    solved,
    weakness,
)
from urdf2dyn_ros.equations.newton_euler import forward_sweep
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.robot.loads import Loads, body_terms
from urdf2dyn_ros.robot.multibody import Multibody
from urdf2dyn_ros.robot.spatial import Array, Scalar
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
        return {'qdd': dense_solution(matrix_of_motors(mechanics), np.subtract(
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


def matrix_of_motors(mechanics: Mechanics) -> Rows:
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
    LEGEND: ClassVar[dict[str, str]] = {'root frame': """\
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
    known = factorise(matrix_of_motors(mechanics) if M is None else M, log)
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


def _inertia(kind: str) -> tuple[str, ...]:
    return (*tensor(f'M{kind}'), *matrix(f'H{kind}'), *tensor(f'J{kind}'))


def _six(symbol: str) -> tuple[str, ...]:
    return (*vector(f'f{symbol}'), *vector(f'n{symbol}'))


def _of_type(revolute: str, prismatic: str) -> Callable[[Notation], str]:
    return lambda at: (revolute if at.turning else prismatic).format_map(at)


def _column(at: Notation) -> str:
    rotor = f' + {at.Ic} z' if at.on_parent else ''
    if at.turning:
        return f'fa{at.n} = HA{at.n} z, na{at.n} = JA{at.n} z{rotor}'
    return f"fa{at.n} = MA{at.n} z, na{at.n} = HA{at.n}' z{rotor}"


def _pivot(at: Notation) -> str:
    rotors = [f' + {term.REFLECTED}{at.n}' for term in at.terms.values() if term.REFLECTED]
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
        'Anr': Symbol(BACKWARD, vector('nr'), 'nr{n} = nj{n} + {Ic} {wp} x qd{n} z'),
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
            f'xa{at.n} = xab{at.n} + qdd{at.n} z')),
        'xw': Symbol(_BY_BODIES, vector('xw'), lambda at: (
            f'xw{at.n} = xwb{at.n} + qdd{at.n} z' if at.turning else
            f'xw{at.n} = x{at.wp}')),
    }
    LEGEND: ClassVar[dict[str, str]] = {'root frame': """\
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
        loads = shared.loads(mechanics.loads())
        sweep = forward_sweep(
            shared.system, shared.inertias, [q, mechanics.arguments['qd'], [0.0] * len(q)],
            mechanics.gravity, shared.recursion(mechanics.recursion), loads)
        bodies = ArticulatedBodies(shared.system, list(map(rigid, shared.inertias)), sweep, loads,
                                   shared.note(mechanics.notes.note))
        mechanics.notes.begin(_FREE)
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
        # bodies that move freely would not heed loops and mimic joints
        if system.closed_loops or len(system.bodies) > len(system.joint_names):
            return ((AccelerationsByFactors(), 0),)
        return (by_bodies,) if system.depth > DEEPEST else (
            (AccelerationsByFactors(), 0), by_bodies)
