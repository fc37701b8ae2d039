"""The motion of the base from what sensors on a flying robot measure; -s prints the figures."""

from functools import cache

import numpy as np
import pytest

from support.robot_files import robot_path
from support.streams.flying_robot import START, FloatingRobot, Pose, Seen, pose, waves
from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.estimation.moving_base import BASE_SENSORS, Odometry
from urdf2dyn_ros.robot.loads import GRAVITY
from urdf2dyn_ros.robot.multibody import multibody

TEXT = robot_path('g1_29dof_rev_1_0').read_bytes()
MODEL = read_urdf(TEXT)
NAMES = multibody(MODEL).joint_names
LINKS = {'root': 'pelvis', 'fused': 'imu_in_pelvis', 'moved': 'imu_in_torso',
         'far': 'left_rubber_hand'}
SETTLED = 0.5   # s


def joints_at(stamp: int):
    """Return q, qd, qdd (n,), of joints that swing at up to 1 Hz."""
    return waves(len(NAMES), 3, 0.4, 1.0).at((stamp - START) * 1e-9)


def root_at(stamp: int) -> Pose:
    t = (stamp - START) * 1e-9
    return pose(waves(3, 1, 0.1, 1.5).at(t), waves(3, 2, 0.4, 1.5).at(t))


@cache
def measured(link: str, rate: float, duration: float = 2.0) -> list[tuple[int, Seen]]:
    """Return stamps and what the link goes through."""
    robot, samples = FloatingRobot(TEXT), []
    for k in range(round(duration * rate)):
        stamp = START + round(k * 1e9 / rate)
        robot.move(root_at(stamp), dict(zip(NAMES, zip(*joints_at(stamp)))))
        samples.append((stamp, robot.seen(link)))
    return samples


def receive(base, stamp: int, link: str, seen: Seen) -> str:
    if isinstance(base, Odometry):
        return base.receive(stamp, link, seen.quaternion, seen.v, seen.w)
    return base.receive(stamp, link, seen.w, seen.f)


def make(name: str, **parameters):
    """Return a sensor with the filter in C, as in the node; test_base_noise compares numpy's."""
    return BASE_SENSORS[name](MODEL, clock=lambda: START, **parameters)


def errors(base, link: str, rate: float, shift: float = 0.0) -> np.ndarray:
    """
    Return the deviations of the nine entries from the truth, (instants, 9).

    `shift`: of the requested instants, in periods after the newest sample.
    """
    found = []
    for stamp, seen in measured(link, rate):
        assert receive(base, stamp, link, seen) in ('used', 'warming_up', 'same_instant')
        instant = stamp + round(shift * 1e9 / rate)
        if stamp - START > SETTLED * 1e9:
            motion = base.motion_at(instant, *joints_at(instant))
            assert isinstance(motion, np.ndarray), base.explained(motion)
            found.append(motion - root_at(instant).base_motion)
    return np.array(found)


def rms(deviations: np.ndarray) -> np.ndarray:
    """Return that of angular velocity, angular acceleration and linear acceleration, (3,)."""
    return np.sqrt((deviations ** 2).reshape(-1, 3, 3).sum(axis=2).mean(axis=0))


def said(what: str, figures: np.ndarray) -> np.ndarray:
    print(f'\n{what}: {figures[0]:.2g} rad/s, {figures[1]:.2g} rad/s^2, {figures[2]:.2g} m/s^2')
    return figures


@pytest.mark.parametrize('where', LINKS)
def test_an_imu_on_any_link_shows_how_the_root_moves(where):
    """Exact except for the angular acceleration and its effect over the lever arm."""
    figures = said(f'imu on {LINKS[where]}, 400 Hz', rms(errors(make('imu'), LINKS[where], 400.0)))
    assert (figures < (1e-7, 3e-3, 1e-12 if where == 'root' else 1e-3)).all()


@pytest.mark.parametrize('where', LINKS)
def test_odometry_of_any_link_shows_how_the_root_moves(where):
    figures = said(f'odometry of {LINKS[where]}, 400 Hz', rms(errors(
        make('odometry'), LINKS[where], 400.0)))
    assert (figures < (1e-7, 3e-3, 2e-3)).all()


@pytest.mark.parametrize('name', BASE_SENSORS)
def test_between_samples_it_is_linear(name):
    """A third of a period before the newest sample: the truth but for its curvature."""
    found = errors(make(name), 'imu_in_pelvis', 400.0, -0.3)
    figures = said(f'{name} between samples', rms(found))
    assert (figures < (2e-4, 3e-3, 2e-3)).all()


