"""What a fit needs to know of a robot: its columns, the prior of its bodies, its joints."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.equations.fewest_operations import for_any_inertia
from urdf2dyn_ros.equations.loop_constraints import closed_poses, closed_states
from urdf2dyn_ros.equations.newton_euler import newton_euler
from urdf2dyn_ros.equations.regressor import find_base_parameters, sampled_columns
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.robot.inertia import NO_INERTIA, BodyInertia, about_origin
from urdf2dyn_ros.robot.model import Inertial, RobotModel
from urdf2dyn_ros.robot.multibody import (
    Attached,
    Multibody,
    body_inertias,
    link_inertia,
    make_multibody,
)
from urdf2dyn_ros.robot.rotations import from_rpy
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.robot.terms import SIGN_WIDTHS, Friction

# ---- Columns of a joint's own terms: friction and the rotor
#
# Viscous friction of gears grows less than linearly, so that the quadratic part is often negative.
# Then it must not exceed the linear one: in
#
#     slow qd (1 - |qd| / v) + fast qd |qd| / v
#
# with slow and fast not negative the friction is not negative at any velocity up to v. Where
# viscous friction differs between directions, a third part, also not negative, acts forwards or
# backwards alone.

# Stribeck velocities that are compared, over the width of the sign; the smaller ones also make up
# for a sign that turns over faster than within that width
STRIBECK_VELOCITIES = (2.5, 5.0, 10.0, 20.0)
# unknowns of each joint, after those of bodies: fields of Friction and Rotor
JOINT_COLUMNS = ('viscous', 'coulomb', 'offset', 'armature', 'load', 'quadratic', 'asymmetry',
                 *(f'stribeck_{ratio:g}' for ratio in STRIBECK_VELOCITIES))
VISCOUS, COULOMB, OFFSET, ARMATURE, LOAD, QUADRATIC, ASYMMETRY = range(7)
STRIBECK = range(7, len(JOINT_COLUMNS))   # at most one of them is used
USUAL = slice(ASYMMETRY)   # columns of all joints, the others are chosen where they are needed


def joint_columns(qd: Array, qdd: Array, transmitted: Array, width: float) -> Array:
    """Return the columns (k, c) of a joint, with its width and the effort of its bodies (k,)."""
    sign = np.tanh(qd / width)
    return np.stack((qd, sign, np.ones_like(qd), qdd, sign * np.abs(transmitted),
                     qd * np.abs(qd), sign * qd, *(
                         sign * np.exp(-(qd / (ratio * width)) ** 2)
                         for ratio in STRIBECK_VELOCITIES)), axis=1)


def friction_of(row: Array, width: float) -> Friction:
    """Return the friction of a joint with JOINT_COLUMNS (c,) and a width of SIGN_WIDTHS."""
    viscous, coulomb, offset, _, load, quadratic, asymmetry, *stribeck = row.tolist()
    velocity = width * STRIBECK_VELOCITIES[stribeck.index(max(stribeck))]
    return Friction(viscous, coulomb, 1.0 / width, max(stribeck), velocity ** -2, offset, load,
                    quadratic, asymmetry)


class RowParts(NamedTuple):
    """Views of the rows of a joint (k, 10 b + c + 1), or of their triangle."""

    bodies: Array   # (k, 10 b), columns of its bodies
    own: Array   # (k, c), JOINT_COLUMNS
    effort: Array   # (k,)


def parts_of_rows(rows: Array) -> RowParts:
    """Return what the columns of rows are."""
    own = rows.shape[1] - 1 - len(JOINT_COLUMNS)
    return RowParts(rows[:, :own], rows[:, own:-1], rows[:, -1])


def in_units(rows: Array, factor: float) -> Array:
    """
    Return rows (k, c), or a triangle, whose efforts are multiplied by a factor.

    The effort on which friction with the load depends is in the same units: where a gain turns out
    to be another one, so does what the bodies transmit, and the coefficient stays.
    """
    result = rows.copy()
    parts = parts_of_rows(result)
    parts.effort[:] *= factor
    parts.own[:, LOAD] *= abs(factor)
    return result


def bounded(top_speed: float, direction: float) -> Array:
    """
    Return the matrix (c, c) from unknowns that are not negative to those of JOINT_COLUMNS.

    Without a bound of the velocity there is no quadratic friction, and slow is viscous friction.
    The direction, 1 or -1, is that with more viscous friction.
    """
    result = np.eye(len(JOINT_COLUMNS))
    result[QUADRATIC, VISCOUS] = -1.0 / top_speed
    result[QUADRATIC, QUADRATIC] = 1.0 / top_speed
    result[VISCOUS, ASYMMETRY], result[ASYMMETRY, ASYMMETRY] = 0.5, 0.5 * direction
    return result


def top_speeds(limits: Array, fastest: Array) -> Array:
    """
    Return the velocities (n,) up to which friction is not negative [rad/s or m/s].

    They are the limits, but at most twice the fastest recorded velocities, and at least these.
    """
    speeds: Array = np.maximum(np.minimum(limits, 2.0 * fastest), 1.05 * fastest)
    return np.maximum(speeds, min(SIGN_WIDTHS.values()))


# ---- Columns of the efforts: what each inertial parameter of each body contributes to each joint
#
# The efforts of rigid bodies are linear in mass m, first moments h and inertia J about the body's
# origin (Atkeson, An, Hollerbach 1986).

# inertial parameters of a body: [kg], [kg m], and [kg m^2] about its origin
PARAMETERS = ('m', 'hx', 'hy', 'hz', 'Jxx', 'Jxy', 'Jxz', 'Jyy', 'Jyz', 'Jzz')
_SAMPLES_AT_ONCE = 1024   # more do not fit into the processor's cache


class Columns:
    """The columns of each joint's effort, for gravity (3,) in the root frame [m/s^2]."""

    def __init__(self, system: Multibody, dynamics: InverseDynamics,
                 gravity: Sequence[float]) -> None:
        x, y, z = gravity
        self._system, self._dynamics, self._gravity = system, dynamics, (x, y, z)
        # those without links are between joints in series
        numbers = [number for number, body in enumerate(system.bodies) if body.attached]
        self._numbers = np.array(numbers)
        self._units = [(number, BodyInertia.of(entries))
                       for number in numbers for entries in np.eye(10).tolist()]
        depends: list[set[int]] = [set() for _ in system.joint_names]
        for number in numbers:
            for moved in system.chain(number):
                depends[system.bodies[moved].coordinate].add(number)
        moves: Array = np.eye(len(depends))
        if system.closed_loops:
            q = closed_poses(system, np.full((len(system.actuated), 1), 0.1))
            moves = closed_states(system, q, q, q)[1][..., 0]   # of any motion
        # bodies whose parameters the effort of each joint depends on; ten columns each
        self.bodies = [sorted(set().union(*compress(depends, row))) for row in moves]
        # of each body the joints that move its own one: that joint, or those that close its loop
        self.movers = [np.flatnonzero(moves[:, body.coordinate]) for body in system.bodies]

    def __call__(self, q: Array, qd: Array, qdd: Array) -> list[Array]:
        """Return the columns (k, 10 b) of each joint at positions to accelerations (k, n)."""
        result = [np.zeros((len(q), len(bodies), 10)) for bodies in self.bodies]
        for rows, motion, G in self._motions(q, qd, qdd):
            for body, units, efforts in sampled_columns(self._system, self._units, motion,
                                                        self._gravity):
                bodies, entries = np.divmod(units, 10)
                i = body.coordinate
                for joint in [i] if G is None else np.flatnonzero(G[:, i].any(axis=1)).tolist():
                    places = np.searchsorted(self.bodies[joint], self._numbers[bodies])
                    result[joint][rows][:, places, entries] += (
                        efforts if G is None else G[joint, i][:, None] * efforts)
        return [columns_.reshape(len(q), -1) for columns_ in result]

    def efforts(self, q: Array, qd: Array, qdd: Array, bodies: Array) -> Array:
        """Return the efforts (k, n) of bodies with parameters (b, 10)."""
        result = np.zeros(q.shape)
        inertias = [*map(BodyInertia.of, bodies.tolist()), None]
        for rows, motion, G in self._motions(q, qd, qdd):
            efforts: Array = np.stack([np.broadcast_to(effort, len(motion.T)) for effort in
                newton_euler(self._system, inertias, [*motion], self._gravity).efforts])
            result[rows] = (efforts if G is None else (G * efforts).sum(axis=1)).T
        return result

    def _motions(self, *state: Array) -> Iterator[tuple[slice, Array, Array | None]]:
        """Yield some rows of a state at a time, as (3, n, k), and G of closed loops."""
        for first in range(0, len(state[0]), _SAMPLES_AT_ONCE):
            rows, G = slice(first, first + _SAMPLES_AT_ONCE), None
            motion: Array = np.array([part[rows].T for part in state])
            if self._system.closed_loops:
                motion, G = closed_states(self._system, self._closed(motion[0]), *motion[1:])
            yield rows, motion, G

    def _closed(self, q: Array) -> Array:
        """Return positions (n, k) of all joints of the tree from those of the actuated ones."""
        system, names = self._system, self._dynamics.passive_names
        result = np.zeros((len(system.joint_names), len(q.T)))
        result[[*system.actuated]] = q
        result[[*system.unknown]] = self._dynamics.close(q.T).T[
            [names.index(system.joint_names[k]) for k in system.unknown]]
        return result


