"""Reading URDF: what is taken, how it is mapped, and what must never happen."""

import dataclasses
import math
import re
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from urdf2dyn_ros.errors import UrdfError
from urdf2dyn_ros.robot_model import Inertia, Joint, Limits, Link, Mimic, RobotModel
from urdf2dyn_ros.urdf import read_urdf

VALID = (Path(__file__).parent / 'corpus' / 'valid.urdf').read_text()

def codes(text: str | bytes, **options: int) -> list[str]:
    try:
        return [problem.code for problem in read_urdf(text, **options).warnings]
    except UrdfError as error:
        return [problem.code for problem in error.problems]


def tree(count: int, parent: Callable[[int], int]) -> str:
    body = '<mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
    links = ''.join(
        f'<link name="l{i}"><inertial>{body}</inertial></link>\n' for i in range(count)
    )
    joints = ''.join(
        f'<joint name="j{i}" type="continuous">'
        f'<parent link="l{parent(i)}"/><child link="l{i}"/></joint>\n'
        for i in range(1, count)
    )
    return f'<robot name="tree">{links}{joints}</robot>'


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
    inertia = Inertia(2.0, (4.0, 5.0, 6.0), (0.4, 0.5, 0.6), (1.0, 0.1, 0.2, 1.5, 0.3, 2.0))
    assert dataclasses.replace(model, warnings=()) == RobotModel(
        'r',
        (Link('a'), Link('b', inertia), Link('c')),
        (
            Joint(
                *('j', 'prismatic', 'a', 'b', (1.0, 2.0, 3.0), (0.1, -0.2, 3.0), (0.6, 0.0, 0.8)),
                limits=Limits(lower=-1.0, effort=7.0),
                damping=0.5,
                friction=0.25,
            ),
            Joint('k', 'revolute', 'b', 'c', mimic=Mimic('j', -2.0, 0.5), limits=Limits(0.0, 1.0)),
        ),
        root='a',
    )


def test_all_problems_come_at_once_in_the_order_of_their_lines() -> None:
    text = VALID.replace('mass value="2"', 'mass value="1,5"').replace('0 1 0', '0 0 0')
    text = text.replace('continuous', 'ball').replace('link="hand"', 'link="hnad"')
    text = text.replace('joint="swing"', 'joint="swin"')
    with pytest.raises(UrdfError) as caught:
        read_urdf(text)
    found = [(problem.code, problem.line) for problem in caught.value.problems if problem.refused]
    assert found == [
        ('number', 6),
        ('axis-zero', 13),
        ('joint-type', 22),
        ('link-unknown', 24),
        ('mimic-unknown', 25),
    ]
    assert str(caught.value).startswith('5 problems')


@pytest.mark.parametrize('encoding', ['utf-8', 'utf-8-sig', 'utf-16', 'utf-16-le', 'utf-32'])
def test_any_unicode_encoding(encoding: str) -> None:
    text = VALID.replace('pendulum', 'Pendel Ä')
    assert read_urdf(text.encode(encoding)).name == 'Pendel Ä'


def test_a_declared_encoding_is_used_for_bytes_and_ignored_for_text() -> None:
    text = '<?xml version="1.0" encoding="ISO-8859-1"?>\n' + VALID.replace('pendulum', 'Ä')
    assert read_urdf(text.encode('latin-1')).name == 'Ä'
    assert read_urdf('\ufeff' + text.replace('ISO-8859-1', 'UTF-16')).name == 'Ä'
    assert codes('\n\n' + text.replace('"2"', '"-2"')) == ['mass-negative']
    assert codes(VALID.replace('pendulum', '\ud800')) == ['encoding']


def test_limits_on_size_are_parameters() -> None:
    assert codes(VALID, max_bytes=len(VALID)) == codes(VALID, max_links=3) == []
    assert codes(VALID, max_bytes=len(VALID) - 1) == ['too-large']
    assert codes(VALID, max_links=2) == ['too-many-links']
    joints = '<robot name="r"><link name="a"/>' + '<joint/>' * 9 + '</robot>'
    assert codes(joints, max_links=8) == ['too-many-links']


def test_a_text_full_of_faults_ends_in_a_list_of_bounded_length() -> None:
    found = codes(tree(2000, lambda i: i - 1).replace('mass value="1"', 'mass value="-1"'))
    assert len(found) == 1001 and found[-1] == 'too-many-problems'


def test_no_entity_reads_a_file_or_calls_anybody(tmp_path: Path) -> None:
    canary = tmp_path / 'canary.txt'
    canary.write_text('tweet')
    with socket.create_server(('127.0.0.1', 0)) as server:
        server.settimeout(0)
        url = f'http://127.0.0.1:{server.getsockname()[1]}/robot.dtd'
        for doctype in (
            f'<!DOCTYPE robot [<!ENTITY x SYSTEM "{canary.as_uri()}">]>',
            f'<!DOCTYPE robot SYSTEM "{url}">',
            f'<!DOCTYPE robot [<!ENTITY % x SYSTEM "{url}"> %x;]>',
        ):
            for before in ('', '\ufeff', '<?xml version="1.0"?><!-- - --> <?a b?>'):
                with pytest.raises(UrdfError, match='doctype') as caught:
                    read_urdf(before + doctype + VALID.replace('"pendulum"', '"&x;"'))
                assert 'tweet' not in str(caught.value)
        with pytest.raises(BlockingIOError):
            server.accept()


