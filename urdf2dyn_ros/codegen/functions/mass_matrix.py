"""Generated functions of inertia: mass matrix, momentum, and all of the dynamics."""

from typing import ClassVar

from urdf2dyn_ros.codegen.functions.efforts import EFFORTS_UNIT, Bias, EffortsOfMotion, Gravity
from urdf2dyn_ros.codegen.functions.function import (
    BACKWARD,
    BY_JOINT,
    Expected,
    Fields,
    Mechanics,
    ModelFunction,
    Quantity,
    Rows,
    Symbol,
    by_joint,
    mention,
    tensor,
    vector,
)
from urdf2dyn_ros.equations.mass_matrix import (
    MOMENTUM_UNITS,
    angular_momentum,
    mass_matrix,
    momentum,
)
from urdf2dyn_ros.equations.newton_euler import AppliedLoads, Recursion
from urdf2dyn_ros.equations.parallel_axes import parallel_axes, parallel_groups
from urdf2dyn_ros.robot.joints import JOINTS as JOINT_TYPES
from urdf2dyn_ros.robot.spatial import ZERO

_COMPOSITE = 'Tips to root: moments of the mass of each link with what it carries'
_COLUMNS = 'Columns: force and moment that a unit acceleration of one joint requires'


class MassMatrix(ModelFunction):
    """M of tau = M(q) qdd + bias(q, qd), which no load but a payload or a rotor changes."""

    INPUTS = ('q',)
    LOAD_INPUTS = ('payload',)
    SUMMARY = 'the symmetric matrix M of tau = M(q) qdd + bias(q, qd)'
    RESULTS = (Quantity('M', 'M [kg m^2, kg m or kg] by rows', columns=BY_JOINT, times='qdd'),)
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


_VELOCITIES = 'Forward, root to tips: velocity of each link, and its momentum'
_MOMENTA = 'Backward, tips to root: momentum P, angular momentum L of what each joint carries'
_CHANGES = 'How the kinetic energy changes with the position of each joint'


def _momentum(at: Fields) -> str:
    rotors = [f'Lm{at.n}' for term in at.terms.values() if term.INERTIAL]
    return at.of_coordinate('pq', [at.joint.formulas['momentum'].format(n=at.n), *rotors])


def _load(at: Fields) -> str:
    parts = [f'{name}{at.n}' for name, term in at.terms.items() if not term.INERTIAL]
    if at.follows or at.before:
        return f'load{at.n}: load of joint {at.driver}, with what joint {at.n} adds to it'
    return ' + '.join([f'load{at.n} = ' + (f'tau{at.n}' if at.after else at.along), *parts])


