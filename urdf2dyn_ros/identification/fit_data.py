"""What is fitted: summaries in units of their gains, own friction, what is held out."""

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.errors import IdentificationError
from urdf2dyn_ros.identification.fit import (
    PRIOR_WEIGHT,
    Fit,
    FitTerms,
    Pool,
    fitted,
    pooled,
    scale_of_efforts,
    scale_of_inertias,
    squares,
    triangle,
    used_terms,
    with_scaled_prior,
)
from urdf2dyn_ros.identification.gains import (
    Gains,
    approximated,
    sign_evidence,
    undetermined_signs,
    with_gains,
)
from urdf2dyn_ros.identification.payload import (
    CarriedPayload,
    check_carried,
    with_payload,
    with_payload_columns,
)
from urdf2dyn_ros.identification.robot import ARMATURE, JOINT_COLUMNS, OFFSET, Robot
from urdf2dyn_ros.identification.summary import Summary, in_other_units
from urdf2dyn_ros.robot.spatial import Array, geometric_mean

# ---- Links and rotors that recordings share, with friction and offsets of each recording its own
#
# Such a fit is that of a robot with a set of joints for each recording, which move the same
# bodies.

def with_joint_sets(robot: Robot, count: int) -> Robot:
    """Return the robot of a fit with several sets of joints."""
    columns = copy.copy(robot.columns)
    columns.bodies = robot.columns.bodies * count
    return replace(robot, columns=columns, urdf_friction=np.tile(robot.urdf_friction, (count, 1)),
                   speed_limits=np.tile(robot.speed_limits, count))


def in_joint_set(summary: Summary, number: int, count: int) -> Summary:
    """Return a summary with rows of its own set of joints alone, of so many sets."""
    def spread(values: Array) -> Array:
        result = np.zeros((count, len(values)))
        result[number] = values
        return result.ravel()

    def pools(some: Sequence[Pool]) -> list[Pool]:
        return [Pool([R if k == number else np.zeros_like(R) for k in range(count)
                      for R in pool.triangles], spread(pool.rows)) for pool in some]

    return summary.with_pools(pools, **{name: spread(getattr(summary, name)) for name in (
        'used', 'fastest', 'correlation', 'joint_seconds')})


def without_friction(pool: Pool) -> Pool:
    """
    Return a pool whose rows have no friction and offset: its own, of any size, is the best one.

    QR decompositions with these columns first leave rows without them, which are those of the
    remaining problem; the columns stay, as zeros.
    """
    triangles = []
    for R in pool.triangles:
        width = len(JOINT_COLUMNS)
        own = len(R) - 1 - width + np.flatnonzero(np.arange(width) != ARMATURE)
        own = own[np.abs(R[:, own]).max(axis=0) > 0.0]
        rest = np.setdiff1d(np.arange(len(R)), own)
        left = np.zeros_like(R)
        ordered = triangle(R[:, np.concatenate((own, rest))])
        left[np.ix_(rest, rest)] = ordered[len(own):, len(own):]
        triangles.append(left)
    return Pool(triangles, pool.rows)


def in_least_residuals(pool: Pool) -> Pool:
    """Return a pool whose efforts and columns are in units of the least residual of any robot."""
    least = [abs(float(R[-1, -1])) / np.sqrt(max(rows, 1.0))
             for R, rows in zip(pool.triangles, pool.rows)]
    return pool._replace(triangles=[R / (size or 1.0) for R, size in zip(pool.triangles, least)])


def last_sets(summaries: Sequence[Summary]) -> NDArray[np.int64]:
    """Return the number (n,) of each joint in its last set that is used."""
    used = np.array([each.used > 0 for each in summaries])
    count, n = used.shape
    last = count - 1 - np.argmax(used[::-1], axis=0)
    result: NDArray[np.int64] = last * n + np.arange(n)
    return result


def of_joints(fit: Fit, chosen: NDArray[np.int64]) -> Fit:
    """Return a fit with the friction and rotors of some of its joints."""
    return fit._replace(joints=fit.joints[chosen], gains=fit.gains[chosen])


# ---- Currents whose sign is not the same in all recordings

# logarithm of the ratio of what the two signs leave, from which on the sign is known
_DECISIVE = 1.0


def signs_fault(robot: Robot, summaries: Sequence[Summary], gains: Gains) -> str:
    """Return which recordings' currents have another sign than those of the others, or nothing."""
    faults = []
    evidence = np.array([[sign_evidence(pool, joint) if gains.free[joint] else 0.0
                          for joint in range(len(robot.joints))]
                         for pool in (pooled(each.weighted) for each in summaries)])
    for joint, column in zip(robot.joints, evidence.T):
        positive, negative = ([each.name for each, value in zip(summaries, sign * column)
                               if value > _DECISIVE] for sign in (1.0, -1.0))
        if positive and negative:
            fewer, more = sorted((negative, positive), key=len)
            faults.append(f'the current of {joint} has another sign in {", ".join(fewer)} than in '
                          f'{", ".join(more)}: change it, or identify without the former')
    return '; '.join(faults)


