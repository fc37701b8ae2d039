"""The lag of a measurement, if it can be determined."""

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
"""Number of lags that are tried on each side of zero."""

_LARGEST_SHARE = 0.8
"""Largest share of the uncorrelated power that a significant alignment leaves."""

_FEWEST_SAMPLES = 100
"""Fewest samples for a lag."""

_ALIKE = 1e-6
"""Share of measured effort or residual below which the unexplained part is not aligned."""

_SHORTEST_LAG = 0.0005
"""Shortest lag: half the usual step of a simulator [s]."""


def tried_lags(search: float) -> Stamps:
    """Return the lags (p,) [ns] up to `search` [s], zero in the middle."""
    step = round(search * 1e9 / _LAGS_EACH_SIDE)
    return step * np.arange(-_LAGS_EACH_SIDE, _LAGS_EACH_SIDE + 1, dtype=np.int64)


def find_lag(moments: Moments, lags: Stamps) -> float:
    """
    Return the lag of the measurement [s]; NaN if it is not significant.

    Measured and computed effort are correlated at every lag, both without the part that friction
    and an offset explain, as damping shifts the phase like a lag. Samples at rest are excluded,
    if there are others: friction is undetermined there. The lag with the largest correlation is
    refined by a quartic. Interpolation between samples reduces noise, most of it halfway; `power`
    corrects for that.

    A lag is not significant at the border of the search, or if it leaves more than
    `_LARGEST_SHARE` of the uncorrelated power. If efforts are a linear function of the position,
    or the motion is a single sine, viscous friction and lag cannot be distinguished.

    The lags (p,) of the moments [ns] are equidistant, with zero in the middle.

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


def _unexplained(moments: Moments) -> Array:
    """Return the power (p,) at every lag that computed effort and friction do not explain."""
    size, gram = moments.lags, moments.gram
    if gram[MOVING, MOVING]:
        terms, squares = [LOAD, VELOCITY, DIRECTION, MOVING], moments.squares
    else:   # also with unknown velocities
        terms, squares = [COMPUTED, STILL], np.diag(gram)[:size]
    normal = gram[np.ix_(terms, terms)]
    scale = 1.0 / np.sqrt(np.maximum(np.diag(normal), 1e-300))
    product = gram[:size, terms] * scale
    inverse = np.linalg.pinv(normal * np.outer(scale, scale), rcond=1e-6, hermitian=True)
    left = squares - np.einsum('pi,ij,pj->p', product, inverse, product)
    return np.asarray(np.maximum(left, 0.0))


def weights_at(lag: float, lags: Stamps) -> Array:
    """Return the residuals' weights (p,) at a lag [s]: the cubic's through the nearest four."""
    weights = np.zeros(len(lags))
    step = float(lags[1] - lags[0])
    place = (lag * 1e9 - float(lags[0])) / step
    first = min(max(int(np.floor(place)) - 1, 0), len(lags) - NEAR)
    nodes = np.arange(first, first + NEAR)
    for node in nodes:
        others = nodes[nodes != node]
        weights[node] = np.prod((place - others) / (node - others))
    return weights
