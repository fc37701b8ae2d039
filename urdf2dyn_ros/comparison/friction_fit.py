"""Viscous and Coulomb friction and an offset, fitted to a residual."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.comparison.pairing.moments import DIRECTION, MOVING, STILL, VELOCITY, Moments
from urdf2dyn_ros.counting import counted

_FEWEST_MOVING = 50
"""Fewest samples in motion; half as many are needed in each direction."""

_LARGEST_CONDITION = 1000.0
"""Largest condition of the normalised least-squares matrix."""

_TERMS = [VELOCITY, DIRECTION, MOVING]


class FittedValue(NamedTuple):
    """A fitted number; its standard error is a lower bound if samples' errors are correlated."""

    value: float = np.nan
    error: float = np.nan


_NOT_FITTED = FittedValue()


@dataclass(frozen=True)
class FrictionFit:
    """
    residual = viscous qd + coulomb sign(qd) + offset, by least squares.

    The fit excludes samples at rest, where friction is undetermined; their residual is one mean.

    `viscous` is in [N m s/rad or N s/m], the others in [N m or N]; `rmse` is that of the remaining
    residual, `unknown` the reason why there is no fit, or empty.
    `counted` is viscous and Coulomb friction in the computed effort, thus not in the residual.
    """

    viscous: FittedValue = _NOT_FITTED
    coulomb: FittedValue = _NOT_FITTED
    offset: FittedValue = _NOT_FITTED
    rmse: float = np.nan
    unknown: str = ''
    counted: tuple[float, float] = (0.0, 0.0)

    def residual(self, velocity: Array) -> Array:
        """Return the fitted residual at velocities (k,) [N m or N]."""
        viscous, coulomb = self.counted
        return ((self.viscous.value - viscous) * velocity
                + (self.coulomb.value - coulomb) * np.sign(velocity) + self.offset.value)


NO_FIT = FrictionFit()


def fit_friction(moments: Moments, weights: Array, viscous: float, coulomb: float) -> FrictionFit:
    """
    Fit friction to the residual with weights (p,) at p lags.

    The friction that the computed effort includes, `viscous` and `coulomb`, is added to the fit.
    """
    gram = moments.gram
    normal = gram[np.ix_(_TERMS, _TERMS)]
    unknown = _not_excited(normal)
    if unknown:
        return FrictionFit(unknown=unknown)
    scale = 1.0 / np.sqrt(np.diag(normal))
    scaled = normal * np.outer(scale, scale)
    smallest, *_, largest = np.linalg.eigvalsh(scaled)
    if largest > _LARGEST_CONDITION * smallest:
        return FrictionFit(unknown='it moves at one speed only: viscous and Coulomb friction '
                                   'cannot be distinguished')
    explained = weights @ gram[:moments.lags, _TERMS]
    inverse = np.linalg.inv(scaled) * np.outer(scale, scale)
    terms = inverse @ explained
    left = float(weights @ gram[:moments.lags, :moments.lags] @ weights - explained @ terms)
    resting = gram[STILL, STILL]
    if resting:
        left -= float(weights @ gram[:moments.lags, STILL])**2 / resting
    left = max(left, 0.0)
    count = moments.samples
    errors = np.sqrt(left / max(count - 4, 1) * np.diag(inverse))
    values = (float(terms[0]) + viscous, float(terms[1]) + coulomb, float(terms[2]))
    fitted = [FittedValue(value, float(error)) for value, error in zip(values, errors)]
    return FrictionFit(fitted[0], fitted[1], fitted[2], float(np.sqrt(left / count)),
                       counted=(viscous, coulomb))


def _not_excited(normal: Array) -> str:
    moving, balance = normal[2, 2], normal[1, 2]
    if moving < _FEWEST_MOVING:
        return (f'it moves in {counted(round(moving), "sample")}, at least {_FEWEST_MOVING} are '
                'needed')
    if moving - abs(balance) < _FEWEST_MOVING:   # twice the samples of the rarer direction
        return ('it moves in one direction only: Coulomb friction and offset cannot be '
                'distinguished')
    return ''
