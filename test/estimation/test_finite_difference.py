"""What is true of finite differences alone: exactness, and their low-pass."""

import numpy as np
import pytest

from support.streams.estimator_runs import estimates_of
from support.streams.known_motions import START, Recording
from urdf2dyn_ros.estimation.estimators import make_estimator
from urdf2dyn_ros.estimation.simple_estimators import LowPass


@pytest.mark.parametrize('missing', [False, True])
def test_centred_difference_is_exact_on_a_parabola_with_unequal_steps(missing):
    instants = np.cumsum([0.0, 0.001, 0.004, 0.0005, 0.002, 0.003])
    stamps = START + np.rint(instants * 1e9).astype(np.int64)
    t = (stamps - START)[:, np.newaxis] * 1e-9
    # The second difference of positions is exact to one order less than that of velocities.
    jerk = 0.0 if missing else 11.0
    qd = 2.0 + 3.0 * t + jerk * t**2 / 2.0
    q = 1.0 + 2.0 * t + 1.5 * t**2 + jerk * t**3 / 6.0
    samples = Recording(stamps, q, np.full_like(qd, np.nan) if missing else qd)
    estimator = make_estimator('finite_difference', 1, align='centre', cutoff=0.0)
    for row, estimate in enumerate(estimates_of(estimator, samples)[2:], start=1):
        assert estimate.stamp == stamps[row]
        assert estimate.q == q[row]
        assert estimate.qd == pytest.approx(qd[row], abs=1e-9)
        assert estimate.qdd == pytest.approx(3.0 + jerk * t[row], abs=1e-6)


@pytest.mark.parametrize('irregular', [False, True])
def test_the_low_pass_is_a_butterworth_filter_at_any_sampling(irregular):
    random = np.random.default_rng(1)
    steps = random.uniform(0.0, 0.002, size=4000) if irregular else np.full(4000, 0.001)
    w = 2.0 * np.pi * 5.0 * np.array([0.1, 1.0, 3.0])
    low_pass = LowPass(5.0)
    t, seen, expected = 0.0, [], []
    for step in steps:
        t += step
        seen.append(low_pass.update(step, np.sin(w * t)))
        s = 1j * w / (2.0 * np.pi * 5.0)
        expected.append(np.imag(np.exp(1j * w * t) / (s * s + np.sqrt(2.0) * s + 1.0)))
    assert np.array(seen)[1500:] == pytest.approx(np.array(expected)[1500:], abs=0.0015)


def test_the_low_pass_starts_in_a_steady_state():
    low_pass = LowPass(20.0)
    for step in (0.001, 0.1, 0.003):
        assert low_pass.update(step, np.array([3.0, -7.0])) == pytest.approx([3.0, -7.0])
