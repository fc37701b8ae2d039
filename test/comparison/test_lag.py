"""What looks like a lag and is none; lags that are found are in test_comparison_figures.py."""

import numpy as np
import pytest

from urdf2dyn_ros.comparison.comparison import Comparison

START = 1_700_000_000_123_456_789
PERIOD = 4_000_000


def wave(stamp):
    return 3.0 + 2.0 * np.sin(2.0 * (stamp - START) * 1e-9)


@pytest.mark.parametrize('noise', [0.0, 1e-3, 1e-2])
def test_the_steps_of_friction_are_no_lag(noise):
    random = np.random.default_rng(1)

    def measured(stamp):
        sign = np.sign(np.cos(2.0 * (stamp - START) * 1e-9))
        return wave(stamp) + 0.3 * sign + noise * random.standard_normal()

    comparison = Comparison()
    for stamp in range(START, START + 1000 * PERIOD, PERIOD):
        comparison.add_measured(stamp, ['elbow'], [measured(stamp)])
        comparison.add_computed(stamp, ['elbow'], [wave(stamp)], [0.0],
                                [np.cos(2.0 * (stamp - START) * 1e-9)])
    (joint,) = comparison.joints()
    assert np.isnan(joint.total.lag)
    assert joint.figures.friction.coulomb.value == pytest.approx(0.3, rel=0.0015)
