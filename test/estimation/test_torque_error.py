"""
What an estimator's error does to efforts: a 2R in closed form, and seven joints by Pinocchio.

With -s the figures are printed. NRMSE is RMSE over the RMS of the true effort, the mean of the
joints. Every joint moves by the five harmonics of ``signals.py``, each at another time of them.

"""

from collections.abc import Callable
from functools import cache
from math import cos, sin

import numpy as np
import pinocchio
import pytest

from support.robot_files import EXAMPLES
from support.streams.known_motions import DURATION, ENDING, PROFILES, SETTLING, START, fourier
from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.estimation.estimators import make_estimator

GATES = {'A': 1.3, 'C': 1.7, 'F': 2.8}
EVERY = 5   # of the estimates has its effort computed
APART = 0.7   # s between the motions of two joints

M1, M2, LENGTH, GRAVITY = 4.0, 3.0, 0.5, 9.81
ROD = """<inertial><origin xyz="0.25 0 0"/><mass value="{0}"/><inertia ixx="0" ixy="0" ixz="0"
 iyy="{1}" iyz="0" izz="{1}"/></inertial>"""
TWO_LINKS = f"""<robot name="2R"><link name="base"/>
<link name="upper">{ROD.format(M1, M1 * LENGTH**2 / 12.0)}</link>
<link name="lower">{ROD.format(M2, M2 * LENGTH**2 / 12.0)}</link>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/>
<axis xyz="0 -1 0"/></joint>
<joint name="elbow" type="continuous"><origin xyz="{LENGTH} 0 0"/><parent link="upper"/>
<child link="lower"/><axis xyz="0 -1 0"/></joint></robot>"""
XARM = EXAMPLES / 'xarm_description' / 'urdf' / 'xarm7.urdf'


def two_links(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """Return the efforts of two uniform rods in a vertical plane, by Lagrange's equations."""
    (q1, q2), (v1, v2), (a1, a2) = q, qd, qdd
    r, couple = LENGTH / 2.0, M2 * LENGTH**2 / 2.0
    m22 = M2 * LENGTH**2 / 3.0
    m12 = m22 + couple * cos(q2)
    m11 = M1 * LENGTH**2 / 3.0 + m22 + M2 * LENGTH**2 + 2.0 * couple * cos(q2)
    h = couple * sin(q2)
    g2 = M2 * GRAVITY * r * cos(q1 + q2)
    g1 = (M1 * r + M2 * LENGTH) * GRAVITY * cos(q1) + g2
    return np.array([m11 * a1 + m12 * a2 - h * (2.0 * v1 + v2) * v2 + g1,
                     m12 * a1 + m22 * a2 + h * v1 * v1 + g2])


Efforts = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def seven_joints() -> tuple[InverseDynamics, Efforts]:
    oracle = pinocchio.buildModelFromUrdf(str(XARM))
    data = oracle.createData()
    return (InverseDynamics(read_urdf(XARM.read_text())),
            lambda q, qd, qdd: pinocchio.rnea(oracle, data, q, qd, qdd).copy())


ROBOTS: dict[str, Callable[[], tuple[InverseDynamics, Efforts]]] = {
    '2R': lambda: (InverseDynamics(read_urdf(TWO_LINKS)), two_links), '7 joints': seven_joints}


def motion(stamps: np.ndarray, joints: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return q, qd, qdd (k, n)."""
    parts = [fourier((stamps - START) * 1e-9 + APART * joint) for joint in range(joints)]
    q, qd, qdd = (np.stack(part, axis=1) for part in zip(*parts, strict=True))
    return q, qd, qdd


@cache
def nrmse(name: str, profile: str, estimator: str, **parameters: float) -> float:
    """Return the error of the efforts from estimated motion [%]."""
    dynamics, true = ROBOTS[name]()
    joints, sensor = len(dynamics.joint_names), PROFILES[profile]
    stamps = START + np.arange(round(DURATION * sensor.rate)) * round(1e9 / sensor.rate)
    q, qd, qdd = motion(stamps, joints)
    step = 2.0 * np.pi / 2**sensor.bits
    noise = sensor.noise * np.random.default_rng(0).normal(size=qd.shape)
    filter_ = make_estimator(estimator, joints, **parameters)
    row_of = {stamp: row for row, stamp in enumerate(stamps.tolist())}
    found, expected = [], []
    for row, sample in enumerate(zip(stamps.tolist(), np.round(q / step) * step, qd + noise)):
        estimate = filter_.update(*sample)
        t = (estimate.stamp - START) * 1e-9
        if row % EVERY == 0 and estimate.valid and SETTLING <= t <= DURATION - ENDING:
            at = row_of[estimate.stamp]
            found.append(dynamics(estimate.q, estimate.qd, estimate.qdd))
            expected.append(true(q[at], qd[at], qdd[at]))
    error = np.array(found) - expected
    return 100.0 * float(np.mean(np.sqrt((error**2).mean(axis=0) / np.square(expected).mean(0))))


@pytest.mark.parametrize('name', ROBOTS)
@pytest.mark.parametrize(('estimator', 'profile'), [
    *(('kalman', profile) for profile in GATES), ('kalman_fixed_lag', 'C')])
def test_the_efforts_are_as_good_as_promised(name, profile, estimator):
    figure = nrmse(name, profile, estimator)
    print(f'\n{name}, {profile}, {estimator}: {figure:.3f} of {GATES[profile]} %')
    assert figure <= GATES[profile]


@pytest.mark.parametrize('name', ROBOTS)
def test_the_filter_beats_differences_with_a_low_pass(name):
    worse = nrmse(name, 'A', 'finite_difference', cutoff=20.0)
    ratio = worse / nrmse(name, 'A', 'kalman')
    print(f'\n{name}: {ratio:.2f} times better than differences with 20 Hz')
    assert ratio >= 3.0


@pytest.mark.parametrize('name', ROBOTS)
def test_leaving_accelerations_out_would_be_noticed(name):
    assert nrmse(name, 'C', 'none') > 20.0 * nrmse(name, 'C', 'kalman')
