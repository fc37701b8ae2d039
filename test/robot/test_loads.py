"""Impossible loads: rejected with the name, place, rule and remedy."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from support.random_trees import random_inertia
from support.robot_files import OWN
from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.model import ExternalForce, Joint, Link, RobotModel
from urdf2dyn_ros.robot.terms import Friction, JointTerm, Rotor, Spring

RX90 = read_urdf((OWN / 'rx90.urdf').read_bytes())
SCARA = read_urdf((OWN / 'scara.urdf').read_bytes())
SLIDE = next(joint.name for joint in SCARA.joints if joint.type == 'prismatic')

FREE = RobotModel(
    'free', (Link('world', random_inertia(1)), Link('body', random_inertia(2))),
    (Joint('floats', 'floating', 'world', 'body', (0.1, 0.2, 0.3)),), 'world')


@pytest.mark.parametrize(('term', 'message'), [
    (Friction(viscous=-1.0), r'friction viscous of joint "joint2" = -1.0: .* at least 0.*N m s/'),
    (Friction(coulomb=-0.1), r'friction coulomb .* = -0.1: .* at least 0.*\[N m\]'),
    (Friction(stribeck=-2.0), r'friction stribeck .* = -2.0: .* at least 0'),
    (Friction(stribeck=1.0, decay=-3.0), r'friction decay .* = -3.0: .* at least 1e-30'),
    (Friction(coulomb=1.0, steepness=-5.0), r'friction steepness .* = -5.0: .* at least 1e-30'),
    (Friction(coulomb=1.0, steepness=0.0), r'friction steepness .* = 0.0: .* at least 1e-30'),
    (Friction(offset=float('nan')), r'friction offset .* = nan: must be a number'),
    (Friction(viscous=float('inf')), r'friction viscous .* = inf: .* at most 1e\+30'),
    (Friction(viscous='much'), r"friction viscous .* = 'much': must be a number"),
    (Rotor(-0.1), r'rotor inertia of joint "joint2" = -0.1: .* at least 0.*\[kg m\^2\]'),
    (Rotor(armature=-0.1), r'rotor armature .* = -0.1: .* at least 0'),
    (Rotor(0.1, float('nan')), r'rotor gear_ratio .* = nan: must be a number'),
    (Rotor(0.1, 0.0), r'rotor gear_ratio of joint "joint2" = 0: must .* without a gear it is 1'),
    (Spring(-3.0), r'spring stiffness of joint "joint2" = -3.0: .* at least 0.*\[N m/rad\]'),
    (Spring(1.0, float('inf')), r'spring reference .* = inf: .*\[rad\]')])
def test_parameters_that_no_joint_has_are_refused(term: JointTerm, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        InverseDynamics(RX90, loads=Loads(terms={'joint2': [term]}))


def test_the_message_has_the_units_of_the_joint() -> None:
    with pytest.raises(ParameterError, match=rf'"{SLIDE}" = -1.0: .*\[N s/m\]'):
        InverseDynamics(SCARA, loads=Loads(terms={SLIDE: [Friction(-1.0)]}))


@pytest.mark.parametrize('term', [
    Friction(np.float32(1.0), 2, 1e6, 3.0, 1e12, -0.5), Rotor(0.1, -50.0), Spring(1.0, -2.0),
    Rotor(armature=1.0, gear_ratio=0.0), Friction(1.0, steepness=1e-9)])
def test_what_can_be_is_taken(term: Any) -> None:
    dynamics = InverseDynamics(RX90, loads=Loads(terms={'joint2': [term]}))
    q, qd, qdd = np.full((3, 6), 0.3)
    added = dynamics(q, qd, qdd) - InverseDynamics(RX90)(q, qd, qdd)
    assert abs(added[1]) > 0.01
    assert added[[0, 2, 3, 4, 5]] == pytest.approx(0.0)


def test_two_terms_of_one_kind_at_a_joint_are_refused() -> None:
    """Their parameters would have the same names in the text."""
    springs = Loads(terms={'joint2': [Spring(1.0), Friction(1.0), Spring(2.0, 0.3)]})
    with pytest.raises(ParameterError, match=r"'joint2' has spring, friction, spring: .*one of"):
        InverseDynamics(RX90, loads=springs)
    alone: Any = Spring(1.0)
    with pytest.raises(ParameterError, match=r"'joint2' has Spring.*: put it in a list"):
        InverseDynamics(RX90, loads=Loads(terms={'joint2': alone}))


def test_the_world_in_which_a_robot_floats_weighs_nothing() -> None:
    """Neither its inertia nor a wrench on it has an effect; a payload on it is rejected."""
    motion = np.linspace(-1.0, 2.0, 9)
    massless = replace(FREE, links=(Link('world'), FREE.links[1]))
    expected = InverseDynamics(massless)([], [], [], motion)[1]
    assert np.abs(expected).min() > 0.1
    pushed = replace(FREE, forces=(ExternalForce('world', (1.0, 2.0, 3.0)),))
    for model in (FREE, pushed):
        assert InverseDynamics(model)([], [], [], motion)[1] == pytest.approx(expected)
    on_body = replace(FREE, forces=(ExternalForce('body', (1.0, 2.0, 3.0)),))
    found = InverseDynamics(on_body)([], [], [], motion)[1]
    assert found[:3] == pytest.approx(expected[:3] - [1.0, 2.0, 3.0])
    for loads in (Loads(external=['world']), Loads(payload='world')):
        with pytest.raises(ParameterError, match=r"'world' is the world, .* be on another link"):
            InverseDynamics(FREE, loads=loads)
    still = InverseDynamics(FREE, base='fixed', loads=Loads(external=['world']))
    assert still([], [], [], np.ones(6)).shape == (0,)
