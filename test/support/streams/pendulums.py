"""A stream of two pendulums' joint states, and the truth about them: helpers of its tests."""

from math import pi

import numpy as np

from urdf2dyn_ros.estimation.estimators import make_estimator
from urdf2dyn_ros.estimation.hold import unlimited_joints
from urdf2dyn_ros.estimation.messages import Message
from urdf2dyn_ros.estimation.outcomes import JOINT_STATE_OUTCOMES
from urdf2dyn_ros.estimation.stream import Stream

MS = 1_000_000
START = 1_700_000_000 * 1000 * MS
NAMES = ['swing', 'spin']
NOTHING: list[float] = []

MASS, LENGTH, GRAVITY = 2.0, 0.5, 9.81  # [kg], [m], [m/s^2]


def pendulums(q, qd, qdd):
    """Return the efforts (2,) of two point masses on massless rods [N m]; q = 0 hangs down."""
    return MASS * LENGTH**2 * qdd + MASS * GRAVITY * LENGTH * np.sin(q)


def motion(stamp):
    """Return q, qd, qdd (2,): one swings at 1 Hz, the other turns on and on."""
    t = (stamp - START) * 1e-9
    w = 2.0 * pi
    return (np.array([0.5 * np.sin(w * t), 5.0 * t]), np.array([0.5 * w * np.cos(w * t), 5.0]),
            np.array([-0.5 * w * w * np.sin(w * t), 0.0]))


def make_stream(estimator=None, dynamics=pendulums, clock=lambda: START, limits=None, **options):
    joints = unlimited_joints(NAMES, [False, True])
    return Stream(joints if limits is None else joints._replace(limits=limits), dynamics,
                  lambda joints: estimator or make_estimator('finite_difference', joints),
                  clock=clock, **options)


def receive(stream, ms, names=NAMES, **fields):
    """Let a driver speak that wraps the joint that turns; `fields` replace what it would say."""
    stamp = START + round(ms * MS)
    q, qd, qdd = motion(stamp)
    truth = {'position': [q[0], (q[1] + pi) % (2.0 * pi) - pi], 'velocity': qd.tolist(),
             'effort': pendulums(q, qd, qdd).tolist()}
    compute, stamp = fields.pop('compute', True), fields.pop('stamp', stamp)
    return stream.receive(Message(stamp, names, **{**truth, **fields}), compute)


def run(stream, milliseconds, **fields):
    """Return the outputs of many messages."""
    outputs = [receive(stream, ms, **fields) for ms in milliseconds]
    return [output for output in outputs if output is not None]


def add_up(counters):
    return counters['received'] == sum(counters[outcome] for outcome in JOINT_STATE_OUTCOMES)