# ---- What is fitted: a robot and summaries, in units of their gains, with a payload if any

# factor of weights where gains are free, which rest on the URDF's masses
FREE_GAINS_FACTOR = 10.0
# what the other sign of a gain leaves, relative to the first one, from which on it is chosen
_BETTER_SIGN = 0.98
# fits after each of which the priors have the scale that a payload's known mass determines
_PRIOR_SCALINGS = 4


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
        payload=None if payload is None else payload.mass)


# ---- What is held out of the fit in turn, the fits without it, and what they leave of it

FEWEST_RECORDINGS = 3   # recordings from which on they are held out as a whole, not blocks of them


class HeldOutParts(NamedTuple):
    """Parts held out in turn: pools of the fit, and the moving and resting rows of each."""

    seen: list[Pool]
    moving: list[Pool]
    resting: list[Pool]
    name: str

    @property
    def every(self) -> list[Pool]:
        """All rows of each part."""
        return [pooled(pair) for pair in zip(self.moving, self.resting)]


def parts_of(summaries: Sequence[Summary], blocks_only: bool) -> HeldOutParts:
    """Return recordings as parts, or blocks of all if there are few recordings."""
    if len(summaries) >= FEWEST_RECORDINGS and not blocks_only:
        return HeldOutParts([pooled(each.weighted) for each in summaries],
                            [pooled(each.moving) for each in summaries],
                            [pooled(each.resting) for each in summaries], 'recordings')
    lists = [[pooled(pools) for pools in zip(*(getattr(each, name) for each in summaries))]
             for name in ('weighted', 'moving', 'resting')]
    blocks = len(lists[1])
    return HeldOutParts(lists[0][:blocks], lists[1], lists[2], 'blocks')


class Figures(NamedTuple):
    """Root mean squares of parts that were held out."""

    every: Array   # (3, n), residuals of MODELS in all samples
    moving: Array   # (3, n), the same in moving ones
    measured: Array   # (n,), efforts
    spread: Array   # (n,), efforts without their mean in all samples
    spread_moving: Array   # (n,), the same in moving ones

    @property
    def r2(self) -> Array:
        """Coefficients of determination (3, n) of MODELS: all samples."""
        return _determined(self.every, self.spread)

    @property
    def r2_moving(self) -> Array:
        """Coefficients of determination (3, n) of MODELS: moving samples."""
        return _determined(self.moving, self.spread_moving)


def _determined(residuals: Array, spread: Array) -> Array:
    return np.asarray(1.0 - (residuals / np.where(spread > 0.0, spread, np.nan)) ** 2)


def figures_of(robot: Robot, models: Sequence[Sequence[Fit]], every: Sequence[Pool],
               moving: Sequence[Pool], units: Array) -> Figures:
    """
    Return the figures of models, each a fit for each part, in units (n,) of the efforts.

    The parts are all rows, and the moving ones.
    """
    def total(values: Sequence[Array]) -> Array:
        """Return the sum over parts and sets of joints."""
        return np.asarray(np.sum(values, axis=0).reshape(-1, len(robot.joints)).sum(axis=0))

    def roots(pools: Sequence[Pool]) -> Array:
        rows = total([pool.rows for pool in pools])
        sums = [total([squares(fit, pool, robot) for fit, pool in zip(fits, pools)])
                for fits in models]
        return np.asarray(np.sqrt(np.array(sums) / np.where(rows > 0.0, rows, np.nan)) / units)

    def efforts(pools: Sequence[Pool]) -> tuple[Array, Array]:
        """Return root mean squares of efforts, and of efforts without their mean."""
        rows = total([pool.rows for pool in pools])
        count = np.where(rows > 0.0, rows, np.nan)
        square = total([np.array([float(R[:, -1] @ R[:, -1]) for R in pool.triangles])
                        for pool in pools]) / count
        mean = total([np.array([float(R[:, OFFSET - len(JOINT_COLUMNS) - 1] @ R[:, -1])
                                for R in pool.triangles]) for pool in pools]) / count
        return (np.sqrt(square) / units,
                np.sqrt(np.maximum(square - mean ** 2, 0.0)) / units)

    measured, spread = efforts(every)
    return Figures(roots(every), roots(moving), measured, spread, efforts(moving)[1])