@pytest.mark.parametrize('name', BASE_SENSORS)
def test_after_the_newest_sample_it_is_predicted_up_to_the_largest_age(name):
    base = make(name)
    for stamp, seen in measured('pelvis', 400.0):
        receive(base, stamp, 'pelvis', seen)
    joints = joints_at(stamp)
    predicted = base.motion_at(stamp + 10_000_000, *joints)
    # the acceleration that an IMU measures is constant in the world's axes
    deviation = rms(predicted - root_at(stamp + 10_000_000).base_motion)
    assert (deviation < (1e-3, 0.1, 0.5)).all()
    assert base.motion_at(stamp + 10_000_001, *joints) == 'base_behind'
    # as soon as data comes, the instant is known
    receive(base, stamp + 20_000_000, 'pelvis', seen)
    assert isinstance(base.motion_at(stamp + 10_000_001, *joints), np.ndarray)


def test_a_lag_gives_better_accelerations_for_instants_that_long_ago():
    errors_of = {}
    for lag in (0.0, 0.02):
        base, rng, found = make('imu', lag=lag), np.random.default_rng(0), []
        for stamp, seen in measured('imu_in_pelvis', 400.0):
            noisy = seen._replace(w=seen.w + 0.005 * rng.normal(size=3))
            receive(base, stamp, 'imu_in_pelvis', noisy)
            instant = stamp - round(lag * 1e9)
            if stamp - START > SETTLED * 1e9:
                found.append(base.motion_at(instant, *joints_at(instant))
                             - root_at(instant).base_motion)
        errors_of[lag] = said(f'imu with noise, lag {lag:g} s', rms(np.array(found)))
    assert errors_of[0.0][1] < 1.0
    assert (errors_of[0.02][1:] < 0.5 * errors_of[0.0][1:]).all()


def test_gravity_is_the_one_that_is_configured():
    moon = make('odometry', gravity=(0.0, 0.0, -1.62))
    for stamp, seen in measured('pelvis', 400.0):
        receive(moon, stamp, 'pelvis', seen)
    root = root_at(stamp)
    expected = root.R.T @ (root.a - (0.0, 0.0, -1.62))
    assert moon.motion_at(stamp, *joints_at(stamp))[6:] == pytest.approx(expected, abs=0.0015)


@pytest.mark.parametrize(('gyroscope', 'accelerometer', 'most'), [
    (0.0, 0.0, (0.01, 0.01)), (0.005, 0.02, (5.0, 2.0))])
def test_efforts_and_the_wrench_on_the_root_are_as_good(gyroscope, accelerometer, most):
    """From an IMU behind three joints; of the same with the true motion of the base [%]."""
    dynamics, base = InverseDynamics(MODEL, base='moving'), make('imu')
    rng = np.random.default_rng(0)
    found, true = [], []
    for stamp, seen in measured('imu_in_torso', 400.0):
        base.receive(stamp, 'imu_in_torso', seen.w + gyroscope * rng.normal(size=3),
                     seen.f + accelerometer * rng.normal(size=3))
        if stamp - START > SETTLED * 1e9:
            joints = joints_at(stamp)
            found.append(np.concatenate(dynamics(*joints, base.motion_at(stamp, *joints))))
            true.append(np.concatenate(dynamics(*joints, root_at(stamp).base_motion)))
    wrong, whole = np.square(np.subtract(found, true)), np.square(true)
    efforts, wrench = (100.0 * np.sqrt(wrong[:, part].sum() / whole[:, part].sum())
                       for part in (slice(None, -6), slice(-6, None)))
    print(f'\nimu with noise {gyroscope} rad/s, {accelerometer} m/s^2: efforts {efforts:.2g} %, '
          f'wrench {wrench:.2g} %')
    assert efforts < most[0] and wrench < most[1]


# What must fail

class NotTurned(Odometry):
    """The mistake to be found: gravity in the axes of the world."""

    def unfiltered_part(self, rest):
        return np.array(GRAVITY)


class TurnedBack(Odometry):
    """The mistake to be found: gravity is rotated in the other direction."""

    def unfiltered_part(self, rest):
        return super().unfiltered_part(rest * [-1, -1, -1, 1])


class FixedAxes(Odometry):
    """The mistake to be found: axes of the twist that are taken for fixed, without w x v."""

    def sensor_motion(self, state):
        return super().sensor_motion(
            state._replace(velocities=state.velocities * [1, 1, 1, 0, 0, 0]))


@pytest.mark.parametrize(('wrong', 'least'), [(NotTurned, 1.0), (TurnedBack, 1.0),
                                              (FixedAxes, 0.2)])
def test_wrong_axes_fail(wrong, least):
    base = wrong(MODEL, clock=lambda: START)
    assert rms(errors(base, 'pelvis', 400.0))[2] > least
