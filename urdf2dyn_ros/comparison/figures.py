"""The result of a comparison for one joint: figures of the residual, and the newest samples."""

from dataclasses import dataclass

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.comparison.friction_fit import NO_FIT, FrictionFit, fit_friction
from urdf2dyn_ros.comparison.lag import OwnLag
from urdf2dyn_ros.comparison.pairing.moments import COMPUTED, MEASURED, MOVING, STILL, Moments
from urdf2dyn_ros.comparison.pairing.series import Stamps


@dataclass(frozen=True)
class EffortFigures:
    """Figures of the residual, measured minus computed effort."""

    samples: int = 0
    rmse: float = np.nan   # root mean square [N m or N]
    bias: float = np.nan   # mean [N m or N]
    max_error: float = np.nan   # largest magnitude [N m or N]
    # the next three are NaN if the effort is below what a sensor resolves [-]
    nrmse: float = np.nan   # RMSE divided by the range of the measured effort
    nrmse_rms: float = np.nan   # RMSE divided by the root mean square of the measured effort
    r2: float = np.nan   # share of the variance of the measured effort that is explained
    friction: FrictionFit = NO_FIT   # friction that fits the residual best


NO_FIGURES = EffortFigures()

_RESOLVED_RANGE = 1e-3
"""Range relative to the root mean square of an effort from which on a sensor resolves it."""

_ROUNDING_SHARE = 1e-6
"""Effort relative to the computed one from which on it is more than rounding."""

_LEAST_EFFORT = 1e-6
"""Least effort that is more than rounding [N m or N]."""


def effort_figures(moments: Moments, reference: float, weights: Array, viscous: float = 0.0,
                   coulomb: float = 0.0) -> EffortFigures:
    """
    Return the figures of summed pairs, whose moments have a reference [N m or N].

    `weights` (p,) are those of the residuals at p lags; `viscous` and `coulomb` are the friction
    that the computed effort includes.
    """
    count, size, gram = moments.samples, moments.lags, moments.gram
    if not count:
        return NO_FIGURES
    power = max(0.0, float(weights @ gram[:size, :size] @ weights)) / count
    rmse = np.sqrt(power)
    bias = weights @ (gram[:size, MOVING] + gram[:size, STILL]) / count
    mean = reference + (gram[MEASURED, MOVING] + gram[MEASURED, STILL]) / count
    variance = moments.variance(MEASURED)
    size_rms = np.sqrt(mean**2 + variance)
    middle = reference + (gram[COMPUTED, MOVING] + gram[COMPUTED, STILL]) / count
    least = max(_LEAST_EFFORT, _ROUNDING_SHARE * np.sqrt(middle**2 + moments.variance(COMPUTED)))
    varies = moments.highest - moments.lowest > max(least, _RESOLVED_RANGE * size_rms)
    return EffortFigures(
        count, float(rmse), float(bias), moments.largest,
        float(rmse / (moments.highest - moments.lowest)) if varies else np.nan,
        float(rmse / size_rms) if size_rms > least else np.nan,
        float(1.0 - power / variance) if varies else np.nan,
        fit_friction(moments, weights, viscous, coulomb))


@dataclass(frozen=True)
class Span:
    """
    The figures of the window or the total.

    `fault` is the reason why the efforts are not credible and have no figures, or empty; `hint`
    a warning about credible ones. `lag` is that of the measurement [s], one for the joints of a
    message, NaN if not significant; `figures` correct it, and their largest error is then that of
    the kept samples. `own_lag` is that of the joint where it differs; nothing corrects it.
    """

    fault: str = ''
    lag: float = np.nan
    figures: EffortFigures = NO_FIGURES
    unaligned: EffortFigures = NO_FIGURES
    hint: str = ''
    own_lag: OwnLag | None = None


@dataclass(frozen=True)
class JointComparison:
    """
    The comparison of one joint.

    The figures are those since the start, `total`, and of the sliding window. At the stamps (k,)
    of the kept samples [ns], measured and computed efforts (k,) [unit] have the same semantics;
    the measured one is interpolated and corrected by the total's lag. An unknown velocity (k,)
    is NaN.
    """

    joint: str
    unit: str
    total: Span
    window: Span
    stamps: Stamps
    measured: Array
    computed: Array
    velocity: Array

    @property
    def fault(self) -> str:
        """The reason why the efforts are not credible, or empty."""
        return self.total.fault

    @property
    def figures(self) -> EffortFigures:
        return self.total.figures

    @property
    def residual(self) -> Array:
        """Measured minus computed, (k,) [unit]."""
        return self.measured - self.computed
