"""
The motion of a base from what sensors on a flying robot measure; -s prints the figures.

A humanoid shows that any link will do, a drone with an arm what noise costs.
"""

from functools import cache

import numpy as np
import pytest

from support.robot_files import robot_path
from support.streams.flying_robot import START, FreeFlyer, Pose, Seen, Wave, pose, waves
from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.estimation.estimators import make_estimator
from urdf2dyn_ros.estimation.hold import unlimited_joints
from urdf2dyn_ros.estimation.messages import Message
from urdf2dyn_ros.estimation.moving_base import BASE_SENSORS, Imu, MovingBase
from urdf2dyn_ros.estimation.stream import Stream
from urdf2dyn_ros.estimation.stream_setup import Sources

Array = np.ndarray


def stamp_of(t: float) -> int:
    return START + round(t * 1e9)


class Flight:
    """A robot that flies: three axes of its root sway, its joints swing at up to 1 Hz."""

    def __init__(self, file: str, position: Wave, angles: Wave, duration: float) -> None:
        self.text = robot_path(file).read_text()
        self.model = read_urdf(self.text)
        self.dynamics = InverseDynamics(self.model, base='moving')
        self.names = self.dynamics.joint_names
        self.duration = duration
        self._position, self._angles = position, angles
        self._joints = waves(len(self.names), 3, 0.4, 1.0)
        self.oracle = FreeFlyer(self.text)

    def joints(self, t: float) -> tuple[Array, Array, Array]:
        """Return q, qd, qdd (n,) at a time [s]."""
        return self._joints.at(t)

    def root(self, t: float) -> Pose:
        return pose(self._position.at(t), self._angles.at(t))

    def base(self, name: str, **parameters: object) -> MovingBase:
        return BASE_SENSORS[name](self.model, clock=lambda: START, **parameters)

    def motion(self, base: MovingBase, t: float) -> Array:
        motion = base.motion_at(stamp_of(t), *self.joints(t))
        assert isinstance(motion, np.ndarray), base.explained(motion)
        return motion


G1 = Flight('g1_29dof_rev_1_0', waves(3, 1, 0.1, 1.5), waves(3, 2, 0.4, 1.5), 2.0)
FREQUENCY = np.array([0.5, 0.4, 0.3])   # Hz, of a base that sways at up to 0.85 rad/s
DRONE = Flight('borinot_flying_arm_2', waves(3, 1, 0.05, 1.0), Wave(
    0.49 / (2.0 * np.pi * FREQUENCY), FREQUENCY, np.array([0.0, 1.0, 2.0])), 2.5)


@cache
def measured(flight: Flight, link: str, rate: float) -> list[tuple[float, Seen]]:
    """Return times [s] and what the link goes through."""
    robot, samples = FreeFlyer(flight.text), []
    for k in range(round(flight.duration * rate)):
        t = k / rate
        robot.move(flight.root(t), dict(zip(flight.names, zip(*flight.joints(t)))))
        samples.append((t, robot.seen(link)))
    return samples


@cache
def expected(t: float) -> Array:
    """Return efforts, wrench and motion of the base of the drone at a time [s]."""
    motion = DRONE.root(t).base_motion
    return np.concatenate((*DRONE.oracle(DRONE.names, *DRONE.joints(t), motion, 0), motion))


def receive(base: MovingBase, t: float, link: str, seen: Seen, noise: Array | None = None) -> str:
    """Add what a link goes through, with noise (6,) of its velocities."""
    w, v = (seen.w, seen.v) if noise is None else (seen.w + noise[:3], seen.v + noise[3:])
    if isinstance(base, Imu):
        return base.receive(stamp_of(t), link, w, seen.f)
    return base.receive(stamp_of(t), link, seen.quaternion, v, w)


def relative(found: list[Array], right: list[Array], *parts: slice) -> list[float]:
    """Return the RMS of the errors, relative to the RMS of what is right [%], of each part."""
    wrong, whole = np.square(np.subtract(found, right)), np.square(right)
    return [100.0 * float(np.sqrt(wrong[:, part].sum() / whole[:, part].sum())) for part in parts]


