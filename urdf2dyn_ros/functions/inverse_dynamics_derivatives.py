"""Efforts of a motion, and their derivatives with respect to q, qd and qdd."""

from collections.abc import Callable
from typing import ClassVar

from urdf2dyn_ros.algebra.dual import Dual, dual
from urdf2dyn_ros.algebra.vectors import AXES
from urdf2dyn_ros.equations.body_terms import body_terms
from urdf2dyn_ros.equations.column_frames import ColumnFrame, body_frames, composites
from urdf2dyn_ros.equations.composite import Composite, own_composite
from urdf2dyn_ros.equations.derivatives import derivatives
from urdf2dyn_ros.equations.simplification.shared_axes import shared_axes
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.functions.efforts import efforts_of
from urdf2dyn_ros.functions.fields import Fields
from urdf2dyn_ros.functions.function import Expected, ModelFunction, Rows
from urdf2dyn_ros.functions.inverse_dynamics import EffortsOfMotion
from urdf2dyn_ros.functions.mass_matrix import MassMatrix
from urdf2dyn_ros.functions.mechanics import Mechanics
from urdf2dyn_ros.functions.mention import mention
from urdf2dyn_ros.functions.quantity import JOINTS, WRENCH, Quantity
from urdf2dyn_ros.functions.symbol import Symbol, matrix, tensor, vector
from urdf2dyn_ros.joints.motion import Coordinate
from urdf2dyn_ros.loads import TERMS, Loads
from urdf2dyn_ros.multibody import ROOT, Multibody
from urdf2dyn_ros.quoting import quote

_COMPOSITE = 'Tips to root: inertia and momentum of each link with what it carries'
_COLUMNS = 'Columns: how q, qd and qdd of one joint change forces, moments and efforts'
STATE = ('q', 'qd', 'qdd')
_LETTERS = 'qva'

_Parts = tuple[list[ColumnFrame], list[Composite], list[Coordinate]]
"""Frames, bodies alone and coordinates, as `derivatives` takes them."""


def _back(force: str, moment: str = '') -> Callable[[Fields], str]:
    """Return the formula of a vector of a column in the axes of the joint."""
    symbol = moment or force

    def formula(at: Fields) -> str:
        n = at.n
        if at.joint.turns:
            return f'{symbol}j{n} = R{n} {symbol}{n}'
        arm = f' + q{n} z x {force}{n}' * bool(moment)
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


def _in_body_frames(mechanics: Mechanics) -> tuple[dict[str, Rows], _Parts]:
    """Return the efforts by the textbook recursion, and what their derivatives need of it."""
    sweep = mechanics.sweep(STATE)
    frames = body_frames(mechanics.system, sweep)
    own = []
    for i, (frame, inertia, moments) in enumerate(zip(frames[:-1], mechanics.inertias,
                                                      mechanics.second_moments)):
        twice_w = frame.motion.twice_w
        mechanics.notes.note(i, 'W', twice_w)
        own.append(Composite() if inertia is None or moments is None else
                   own_composite(inertia, moments.J, twice_w))
    efforts = efforts_of(mechanics, sweep.efforts, sweep.wrenches[ROOT])
    return efforts, (frames, own, sweep.coordinates)


def _in_shared_axes(mechanics: Mechanics) -> tuple[dict[str, Rows], _Parts]:
    """Return the same with the fewest operations."""
    efforts, wrench, frames, own, at = shared_axes(
        mechanics.system, mechanics.inertias, [mechanics.of_joints(x) for x in STATE],
        mechanics.gravity, mechanics.loads(), mechanics.notes.note)
    return efforts_of(mechanics, efforts, wrench), (frames, own, at)


class InverseDynamicsDerivatives(ModelFunction):
    """tau, dtau/dq, dtau/dqd, and dtau/dqdd, which is M."""

    INPUTS = STATE
    SUMMARY = ('the efforts tau that a motion requires, and their derivatives dtau_dq, dtau_dqd '
               'and M with respect to q, qd and qdd: rows efforts, columns joints')
    TITLE = 'Derivatives{robot}: {results} of tau = ID({inverse_dynamics_derivatives}).'
    RESULTS = (
        EffortsOfMotion.RESULTS[0],
        Quantity('dtau_dq', 'dtau_dq [N m, N or N/m]', columns=JOINTS, times='qdd'),
        Quantity('dtau_dqd', 'dtau_dqd [N m s, N s or N s/m]', columns=JOINTS, times='qdd'),
        *MassMatrix.RESULTS,
        EffortsOfMotion.RESULTS[1],
        *(Quantity(f'dwrench_d{x}', f'derivatives by {x} of the force [N] and moment [N m] that '
                   'the world must apply at the origin of the root', rows=WRENCH, columns=JOINTS,
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

    def check(self, system: Multibody, loads: Loads) -> None:
        """Raise a ParameterError for a term whose derivative has jumps."""
        for i, terms in body_terms(system, loads).items():
            if any(term.needs_transmitted() for term in terms):
                raise ParameterError(
                    f'the friction of joint {quote(system.bodies[i].name)} depends on the effort '
                    'that it transmits: its derivatives have jumps; set its parameter load to 0')

    def derive(self, mechanics: Mechanics) -> dict[str, Rows]:
        """Return the efforts, the matrices and, with a moving base, the same of the wrench."""
        notes, moving = mechanics.notes, mechanics.moving
        by_axes = _in_body_frames if mechanics.textbook else _in_shared_axes
        results, (frames, own, at) = by_axes(mechanics)
        whole = composites(mechanics.system, frames, own, at, mechanics.terms, notes.note)

        def column(j: int) -> None:
            body = mechanics.system.bodies[j]
            notes.begin('', f'_{j + 1}', f'q, qd and qdd of joint {j + 1}{mention(body.name)}')

        by = derivatives(mechanics.system, frames, whole, at, mechanics.terms, moving,
                         notes.note, column)
        results |= dict(zip(('dtau_dq', 'dtau_dqd', 'M'), by.efforts))
        if moving:
            results |= dict(zip(('dwrench_dq', 'dwrench_dqd', 'dwrench_dqdd'), by.wrench))
        return results

    def expected(self, mechanics: Mechanics) -> Expected:
        """Return what the recursion returns, and its derivatives in the direction of qdd."""
        state = [mechanics.of_joints(x) for x in STATE]
        results: Expected = {}
        for k, x in enumerate(STATE):
            varied = list(state)
            varied[k] = [Dual(value, slope) for value, slope in zip(state[k], state[2])]
            sweep = mechanics.sweep_of(varied)
            for name, rows in efforts_of(mechanics, sweep.efforts, sweep.wrenches[ROOT]).items():
                results[name] = tuple(dual(entry).value for entry, in rows)
                key = 'M' if (name, x) == ('tau', 'qdd') else f'd{name}_d{x}'
                results[key] = tuple(dual(entry).slope for entry, in rows)
        return results
