"""A Franka Panda that follows a rich motion and is pushed at its tool: Pinocchio moves it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from support.robot_files import robot_path
from urdf2dyn_ros.robot.terms import Friction, JointTerm, Rotor

Array = NDArray[np.float64]

TOOL = 'panda_hand_tcp'
START = 1_700_000_000_000_000_000
STEP = 1_000_000
"""Of the simulation [ns]; samples are taken at some of its ends."""

STIFFNESS, DAMPING = np.array([400.0, 400, 300, 300, 60, 60, 20]), np.array(
    [60.0, 60, 40, 40, 8, 8, 2])
VISCOUS, COULOMB = np.array([[1.0, 1.0, 1.0, 1.0, 0.1, 0.1, 0.02],
                             [3.0, 3.0, 2.0, 2.0, 0.1, 0.1, 0.02]])
STEEPNESS = 10.0
ARMATURE = np.array([0.3, 0.3, 0.3, 0.3, 0.1, 0.1, 0.1])
"""Reflected inertia of the rotors [kg m^2]: without it the wrist would be blown away."""


def panda() -> str:
    """Return the URDF with the fingers fixed: seven joints."""
    robot = ElementTree.parse(robot_path('panda')).getroot()
    for joint in robot.iterfind('joint'):
        if joint.get('type') == 'prismatic':
            joint.set('type', 'fixed')
            for mimic in joint.findall('mimic'):
                joint.remove(mimic)
    return ElementTree.tostring(robot, encoding='unicode')


def terms(rubs: bool) -> list[tuple[JointTerm, ...]]:
    """Return rotor and, where it rubs, friction of each joint."""
    return [(Rotor(armature=armature), *[Friction(viscous, coulomb, STEEPNESS)] * rubs)
            for armature, viscous, coulomb in zip(*map(np.ndarray.tolist, (
                ARMATURE, VISCOUS, COULOMB)))]


def rubbing(qd: Array) -> Array:
    """Return the efforts that overcome friction [N m]."""
    return VISCOUS * qd + COULOMB * np.tanh(STEEPNESS * qd)


@dataclass(frozen=True)
class Motion:
    """What happened: stamps [ns] and the others (N, 7) [rad], [rad/s], [N m]; external is J'F."""

    stamps: NDArray[np.int64]
    q: Array
    qd: Array
    effort: Array
    external: Array

    def chosen(self, rows: object) -> Motion:
        return Motion(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))


def desired(t: float | Array) -> tuple[Array, Array, Array]:
    """Return q, qd, qdd (.., 7) of a motion of three harmonics of 0.2 Hz at t [s]."""
    rng = np.random.default_rng(5)
    t = np.asarray(t)[..., None]
    q, qd, qdd = np.array([0.2, 0.4, -0.3, -1.6, 0.4, 1.8, 0.1]), 0.0, 0.0
    for k in (1, 2, 3):
        w, (a, b) = 2.0 * np.pi * 0.2 * k, 0.35 * rng.normal(size=(2, 7)) / k
        q = q + a * np.sin(w * t) + b * np.cos(w * t)
        qd = qd + w * (a * np.cos(w * t) - b * np.sin(w * t))
        qdd = qdd - w * w * (a * np.sin(w * t) + b * np.cos(w * t))
    return q, qd, qdd


@lru_cache
def pushed(force: tuple[float, ...] = (0.0, 0.0, 0.0), joints: tuple[float, ...] = (0.0,) * 7,
           first: float = 1.0, last: float = 1.3, duration: float = 1.5,
           rubs: bool = False, feedback: float = 1.0) -> Motion:
    """
    Return what happens under a feedforward and a soft feedback of positions and velocities.

    `force` [N] pushes the tool, in the root frame, and `joints` [N m] the joints, from `first` to
    `last` of `duration` [s]. If it `rubs`, the joints have friction, which the motors supply;
    `feedback` scales stiffness and damping.

    """
    model = pin.buildModelFromXML(panda())
    model.armature = ARMATURE
    data = model.createData()
    tool = model.getFrameId(TOOL)
    F = np.concatenate((force, np.zeros(3)))

    def motor(t: float, q: Array, qd: Array) -> Array:
        wanted = desired(t)
        feedforward = pin.rnea(model, data, *wanted) + rubs * rubbing(wanted[1])
        return feedforward + feedback * (
            STIFFNESS * (wanted[0] - q) + DAMPING * (wanted[1] - qd))

    def external(t: float, q: Array) -> Array:
        if not first <= t < last:
            return np.zeros(7)
        at = (model, data, q, tool, pin.LOCAL_WORLD_ALIGNED)
        return joints + pin.computeFrameJacobian(*at).T @ F

    def change(t: float, q: Array, qd: Array, pushes: float) -> tuple[Array, Array]:
        efforts = motor(t, q, qd) + external(pushes, q) - rubs * rubbing(qd)
        return qd, pin.aba(model, data, q, qd, efforts)

    q, qd, _ = desired(0.0)
    rows, h = [], STEP * 1e-9
    for k in range(round(duration / h) + 1):
        t = k * h
        middle = t + 0.5 * h   # whether it pushes does not change in a step
        rows.append((START + k * STEP, q, qd, motor(t, q, qd), external(middle, q)))
        v1, a1 = change(t, q, qd, middle)
        v2, a2 = change(middle, q + 0.5 * h * v1, qd + 0.5 * h * a1, middle)
        v3, a3 = change(middle, q + 0.5 * h * v2, qd + 0.5 * h * a2, middle)
        v4, a4 = change(t + h, q + h * v3, qd + h * a3, middle)
        q = q + h / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4)
        qd = qd + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
    return Motion(*(np.array(column) for column in zip(*rows)))


def measured(motion: Motion, bits: int, velocity: float, effort: float | Array,
             seed: int = 0) -> Motion:
    """Return what an encoder of so many bits a turn and noisy sensors make of a motion."""
    rng = np.random.default_rng(seed)
    count = 2.0 * np.pi / 2**bits
    return Motion(motion.stamps, np.round(motion.q / count) * count,
                  motion.qd + velocity * rng.normal(size=motion.qd.shape),
                  motion.effort + effort * rng.normal(size=motion.qd.shape), motion.external)
