"""Names and formulas of what the sweeps make, in the notation of Khalil and Dombre."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from urdf2dyn_ros.algebra.vectors import AXES, IDENTITY, ZERO
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.joints.motion import Coordinate, Motion
from urdf2dyn_ros.loads import TERMS, JointTerm, Loads
from urdf2dyn_ros.multibody import ROOT, Body, Multibody

GIVEN = 'Given: what acts on the links, in their frames'
FORWARD = 'Forward, root to tips: motion of each link, and what accelerates it'
BACKWARD = 'Backward, tips to root: force f and moment n that each joint transmits'
VELOCITIES = 'Forward, root to tips: velocity of each link, and its momentum'
MOMENTA = 'Backward, tips to root: momentum P, angular momentum L of what each joint carries'
CHANGES = 'How the kinetic energy changes with the position of each joint'
COMPOSITE = 'Tips to root: moments of the mass of each link with what it carries'
COLUMNS = 'Columns: force and moment that a unit acceleration of one joint requires'
IN_ROOT = 'In the root frame: where each frame is, and how it moves'


class Symbol(NamedTuple):
    """
    A quantity of a body.

    Attributes
    ----------
    sweep : str
        The section it is made in.
    names : tuple of str
        Names of its entries, with ``{n}`` for the body's number; empty for one without a name.
    formula : str
        What it is; fields as in `Notation.formula`.

    """

    sweep: str
    names: tuple[str, ...]
    formula: str


def _vector(symbol: str) -> tuple[str, ...]:
    return tuple(symbol + '{n}_' + x for x in AXES)


def _matrix(symbol: str) -> tuple[str, ...]:
    return tuple(symbol + '{n}_' + x + y for x in AXES for y in AXES)


SYMBOLS = {
    'It': Symbol(GIVEN, ('mt{n}', *_vector('ht'), *('Jt{n}_' + x for x in (
        'xx', 'xy', 'xz', 'yy', 'yz', 'zz'))),
        'mt{n}, ht{n}, Jt{n}: mass, first moments, inertia of link {n} with its payload'),
    'fe': Symbol(GIVEN, _vector('fe'), 'fe{n}: force of the environment'),
    'ne': Symbol(GIVEN, _vector('ne'), 'ne{n}: its moment about the origin of frame {n}'),
    'q': Symbol(FORWARD, ('q{n}', 'qd{n}', 'qdd{n}'), 'q{n} = {multiplier}q{driver}{offset}'),
    'b': Symbol(FORWARD, _vector('b'), 'b{n} = a{p} + U{p} p{n}'),
    'wj': Symbol(FORWARD, _vector('wj'), "wj{n} = A{n}' w{p}"),
    'wdj': Symbol(FORWARD, _vector('wdj'), "wdj{n} = A{n}' wd{p}"),
    'bj': Symbol(FORWARD, _vector('bj'), "bj{n} = A{n}' b{n}"),
    'R': Symbol(FORWARD, ('c{n}', 's{n}'), 'R{n}: turn about z by q{n}'),
    'w': Symbol(FORWARD, _vector('w'), ''),
    'wd': Symbol(FORWARD, _vector('wd'), ''),
    'a': Symbol(FORWARD, _vector('a'), ''),
    'ww': Symbol(FORWARD, tuple('ww{n}_' + x for x in ('xx', 'yy', 'zz', 'xy', 'xz', 'yz')),
                 "ww{n} = w{n} w{n}'"),
    'U': Symbol(FORWARD, _matrix('U'), 'U{n} = [wd{n}]x + [w{n}]x [w{n}]x'),
    'F': Symbol(FORWARD, _vector('F'), 'F{n} = {m} a{n} + U{n} h{t}{n}'),
    'L': Symbol(FORWARD, _vector('L'), 'L{n} = J{t}{n} w{n}'),
    'N': Symbol(FORWARD, _vector('N'), 'N{n} = J{t}{n} wd{n} + w{n} x L{n} + h{t}{n} x a{n}'),
    'f': Symbol(BACKWARD, _vector('f'), 'f{n} = {F}'),
    'n': Symbol(BACKWARD, _vector('n'), 'n{n} = {N}'),
    'fj': Symbol(BACKWARD, _vector('fj'), ''),
    'nj': Symbol(BACKWARD, _vector('nj'), ''),
    'fp': Symbol(BACKWARD, _vector('fp'), 'fp{n} = {A}fj{n}'),
    'np': Symbol(BACKWARD, _vector('np'), 'np{n} = {A}{nj}{n} + p{n} x fp{n}'),
    **{name: Symbol(BACKWARD, (name + '{n}',), '') for name in TERMS},
    'nr': Symbol(BACKWARD, _vector('nr'), 'nr{n} = nj{n} + Ic{n} (qdd{n} z + {wp} x qd{n} z)'),
    'tau': Symbol(BACKWARD, ('tau{n}',), '{tau}'),
    'part': Symbol(BACKWARD, ('part{n}',), 'part{n}: what the sweep before has not'),
    'Rc': Symbol(COMPOSITE, ('c{n}', 's{n}'), 'R{n}: turn about z by q{n}'),
    'Ic': Symbol(COMPOSITE, ('mc{n}', *_vector('hc'), *('Sc{n}_' + x for x in (
        'xx', 'xy', 'xz', 'yy', 'yz', 'zz'))),
        'mc{n}, hc{n}, Sc{n}: m{n}, h{n}, S{n} and those of what link {n} carries, in frame {n}'),
    'uF': Symbol(COLUMNS, _vector('f'), 'f{n} = mc{n} a{n} + wd{n} x hc{n}'),
    'uN': Symbol(COLUMNS, _vector('n'), 'n{n}: moment of Sc{n}, and hc{n} x a{n}'),
    'ufj': Symbol(COLUMNS, _vector('fj'), ''),
    'unj': Symbol(COLUMNS, _vector('nj'), ''),
    'ufp': Symbol(COLUMNS, _vector('fp'), 'fp{n} = {A}fj{n}'),
    'unr': Symbol(COLUMNS, _vector('nr'), 'nr{n} = nj{n} + Ic{n} z'),
    'unp': Symbol(COLUMNS, _vector('np'), 'np{n} = {A}nj{n} + p{n} x fp{n}'),
    'unpr': Symbol(COLUMNS, _vector('np'), 'np{n} = {A}nr{n} + p{n} x fp{n}'),
    'utau': Symbol(COLUMNS, (), ''),
    'mq': Symbol(VELOCITIES, ('q{n}', 'qd{n}'), 'q{n} = {multiplier}q{driver}{offset}'),
    'mR': Symbol(VELOCITIES, ('c{n}', 's{n}'), 'R{n}: turn about z by q{n}'),
    'mwj': Symbol(VELOCITIES, _vector('wj'), "wj{n} = A{n}' w{p}"),
    'mw': Symbol(VELOCITIES, _vector('w'), ''),
    'mvb': Symbol(VELOCITIES, _vector('vb'), 'vb{n} = v{p} + w{p} x p{n}'),
    'mvj': Symbol(VELOCITIES, _vector('vj'), "vj{n} = A{n}' vb{n}"),
    'mvo': Symbol(VELOCITIES, _vector('v'), ''),
    'mPo': Symbol(VELOCITIES, _vector('Po'), 'Po{n} = {m} v{n} + w{n} x h{t}{n}'),
    'mLo': Symbol(VELOCITIES, _vector('Lo'), 'Lo{n} = J{t}{n} w{n} + h{t}{n} x v{n}'),
    'mP': Symbol(MOMENTA, _vector('P'), 'P{n} = {P}'),
    'mL': Symbol(MOMENTA, _vector('L'), 'L{n} = {L}'),
    'mPj': Symbol(MOMENTA, _vector('Pj'), ''),
    'mLj': Symbol(MOMENTA, _vector('Lj'), ''),
    'mPp': Symbol(MOMENTA, _vector('Pp'), 'Pp{n} = {A}Pj{n}'),
    'mLp': Symbol(MOMENTA, _vector('Lp'), 'Lp{n} = {A}{Lj}{n} + p{n} x Pp{n}'),
    'mrotor': Symbol(MOMENTA, ('Lm{n}',), 'Lm{n}: momentum of the rotor'),
    'mLr': Symbol(MOMENTA, _vector('Lr'), 'Lr{n} = Lj{n} + Ic{n} qd{n} z'),
    'mp': Symbol(MOMENTA, ('pq{n}',), '{pq}'),
    'beta': Symbol(CHANGES, ('beta{n}',), '{beta}'),
    'lnp': Symbol(BACKWARD, _vector('np'), 'np{n} = {A}nj{n} + p{n} x fp{n}'),
    'ltau': Symbol(BACKWARD, ('tau{n}',), '{ltau}'),
    'load': Symbol(BACKWARD, ('load{n}',), '{load}'),
    'T': Symbol(IN_ROOT, _matrix('T'), 'T{n} = {T}{A}R{n}'),
    'r': Symbol(IN_ROOT, _vector('r'), 'r{n} = r{p} + {T}p{n}'),
    'v': Symbol(IN_ROOT, _vector('v'), 'v{n} = v{p} + {T}(w{p} x p{n})'),
    'acc': Symbol(IN_ROOT, _vector('acc'), 'acc{n} = T{n} a{n} + g'),
    'at': Symbol(IN_ROOT, (), 'what is shared by the points fixed to link {n}, and by f{n}, n{n}'),
}


_STIRRED = Motion((1.0, 1.0, 1.0), (1.0, 1.0, 1.0), (1.0, 1.0, 1.0))
_STIR = Coordinate(1.0, 1.0, 1.0)

_OF_A = ('wj', 'wdj', 'bj', 'mwj', 'mvj')   # nothing new where the constant rotation is none


class Notation:
    """Formulas of the bodies of one robot."""

    def __init__(self, system: Multibody, terms: Mapping[int, Sequence[JointTerm]],
                 loads: Loads) -> None:
        root = Body('', 'revolute', ROOT, IDENTITY, ZERO, attached=system.root)
        self._bodies = {ROOT: root, **dict(enumerate(system.bodies))}
        drivers, links = system.drivers, system.links
        self._drivers = [drivers[body.coordinate] + 1 for body in system.bodies]
        self._children: dict[int, list[int]] = {i: [] for i in self._bodies}
        for i, body in enumerate(system.bodies):
            self._children[body.parent].append(i + 1)
        self._terms = terms
        self._pushed = {links[name][0] for name in (
            *loads.external, *(force.link for force in system.forces))}
        self._loaded = links[loads.payload][0] if loads.payload else None

    def formula(self, i: int, symbol: str, acts: Collection[str] | None = None) -> str:
        """Return what a quantity of body i is, as a textbook writes it, if nothing else acts."""
        body, children = self._bodies[i], self._children[i]
        joint = JOINTS[body.type]
        terms = {term.NAME: term for term in self._terms.get(i, ())
                 if acts is None or term.NAME in acts}
        text = (terms[symbol].formula() if symbol in terms else
                joint.formulas.get(symbol.removeprefix('u').removeprefix('m'))
                or SYMBOLS[symbol].formula)
        links = sum(attached.link.inertia is not None for attached in body.attached)
        own = ((links > 0 or not children or i == self._loaded)
               and (acts is None or 'links' in acts))
        turned = any(body.parent_R_joint[k][k] != 1.0 for k in range(3))
        n, p = i + 1, body.parent + 1
        if symbol in _OF_A and not turned:
            return ''
        driver = self._drivers[i] if i != ROOT else n
        spun = any(term.on_parent(_STIRRED, _STIR) != ZERO for term in terms.values())
        if (symbol in ('q', 'mq') and driver == n) or (symbol in ('nr', 'mLr') and not spun):
            return ''   # nothing but itself
        along = joint.formulas['along'].format(n=n)
        loaded = i == self._loaded
        pushed = i in self._pushed and (acts is None or 'external' in acts)
        before, after = self._others(i)
        found = text.format(
            n=n, p=p, driver=driver, t='t' * loaded, nj='nr' if spun else 'nj',
            tau=f'tau{n} = ' + ' + '.join([
                *(f'tau{k}' for k in after), along, *(f'{name}{n}' for name in terms)])
            if driver == n else f'tau{n}: effort of joint {driver}, with what joint {n} adds '
            'to it', ltau=f'tau{n} = ' + ' + '.join([*(f'tau{k}' for k in after), along])
            if driver == n else f'tau{n}: that of joint {driver}, with what joint {n} adds',
            pq=f'pq{n} = ' + ' + '.join([
                *(f'pq{k}' for k in after), joint.formulas['momentum'].format(n=n),
                *(f'Lm{n}' for name in terms if name == 'rotor')])
            if driver == n else f'pq{n}: momentum of joint {driver}, with that of joint {n}',
            load=f'load{n} = ' + ' + '.join([f'tau{n}' if after else along, *(
                f'{name}{n}' for name, term in terms.items() if not term.INERTIAL)])
            if driver == n and not before else
            f'load{n}: that of joint {driver}, with what joint {n} adds',
            beta=f'beta{n} = ' + ' + '.join([
                *(f'beta{k}' for k in before), joint.formulas['change'].format(n=n)])
            if driver == n else f'beta{n}: that of joint {driver}, with what joint {n} adds',
            A=f'A{n} ' if turned else '',
            multiplier='' if body.multiplier == 1.0 else f'k{n} ',
            offset='' if body.offset == 0.0 else f' + o{n}',
            Lj='Lr' if spun else 'Lj', vp=f'vj{n}' if turned else f'vb{n}',
            wp=f'wj{n}' if turned else f'w{p}', wdp=f'wdj{n}' if turned else f'wd{p}',
            bp=f'bj{n}' if turned else f'b{n}', T=f'T{p} ' if p else '',
            m=f'mt{n}' if loaded else f'M{n}' if links > 1 else f'm{n}',
            F=' + '.join([f'F{n}'] * own + [f'fp{k}' for k in children]) + f' - fe{n}' * pushed,
            P=' + '.join([f'Po{n}'] * own + [f'Pp{k}' for k in children]),
            L=' + '.join([f'Lo{n}'] * own + [f'Lp{k}' for k in children]),
            N=' + '.join([f'N{n}'] * own + [f'np{k}' for k in children]) + f' - ne{n}' * pushed,
        ).rstrip().replace('=  - ', '= -')
        return found + ' 1' if found.endswith('=') else found

    def _others(self, i: int) -> tuple[list[int], list[int]]:
        """Return the next joints before and behind body i that share its coordinate, if any."""
        if i == ROOT:
            return [], []
        same = [k for k, driver in enumerate(self._drivers, 1) if driver == self._drivers[i]]
        return [k for k in same if k <= i][-1:], [k for k in same if k > i + 1][:1]


def is_plain(name: str) -> bool:
    """Tell whether a name from the URDF can stand in a comment of any language."""
    return re.fullmatch(r'[A-Za-z0-9_.][A-Za-z0-9_./ -]{0,63}', name) is not None


def mention(name: str) -> str:
    """Return a name for a comment, or nothing: data that is not plain stays in the tables."""
    return f" '{name}'" if is_plain(name) else ''
