"""Accelerations that efforts cause, by the factors of the mass matrix."""

from collections.abc import Sequence
from typing import ClassVar

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.equations.elimination.sparse_factors import Factors, factors, solved
from urdf2dyn_ros.functions.accelerations.accelerations_of_efforts import (
    AccelerationsOfEfforts,
    without_accelerations,
)
from urdf2dyn_ros.functions.fields import Fields
from urdf2dyn_ros.functions.function import Rows, by_joint
from urdf2dyn_ros.functions.mass_matrix import MassMatrix
from urdf2dyn_ros.functions.mechanics import Mechanics
from urdf2dyn_ros.functions.mention import mention
from urdf2dyn_ros.functions.symbol import BACKWARD, Symbol

_FACTORS = "Factors of the mass matrix, M = L' D L, tips to root"
_SOLUTION = "Accelerations: L' D L qdd = tau - bias"


def _bias(at: Fields) -> str:
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
        'e': Symbol(_SOLUTION, ('e{n}',)),
        'x': Symbol(_SOLUTION, ('qdd{n}',)),
    }
    LEGEND: ClassVar[dict[str, str]] = {'Ti, wri': """\
biasi         effort of joint i where all accelerations are zero
mci, hci, Sci mass, first and second moments of link i with all that it carries
Mij           entry of the mass matrix: effort of joint i where joint j accelerates by 1
rij, di, lij  the rest of Mij as the joints behind i move freely; rii; rij / di, idi: 1 / di
ei            effort that is left for joint i as the joints behind it move freely"""}

    def derive(self, mechanics: Mechanics) -> dict[str, Rows]:
        return {'qdd': by_joint(accelerations(mechanics)[0])}


def accelerations(mechanics: Mechanics, bias: Sequence[Scalar] | None = None,
                  M: Rows | None = None) -> tuple[list[Scalar], Factors]:
    """Return qdd, and the factors of M; bias and M by default as their functions return them."""
    if bias is None:
        bias = without_accelerations(mechanics)
    log = _Log(mechanics)
    known = factors(MassMatrix().derive(mechanics)['M'] if M is None else M, log)
    rest = [a - b for a, b in zip(mechanics.of_joints('tau'), bias)]
    return solved(known, rest, log), known


class _Log:
    """The rows of the factors and the entries of the solution, as notes with their formulas."""

    def __init__(self, mechanics: Mechanics) -> None:
        self._notes, self._drivers = mechanics.notes, mechanics.system.drivers
        self._bodies = mechanics.system.bodies
        self._behind: dict[int, list[int]] = {}

    def __call__(self, k: int, symbol: str, entries: Sequence[tuple[int, Scalar]]) -> None:
        i = self._drivers[k]
        if symbol == 'r':
            self._title = self._row(k)
        if symbol in ('e', 'x'):
            self._title = _SWEEPS[symbol]
        if symbol == 'l':
            for j, _ in entries:
                self._behind.setdefault(j, []).append(k)
        for j, entry in entries:
            name, tag = _NAMES[symbol], f'_{self._drivers[j] + 1}'
            if j == k:
                name, tag = ('pivot' if symbol == 'r' else name), ''
            self._notes.begin('', tag, self._title)
            self._notes.note(i, name, (entry,))

    def _row(self, k: int) -> str:
        """Return the formulas of one row of the factors."""
        n = self._drivers[k] + 1
        behind = [self._drivers[m] + 1 for m in self._behind.get(k, ())]
        less = ''.join(f' - l{m}_{n} r{m}_j' for m in behind)
        if len(behind) > _SPELLED_OUT:
            less = f' - sum of lk_{n} rk_j over k = {", ".join(map(str, behind))}'
        body = self._bodies[self._drivers[k]]
        return (f'joint {n}{mention(body.name)}: r{n}_j = M{n}_j{less}, d{n} = r{n}_{n}, '
                f'l{n}_j = r{n}_j / d{n}')


_NAMES = {'r': 'rest', 'id': 'inverse', 'l': 'factor', 'e': 'e', 'x': 'x'}
_SWEEPS = {
    'e': 'tips to root: ei = taui - biasi - sum of lk_i ek over the joints k behind',
    'x': 'root to tips: qddi = ei / di - sum of li_j qddj over the joints j before'}
_SPELLED_OUT = 4
"""Terms of a sum that a comment spells out."""
