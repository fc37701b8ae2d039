"""The declared deviation of accelerations that the filters do not follow."""

import numpy as np
import pytest

from support.streams.known_motions import START
from urdf2dyn_ros.estimators import make_compiled

RESOLUTION = 1e-4


@pytest.mark.parametrize('frequency', [3.0, 7.0])
@pytest.mark.parametrize('kind', ['kalman', 'kalman_fixed_lag'])
def test_vibrations_at_a_low_rate_are_part_of_the_declared_deviation(kind, frequency):
    """As of an arm of 100 Hz: too small to be followed, too fast for differences over 0.4 s."""
    slow, fast, beat = 2.0 * np.pi * np.array([0.1, frequency, 0.3])

    def position(t):
        return 0.5 * np.sin(slow * t) + 4e-4 * np.sin(fast * t) * np.sin(beat * t) ** 2

    times = np.arange(0.0, 20.0, 0.01)
    estimator = make_compiled(kind, 1)
    found = [estimator.update(START + round(1e9 * t), np.array([q]), np.array([np.nan]))
             for t, q in zip(times, RESOLUTION * np.round(position(times) / RESOLUTION))]
    found = [each for each in found if each.valid][300:]
    at, h = np.array([(each.stamp - START) * 1e-9 for each in found]), 1e-4
    true = (position(at + h) - 2.0 * position(at) + position(at - h)) / h ** 2
    inside = np.abs([each.qdd[0] for each in found] - true) <= 2.0 * np.array(
        [each.std[0] for each in found])
    print(kind, frequency, inside.mean())
    assert inside.mean() > 0.75
