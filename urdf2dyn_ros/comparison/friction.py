"""The viscous and Coulomb friction and the offset that would explain a residual."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.comparison.moments import DIRECTION, MOVING, STILL, VELOCITY, Moments

_FEWEST_MOVING = 50
"""Samples in motion, and in each direction half as many, without which nothing is fitted."""

_LARGEST_CONDITION = 1000.0
"""Of the normalised least-squares matrix: from there on, two terms look the same."""

_TERMS = [VELOCITY, DIRECTION, MOVING]


class FittedValue(NamedTuple):
    """
    A fitted number and its standard error.

    The error holds for residuals that are independent from sample to sample; those of a wrong
    model are not, and then it is a lower bound.

    """

    value: float = np.nan
    error: float = np.nan


_NOT_FITTED = FittedValue()


@dataclass(frozen=True)
class FrictionFit:
    """
    residual = viscous qd + coulomb sign(qd) + offset, by least squares.

    Only samples in motion count: at rest, friction is any value up to the Coulomb one. For them
    one mean is taken, whatever it is.

    Attributes
    ----------
    viscous : FittedValue
        [N m s/rad or N s/m].
    coulomb, offset : FittedValue
        [N m or N].
    rmse : float
        Of what the fit leaves [N m or N].
    unknown : str
        Why there is no fit; empty if there is one.
    counted : tuple of float, (2,)
        What of the viscous and Coulomb friction is in the computed effort, not in the residual.

    """

    viscous: FittedValue = _NOT_FITTED
    coulomb: FittedValue = _NOT_FITTED
    offset: FittedValue = _NOT_FITTED
    rmse: float = np.nan
    unknown: str = ''
    counted: tuple[float, float] = (0.0, 0.0)

    def residual(self, velocity: Array) -> Array:
        """Return the residual that the fit expects at velocities (k,) [N m or N]."""
        viscous, coulomb = self.counted
        return ((self.viscous.value - viscous) * velocity
                + (self.coulomb.value - coulomb) * np.sign(velocity) + self.offset.value)


NO_FIT = FrictionFit()


def fit_friction(moments: Moments, weights: Array, viscous: float = 0.0,
                 coulomb: float = 0.0) -> FrictionFit:
    """
    Fit friction.

    Parameters
    ----------
    moments : Moments
    weights : ndarray, (p,)
        The residual as a sum of those at p lags.
    viscous, coulomb : float
        Friction that is in the computed effort already, and is added to what is fitted.

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
        return FrictionFit(unknown='it moves at one speed only: viscous friction cannot be told '
                                'from Coulomb friction')
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
    return FrictionFit(FittedValue(float(terms[0]) + viscous, float(errors[0])),
                    FittedValue(float(terms[1]) + coulomb, float(errors[1])),
                    FittedValue(float(terms[2]), float(errors[2])), float(np.sqrt(left / count)),
                    counted=(viscous, coulomb))


def _not_excited(normal: Array) -> str:
    moving, balance = normal[2, 2], normal[1, 2]
    if moving < _FEWEST_MOVING:
        return f'it moves in {moving:.0f} samples, at least {_FEWEST_MOVING} are needed'
    if moving - abs(balance) < _FEWEST_MOVING:   # twice the samples of the rarer direction
        return 'it moves in one direction only: Coulomb friction cannot be told from the offset'
    return ''
