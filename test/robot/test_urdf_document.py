"""From a file, xacro or bytes to an XML tree: encodings, limits, nothing fetched."""

import re
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from support.descriptions import VALID, codes
from urdf2dyn_ros.errors import Problem, SourceError, UrdfError
from urdf2dyn_ros.robot.reader import description_text, load_urdf, read_description, read_urdf


def tree(count: int, parent: Callable[[int], int]) -> str:
    body = '<mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
    links = ''.join(f'<link name="l{i}"><inertial>{body}</inertial></link>\n'
                    for i in range(count))
    joints = ''.join(f'<joint name="j{i}" type="continuous"><parent link="l{parent(i)}"/>'
                     f'<child link="l{i}"/><axis xyz="1 0 0"/></joint>\n'
                     for i in range(1, count))
    return f'<robot name="tree">{links}{joints}</robot>'


@pytest.mark.fault(1)
@pytest.mark.parametrize('encoding', ['utf-8', 'utf-8-sig', 'utf-16', 'utf-16-le', 'utf-32'])
def test_any_unicode_encoding(encoding: str) -> None:
    text = VALID.replace('pendulum', 'Pendel Ä')
    assert read_urdf(text.encode(encoding)).name == 'Pendel Ä'


@pytest.mark.fault(1)
def test_a_declared_encoding_is_used_for_bytes_and_ignored_for_text() -> None:
    text = '<?xml version="1.0" encoding="ISO-8859-1"?>\n' + VALID.replace('pendulum', 'Ä')
    assert read_urdf(text.encode('latin-1')).name == 'Ä'
    assert read_urdf('\ufeff' + text.replace('ISO-8859-1', 'UTF-16')).name == 'Ä'
    assert codes('\n\n' + text.replace('"2"', '"-2"')) == ['mass-negative']
    assert codes(VALID.replace('pendulum', '\ud800')) == ['encoding']
    with pytest.raises(UrdfError, match=r'declares "UTF-16", but the .* if it is UTF-8, declare'):
        read_urdf(text.replace('ISO-8859-1', 'UTF-16').encode())


@pytest.mark.fault(4)
def test_more_joints_than_links_may_be_and_too_deep_elements_are_rejected() -> None:
    joints = '<robot name="r"><link name="a"/>' + '<joint/>' * 5001 + '</robot>'
    assert codes(joints) == ['too-many-links']
    for depth, expected in ((99, []), (100, ['too-deep'])):   # and that of the robot
        deep = '<gazebo>' * depth + '</gazebo>' * depth + '</robot>'
        assert codes(VALID.replace('</robot>', deep)) == expected


@pytest.mark.slow
@pytest.mark.fault(4)
def test_by_default_ten_megabytes_and_five_thousand_links_are_taken() -> None:
    comment = '<!--' + ' ' * (10_000_000 - len(VALID) - 7) + '-->'
    assert codes(VALID + comment) == []
    assert codes(VALID + comment + ' ') == ['too-large']
    points = re.sub('<inertial>.*?</inertial>', '', tree(5000, lambda i: 0))
    assert codes(points.replace('continuous', 'fixed')) == []
    assert codes(tree(5001, lambda i: 0)) == ['too-many-links']


@pytest.mark.fault(1)
def test_the_excerpt_is_forty_characters_about_the_place() -> None:
    line = ' '.join(f'<a b{k}="c"/>' for k in range(900))
    with pytest.raises(UrdfError) as caught:
        read_urdf('<robot name="r">\n' + line.replace('b500=', 'b500') + '</robot>')
    (problem,) = caught.value.problems
    assert problem.line == 2
    excerpt = re.search('near "(.*)"', problem.message)
    assert excerpt is not None
    assert 'b500"c"' in excerpt[1] and 35 <= len(excerpt[1]) <= 40


@pytest.mark.fault(4)
def test_a_text_full_of_faults_ends_in_a_list_of_bounded_length() -> None:
    found = codes(tree(2000, lambda i: i - 1).replace('mass value="1"', 'mass value="-1"'))
    assert len(found) == 1001 and found[-1] == 'too-many-problems'


