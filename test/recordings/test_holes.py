"""Holes of the measured effort that are shorter than a gap of the joint states."""

import numpy as np
import pytest

from urdf2dyn_ros.recordings.comparison import Comparison

START, PERIOD = 1_700_000_000_123_456_789, 4_000_000


@pytest.mark.parametrize('burst', [1, 4])
def test_a_short_hole_of_the_measurement_has_no_samples(burst: int) -> None:
    """Of 32 ms at 250 Hz, longer if stamps come in bursts; one lost message is no hole."""
    comparison, hole = Comparison(), range(201, 200 + 8 * burst)
    stamps = START + np.arange(500) * PERIOD
    wave = 3.0 + np.sin(0.01 * np.arange(500))
    for k in range(500):
        stamp = START + k * PERIOD - k % burst * (PERIOD - 300_000)
        if k not in hole and k != 300:
            comparison.add_measured(stamp, ['a'], [wave[k]])
    for k, stamp in enumerate(stamps.tolist()):
        comparison.add_computed(stamp, ['a'], [wave[k]])
    (result,) = comparison.joints()
    found = np.isin(stamps, result.stamps)
    assert not found[hole].any()
    assert found[299:302].all()
    assert found.sum() >= 500 - len(hole) - 2 * burst


@pytest.mark.parametrize('absurd', [1e9, -1e12])
def test_a_number_that_no_robot_has_is_not_compared(absurd: float) -> None:
    """As of a disturbed bus: else one message would be the figure of the whole recording."""
    comparison = Comparison()
    wave = 3.0 + np.sin(0.01 * np.arange(500))
    for k, value in enumerate(wave.tolist()):
        comparison.add_measured(START + k * PERIOD, ['a'], [absurd if k == 300 else value])
        comparison.add_computed(START + k * PERIOD, ['a'], [value])
    (result,) = comparison.joints()
    assert result.figures.samples >= 499
    assert result.figures.max_error < 3e-5   # the hole is interpolated
