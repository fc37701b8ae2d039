"""
The lag of measured efforts, if it can be determined: one for the joints of a message.

Measured and computed effort are correlated at equidistant lags, both without the part that
friction and an offset explain, as damping shifts the phase like a lag. A group of joints shares
the lag of least unexplained power, which a quartic refines.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.recordings.series import (
    COMPUTED_ROW,
    DIRECTION,
    LOAD,
    MEASURED_ROW,
    MOVING,
    NEAR_LAGS,
    STILL,
    VELOCITY_ROW,
    Moments,
    Stamps,
)
from urdf2dyn_ros.robot.spatial import Array


def lateness(lag: float) -> str:
    """Return the lag, or delay, of a measurement [s] in words."""
    if not lag:
        return 'on time'
    size = f'{abs(lag):.3g} s' if abs(lag) >= 0.9995 else f'{1e3 * abs(lag):.3g} ms'
    return f'{size} {"late" if lag > 0.0 else "early"}'


# ---- Evidence for the lag of one joint's measurement, from its moments

_FEWEST_ALIGNED = 100   # samples from which on a lag is determined
# share of measured effort or residual below which the unexplained part is not aligned
_LEAST_SHARE = 1e-6


class LagEvidence(NamedTuple):
    """How well one joint's efforts agree at every lag that is tried."""

    # (p,), power of the measured effort that the computed one and friction do not explain, as
    # without interpolation; at least `least`, from which on it is rounding
    power: Array
    least: float
    weight: float   # share that the computed effort explains of what friction does not [-]
    # share of the measured effort's variance that only the computed effort explains [-]
    effect: float

    @property
    def logarithms(self) -> Array:
        """Logarithms (p,) of the unexplained power."""
        return np.log(self.power)


