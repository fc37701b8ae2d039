"""The regressor of the inertial parameters, and the base parameters that efforts depend on."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.equations.loop_constraints import closed_poses, closed_states
from urdf2dyn_ros.equations.newton_euler import (
    Sweep,
    in_parent,
    inertial,
    newton_euler,
    second_moment,
    textbook_moment,
    unnoted,
)
from urdf2dyn_ros.robot.inertia import (
    NO_MOMENTS,
    BodyInertia,
    Inertia,
    SecondMoments,
    about_origin,
    second_moments,
    total,
)
from urdf2dyn_ros.robot.joints import JOINTS, Note, Wrench, silent
from urdf2dyn_ros.robot.multibody import ROOT, Attached, Body, Multibody, link_inertia
from urdf2dyn_ros.robot.spatial import (
    AXES,
    IDENTITY,
    SMALLEST_DIVISOR,
    TENSOR,
    ZERO,
    Array,
    Scalar,
    Three,
    Vector,
    upper,
)
from urdf2dyn_ros.text import counted, first_names

# ---- The regressor: the efforts of unit inertial parameters, column by column
#
# Efforts are linear in the inertial parameters of the bodies (Atkeson, An and Hollerbach 1986;
# Khalil and Dombre, Modeling, Identification and Control of Robots, chapter 12). A column is what
# the joints from a body to the root transmit where one parameter of that body is 1 and all others
# are 0. With second moments as parameters, what such a body requires are entries of U and a.

# mass, first moments and second moments of a body about the origin of its frame
MASS_ENTRIES = ('m', *(f'h{x}' for x in AXES), *(f'S{xy}' for xy in TENSOR))


class UnitParameter(NamedTuple):
    """An inertial parameter, in MASS_ENTRIES, of the body with this number."""

    body: int
    entry: str

    @property
    def name(self) -> str:
        return f'{self.entry}{self.body + 1}'

    @property
    def unit(self) -> str:
        return {'m': 'kg', 'h': 'kg m', 'S': 'kg m^2'}[self.entry[0]]


def unit_moments(entry: str) -> SecondMoments:
    """Return the second moments of which one entry is 1."""
    return SecondMoments.of(float(entry == each) for each in MASS_ENTRIES)


def regressor(system: Multibody, columns: Sequence[UnitParameter], sweep: Sweep,
              note: Note = unnoted, begin: Callable[[UnitParameter], None] = lambda column: None,
              ) -> list[list[Scalar]]:
    """Return Y of tau = Y pi by rows, (n, b) [N m or N per unit]; `begin` is told each column."""
    Y: list[list[Scalar]] = [[0.0] * len(columns) for _ in system.joint_names]
    for k, column in enumerate(columns):
        begin(column)
        i = column.body
        wrench = inertial(unit_moments(column.entry), sweep.motions[i], sweep.spins[i],
                          second_moment, partial(note, i))
        while i != ROOT:
            body = system.bodies[i]
            effort, before = JOINTS[body.type].backward(wrench, sweep.coordinates[i],
                                                        partial(note, i))
            row = Y[body.coordinate]
            row[k] = row[k] + body.multiplier * effort
            if body.parent != ROOT:
                wrench = in_parent(body, before, partial(note, i))
            note(i, 'tau', (row[k],))
            i = body.parent
    return Y


def sampled_columns(system: Multibody, units: Sequence[tuple[int, Inertia]], state: Array,
                    gravity: Three) -> Iterator[tuple[Body, list[int], Array]]:
    """
    Yield the columns of the regressor at N instants, from the tips to the root.

    For each column, `units` have the number of a body, and the inertia that it then has; the state
    (3, n, N) is q, qd, qdd of the independent joints, gravity [m/s^2] is in the root frame.
    Yielded are each body, the numbers of the c columns of it and of all that it carries, and what
    each adds to the effort of the body's coordinate, (N, c) [N m or N per unit].
    """
    sweep = newton_euler(system, [None] * (len(system.bodies) + 1), list(state), gravity)
    waiting: dict[int, list[tuple[list[int], Array]]] = {}   # wrenches (6, c, N) at a body
    for i, body in reversed(list(enumerate(system.bodies))):
        own = [k for k, (number, _) in enumerate(units) if number == i]
        rows: Array = np.array([(unit.m, *unit.h, *upper(unit.J)) for number, unit in units
                                if number == i], dtype=np.float64)
        inertias = BodyInertia.of(rows.reshape(-1, 10).T[..., None])   # with entries (c, 1)
        needed = inertial(inertias, sweep.motions[i], sweep.spins[i], textbook_moment, silent)
        parts = [(own, _stacked(needed, (len(own), state.shape[2]))), *waiting.pop(i, [])]
        numbers = [k for part, _ in parts for k in part]
        entries = np.concatenate([each for _, each in parts], axis=1)
        effort, before = JOINTS[body.type].backward(
            Wrench(Vector(*entries[:3]), Vector(*entries[3:])), sweep.coordinates[i], silent)
        shape = entries[0].shape
        yield body, numbers, body.multiplier * np.broadcast_to(effort, shape).T
        if body.parent != ROOT:
            parent_X_joint = _stacked(in_parent(
                body, Wrench(Vector(*np.eye(6)[:3]), Vector(*np.eye(6)[3:])), silent), (6,))
            there = parent_X_joint @ _stacked(before, shape).reshape(6, -1)
            waiting.setdefault(body.parent, []).append((numbers, there.reshape(6, *shape)))


def _stacked(wrenches: Wrench, shape: tuple[int, ...]) -> Array:
    return np.stack([np.broadcast_to(entry, shape) for vector in wrenches for entry in vector])


# ---- The columns of the regressor: as many as its rank, for any motion of a robot
#
# The structure of the joints moves most parameters that have no effect of their own to the parent.
# What further depends on each other, as near the root, behind parallel axes or with mimic joints,
# the regressor itself says at random states: columns that are sums of those before them (Gautier
# 1991).

NEGLIGIBLE_COLUMN = 1e-10   # efforts of a unit parameter that are rounding errors [N m or N]
CLEAR_COLUMN = 1e-4   # efforts above which columns are independent at first sight [N m or N]
ROUNDED_FACTOR = 1e-12   # distance from a whole number below which a factor is that number
_SEED = 20


class Grouping(NamedTuple):
    """Columns of the regressor: a base parameter is the sum of structural ones times factors."""

    columns: tuple[UnitParameter, ...]   # (b,)
    structural: tuple[UnitParameter, ...]   # (s,), which the structure of the joints leaves
    factors: Array   # (b, s)


@lru_cache(maxsize=8)
def _group_columns(system: Multibody, gravity: Three) -> Grouping:
    columns = structural_columns(system)
    Y = _sampled(system, gravity, columns)
    W = Y.reshape(len(Y) * Y.shape[1], len(columns))
    kept, factors = _independent(W, _largest_first(W) if system.closed_loops else _undecided(Y))
    factors.setflags(write=False)
    return Grouping(tuple(columns[k] for k in kept), columns, factors)


def structural_columns(system: Multibody) -> tuple[UnitParameter, ...]:
    """Return the parameters that the structure of the joints does not move to the parent."""
    # those of a body without links, between the coordinates of one joint, come from its children
    rng = np.random.default_rng(_SEED)   # no sum of its entries vanishes
    whole = with_regrouped(system, [SecondMoments.of(rng.uniform(1.0, 2.0, 10).tolist())
                                    if body.attached else None for body in system.bodies])
    return tuple(UnitParameter(i, entry) for i, body in enumerate(system.bodies)
                 for entry, value in zip(MASS_ENTRIES, whole[i].entries) if value != 0.0
                 and JOINTS[body.type].split(unit_moments(entry))[1] != NO_MOMENTS)


def with_regrouped(system: Multibody, inertias: Sequence[Inertia | None],
                   note: Note = unnoted) -> list[SecondMoments]:
    """Return the second moments of every body with what it gets from its children."""
    whole = [moments or NO_MOMENTS for moments in second_moments(inertias[:len(system.bodies)])]
    for i, body in reversed(list(enumerate(system.bodies))):
        note(i, 'base', whole[i].entries)
        if body.parent != ROOT:
            shared, _ = JOINTS[body.type].split(whole[i])
            there = shared.in_frame(body.parent_R_joint, body.parent_p_joint)
            whole[body.parent] = total([whole[body.parent], there]) or NO_MOMENTS
    return whole


def _sampled(system: Multibody, gravity: Three, columns: Sequence[UnitParameter]) -> Array:
    n, several = len(system.joint_names), [0] * len(system.joint_names)
    for column in columns:
        several[system.bodies[column.body].coordinate] += 1
    closes = system.closed_loops is not None
    size = 2 * max([*several, len(columns) // len(system.actuated)] if closes else several,
                   default=0) + 10
    states = np.random.default_rng(_SEED).normal(size=(3, n, size))
    if closes:
        moves, *rates = states[:, [*system.actuated]]
        states, G = closed_states(system, closed_poses(system, 0.5 * moves), *rates)
    result = np.zeros((size, n, len(columns)))
    units = [(column.body, unit_moments(column.entry)) for column in columns]
    for body, numbers, efforts in sampled_columns(system, units, states, gravity):
        result[:, body.coordinate, numbers] += efforts
    return np.einsum('akp,pkc->pac', G, result) if closes else result


def _undecided(Y: Array) -> list[int]:
    """
    Return the columns that may depend on each other.

    One row at a time, from the tips to the root, most of them are found to be independent: where
    the undecided ones so far are independent in that row alone, no sum of them vanishes.
    """
    undecided, has = set(range(Y.shape[2])), np.abs(Y).max(axis=0, initial=0.0) > 0.0
    for row in reversed(range(Y.shape[1])):
        some = [k for k in sorted(undecided) if has[row, k]]
        if 0 < len(some) < len(Y) and (np.linalg.svd(Y[:, row, some], compute_uv=False)[-1]
                                       > CLEAR_COLUMN * np.sqrt(len(Y))):
            undecided.difference_update(some)
    return sorted(undecided)


def _largest_first(W: Array) -> list[int]:
    """Return all columns, each time that with the largest part which those before do not have."""
    rest, order = W.copy(), list[int]()
    while len(order) < W.shape[1]:   # nearly equal columns, as of closed loops, stand last
        sizes = np.linalg.norm(rest, axis=0)
        sizes[order] = -1.0
        order.append(int(sizes.argmax()))
        unit = rest[:, order[-1]] / max(sizes.max(), SMALLEST_DIVISOR)
        rest -= np.outer(unit, unit @ rest)
    return order


def _independent(W: Array, undecided: Sequence[int]) -> tuple[list[int], Array]:
    """Return columns of W that all are sums of, and the factors, (columns that are kept, all)."""
    kept: list[int] = []
    # as many random sums of rows are enough, and quicker
    size = len(undecided) + 10
    mixed = np.random.default_rng(_SEED).normal(size=(size, len(W))) / np.sqrt(len(W) + 1)
    some: Array = mixed @ W[:, undecided]
    Q: Array = np.zeros(some.shape)
    R: Array = np.zeros((len(undecided), len(undecided)))
    for k, column in enumerate(some.T):
        basis, rest = Q[:, :len(kept)], column
        for _ in range(2):   # twice is enough
            shares = basis.T @ rest
            rest = rest - basis @ shares
            R[:len(kept), k] += shares
        length = float(np.linalg.norm(rest))
        if length > NEGLIGIBLE_COLUMN * np.sqrt(size):
            R[len(kept), k] = length
            Q[:, len(kept)] = rest / length
            kept.append(k)
    shares = np.linalg.solve(R[:len(kept), kept], R[:len(kept)])
    whole = np.round(shares)
    shares = np.where(np.abs(shares - whole) < ROUNDED_FACTOR, whole, shares)
    among = [undecided[k] for k in kept]
    result = sorted(set(range(W.shape[1])) - set(undecided) | set(among))
    factors: Array = np.zeros((len(result), W.shape[1]))
    factors[range(len(result)), result] = 1.0
    factors[np.ix_([result.index(k) for k in among], undecided)] = shares
    return result, factors


# ---- Base inertial parameters: as few as possible that the efforts of any motion depend on
#
# What lies on the axis of a revolute joint, and the second moments of the body of a prismatic one,
# have the same effect fixed to the parent, and are regrouped there (Gautier and Khalil 1990).

# of a link: mass, mass times centre, inertia about the link's origin
STANDARD = ('m', 'mx', 'my', 'mz', *(f'I{xy}' for xy in TENSOR))


@dataclass(frozen=True)
class BaseParameters:
    """The parameters pi of tau = Y pi, in the order of the columns of Y."""

    # (b,), parameter and number of the body that the column is of, as Sxx2: mass m, first moments
    # hx hy hz and second moments Sxx .. Szz of body 2 about the origin of its frame, and what is
    # regrouped with it
    names: tuple[str, ...]
    units: tuple[str, ...]   # (b,)
    links: tuple[str, ...]   # (L,), the moving links, those without inertia included
    # (b, 10 L) from the standard parameters of the links to pi: for each link m [kg], m c [kg m],
    # and Ixx Ixy Ixz Iyy Iyz Izz [kg m^2] about the origin of the link's frame, in its axes
    matrix: Array
    standard: Array   # (10 L,), the standard parameters of this robot

    def __repr__(self) -> str:
        return (f'<{type(self).__name__}: {counted(len(self.names), "parameter")} of '
                f'{counted(len(self.links), "link")}: {first_names(self.names, 8)}>')

    @cached_property
    def values(self) -> Array:
        """The parameters of this robot, (b,)."""
        return self.matrix @ self.standard

    @cached_property
    def formulas(self) -> tuple[str, ...]:
        """Each as a sum of the standard parameters of the links, (b,)."""
        names = [f'{name}({link})' for link in self.links for name in STANDARD]
        return tuple(_sum(row, names) for row in self.matrix)


def find_base_parameters(system: Multibody, gravity: Three) -> BaseParameters:
    """Return the base parameters of a robot whose root is fixed, in the frames of its bodies."""
    moving = [attached for body in system.bodies for attached in body.attached]
    groups = group_columns(system, gravity)
    return BaseParameters(
        tuple(column.name for column in groups.columns),
        tuple(column.unit for column in groups.columns),
        tuple(attached.link.name for attached in moving), _matrix(system, groups),
        np.array([(0.0,) * 10 if attached.link.inertia is None else about_origin(link_inertia(
            replace(attached, body_R_link=IDENTITY, body_p_link=ZERO))).entries   # in its frame
                  for attached in moving]).reshape(-1))


def group_columns(system: Multibody, gravity: Three) -> Grouping:
    """Return the columns of the regressor, which do not depend on inertias."""
    def massless(links: Sequence[Attached]) -> tuple[Attached, ...]:
        return tuple(replace(attached, link=replace(attached.link, inertia=None))
                     for attached in links)

    bodies = tuple(replace(body, attached=massless(body.attached)) for body in system.bodies)
    return _group_columns(
        replace(system, bodies=bodies, root=massless(system.root), forces=()), gravity)


def base_values(system: Multibody, inertias: Sequence[Inertia | None], groups: Grouping,
                note: Note = unnoted) -> list[Scalar]:
    """Return the base parameters of bodies, (b,), for any scalar."""
    entries = {(i, entry): value for i, whole in enumerate(with_regrouped(system, inertias, note))
               for entry, value in zip(MASS_ENTRIES, whole.entries)}
    values = []
    for row in groups.factors:
        value: Scalar = 0.0
        for k in np.flatnonzero(row):
            value = value + float(row[k]) * entries[groups.structural[k]]
        values.append(value)
    return values


def _matrix(system: Multibody, groups: Grouping) -> Array:
    links = sum(len(body.attached) for body in system.bodies)
    size = 10 * links
    units = iter(np.eye(size).reshape(links, 10, size))
    inertias = []
    for body in system.bodies:
        parts = []
        for attached in body.attached:
            moments = BodyInertia.of(next(units)).second_moments
            parts.append(moments.in_frame(attached.body_R_link, attached.body_p_link))
        inertias.append(total(parts))
    result = np.zeros((len(groups.columns), size))
    for row, value in zip(result, base_values(system, inertias, groups)):
        row[:] = value
    return result


def _sum(row: Array, names: Sequence[str]) -> str:
    text = ''
    for k in map(int, np.flatnonzero(row)):
        factor = abs(float(row[k]))
        sign = '-' if row[k] < 0.0 else '+' if text else ''
        text += f'{" " * bool(text)}{sign}{" " * bool(text)}' + (
            f'{factor:.6g} ' if factor != 1.0 else '') + names[k]
    return text
