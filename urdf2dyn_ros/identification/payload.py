"""
A payload that the robot carries in some recordings, which its URDF lacks.

It is one more body of the fit. Its columns are those of the body that carries it, in the rows of
the recordings in which it is there, and zero in the others. So the same fit has robot and
payload, with friction and rotors in common, and effort per current as well: with the payload's
known mass nothing is left that a factor could change.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from urdf2dyn_ros.errors import IdentificationError, ParameterError
from urdf2dyn_ros.identification.fit import (
    PRIOR_WEIGHT,
    ConsistentFit,
    Pool,
    PooledFit,
    fitted,
    pooled,
    triangle,
)
from urdf2dyn_ros.identification.gains import Gains, approximated, with_gains
from urdf2dyn_ros.identification.robot import (
    BASIS,
    Robot,
    parameters_of,
    parts_of_rows,
    place_in_body,
    pseudo_inertia,
)
from urdf2dyn_ros.identification.summary import Summary, all_rows, all_terms
from urdf2dyn_ros.robot.multibody import ROOT
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import quote, suggestion

# ---- A payload as an additional body, fixed to a link, that is there in some recordings

_GYRATION = 0.1   # radius of gyration of the prior of a payload, about the origin of its link [m]
_PRIOR_MASS_SHARE = 0.05   # mass of that prior, as a share of the robot's, if it is not known


@dataclass(frozen=True)
class CarriedPayload:
    """A payload, and the recordings of the robot that carries it."""

    link: str   # to which it is fixed
    mass: float   # [kg], NaN if it is not known
    summaries: Sequence[Summary]
    carrier: int   # number of the body that the link is part of
    transformation: Array   # (4, 4) of points from the link's frame to the body's


def payload_on(robot: Robot, link: str, mass: float | None,
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
    return CarriedPayload(link, np.nan if mass is None else mass, summaries, carrier,
                          place_in_body(attached))


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


def payload_pool(robot: Robot, payload: CarriedPayload, pool: Pool, carried: bool) -> Pool:
    """Return a pool with the columns of the payload, zero where it is not carried."""
    triangles = []
    for R, bodies in zip(pool.triangles, robot.columns.bodies):
        if payload.carrier in bodies:
            of_bodies, own, effort = parts_of_rows(R)
            place = 10 * bodies.index(payload.carrier)
            new = of_bodies[:, place:place + 10] * float(carried)
            R = triangle(np.column_stack((of_bodies, new, own, effort)))
        triangles.append(R)
    return pool._replace(triangles=triangles)


# ---- A payload that fits another link than the one that is said to carry it, or other recordings

_BETTER = 1.0   # fall of the logarithm of what a fit leaves, over all joints, for another one


def check_carrier(robot: Robot, summaries: Sequence[Summary], gains: Gains | None,
                  payload: CarriedPayload) -> None:
    """Raise an IdentificationError if another link or other recordings explain far more."""
    used, loaded_used = (np.any([summary.used for summary in group], axis=0)
                         for group in (summaries, payload.summaries))
    without, loaded = all_rows(summaries), all_rows(payload.summaries)
    if gains is not None:
        gains = approximated(robot, pooled([without, loaded]), gains)
        without, loaded = with_gains([without, loaded], gains.values)
    terms = all_terms(robot, [*summaries, *payload.summaries], payload.mass)._replace(free_gains=(
        () if gains is None else tuple(np.flatnonzero(gains.free & (used | loaded_used)))))

    def residual_of(carried: CarriedPayload, without: Pool, loaded: Pool) -> float:
        """Return the logarithm of what a fit leaves of the efforts, sum of the joints."""
        pool = pooled([payload_pool(robot, carried, without, False),
                       payload_pool(robot, carried, loaded, True)])
        fit = fitted(with_payload(robot, carried), pool, terms, PRIOR_WEIGHT)
        return float(np.log(fit.sigma[pool.rows > 0.0]).sum())

    given = residual_of(payload, without, loaded)
    trials = [(residual_of(payload, loaded, without), 'the recordings with and without the '
               'payload look interchanged: check --payload-recording')]
    moved = {number for bodies, flag in zip(robot.columns.bodies, loaded_used) if flag
             for number in bodies}
    for number in sorted(moved - {payload.carrier}):
        link = robot.system.bodies[number].attached[0].link.name
        trials.append((
            residual_of(payload_on(robot, link, payload.mass, payload.summaries), without, loaded),
            f'the payload looks carried by {link}, or what is fixed to it, not by {payload.link}: '
            'check --payload-link'))
    least, fault = min(trials, key=lambda trial: trial[0])
    if given - least > _BETTER:
        factor = float(np.exp((given - least) / np.count_nonzero(used | loaded_used)))
        raise IdentificationError(f'{fault}; then {factor:.2g} times smaller residuals are left '
                                  '(geometric mean of the joints)')


# ---- A payload as it was identified, in the frame of its link, and whether it was determined

# largest standard deviations of a mass that is identified, and of a gain, as shares of them
_MOST_OF_MASS, _MOST_OF_GAIN = 0.3, 0.15


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
        return parameters_of(P)[4:]

    def settings(self) -> Mapping[str, Any]:
        """Return the node's parameters of this payload."""
        return {'payload.link': self.link, 'payload.mass': float(self.parameters[0]),
                'payload.com': [float(entry) for entry in self.centre[0]],
                'payload.inertia': [float(entry) for entry in self.inertia]}


def find_payload(payload: CarriedPayload, result: PooledFit, covariance: Array,
                 gains: Gains) -> IdentifiedPayload:
    """
    Return the payload of a fit, with the covariance (u, u) of its unknowns.

    An IdentificationError if the data determine neither the unknown mass, nor gains by the known
    one.
    """
    mass_known = bool(np.isfinite(payload.mass))
    problem = result.problem
    rows = slice(10 * len(problem.factors) - 10, 10 * len(problem.factors))
    slopes = ConsistentFit(problem).slopes[-1]
    covariance = slopes @ covariance[rows, rows] @ slopes.T
    back = np.linalg.inv(payload.transformation)
    in_link: Array = parameters_of(back @ BASIS @ back.T).T
    estimate = IdentifiedPayload(
        payload.link, tuple(summary.name for summary in payload.summaries), mass_known,
        in_link @ result.fit.bodies[-1], in_link @ covariance @ in_link.T)
    mass, deviation = estimate.parameters[0], estimate.deviations[0]
    if not mass_known and deviation > _MOST_OF_MASS * mass:
        raise IdentificationError(
            f'the payload on {payload.link} is not determined: {mass:.3g} kg with a standard '
            f'deviation of {deviation:.2g} kg; record both with faster motions of the joints that '
            'move it, against gravity where they can, or with a heavier payload')
    best = 100.0 * np.nanmin(gains.deviations, initial=np.inf)
    if mass_known and not best <= 100.0 * _MOST_OF_GAIN:
        raise IdentificationError(
            f'the payload of {payload.mass:g} kg on {payload.link} does not determine the gains: '
            f'the best one has a standard deviation of {best:.0f} %; check that it was carried in '
            f'{", ".join(estimate.recordings)} and in no other recording, or take a heavier one')
    return estimate
