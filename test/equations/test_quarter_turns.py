"""Angles that are read as quarter turns: printed multiples of pi / 2 alone, and all reported."""

import math

import numpy as np
import pytest

from support.descriptions import VALID
from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.codegen.information import information, information_text
from urdf2dyn_ros.robot.spatial import quarter_turns


@pytest.mark.parametrize(('angle', 'turns'), [
    (1.5707963268, 1), (-1.5707963268, -1), (1.57079632679, 1),
    (3.14159265359, 2), (4.71238898038, 3), (math.pi / 2, 1), (-3 * math.pi, -6), (0.0, 0),
    (1.2246e-16, 0),
    (1.5707963269, None), (1.570796327, None), (1.5708, None), (1.57079632681, None),
    (1.570796326785, None), (1e-11, None), (1e-14, None), (1.5707963267948, 1),
    (1.5707963267943, None)])
def test_an_angle_is_a_quarter_turn_if_its_decimals_explain_it(angle: float,
                                                               turns: int | None) -> None:
    assert quarter_turns(angle) == turns


HINGE = """<robot name="r"><link name="a"/><link name="b"><inertial>
  <origin xyz="1 0 0" rpy="{}"/><mass value="1"/>
  <inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="3"/></inertial></link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/>
<origin rpy="{}"/><axis xyz="0 0 1"/></joint></robot>"""


@pytest.mark.parametrize('roll', [1e-11, 3e-13, -1e-14])
def test_a_small_angle_is_not_rounded(roll: float) -> None:
    """Gravity along the axis: the effort m g x sin(roll) is proportional to it."""
    dynamics = InverseDynamics(read_urdf(HINGE.format('0 0 0', f'{roll} 0 0')))
    assert dynamics([0.0], [0.0], [0.0])[0] == pytest.approx(9.81 * roll, rel=1e-15, abs=0)
    # by the products of inertia as well: J_yz = (J_zz - J_yy) sin cos
    bent = InverseDynamics(read_urdf(HINGE.format(f'{roll} 0 0', '0 0 0')), base='moving')
    _, wrench = bent([0.0], [0.0], [1.0], np.zeros(9))
    assert wrench[4] == pytest.approx(-roll, rel=1e-15, abs=0)


def test_what_is_rounded_is_reported() -> None:
    """With element, angle and error; for people the first ten."""
    model = read_urdf(HINGE.format('0 1.57079632679 0', '3.141592653589793 0 -1.5707963268'))
    facts = information(model)
    assert facts['rounded'] == [
        'joint "j" <origin>: yaw -1.5707963268 rad is read as -90 deg, 5.1e-12 rad from it',
        'link "b" <inertial><origin>: pitch 1.57079632679 rad is read as 90 deg, 4.9e-12 rad '
        'from it']
    assert 'what is rounded in rotations: 2\n  joint "j"' in information_text(facts)
    text = information_text({**facts, 'rounded': ['x'] * 12})
    assert text.endswith('\n  x\n  and 2 more')
    plain = information(read_urdf(VALID))
    assert plain['rounded'] == [] and 'rounded' not in information_text(plain)


def test_second_order_of_coarse_quarter_turns_is_rounded_and_reported() -> None:
    """1.5708 is 4e-6 rad from 90 deg, which stays; the square of that is read as 0."""
    model = read_urdf(HINGE.format('0 0 0', '3.14159 0 1.5708'))
    facts = information(model)
    assert facts['rounded'] == [
        '2 angles of joints are quarter turns printed with few decimals, the first is 3.14159 '
        'rad: they are read as they are, but entries of rotation matrices within 2e-11 of 0 and 1 '
        'are read as 0 and 1']
    effort = InverseDynamics(model)([0.0], [0.0], [0.0])[0]
    in_first_order = 9.81 * (math.pi - 3.14159)
    assert abs(effort) == pytest.approx(in_first_order, rel=1e-10, abs=0)
