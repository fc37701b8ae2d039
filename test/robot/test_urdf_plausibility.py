"""Numbers of another unit: inertias and limits, on real robots and on these with a factor."""

import re
from pathlib import Path

import pytest

from support.paths import TEST
from support.robot_files import EXAMPLES, OWN
from urdf2dyn_ros import UrdfError, read_urdf

ROBOTS = [OWN / 'rx90.urdf', *(EXAMPLES / name for name in (
    'ur_description/urdf/ur5_robot.urdf', 'panda_description/urdf/panda.urdf',
    'kinova_description/robots/kinova.urdf', 'xarm_description/urdf/xarm7.urdf',
    'pr2_description/urdf/pr2.urdf'))]


def said(text: bytes, code: str) -> list[str]:
    return [problem.message for problem in read_urdf(text).warnings if problem.code == code]


def scaled(text: bytes, names: str, factor: float) -> bytes:
    return re.sub(rb'\b((?:%s)\s*=\s*")([^"]+)' % names.encode(), lambda match: match[1] + repr(
        float(match[2]) * factor).encode(), text)


@pytest.mark.parametrize('path', ROBOTS, ids=lambda path: path.stem)
@pytest.mark.parametrize('factor', [1e-3, 1e3, 1e4, 1e6, 1e9])
def test_inertias_of_another_unit(path: Path, factor: float) -> None:
    text = path.read_bytes()
    assert said(text, 'units-inertia') == []
    other = scaled(text, 'i[xyz][xyz]', factor)
    (message,) = said(other, 'units-inertia')
    assert 'kg m^2' in message and ('below' if factor < 1.0 else 'above') in message


@pytest.mark.parametrize('path', ROBOTS[:3], ids=lambda path: path.stem)
@pytest.mark.parametrize(('names', 'factor', 'code', 'said_of'), [
    ('value|i[xyz][xyz]', 1e-3, 'units-effort', 'are masses in kilograms'),
    ('effort', 1e3, 'units-effort', 'limits in N m?'),
    ('i[xyz][xyz]', 0.0, 'inertia-zero', 'points'),
    ('velocity', 57.29577951308232, 'units-limit', 'in degrees per second?'),
    ('lower|upper', 57.29577951308232, 'units-limit', 'in degrees?')])
def test_all_of_another_unit(path, names, factor, code, said_of):
    text = path.read_bytes()
    assert said(text, code) == []
    (message,) = said(scaled(text, names, factor), code)
    assert said_of in message and (code == 'units-effort' or ' more)' in message)


@pytest.mark.parametrize('path', ROBOTS, ids=lambda path: path.stem)
def test_millimetres_and_grams_without_limits_of_effort(path: Path) -> None:
    text = re.sub(rb'\beffort="[^"]*"', b'effort="0"', path.read_bytes())
    assert said(text, 'units-density') == []
    grams = scaled(text, r'mass\s+value|i[xyz][xyz]', 1e3)
    lengths = re.sub(rb'\bxyz="([-+.e\d ]+)"', lambda match: b'xyz="%s"' % b' '.join(
        repr(1e2 * float(entry)).encode() for entry in match[1].split()), text)
    for other in (grams, scaled(lengths, 'i[xyz][xyz]', 1e4)):
        messages = said(other, 'units-density') or said(other, 'units-mass')
        assert messages and ('are lengths in metres and masses in kilograms?' in messages[0]
                             or 'is it in grams?' in messages[0])


@pytest.mark.slow
def test_real_robots_have_densities_of_bodies_masses_and_readable_numbers() -> None:
    for path in EXAMPLES.rglob('*.urdf'):
        try:
            warnings = read_urdf(path).warnings
        except UrdfError:   # one mimics joints that it does not have
            continue
        assert {problem.code for problem in warnings}.isdisjoint({
            'units-density', 'geometry-massless', 'number-end', 'axis-missing', 'element-twice',
            'mimic-not-counted', 'control-unknown', 'units-mass'}), path


