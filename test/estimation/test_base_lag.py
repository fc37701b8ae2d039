"""A moving base with an estimator of the joints that lags: both are of the same instant."""

import numpy as np
import pytest
from test_base_noise import (
    DURATION,
    DYNAMICS,
    NAMES,
    ROOT,
    SETTLED,
    expected,
    joints_at,
    make,
    measured,
    receive,
    stamp_of,
)

from urdf2dyn_ros.estimation.assembly import Sources
from urdf2dyn_ros.estimation.estimators import make_estimator
from urdf2dyn_ros.estimation.hold import unlimited_joints
from urdf2dyn_ros.estimation.moving_base import BASE_SENSORS
from urdf2dyn_ros.estimation.stream import Stream

RATE = 100.0


@pytest.mark.parametrize('lag', [0.02, 0.2])
@pytest.mark.parametrize('name', BASE_SENSORS)
def test_joints_and_base_are_of_the_same_instant(name, lag):
    """The efforts of Pinocchio's free flyer at the stamp of the output, which is older."""
    base = make(name)
    stream = Stream(unlimited_joints(NAMES), DYNAMICS,
                    lambda joints: make_estimator('kalman_fixed_lag', joints, lag=lag),
                    clock=lambda: 0, load_arguments=Sources(base))
    outputs = []
    for t, seen in measured(ROOT, RATE):
        receive(base, t, ROOT, seen, np.zeros(6))
        q, qd, _ = joints_at(t)
        output = stream.receive(stamp_of(t), NAMES, q, qd, ())
        outputs += [(t, each) for each in (*stream.resume(), output) if each is not None]
    found, right = [], []
    for t, output in outputs:
        instant = (output.stamp - stamp_of(0.0)) * 1e-9
        assert t - instant >= lag - 1e-9
        if instant > SETTLED:
            found.append(np.concatenate((output.effort, output.wrench)))
            right.append(expected(round(instant * RATE) / RATE)[:len(NAMES) + 6])
    assert len(found) > 0.98 * (DURATION - SETTLED - lag) * RATE
    wrong, whole = np.square(np.subtract(found, right)), np.square(right)
    figures = [100.0 * float(np.sqrt(wrong[:, part].sum() / whole[:, part].sum()))
               for part in (slice(len(NAMES)), slice(len(NAMES), None))]
    print(f'\n{name}, lag {lag:g} s: efforts {figures[0]:.2g} %, wrench {figures[1]:.2g} %')
    assert max(figures) < 0.15
