"""Robots that a stream's model is swapped for, and what drivers say: helpers of its tests."""

from functools import cache
from math import pi

import numpy as np

from support.robot_files import OWN
from support.streams.pendulums import START
from urdf2dyn_ros import InverseDynamics, export_model, read_urdf

_LINK = ('<link name="{name}"><inertial><origin xyz="0.1 0.02 {height}"/><mass value="{mass}"/>'
         '<inertia ixx="0.2" ixy="0.01" ixz="0" iyy="0.3" iyz="0" izz="0.25"/></inertial></link>')
_JOINT = ('<joint name="{name}" type="{type}"><parent link="{parent}"/><child link="{name}_link"/>'
          '<origin xyz="0.1 0.3 0.5"/><axis xyz="{axis}"/>{limit}</joint>')
_LIMIT = '<limit lower="-1" upper="1" effort="9" velocity="9"/>'
_JOINTS = (('lift', 'prismatic', 'world', '0 0 1', _LIMIT),
           ('wheel', 'continuous', 'lift_link', '0 1 0', ''),
           ('joint2', 'revolute', 'wheel_link', '1 0 0', _LIMIT))

GANTRY = ''.join((
    '<robot name="gantry"><link name="world"/>',
    *(_LINK.format(name=f'{name}_link', mass=2.0 + k, height=0.1 * k)
      + _JOINT.format(name=name, type=type_, parent=parent, axis=axis, limit=limit)
      for k, (name, type_, parent, axis, limit) in enumerate(_JOINTS)), '</robot>'))
"""Prismatic, continuous, revolute; the last has the name of a joint of the others."""

TEXTS = {'2r': (OWN / 'robot_2r.urdf').read_text(),   # two continuous joints
         'scara': (OWN / 'scara.urdf').read_text(),   # these and two more, one of them prismatic
         'gantry': GANTRY}

STYLES = (('python', 'readable'), ('python', 'fast'), ('c', 'fast'))
EXPORTED = {(model, *style): export_model(read_urdf(text), *style)
            for model, text in TEXTS.items() for style in STYLES}
"""The texts as they are before any data flow."""


@cache
def dynamics(model: str, backend: str, use: str) -> InverseDynamics:
    """Return a model's efforts: for each use another object, of another reading of the URDF."""
    return InverseDynamics(read_urdf(TEXTS[model]), backend=backend)


def motion(of: InverseDynamics, stamp: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return q, qd, qdd (n,): what has limits swings at 1 Hz, the others turn on and on."""
    t, w = (stamp - START) * 1e-9, 2.0 * pi
    phase, speed = w * t + np.arange(len(of.joint_names)), 5.0
    turns = np.array(of.continuous)
    return (np.where(turns, speed * t, 0.3 * np.sin(phase)),
            np.where(turns, speed, 0.3 * w * np.cos(phase)),
            np.where(turns, 0.0, -0.3 * w * w * np.sin(phase)))


def said(of: InverseDynamics, stamp: int) -> dict[str, list[float]]:
    """Return what a driver says that wraps the joints that turn: position, velocity, effort."""
    q, qd, qdd = motion(of, stamp)
    return {'position': np.where(of.continuous, (q + pi) % (2.0 * pi) - pi, q).tolist(),
            'velocity': qd.tolist(), 'effort': (qdd + 1.0).tolist()}