@pytest.mark.parametrize(('mass', 'found'), [('3.761', 0), ('37.61', 0), ('3761', 1)])
def test_a_mass_in_grams_beside_others_in_kilograms(mass: str, found: int) -> None:
    """Where no limit of an effort shows it."""
    text = re.sub(r'effort="[^"]*"', 'effort="0"', (
        EXAMPLES / 'ur_description/urdf/ur5_robot.urdf').read_text())
    text = re.sub(r'(<link name="upper_arm_link">.*?<mass value=)"[^"]*"', rf'\1"{mass}"', text,
                  count=1, flags=re.DOTALL)
    messages = said(text.encode(), 'units-mass')
    assert len(messages) == found and all('is it in grams?' in message for message in messages)


@pytest.mark.parametrize(('name', 'code', 'words'), [
    ('allegro_hand_description/urdf/allegro_left_hand.urdf', 'same-everywhere',
     'the centre of mass of all 20 moving links'),
    ('iris_description/robots/iris.urdf', 'same-everywhere', ''),   # four propellers
    ('simple_humanoid_description/urdf/simple_humanoid.urdf', 'inertia-placeholder', 'unit'),
    ('so_arm_description/urdf/so101.urdf', 'units-mass-ratio', '')])   # 1e-9 kg of a frame
def test_placeholders(name: str, code: str, words: str) -> None:
    messages = said((EXAMPLES / name).read_bytes(), code)
    assert len(messages) == bool(words) and all(words in message for message in messages)


@pytest.mark.parametrize(('moment', 'told'), [
    ('0.1', ['mass', 'inertia']), ('0', ['mass']), ('1', ['mass'])])   # none, and a unit tensor
def test_one_inertia_for_all_links(moment: str, told: list[str]) -> None:
    text = (TEST / 'corpus' / 'same-everywhere.urdf').read_text()
    text = re.sub(r'(i(?:xx|yy|zz))="[^"]*"', rf'\1="{moment}"', text)
    assert said(text.encode(), 'same-everywhere') == [
        f'the {what} of all 3 moving links is the same, as of placeholders; write those of the '
        'links' for what in told]


@pytest.mark.parametrize(('factor', 'words'), [
    (1e3, 'all links together'), (1e-6, 'half of the links')])
def test_one_link_of_another_unit_among_right_ones(factor: float, words: str) -> None:
    text = (EXAMPLES / 'ur_description/urdf/ur5_robot.urdf').read_bytes()
    at = text.index(b'<link name="forearm_link"')
    end = text.index(b'</link>', at)
    text = text[:at] + scaled(text[at:end], 'i[xyz]{2}', factor) + text[end:]
    (problem,) = [each for each in read_urdf(text).warnings if each.code == 'units-inertia']
    assert 'link "forearm_link"' in problem.element and words in problem.message


def test_a_stroke_in_millimetres_and_small_whole_numbers_of_degrees() -> None:
    text = (OWN / 'scara.urdf').read_bytes()
    stroke = text.replace(b'lower="-0.2" upper="0"', b'lower="-200" upper="0"')
    (message,) = said(stroke, 'units-limit')
    assert 'more than 10 m, and all joints together are ' in message
    assert [said(pendulum().replace(b'xyz="0 0 0.1"', b'xyz="0 0 0.1" rpy="0 %s 0"' % angle),
                 'units-angle') != [] for angle in (b'5', b'-2.0', b'1', b'1.57', b'5.5')] == [
                     True, True, False, False, False]


def test_a_carriage_is_not_as_large_as_its_stroke() -> None:
    inertial = ('<inertial><mass value="9"/><inertia ixx="0.05" ixy="0" ixz="0" iyy="0.06" '
                'iyz="0" izz="0.07"/></inertial>')
    gantry = '<robot name="r"><link name="base"/>' + ''.join(
        f'<link name="{child}">{inertial}</link><joint name="{child}" type="prismatic">'
        f'<origin xyz="0 0 0.1"/><parent link="{parent}"/><child link="{child}"/>'
        f'<axis xyz="{axis}"/><limit lower="0" upper="{stroke}" effort="500" velocity="2"/>'
        '</joint>' for parent, child, axis, stroke in (
            ('base', 'x', '1 0 0', 3), ('x', 'y', '0 1 0', 2), ('y', 'z', '0 0 1', 1)))
    assert said((gantry + '</robot>').encode(), 'units-inertia') == []