# The humanoid: the root from any link

LINKS = {'root': 'pelvis', 'fused': 'imu_in_pelvis', 'moved': 'imu_in_torso',
         'far': 'left_rubber_hand'}


def deviations(base: MovingBase, link: str, shift: float = 0.0) -> Array:
    """
    Return the RMS errors of angular velocity, angular and linear acceleration, (3,), at 400 Hz.

    `shift`: of the requested instants, in periods after the newest sample.
    """
    found = []
    for t, seen in measured(G1, link, 400.0):
        assert receive(base, t, link, seen) in ('used', 'warming_up')
        if t > 0.5:
            instant = t + shift / 400.0
            found.append(G1.motion(base, instant) - G1.root(instant).base_motion)
    return said(f'{type(base).__name__} on {link}, {shift:g} periods after a sample', found)


def said(what: str, found: list[Array]) -> Array:
    figures = np.sqrt(np.square(found).reshape(-1, 3, 3).sum(axis=2).mean(axis=0))
    print(f'\n{what}: {figures[0]:.2g} rad/s, {figures[1]:.2g} rad/s^2, {figures[2]:.2g} m/s^2')
    return figures


@pytest.mark.parametrize('where', LINKS)
def test_an_imu_on_any_link_shows_how_the_root_moves(where):
    """Exact except for the angular acceleration and its effect over the lever arm."""
    figures = deviations(G1.base('imu'), LINKS[where])
    assert (figures < (3e-7, 9e-4, 1e-12 if where == 'root' else 2e-4)).all()


@pytest.mark.parametrize('where', LINKS)
def test_odometry_of_any_link_shows_how_the_root_moves(where):
    assert (deviations(G1.base('odometry'), LINKS[where]) < (3e-7, 9e-4, 8e-4)).all()


@pytest.mark.parametrize('name', BASE_SENSORS)
def test_between_samples_it_is_linear(name):
    """A third of a period before the newest sample: the truth but for its curvature."""
    found = deviations(G1.base(name), 'imu_in_pelvis', -0.3)
    assert (found < (2e-4, 9e-4, 9e-4)).all()


def test_gravity_is_the_one_that_is_configured():
    moon = G1.base('odometry', gravity=(0.0, 0.0, -1.62))
    for t, seen in measured(G1, 'pelvis', 400.0):
        receive(moon, t, 'pelvis', seen)
    right = G1.root(t).R.T @ (G1.root(t).a - (0.0, 0.0, -1.62))
    assert G1.motion(moon, t)[6:] == pytest.approx(right, abs=0.0015)


# The drone with an arm: noise and lags, against Pinocchio's free flyer

ROOT, TIP = DRONE.model.root, 'flying_arm_2__ee'
JOINTS = len(DRONE.names)
SETTLED = 1.0   # s
AIMS = {0.0: 0.1, 0.001: 4.5, 0.005: 13.0}   # noise of velocities [rad/s, m/s]: errors [%]


def errors(base: MovingBase, link: str = ROOT, *, noise: float = 0.0, rate: float = 200.0,
           ahead: float = 0.0) -> list[float]:
    """
    Return the errors of efforts, of the wrench and of the angular acceleration of the base [%].

    `ahead`: from the newest message to the instants that are computed [periods].
    """
    rng, found, right = np.random.default_rng(0), [], []
    for t, seen in measured(DRONE, link, rate):
        now = noise * rng.normal(size=6)
        assert receive(base, t, link, seen, now) in ('used', 'warming_up')
        if t >= SETTLED:
            instant = t + ahead / rate
            motion = DRONE.motion(base, instant)
            found.append(np.concatenate((
                *DRONE.dynamics(*DRONE.joints(instant), motion), motion)))
            right.append(expected(instant))
    figures = relative(found, right, slice(JOINTS), slice(JOINTS, JOINTS + 6),
                       slice(JOINTS + 9, JOINTS + 12))
    print(f'\nnoise {noise:g}, {ahead:g} periods ahead, of {link}: efforts {figures[0]:.2g} %, '
          f'wrench {figures[1]:.2g} %, angular acceleration {figures[2]:.2g} %')
    return figures


