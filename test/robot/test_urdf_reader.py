"""Reading URDF: what is taken, how it is mapped, and what must never happen."""

import dataclasses
import math
import re
from typing import Any

import pytest

from support.descriptions import VALID, codes
from urdf2dyn_ros.codegen.information import information
from urdf2dyn_ros.errors import UrdfError
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.robot.model import Inertial, Joint, Limits, Link, Mimic, RobotModel
from urdf2dyn_ros.robot.reader import read_urdf


def efforts(text: str) -> Any:
    dynamics = InverseDynamics(read_urdf(text))
    n = len(dynamics.joint_names)
    return dynamics([0.5] * n, [1.0] * n, [2.0] * n)


def test_every_value_arrives() -> None:
    model = read_urdf("""
        <robot name="r">
          <link name="a"/>
          <joint name="j" type="prismatic">
            <origin xyz="1 2\t3" rpy=" .1 -2e-1 +3. "/><parent link="a"/><child link="b"/>
            <axis xyz="3 0 4"/><limit lower="-1" effort="7"/>
            <dynamics damping="0.5" friction="0.25"/>
          </joint>
          <link name="b">
            <inertial>
              <origin xyz="4 5 6" rpy="0.4 0.5 0.6"/><mass value="2"/>
              <inertia ixx="1" ixy="0.1" ixz="0.2" iyy="1.5" iyz="0.3" izz="2"/>
            </inertial>
          </link>
          <link name="c"/>
          <joint name="k" type="revolute">
            <parent link="b"/><child link="c"/><limit lower="0" upper="1"/>
            <mimic joint="j" multiplier="-2" offset="0.5"/>
          </joint>
        </robot>
    """)
    inertia = Inertial(2.0, (4.0, 5.0, 6.0), (0.4, 0.5, 0.6), (1.0, 0.1, 0.2, 1.5, 0.3, 2.0))
    assert dataclasses.replace(model, warnings=()) == RobotModel(
        'r', (Link('a'), Link('b', inertia), Link('c')),
        (Joint('j', 'prismatic', 'a', 'b', (1.0, 2.0, 3.0), (0.1, -0.2, 3.0), (0.6, 0.0, 0.8),
               limits=Limits(lower=-1.0, effort=7.0), damping=0.5, friction=0.25),
         Joint('k', 'revolute', 'b', 'c', mimic=Mimic('j', -2.0, 0.5), limits=Limits(0.0, 1.0))),
        root='a')


def test_all_problems_come_at_once_in_the_order_of_their_lines() -> None:
    text = VALID.replace('mass value="2"', 'mass value="1,5"').replace('0 1 0', '0 0 0')
    text = text.replace('continuous', 'ball').replace('link="hand"', 'link="hnad"')
    text = text.replace('joint="swing"', 'joint="swin"')
    with pytest.raises(UrdfError) as caught:
        read_urdf(text)
    found = [(problem.code, problem.line) for problem in caught.value.problems if problem.refused]
    assert found == [('number', 6), ('axis-zero', 13), ('joint-type', 22), ('link-unknown', 24),
                     ('mimic-unknown', 25)]
    assert str(caught.value).startswith('5 problems')


@pytest.mark.fault(18)
def test_what_dynamics_does_not_need_is_not_looked_at(capfd):
    noise = ('<gazebo><mass value="1,5"/><joint name="swing"/></gazebo><ros2_control x="${y}"/>'
             '<transmission><joint name="swing"/></transmission><?pi?><!-- <link/> -->')
    visual = '<visual><origin xyz="nan"/><geometry><unknown/></geometry></visual>'
    text = VALID.replace('</robot>', noise + '</robot>').replace('</link>', visual + '</link>')
    text = text.replace('<robot', '<robot version="9" xmlns:x="urn:x" x:y="z"')
    assert read_urdf(text) == read_urdf(VALID)
    assert capfd.readouterr() == ('', '')


@pytest.mark.fault(13)
def test_the_inertia_of_the_root_is_taken_and_changes_no_effort() -> None:
    body = VALID[VALID.index('<inertial>') : VALID.index('</inertial>')] + '</inertial>'
    text = VALID.replace('<link name="base"/>', f'<link name="base">{body}</link>')
    text = text.replace('mass value="2"', 'mass value="7"', 1)
    assert read_urdf(text).links[0].inertia is not None and codes(text) == []
    assert efforts(text) == efforts(VALID)


@pytest.mark.fault(14)
@pytest.mark.parametrize('limit', ['effort="0"', 'lower="3" upper="-3"', 'effort="-1"', ''])
def test_limits_do_not_change_the_efforts(limit: str) -> None:
    text = re.sub('<limit[^>]*>', f'<limit {limit}/>', VALID)
    assert efforts(text) == efforts(VALID) != 0.0


