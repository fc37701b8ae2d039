"""Velocities that contradict positions beyond their noise: exact, and late by a few ms."""

import numpy as np
import pytest

from urdf2dyn_ros.estimators import make_compiled, make_estimator

PERIOD = 0.008
LATE = 0.002


@pytest.mark.parametrize('make', [make_estimator, make_compiled], ids=['numpy', 'c'])
def test_late_velocities_that_come_into_use_are_no_onset(make):
    """Exact otherwise, as those of an arm whose driver smooths what it publishes."""
    t = PERIOD * np.arange(round(6.0 / PERIOD))
    w = 2.0 * np.pi * np.array([0.3, 0.5])
    q = np.round(0.5 * np.sin(w * t[:, None]), 7)
    qd = 0.5 * w * np.cos(w * (t[:, None] - LATE))
    qd[t < 3.0] = np.nan
    estimator = make('kalman', 2)
    found = np.array([estimator.update(1_000_000_000 + round(1e9 * time), *sample).qdd
                      for time, *sample in zip(t, q, qd)])
    true = -0.5 * w * w * np.sin(w * t[:, None])
    wrong = np.abs(found - true).max(axis=1) / np.abs(true).max()
    before, after = wrong[(t > 2.0) & (t < 3.0)].max(), wrong[t > 3.0].max()
    print(before, after)
    assert after < 0.01
