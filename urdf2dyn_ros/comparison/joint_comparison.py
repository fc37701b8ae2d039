"""What is known of one joint: figures, doubts, and the samples that are kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.comparison.figures import NO_FIGURES, EffortFigures
from urdf2dyn_ros.comparison.series import Stamps


@dataclass(frozen=True)
class Span:
    """
    The figures of a stretch of time.

    Attributes
    ----------
    doubt : str
        Why no figure is given; empty if the efforts are credible.
    lag : float
        By how much the measurement is late [s]; NaN where none is significant.
    figures : EffortFigures
        The measurement moved back by the lag, if there is one; then the largest error is that of
        the samples that are kept.
    unaligned : EffortFigures
        As it came; the same without a lag.
    hint : str
        What else is conspicuous.

    """

    doubt: str = ''
    lag: float = np.nan
    figures: EffortFigures = NO_FIGURES
    unaligned: EffortFigures = NO_FIGURES
    hint: str = ''


@dataclass(frozen=True)
class JointComparison:
    """
    What is known of one joint.

    Attributes
    ----------
    joint, unit : str
    total, window : Span
        Since the beginning, and of the sliding window.
    stamps : ndarray of int, (k,)
        Of the samples that are kept [ns].
    measured, computed : ndarray, (k,)
        Efforts at those instants [unit]: what `effort_semantics` makes of the measurement,
        interpolated and moved back by the total's lag.
    velocity : ndarray, (k,)
        [rad/s or m/s], NaN where it is not known.

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
        """Why no figure of the total is given; empty if the efforts are credible."""
        return self.total.doubt

    @property
    def figures(self) -> EffortFigures:
        """Of the total."""
        return self.total.figures

    @property
    def residual(self) -> Array:
        """Measured minus computed, (k,) [unit]."""
        return self.measured - self.computed
