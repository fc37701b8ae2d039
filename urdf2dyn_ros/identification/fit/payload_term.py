"""A payload in a fit: the last body, with a faint prior, whose mass may be known."""

from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array

PAYLOAD_WEIGHT = 0.1
"""Weight of the prior of a payload: no URDF has it."""

_MASS_DEVIATION = 1e-3
"""Standard deviation of a known mass, as a share of it."""


class PayloadTerm(NamedTuple):
    """The last body of a problem is a payload."""

    mass: float   # [kg], NaN if it is not known
    weight: float = PAYLOAD_WEIGHT   # of its prior

    def mass_row(self, mass: float, slopes: Array, count: int) -> tuple[Array, Array]:
        """
        Return the whitened residual (k,) of the mass, and its Jacobian (k, u); k is 0 or 1.

        The slopes are those of the mass by the last unknowns of so many.
        """
        known = int(np.isfinite(self.mass))
        scale = _MASS_DEVIATION * self.mass
        jacobian = np.zeros((known, count))
        jacobian[:, count - len(slopes):] = slopes / scale
        return np.full(known, (mass - self.mass) / scale), jacobian


def prior_weights(bodies: int, weight: float, payload: PayloadTerm | None) -> Array:
    """Return the weight of the prior of each body (b,)."""
    result = np.full(bodies, weight)
    if payload is not None:
        result[-1] = payload.weight
    return result
