"""Where a robot description comes from: files, standard input, xacro."""

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from urdf2dyn_ros.errors import Problem, SourceError, UrdfError
from urdf2dyn_ros.robot.reader import description_text, load_urdf, read_description, read_urdf

XACRO = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:property name="m" value="${2 * 3}"/>
  <xacro:macro name="arm" params="pi:=^|4"><link name="arm"/></xacro:macro>
  <xacro:arm/>
  <link name="base"/>
</robot>
"""


def test_a_file_is_returned_byte_by_byte(tmp_path: Path) -> None:
    path = tmp_path / 'robot.urdf'
    path.write_bytes(b'\xff\xfe anything')
    assert load_urdf(str(path)) == b'\xff\xfe anything'


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


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, 'stdin', io.TextIOWrapper(io.BytesIO(b'<robot/>')))
    assert load_urdf('-') == b'<robot/>'


@pytest.mark.parametrize('name', ['missing.urdf', '.', 'nul\0.urdf'])
def test_what_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(SourceError, match='cannot read') as caught:
        load_urdf(str(tmp_path / name))
    assert repr(str(tmp_path / name)) in str(caught.value)


@pytest.mark.fault(18)
@pytest.mark.parametrize('name', ['robot.urdf.xacro', 'robot.urdf'])
def test_xacro_is_run_silently(tmp_path: Path, name: str,
                               capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip('xacro')
    path = tmp_path / name
    text = XACRO.replace('</robot>', '${xacro.warning("careful")}<gazebo mass="${m}"/></robot>')
    path.write_text(text)
    made = load_urdf(str(path))
    assert 'mass="6"' in made
    assert 'xacro:' not in made.replace('xmlns:xacro', '')
    assert capfd.readouterr() == ('', '')


def test_a_fault_in_xacro_is_one_message(tmp_path: Path,
                                         capfd: pytest.CaptureFixture[str]) -> None:
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
            (urdf, 'name:=r', 'is no xacro file, and the arguments')):
        with pytest.raises(SourceError, match=words):
            load_urdf(str(file), xacro_args=arguments)


@pytest.mark.fault(18)
def test_without_xacro_the_remedy_is_reported(tmp_path: Path,
                                              monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, 'xacro', None)
    path = tmp_path / 'robot.xacro'
    path.write_text(XACRO)
    with pytest.raises(SourceError, match='pip install xacro'):
        load_urdf(str(path))
