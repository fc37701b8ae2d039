"""
The columns of the regressor: as many as its rank, for any motion of a robot.

The structure of the joints moves most parameters that have no effect of their own to the parent.
What further depends on each other, as near the root, behind parallel axes or with mimic joints,
the regressor itself says at random states: columns that are sums of those before them (Gautier
1991).
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.algebra.inertia import NO_INERTIA, BodyInertia, total, transformed
from urdf2dyn_ros.algebra.vectors import Vector
from urdf2dyn_ros.equations.recursion import unnoted
from urdf2dyn_ros.equations.regressor import (
    MASS_ENTRIES,
    UnitParameter,
    sampled_columns,
    unit_inertia,
)
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.joints.motion import Note
from urdf2dyn_ros.multibody import ROOT, Multibody

NEGLIGIBLE_COLUMN = 1e-10
"""Efforts of a unit parameter that are rounding errors [N m or N]."""

CLEAR_COLUMN = 1e-4
"""Efforts of unit parameters above which their columns are independent at first sight."""

ROUNDED_FACTOR = 1e-12
"""Distance of a factor from a whole number below which it is that number."""

_SEED = 20


class Grouping(NamedTuple):
    """
    Columns of the regressor, (b,), of those that the structure leaves, (s,).

    A base parameter is the sum of the structural ones times its row of the factors, (b, s).
    """

    columns: tuple[UnitParameter, ...]
    structural: tuple[UnitParameter, ...]
    factors: Array


@lru_cache(maxsize=8)
def grouping(system: Multibody, gravity: Vector) -> Grouping:
    """Return the columns for a robot in plain numbers; gravity [m/s^2] is in the root frame."""
    columns = structural_columns(system)
    Y = _sampled(system, gravity, columns)
    rows = len(Y) * len(system.joint_names)
    kept, factors = _independent(Y.reshape(rows, len(columns)), _undecided(Y))
    factors.setflags(write=False)
    return Grouping(tuple(columns[k] for k in kept), columns, factors)


def structural_columns(system: Multibody) -> tuple[UnitParameter, ...]:
    """
    Return the parameters that the structure of the joints does not move to the parent.

    Those of a body without links, between the coordinates of one joint, are what it gets from
    its children.
    """
    rng = np.random.default_rng(_SEED)   # no sum of its entries vanishes
    whole = with_regrouped(system, [BodyInertia.of(rng.uniform(1.0, 2.0, 10).tolist())
                                    if body.attached else None for body in system.bodies])
    return tuple(UnitParameter(i, entry) for i, body in enumerate(system.bodies)
                 for entry, value in zip(MASS_ENTRIES, whole[i].entries) if value != 0.0
                 and JOINTS[body.type].split(unit_inertia(entry))[1] != NO_INERTIA)


def with_regrouped(system: Multibody, inertias: Sequence[BodyInertia | None],
                   note: Note = unnoted) -> list[BodyInertia]:
    """
    Return the inertia of every body with what is regrouped with it from its children.

    Inertias have second moments, of any scalar; `note` is called with every named quantity.
    """
    whole = [inertia or NO_INERTIA for inertia in inertias[:len(system.bodies)]]
    for i, body in reversed(list(enumerate(system.bodies))):
        note(i, 'base', whole[i].entries)
        if body.parent != ROOT:
            shared, _ = JOINTS[body.type].split(whole[i])
            there = transformed(shared, body.parent_R_joint, body.parent_p_joint)
            whole[body.parent] = total([whole[body.parent], there]) or NO_INERTIA
    return whole


def _sampled(system: Multibody, gravity: Vector, columns: Sequence[UnitParameter]) -> Array:
    """Return the regressor at random states, (N, n, columns)."""
    n, several = len(system.joint_names), [0] * len(system.joint_names)
    for column in columns:
        several[system.bodies[column.body].coordinate] += 1
    size = 2 * max(several, default=0) + 10
    states = np.random.default_rng(_SEED).normal(size=(3, n, size))
    result = np.zeros((size, n, len(columns)))
    inertias = [unit_inertia(column.entry) for column in columns]
    units = [(column.body, inertia.with_tensor())
             for column, inertia in zip(columns, inertias)]
    for body, numbers, efforts in sampled_columns(system, units, states, gravity):
        result[:, body.coordinate, numbers] += efforts
    return result


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


def _independent(W: Array, undecided: Sequence[int]) -> tuple[list[int], Array]:
    """
    Return columns of W that all are sums of, and the factors, (columns that are kept, all).

    An undecided column is kept if it is no sum of those before it.
    """
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
    shares = _rounded(np.linalg.solve(R[:len(kept), kept], R[:len(kept)]))
    among = [undecided[k] for k in kept]
    result = sorted(set(range(W.shape[1])) - set(undecided) | set(among))
    factors: Array = np.zeros((len(result), W.shape[1]))
    factors[range(len(result)), result] = 1.0
    factors[np.ix_([result.index(k) for k in among], undecided)] = shares
    return result, factors


def _rounded(factors: NDArray[np.floating]) -> Array:
    whole: Array = np.round(factors)
    return np.where(np.abs(factors - whole) < ROUNDED_FACTOR, whole, factors)
