"""What is fitted: a robot and summaries, in units of their gains, with a payload if any."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.algebra.arrays import Array, geometric_mean
from urdf2dyn_ros.errors import IdentificationError
from urdf2dyn_ros.identification.fit.own_friction import (
    in_joint_set,
    last_sets,
    with_joint_sets,
)
from urdf2dyn_ros.identification.fit.payload_term import PayloadTerm
from urdf2dyn_ros.identification.fit.pooled_fit import (
    PRIOR_WEIGHT,
    FitTerms,
    Pool,
    fitted,
    pooled,
    used_terms,
)
from urdf2dyn_ros.identification.fit.prior_scale import (
    scale_of_efforts,
    scale_of_inertias,
    with_scaled_prior,
)
from urdf2dyn_ros.identification.gains import (
    Gains,
    approximated,
    undetermined_signs,
    with_gains,
)
from urdf2dyn_ros.identification.mistakes.gain_signs import signs_fault
from urdf2dyn_ros.identification.payload.payload_body import (
    CarriedPayload,
    check_carried,
    with_payload,
    with_payload_columns,
)
from urdf2dyn_ros.identification.robot import Robot
from urdf2dyn_ros.identification.summary import Summary, in_other_units

FREE_GAINS_FACTOR = 10.0
"""Factor of weights where gains are free, which rest on the URDF's masses."""

_BETTER_SIGN = 0.98
"""What the other sign of a gain leaves, relative to the first one, from which on it is chosen."""

_PRIOR_SCALINGS = 4
"""Fits after each of which the priors have the scale that a payload's known mass determines."""


class FitData(NamedTuple):
    """
    Robot and summaries of a fit, with the payload, in units of the gains.

    If recordings have friction of their own there are several sets of joints, but not in `plain`;
    `last` is the number of each joint in its last set that is used.
    """

    robot: Robot
    summaries: Sequence[Summary]
    validation: Sequence[Summary]
    plain: Sequence[Summary]
    gains: Gains
    last: NDArray[np.int64]

    @property
    def everything(self) -> Pool:
        """All rows of the fit."""
        return _everything(self.summaries)

    @property
    def correlation(self) -> Array:
        """The rows that count as one (n,), the mean over all rows."""
        rows = np.array([each.joint_seconds for each in self.summaries])
        times = np.array([each.correlation for each in self.summaries])
        total = rows.sum(axis=0)
        return np.where(total > 0.0, (rows * times).sum(axis=0) / np.maximum(total, 1e-12), 1.0)


def fit_data(robot: Robot, summaries: Sequence[Summary], validation: Sequence[Summary],
             gains: Gains | None, own_friction: bool, payload: CarriedPayload | None) -> FitData:
    """
    Return robot and summaries as they are fitted.

    An IdentificationError if no joint that moves the payload is used, or signs of currents
    contradict each other.
    """
    if payload is not None:   # first, so that an own friction that is kept is one without it
        check_carried(robot, payload)
        plain = robot
        summaries = [with_payload_columns(plain, payload, each, carried) for some, carried in (
            (payload.summaries, True), (summaries, False)) for each in some]
        validation = [with_payload_columns(plain, payload, each, False) for each in validation]
        robot = with_payload(plain, payload)
    last = last_sets(summaries[:1])
    fault = '' if gains is None else signs_fault(robot, [*summaries, *validation], gains)
    if fault:
        raise IdentificationError(fault)
    robot, gains = _scaled(robot, summaries, gains, payload)
    scaled, checked = ([in_other_units(each, gains.values) for each in some]
                       for some in (summaries, validation))
    if not own_friction:
        return FitData(robot, scaled, checked, scaled, gains, last)
    count = len(scaled)
    in_sets = [in_joint_set(each, number, count) for number, each in enumerate(scaled)]
    return FitData(with_joint_sets(robot, count), in_sets, checked, scaled, gains,
                   last_sets(scaled))


def _scaled(robot: Robot, summaries: Sequence[Summary], gains: Gains | None,
            payload: CarriedPayload | None) -> tuple[Robot, Gains]:
    """
    Return gains in which free ones have the values of a first fit.

    If a payload's mass is known, priors of the robot have the scale that follows from it; if
    nothing is, that with which the robot needs the efforts of its URDF.
    """
    if gains is None:
        return robot, Gains(np.ones(len(robot.joints)), np.zeros(len(robot.joints), dtype=bool))
    everything = _everything(summaries)
    gains = approximated(robot, everything, gains)
    if not gains.free.any():
        return robot, gains
    best = _scaled_from(robot, summaries, everything, gains, payload)
    for joint in undetermined_signs(everything, gains):
        signs = np.where(np.arange(len(gains.values)) == joint, -1.0, 1.0)
        turned = gains._replace(values=signs * gains.values)
        other = _scaled_from(robot, summaries, everything, turned, payload)
        if other.left < _BETTER_SIGN * best.left:
            best, gains = other, turned
    return best.robot, best.gains


class _Scaled(NamedTuple):
    """Robot and gains after first fits, and what these leave of the currents (geometric mean)."""

    robot: Robot
    gains: Gains
    left: float


def _scaled_from(robot: Robot, summaries: Sequence[Summary], everything: Pool, gains: Gains,
                 payload: CarriedPayload | None) -> _Scaled:
    known = payload is not None and bool(np.isfinite(payload.mass))
    moves = everything.rows > 0.0
    left = 0.0
    for _ in range(_PRIOR_SCALINGS if known else 1):
        pool, = with_gains([everything], gains.values)
        first = fitted(robot, pool, all_terms(robot, summaries, gains, payload),
                       PRIOR_WEIGHT * (1.0 if known else FREE_GAINS_FACTOR))
        left = geometric_mean((first.sigma / np.abs(gains.values))[moves])
        gains = gains._replace(values=gains.values / first.fit.gains)
        if known:
            bodies = first.fit.bodies[:-1]
            robot = with_scaled_prior(robot, scale_of_inertias(robot, bodies), len(bodies))
        elif payload is None and gains.free[moves].all():
            pool, = with_gains([everything], gains.values)
            scale = 1.0 / scale_of_efforts(robot, pool, first.fit.bodies)
            gains = gains._replace(values=scale * gains.values)
            robot = with_scaled_prior(robot, scale, len(robot.prior.factors))
    return _Scaled(robot, gains, left)


def _everything(summaries: Sequence[Summary]) -> Pool:
    return pooled([pool for each in summaries for pool in each.weighted])


def all_terms(robot: Robot, summaries: Sequence[Summary], gains: Gains,
              payload: CarriedPayload | None) -> FitTerms:
    """Return all terms of the joints that are used; with one joint, only its own body is free."""
    used = np.any([each.used > 0 for each in summaries], axis=0)
    fastest = np.max([each.fastest for each in summaries], axis=0)
    fixed: tuple[int, ...] = ()
    moving = np.unique(np.flatnonzero(used) % len(robot.joints))
    if len(moving) == 1:
        joint = int(moving[0])
        fixed = tuple(number for number, body in enumerate(robot.system.bodies)
                      if body.coordinate != joint)
    free = tuple(int(joint) for joint in moving if gains.free[joint])
    return used_terms(robot, used, fastest, free)._replace(
        fixed=fixed, sets=len(used) // len(robot.joints),
        payload=None if payload is None else PayloadTerm(payload.mass))