def test_what_ros2_control_has_follow_another_joint_and_the_urdf_does_not() -> None:
    control = ('<ros2_control name="s" type="system"><joint name="joint2" mimic="true"/>'
               '</ros2_control></robot>')
    text = (OWN / 'rx90.urdf').read_bytes().replace(b'</robot>', control.encode())
    (message,) = said(text, 'mimic-not-counted')
    assert 'it follows another joint in <ros2_control> alone' in message


def test_limits_that_stand_for_none_have_no_unit() -> None:
    text = (OWN / 'rx90.urdf').read_bytes()
    for name, code, values in (('upper', 'units-limit', '1e4 1e9'),
                               ('velocity', 'units-limit', '1e2 1e3 1e4 1e5 1e6 1e9'),
                               ('effort', 'units-effort', '1e3 1e4 1e5 1e6 1e9')):
        for value in values.split():
            unlimited = re.sub(rf'\b{name}="[^"]+'.encode(), f'{name}="{value}'.encode(), text)
            assert said(unlimited, code) == []


def pendulum(mass=2.0, com=0.5, gyration=0.3, origin=0.1, **limits: float) -> bytes:
    """Return a link on a hinge: of all three inertias, gyration is the radius [m]."""
    tensor = mass * gyration**2 / 1.5
    limits = {'upper': 1.0, 'velocity': 2.0, 'effort': 50.0, 'damping': 1.0, 'friction': 1.0,
              **limits}
    return ("""<robot name="pendulum"><link name="base"/><link name="arm"><inertial>
        <origin xyz="{com} 0 0"/><mass value="{mass}"/>
        <inertia ixx="{t}" iyy="{t}" izz="{t}" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="hinge" type="revolute"><parent link="base"/><child link="arm"/>
        <origin xyz="0 0 {origin}"/><axis xyz="0 1 0"/>
        <limit lower="-1" upper="{upper}" velocity="{velocity}" effort="{effort}"/>
        <dynamics damping="{damping}" friction="{friction}"/></joint></robot>""").format(
            t=tensor, mass=mass, com=com, origin=origin, **limits).encode()


@pytest.mark.parametrize(('name', 'limit', 'code', 'others'), [
    ('mass', 1e4 * 0.5**3, 'units-density', {}),   # 1e4 kg/m^3 of the cube of 0.5 m
    ('mass', 1 / (0.03 * 0.6**3), 'units-density', {'below': True}),
    ('mass', 1e4, 'units-mass', {'com': 9.0}),
    ('origin', 100.0, 'units-length', {}),
    ('gyration', 4.0 * 0.5, 'units-inertia', {}),
    ('gyration', 1 / (0.05 * 0.5), 'units-inertia', {'below': True}),
    ('upper', 12.566, 'units-limit', {}), ('velocity', 40.0, 'units-limit', {}),
    ('effort', 9.81 * 2.0 * 0.5 / 5e-3, 'units-effort', {}),
    ('friction', 50.0, 'units-friction', {}),
    ('damping', 10.0 * 50.0, 'units-friction', {'velocity': 3.0}),
    ('damping', 10.0 * 50.0 / 0.5, 'units-friction', {'velocity': 0.5})])
def test_where_the_warnings_about_units_begin(name, limit, code, others):
    sign = -1.0 if others.pop('below', False) else 1.0
    inside, outside = (pendulum(**{name: (limit * share) ** sign}, **others)
                       for share in (0.99, 1.01))
    assert said(inside, code) == [] != said(outside, code)