class Momentum(ModelFunction):
    """p = M(q) qd, and beta and load of its derivative, without accelerations."""

    INPUTS = ('q', 'qd')
    SUMMARY = 'the momentum p = M(q) qd, and beta and load of d/dt p = tau + beta - load'
    RESULTS = (Quantity('p', 'p [kg m^2/s or kg m/s]', MOMENTUM_UNITS),
               Quantity('beta', EFFORTS_UNIT), Quantity('load', EFFORTS_UNIT))
    SPINS = False
    SYMBOLS: ClassVar[dict[str, Symbol]] = {
        'mq': Symbol(_VELOCITIES, ('q{n}', 'qd{n}'), 'q{n} = {multiplier}q{driver}{offset}',
                     'follows'),
        'mR': Symbol(_VELOCITIES, ('c{n}', 's{n}'), 'R{n}: turn about z by q{n}'),
        'mwj': Symbol(_VELOCITIES, vector('wj'), "wj{n} = A{n}' w{p}", 'rotated'),
        'mw': Symbol(_VELOCITIES, vector('w')),
        'mvb': Symbol(_VELOCITIES, vector('vb'), 'vb{n} = v{p} + w{p} x p{n}'),
        'mvj': Symbol(_VELOCITIES, vector('vj'), "vj{n} = A{n}' vb{n}", 'rotated'),
        'mvo': Symbol(_VELOCITIES, vector('v')),
        'mPo': Symbol(_VELOCITIES, vector('Po'), 'Po{n} = {m} v{n} + w{n} x h{t}{n}'),
        'mLo': Symbol(_VELOCITIES, vector('Lo'), 'Lo{n} = J{t}{n} w{n} + h{t}{n} x v{n}'),
        'mP': Symbol(_MOMENTA, vector('P'), lambda at: f'P{at.n} = {at.transmitted("Po", "Pp")}'),
        'mL': Symbol(_MOMENTA, vector('L'), lambda at: f'L{at.n} = {at.transmitted("Lo", "Lp")}'),
        'mPj': Symbol(_MOMENTA, vector('Pj')),
        'mLj': Symbol(_MOMENTA, vector('Lj')),
        'mPp': Symbol(_MOMENTA, vector('Pp'), 'Pp{n} = {A}Pj{n}'),
        'mLp': Symbol(_MOMENTA, vector('Lp'), lambda at: (
            f'Lp{at.n} = {at.A}{"Lr" if at.on_parent else "Lj"}{at.n} + p{at.n} x Pp{at.n}')),
        'mrotor': Symbol(_MOMENTA, ('Lm{n}',), 'Lm{n}: momentum of the rotor'),
        'mLr': Symbol(_MOMENTA, vector('Lr'), 'Lr{n} = Lj{n} + Ic{n} qd{n} z', 'on_parent'),
        'mp': Symbol(_MOMENTA, ('pq{n}',), _momentum),
        'beta': Symbol(_CHANGES, ('beta{n}',), lambda at: at.of_coordinate(
            'beta', [at.joint.formulas['change'].format(n=at.n)], forward=True)),
        'lnp': Symbol(BACKWARD, vector('np'), 'np{n} = {A}nj{n} + p{n} x fp{n}'),
        'ltau': Symbol(BACKWARD, ('tau{n}',), lambda at: at.of_coordinate('tau', [at.along])),
        'load': Symbol(BACKWARD, ('load{n}',), _load),
    }
    LEGEND: ClassVar[dict[str, str]] = {
        'Fi, Ni': 'Fi, Ni        force and moment that accelerate link i by itself',
        'Ti, wri': """\
vi            velocity of the origin, in frame i; vbi: that of frame p there; vji as bji
Poi, Loi      momentum of link i by itself, and its moment about the origin
Pi, Li        the same with what it carries; Ppi, Lpi: the same in frame p; Pji, Lji as fji
pqi, Lmi      momentum of joint i, and what its rotor has of it
betai, loadi  how the kinetic energy changes with qi; efforts but for Coriolis ones"""}

    def derive(self, mechanics: Mechanics) -> dict[str, Rows]:
        parts = momentum(
            mechanics.system, mechanics.inertias, mechanics.of_joints('q'),
            mechanics.of_joints('qd'), mechanics.gravity, of_momentum(mechanics),
            mechanics.loads())
        return {name: by_joint(entries) for name, entries in parts._asdict().items()}


def of_momentum(mechanics: Mechanics) -> Recursion:
    """Return the recursion on velocities in the place of accelerations."""
    recursion = Recursion(note=mechanics.recursion.note)
    return recursion if mechanics.textbook else recursion._replace(moment=angular_momentum)


class Dynamics(ModelFunction):
    """Inverse dynamics, gravity, bias and mass matrix on one graph: equal terms once."""

    INPUTS = ('q', 'qd', 'qdd')
    SUMMARY = ('what inverse_dynamics, gravity, bias and mass_matrix return, shared work done '
               'once')
    TITLE = ('Dynamics{robot}: tau = ID({inverse_dynamics}) = M({mass_matrix}) qdd + '
             'bias({bias}).')
    COMBINED = ('inverse_dynamics', 'gravity', 'bias', 'mass_matrix')
    RESULTS = (*(each._replace(of=('inverse_dynamics', each.name))
                 for each in EffortsOfMotion.RESULTS),
               Quantity('tau_gravity', EFFORTS_UNIT, of=('gravity', 'tau')),
               Quantity('tau_bias', EFFORTS_UNIT, of=('bias', 'tau')),
               MassMatrix.RESULTS[0]._replace(of=('mass_matrix', 'M')))
    SECOND_MOMENTS = True

    def derive(self, mechanics: Mechanics) -> dict[str, Rows]:
        results = EffortsOfMotion().derive(mechanics)
        for name, function in (('gravity', Gravity()), ('bias', Bias())):
            mechanics.notes.begin(f'{name.capitalize()}. ', f'_{name}')
            results[f'tau_{name}'] = function.derive(mechanics)['tau']
        mechanics.notes.begin('', '_M')
        return {**results, **MassMatrix().derive(mechanics)}

    def expected(self, mechanics: Mechanics) -> Expected:
        """Return nothing: the results are those of other functions."""
        return {}
