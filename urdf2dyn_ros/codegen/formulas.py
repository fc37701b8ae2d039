"""How formulas in generated files write quantities of bodies, after Khalil and Dombre."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from urdf2dyn_ros.robot.joints import JOINTS, Coordinate, Motion
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.multibody import ROOT, Body, Multibody
from urdf2dyn_ros.robot.spatial import AXES, IDENTITY, TENSOR, ZERO, Vector
from urdf2dyn_ros.robot.terms import JointTerm

# ruff: noqa: N802 - symbols are as in the formulas

_MOTION = Motion(*[Vector(1.0, 1.0, 1.0)] * 3)
_COORDINATE = Coordinate(1.0, 1.0, 1.0)


class Tree:
    """A robot as formulas need it: what is by number of a body, from 0; the root is ROOT."""

    def __init__(self, system: Multibody, terms: Mapping[int, Sequence[JointTerm]],
                 loads: Loads, general: bool) -> None:
        self.general = general
        root = Body('', 'revolute', ROOT, IDENTITY, ZERO, attached=system.root)
        self.bodies = {ROOT: root, **dict(enumerate(system.bodies))}
        drivers, links = system.drivers, system.links
        self.drivers = [drivers[body.coordinate] for body in system.bodies]
        self.children: dict[int, list[int]] = {i: [] for i in self.bodies}
        for i, body in enumerate(system.bodies):
            self.children[body.parent].append(i)
        self.terms = terms
        self.with_wrenches = {links[name][0] for name in (
            *loads.external, *(force.link for force in system.forces))}
        self.with_payload = links[loads.payload][0] if loads.payload else None


class Notation:
    """How formulas of body i write what they mention: fields of `str.format_map`."""

    def __init__(self, tree: Tree, i: int, sources: Collection[str] | None = None) -> None:
        # what acts: keys of TERMS, 'links', 'external'; by default all there is
        self._tree, self._i, self._sources = tree, i, sources
        self.body = tree.bodies[i]
        self.joint = JOINTS[self.body.type]
        # numbers as formulas have them, from 1, and 0 for the root: of it, its parent, its driver
        self.n, self.p = i + 1, self.body.parent + 1
        driver = i if i == ROOT else tree.drivers[i]
        self.driver = driver + 1
        self.follows = self.driver != self.n
        # the next joint before, and after this one, that shares its coordinate, if there is one
        same = [k for k, other in enumerate(tree.drivers) if other == driver != ROOT]
        self.before = [k + 1 for k in same if k < i][-1:]
        self.after = [k + 1 for k in same if k > i][:1]
        self.rotated = tree.general or any(self.body.parent_R_joint[k][k] != 1.0 for k in range(3))
        self.turning = bool(self.joint.turns)
        self.terms = {term.NAME: term for term in tree.terms.get(i, ())
                      if sources is None or term.NAME in sources}
        n, p, j = self.n, self.p, 'j' if self.rotated else ''
        # factors: constant rotation to the parent, rotation from the parent to the root frame,
        # multiplier of a mimic joint; its offset, a summand
        self.A = f'A{n} ' if self.rotated else ''
        self.T = f'T{p} ' if p else ''
        named = tree.general and self.follows
        self.multiplier = f'k{n} ' if named or self.body.multiplier != 1.0 else ''
        self.offset = f' + o{n}' if named or self.body.offset != 0.0 else ''
        # in the joint's axes: angular velocity and acceleration of the parent, acceleration and
        # velocity of the joint's origin
        self.wp, self.wdp = (f'{x}j{n}' if j else f'{x}{p}' for x in ('w', 'wd'))
        self.bp, self.vp = f'b{j}{n}', f'v{j or "b"}{n}'
        # the constant with which a term acts on the parent
        self.Ic = ' + '.join(f'{term.COUPLING}{n}' for term in self.terms.values()
                             if term.COUPLING)
        # letter of inertias that include a payload; mass
        self._links = sum(attached.link.inertia is not None for attached in self.body.attached)
        self.t = 't' if i == tree.with_payload else ''
        self.m = f'mt{n}' if self.t else f'M{n}' if self._links > 1 else f'm{n}'

    def __getitem__(self, name: str) -> object:
        return getattr(self, name)

    @cached_property
    def on_parent(self) -> bool:
        """Whether a term changes the moment on the parent."""
        return any(term.on_parent(_MOTION, _COORDINATE) != ZERO for term in self.terms.values())

    @property
    def along(self) -> str:
        return self.joint.formulas['along'].format(n=self.n)

    @property
    def tb(self) -> str:
        return self.along if self._has('links') else f'tb{self.n}'

    @property
    def nj(self) -> str:
        """Moment on the parent, in the joint's axes."""
        return 'nr' if self.on_parent else 'nj'

    @property
    def F(self) -> str:
        """Force that the joint transmits."""
        return self.transmitted('F', 'fp', 'fe')

    @property
    def N(self) -> str:
        """Moment that the joint transmits."""
        return self.transmitted('N', 'np', 'ne')

    @property
    def tau(self) -> str:
        return self.of_coordinate('tau', [self.along, *(f'{name}{self.n}' for name in self.terms)])

    def transmitted(self, own: str, carried: str, external: str = '') -> str:
        """Return the sum of what accelerates a body and its children, without external loads."""
        children = self._tree.children[self._i]
        has_own = self._has('links') and bool(self._links or self.t or not children)
        symbols = [f'{own}{self.n}'] * has_own + [f'{carried}{k + 1}' for k in children]
        pushed = external and self._i in self._tree.with_wrenches and self._has('external')
        return ' + '.join(symbols) + (f' - {external}{self.n}' if pushed else '')

    def of_coordinate(self, symbol: str, parts: Sequence[str], forward: bool = False) -> str:
        """Return the formula of a quantity to which the joints of one coordinate add."""
        if self.follows:
            return (f'{symbol}{self.n}: {symbol} of joint {self.driver}, with what joint {self.n} '
                    'adds to it')
        summed = self.before if forward else self.after
        return f'{symbol}{self.n} = ' + ' + '.join([*(f'{symbol}{k}' for k in summed), *parts])

    def _has(self, source: str) -> bool:
        return self._sources is None or source in self._sources


BACKWARD = 'Backward, tips to root: force f and moment n that each joint transmits'


class Symbol(NamedTuple):
    """A quantity of a body, with the title of the section in which it is computed."""

    section: str
    names: tuple[str, ...]   # of its entries, with {n} for the body's number, {p} for its parent's
    # text with the fields of a `Notation`, or a function of these; by default that of the joint
    formula: str | Callable[[Notation], str] = ''
    where: str = ''   # the field without which there is nothing to say, if there is one
    # key of `JointType.formulas`, which come first; by default the symbol
    of_joint: str = ''


# names of the entries of a vector, a matrix and a symmetric one

def vector(symbol: str) -> tuple[str, ...]:
    return tuple(symbol + '{n}_' + x for x in AXES)


def matrix(symbol: str) -> tuple[str, ...]:
    return tuple(symbol + '{n}_' + x + y for x in AXES for y in AXES)


def tensor(symbol: str) -> tuple[str, ...]:
    return tuple(symbol + '{n}_' + xy for xy in TENSOR)
