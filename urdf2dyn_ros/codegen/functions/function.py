"""
What every generated function is: inputs, results, symbols, how it is derived.

In the order in which they are used: the links that a function may be about, results as data, what
formulas mention and what quantities are called, inputs, the robot in one kind of scalar that
functions are derived from (`Mechanics`), and the function (`ModelFunction`).
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import mul
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

from urdf2dyn_ros.equations.fewest_operations import (
    ParallelAxes,
    behind_one_joint,
    fewest_operations,
    parallel_axes,
    parallel_groups,
)
from urdf2dyn_ros.equations.newton_euler import (
    AppliedLoads,
    Recursion,
    Sweep,
    newton_euler,
    textbook_moment,
)
from urdf2dyn_ros.errors import ExportError, ParameterError
from urdf2dyn_ros.robot.inertia import BodyInertia
from urdf2dyn_ros.robot.joints import JOINTS, NO_WRENCH, Coordinate, Motion, Note, Wrench
from urdf2dyn_ros.robot.loads import BodyTerms, Loads, body_terms
from urdf2dyn_ros.robot.multibody import ROOT, Body, LinkWrench, Multibody
from urdf2dyn_ros.robot.spatial import (
    AXES,
    IDENTITY,
    TENSOR,
    ZERO,
    Scalar,
    Triple,
    Vector,
    add,
    apply,
    cross,
)
from urdf2dyn_ros.robot.terms import JointTerm
from urdf2dyn_ros.text import quote

FrameAxes: TypeAlias = Literal['root', 'link']
FRAME_AXES: tuple[FrameAxes, ...] = ('root', 'link')
# the functions that depend on each choice
DEPENDING = {'link': ('forward_kinematics', 'jacobian', 'frame_motion'),
             'axes': ('jacobian', 'frame_motion')}


@dataclass(frozen=True)
class LinkFrames:
    """Links, by default the only tip, and the axes of vectors at their origins."""

    links: tuple[str, ...] = ()   # names from the URDF, of links lumped into a body as well
    axes: FrameAxes = FRAME_AXES[0]   # those of the root, or those of the link itself

    def __post_init__(self) -> None:
        if isinstance(self.links, str):
            object.__setattr__(self, 'links', (self.links,))

    def resolved(self, system: Multibody, options: Collection[str], moving: bool) -> 'LinkFrames':
        """Return the choice with the links of a robot, where functions have such `options`."""
        if self.axes not in FRAME_AXES:
            raise ExportError(f'unknown axes {self.axes!r}; they are: {", ".join(FRAME_AXES)}')
        for option, chosen in (('link', self.links), ('axes', self.axes != FRAME_AXES[0])):
            if chosen and option not in options:
                raise ExportError(f'the model does not depend on a choice of {option}: remove '
                                  f'{option}, or choose one of {", ".join(DEPENDING[option])}')
        if 'link' not in options:
            return self
        links = tuple(self.links) or system.tips
        for link in links:
            if link not in system.links:
                raise ExportError(f'there is no link {link!r}; the links are: '
                                  f'{", ".join(system.links)}')
            if moving and link in system.world:
                raise ExportError(f'link {link!r} is the world, in which the robot floats, or '
                                  'fixed to it: where it is relative to the root is not known')
        if len(set(links)) < len(links):
            raise ExportError(f'a link is named twice: {", ".join(links)}')
        if not self.links and len(links) != 1:
            raise ExportError('choose a link (link=, --link, export.link): the robot has several '
                              f'tips, {", ".join(links)}')
        return LinkFrames(links, self.axes)


ONLY_TIP = LinkFrames()


class Axis(NamedTuple):
    """Meaning of the rows or columns of a result, which for independent joints the robot names."""

    name: str   # a word that identifiers are made of
    keys: tuple[str, ...] = ()
    units: tuple[str, ...] = ()


BY_JOINT = Axis('joint')   # the independent joints, in the order of q

# entries of a force and of a moment
WRENCH = Axis('wrench',
              ('force x', 'force y', 'force z', 'moment x', 'moment y', 'moment z'),
              ('N', 'N', 'N', 'N m', 'N m', 'N m'))


class Quantity(NamedTuple):
    """A result of a function, without its entries."""

    name: str   # valid as an identifier in every language
    summary: str   # what it is, with its unit
    # unit of a joint's effort to the unit of that joint's entry; by default the same
    unit: dict[str, str] | None = None
    rows: Axis = BY_JOINT
    columns: Axis | None = None   # none for a vector
    # the vector that the self-check multiplies a matrix by: an input with an entry a column, or a
    # name of its own
    times: str = ''
    of: tuple[str, str] | None = None   # function and its result with these expected values


def is_plain(name: str) -> bool:
    """Return whether a name from the URDF can stand in a comment of any language."""
    return re.fullmatch(r'[A-Za-z0-9_.][A-Za-z0-9_./ -]{0,63}', name) is not None


def mention(name: str) -> str:
    """Return a name for a comment, or nothing if it is not plain."""
    return f" '{name}'" if is_plain(name) else ''


# ruff: noqa: N802 - symbols are as in the formulas


_MOTION = Motion((1.0, 1.0, 1.0), (1.0, 1.0, 1.0), (1.0, 1.0, 1.0))
_COORDINATE = Coordinate(1.0, 1.0, 1.0)


class Tree:
    """A robot's bodies as formulas need them: their parents, drivers, terms and loads."""

    def __init__(self, system: Multibody, terms: Mapping[int, Sequence[JointTerm]],
                 loads: Loads, general: bool) -> None:
        self.general = general
        root = Body('', 'revolute', ROOT, IDENTITY, ZERO, attached=system.root)
        self.bodies = {ROOT: root, **dict(enumerate(system.bodies))}
        drivers, links = system.drivers, system.links
        self.drivers = [drivers[body.coordinate] + 1 for body in system.bodies]
        self.children: dict[int, list[int]] = {i: [] for i in self.bodies}
        for i, body in enumerate(system.bodies):
            self.children[body.parent].append(i + 1)
        self.terms = terms
        self.with_wrenches = {links[name][0] for name in (
            *loads.external, *(force.link for force in system.forces))}
        self.with_payload = links[loads.payload][0] if loads.payload else None


