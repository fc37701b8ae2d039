"""Loads from parameters of a node: friction, rotors, springs, forces, payload."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.robot_files import OWN
from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.robot import loads as load_parameters
from urdf2dyn_ros.robot.loads import PAYLOAD, Loads, payload_entries, payload_fault, payload_text
from urdf2dyn_ros.robot.model import ExternalForce, RobotModel
from urdf2dyn_ros.robot.multibody import make_multibody
from urdf2dyn_ros.robot.parameters import read_parameter_file
from urdf2dyn_ros.robot.terms import Friction

TEXT = (OWN / 'robot_2r.urdf').read_text()
MODEL = read_urdf(TEXT)
Q, QD, QDD = np.array([0.3, -0.8]), np.array([1.5, -0.02]), np.array([2.0, 5.0])
DEFAULTS = {'base': 'auto', **{row.name: row.default for row in (
    *load_parameters.LOAD_PARAMETERS, *load_parameters.PAYLOAD)}}


def unused_settings(values: dict[str, Any], model: RobotModel) -> list[str]:
    return [*load_parameters.unused_settings(values, model)]


def efforts(values: dict[str, Any], model: Any = MODEL) -> np.ndarray:
    robot, loads = load_parameters.with_loads({**DEFAULTS, **values}, model)
    return InverseDynamics(robot, loads=loads)(Q, QD, QDD) - InverseDynamics(MODEL)(Q, QD, QDD)


def with_dynamics(damping: float, friction: float) -> Any:
    """Return the 2R with friction of its second joint in the URDF."""
    return replace(MODEL, joints=tuple(
        replace(joint, damping=damping, friction=friction) if joint.name == 'joint2' else joint
        for joint in MODEL.joints))


def test_what_acts_on_a_robot_is_known() -> None:
    pushed = replace(MODEL, forces=(ExternalForce('link2', (1.0, 0.0, 0.0)),))
    for acts, model, loads in (
            (False, MODEL, Loads()), (True, MODEL, Loads('moving')), (True, pushed, Loads()),
            (True, MODEL, Loads(external=('link2',))),
            (True, MODEL, Loads(terms={'joint1': (Friction(), Friction(2.0))})),
            (False, MODEL, Loads(terms={'joint1': (Friction(),)}))):
        assert loads.acts(make_multibody(model)) == acts


def test_by_default_nothing_acts_but_the_links() -> None:
    robot, loads = load_parameters.with_loads(DEFAULTS, with_dynamics(3.0, 2.0))
    assert not loads.terms and not loads.payload and not loads.external
    assert robot.forces == MODEL.forces


def test_friction_is_that_of_the_urdf_where_no_parameter_takes_its_place() -> None:
    model = with_dynamics(3.0, 2.0)
    on = {'friction.enabled': True, 'friction.width': 0.05}
    np.testing.assert_allclose(
        efforts(on, model), [0.0, 3.0 * QD[1] + 2.0 * np.tanh(QD[1] / 0.05)], atol=1e-12)
    own = {**on, 'joints.joint2.viscous': 0.0, 'joints.joint2.friction_width': 0.2,
           'joints.joint1.coulomb': 7.0, 'joints.joint1.friction_offset': -0.25}
    np.testing.assert_allclose(
        efforts(own, model), [7.0 * np.tanh(QD[0] / 0.05) - 0.25, 2.0 * np.tanh(QD[1] / 0.2)],
        atol=1e-12)
    np.testing.assert_array_equal(efforts({**own, 'friction.enabled': False}, model), [0.0, 0.0])


def test_stribeck_rotor_and_spring_are_the_formulas_that_they_stand_for() -> None:
    given = {'friction.enabled': True, 'joints.joint2.stribeck': 4.0,
             'joints.joint2.stribeck_velocity': 0.03, 'joints.joint1.rotor_inertia': 1e-4,
             'joints.joint1.gear_ratio': -100.0, 'joints.joint1.armature': 0.5,
             'joints.joint2.spring_stiffness': 20.0, 'joints.joint2.spring_reference': 0.1}
    sticking = 4.0 * np.exp(-(QD[1] / 0.03)**2) * np.tanh(QD[1] / 0.01)
    np.testing.assert_allclose(
        efforts(given), [(1e-4 * 100.0**2 + 0.5) * QDD[0], sticking + 20.0 * (Q[1] - 0.1)],
        atol=1e-11)
    np.testing.assert_allclose(
        efforts({**given, 'rotor.enabled': False, 'spring.enabled': False}), [0.0, sticking],
        atol=1e-11)


def test_a_spinning_rotor_acts_on_the_parent_on_request() -> None:
    """Where both joints turn about z, by Im N times the acceleration of the other one."""
    given = {'joints.joint2.rotor_inertia': 1e-3, 'joints.joint2.gear_ratio': 80.0}
    np.testing.assert_allclose(efforts(given), [0.0, 6.4 * QDD[1]], atol=1e-11)
    np.testing.assert_allclose(
        efforts({**given, 'rotor.gyroscopic': True}),
        [0.08 * QDD[1], 6.4 * QDD[1] + 0.08 * QDD[0]], atol=1e-11)


def test_the_forces_of_the_urdf_count_by_default() -> None:
    """50 N across the second link, 2 m from the first joint."""
    model = replace(MODEL, forces=(ExternalForce('link2', (0.0, 50.0, 0.0)),))
    np.testing.assert_allclose(efforts({}, model), [-100.0 * np.cos(Q[1]), 0.0], atol=1e-11)
    np.testing.assert_array_equal(efforts({'forces.enabled': False}, model), [0.0, 0.0])


def test_names_may_have_dots_and_slashes() -> None:
    name = 'joints.left/arm.shoulder.viscous.coulomb'
    assert load_parameters.JOINT_PARAMETERS.of({name: 1.0}) == {
        'left/arm.shoulder.viscous': {'coulomb': 1.0}}
    assert load_parameters.JOINT_PARAMETERS.row(name).check(2) == 2.0
    for wrong in ('joints.viscous', 'joints..viscous', 'joints.arm.viscus', 'joints.arm'):
        with pytest.raises(ParameterError, match=r'joints\.<joint>\.<field>.*stribeck'):
            load_parameters.JOINT_PARAMETERS.row(wrong)


@pytest.mark.parametrize(('field', 'value'), [
    ('viscous', -1.0), ('coulomb', float('nan')), ('stribeck', float('inf')), ('armature', True),
    ('gear_ratio', '3'), ('friction_width', 0.0), ('stribeck_velocity', 0), ('armature', None)])
def test_fields_are_checked(field: str, value: object) -> None:
    with pytest.raises(ParameterError, match=rf'joints\.arm\.{field} = .* must be a number'):
        load_parameters.JOINT_PARAMETERS.row(f'joints.arm.{field}').check(value)


@pytest.mark.parametrize('value', [[True, False, True], ['1_0', '0', '0'], '1_0 0 0',
                                   '\u0661 0 0', 'nan 0 0', [b'1', b'0', b'0'], '0,0;0'])
def test_numbers_of_a_list_are_plain(value: Any) -> None:
    """Python's own reading of numbers takes more."""
    com = next(row for row in PAYLOAD if row.name == 'payload.com')
    assert com.check('[0, -1, 2.5e-1]') == com.check(np.array([0.0, -1.0, 0.25])) == (
        0.0, -1.0, 0.25)
    with pytest.raises(ParameterError, match='must be 3 numbers'):
        com.check(value)


