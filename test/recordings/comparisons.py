"""Comparisons that were not made of efforts, for what only shows them."""

import numpy as np

from urdf2dyn_ros.recordings.comparison import (
    EffortFigures,
    FittedValue,
    FrictionFit,
    JointComparison,
    Span,
)

FIT = FrictionFit(FittedValue(0.4, 0.01), FittedValue(0.7, 0.01), FittedValue(0.1, 0.01), 1e-3)


def joints(count, samples=200):
    """Return joints of many sizes; the fourth is not credible, the fifth is late."""
    stamps = 1_700_000_000_000_000_000 + 4_000_000 * np.arange(samples)
    wave = np.sin(np.arange(samples) / 20.0)
    figures = EffortFigures(samples, 1e-3, 1e-4, 1e-3, 1e-3, 2e-3, 0.999, FIT)
    result = []
    for i in range(count):
        size = 10.0**(i % 5)
        span = Span('frozen' if i == 3 else '', 0.012 if i == 4 else np.nan, figures, figures)
        result.append(JointComparison(
            f'joint_$_{i}' + 'x' * 60 * (i == 1), 'N' if i % 2 else 'N m', span, span, stamps,
            size * wave, size * 0.999 * wave, np.cos(np.arange(samples) / 20.0)))
    return result
