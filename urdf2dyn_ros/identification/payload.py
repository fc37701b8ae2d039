"""Recordings with a payload: an additional body of the fit, and what is known of it."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from urdf2dyn_ros.errors import IdentificationError, ParameterError
from urdf2dyn_ros.identification.fit import (
    ConsistentFit,
    Deviations,
    Pool,
    PooledFit,
    covariance_of,
    deviations,
    triangle,
)
from urdf2dyn_ros.identification.robot import (
    BASIS,
    JOINT_COLUMNS,
    Robot,
    parameters_of,
    placement,
    pseudo_inertia,
)
from urdf2dyn_ros.identification.summary import Summary
from urdf2dyn_ros.robot.multibody import ROOT, Attached
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import quote, suggestion

# ---- A payload as an additional body, fixed to a link, that is there in some recordings
#
# Its columns are those of the body that carries it, in the rows of these recordings, and zero in
# the others. So the same fit has robot and payload, with friction and rotors in common, and effort
# per current as well: with the payload's known mass nothing is left that a factor could change.

_GYRATION = 0.1   # radius of gyration of the prior of a payload, about the origin of its link [m]
# mass of the prior of a payload, as a share of the robot's, if it is not known
_PRIOR_MASS_SHARE = 0.05


@dataclass(frozen=True)
class CarriedPayload:
    """A payload, and the recordings of the robot that carries it."""

    link: str   # to which it is fixed
    mass: float   # [kg], NaN if it is not known
    summaries: Sequence[Summary]
    carrier: int   # number of the body that the link is part of
    attached: Attached   # the link in that body

    @property
    def transformation(self) -> Array:
        """Transformation (4, 4) of points from the link's frame to the body's."""
        return placement(self.attached)


def payload_on(robot: Robot, link: str, mass: float,
               summaries: Sequence[Summary]) -> CarriedPayload:
    """Return a payload on a link; a ParameterError without such a link, or if it does not move."""
    names = robot.system.links
    if link not in names:
        raise ParameterError(f'--payload-link {link}: the robot has no link {quote(link)}; '
                             f'{suggestion(link, names, search=True)}')
    carrier, attached = robot.system.links[link]
    if carrier == ROOT:
        raise ParameterError(f'--payload-link {link}: no joint moves this link, so that no effort '
                             'depends on what it carries')
    return CarriedPayload(link, mass, summaries, carrier, attached)


def check_carried(robot: Robot, payload: CarriedPayload) -> None:
    """Raise an IdentificationError if no joint that moves the payload is used."""
    carrying = [joint for joint, bodies in zip(robot.joints, robot.columns.bodies)
                if payload.carrier in bodies]
    used = np.any([each.used > 0 for each in payload.summaries], axis=0)
    if not any(flag for joint, flag in zip(robot.joints, used) if joint in carrying):
        raise IdentificationError(
            f'none of the joints that move the payload on {payload.link} ({", ".join(carrying)}) '
            'moves in a payload recording with a measured effort: record a motion of these')


def with_payload(robot: Robot, payload: CarriedPayload) -> Robot:
    """Return a robot whose last body is the payload, which its URDF lacks."""
    columns = copy.copy(robot.columns)
    number = len(robot.prior.factors)
    columns.bodies = [[*bodies, number] if payload.carrier in bodies else bodies
                      for bodies in robot.columns.bodies]
    mass = payload.mass if np.isfinite(payload.mass) else (
        _PRIOR_MASS_SHARE * float(robot.prior.parameters[:, 0].sum()))
    P = mass * np.diag([*(3 * [_GYRATION ** 2]), 1.0])
    P = payload.transformation @ P @ payload.transformation.T
    factor: Array = np.asarray(np.linalg.cholesky(P), dtype=np.float64)
    prior = robot.prior._replace(
        nominal=np.vstack((robot.prior.nominal, np.zeros(10))),
        parameters=np.vstack((robot.prior.parameters, parameters_of(P))),
        factors=np.concatenate((robot.prior.factors, factor[None])))
    return replace(robot, columns=columns, prior=prior)


def with_payload_columns(robot: Robot, payload: CarriedPayload, summary: Summary,
                         carried: bool) -> Summary:
    """Return a summary with the columns of the payload, for the robot before `with_payload`."""
    return summary.with_pools(lambda pools: [payload_pool(robot, payload, pool, carried)
                                             for pool in pools], rows=None)


def payload_pool(robot: Robot, payload: CarriedPayload, pool: Pool, carried: bool) -> Pool:
    """Return a pool with the columns of the payload."""
    return pool._replace(triangles=[
        _wider(R, bodies.index(payload.carrier), carried) if payload.carrier in bodies else R
        for R, bodies in zip(pool.triangles, robot.columns.bodies)])


def _wider(R: Array, place: int, carried: bool) -> Array:
    """Return a triangle with ten more columns of bodies, equal to those of one, or zero."""
    own = R.shape[1] - len(JOINT_COLUMNS) - 1
    new = R[:, 10 * place:10 * place + 10] * float(carried)
    return triangle(np.concatenate((R[:, :own], new, R[:, own:]), axis=1))


# ---- A payload as it was identified, in the frame of its link, and whether it was determined

# mass of the robot over that of its URDF that is plausible; 1.24 for a UR10e that is known
_LARGEST_SCALE = 1.6
# weight of the URDF where what the data alone determine of a scale is judged
_FAINT_WEIGHT = 1e-3
# largest standard deviations of a mass that is identified, and of a gain, as shares of them
_MOST_OF_MASS, _MOST_OF_GAIN = 0.3, 0.1


class IdentifiedPayload(NamedTuple):
    """A payload."""

    link: str
    recordings: tuple[str, ...]   # names of those in which it is carried
    known: bool   # whether its mass was known
    # mass, first moments and inertia about the link's origin, in the link's axes
    parameters: Array   # (10,)
    covariance: Array   # (10, 10)

    @property
    def deviations(self) -> Array:
        """Standard deviations (10,) of the parameters."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def centre(self) -> tuple[Array, Array]:
        """Centre of mass in the link's frame [m] and its standard deviations, (3,) each."""
        mass, centre = self.parameters[0], self.parameters[1:4] / self.parameters[0]
        slopes = np.column_stack((-centre, np.eye(3))) / mass
        return centre, np.sqrt(np.diag(slopes @ self.covariance[:4, :4] @ slopes.T))

    @property
    def inertia(self) -> Array:
        """Inertia (6,) about the centre of mass in the link's axes [kg m^2]."""
        P = pseudo_inertia(self.parameters)
        P[:3, :3] -= np.outer(P[:3, 3], P[:3, 3]) / P[3, 3]
        P[:3, 3] = P[3, :3] = 0.0
        return parameters_of(P)[4:]

    def settings(self) -> Mapping[str, Any]:
        """Return the node's parameters of this payload."""
        return {'payload.link': self.link, 'payload.mass': float(self.parameters[0]),
                'payload.com': [float(each) for each in self.centre[0]],
                'payload.inertia': [float(each) for each in self.inertia]}


