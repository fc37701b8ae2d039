"""The generalised momentum and what changes it, for observers of efforts."""

from typing import ClassVar

from urdf2dyn_ros.equations.momentum import MOMENTUM_UNITS, angular_momentum, momentum
from urdf2dyn_ros.equations.recursion import Recursion
from urdf2dyn_ros.functions.efforts import EFFORTS_UNIT
from urdf2dyn_ros.functions.fields import Fields
from urdf2dyn_ros.functions.function import ModelFunction, Rows, by_joint
from urdf2dyn_ros.functions.mechanics import Mechanics
from urdf2dyn_ros.functions.quantity import Quantity
from urdf2dyn_ros.functions.symbol import BACKWARD, Symbol, vector

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
        recursion = Recursion(note=mechanics.recursion.note)
        if not mechanics.textbook:
            recursion = recursion._replace(moment=angular_momentum)
        parts = momentum(
            mechanics.system, mechanics.inertias, mechanics.of_joints('q'),
            mechanics.of_joints('qd'), mechanics.gravity, recursion,
            mechanics.loads())
        return {name: by_joint(entries) for name, entries in parts._asdict().items()}
