"""External wrenches and payloads: J'F of Pinocchio and MuJoCo, and the same mass in the URDF."""

from dataclasses import replace
from typing import Any

import mujoco
import numpy as np
import pytest
from hypothesis import given

from support.acting_loads import terms
from support.oracles import Pinocchio, columns, prepared, random_state, worst
from support.random_trees import examples, trees
from support.robot_files import OWN, robot_path
from urdf2dyn_ros import InverseDynamics, RobotModel, read_urdf
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.model import Inertia, Joint, Link
from urdf2dyn_ros.robot.multibody import multibody
from urdf2dyn_ros.robot.writer import clean_urdf

HUMANOID = read_urdf((OWN / 'humanoid_3p33r.urdf').read_bytes())
WRENCH = np.array([7.0, -3.0, 11.0, 0.5, 2.0, -1.5])
PAYLOAD = (1.5, (0.1, -0.2, 0.3), (0.05, 0.01, -0.02, 0.06, 0.005, 0.04))
ENTRIES = [PAYLOAD[0], *PAYLOAD[1], *PAYLOAD[2]]


def by_mujoco(model: RobotModel, link: str, q: dict[str, Any]) -> dict[str, float]:
    """Return J'F of the wrench on a link that is a body to MuJoCo."""
    inert = '<mujoco><compiler discardvisual="true" fusestatic="false"/></mujoco></robot>'
    peer = mujoco.MjModel.from_xml_string(
        prepared(clean_urdf(model, fill_limits=True)).replace('</robot>', inert))
    data = mujoco.MjData(peer)
    names = [peer.joint(i).name for i in range(peer.njnt)]
    data.qpos[:] = [q[name][0] for name in names]
    mujoco.mj_kinematics(peer, data)
    mujoco.mj_comPos(peer, data)
    body = peer.body(link).id
    R = data.xmat[body].reshape(3, 3)
    found = np.zeros(peer.nv)
    mujoco.mj_applyFT(peer, data, R @ WRENCH[:3], R @ WRENCH[3:], data.xpos[body], body, found)
    return dict(zip(names, found))


def felt(model: RobotModel, link: str, state: Any) -> np.ndarray:
    """Return what the joints no longer have to supply because of the wrench."""
    dynamics = InverseDynamics(model, loads=Loads('fixed', external=[link]))
    return dynamics(*state, np.zeros(6)) - dynamics(*state, WRENCH)


def test_a_wrench_at_every_link_of_the_humanoid_is_felt_as_both_oracles_say() -> None:
    system = multibody(HUMANOID)
    names = system.joint_names
    state = random_state(names)
    oracle = Pinocchio(clean_urdf(HUMANOID))
    # a massless link is no body that MuJoCo takes
    heavy = replace(HUMANOID, links=tuple(
        link if link.inertia or link.name == HUMANOID.root else replace(link, inertia=Inertia(
            1.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)))
        for link in HUMANOID.links))
    for link in system.links:
        found = felt(HUMANOID, link, columns(names, state))
        assert worst([1.0, *found], [1.0, *oracle.pressed(state, link, WRENCH)]) < 1e-10
        if link != HUMANOID.root:
            expected = by_mujoco(heavy, link, state)
            assert worst([1.0, *found], [1.0, *(expected[name] for name in names)]) < 1e-10


@examples(15)
@given(trees())
def test_a_wrench_on_any_link_of_random_trees_is_felt_as_pinocchio_says(model: RobotModel) -> None:
    system = multibody(model)
    names = system.joint_names
    state = random_state(names)
    links = list(system.links)
    for link in (links[0], links[-1], links[len(links) // 2]):
        expected = Pinocchio(clean_urdf(model)).pressed(state, link, WRENCH)
        found = felt(model, link, columns(names, state))
        assert np.abs(found - expected).max(initial=0.0) < 1e-10


def with_payload(model: RobotModel, link: str) -> RobotModel:
    mass, com, tensor = PAYLOAD
    return replace(
        model, links=(*model.links, Link('cargo', Inertia(mass, com, (0.0, 0.0, 0.0), tensor))),
        joints=(*model.joints, Joint('strap', 'fixed', link, 'cargo')))


@pytest.mark.parametrize('base', ['fixed', 'moving'])
@pytest.mark.parametrize('name', [
    'rx90', 'scara', *(pytest.param(name, marks=pytest.mark.slow)
                       for name in ('humanoid_3p33r', 'panda'))])
def test_a_payload_is_the_same_mass_in_the_urdf(name: str, base: str) -> None:
    model = read_urdf(robot_path(name).read_bytes())
    system = multibody(model)
    names, links = system.joint_names, list(system.links)
    q, qd, qdd = columns(names, random_state(names))
    given = [np.array([0.3, -0.7, 0.2, 1.0, 2.0, -3.0, 4.0, 5.0, 9.0])] * (base == 'moving')
    bare = InverseDynamics(model, loads=Loads(base, terms(model)))
    for link in {links[0], links[1], links[-1], links[len(links) // 2]}:
        loaded = InverseDynamics(model, loads=Loads(base, terms(model), payload=link))
        whole = InverseDynamics(with_payload(model, link), loads=Loads(base, terms(model)))
        assert loaded.joint_names == whole.joint_names

        def flat(found: Any) -> np.ndarray:
            return np.concatenate(found) if base == 'moving' else found

        assert worst(flat(loaded(q, qd, qdd, *given, ENTRIES)),
                     flat(whole(q, qd, qdd, *given))) < 1e-11
        assert worst(flat(loaded.gravity(q, *given, ENTRIES)),
                     flat(whole.gravity(q, *given))) < 1e-11
        assert worst(loaded.mass_matrix(q, ENTRIES).ravel(), whole.mass_matrix(q).ravel()) < 1e-11
        nothing = flat(loaded(q, qd, qdd, *given, np.zeros(10)))
        assert worst(nothing, flat(bare(q, qd, qdd, *given))) < 1e-11


@examples(15)
@given(trees(massless=True))
def test_a_payload_on_random_trees_is_the_same_mass_in_the_urdf(model: RobotModel) -> None:
    system = multibody(model)
    names, link = system.joint_names, list(system.links)[-1]
    state = columns(names, random_state(names))
    found = InverseDynamics(model, loads=Loads(payload=link))(*state, ENTRIES)
    whole = InverseDynamics(with_payload(model, link))
    moment = np.abs(whole(*state)).max(initial=1.0)
    assert np.abs(found - whole(*state)).max(initial=0.0) < 1e-10 * max(moment, 100.0)