@pytest.mark.fault(12)
def test_what_has_no_mass_takes_no_effort() -> None:
    text = re.sub('<inertial>.*?</inertial>', '', VALID, flags=re.DOTALL)
    text = re.sub('<mimic.*/>', '', text)
    assert efforts(text).tolist() == [0.0, 0.0]
    told = information(read_urdf(text))
    assert [(body['links'], body['mass']) for body in told['bodies']] == [
        (['arm'], 0.0), (['hand'], 0.0)]
    assert ['"swing", "wrist"' in warning for warning in told['warnings']] == [True]


@pytest.mark.fault(6, 8)
@pytest.mark.parametrize(('was', 'is_now'), [
    ('joint name="wrist"', 'joint name="hand"'),  # as the link
    ('<mimic joint="swing" multiplier="0.5"/>', '<mimic joint="swing"/>'),
    ('type="continuous"', 'type="planar"'),
    ('type="continuous"', 'type="fixed"><axis xyz="0 0 0"/'),  # it has none
    ('<mass value="2"/>', '<mass value="\t2"/>'),
    ('type="revolute"', "type='revolute'")])
def test_legal_oddities_pass_without_a_word(was: str, is_now: str) -> None:
    text = VALID if 'mimic' in was else re.sub('<mimic.*/>', '', VALID)
    assert was in text
    assert codes(text.replace(was, is_now)) == []


@pytest.mark.fault(12)
def test_only_a_branch_all_of_which_is_massless_is_reported() -> None:
    bodies = re.compile('<inertial>.*?</inertial>', re.DOTALL)
    assert codes(bodies.sub('', VALID, count=1)) == []
    (problem,) = read_urdf(bodies.sub('', VALID)).warnings
    assert problem.code == 'massless-branch' and '"swing", "wrist"' in problem.message


@pytest.mark.fault(12)
def test_a_massless_joint_that_drives_a_mass_is_not_reported() -> None:
    motor = ('<link name="rotor"/><joint name="motor" type="continuous"><parent link="base"/>'
             '<child link="rotor"/><axis xyz="1 0 0"/></joint></robot>')
    text = VALID.replace('</robot>', motor)
    assert codes(text) == ['massless-branch']
    assert codes(text.replace('mimic joint="swing"', 'mimic joint="motor"')) == []


@pytest.mark.fault(16)
def test_a_chain_of_mimics_is_no_loop() -> None:
    tip = VALID[VALID.index('  <link name="hand"') :].replace('hand', 'tip')
    tip = tip.replace('swing', 'wrist').replace('name="wrist"', 'name="bend"')
    mimics = [joint.mimic for joint in read_urdf(VALID.replace('</robot>\n', tip)).joints]
    assert mimics == [None, Mimic('swing', 0.5), Mimic('wrist', 0.5)]


@pytest.mark.fault(11)
@pytest.mark.parametrize(('tensor', 'expected'), [
    (('0.002', '0', '0', '0.002', '0', '0.0045'), []),  # 0.00225 + 0.00225 makes a body
    (('0.00200', '0', '0', '0.00200', '0', '0.00450'), ['inertia-triangle']),
    (('2.00e-3', '0.0', '0.0', '2.00e-3', '0.0', '4.50e-3'), ['inertia-triangle']),
    (('1', '0', '0', '1', '0', '3'), ['inertia-triangle']),  # whole numbers are exact
    (('0.0001', '0', '0', '0.0120', '0', '0.0122'), []),
    (('0', '0', '0', '0', '0', '0'), []),  # a point mass
    (('1e-35', '3e-35', '0', '1e-35', '0', '0'), []),  # noise of a program
    (('1e30', '0', '0', '1e30', '0', '1e30'), []),
    (('1e30', '0', '0', '1e29', '0', '1e29'), ['inertia-triangle'])])
def test_inertias_are_judged_to_the_decimals_they_are_printed_in(tensor, expected):
    names = ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')
    values = ' '.join(f'{name}="{text}"' for name, text in zip(names, tensor, strict=True))
    found = codes(re.sub(r'<inertia ixx="0.1.*/>', f'<inertia {values}/>', VALID))
    assert [code for code in found if code != 'units-inertia'] == expected


@pytest.mark.fault(9)
def test_axes_become_unit_vectors_however_long_they_are() -> None:
    for axis in ('1e308 1e308 1e308', '1e-8 1e-8 1e-8', '1 1 1'):
        (joint, _) = read_urdf(VALID.replace('0 1 0', axis)).joints
        assert joint.axis == pytest.approx([1 / math.sqrt(3)] * 3, rel=1e-15, abs=0.0)


@pytest.mark.fault(9)
def test_without_an_axis_it_is_x_and_a_thousandth_off_one_is_rounding() -> None:
    assert read_urdf(VALID.replace('<axis xyz="0 1 0"/>', '')).joints[0].axis == (1.0, 0.0, 0.0)
    for length, said in (('0.9991', []), ('1.0009', []), ('0.998', ['axis-not-unit'])):
        text = VALID.replace('0 1 0', f'0 {length} 0')
        assert codes(text) == said
        assert read_urdf(text).joints[0].axis == (0.0, 1.0, 0.0)