class Fields:
    """Fields of the formulas of body i, for `str.format_map`: the attributes."""

    def __init__(self, tree: Tree, i: int, sources: Collection[str] | None = None) -> None:
        # what acts: keys of TERMS, 'links', 'external'; by default all there is
        self._tree, self._i, self._sources = tree, i, sources
        self.body = tree.bodies[i]
        self.joint = JOINTS[self.body.type]
        self.n, self.p = i + 1, self.body.parent + 1
        self.driver = self.n if i == ROOT else tree.drivers[i]
        self.follows = self.driver != self.n
        # the next joint before, and after this one, that shares its coordinate, if there is one
        same = [k for k, driver in enumerate(tree.drivers, 1)
                if driver == self.driver and i != ROOT]
        self.before = [k for k in same if k < self.n][-1:]
        self.after = [k for k in same if k > self.n][:1]
        self.rotated = tree.general or any(self.body.parent_R_joint[k][k] != 1.0 for k in range(3))
        self.turning = bool(self.joint.turns)
        self.terms = {term.NAME: term for term in tree.terms.get(i, ())
                      if sources is None or term.NAME in sources}
        n, p, j = self.n, self.p, 'j' * self.rotated
        # factors: constant rotation to the parent, rotation from the parent to the root frame,
        # multiplier of a mimic joint; its offset, a summand
        self.A = f'A{n} ' * self.rotated
        self.T = f'T{p} ' * bool(p)
        named = tree.general and self.follows
        self.multiplier = f'k{n} ' * (named or self.body.multiplier != 1.0)
        self.offset = f' + o{n}' * (named or self.body.offset != 0.0)
        # in the joint's axes: angular velocity and acceleration of the parent, acceleration and
        # velocity of the joint's origin
        self.wp, self.wdp = (f'{x}j{n}' if j else f'{x}{p}' for x in ('w', 'wd'))
        self.bp, self.vp = f'b{j}{n}', f'v{j or "b"}{n}'
        # letter of inertias that include a payload; mass
        self._links = sum(attached.link.inertia is not None for attached in self.body.attached)
        self.t = 't' * (i == tree.with_payload)
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
        symbols = [f'{own}{self.n}'] * has_own + [f'{carried}{k}' for k in children]
        pushed = external and self._i in self._tree.with_wrenches and self._has('external')
        return ' + '.join(symbols) + f' - {external}{self.n}' * bool(pushed)

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
    # text with the fields of `Fields`, or a function of these; by default that of the joint
    formula: str | Callable[[Fields], str] = ''
    where: str = ''   # the field without which there is nothing to say, if there is one


