"""Pendulums: turns are no degrees, and a free swing is not without gravity."""

import numpy as np

from urdf2dyn_ros.identification.checks import checked
from urdf2dyn_ros.identification.robot import robot_of
from urdf2dyn_ros.identification.segments import Piece
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.robot.reader import read_urdf

URDF = """<robot name="pendulum"><link name="stand"/>
<link name="bob"><inertial><origin xyz="0 0 -0.5"/><mass value="1"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
<joint name="pivot" type="revolute"><parent link="stand"/><child link="bob"/><axis xyz="0 1 0"/>
<limit lower="-3.14" upper="3.14" effort="9" velocity="20"/></joint></robot>"""


def fault(degrees: bool) -> str:
    """Return the fault of a swing over five turns, and back."""
    robot = robot_of(model := read_urdf(URDF), InverseDynamics(model))
    time, w = np.arange(0.0, 10.0, 0.01), 2.0 * np.pi / 10.0
    q, qd, qdd = (10.0 * np.pi * each[:, None] for each in (
        np.sin(w * time), w * np.cos(w * time), -w * w * np.sin(w * time)))
    effort = robot.dynamics(q, qd, qdd) + 0.1 * np.tanh(qd / 0.02)
    effort += 0.05 * np.random.default_rng(0).normal(size=effort.shape)
    unit = 180.0 / np.pi if degrees else 1.0
    return checked(robot, [Piece(time, 100.0, unit * q, unit * qd, unit * qdd, effort)]).fault


def test_a_free_swing_is_not_without_gravity() -> None:
    """Gravity accelerates it, and the efforts are friction; the URDF's inertia is another one."""
    lighter = URDF.replace('"0.01"', '"0.1"')
    robot = robot_of(model := read_urdf(lighter), InverseDynamics(model))
    time, w = np.arange(0.0, 10.0, 0.01), np.sqrt(9.81 * 0.5 / 0.26)
    q, qd, qdd = (0.6 * each[:, None] for each in (
        np.sin(w * time), w * np.cos(w * time), -w * w * np.sin(w * time)))
    effort = 0.2 * np.tanh(qd / 0.02) + 0.1 * qd
    effort += 0.02 * np.random.default_rng(0).normal(size=effort.shape)
    assert checked(robot, [Piece(time, 100.0, q, qd, qdd, effort)]).fault == ''


def test_turns_are_no_degrees() -> None:
    assert fault(degrees=False) == ''
    assert 'pivot is at up to 1800, but its limits in the URDF are 3.14 rad' in fault(degrees=True)
