"""Effect of a base sensor's noise on the efforts, and the motion after its newest message."""

from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from support.free_flyer import FreeFlyer
from support.robot_files import robot_path
from support.streams.flying_robot import START, FloatingRobot, Pose, Seen, Wave, pose, waves
from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.estimation.moving_base import BASE_SENSORS, Imu

TEXT = robot_path('borinot_flying_arm_2').read_text()
MODEL = read_urdf(TEXT)
DYNAMICS = InverseDynamics(MODEL, base='moving')
NAMES = DYNAMICS.joint_names
ORACLE = FreeFlyer(TEXT)
ROOT, TIP = MODEL.root, 'flying_arm_2__ee'
SETTLED, DURATION = 1.0, 2.5   # s
AIMS = {0.0: 0.1, 0.001: 5.0, 0.005: 15.0}   # noise of velocities [rad/s, m/s]: errors [%]


def joints_at(t: float):
    return waves(len(NAMES), 3, 0.4, 1.0).at(t)


def root_at(t: float) -> Pose:
    """Return that of a base which sways at up to 0.85 rad/s, three axes at 0.5 to 0.3 Hz."""
    frequency = np.array([0.5, 0.4, 0.3])
    angles = Wave(0.49 / (2.0 * np.pi * frequency), frequency, np.array([0.0, 1.0, 2.0])).at(t)
    return pose(waves(3, 1, 0.05, 1.0).at(t), angles)


@cache
def measured(link: str, rate: float) -> list[tuple[float, Seen]]:
    """Return times [s] and what the link goes through."""
    robot, samples = FloatingRobot(TEXT), []
    for k in range(round(DURATION * rate)):
        robot.move(root_at(k / rate), dict(zip(NAMES, zip(*joints_at(k / rate)))))
        samples.append((k / rate, robot.seen(link)))
    return samples


@cache
def expected(t: float) -> np.ndarray:
    """Return efforts, wrench and motion of the base that are right at a time [s]."""
    motion = root_at(t).base_motion
    return np.concatenate((*ORACLE(NAMES, *joints_at(t), motion, 0), motion))


class Errors(NamedTuple):
    """RMS of the errors, relative to the RMS of what is right [%]."""

    efforts: float
    wrench: float
    acceleration: float   # angular, of the base


def stamp_of(t: float) -> int:
    return START + round(t * 1e9)


def receive(base, t: float, link: str, seen: Seen, noise: np.ndarray) -> str:
    w, v = seen.w + noise[:3], seen.v + noise[3:]
    if isinstance(base, Imu):
        return base.receive(stamp_of(t), link, w, seen.f)
    return base.receive(stamp_of(t), link, seen.quaternion, v, w)


def errors(base, link: str = ROOT, *, noise: float = 0.0, rate: float = 200.0,
           ahead: float = 0.0, lost: float = 0.0) -> Errors:
    """
    Compare with Pinocchio's free flyer.

    `ahead`: from the newest message to the instants that are computed [periods]; `lost`: part of
    the messages that do not arrive.

    """
    rng, pairs = np.random.default_rng(0), []
    for t, seen in measured(link, rate):
        now = noise * rng.normal(size=6)
        if rng.uniform() >= lost:
            assert receive(base, t, link, seen, now) in ('used', 'warming_up')
        instant = t + ahead / rate
        if t < SETTLED:
            continue
        joints = joints_at(instant)
        motion = base.motion_at(stamp_of(instant), *joints)
        assert isinstance(motion, np.ndarray), base.explained(motion)
        pairs.append((np.concatenate((*DYNAMICS(*joints, motion), motion)),
                      expected(instant)))
    found, right = (np.array(each) for each in zip(*pairs))
    wrong, whole = np.square(found - right), np.square(right)
    n = len(NAMES)
    parts = (slice(n), slice(n, n + 6), slice(n + 9, n + 12))
    figures = Errors(*(100.0 * float(np.sqrt(wrong[:, part].sum() / whole[:, part].sum()))
                       for part in parts))
    print(f'\nnoise {noise:g}, {ahead:g} periods ahead, {lost:g} lost, of {link}: efforts '
          f'{figures.efforts:.2g} %, wrench {figures.wrench:.2g} %, angular acceleration '
          f'{figures.acceleration:.2g} %')
    return figures


def make(name: str, **parameters):
    return BASE_SENSORS[name](MODEL, clock=lambda: START, **parameters)


@pytest.mark.parametrize('noise', AIMS)
@pytest.mark.parametrize('link', [ROOT, TIP], ids=['root', 'tip'])
@pytest.mark.parametrize('name', BASE_SENSORS)
def test_noise_of_the_sensor_is_not_amplified(name, link, noise):
    figures = errors(make(name), link, noise=noise)
    # an acceleration of the tip is that of the arm as well
    assert max(figures if link == ROOT else figures[:2]) < AIMS[noise]


@pytest.mark.parametrize('name', BASE_SENSORS)
def test_lost_messages_are_replaced_by_predictions(name):
    """One of ten: the newest may be two periods old, which is `max_age`."""
    figures = errors(make(name, max_age=0.02), noise=0.001, lost=0.1)
    assert max(figures) < AIMS[0.001]


@pytest.mark.parametrize(('name', 'rate'), [('imu', 200.0), ('odometry', 50.0)])
def test_a_period_after_the_newest_message_the_motion_is_predicted(name, rate):
    for noise, most in ((0.0, 3.0), (0.001, 8.0)):
        figures = errors(make(name, max_age=1.1 / rate), noise=noise, rate=rate, ahead=1.0)
        assert max(figures) < most


@pytest.mark.parametrize('name', BASE_SENSORS)
def test_a_fixed_bandwidth_is_used_as_it_is(name):
    """A fast one follows the noise, as the default must not."""
    adapted, fixed = (errors(make(name, bandwidth=bandwidth), noise=0.005).acceleration
                      for bandwidth in (0.0, 100.0))
    assert fixed > 4.0 * adapted


@pytest.mark.parametrize('name', BASE_SENSORS)
def test_prediction_ends_after_20_ms(name):
    base = make(name, max_age=1.0, timeout=2.0)
    for t, seen in measured(ROOT, 200.0):
        receive(base, t, ROOT, seen, np.zeros(6))
    joints = joints_at(t)
    after = [base.motion_at(stamp_of(t + ms * 1e-3), *joints) for ms in (0, 10, 20, 1000)]
    assert all(np.abs(after[0] - each).max() > 1e-3 for each in after[1:])
    assert np.abs(after[2] - after[1]).max() > 1e-3
    assert (after[3] == after[2]).all()
    assert after[1] == pytest.approx(root_at(t + 0.01).base_motion, abs=0.1)