# names of the entries of a vector, a matrix and a symmetric one

def vector(symbol: str) -> tuple[str, ...]:
    return tuple(symbol + '{n}_' + x for x in AXES)


def matrix(symbol: str) -> tuple[str, ...]:
    return tuple(symbol + '{n}_' + x + y for x in AXES for y in AXES)


def tensor(symbol: str) -> tuple[str, ...]:
    return tuple(symbol + '{n}_' + xy for xy in TENSOR)


class Input(NamedTuple):
    """Declaration of an argument of a generated function, a vector."""

    name: str
    entries: tuple[str, ...]   # their names in the statements, in order
    summary: str   # what they are, with units
    of_joints: bool = True   # whether they are those of the independent joints


class JointInput(NamedTuple):
    kind: str   # a word for names of variables
    unit: str   # of an entry, with {unit} and {effort} of its joint
    units: str   # of all


# inputs of the joints by name
JOINT_INPUTS = {
    'q': JointInput('position', '{unit}', '[rad or m]'),
    'qd': JointInput('velocity', '{unit}/s', '[rad/s or m/s]'),
    'qdd': JointInput('acceleration', '{unit}/s^2', '[rad/s^2 or m/s^2]'),
    'tau': JointInput('effort', '{effort}', '[N m or N]'),
}


def inputs_of(system: Multibody, loads: Loads) -> dict[str, Input]:
    """Return q, qd, qdd and tau of a robot, then what varies with its loads, in this order."""
    inputs = [Input(x, tuple(f'{x}{i + 1}' for i in system.drivers), known.units)
              for x, known in JOINT_INPUTS.items()]
    if loads.moving(system):
        inputs.append(Input('base_motion', _of_root('w', 'wd', 'a'), (
            'of the root, in its frame: angular velocity [rad/s], angular acceleration [rad/s^2], '
            'acceleration of the origin minus gravity [m/s^2]'), False))
    if loads.external:
        inputs.append(Input('external', tuple(
            f'{symbol}{k}_{x}' for k in range(1, len(loads.external) + 1)
            for symbol in ('Fe', 'Ne') for x in AXES),
            'for each link that the heading names, force [N] and moment [N m] on it by the '
            'environment, about its origin, in its axes', False))
    if loads.payload:
        inputs.append(Input('payload', ('mp', *(f'cp_{x}' for x in AXES),
                                        *(f'Ip_{xy}' for xy in TENSOR)),
                            'mass [kg], centre of mass [m] in the link, inertia about it '
                            f'[kg m^2]: {", ".join(TENSOR)}', False))
    if loads.moving(system):   # as seen from the world, for links
        inputs += [Input('base_twist', _of_root('v', 'w'), (
            'of the root, in its axes: velocity of the origin [m/s], angular velocity [rad/s]'),
            False), Input('base_acceleration', _of_root('a', 'wd'), (
                'of the root, in its axes: acceleration of the origin [m/s^2], angular '
                'acceleration [rad/s^2]'), False)]
    return {each.name: each for each in inputs}


def _of_root(*symbols: str) -> tuple[str, ...]:
    return tuple(f'{symbol}0_{x}' for symbol in symbols for x in AXES)


def body_wrenches(system: Multibody, wrenches: Iterable[LinkWrench], root_moves: bool,
                  note: Note) -> dict[int, Wrench]:
    """Return the sum of the wrenches on each body, in its frame and about its origin."""
    links = system.links
    by_body: dict[int, list[LinkWrench]] = {}
    for wrench in wrenches:
        i = links[wrench.link][0]
        if (i == ROOT and not root_moves) or wrench.link in system.world:
            continue   # the world holds it
        by_body.setdefault(i, []).append(wrench)
    sums: dict[int, Wrench] = {}
    for i, some in by_body.items():
        total = NO_WRENCH
        for wrench in some:
            at = links[wrench.link][1]
            f = apply(at.body_R_link, wrench.force)
            n = add(apply(at.body_R_link, wrench.moment), cross(at.body_p_link, f))
            total = Wrench(add(total.f, f), add(total.n, n))
        sums[i] = total
        note(i, 'fe', total.f)   # once for a body: a name is that of one number
        note(i, 'ne', total.n)
    return sums


class Notes:
    """The named quantities of a derivation, part by part; on numbers none are kept."""

    def begin(self, section: str = '', tag: str = '', paragraph: str = '',
              sources: Collection[str] | None = None) -> None:
        """Begin a part of the work."""

    def note(self, body: int, symbol: str, entries: tuple[Scalar, ...]) -> None:
        """Note a quantity of a body."""


