"""Simulated recordings of a SCARA, whose masses, friction and rotors are not those of its URDF."""

from dataclasses import replace

import numpy as np

from support.robot_files import OWN
from support.streams.known_motions import sums_of_sines
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.reader import read_urdf
from urdf2dyn_ros.robot.terms import Friction, Rotor

SCARA = OWN / 'scara.urdf'
MODEL = read_urdf(SCARA.read_text())


def robot(coulomb=1.5, payload=0.0, **friction):
    """Return what is recorded: masses a third larger, friction, further one by joint, rotors."""
    last = [link for link in MODEL.links if link.inertia][-1]
    links = tuple(link if link.inertia is None else replace(link, inertia=replace(
        link.inertia, mass=1.3 * link.inertia.mass + payload * (link is last),
        tensor=tuple(1.2 * entry for entry in link.inertia.tensor))) for link in MODEL.links)
    dynamics = InverseDynamics(MODEL)
    terms = {name: (Friction(2.0, coulomb, {'rad': 50.0, 'm': 500.0}[unit], offset=0.2,
                             **friction.get(name, {})), Rotor(armature=0.3))
             for name, unit in zip(dynamics.joint_names, dynamics.units)}
    return InverseDynamics(replace(MODEL, links=links), loads=Loads(terms=terms))


ROBOT = robot()
NAMES = ROBOT.joint_names


def motion(seconds, seed=0, moving=None, rate=60.0):
    """Return times, and positions to accelerations of sums of sines."""
    rng = np.random.default_rng(seed)
    time = np.arange(0.0, seconds, 1.0 / rate)
    w, phase = np.zeros((2, 4, len(NAMES)))
    for joint in range(len(NAMES)) if moving is None else moving:
        w[:, joint] = 2.0 * np.pi * rng.uniform(0.15, 1.0, 4)
        phase[:, joint] = rng.uniform(0.0, 6.28, 4)
    size = np.where(np.array(ROBOT.units) == 'm', 0.04, 0.4)
    return time, *sums_of_sines(time, w, phase, size)


def recording(path, seconds=12.0, seed=0, moving=None, change=lambda q, effort: (q, effort),
              recorded=ROBOT, unit=1.0):
    """Write a table with noise, times in units of a second; return its path."""
    time, q, qd, qdd = motion(seconds, seed, moving)
    rng = np.random.default_rng(seed + 100)
    effort = recorded(q, qd, qdd)
    effort += 0.01 * effort.std(axis=0) * rng.normal(size=effort.shape)
    q, effort = change(q + 1e-5 * rng.normal(size=q.shape), effort)
    head = ['time', *(f'q_{name}' for name in NAMES), *(f'effort_{name}' for name in NAMES)]
    np.savetxt(path, np.column_stack((unit * time[:len(q)], q, effort)), '%.9g', ',',
               header=','.join(head), comments='')
    return str(path)


def identified(*words):
    """Return the exit code of identify for recordings and options, with the SCARA's URDF."""
    return main(['identify', *map(str, words), '--urdf', str(SCARA)])
