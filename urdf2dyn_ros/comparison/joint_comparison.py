"""The result of a comparison for one joint: figures, credibility, and the newest samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.comparison.figures import NO_FIGURES, EffortFigures
from urdf2dyn_ros.comparison.series import Stamps


@dataclass(frozen=True)
class Span:
    """
    The figures of the window or the total.

    `doubt` is the reason why the efforts are not credible and have no figures, or empty; `hint`
    a warning about credible ones. `lag` is that of the measurement [s], NaN if not significant;
    `figures` correct it, and their largest error is then that of the kept samples.

    """

    doubt: str = ''
    lag: float = np.nan
    figures: EffortFigures = NO_FIGURES
    unaligned: EffortFigures = NO_FIGURES
    hint: str = ''


@dataclass(frozen=True)
class JointComparison:
    """
    The comparison of one joint.

    Attributes
    ----------
    joint, unit : str
    total, window : Span
        Figures since the start, and of the sliding window.
    stamps : ndarray of int, (k,)
        Stamps of the kept samples [ns].
    measured, computed : ndarray, (k,)
        Efforts at these stamps [unit], with the same semantics; the measured one is interpolated
        and corrected by the total's lag.
    velocity : ndarray, (k,)
        [rad/s or m/s], NaN if unknown.

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
    def doubt(self) -> str:
        """The reason why the efforts are not credible, or empty."""
        return self.total.doubt

    @property
    def figures(self) -> EffortFigures:
        """Figures of the total."""
        return self.total.figures

    @property
    def residual(self) -> Array:
        """Measured minus computed, (k,) [unit]."""
        return self.measured - self.computed
