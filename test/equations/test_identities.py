"""Identities of the efforts of any robot, without an oracle."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from hypothesis import given

from support.oracles import GRAVITY, Array, difference, efforts_of, motion_of, random_state, worst
from support.random_trees import examples, trees
from urdf2dyn_ros import InverseDynamics
from urdf2dyn_ros.robot.model import Inertia, Joint, Link, RobotModel
from urdf2dyn_ros.robot.multibody import multibody
from urdf2dyn_ros.robot.spatial import from_rpy

TIGHT = 4e-15
"""Largest difference of efforts computed in two ways; 1.8e-15 in 100 random trees each."""

CANCELLING = 1.5e-13
"""The same where forces of parts cancel, which are larger than the efforts: 5.3e-14."""

robots = given(trees(most=7, massless=True))


def state_of(model: RobotModel, seed: int = 0) -> Array:
    """Return q, qd and qdd, (3, n)."""
    return np.random.default_rng(seed).normal(size=(3, len(multibody(model).joint_names)))


def kinetic(dynamics: InverseDynamics, q: Array, qd: Array) -> float:
    """Return the kinetic energy by a mass matrix, from efforts without gravity at rest."""
    return 0.5 * float(qd @ dynamics(q, 0 * q, qd))


def potential(model: RobotModel) -> Callable[[Array], float]:
    """Return the potential energy, from the centres of mass made links of their own."""
    centres = [(link.name, link.inertia) for link in model.links if link.inertia]
    marked = replace(
        model, links=(*model.links, *(Link(f'at {name}') for name, _ in centres)),
        joints=(*model.joints, *(Joint(f'to {name}', 'fixed', name, f'at {name}', inertia.com)
                                 for name, inertia in centres)))
    names = multibody(model).joint_names

    def energy(q: Array) -> float:
        found = motion_of(marked, {name: (x, 0.0, 0.0) for name, x in zip(names, q)})
        return -sum(inertia.mass * float(np.dot(GRAVITY, found[f'position_at {name}']))
                    for name, inertia in centres)
    return energy


def gradient(function: Callable[[Array], float], at: Array, step: float = 1e-4) -> Array:
    steps = step * np.eye(len(at))
    return np.array([(function(at + h) - function(at - h)) / (2 * step) for h in steps])


@examples(10)
@given(trees(most=4))
def test_gravity_at_rest_is_the_gradient_of_the_potential_energy(model: RobotModel) -> None:
    q = state_of(model)[0]
    found = InverseDynamics(model)(q, 0 * q, 0 * q)
    scale = model.mass * 9.81
    assert np.abs(found - gradient(potential(model), q)).max(initial=0.0) < 2e-9 * scale


@examples(20)
@given(trees(most=7))
def test_the_mass_matrix_is_symmetric_and_positive_definite(model: RobotModel) -> None:
    dynamics = InverseDynamics(model, (0.0, 0.0, 0.0))
    q = state_of(model)[0]
    M = np.array([dynamics(q, 0 * q, unit) for unit in np.eye(len(q))]).reshape(len(q), len(q))
    assert worst(M, M.T) < TIGHT
    scale = 1.0 / np.sqrt(M.diagonal())
    assert np.linalg.eigvalsh(M * np.outer(scale, scale)).min(initial=1.0) > 0.0


@examples(20)
@robots
def test_at_rest_without_gravity_mass_matrix_times_acceleration_is_left(model: RobotModel) -> None:
    heavy, free = InverseDynamics(model), InverseDynamics(model, (0.0, 0.0, 0.0))
    q, qd, qdd = state_of(model)
    columns = np.array([free(q, 0 * q, unit) for unit in np.eye(len(q))]).reshape(2 * q.shape)
    assert worst(free(q, 0 * q, qdd), qdd @ columns) < TIGHT
    both = heavy(q, 0 * q, 0 * q) + free(q, qd, qdd)
    assert worst(heavy(q, qd, qdd), both) < TIGHT
    assert not free(q, 0 * q, 0 * q).any()


@examples(8)
@given(trees(most=4))
def test_power_is_the_rate_of_the_energy_along_a_trajectory(model: RobotModel) -> None:
    dynamics, free = InverseDynamics(model), InverseDynamics(model, (0.0, 0.0, 0.0))
    start, size, phase = state_of(model)
    height = potential(model)

    def at(t: float) -> tuple[Array, Array, Array]:
        return (start + size * np.sin(2 * t + phase), 2 * size * np.cos(2 * t + phase),
                -4 * size * np.sin(2 * t + phase))

    def energy(t: float) -> float:
        q, qd, _ = at(t)
        return kinetic(free, q, qd) + height(q)

    for t in (0.1, 0.8):
        q, qd, qdd = at(t)
        tau = dynamics(q, qd, qdd)
        rate = gradient(lambda x: energy(float(x[0])), np.array([t]))[0]
        scale = np.abs(tau * qd).sum() + energy(t) - height(q) + model.mass * 9.81
        assert abs(float(tau @ qd) - rate) < 1.4e-8 * scale


@examples(20)
@robots
def test_a_reversed_axis_reverses_position_and_effort(model: RobotModel) -> None:
    turned = replace(model, joints=tuple(
        replace(joint, axis=(-joint.axis[0], -joint.axis[1], -joint.axis[2]))
        for joint in model.joints))
    state = state_of(model)
    assert worst(InverseDynamics(turned)(*-state), -InverseDynamics(model)(*state)) < TIGHT


@examples(20)
@robots
def test_other_inertial_axes_say_the_same(model: RobotModel) -> None:
    """The tensor is written along the link's axes, rpy becomes zero."""
    def along_link(inertia: Inertia) -> Inertia:
        R = np.array(from_rpy(inertia.rpy))
        xx, xy, xz, yy, yz, zz = inertia.tensor
        tensor = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
        return replace(inertia, rpy=(0.0, 0.0, 0.0),
                       tensor=tuple(tensor[np.triu_indices(3)].tolist()))

    state = state_of(model)
    changed = replace(model, links=tuple(
        replace(link, inertia=link.inertia and along_link(link.inertia)) for link in model.links))
    assert worst(InverseDynamics(changed)(*state), InverseDynamics(model)(*state)) < TIGHT