@pytest.mark.fault(2, 3)
def test_no_entity_reads_a_file_or_opens_a_connection(tmp_path: Path) -> None:
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
                with pytest.raises(UrdfError, match='doctype'):
                    read_urdf((before + doctype + VALID).encode('utf-16'))
        include = f'<x:include xmlns:x="http://www.w3.org/2001/XInclude" href="{url}"/>'
        schema = ' xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:schemaLocation="x '
        text = VALID.replace('</robot>', include + '</robot>')
        text = f'<?xml-stylesheet href="{url}"?>' + text.replace('<robot', f'<robot{schema}{url}"')
        assert read_urdf(text) == read_urdf(VALID)
        with pytest.raises(BlockingIOError):
            server.accept()


def test_a_default_namespace_changes_nothing() -> None:
    assert read_urdf(VALID.replace('<robot', '<robot xmlns="urn:x"')) == read_urdf(VALID)


@pytest.mark.fault(19)
def test_names_are_shown_without_what_they_would_do_to_a_terminal() -> None:
    with pytest.raises(UrdfError) as caught:
        read_urdf(VALID.replace('parent link="base"', 'parent link="b&#10;\u202ease"'))
    assert r'"b\n\u202ease"' in str(caught.value)


@pytest.mark.fault(2)
@pytest.mark.parametrize('marks', range(4))
def test_no_byte_order_mark_hides_a_doctype(marks: int) -> None:
    """As text, and as bytes, of which the codec removes one more."""
    text = '\ufeff' * marks + '<!DOCTYPE robot [<!ENTITY x "hello">]>' + VALID.partition('?>')[2]
    for each in (text, text.encode(), ('\ufeff' + text).encode()):
        assert codes(each) == ['doctype']
    assert codes('\ufeff' * marks + VALID) == []


# ---- Where a robot description comes from: files, standard input, xacro

XACRO = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:property name="m" value="${2 * 3}"/>
  <xacro:macro name="arm" params="pi:=^|4"><link name="arm"/></xacro:macro>
  <xacro:arm/>
  <link name="base"/>