# ---- Inertial parameters of bodies as pseudo-inertias, and the prior that a URDF is of them
#
# The pseudo-inertia of a body is P = [[S, h], [h', m]], with the second moments
# S = trace(J) / 2 1 - J. A body with these parameters exists if and only if P is positive definite
# (Wensing, Kim, Slotine 2018).

_LEAST_GYRATION = 0.02   # smallest radius of gyration of a prior, about each axis [m]
# mass of the prior of a body that has none, as a share of the mean of the others
_LIGHT_MASS_SHARE = 0.01
_UPPER = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))

BASIS: Array = np.zeros((10, 4, 4))   # the pseudo-inertias of the ten parameters
BASIS[0, 3, 3] = 1.0
for _i in range(3):
    BASIS[1 + _i, _i, 3] = BASIS[1 + _i, 3, _i] = 1.0
for _k, (_i, _j) in enumerate(_UPPER, start=4):
    BASIS[_k, _i, _j] = BASIS[_k, _j, _i] = -1.0
    BASIS[_k, :3, :3] += 0.5 * (_i == _j) * np.eye(3)


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
    nominal = np.array([(inertia or NO_INERTIA).entries for inertia in body_inertias(system)[:-1]],
                       dtype=np.float64)
    masses = nominal[:, 0][nominal[:, 0] > 0.0]
    light = _LIGHT_MASS_SHARE * float(masses.mean()) if len(masses) else 1.0
    matrices, remarks = [], []
    for body, row in zip(system.bodies, nominal):
        P, remark = _possible(pseudo_inertia(row), light)
        matrices.append(P)
        if remark and body.attached:
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


