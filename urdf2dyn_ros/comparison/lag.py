"""The lag of a measurement, if it can be determined: one for the joints of a message."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.comparison.lag_evidence import LagEvidence
from urdf2dyn_ros.comparison.pairing.moments import NEAR_LAGS
from urdf2dyn_ros.comparison.pairing.series import Stamps

_LAGS_EACH_SIDE = 20
"""Number of lags that are tried on each side of zero."""

_LARGEST_SHARE = 0.8
"""Largest share of the uncorrelated power that a significant alignment leaves."""

_SMALLEST_EFFECT = 0.1
"""Smallest share of a measured effort, without friction, that one of the joints must have."""

_SHORTEST_LAG = 0.0005
"""Shortest lag: half the usual step of a simulator [s]."""


class OwnLag(NamedTuple):
    """
    The lag of one joint where it differs from that of all [s].

    `left` is the unexplained power with it, relative to that with the lag of all; `effect` is that
    of LagEvidence.
    """

    lag: float
    left: float
    effect: float


def tried_lags(search: float) -> Stamps:
    """Return the lags (p,) [ns] up to `search` [s], zero in the middle."""
    step = round(search * 1e9 / _LAGS_EACH_SIDE)
    return step * np.arange(-_LAGS_EACH_SIDE, _LAGS_EACH_SIDE + 1, dtype=np.int64)


def common_lag(evidence: Sequence[LagEvidence], lags: Stamps) -> float:
    """
    Return the lag that several joints share [s]; NaN if it is not significant.

    It minimises the sum over joints of the logarithm of each one's unexplained power, times its
    weight. A logarithm is flat far from its minimum, so that one joint cannot decide against
    several, and it is flat throughout where the model explains little: friction that is not
    viscous and Coulomb looks like a lead or a lag.

    The lag is refined by a quartic. A lag is not significant at the border of the search, if the
    joints' efforts are nearly all friction, or if it leaves more than `_LARGEST_SHARE` of the
    uncorrelated power of joints with half the weight. If efforts are a linear function of the
    position, or the motion is a single sine, viscous friction and lag cannot be distinguished.

    The lags (p,) [ns] are equidistant, with zero in the middle.
    """
    if not any(joint.effect >= _SMALLEST_EFFECT for joint in evidence):
        return float(np.nan)
    place, change = _best(evidence)
    if not change <= np.log(_LARGEST_SHARE):
        return float(np.nan)
    lag = place * float(lags[1] - lags[0]) * 1e-9
    return lag if abs(lag) >= _SHORTEST_LAG else float(np.nan)


def shared_lags(evidence: Mapping[str, LagEvidence], groups: Mapping[str, int], lags: Stamps,
                ) -> dict[str, tuple[float, OwnLag | None]]:
    """
    Return for every joint the lag of its group [s], and its own if it differs.

    The lag is that of the joints that agree, if these have most of the weight.
    """
    shared: dict[str, tuple[float, OwnLag | None]] = {}
    for group in {groups[name] for name in evidence}:
        joints = {name: joint for name, joint in evidence.items() if groups[name] == group}
        common = common_lag(list(joints.values()), lags)
        agreeing = [joint for joint in joints.values() if own_lag(joint, common, lags) is None]
        if 2.0 * _weight(agreeing) > _weight(joints.values()):
            common = common_lag(agreeing, lags)
        shared |= {name: (common, own_lag(joint, common, lags)) for name, joint in joints.items()}
    return shared


def _weight(evidence: Iterable[LagEvidence]) -> float:
    return sum(joint.weight for joint in evidence)


def own_lag(joint: LagEvidence, common: float, lags: Stamps) -> OwnLag | None:
    """Return the lag of one joint if it differs significantly from the common one [s] or none."""
    common = 0.0 if np.isnan(common) else common
    place, change = _best([joint])
    step = float(lags[1] - lags[0]) * 1e-9
    lag = place * step
    if abs(lag) < _SHORTEST_LAG:
        lag, change = 0.0, 0.0
    places = (np.arange(len(lags)) - len(lags) // 2) * step
    at_common = float(np.interp(common, places, joint.logarithms))
    left = float(np.exp(joint.logarithms[len(lags) // 2] + change - at_common))
    differs = abs(lag - common) >= _SHORTEST_LAG and left <= _LARGEST_SHARE
    return OwnLag(lag, left, joint.effect) if differs else None


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
    power, noise = (weights @ np.array([getattr(joint, side) / getattr(joint, side)[best]
                                        for joint in evidence]) for side in ('power', 'noise'))
    rounding = weights @ [joint.least / joint.power[best] for joint in evidence]
    offset, least = _refined(power, noise, best)
    change = _median(np.array([joint.logarithms[best] - joint.logarithms[middle]
                               for joint in evidence]), weights)
    return offset + best - middle, change + float(np.log(max(least, rounding)))


def _median(values: Array, weights: Array) -> float:
    """Return the least value that is not exceeded by more than half of the weight."""
    order = np.argsort(values)
    return float(values[order][np.searchsorted(np.cumsum(weights[order]), 0.5, side='right')])


def _refined(power: Array, noise: Array, best: int) -> tuple[float, float]:
    """
    Return the place of the least power, in steps from the best lag, and its upper bound there.

    The fit through the neighbours is a quartic and a multiple of the remaining noise. Its largest
    error is added to the least power, as steps of Coulomb friction make kinks.
    """
    first = min(max(best - 3, 0), len(power) - 7)
    near = np.arange(first, first + 7)
    terms = np.column_stack((np.vander(near - best, 5), noise[near] / noise[best]))
    scale = power[near].max()
    *quartic, part = fit = np.linalg.lstsq(terms, power[near] / scale, rcond=None)[0]
    missed = np.abs(terms @ fit - power[near] / scale).max()
    places = np.linspace(-1.0, 1.0, 2001)
    values = np.polyval(quartic, places)
    lowest = int(np.argmin(values))
    return float(places[lowest]), float(scale * (values[lowest] + part + missed))


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
