"""
Untouched, the filters work from 50 Hz to 1 kHz, for an arm and for a prismatic axis.

With -s the figures are printed: errors as in test_kalman [% of RMS(qdd)]. Each is held three ways:
to a limit of its own, to the same filter with the best density of the fourth derivative (the
parameter that matters), and to differences with a low-pass of 20 Hz.

An axis moves as the arm does, in metres: 0.5 m for a radian, that is 0.5 m in 0.8 s, or 0.05 m.
The bandwidth adapts to the motion, so that small ones need no parameters either, as an axis that
moves by 0.05 m and whose velocity is as noisy as an arm's, 1 mm/s.

"""

from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from support.streams.estimator_runs import KINDS, said
from support.streams.known_motions import Profile, Recording, errors, estimated, record, truth
from urdf2dyn_ros.estimation.estimators import Estimator, make_estimator

RATES = (50.0, 100.0, 250.0, 1000.0)
DENSITIES = [10.0 ** power for power in range(1, 8)]


class Sensor(NamedTuple):
    """
    A moving joint, its sensor, and the limits of the errors.

    `scale`: metres for a radian, 1 for an arm; `step`: of the encoder [rad or m]; `noise`: of the
    velocity [rad/s or m/s]. Then for each rate the most for the filter and for that with a lag
    [%], how many times the error of the best density the filter's may be, and how many times
    better than differences it must be.
    """

    scale: float
    step: float
    noise: float
    filter: tuple[float, ...]
    lagging: tuple[float, ...]
    of_best: float
    better: float


def turn(bits: int) -> float:
    return 2.0 * np.pi / 2**bits


SENSORS = {
    'arm, 17 bits': Sensor(1.0, turn(17), 1e-3, (5.5, 4.5, 4.0, 3.1), (2.9, 1.7, 1.25, 0.85),
                           1.1, 3.2),
    'arm, 20 bits': Sensor(1.0, turn(20), 3e-4, (3.7, 2.5, 2.2, 1.8), (1.95, 0.85, 0.65, 0.5),
                           1.1, 5.0),
    'arm, 14 bits': Sensor(1.0, turn(14), 5e-3, (10.0, 9.3, 8.2, 6.5), (4.2, 3.4, 2.75, 2.1),
                           1.1, 1.6),
    'axis, 0.5 m, 1 um': Sensor(0.5, 1e-6, 1e-3, (6.4, 3.6, 2.4, 1.8), (2.0, 0.85, 0.5, 0.36),
                                1.1, 2.5),
    'axis, 0.5 m, 10 um': Sensor(0.5, 1e-5, 1e-3, (6.6, 5.2, 4.5, 3.5), (2.4, 1.5, 1.1, 0.8),
                                 1.1, 2.5),
    'axis, 0.05 m, 1 um': Sensor(0.05, 1e-6, 1e-4, (6.5, 5.2, 4.5, 3.6), (2.3, 1.5, 1.2, 0.85),
                                 1.1, 1.3),
}
NOISY = Sensor(0.05, 1e-5, 1e-3, (14.0, 12.5, 11.0, 9.0), (6.0, 4.9, 3.6, 2.5), 0.0, 0.0)
EVERY = [(name, row) for name in SENSORS for row in range(len(RATES))]


@cache
def samples(sensor: Sensor, rate: float) -> Recording:
    exact = record(Profile(rate, 0, 0.0))
    q, qd, _ = truth(exact.stamps)
    noise = sensor.noise * np.random.default_rng(0).normal(size=qd.shape)
    return Recording(exact.stamps, np.round(sensor.scale * q / sensor.step) * sensor.step,
                     sensor.scale * qd + noise)


def error(estimator: Estimator, sensor: Sensor, rate: float) -> float:
    stamps, qdd = estimated(estimator, samples(sensor, rate))
    return float(np.exp(np.mean(np.log(errors(stamps, qdd / sensor.scale)))))


@cache
def untouched(kind: str, sensor: Sensor, rate: float) -> float:
    return error(KINDS[kind](4), sensor, rate)


def differences(sensor: Sensor, rate: float) -> float:
    return error(make_estimator('finite_difference', 4), sensor, rate)


@pytest.mark.parametrize(('name', 'row'), EVERY)
def test_the_defaults_keep_their_limits(name, row):
    sensor, rate = SENSORS[name], RATES[row]
    for kind, limits in (('kalman', sensor.filter), ('kalman_fixed_lag', sensor.lagging)):
        figure = untouched(kind, sensor, rate)
        assert said(f'{kind}, {name}, {rate:g} Hz [%]', figure, limits[row]) <= limits[row]


@pytest.mark.parametrize(('name', 'row'), EVERY)
def test_the_defaults_beat_differences(name, row):
    sensor, rate = SENSORS[name], RATES[row]
    plain = differences(sensor, rate)
    ratio = plain / untouched('kalman', sensor, rate)
    assert said(f'{name}, {rate:g} Hz [times better than differences], at least', ratio,
                sensor.better) >= sensor.better
    assert plain > 4.0 * untouched('kalman_fixed_lag', sensor, rate)


@pytest.mark.parametrize('row', range(len(RATES)))
def test_small_motions_with_noisy_velocities_need_no_parameters(row):
    """One density, of an arm, would be worse than differences."""
    rate = RATES[row]
    plain = differences(NOISY, rate)
    figure, lagging = (untouched(kind, NOISY, rate) for kind in ('kalman', 'kalman_fixed_lag'))
    print(f'\naxis, 0.05 m, 10 um, 1 mm/s, {rate:g} Hz [%]: differences {plain:.1f}, filter '
          f'{figure:.1f}, with a lag {lagging:.1f}')
    assert figure <= NOISY.filter[row]
    assert lagging <= NOISY.lagging[row]
    assert lagging < 0.5 * plain
    assert plain > 2.0 * figure