UNNOTED = Notes()   # keeps none, as on numbers


@dataclass
class Mechanics:
    """A robot in one kind of scalar, numbers or expressions: what functions are derived from."""

    system: Multibody
    gravity: Vector   # [m/s^2], root frame
    inertias: list[BodyInertia | None]   # one per body, then the root's, as `recursion` takes them
    second_moments: list[BodyInertia | None]   # the same with these in the place of the tensors
    recursion: Recursion
    arguments: Mapping[str, Sequence[Scalar]]   # entries of each input
    # system and gravity in plain numbers, with the frames of the bodies that results are in
    numbers: tuple[Multibody, Triple]
    moving: bool = False   # the root moves as the input base_motion says
    terms: BodyTerms = field(default_factory=dict)   # by number of the body, as the wrenches
    wrenches: Mapping[int, Wrench] = field(default_factory=dict)
    notes: Notes = field(default_factory=Notes)
    frames: LinkFrames = ONLY_TIP   # of the links that a function is about
    _sweeps: dict[tuple[str, ...], Sweep] = field(default_factory=dict)

    @property
    def textbook(self) -> bool:
        """Whether formulas are those of a textbook, rather than those of the fewest operations."""
        return self.recursion.moment is textbook_moment

    def base(self, inputs: Collection[str] = ('q', 'qd', 'qdd')) -> Motion | None:
        """Return the motion of a root that moves, with zeros for missing inputs."""
        if not self.moving:
            return None
        e = self.arguments['base_motion']
        return Motion((e[0], e[1], e[2]) if 'qd' in inputs else ZERO,
                      (e[3], e[4], e[5]) if 'qdd' in inputs else ZERO, (e[6], e[7], e[8]))

    def loads(self) -> AppliedLoads:
        return AppliedLoads(self.base(), self.terms, self.wrenches)

    def terms_where(self, name: str = '', inertial: bool = False) -> BodyTerms:
        """Return the terms of a name, or those that depend on accelerations."""
        kept = {i: tuple(term for term in terms if name == term.NAME
                         or (inertial and term.INERTIAL)) for i, terms in self.terms.items()}
        return {i: terms for i, terms in kept.items() if terms}

    def efforts(self, inputs: Collection[str], note: Note | None = None) -> Sweep:
        """Run the recursion for efforts and the root's wrench alone, under all loads."""
        # where it takes fewer operations, joints with parallel axes share their axes
        recursion = self.recursion if note is None else self.recursion._replace(note=note)
        if not self.textbook and not (self.moving and 'qd' in inputs):
            groups = parallel_groups(self.system)
            if 'qd' in inputs:
                groups = behind_one_joint(self.system, groups)
            if groups:
                shared = self.in_parallel_axes(self.inertias, groups)
                return newton_euler(shared.system, shared.inertias, self.state(inputs),
                                    self.gravity, shared.recursion(recursion),
                                    shared.loads(self.loads()))
        return self.sweep(inputs) if note is None else self.sweep_of(self.state(inputs), recursion)

    def in_parallel_axes(self, inertias: Sequence[BodyInertia | None],
                         groups: Sequence[Sequence[int]] | None = None) -> ParallelAxes:
        """Return the robot whose joints share their axes, by default all; a textbook's none."""
        if groups is None:
            groups = [] if self.textbook else parallel_groups(self.system)
        return parallel_axes(self.system, inertias, self.arguments['q'], groups)

    def state(self, inputs: Collection[str]) -> list[Sequence[Scalar]]:
        """Return q, qd and qdd, with zeros in the place of missing inputs."""
        return [self.arguments[x] if x in inputs else [0.0] * len(self.system.joint_names)
                for x in ('q', 'qd', 'qdd')]

    def sweep_of(self, state: Sequence[Sequence[Scalar]], recursion: Recursion | None = None,
                 loads: AppliedLoads | None = None, gravity: Vector | None = None) -> Sweep:
        """Run a recursion in a state, by default this one under all loads."""
        return newton_euler(self.system, self.inertias, state, gravity or self.gravity,
                            recursion or self.recursion, loads or self.loads())

    def sweep(self, inputs: Collection[str]) -> Sweep:
        """Run the recursion, once, with zeros in the place of missing inputs."""
        if tuple(inputs) not in self._sweeps:
            self._sweeps[tuple(inputs)] = self.sweep_of(self.state(inputs))
        return self._sweeps[tuple(inputs)]


