"""Evidence for the lag of one joint's measurement, from its moments."""

from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.comparison.pairing.moments import (
    COMPUTED,
    DIRECTION,
    LOAD,
    MEASURED,
    MOVING,
    STILL,
    VELOCITY,
    Moments,
)

_FEWEST_SAMPLES = 100

_LEAST_SHARE = 1e-6
"""Share of measured effort or residual below which the unexplained part is not aligned."""


class LagEvidence(NamedTuple):
    """How well one joint's efforts agree at every lag that is tried."""

    # (p,), power of the measured effort that the computed one and friction do not explain, as
    # without interpolation; at least `least`, from which on it is rounding
    power: Array
    noise: Array   # (p,), power of white noise that interpolation leaves
    least: float
    weight: float   # share that the computed effort explains of what friction does not [-]
    # share of the measured effort's variance that only the computed effort explains [-]
    effect: float

    @property
    def logarithms(self) -> Array:
        """Logarithms (p,) of the unexplained power."""
        return np.log(self.power)


def lag_evidence(moments: Moments) -> LagEvidence | None:
    """
    Return the evidence for a lag; None for too few samples or a constant effort.

    Measured and computed effort are correlated at every lag, both without the part that friction
    and an offset explain, as damping shifts the phase like a lag. Samples at rest are excluded,
    if there are others: friction is undetermined there.
    """
    count, size, gram = moments.samples, moments.lags, moments.gram
    if (gram[MOVING, MOVING] or count) < _FEWEST_SAMPLES or size < 3:
        return None
    moves = bool(gram[MOVING, MOVING])
    # also with unknown velocities
    load, friction, constant = ((LOAD, [VELOCITY, DIRECTION, MOVING], MOVING) if moves
                                else (COMPUTED, [STILL], STILL))
    residual, products = moments.squares if moves else np.diag(gram)[:size], gram[:size]
    measured = residual + 2.0 * products[:, load] + gram[load, load]
    unexplained = _unexplained(residual, products, gram, [load, *friction])
    # the same of the measured effort, which is residual + computed effort
    with_friction, varying = (_unexplained(measured, products + gram[load], gram, terms)
                              for terms in (friction, [constant]))
    least = _LEAST_SHARE**2 * max(count * moments.variance(MEASURED), float(residual[size // 2]))
    if not least:
        return None
    power = np.maximum(_without_interpolation(unexplained, moments.power), least)
    best = int(np.argmin(power))
    effect = max(0.0, float(with_friction[best] - unexplained[best]))
    return LagEvidence(power, moments.power, least,
                       effect / max(float(with_friction[best]), least),
                       effect / max(float(varying[best]), least))


def _unexplained(squares: Array, products: Array, gram: Array, terms: list[int]) -> Array:
    """Return the power (p,) that is left of rows with squares (p,) without some terms."""
    normal = gram[np.ix_(terms, terms)]
    scale = 1.0 / np.sqrt(np.maximum(np.diag(normal), 1e-300))
    product = products[:, terms] * scale
    inverse = np.linalg.pinv(normal * np.outer(scale, scale), rcond=1e-6, hermitian=True)
    left = squares - np.einsum('pi,ij,pj->p', product, inverse, product)
    return np.asarray(np.maximum(left, 0.0))


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
