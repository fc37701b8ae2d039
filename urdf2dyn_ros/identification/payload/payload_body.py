"""
A payload as an additional body, fixed to a link, that is there in some recordings.

Its columns are those of the body that carries it, in the rows of these recordings, and zero in the
others. So the same fit has robot and payload, with friction and rotors in common, and effort per
current as well: with the payload's known mass nothing is left that a factor could change.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import IdentificationError, ParameterError
from urdf2dyn_ros.identification.bodies import parameters_of, placement
from urdf2dyn_ros.identification.fit.joint_columns import JOINT_COLUMNS
from urdf2dyn_ros.identification.fit.pooled_fit import Pool
from urdf2dyn_ros.identification.fit.triangles import triangle
from urdf2dyn_ros.identification.robot import Robot
from urdf2dyn_ros.identification.summary import Summary
from urdf2dyn_ros.multibody import ROOT, Attached
from urdf2dyn_ros.quoting import quote, suggestion

_GYRATION = 0.1
"""Radius of gyration of the prior of a payload, about the origin of its link [m]."""

_PRIOR_MASS_SHARE = 0.05
"""Mass of the prior of a payload, as a share of the robot's, if it is not known."""


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