Rows = Sequence[Sequence[Scalar]]
Results = dict[str, Sequence[Any]]   # by name: entries of a vector, rows of a matrix

# name of a result to its expected entries; for a matrix those of its product
Expected = dict[str, tuple[float, ...]]


class ModelFunction(ABC):
    """
    One generated function; an instance has no state.

    A new one is a subclass in a file of its own, and a line in FUNCTIONS. It has INPUTS, SUMMARY,
    RESULTS and `derive`; SYMBOLS, if it notes what no other function does. All else is for what is
    unusual.
    """

    INPUTS: ClassVar[tuple[str, ...]]   # names of the inputs of joints that it depends on
    SUMMARY: ClassVar[str]   # what it returns
    RESULTS: ClassVar[tuple[Quantity, ...]]   # all that there can be, in order
    SYMBOLS: ClassVar[Mapping[str, Symbol]] = MappingProxyType({})   # those that it alone notes

    @abstractmethod
    def derive(self, mechanics: Mechanics) -> Results:
        """Return the results that there are, by name and in any order, for any scalar."""

    # words: the summary with loads, if that is more; the title of a program, with the names of
    # functions for their arguments and {results}, by default name and summary; symbols at the
    # beginning of a line of the legend to the lines in the place of it
    SUMMARY_WITH_LOADS: ClassVar[str] = ''
    TITLE: ClassVar[str] = ''
    LEGEND: ClassVar[Mapping[str, str]] = MappingProxyType({})
    # names of the inputs of loads that it depends on, where the program has them
    LOAD_INPUTS: ClassVar[tuple[str, ...]] = ('base_motion', 'external', 'payload')
    # what exists where the base is fixed alone, and why
    FIXED_BASE: ClassVar[tuple[str, str] | None] = None
    # why there must be no friction that depends on the effort that a joint transmits
    NO_LOAD_FRICTION: ClassVar[str] = ''
    # of 'link' and 'axes', those that it depends on: a function about links has some
    OPTIONS: ClassVar[tuple[str, ...]] = ()
    # what the fast style must know: whether `Mechanics.second_moments` are used, the recursion
    # takes the matrices U, terms may share constants as their sum alone is returned
    SECOND_MOMENTS: ClassVar[bool] = False
    SPINS: ClassVar[bool] = True
    MERGED: ClassVar[bool] = True

    @property
    def kinematic(self) -> bool:
        """Whether masses, gravity and loads have no effect."""
        return bool(self.OPTIONS)

    def check(self, system: Multibody, loads: Loads) -> None:
        """Raise a ParameterError for a robot or loads that it does not exist for."""
        if self.FIXED_BASE and loads.moving(system):
            what, why = self.FIXED_BASE
            raise ParameterError(f'{what} is that of a robot whose base is fixed: {why}; set '
                                 "base 'fixed'")
        for i, terms in body_terms(system, loads).items() if self.NO_LOAD_FRICTION else ():
            if any(term.needs_transmitted() for term in terms):
                raise ParameterError(
                    f'the friction of joint {quote(system.bodies[i].name)} depends on the effort '
                    f'that it transmits: {self.NO_LOAD_FRICTION}; set its load to 0')

    def expected(self, mechanics: Mechanics) -> Expected:
        """Return expected results on numbers, by the textbook recursion; of a matrix a product."""
        results = self.derive(mechanics)
        return {each.name: tuple(
            float(sum(map(mul, entry, mechanics.arguments[each.times])) if each.columns else entry)
            for entry in results[each.name])
            for each in self.quantities(mechanics) if each.name in results}

    def quantities(self, mechanics: Mechanics) -> tuple[Quantity, ...]:
        """Return all results that there can be, in order, for a robot and its links."""
        return self.RESULTS

    def constants(self, mechanics: Mechanics) -> Results:
        """Return the results that depend on the robot alone; they are not in `derive`."""
        return {}

    def simplified(self, system: Multibody,
                   moving: bool) -> tuple[Multibody, list[BodyInertia | None]]:
        """Return the robot in the frames of the fast style, and inertias with second moments."""
        return fewest_operations(system, moving)

    def ways(self, system: Multibody) -> Sequence[tuple['ModelFunction', int]]:
        """Return functions with the same results, and operations that waiting in each costs."""
        return ((self, 0),)