def measure_lag(moments: Moments) -> LagEvidence | None:
    """
    Return the evidence for a lag; None for too few samples or a constant effort.

    Samples at rest are excluded, if there are others: friction is undetermined there.
    """
    count, size, gram = moments.samples, moments.lags, moments.gram
    if (gram[MOVING, MOVING] or count) < _FEWEST_ALIGNED or size < 3:
        return None
    moves = bool(gram[MOVING, MOVING])
    # also with unknown velocities
    load, friction, constant = ((LOAD, [VELOCITY_ROW, DIRECTION, MOVING], MOVING) if moves
                                else (COMPUTED_ROW, [STILL], STILL))
    residual, products = moments.squares if moves else np.diag(gram)[:size], gram[:size]
    measured = residual + 2.0 * products[:, load] + gram[load, load]
    unexplained = _unexplained(residual, products, gram, [load, *friction])
    # the same of the measured effort, which is residual + computed effort
    with_friction, varying = (_unexplained(measured, products + gram[load], gram, terms)
                              for terms in (friction, [constant]))
    least = _LEAST_SHARE**2 * max(count * moments.variance(MEASURED_ROW),
                                  float(residual[size // 2]))
    if not least:
        return None
    power = np.maximum(_without_interpolation(unexplained, moments.power), least)
    best = int(np.argmin(power))
    effect = max(0.0, float(with_friction[best] - unexplained[best]))
    return LagEvidence(power, least,
                       effect / max(float(with_friction[best]), least),
                       effect / max(float(varying[best]), least))


def _unexplained(squares: Array, products: Array, gram: Array, terms: list[int]) -> Array:
    """Return the power (p,) that is left of rows with squares (p,) without some terms."""
    normal = gram[np.ix_(terms, terms)]
    scale = 1.0 / np.sqrt(np.maximum(np.diag(normal), 1e-300))
    product = products[:, terms] * scale
    inverse = np.linalg.pinv(normal * np.outer(scale, scale), rcond=1e-6, hermitian=True)
    unexplained = squares - np.einsum('pi,ij,pj->p', product, inverse, product)
    return np.asarray(np.maximum(unexplained, 0.0))


def _without_interpolation(power: Array, noise: Array) -> Array:
    """
    Return the power (p,) as if interpolation had not reduced its white noise.

    Noise of interpolated samples changes from lag to lag, all else is smooth: fourth differences
    show how much of the power is white noise.
    """
    rough, pattern = np.diff(power, 4), np.diff(noise, 4)
    square = float(pattern @ pattern)
    if square <= (_LEAST_SHARE * float(noise.max()))**2:
        return power
    share = min(max(float(rough @ pattern) / square, 0.0), float((power / noise).min()))
    return np.asarray(power + share * (noise.max() - noise))


# ---- The lag that the joints of a message share

_LAGS_EACH_SIDE = 20   # lags that are tried on each side of zero
_LARGEST_SHARE = 0.8   # of the uncorrelated power, that a significant alignment leaves
# smallest share of a measured effort, without friction, that one of the joints must have
_SMALLEST_EFFECT = 0.1
_FEWEST_AGREEING = 3   # joints with a lag of their own, which is none of friction if they agree
_AGREEMENT = 0.2   # part of their common lag within which theirs are
_SHORTEST_LAG = 0.0005   # half the usual step of a simulator [s]


def tried_lags(search: float) -> Stamps:
    """Return the lags (p,) [ns] up to `search` [s], zero in the middle."""
    step = round(search * 1e9 / _LAGS_EACH_SIDE)
    return step * np.arange(-_LAGS_EACH_SIDE, _LAGS_EACH_SIDE + 1, dtype=np.int64)


def shared_lags(evidence: Mapping[str, LagEvidence], groups: Mapping[str, int],
                lags: Stamps) -> dict[str, float]:
    """
    Return for every joint the lag of its group [s].

    It is that of the joints that agree, if these have most of the weight.
    """
    shared: dict[str, float] = {}
    for group in {groups[name] for name in evidence}:
        joints = {name: joint for name, joint in evidence.items() if groups[name] == group}
        common = _common_lag(list(joints.values()), lags)
        agreeing = [joint for joint in joints.values() if _agrees(joint, common, lags)]
        if 2.0 * sum(joint.weight for joint in agreeing) > sum(
                joint.weight for joint in joints.values()):
            common = _common_lag(agreeing, lags)
        shared |= dict.fromkeys(joints, common)
    return shared


def weights_at(lag: float, lags: Stamps) -> Array:
    """Return the residuals' weights (p,) at a lag [s]: the cubic's through the nearest four."""
    weights = np.zeros(len(lags))
    step = float(lags[1] - lags[0])
    place = (lag * 1e9 - float(lags[0])) / step
    first = min(max(int(np.floor(place)) - 1, 0), len(lags) - NEAR_LAGS)
    nodes = np.arange(first, first + NEAR_LAGS)
    for node in nodes:
        others = nodes[nodes != node]
        weights[node] = np.prod((place - others) / (node - others))
    return weights


def _common_lag(evidence: Sequence[LagEvidence], lags: Stamps) -> float:
    """
    Return the lag that several joints share [s]; NaN if it is not significant.

    It minimises the sum over joints of the logarithm of each one's unexplained power, times its
    weight. A logarithm is flat far from its minimum, so that one joint cannot decide against
    several, and throughout where the model explains little: friction that is neither viscous nor
    Coulomb looks like a lag.

    It is not significant at the border of the search, if efforts are nearly all friction, or if it
    leaves more than `_LARGEST_SHARE` of the power without lag of joints with half the weight,
    unless several joints agree on it each by itself: steps of friction, which no smoothed motion
    shows, leave more. Where efforts are a linear function of the position, or the motion is one
    sine, viscous friction and lag cannot be distinguished.
    """
    if not any(joint.effect >= _SMALLEST_EFFECT for joint in evidence):
        return float(np.nan)
    place, change = _best(evidence)
    if not change <= np.log(_LARGEST_SHARE):
        places = np.array([_best([joint])[0] for joint in evidence
                           if joint.effect >= _SMALLEST_EFFECT])
        if (len(places) < _FEWEST_AGREEING
                or np.abs(places - place).max() > _AGREEMENT * abs(place)):
            return float(np.nan)
    lag = place * float(lags[1] - lags[0]) * 1e-9
    return lag if abs(lag) >= _SHORTEST_LAG else float(np.nan)


def _agrees(joint: LagEvidence, common: float, lags: Stamps) -> bool:
    """Return whether the lag of one joint is about the common one [s], or 0 for none."""
    common = 0.0 if np.isnan(common) else common
    place, change = _best([joint])
    step = float(lags[1] - lags[0]) * 1e-9
    lag = place * step
    if abs(lag) < _SHORTEST_LAG:
        lag, change = 0.0, 0.0
    places = (np.arange(len(lags)) - len(lags) // 2) * step
    at_common = float(np.interp(common, places, joint.logarithms))
    share = float(np.exp(joint.logarithms[len(lags) // 2] + change - at_common))
    return abs(lag - common) < _SHORTEST_LAG or share > _LARGEST_SHARE


def _best(evidence: Sequence[LagEvidence]) -> tuple[float, float]:
    """
    Return the place of the least power, in steps from zero, and the upper bound of its logarithm.

    The logarithm is relative to that without lag, the weighted median of the joints. At the border
    of the search nothing is known.
    """
    weights = np.array([joint.weight for joint in evidence])
    weights = weights / weights.sum() if weights.any() else weights
    sums = weights @ np.array([joint.logarithms for joint in evidence])
    best, middle = int(np.argmin(sums)), len(sums) // 2
    if best in (0, len(sums) - 1):
        return 0.0, 0.0
    power = weights @ np.array([joint.power / joint.power[best] for joint in evidence])
    rounding = weights @ [joint.least / joint.power[best] for joint in evidence]
    offset, least = _refined(power, best)
    changes = np.array([joint.logarithms[best] - joint.logarithms[middle] for joint in evidence])
    order = np.argsort(changes)
    median = order[np.searchsorted(np.cumsum(weights[order]), 0.5, side='right')]
    return offset + best - middle, float(changes[median] + np.log(max(least, rounding)))


def _refined(power: Array, best: int) -> tuple[float, float]:
    """
    Return the place of the least power, in steps from the best lag, and its upper bound there.

    A quartic is fitted to the neighbours. Its largest error is added to the least power, as steps
    of Coulomb friction make kinks.
    """
    first = min(max(best - 3, 0), len(power) - 7)
    near = np.arange(first, first + 7)
    powers = np.vander(near - best, 5)
    quartic = np.linalg.lstsq(powers, power[near], rcond=None)[0]
    missed = np.abs(powers @ quartic - power[near]).max()
    places = np.linspace(-1.0, 1.0, 2001)
    values = np.polyval(quartic, places)
    lowest = int(np.argmin(values))
    return float(places[lowest]), float(values[lowest] + missed)
