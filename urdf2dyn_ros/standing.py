"""
Forces of the ground on the feet of a robot that stands still, and whether there are any.

The ground is horizontal under every foot: its normal is opposite to gravity. Forces at points
balance the wrench that the robot needs at its root. Those of least norm are taken where they push
and do not slip; else the least ones that are sums, with factors that are not negative, of eight
edges of a friction cone at each point (Lawson and Hanson 1974, non-negative least squares).
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.optimize import nnls

from urdf2dyn_ros.errors import BalanceError, ParameterError
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import counted

Feet: TypeAlias = Sequence[str] | Mapping[str, tuple[float, float] | None]

FRICTION = 0.6   # [-], of the ground by default
_CORNERS = ((0.5, 0.5), (0.5, -0.5), (-0.5, -0.5), (-0.5, 0.5))   # of a sole, by its sides
_BALANCED = 1e-11   # share of the wrench that may be left
_SMALL = 1e-6   # weight of the forces beside the balance
_TIPPING = 1e-6   # [m], below which the centre of pressure is on the edge
_ON_EDGE = 1e-6   # share of the weight from which on a point is on that edge
_MOST_FRICTION = 10.0   # [-], up to which what would be enough is searched


class Standing(NamedTuple):
    """
    How a robot stands.

    Attributes
    ----------
    efforts : ndarray, (n,)
        Efforts of the joints [N m or N].
    wrenches : dict from str to ndarray, (6,)
        Force [N] of the ground on each foot, and its moment [N m] about the foot's origin, in the
        axes of the root; the moment of a foot that is a point is zero.
    normal, tangential : dict from str to float
        Parts of these forces against gravity, and along the ground [N].

    """

    efforts: Array
    wrenches: dict[str, Array]
    normal: dict[str, float]
    tangential: dict[str, float]


class ContactPoint(NamedTuple):
    """A point at which the ground may push: of a foot, and in the root frame [m]."""

    foot: str
    at: Array


def contact_points(poses: Mapping[str, tuple[Array, Array]], feet: Feet) -> list[ContactPoint]:
    """Return the origin of each foot, or the corners of its sole about it, from root_R_foot, p."""
    soles = feet if isinstance(feet, Mapping) else dict.fromkeys(feet)
    points = []
    for foot, (R, p) in poses.items():
        sole = soles[foot]
        if sole is not None and not (
                np.shape(sole) == (2,) and 0.0 < min(sole) <= max(sole) < np.inf):
            raise ParameterError(f'the sole of foot {foot!r} is {sole!r}: it must be None for a '
                                 'point, or length along x and width along y [m]')
        length, width = sole or (0.0, 0.0)
        for x, y in _CORNERS if sole else _CORNERS[:1]:
            points.append(ContactPoint(foot, p + R @ (x * length, y * width, 0.0)))
    return points


def ground_forces(points: Sequence[ContactPoint], wrench: Array, up: Array, mu: float) -> Array:
    """
    Return the forces at points, (k, 3) [N], whose sum is a wrench (6,) about the root's origin.

    All is in the axes of the root; `up` is the normal of the ground. A BalanceError says why there
    are none.
    """
    if not 0.0 < mu < np.inf:
        raise ParameterError(f'mu is {mu}: friction of the ground must be positive')
    places = np.array([point.at for point in points])
    centre = places.mean(axis=0)
    arms = places - centre
    size = max(float(np.abs(arms).max()), 1e-3)
    moment = wrench[3:] - np.cross(centre, wrench[:3])
    need = np.concatenate((wrench[:3], moment / size))
    # columns: the wrench of each component of each force
    columns = np.array([np.concatenate((axis, np.cross(arm, axis) / size))
                        for arm in arms for axis in np.eye(3)]).T
    enough = _BALANCED * float(np.linalg.norm(need))
    forces = np.linalg.lstsq(columns, need, rcond=1e-12)[0]
    normal = forces.reshape(-1, 3) @ up
    along = np.linalg.norm(forces.reshape(-1, 3) - np.outer(normal, up), axis=1)
    if np.linalg.norm(columns @ forces - need) <= enough and (along <= mu * normal).all():
        return np.asarray(forces.reshape(-1, 3), np.float64)
    across = np.linalg.svd(up[None])[2][1:]   # two axes along the ground
    cones = _cones(len(points), up, across, mu)
    factors, left = nnls(columns @ cones, need)
    if left > enough:
        raise BalanceError(_reason(points, arms, wrench[:3], moment, up, across) or _slip(
            columns, need, enough, up, across, mu))
    least, _ = nnls(np.vstack((columns @ cones, _SMALL * cones)),
                    np.concatenate((need, np.zeros(len(cones)))))
    used = least > 0.0   # what the weight of the forces leaves of the balance is added to these
    active = (columns @ cones)[:, used]
    least[used] += np.linalg.lstsq(active, need - active @ least[used], rcond=1e-12)[0]
    if (least >= 0.0).all() and np.linalg.norm(columns @ cones @ least - need) <= enough:
        factors = least
    return np.asarray((cones @ factors).reshape(-1, 3), np.float64)


def _cones(count: int, up: Array, across: Array, mu: float) -> Array:
    """Return eight edges of a friction cone at each point, as columns of all forces."""
    angles = np.arange(8) * (np.pi / 4)
    edges = up + mu * (np.outer(np.cos(angles), across[0]) + np.outer(np.sin(angles), across[1]))
    return np.asarray(np.kron(np.eye(count), edges.T), np.float64)


def _reason(points: Sequence[ContactPoint], arms: Array, force: Array, moment: Array, up: Array,
            across: Array) -> str:
    """Return over which edge it tips, if the centre of pressure is beyond the points."""
    weight = float(force @ up)
    if weight <= 0.0:
        return 'the ground would have to pull it down'
    pressure = across @ np.cross(up, moment) / weight
    on_ground = arms @ across.T
    heavy = 1e4 * max(float(np.abs(pressure).max()), float(np.abs(on_ground).max()))
    shares, _ = nnls(np.vstack((on_ground.T, np.full(len(points), heavy))), [*pressure, heavy])
    beyond = float(np.linalg.norm(on_ground.T @ shares - pressure))
    if beyond <= _TIPPING:
        return ''
    on = [point.foot for point, share in zip(points, shares) if share > _ON_EDGE]
    foot, *others = dict.fromkeys(on)
    place = (f'the edge {foot} to {others[0]}' if others else f'the edge of {foot}' if on[1:] else
             f'a corner of {foot}' if [each.foot for each in points].count(foot) > 1 else foot)
    return f'it would tip over {place} by {beyond:.3g} m'


def _slip(columns: Array, need: Array, enough: float, up: Array, across: Array,
          mu: float) -> str:
    count = columns.shape[1] // 3
    least, most = mu, _MOST_FRICTION
    if nnls(columns @ _cones(count, up, across, most), need)[1] > enough:
        return f'{counted(count, "point")} of contact cannot balance it with any friction'
    while most - least > 1e-3 * most:
        middle = 0.5 * (least + most)
        slips = nnls(columns @ _cones(count, up, across, middle), need)[1] > enough
        least, most = (middle, most) if slips else (least, middle)
    return f'its feet would slip: mu {mu:g} is too little, {most:.3g} is enough'