def test_what_dynamics_does_not_need_is_not_looked_at(capfd: pytest.CaptureFixture[str]) -> None:
    noise = (
        '<gazebo><mass value="1,5"/><joint name="swing"/></gazebo><ros2_control x="${y}"/>'
        '<transmission><joint name="swing"/></transmission><?pi?><!-- <link/> --><mass value="x"/>'
    )
    visual = '<visual><origin xyz="nan"/><geometry><unknown/></geometry></visual><link name="q"/>'
    text = VALID.replace('</robot>', noise + '</robot>').replace('</link>', visual + '</link>')
    text = text.replace('<robot', '<robot version="9" xmlns:x="urn:x" x:y="z"')
    assert read_urdf(text) == read_urdf(VALID)
    assert capfd.readouterr() == ('', '')


def test_a_default_namespace_changes_nothing() -> None:
    assert read_urdf(VALID.replace('<robot', '<robot xmlns="urn:x"')) == read_urdf(VALID)


@pytest.mark.parametrize(
    ('was', 'is_now'),
    [
        ('joint name="wrist"', 'joint name="hand"'),  # as the link
        ('<mimic joint="swing" multiplier="0.5"/>', '<mimic joint="swing"/>'),
        ('type="continuous"', 'type="planar"><axis xyz="0 1 0"/><a'),
        ('type="continuous"', 'type="fixed"><axis xyz="0 0 0"/><a'),  # it has none
        ('<mass value="2"/>', '<mass value="\t2\n"/>'),
        ('type="revolute"', "type='revolute'"),
    ],
)
def test_legal_oddities_pass_without_a_word(was: str, is_now: str) -> None:
    text = VALID if 'mimic' in was else re.sub('<mimic.*/>', '', VALID)
    assert was in text
    text = text.replace(was, is_now)
    assert codes(text.replace('<a>', '<a/>')) == []


def test_only_a_branch_all_of_which_is_massless_is_reported() -> None:
    bodies = re.compile('<inertial>.*?</inertial>', re.DOTALL)
    assert codes(bodies.sub('', VALID, count=1)) == []
    (problem,) = read_urdf(bodies.sub('', VALID)).warnings
    assert problem.code == 'massless-branch' and '"swing", "wrist"' in problem.message


def test_a_massless_joint_that_drives_a_mass_is_not_reported() -> None:
    motor = (
        '<link name="rotor"/><joint name="motor" type="continuous"><parent link="base"/>'
        '<child link="rotor"/></joint></robot>'
    )
    text = VALID.replace('</robot>', motor)
    assert codes(text) == ['massless-branch']
    assert codes(text.replace('mimic joint="swing"', 'mimic joint="motor"')) == []


def test_a_chain_of_mimics_is_no_loop() -> None:
    tip = VALID[VALID.index('  <link name="hand"') :].replace('hand', 'tip')
    tip = tip.replace('swing', 'wrist').replace('name="wrist"', 'name="bend"')
    mimics = [joint.mimic for joint in read_urdf(VALID.replace('</robot>\n', tip)).joints]
    assert mimics == [None, Mimic('swing', 0.5), Mimic('wrist', 0.5)]


@pytest.mark.parametrize(
    ('tensor', 'expected'),
    [
        (('0.002', '0', '0', '0.002', '0', '0.0045'), []),  # 0.00225 + 0.00225 makes a body
        (('0.00200', '0', '0', '0.00200', '0', '0.00450'), ['inertia-triangle']),
        (('2.00e-3', '0.0', '0.0', '2.00e-3', '0.0', '4.50e-3'), ['inertia-triangle']),
        (('1', '0', '0', '1', '0', '3'), ['inertia-triangle']),  # whole numbers are exact
        (('0.0001', '0', '0', '0.0120', '0', '0.0122'), []),
        (('0', '0', '0', '0', '0', '0'), []),  # a point mass
        (('1e-35', '3e-35', '0', '1e-35', '0', '0'), []),  # noise of a program
        (('1e308', '0', '0', '1e308', '0', '1e308'), []),
        (('1e308', '0', '0', '1e307', '0', '1e307'), ['inertia-triangle']),
    ],
)
def test_inertias_are_judged_to_the_decimals_they_are_printed_in(
    tensor: tuple[str, ...], expected: list[str]
) -> None:
    names = ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')
    values = ' '.join(f'{name}="{text}"' for name, text in zip(names, tensor, strict=True))
    assert codes(re.sub(r'<inertia ixx="0.1.*/>', f'<inertia {values}/>', VALID)) == expected


def test_axes_become_unit_vectors_however_long_they_are() -> None:
    for axis in ('1e308 1e308 1e308', '1e-8 1e-8 1e-8', '1 1 1'):
        (joint, _) = read_urdf(VALID.replace('0 1 0', axis)).joints
        assert joint.axis == pytest.approx([1 / math.sqrt(3)] * 3, rel=1e-15)


@pytest.mark.parametrize('parent', [lambda i: i - 1, lambda i: 0], ids=['chain', 'star'])
def test_thousand_links_take_a_moment(parent: Callable[[int], int]) -> None:
    text = tree(1001, parent)
    start = time.process_time()
    assert len(read_urdf(text).joints) == 1000
    assert time.process_time() - start < 2.0


def test_names_are_shown_without_what_they_would_do_to_a_terminal() -> None:
    with pytest.raises(UrdfError) as caught:
        read_urdf(VALID.replace('parent link="base"', 'parent link="b&#10;\u202ease"'))
    assert r'"b\n\u202ease"' in str(caught.value)