def test_what_has_no_effect_is_reported() -> None:
    """Joints of another robot, with the names of this one; what is switched off."""
    given = {**DEFAULTS, 'joints.joint3.viscous': 1.0, 'joints.joint1.coulomb': 1.0,
             'joints.joint1.armature': 1.0, 'payload.mass': 2.0}
    assert unused_settings(DEFAULTS, MODEL) == []
    unknown, off, payload_ = unused_settings(given, MODEL)
    assert 'payload.link' in payload_
    assert '"joint3"' in unknown and '"joint1", "joint2"' in unknown
    assert 'joints.joint1.coulomb' in off and 'friction.enabled' in off and 'armature' not in off
    others = {f'joints.other{k}.viscous': 1.0 for k in range(500)}
    line, = unused_settings({**DEFAULTS, 'friction.enabled': True, **others}, MODEL)
    assert '"other0"' in line and '490 more' in line
    on = {**DEFAULTS, 'friction.enabled': True}
    line, = unused_settings(on, MODEL)
    assert line.startswith('friction.enabled without effect: the URDF has no <dynamics')
    assert unused_settings({**on, 'joints.joint1.load': 0.1}, MODEL) == []
    assert unused_settings({**on, 'joints.joint1.armature': 0.1}, MODEL) == [line]
    with pytest.raises(ParameterError, match='joint3'):
        load_parameters.check_names({'joints.joint3.viscous': 1.0}, MODEL)