@pytest.mark.parametrize('noise', AIMS)
@pytest.mark.parametrize('link', [ROOT, TIP], ids=['root', 'tip'])
@pytest.mark.parametrize('name', BASE_SENSORS)
def test_noise_of_the_sensor_is_not_amplified(name, link, noise):
    figures = errors(DRONE.base(name), link, noise=noise)
    # an acceleration of the tip is that of the arm as well
    assert max(figures if link == ROOT else figures[:2]) < AIMS[noise]


@pytest.mark.parametrize(('name', 'rate'), [('imu', 200.0), ('odometry', 50.0)])
def test_a_period_after_the_newest_message_the_motion_is_predicted(name, rate):
    for noise, most in ((0.0, 3.0), (0.001, 8.0)):
        base = DRONE.base(name, max_age=1.1 / rate)
        assert max(errors(base, noise=noise, rate=rate, ahead=1.0)) < most


@pytest.mark.parametrize('name', BASE_SENSORS)
def test_a_fixed_bandwidth_is_used_as_it_is(name):
    """A fast one follows the noise, as the default must not."""
    adapted, fixed = (errors(DRONE.base(name, bandwidth=bandwidth), noise=0.005)[2]
                      for bandwidth in (0.0, 60.0))
    assert fixed > 4.0 * adapted


@pytest.mark.parametrize('name', BASE_SENSORS)
def test_prediction_ends_after_20_ms(name):
    base = DRONE.base(name, max_age=1.0, timeout=2.0)
    for t, seen in measured(DRONE, ROOT, 200.0):
        receive(base, t, ROOT, seen)
    joints = DRONE.joints(t)
    after = [base.motion_at(stamp_of(t + ms * 1e-3), *joints) for ms in (0, 10, 20, 1000)]
    assert all(np.abs(after[0] - each).max() > 1e-3 for each in after[1:])
    assert np.abs(after[2] - after[1]).max() > 1e-3
    assert (after[3] == after[2]).all()
    assert after[1] == pytest.approx(DRONE.root(t + 0.01).base_motion, abs=0.1)


@pytest.mark.parametrize('lag', [0.02, 0.2])
@pytest.mark.parametrize('name', BASE_SENSORS)
def test_joints_with_a_lag_and_base_are_of_the_same_instant(name, lag):
    """The efforts at the stamp of the output, which is older."""
    base, rate = DRONE.base(name), 100.0
    stream = Stream(unlimited_joints(DRONE.names), DRONE.dynamics,
                    lambda joints: make_estimator('kalman_fixed_lag', joints, lag=lag),
                    clock=lambda: 0, load_arguments=Sources(base))
    found, right = [], []
    for t, seen in measured(DRONE, ROOT, rate):
        receive(base, t, ROOT, seen)
        q, qd, _ = DRONE.joints(t)
        output = stream.receive(Message(stamp_of(t), DRONE.names, q, qd))
        for each in (*stream.resume(), output):
            if each is None:
                continue
            instant = (each.stamp - START) * 1e-9
            assert t - instant >= lag - 1e-9
            if instant > SETTLED:
                found.append(np.concatenate((each.effort, each.wrench)))
                right.append(expected(round(instant * rate) / rate)[:JOINTS + 6])
    assert len(found) > 0.98 * (DRONE.duration - SETTLED - lag) * rate
    figures = relative(found, right, slice(JOINTS), slice(JOINTS, None))
    print(f'\n{name}, lag {lag:g} s: efforts {figures[0]:.2g} %, wrench {figures[1]:.2g} %')
    assert max(figures) < 0.15
