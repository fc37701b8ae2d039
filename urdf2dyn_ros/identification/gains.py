"""
Gains of currents: the effort of each joint per recorded unit [N m/A or N/A], known or free.

Summaries have efforts as they were recorded, so that gains are chosen where they are fitted. Free
ones are fitted first, to rows without friction, and then as good as known. A robot with twice the
masses and gains has the same currents: these determine free gains up to a common factor, which is
that of the URDF's masses unless something else fixes it, as a joint whose gain is known, or a
payload of known mass.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.identification.fit import Pool, PooledFit, covariance_of
from urdf2dyn_ros.identification.robot import (
    COULOMB,
    OFFSET,
    VISCOUS,
    Robot,
    in_units,
    parts_of_rows,
    pseudo_inertia,
)
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import quote, suggestion

FREE = 'free'
# least share of the effort that the bodies have in the approximation of a free gain
_LEAST_SHARE = 0.1
# logarithm of the ratio of the residuals of both signs from which on friction determines one
DECISIVE = 0.3
_LEAST_LEFT = 1e-3   # share of a current below which what is left of it is noise


class Gains(NamedTuple):
    """Gains of all joints."""

    # (n,) [N m/A or N/A], or 1 where efforts are recorded; approximations where they are free
    values: Array
    free: NDArray[np.bool_]   # (n,)
    # (n,), standard deviations of the logarithms of free ones; empty before they are identified
    deviations: Array = np.zeros(0)
    # (n,), the same of their ratios to the mean of all, weighted by what is known of each
    ratios: Array = np.zeros(0)


def known_gains(joints: int) -> Gains:
    """Return the gains of efforts that are recorded themselves."""
    return Gains(np.ones(joints), np.zeros(joints, dtype=bool))


def free_gains(gains: Gains | None, joints: int) -> NDArray[np.bool_]:
    """Return which gains are free (n,): none where efforts are recorded."""
    return np.zeros(joints, dtype=bool) if gains is None else gains.free


def read_gains(words: Sequence[str], joints: Sequence[str]) -> Gains:
    """
    Return the gains that words mean: one number, one for each joint, free, or JOINT=VALUE.

    A ParameterError for a word that is none of these, or a joint without a gain.
    """
    values: dict[str, float] = {}
    numbers: list[float] = []
    for word in words:
        name, sign, text = word.rpartition('=')
        if sign and name not in joints:
            raise ParameterError(f'--gains {word}: the robot has no joint {quote(name)}; '
                                 f'{suggestion(name, joints, search=True)}')
        if name in values:
            raise ParameterError(f'--gains {word}: there are two gains of {name}: remove one')
        value = _number(word, text)
        if sign:
            values[name] = value
        else:
            numbers.append(value)
    if len(numbers) not in ((0, 1) if values else (1, len(joints))):
        raise ParameterError(
            f'--gains: there are {len(numbers)} without a name, but there must be one for all '
            f'joints or one for each of {len(joints)}; with JOINT=VALUE, at most one for the '
            'other joints')
    rest = dict(zip(joints, numbers if len(numbers) > 1 else numbers * len(joints)))
    every = {**rest, **values}
    missing = [name for name in joints if name not in every]
    if missing:
        raise ParameterError(f'--gains: no gain of {", ".join(missing)}: add JOINT=VALUE, or free '
                             'for all others')
    result = np.array([every[name] for name in joints])
    return Gains(np.where(np.isnan(result), 1.0, result), np.isnan(result))


def _number(word: str, text: str) -> float:
    """Return a gain, NaN for a free one."""
    if text == FREE:
        return math.nan
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value == 0.0:
        raise ParameterError(f'--gains {word}: {quote(text)} is no gain: it must be a finite '
                             f'number other than zero [N m/A or N/A], or free')
    return value


def approximated(robot: Robot, pool: Pool, gains: Gains) -> Gains:
    """
    Return gains with approximations of the free ones, from triangles of recorded units.

    A current is fitted by the effort of the URDF's bodies and friction. Its sign is that with
    which friction brakes; where there is hardly any, that with which both are positive: a motor
    may be mounted in the other direction.
    """
    values = gains.values.copy()
    for j in np.flatnonzero(gains.free).tolist():
        of_bodies, own, current = parts_of_rows(pool.triangles[j])
        nominal = of_bodies @ robot.prior.parameters[robot.columns.bodies[j]].ravel()
        columns = np.column_stack((nominal, own[:, [VISCOUS, COULOMB, OFFSET]]))
        sizes = np.linalg.norm(columns, axis=0)
        if sizes[0] <= 0.0 or not current.any():
            continue
        x = np.linalg.lstsq(columns, current, rcond=None)[0]
        sign = sign_evidence(pool, j)
        if abs(sign) < DECISIVE:
            sign = float(x[:3] @ sizes[:3])
        most = float(np.linalg.norm(current) / sizes[0])
        size = min(max(math.copysign(1.0, sign) * float(x[0]), _LEAST_SHARE * most), most)
        values[j] = math.copysign(1.0 / size, sign)
    return Gains(values, gains.free)


def sign_evidence(pool: Pool, joint: int) -> float:
    """
    Return how much more a negative gain leaves of a current than a positive one, as a logarithm.

    It is positive if friction brakes with a positive gain, whatever the bodies are: their columns
    are removed.
    """
    from scipy.optimize import nnls

    bodies, own, current = parts_of_rows(pool.triangles[joint])
    removed = np.column_stack((bodies, own[:, OFFSET]))
    sizes = np.linalg.norm(removed, axis=0)
    removed /= np.where(sizes > 0.0, sizes, 1.0)
    columns = np.column_stack((own[:, [VISCOUS, COULOMB]], current))
    columns = columns - removed @ np.linalg.lstsq(removed, columns, rcond=1e-9)[0]
    sizes = np.linalg.norm(columns, axis=0)
    if not sizes.all():
        return 0.0
    columns /= sizes
    residuals = [math.log(max(nnls(columns[:, :2], sign * columns[:, 2])[1] ** 2, _LEAST_LEFT))
                 for sign in (1.0, -1.0)]
    return residuals[1] - residuals[0]


def with_gains(pools: Sequence[Pool], values: Array) -> list[Pool]:
    """Return pools of recorded units in the units of gains (n,)."""
    return [Pool([in_units(R, value) for R, value in zip(pool.triangles, values)], pool.rows)
            for pool in pools]


# ---- The scale of the bodies' priors, which no current determines where all gains are free

def scale_of_inertias(robot: Robot, bodies: Array) -> float:
    """Return the factor with which the priors are closest to the bodies (b, 10) of a fit."""
    before, after = (pseudo_inertia(parameters) for parameters in (
        robot.prior.parameters[:len(bodies)], bodies))
    return float(np.trace(np.linalg.solve(before, after), axis1=1, axis2=2).mean()) / 4.0


def ratios_of_efforts(robot: Robot, pool: Pool, bodies: Array) -> tuple[Array, Array]:
    """
    Return the efforts (n,) that the bodies (b, 10) of a fit need, over those of the URDF's.

    These are as they are, or made possible where they are too small: those which are nearer count.
    Second, the share (n,) that bodies have of the squared effort.
    """
    ratios, weights = np.ones(len(pool.triangles)), np.zeros(len(pool.triangles))
    for j, (R, numbers) in enumerate(zip(pool.triangles, robot.columns.bodies)):
        of_bodies, _, effort = parts_of_rows(R)
        identified, *priors = (of_bodies @ parameters[numbers].ravel() for parameters in (
            bodies, robot.prior.parameters, robot.prior.nominal))
        found = [float(prior @ identified) / squares for prior in priors
                 if (squares := float(prior @ prior)) > 0.0]
        if found:
            ratios[j] = min(found, key=lambda ratio: abs(np.log(max(ratio, 1e-9))))
            weights[j] = min(1.0, float(identified @ identified)
                             / max(float(effort @ effort), 1e-300))
    return ratios, weights


def scale_of_efforts(robot: Robot, pool: Pool, bodies: Array) -> float:
    """
    Return the median of the ratios of efforts, each with the weight of the bodies' share.

    So gravity and the large inertias count, which the URDF has best, and not the inertias of a
    wrist, which are several times as large with the rotors that it lacks.
    """
    ratios, weights = ratios_of_efforts(robot, pool, bodies)
    order = np.argsort(ratios)
    total = np.cumsum(np.where(ratios > 0.0, weights, 0.0)[order])
    return float(ratios[order][np.searchsorted(total, 0.5 * total[-1])]) if total[-1] else 1.0


def with_scaled_prior(robot: Robot, factor: float, count: int) -> Robot:
    """Return a robot in which the priors of the first bodies are multiplied by a factor."""
    scale = np.where(np.arange(len(robot.prior.factors)) < count, factor, 1.0)
    return replace(robot, prior=robot.prior._replace(
        parameters=robot.prior.parameters * scale[:, None],
        factors=robot.prior.factors * np.sqrt(scale)[:, None, None]))


def deviations_of_gains(result: PooledFit, correlation: Array) -> tuple[Array, Array]:
    """Return the deviations (n,) of the logarithms of free gains, and of their ratios."""
    gains, ratios = np.full((2, len(result.fit.gains)), np.nan)
    free = list(result.problem.terms.free_gains)
    places = slice(len(result.fit.unknowns) - len(free), None)   # the last ones
    block = covariance_of(result, correlation)[0][places, places]
    gains[free], weights = np.sqrt(np.diag(block)), 1.0 / np.diag(block)
    # ratios are the logarithms without their mean of least variance; one alone has none
    centred = np.eye(len(free)) - weights / weights.sum()
    ratios[free] = np.sqrt(np.maximum(np.diag(centred @ block @ centred.T), 0.0))
    return gains, ratios
