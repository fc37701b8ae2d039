"""Accelerations that efforts cause, by articulated bodies."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from urdf2dyn_ros.algebra.inertia import BodyInertia
from urdf2dyn_ros.equations.elimination.articulated_bodies import ArticulatedBodies
from urdf2dyn_ros.equations.elimination.spatial_inertia import rigid
from urdf2dyn_ros.equations.newton_euler import forward
from urdf2dyn_ros.equations.simplification.parallel_axes import parallel_axes, parallel_groups
from urdf2dyn_ros.functions.accelerations.accelerations_of_efforts import AccelerationsOfEfforts
from urdf2dyn_ros.functions.fields import Fields
from urdf2dyn_ros.functions.function import Rows, by_joint
from urdf2dyn_ros.functions.mechanics import Mechanics
from urdf2dyn_ros.functions.symbol import BACKWARD, Symbol, matrix, tensor, vector
from urdf2dyn_ros.multibody import Multibody

WAITING_PER_JOINT = 35
"""
Operations that last as long as a division and what waits for it at one joint.

In chains of 8 to 12 joints the same number of operations takes 20 to 25 % longer than with the
factors of the mass matrix (gcc and clang, -O3 -march=native); in branches others fill the time.
"""

_FREE = 'As the joints behind it move freely. '
_SOLUTION = 'Forward, root to tips: accelerations of the joints, and what they add to ai and wdi'


_TOGETHER = (
    'joints {} together: rk_j, the effort of k for a unit acceleration of j, less the sum of lm_k '
    'rm_j over those behind; dk = rk_k, lk_j = rk_j / dk, ek = tauk - .. - sum of lm_k em')


def _inertia(kind: str) -> tuple[str, ...]:
    return (*tensor(f'M{kind}'), *matrix(f'H{kind}'), *tensor(f'J{kind}'))


def _six(symbol: str) -> tuple[str, ...]:
    return (*vector(f'f{symbol}'), *vector(f'n{symbol}'))


def _of_type(revolute: str, prismatic: str) -> Callable[[Fields], str]:
    return lambda at: (revolute if at.turning else prismatic).format_map(at)


def _column(at: Fields) -> str:
    rotor = f' + Ic{at.n} z' * at.on_parent
    if at.turning:
        return f'fa{at.n} = HA{at.n} z, na{at.n} = JA{at.n} z{rotor}'
    return f"fa{at.n} = MA{at.n} z, na{at.n} = HA{at.n}' z{rotor}"


def _pivot(at: Fields) -> str:
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
        'xaj': Symbol(_SOLUTION, vector('xaj'), lambda at: (
            f"xaj{at.n} = A{at.n}' (xa{at.p} + xw{at.p} x p{at.n})" if at.rotated else
            f'xaj{at.n} = xa{at.p} + xw{at.p} x p{at.n}')),
        'xwj': Symbol(_SOLUTION, vector('xwj'), "xwj{n} = A{n}' xw{p}", 'rotated'),
        'xab': Symbol(_SOLUTION, vector('xab'), lambda at: (
            f'xab{at.n} = xaj{at.n} + x{at.wp} x q{at.n} z')),
        'xwb': Symbol(_SOLUTION, vector('xwb'), lambda at: f"xwb{at.n} = R{at.n}' x{at.wp}"),
        'xA': Symbol(_SOLUTION, ('qdd{n}',), _of_type(
            'qdd{n} = e{n} / d{n} - fl{n} . xa{n} - nl{n} . xwb{n}',
            'qdd{n} = e{n} / d{n} - fl{n} . xab{n} - nl{n} . xw{n}')),
        'xa': Symbol(_SOLUTION, vector('xa'), lambda at: (
            f"xa{at.n} = R{at.n}' xaj{at.n}" if at.turning else
            f'xa{at.n} = xab{at.n} + {at.multiplier}qdd{at.driver} z')),
        'xw': Symbol(_SOLUTION, vector('xw'), lambda at: (
            f'xw{at.n} = xwb{at.n} + {at.multiplier}qdd{at.driver} z' if at.turning else
            f'xw{at.n} = x{at.wp}')),
        # of joints that are eliminated together
        **{f'c{symbol}': Symbol(BACKWARD, vector(f'c{symbol}'))
           for symbol in ('fj', 'nj', 'fp', 'np')},
        **{symbol: Symbol(BACKWARD, names) for symbol, names in (
            ('Br6', _six('a')), ('Br_j', ('r{n}',)), ('Br', ('d{n}',)), ('Bid', ('id{n}',)),
            ('Bl6', _six('l')), ('Bl_j', ('l{n}',)), ('Be', ('e{n}',)), ('BF', _inertia('B')),
            ('Bf', vector('ff')), ('Bn', vector('nf')))},
        'xB': Symbol(_SOLUTION, ('qdd{n}',),
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

    def waiting(self, system: Multibody) -> int:
        """Return that of the pivots, each of which waits for those of the joints behind it."""
        return WAITING_PER_JOINT * system.depth

    def derive(self, mechanics: Mechanics) -> dict[str, Rows]:
        system, q = mechanics.system, mechanics.of_joints('q')
        groups = [] if mechanics.textbook else parallel_groups(system)
        shared = parallel_axes(system, mechanics.inertias, q, groups)
        loads, recursion = shared.loads(mechanics.loads()), mechanics.recursion
        inertias: Sequence[BodyInertia | None] = shared.inertias
        if not mechanics.textbook:
            recursion = shared.recursion(recursion)
            inertias = [inertia and inertia.with_tensor() for inertia in inertias]
        sweep = forward(
            shared.system, shared.inertias, [q, mechanics.of_joints('qd'), [0.0] * len(q)],
            mechanics.gravity, recursion, loads)
        number = shared.numbers

        def part(joints: Sequence[int] | None, about: int | None) -> None:
            tag = '' if joints is None or about is None else f'_{number[about] + 1}'
            mechanics.notes.begin(_FREE, tag, '' if joints is None else _TOGETHER.format(
                ', '.join(str(number[i] + 1) for i in joints)))

        bodies = ArticulatedBodies(shared.system, list(map(rigid, inertias)), sweep, loads,
                                   shared.note(mechanics.notes.note), part)
        part(None, None)
        bodies.eliminate(mechanics.of_joints('tau'))
        mechanics.notes.begin()
        return {'qdd': by_joint(bodies.solve())}
