"""A floating root with other children: fixed links have no effect, joints are rejected."""

import re

import numpy as np
import pytest

from support.oracles import Pinocchio, efforts_of, random_state
from urdf2dyn_ros import InverseDynamics, export_model, read_urdf
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.robot.loads import Loads

BODY = ('<inertial><origin xyz="0.1 0.2 0.3"/><mass value="{}"/><inertia ixx="1" ixy="0" ixz="0" '
        'iyy="1" iyz="0" izz="1"/></inertial>')
LINKS = ''.join(f'<link name="{name}">{BODY.format(mass)}</link>' for name, mass in
                (('world', 1), ('drone', 2), ('arm', 3), ('table', 4), ('door', 5), ('other', 6)))


def joint(name: str, kind: str, parent: str, child: str) -> str:
    return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            '<origin xyz="0.3 0.1 0.2" rpy="0.1 0.2 0.3"/></joint>')


FLIES = joint('flies', 'floating', 'world', 'drone') + joint('shoulder', 'continuous', 'drone',
                                                             'arm')
STANDS = joint('stands', 'fixed', 'world', 'table')
HINGE = joint('hinge', 'continuous', 'table', 'door')
FLIES_TOO = joint('flies_too', 'floating', 'world', 'other')
MOTION = np.array((0.1, 0.2, 0.3, 1.0, 2.0, 3.0, 5.0, 0.0, 9.81))


def robot(joints: str) -> str:
    kept = re.findall(r'<link name="(?:world|{}).*?</link>'.format(
        '|'.join(re.findall('child link="([a-z]+)', joints))), LINKS)
    return f'<robot name="r">{"".join(kept)}{joints}</robot>'


def test_what_is_fixed_to_the_world_does_not_fly() -> None:
    """Neither its inertia nor a wrench on it; a wrench on it is no input."""
    state, force = ([0.3], [0.5], [0.7], MOTION), '<force link="table" force="1 2 3"/>'
    alone = InverseDynamics(read_urdf(robot(FLIES)))(*state)
    model = read_urdf(robot(FLIES + STANDS + force))
    for expected, found in zip(alone, InverseDynamics(model)(*state)):
        np.testing.assert_allclose(found, expected, rtol=1e-13)
    with pytest.raises(ParameterError, match=r"'table' is the world, .*, or fixed to it"):
        InverseDynamics(model, loads=Loads(external=['table']))


@pytest.mark.parametrize(('joints', 'names'), [
    (STANDS + HINGE, '"hinge"'), (FLIES_TOO, '"flies_too"'),
    (FLIES_TOO + STANDS + HINGE, '"flies_too", "hinge"')])
def test_what_moves_at_the_world_is_rejected_unless_the_base_is_fixed(joints, names):
    """It would be accelerated with the base; at rest its efforts are correct."""
    text = robot(FLIES + joints)
    model = read_urdf(text)
    for make in (InverseDynamics, export_model):
        with pytest.raises(ParameterError, match=f'what is on {names} does not move with the '
                           'floating robot, .* "world": .* choose base fixed'):
            make(model)
    fixed = InverseDynamics(model, base='fixed')
    state = random_state(fixed.joint_names)
    expected = Pinocchio(text).efforts(state)
    found = efforts_of(model, state)
    assert found == pytest.approx(expected, rel=1e-12)