</robot>
"""


def test_text_for_a_parameter_is_utf_8(tmp_path: Path) -> None:
    path = tmp_path / 'robot.urdf'
    path.write_text('<robot name="Ärmel"/>', encoding='utf-8')
    assert description_text(str(path)) == '<robot name="Ärmel"/>'
    path.write_bytes(b'<robot name="\xff"/>')
    with pytest.raises(SourceError, match='is not UTF-8; save it as UTF-8'):
        description_text(str(path))


@pytest.mark.parametrize('read', [read_description, read_urdf])
def test_a_path_in_the_place_of_a_text_has_a_remedy(read: Callable[[str], object]) -> None:
    """As of the parameter robot_description, or of a file that does not exist."""
    with pytest.raises(UrdfError, match=r'path of a file: read_urdf\(path\) reads one'):
        read('arms/robot')


def test_of_a_file_no_more_is_read_than_shows_that_it_is_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr('urdf2dyn_ros.robot.reader.MAX_BYTES', 9)
    path = tmp_path / 'robot.urdf'
    path.write_bytes(b'<' * 20)
    monkeypatch.setattr(sys, 'stdin', path.open())
    assert load_urdf(str(path)) == load_urdf('-') == b'<' * 10


@pytest.mark.fault(18)
@pytest.mark.parametrize('name', ['robot.urdf.xacro', 'robot.urdf'])
def test_xacro_is_run_silently(tmp_path, name, capfd):
    pytest.importorskip('xacro')
    path = tmp_path / name
    text = XACRO.replace('</robot>', '${xacro.warning("careful")}<gazebo mass="${m}"/></robot>')
    path.write_text(text)
    made = load_urdf(str(path))
    assert 'mass="6"' in made
    assert 'xacro:' not in made.replace('xmlns:xacro', '')
    assert capfd.readouterr() == ('', '')


def test_a_fault_in_xacro_is_one_message(tmp_path, capfd):
    pytest.importorskip('xacro')
    path = tmp_path / 'robot.xacro'
    for text, reason in (
        (XACRO.replace('2 * 3', 'unknown * 3').replace('</robot>', '${m}</robot>'), 'unknown'),
        (XACRO.replace('<xacro:arm/>', '<xacro:arm extra="1"/>'), 'extra'),
        ('<robot>', 'no element found'),
    ):
        path.write_text(text)
        with pytest.raises(SourceError, match=reason) as caught:
            load_urdf(str(path))
        assert repr(str(path)) in str(caught.value)
    assert capfd.readouterr() == ('', '')


def test_a_xacro_that_only_defines_macros_names_them(tmp_path: Path) -> None:
    pytest.importorskip('xacro')
    path = tmp_path / 'arm.xacro'
    path.write_text(XACRO.replace('<xacro:arm/>', '').replace('<link name="base"/>', ''))
    including = tmp_path / 'robot.xacro'   # and calls none either
    including.write_text('<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro">'
                         '<xacro:include filename="arm.xacro"/></robot>')
    for file in (path, including):
        with pytest.raises(SourceError, match=r'1 macro, "arm\(pi:=\^\|4\)", and calls none'):
            load_urdf(str(file))


def test_an_expanded_xacro_has_the_lines_that_xacro_prints(tmp_path: Path) -> None:
    xacro = pytest.importorskip('xacro')
    path = tmp_path / 'robot.xacro'
    path.write_text(XACRO.replace('<link name="arm"/>', '<link name="arm"><foo/></link>'))
    (problem,) = [each for each in _problems(path) if each.code == 'unknown-element']
    lines = xacro.process_file(str(path)).toprettyxml(indent='  ').split('\n')
    assert problem.line is not None and lines[problem.line - 1].strip() == '<foo/>'


def _problems(path: Path) -> tuple[Problem, ...]:
    try:
        return read_urdf(path).warnings
    except UrdfError as error:
        return error.problems


def test_xacro_has_arguments_as_on_its_command_line(tmp_path: Path) -> None:
    """For the launch files; what is wrong with them is reported."""
    pytest.importorskip('xacro')
    path, urdf = tmp_path / 'robot.xacro', tmp_path / 'robot.urdf'
    path.write_text('<robot name="$(arg name)" xmlns:xacro="http://www.ros.org/wiki/xacro">'
                    '<xacro:arg name="prefix" default=""/><link name="$(arg prefix)arm"/></robot>')
    urdf.write_text('<robot name="r"><link name="arm"/></robot>')
    for arguments, robot, link in (('name:=r', 'r', 'arm'),
                                   ('name:="my robot" prefix:=left_', 'my robot', 'left_arm')):
        model = read_urdf(description_text(str(path), arguments))
        assert (model.name, [each.name for each in model.links]) == (robot, [link])
    for file, arguments, words in (
            (path, '', 'Undefined substitution argument name; give it with --xacro-args "NAME:='),
            (path, 'prefix=left_', "'prefix=left_'; they are NAME:=VALUE, separated by spaces"),
            (path, 'name:="r', 'No closing quotation; they are'),
            (path, 'name:=r perfix:=left_', 'no argument "perfix" of xacro; it has "name", "pre'),
            (path, 'name:=r name:=s', 'one is given twice'),
            (urdf, 'name:=r', 'is no xacro file, and the arguments')):
        with pytest.raises(SourceError, match=words):
            load_urdf(str(file), xacro_args=arguments)


@pytest.mark.fault(18)
def test_without_xacro_the_remedy_is_reported(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, 'xacro', None)
    path = tmp_path / 'robot.xacro'
    path.write_text(XACRO)
    with pytest.raises(SourceError, match='pip install xacro'):
        load_urdf(str(path))
