"""By how much a measurement is late, where that can be told."""

from __future__ import annotations

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.comparison.moments import (
    COMPUTED,
    DIRECTION,
    LOAD,
    MEASURED,
    MOVING,
    NEAR,
    STILL,
    VELOCITY,
    Moments,
)
from urdf2dyn_ros.comparison.series import Stamps

_LAGS_EACH_SIDE = 20
"""Lags that are tried on each side of zero."""

_LARGEST_SHARE = 0.8
"""An alignment must leave no more than this share of the power that is not correlated."""

_FEWEST_SAMPLES = 100
"""Samples without which no lag is looked for."""

_ALIKE = 1e-6
"""Of the measured effort, or of the residual: with less unexplained there is nothing to align."""

_SHORTEST_LAG = 0.0005
"""Time [s] below which a lag is none: half the usual step of a simulator."""


def tried_lags(search: float) -> Stamps:
    """Return the lags (p,) [ns] up to `search` [s], zero in the middle."""
    step = round(search * 1e9 / _LAGS_EACH_SIDE)
    return step * np.arange(-_LAGS_EACH_SIDE, _LAGS_EACH_SIDE + 1, dtype=np.int64)


def find_lag(moments: Moments, lags: Stamps) -> float:
    """
    Return the time [s] by which the measurement is late; NaN if none is significant.

    Measured and computed effort are correlated at every lag, both without what friction and an
    offset explain: damping alone turns the measured effort's phase as a lag does. At rest friction
    is anything, so that only samples in motion count, if there are any. The best lag is
    that of the largest correlation, refined by a quartic near it. Interpolation
    between samples takes noise away, and more of it halfway, which must not look like alignment.

    A lag at the border of the search, or one whose alignment leaves more than `_LARGEST_SHARE` of
    what is uncorrelated without it, is none. Where a joint's efforts are a linear function of its
    position, or it moves in a single sine, viscous friction and lag look the same, and the result
    is NaN.

    Parameters
    ----------
    moments : Moments
        Of these lags.
    lags : ndarray of int, (p,)
        Equidistant [ns], zero in the middle.

    """
    count, size = moments.samples, moments.lags
    if (moments.gram[MOVING, MOVING] or count) < _FEWEST_SAMPLES or size < 3:
        return float(np.nan)
    power = _unexplained(moments)
    now = power[size // 2]
    residual = float(moments.gram[size // 2, size // 2])
    if now <= _ALIKE**2 * max(count * moments.variance(MEASURED), residual):
        return float(np.nan)
    best = int(np.argmin(power / moments.power))
    if best in (0, size - 1):
        return float(np.nan)
    offset, least = _refined(power, moments.power, best)
    if least / moments.power[best] > _LARGEST_SHARE * now / moments.power[size // 2]:
        return float(np.nan)
    lag = (offset + best - size // 2) * float(lags[1] - lags[0]) * 1e-9
    return lag if abs(lag) >= _SHORTEST_LAG else float(np.nan)


def _refined(power: Array, noise: Array, best: int) -> tuple[float, float]:
    """
    Return where the power is least, in steps from the best lag, and how much it is at most there.

    Through the neighbours goes a quartic, and some multiple of what is left of noise. By how much
    they miss the neighbours they may miss the least: the steps of Coulomb friction make kinks.

    """
    first = min(max(best - 3, 0), len(power) - 7)
    near = np.arange(first, first + 7)
    terms = np.column_stack((np.vander(near - best, 5), noise[near] / noise[best]))
    scale = power[near].max()
    *quartic, part = found = np.linalg.lstsq(terms, power[near] / scale, rcond=None)[0]
    missed = np.abs(terms @ found - power[near] / scale).max()
    places = np.linspace(-1.0, 1.0, 2001)
    values = np.polyval(quartic, places)
    lowest = int(np.argmin(values))
    return float(places[lowest]), float(scale * (values[lowest] + part + missed))


def _unexplained(moments: Moments) -> Array:
    """Return the power (p,) at every lag that computed effort and friction do not explain."""
    size, gram = moments.lags, moments.gram
    if gram[MOVING, MOVING]:
        terms, squares = [LOAD, VELOCITY, DIRECTION, MOVING], moments.squares
    else:   # also where velocities are not known
        terms, squares = [COMPUTED, STILL], np.diag(gram)[:size]
    normal = gram[np.ix_(terms, terms)]
    scale = 1.0 / np.sqrt(np.maximum(np.diag(normal), 1e-300))
    product = gram[:size, terms] * scale
    inverse = np.linalg.pinv(normal * np.outer(scale, scale), rcond=1e-6, hermitian=True)
    left = squares - np.einsum('pi,ij,pj->p', product, inverse, product)
    return np.asarray(np.maximum(left, 0.0))


def weights_at(lag: float, lags: Stamps) -> Array:
    """
    Return weights (p,) that make the residual at a lag [s] of those at the lags that were tried.

    It is the cubic through the nearest.

    """
    weights = np.zeros(len(lags))
    step = float(lags[1] - lags[0])
    place = (lag * 1e9 - float(lags[0])) / step
    first = min(max(int(np.floor(place)) - 1, 0), len(lags) - NEAR)
    nodes = np.arange(first, first + NEAR)
    for node in nodes:
        others = nodes[nodes != node]
        weights[node] = np.prod((place - others) / (node - others))
    return weights