def test_a_gear_without_a_rotor_and_loads_on_the_ground_are_reported() -> None:
    """They are zero whatever their numbers are."""
    root = ExternalForce(MODEL.root, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0))
    tip = replace(root, link='link2')
    robot = replace(MODEL, forces=(root, tip))
    ratio = {**DEFAULTS, 'joints.joint1.gear_ratio': 50.0}
    assert unused_settings(ratio, MODEL) == [
        'joints.joint1.gear_ratio without effect: its rotor_inertia is 0']
    assert unused_settings({**ratio, 'joints.joint1.rotor_inertia': 1e-4}, MODEL) == []
    line, = unused_settings(DEFAULTS, robot)
    assert line.startswith(f'<force> on link "{MODEL.root}" without effect')
    assert unused_settings({**DEFAULTS, 'base': 'imu'}, robot) == []
    assert unused_settings({**DEFAULTS, 'forces.enabled': False}, robot) == []
    on_ground = {**DEFAULTS, 'payload.link': MODEL.root,
                 f'external_wrenches.{MODEL.root}': 'wrench'}
    assert unused_settings(on_ground, MODEL) == [
        f'{load} on link "{MODEL.root}" without effect: the link stands still'
        for load in ('payload', 'external wrench')]
    assert unused_settings({**on_ground, 'base': 'imu'}, MODEL) == []
    assert unused_settings({**DEFAULTS, 'payload.link': 'link2'}, MODEL) == []


def test_friction_of_a_joint_with_several_coordinates_is_set_by_coordinate() -> None:
    text = TEXT.replace('type="continuous"', 'type="planar"', 1).replace(
        '</joint>', '<dynamics damping="2"/></joint>', 1)
    model = read_urdf(text)
    on = {**DEFAULTS, 'friction.enabled': True}
    line, = unused_settings(on, model)
    assert 'several coordinates' in line
    _, loads = load_parameters.with_loads({**on, 'joints.joint1/theta.viscous': 2.0}, model)
    assert list(loads.terms) == ['joint1/theta']


def test_the_values_that_make_a_model_are_what_json_can_hold() -> None:
    """So that an export in another process has the same."""
    values = {**DEFAULTS, 'joints.joint1.coulomb': 0.1, 'friction.enabled': True,
              'payload.link': 'link2'}
    again = json.loads(json.dumps(load_parameters.load_values(values)))
    assert load_parameters.with_loads(again, MODEL) == load_parameters.with_loads(values, MODEL)


def test_a_payload_has_its_numbers_until_it_is_put_down() -> None:
    values = {**DEFAULTS, 'payload.link': 'link2', 'payload.mass': 2.0,
              'payload.com': (0.1, 0.2, 0.3), 'payload.inertia': (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)}
    assert [*payload_entries(values)] == [2.0, 0.1, 0.2, 0.3, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert '2 kg' in payload_text(values) and 'link2' in payload_text(values)
    values['payload.attached'] = False
    assert not np.any(payload_entries(values) + payload_entries(DEFAULTS))
    assert 'nothing' in payload_text(values)


@pytest.mark.parametrize(('inertia', 'mass', 'word'), [
    ((1.0, 0.0, 0.0, 0.1, 0.0, 0.1), 1.0, 'exceeds'), ((-1.0, 0.0, 0.0, 1.0, 0.0, 1.0), 1.0,
                                                       'negative'),
    ((0.1, 0.0, 0.0, 0.1, 0.0, 0.1), 0.0, 'payload.mass'),
    ((0.0012, 0.0, 0.0, 0.0012, 0.0, 0.0024), 1.0, ''), ((0.0,) * 6, 0.0, '')])
def test_a_payload_that_no_body_is_has_a_fault(inertia, mass, word):
    found = payload_fault({**DEFAULTS, 'payload.inertia': inertia, 'payload.mass': mass})
    assert word in found and bool(word) == bool(found)


def test_two_nodes_in_a_file_are_refused(tmp_path: Path) -> None:
    """Sections for any node, or any namespace, count for the one."""
    path = tmp_path / 'two.yaml'
    path.write_text("""
/**: {ros__parameters: {a: 0}}
robot_a: {inverse_dynamics: {ros__parameters: {a: 1, b: 1}}}
/*/inverse_dynamics: {ros__parameters: {d: 3}}
/other: {ros__parameters: {e: 1}}
""")
    assert read_parameter_file(path, 'inverse_dynamics') == {'a': 1, 'b': 1, 'd': 3}
    for other in ('/robot_b/**', '/robot_b/inverse_dynamics', '/inverse_dynamics'):
        text = path.read_text() + f'{other}: {{ros__parameters: {{c: 2}}}}\n'
        (tmp_path / 'more.yaml').write_text(text)
        with pytest.raises(ParameterError, match=re.escape(
                'has parameters of 2 nodes called inverse_dynamics: "/robot_a/inverse_dynamics"')):
            read_parameter_file(tmp_path / 'more.yaml', 'inverse_dynamics')
    with pytest.raises(ParameterError, match='it has those of "/left/other"'):
        path.write_text('/left/other: {ros__parameters: {a: 1}}')
        read_parameter_file(path, 'inverse_dynamics')