def identified_payload(payload: CarriedPayload, result: PooledFit, correlation: Array,
                       errors: Deviations) -> tuple[IdentifiedPayload, Deviations]:
    """
    Return the payload of a fit, and the deviations of the fit with those of gains by the payload.

    An IdentificationError if the data determine neither the unknown mass, nor gains by the known
    one.
    """
    known = bool(np.isfinite(payload.mass))
    problem = result.problem
    if known:   # the URDF's masses must not count for the scale
        result = result._replace(problem=problem._replace(weight=_FAINT_WEIGHT))
        own = deviations(result, correlation)
        errors = errors._replace(gains=own.gains, ratios=own.ratios)
    rows = slice(10 * len(problem.factors) - 10, 10 * len(problem.factors))
    slopes = ConsistentFit(problem).slopes[-1]
    covariance = slopes @ covariance_of(result, correlation)[0][rows, rows] @ slopes.T
    back = np.linalg.inv(payload.transformation)
    in_link: Array = parameters_of(back @ BASIS @ back.T).T
    estimate = IdentifiedPayload(
        payload.link, tuple(each.name for each in payload.summaries), known,
        in_link @ result.fit.bodies[-1], in_link @ covariance @ in_link.T)
    mass, deviation = estimate.parameters[0], estimate.deviations[0]
    if not known and deviation > _MOST_OF_MASS * mass:
        raise IdentificationError(
            f'the payload on {payload.link} is not determined: {mass:.3g} kg with a standard '
            f'deviation of {deviation:.2g} kg; record both with faster motions of the joints that '
            'move it, against gravity where they can, or with a heavier payload')
    if known and not np.nanmin(errors.gains, initial=np.inf) <= _MOST_OF_GAIN:
        best = 100.0 * np.nanmin(errors.gains, initial=np.inf)
        raise IdentificationError(
            f'the payload of {payload.mass:g} kg on {payload.link} does not determine the gains: '
            f'the best one has a standard deviation of {best:.0f} %; check that it was carried in '
            f'{", ".join(estimate.recordings)} and in no other recording, or take a heavier one')
    return estimate, errors


def scale_remark(payload: CarriedPayload, before: Array, after: Array) -> list[str]:
    """Return that a payload's known mass does not fit masses of the URDF and of the fit (b,)."""
    scale = float(after.sum() / before.sum())
    if not np.isfinite(payload.mass) or 1.0 / _LARGEST_SCALE < scale < _LARGEST_SCALE:
        return []
    return [f'with a payload of {payload.mass:g} kg the robot would have {scale:.2g} times the '
            f'mass of its URDF, with {payload.mass / scale:.2g} kg the same: check '
            '--payload-mass, to which all gains are proportional, and the masses of the URDF']