@examples(20)
@robots
def test_a_link_is_its_inertial_frame_moved_to_a_fixed_link(model: RobotModel) -> None:
    """Every inertia on a massless link of its own, whose frame is the inertial frame."""
    moved = [(link.name, link.inertia) for link in model.links if link.inertia]
    explicit = replace(
        model,
        links=(*(Link(link.name) for link in model.links),
               *(Link(f'{name} inertia', replace(inertia, com=(0.0,) * 3, rpy=(0.0,) * 3))
                 for name, inertia in moved)),
        joints=(*model.joints,
                *(Joint(f'{name} holds', 'fixed', name, f'{name} inertia', inertia.com,
                        inertia.rpy) for name, inertia in moved)))
    state = state_of(model)
    assert worst(InverseDynamics(explicit)(*state), InverseDynamics(model)(*state)) < TIGHT


@examples(20)
@robots
def test_fixed_joints_are_joints_that_stand_still(model: RobotModel) -> None:
    """Fixed joints that are made movable and held at zero change no effort of the others."""
    freed = replace(model, joints=tuple(
        replace(joint, type='revolute') if joint.type == 'fixed' else joint
        for joint in model.joints))
    state = random_state(multibody(model).joint_names)
    at_rest = dict.fromkeys(multibody(freed).joint_names, (0.0, 0.0, 0.0))
    found = efforts_of(freed, at_rest | state)
    expected = efforts_of(model, state)
    assert difference({name: found[name] for name in expected}, expected) < CANCELLING


@examples(20)
@robots
def test_names_and_order_of_the_elements_do_not_matter(model: RobotModel) -> None:
    renamed = {link.name: f'L{97 - k}' for k, link in enumerate(model.links)}
    shuffled = RobotModel(
        'other', tuple(replace(link, name=renamed[link.name]) for link in model.links[::-1]),
        tuple(replace(joint, name=f'x{joint.name}', parent=renamed[joint.parent],
                      child=renamed[joint.child]) for joint in model.joints[::-1]),
        renamed[model.root])
    state = random_state(multibody(model).joint_names)
    found = efforts_of(shuffled, {f'x{name}': values for name, values in state.items()})
    expected = {f'x{name}': effort for name, effort in efforts_of(model, state).items()}
    assert difference(found, expected) < TIGHT


@examples(20)
@robots
def test_tilted_gravity_is_a_tilted_base(model: RobotModel) -> None:
    rpy = (0.3, -0.8, 1.9)
    tilted = replace(model, links=(Link('ground'), *model.links), root='ground', joints=(
        Joint('stand', 'fixed', 'ground', model.root, (1.0, 2.0, 3.0), rpy), *model.joints))
    x, y, z = (np.array(from_rpy(rpy)).T @ GRAVITY).tolist()
    state = state_of(model)
    expected = InverseDynamics(model, (x, y, z))(*state)
    assert worst(InverseDynamics(tilted)(*state), expected) < CANCELLING


@examples(6)
@given(trees(most=4))
def test_efforts_are_linear_in_each_inertial_parameter(model: RobotModel) -> None:
    """Of mass, first moments and inertia about the link's origin: ten of each link."""
    def built(values: Array) -> RobotModel:
        links = []
        for link, (m, *rest) in zip(model.links, values):
            c = np.array(rest[:3]) / m
            about_com = np.zeros((3, 3))
            about_com[np.triu_indices(3)] = rest[3:]
            about_com = about_com - m * (c @ c * np.eye(3) - np.outer(c, c))
            links.append(Link(link.name, Inertia(
                float(m), tuple(c.tolist()), (0.0, 0.0, 0.0),
                tuple(about_com[np.triu_indices(3)].tolist()))))
        return replace(model, links=tuple(links))

    rng = np.random.default_rng(5)
    base = rng.uniform(0.5, 1.5, (len(model.links), 10))
    state = state_of(model)

    def efforts(values: Array) -> Array:
        return InverseDynamics(built(values))(*state)

    at_base = efforts(base)
    for k in range(base.size):
        step = np.zeros(base.size)
        step[k] = 0.25
        once, thrice = (efforts(base + n * step.reshape(base.shape)) for n in (1, 3))
        largest = max(1.0, np.abs(at_base).max(initial=0.0))
        assert np.abs((thrice - at_base) - 3 * (once - at_base)).max(initial=0.0) < 7e-15 * largest
