"""
Base inertial parameters: as few as possible that the efforts of any motion depend on.

What lies on the axis of a revolute joint, and the second moments of the body of a prismatic one,
have the same effect fixed to the parent, and are regrouped there (Gautier and Khalil 1990).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.inertia import BodyInertia, about_origin, total, transformed
from urdf2dyn_ros.algebra.vectors import IDENTITY, TENSOR, ZERO, Vector, upper
from urdf2dyn_ros.equations.base_columns import Grouping, grouping, with_regrouped
from urdf2dyn_ros.equations.body_inertias import link_inertia
from urdf2dyn_ros.equations.recursion import unnoted
from urdf2dyn_ros.equations.regressor import MASS_ENTRIES
from urdf2dyn_ros.joints.motion import Note
from urdf2dyn_ros.multibody import Attached, Multibody

STANDARD = ('m', 'mx', 'my', 'mz', *(f'I{xy}' for xy in TENSOR))
"""Inertial parameters of a link: mass, mass times centre, inertia about the link's origin."""


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

    @cached_property
    def values(self) -> Array:
        """The parameters of this robot, (b,)."""
        return self.matrix @ self.standard

    @cached_property
    def formulas(self) -> tuple[str, ...]:
        """Each as a sum of the standard parameters of the links, (b,)."""
        names = [f'{name}({link})' for link in self.links for name in STANDARD]
        return tuple(_sum(row, names) for row in self.matrix)


def base_parameters(system: Multibody, gravity: Vector) -> BaseParameters:
    """
    Return the base parameters of a robot whose root is fixed, in the frames of its bodies.

    Gravity [m/s^2] is in the root frame.
    """
    moving = [each for body in system.bodies for each in body.attached]
    groups = grouped(system, gravity)
    return BaseParameters(
        tuple(column.name for column in groups.columns),
        tuple(column.unit for column in groups.columns),
        tuple(each.link.name for each in moving), _matrix(system, groups),
        np.array([_standard(each) for each in moving]).reshape(-1))


def grouped(system: Multibody, gravity: Vector) -> Grouping:
    """Return the columns of the regressor, which do not depend on inertias."""
    def massless(links: Sequence[Attached]) -> tuple[Attached, ...]:
        return tuple(replace(each, link=replace(each.link, inertia=None)) for each in links)

    bodies = tuple(replace(body, attached=massless(body.attached)) for body in system.bodies)
    return grouping(replace(system, bodies=bodies, root=massless(system.root), forces=()), gravity)


def base_values(system: Multibody, inertias: Sequence[BodyInertia | None], groups: Grouping,
                note: Note = unnoted) -> list[Scalar]:
    """
    Return the base parameters of bodies with these second moments, (b,), for any scalar.

    `note` is called with every named quantity.
    """
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
    """Return the matrix from standard parameters to base parameters."""
    links = sum(len(body.attached) for body in system.bodies)
    size = 10 * links
    units = iter(np.eye(size).reshape(links, 10, size))
    inertias = []
    for body in system.bodies:
        parts = []
        for each in body.attached:
            inertia = BodyInertia.of(next(units)).with_second_moments()
            parts.append(transformed(inertia, each.body_R_link, each.body_p_link))
        inertias.append(total(parts))
    result = np.zeros((len(groups.columns), size))
    for row, value in zip(result, base_values(system, inertias, groups)):
        row[:] = value
    return result


def _standard(attached: Attached) -> tuple[float, ...]:
    """Return the standard parameters of a link in its own frame."""
    if attached.link.inertia is None:
        return (0.0,) * 10
    m, h, J = about_origin(link_inertia(replace(attached, body_R_link=IDENTITY,
                                                body_p_link=ZERO)))
    return (m, *h, *upper(J))


def _sum(row: Array, names: Sequence[str]) -> str:
    text = ''
    for k in map(int, np.flatnonzero(row)):
        factor = abs(float(row[k]))
        sign = '-' if row[k] < 0.0 else '+' * bool(text)
        text += f'{" " * bool(text)}{sign}{" " * bool(text)}' + (
            f'{factor:.6g} ' * (factor != 1.0)) + names[k]
    return text
