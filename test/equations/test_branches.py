"""Links with several children."""

import dataclasses
import math

import numpy as np
import pytest

from support.oracles import (
    MuJoCo,
    Pinocchio,
    State,
    columns,
    difference,
    efforts_of,
    motion_of,
    random_state,
    worst,
)
from support.random_trees import random_inertia
from urdf2dyn_ros import InverseDynamics
from urdf2dyn_ros.robot.model import Inertia, Joint, Link, RobotModel
from urdf2dyn_ros.robot.writer import clean_urdf

G = 9.81
HUB_LENGTH = 0.7
PENDULUMS = ((0.4, 2.0), (0.9, 0.3), (0.2, 5.0))   # length [m], mass [kg] at its end
STATE: State = {'hub': (0.4, 1.3, -0.6), 'swing0': (0.5, -0.8, 2.0), 'swing1': (-1.1, 2.1, 0.3),
                'swing2': (2.6, 0.4, -1.7)}


def mass_at(mass: float, length: float) -> Inertia:
    return Inertia(mass, (length, 0.0, 0.0), (0.0,) * 3, (0.0,) * 6)


def hub_with_pendulums() -> RobotModel:
    """Return an arm in the x-y plane that carries three pendulums on its tip."""
    links = [Link('world'), Link('arm', mass_at(1.5, HUB_LENGTH))]
    joints = [Joint('hub', 'revolute', 'world', 'arm', axis=(0.0, 0.0, 1.0))]
    for k, (length, mass) in enumerate(PENDULUMS):
        links.append(Link(f'bob{k}', mass_at(mass, length)))
        joints.append(Joint(f'swing{k}', 'continuous', 'arm', f'bob{k}', (HUB_LENGTH, 0.0, 0.0),
                            axis=(0.0, 0.0, 1.0)))
    return RobotModel('hub', tuple(links), tuple(joints), 'world')


def humanlike(branches: tuple[str, ...] = ('left', 'right', 'head')) -> RobotModel:
    links, joints = [Link('world'), Link('trunk', random_inertia(1))], [
        Joint('waist', 'revolute', 'world', 'trunk', (0.1, 0.2, 0.3), (0.3, -0.2, 0.5))]
    for k, side in enumerate(branches):
        seed = 10 * (1 + ('left', 'right', 'head').index(side))
        rng = np.random.default_rng(seed)
        parts = (('shoulder', 'revolute', 'trunk'), ('bracket', 'fixed', f'{side}_shoulder'),
                 ('slide', 'prismatic', f'{side}_bracket'), ('thumb', 'revolute', f'{side}_slide'),
                 ('finger', 'continuous', f'{side}_slide'), ('ring', 'fixed', f'{side}_finger'))
        for i, (name, kind, parent) in enumerate(parts):
            link = f'{side}_{name}'
            offset, angles, axis = rng.normal(size=(3, 3))
            axis /= np.linalg.norm(axis)
            links.append(Link(link, random_inertia(seed + i)))
            joints.append(Joint(f'to_{link}', kind, parent, link, tuple(offset.tolist()),
                                tuple(angles.tolist()), tuple(axis.tolist())))
        links[2 + 6 * k] = dataclasses.replace(links[2 + 6 * k], inertia=None)
    return RobotModel('humanlike', tuple(links), tuple(joints), 'world')


def movable(model: RobotModel) -> list[str]:
    return [joint.name for joint in model.joints if joint.type != 'fixed']


def test_a_hub_carries_the_sum_of_its_pendulums() -> None:
    """Each effort is the moment, about its joint, of the forces m (a - g) at every mass behind."""
    def turning(angle: float, rate: float, rise: float, length: float) -> tuple[complex, complex]:
        arm = length * complex(math.cos(angle), math.sin(angle))
        return arm, arm * (1j * rise - rate * rate)

    def moment(arm: complex, force: complex) -> float:
        return arm.real * force.imag - arm.imag * force.real

    tip, tip_acceleration = turning(*STATE['hub'], HUB_LENGTH)
    expected = {'hub': moment(tip, 1.5 * (tip_acceleration + 1j * G))}
    for k, (length, mass) in enumerate(PENDULUMS):
        absolute = np.add(STATE['hub'], STATE[f'swing{k}'])
        arm, acceleration = turning(*absolute, length)
        force = mass * (tip_acceleration + acceleration + 1j * G)
        expected[f'swing{k}'] = moment(arm, force)
        expected['hub'] += moment(tip + arm, force)
    found = efforts_of(hub_with_pendulums(), STATE, gravity=(0.0, -G, 0.0))
    assert difference(found, expected) < 2e-15


def test_efforts_of_branches_agree_with_both_oracles() -> None:
    model = humanlike()
    whole = dataclasses.replace(model, links=tuple(
        link if link.inertia or link.name == 'world' else Link(link.name, random_inertia(99))
        for link in model.links))
    for robot, oracles in ((model, (Pinocchio,)), (whole, (Pinocchio, MuJoCo))):
        dynamics, text = InverseDynamics(robot), clean_urdf(robot)
        for oracle in [kind(text) for kind in oracles]:
            for seed in range(20):
                state = random_state(movable(model), seed)
                found = dynamics(*columns(dynamics.joint_names, state))
                expected = oracle.efforts(state)
                assert difference(dict(zip(dynamics.joint_names, found)), expected) < 1e-14


@pytest.mark.parametrize('kind', ['position', 'velocity', 'acceleration', 'forces', 'torques'])
def test_bodies_at_and_behind_branches_move_as_pinocchio_says(kind: str) -> None:
    model = humanlike()
    text = clean_urdf(model)
    for seed in range(5):
        state = random_state(movable(model), seed)
        found, expected = motion_of(model, state), Pinocchio(text).motion(state)
        keys = [key for key in expected if key.startswith(f'{kind}_')]
        behind = [joint.name for joint in model.joints if joint.parent.endswith('_slide')]
        assert len(behind) == 6
        assert {f'{kind}_{name}' for name in behind} <= set(keys)
        assert set(keys) == {key for key in found if key.startswith(f'{kind}_')}
        assert worst([found[key] for key in keys], [expected[key] for key in keys]) < 8e-15


def test_a_branch_adds_to_its_trunk_what_it_adds_alone() -> None:
    """The trunk's effort with all branches is that without, and what each of them adds."""
    state = random_state(movable(humanlike()), 3)

    def waist(*branches: str) -> float:
        return efforts_of(humanlike(branches), state)['waist']

    alone = waist()
    added = [waist(branch) - alone for branch in ('left', 'right', 'head')]
    assert all(abs(effort) > 1.0 for effort in added)
    assert waist('left', 'right', 'head') == pytest.approx(alone + sum(added), rel=2e-15, abs=0.0)


def test_branches_do_not_feel_each_other() -> None:
    """At one motion of the trunk a branch's own efforts are the same without the others."""
    state = random_state(movable(humanlike()), 4)
    everything = efforts_of(humanlike(), state)
    for branch in ('left', 'right', 'head'):
        alone = efforts_of(humanlike((branch,)), state)
        del alone['waist']
        assert difference({name: everything[name] for name in alone}, alone) < 2e-15


def test_joints_are_numbered_limb_by_limb_in_the_order_of_the_file() -> None:
    assert list(efforts_of(humanlike(), random_state(movable(humanlike())))) == [
        'waist', *(f'to_{side}_{name}' for side in ('left', 'right', 'head')
                   for name in ('shoulder', 'slide', 'thumb', 'finger'))]