def link_inertias(attached: Sequence[Attached], before: Array,
                  after: Array) -> dict[str, Inertial]:
    """
    Return the new inertias of the links of a body, by name, in URDF's own terms.

    All links of a body are changed by the one symmetric matrix A for which A P0 A = P, from the
    parameters `before` to those `after` (10,): links that are possible remain so, and their sum is
    the body. Where the URDF has no mass, the first link becomes the body.
    """
    def root(P: Array) -> Array:
        values, vectors = np.linalg.eigh(P)
        return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T)

    heavy = [link for link in attached if link.link.mass > 0.0] or list(attached[:1])
    parts = [pseudo_inertia(after)]
    if len(heavy) > 1:
        B = root(pseudo_inertia(before))
        inverse = np.linalg.inv(B)
        A = inverse @ root(B @ parts[0] @ B) @ inverse
        parts = [A @ pseudo_inertia(np.array(about_origin(link_inertia(link)).entries)) @ A
                 for link in heavy]
    return {link.link.name: _in_link(link, part) for link, part in zip(heavy, parts)}


def place_in_body(each: Attached) -> Array:
    """Return the transformation (4, 4) of points from the link's frame to the body's."""
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = each.body_R_link, each.body_p_link
    return result


def _in_link(each: Attached, P: Array) -> Inertial:
    """Return a pseudo-inertia of the body's frame as the inertia of a link."""
    back = np.linalg.inv(place_in_body(each))
    P = back @ P @ back.T
    mass = float(P[3, 3])
    com = P[:3, 3] / mass
    S = P[:3, :3] - mass * np.outer(com, com)
    rpy = each.link.inertia.rpy if each.link.inertia else (0.0, 0.0, 0.0)
    R: Array = np.array(from_rpy(rpy))
    S = R.T @ S @ R
    tensor = np.trace(S) * np.eye(3) - S
    six = [float(0.5 * (tensor[i, j] + tensor[j, i])) for i, j in _UPPER]
    x, y, z = com.tolist()
    return Inertial(mass, (x, y, z), rpy, (six[0], six[1], six[2], six[3], six[4], six[5]))


