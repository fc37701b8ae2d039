"""
Inertial parameters of bodies as pseudo-inertias, and the prior that a URDF is of them.

The pseudo-inertia of a body is P = [[S, h], [h', m]], with the second moments
S = trace(J) / 2 1 - J. A body with these parameters exists if and only if P is positive definite
(Wensing, Kim, Slotine 2018).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.algebra.frames import from_rpy
from urdf2dyn_ros.algebra.inertia import NO_INERTIA, about_origin
from urdf2dyn_ros.algebra.vectors import symmetric
from urdf2dyn_ros.equations.body_inertias import body_inertias, link_inertia
from urdf2dyn_ros.multibody import Attached, Multibody
from urdf2dyn_ros.robot_model import Inertia

_LEAST_GYRATION = 0.02
"""Smallest radius of gyration of a prior, about each axis [m]."""

_LIGHT_MASS_SHARE = 0.01
"""Mass of the prior of a body that has none, as a share of the mean of the others."""

_UPPER = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


def _basis() -> Array:
    """Return the pseudo-inertias (10, 4, 4) of the ten parameters."""
    result = np.zeros((10, 4, 4))
    result[0, 3, 3] = 1.0
    for i in range(3):
        result[1 + i, i, 3] = result[1 + i, 3, i] = 1.0
    for number, six in enumerate(np.eye(6).tolist(), start=4):
        tensor: Array = np.array(symmetric(tuple(six)))
        result[number, :3, :3] = 0.5 * np.trace(tensor) * np.eye(3) - tensor
    return result


BASIS = _basis()


def pseudo_inertia(parameters: Array) -> Array:
    """Return the pseudo-inertias (..., 4, 4) of parameters (..., 10)."""
    return np.tensordot(parameters, BASIS, axes=1)


def parameters_of(P: Array) -> Array:
    """Return the parameters (..., 10) of pseudo-inertias (..., 4, 4), symmetric or not."""
    S = P[..., :3, :3]
    J = np.trace(S, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - S
    entries = [J[..., i, j] if i == j else 0.5 * (J[..., i, j] + J[..., j, i])
               for i, j in _UPPER]
    h = [0.5 * (P[..., i, 3] + P[..., 3, i]) for i in range(3)]
    return np.stack([P[..., 3, 3], *h, *entries], axis=-1)


class Prior(NamedTuple):
    """The bodies of a URDF, made possible."""

    nominal: Array   # (b, 10), parameters as they are in the URDF
    parameters: Array   # (b, 10), parameters of bodies that exist
    factors: Array   # (b, 4, 4), lower triangles L with P = L L'
    remarks: tuple[str, ...]   # what was changed, a sentence for each body


def prior_of(system: Multibody) -> Prior:
    """Return the prior of all bodies."""
    nominal = np.array([(each or NO_INERTIA).entries for each in body_inertias(system)[:-1]],
                       dtype=np.float64)
    masses = nominal[:, 0][nominal[:, 0] > 0.0]
    light = _LIGHT_MASS_SHARE * float(masses.mean()) if len(masses) else 1.0
    matrices, remarks = [], []
    for body, row in zip(system.bodies, nominal):
        P, remark = _possible(pseudo_inertia(row), light)
        matrices.append(P)
        if remark:
            remarks.append(f'the body that joint {body.name!r} moves {remark}')
    P = np.array(matrices)
    factors: Array = np.asarray(np.linalg.cholesky(P), dtype=np.float64)
    return Prior(nominal, parameters_of(P), factors, tuple(remarks))


def _possible(P: Array, light: float) -> tuple[Array, str]:
    """Return a pseudo-inertia whose radii of gyration are large enough, and what was changed."""
    mass, remark = P[3, 3], ''
    if mass <= 0.0:
        remark = (f'has no mass in the URDF: it begins with {light:.3g} kg, a hundredth of the '
                  'mean of the others')
        mass = light
        P = np.zeros((4, 4))
    com = P[:3, 3] / mass
    values, axes = np.linalg.eigh(P[:3, :3] - mass * np.outer(com, com))
    if not remark and values[0] < -1e-9 * max(values[2], 1e-9):
        remark = ('is impossible in the URDF (a principal moment exceeds the sum of the other '
                  'two): it begins with the nearest possible one')
    values = np.maximum(values, mass * _LEAST_GYRATION ** 2)
    S = (axes * values) @ axes.T + mass * np.outer(com, com)
    result = np.empty((4, 4))
    result[:3, :3], result[:3, 3], result[3, :3], result[3, 3] = S, mass * com, mass * com, mass
    return result, remark


def link_inertias(attached: Sequence[Attached], before: Array, after: Array) -> dict[str, Inertia]:
    """
    Return the new inertias of the links of a body, by name, in URDF's own terms.

    All links of a body are changed by the one symmetric matrix A for which A P0 A = P, from the
    parameters `before` to those `after` (10,): links that are possible remain so, and their sum is
    the body. Where the URDF has no mass, the first link becomes the body.
    """
    heavy = [each for each in attached if each.link.mass > 0.0]
    if not heavy:
        heavy = list(attached[:1])
        parts = [pseudo_inertia(after)]
    elif len(heavy) == 1:
        parts = [pseudo_inertia(after)]
    else:
        A = _symmetric_map(pseudo_inertia(before), pseudo_inertia(after))
        parts = [A @ pseudo_inertia(np.array(about_origin(link_inertia(each)).entries)) @ A
                 for each in heavy]
    return {each.link.name: _in_link(each, part) for each, part in zip(heavy, parts)}


def _root(P: Array) -> Array:
    values, vectors = np.linalg.eigh(P)
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)


def _symmetric_map(before: Array, after: Array) -> Array:
    """Return the symmetric A with A before A = after."""
    root = _root(before)
    inverse = np.linalg.inv(root)
    return inverse @ _root(root @ after @ root) @ inverse


def placement(each: Attached) -> Array:
    """Return the transformation (4, 4) of points from the link's frame to the body's."""
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = each.body_R_link, each.body_p_link
    return result


def in_link(each: Attached, P: Array) -> Array:
    """Return a pseudo-inertia of the body's frame in the frame of a link."""
    back = np.linalg.inv(placement(each))
    return back @ P @ back.T


def _in_link(each: Attached, P: Array) -> Inertia:
    """Return a pseudo-inertia of the body's frame as the inertia of a link."""
    P = in_link(each, P)
    mass = float(P[3, 3])
    com = P[:3, 3] / mass
    S = P[:3, :3] - mass * np.outer(com, com)
    rpy = each.link.inertia.rpy if each.link.inertia else (0.0, 0.0, 0.0)
    R: Array = np.array(from_rpy(rpy))
    S = R.T @ S @ R
    tensor = np.trace(S) * np.eye(3) - S
    six = [float(0.5 * (tensor[i, j] + tensor[j, i])) for i, j in _UPPER]
    x, y, z = com.tolist()
    return Inertia(mass, (x, y, z), rpy, (six[0], six[1], six[2], six[3], six[4], six[5]))