# ---- The robot

@dataclass(frozen=True)
class Robot:
    """A robot of n joints that is to be identified."""

    dynamics: InverseDynamics
    system: Multibody
    columns: Columns
    prior: Prior
    urdf_friction: Array   # (n, 2), viscous and Coulomb friction of the URDF
    speed_limits: Array   # (n,) [rad/s or m/s], infinite where there is none
    sign_widths: Array   # (n,), velocities within which Coulomb friction turns over [rad/s or m/s]

    @property
    def model(self) -> RobotModel:
        """The robot's description."""
        return self.dynamics.model

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints, in the order of all vectors."""
        return self.dynamics.joint_names

    @property
    def key(self) -> str:
        """Hash of what columns and prior depend on: summaries of others do not fit."""
        parts = (self.joints, self.dynamics.gravity_vector, self.system.bodies,
                 self.prior.nominal.round(12).tolist())
        return hashlib.sha256(repr(parts).encode()).hexdigest()


def robot_of(dynamics: InverseDynamics) -> Robot:
    """Return the robot of a model with its gravity."""
    model = dynamics.model
    system = make_multibody(model)
    limits = [limit.velocity or np.inf for limit in dynamics.limits]
    return Robot(dynamics, system, Columns(system, dynamics, dynamics.gravity_vector),
                 prior_of(system), joint_friction(model, dynamics),
                 np.array(limits, dtype=np.float64),
                 np.array([SIGN_WIDTHS[unit] for unit in dynamics.units]))


def joint_friction(model: RobotModel, dynamics: InverseDynamics) -> Array:
    """Return viscous and Coulomb friction of the URDF's joints, (n, 2)."""
    joints = {joint.name: joint for joint in model.joints}
    of_joints = map(joints.get, dynamics.joint_names)
    return np.array([(joint.damping, joint.friction) if joint else (0.0, 0.0)
                     for joint in of_joints])


# ---- Base parameters of an identified robot: the combinations that efforts depend on

class BaseEstimates(NamedTuple):
    """Names and units of base parameters (b,), values of URDF and fit, standard deviations."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    urdf: Array
    identified: Array
    deviations: Array


def estimate_base(robot: Robot, bodies: Array, covariance: Array) -> BaseEstimates:
    """Return the base parameters of bodies (k, 10) with a covariance (10 k, 10 k)."""
    base = find_base_parameters(for_any_inertia(robot.system)[0], robot.dynamics.gravity_vector)
    parts = []   # a body is as if it were its first link
    for body in robot.system.bodies:
        if not body.attached:
            parts.append(np.zeros((len(base.names), 10)))
            continue
        first = body.attached[0]
        place = 10 * base.links.index(first.link.name)
        back = np.linalg.inv(place_in_body(first))
        by_parameters = parameters_of(back @ BASIS @ back.T).T
        parts.append(base.matrix[:, place:place + 10] @ by_parameters)
    matrix = np.concatenate(parts, axis=1)
    return BaseEstimates(base.names, base.units, matrix @ robot.prior.nominal.ravel(),
                         matrix @ bodies.ravel(),
                         np.sqrt(np.maximum(np.diag(matrix @ covariance @ matrix.T), 0.0)))
