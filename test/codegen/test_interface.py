"""What a user of Python sees first: sources of robots, the default back end, texts, types."""

import inspect
import io
import pickle
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest

import urdf2dyn_ros
from support.descriptions import VALID
from support.robot_files import OWN
from urdf2dyn_ros import InverseDynamics, SourceError, UrdfError, export_model, read_urdf
from urdf2dyn_ros.codegen.compiled import BACKENDS
from urdf2dyn_ros.errors import ParameterError, Problem, RecordingError, Urdf2DynError
from urdf2dyn_ros.inverse_dynamics import BackEnd, BaseName
from urdf2dyn_ros.robot.loads import BASES
from urdf2dyn_ros.robot.reader import read_description

RX90 = OWN / 'rx90.urdf'
MODEL = read_description(RX90.read_bytes())


def test_a_robot_is_read_from_text_bytes_paths_and_open_files() -> None:
    text = RX90.read_text()
    for source in (text, text.encode(), RX90, str(RX90), io.StringIO(text),
                   io.BytesIO(text.encode())):
        assert read_urdf(source) == MODEL
    with RX90.open() as file:
        assert read_urdf(file) == MODEL
    assert InverseDynamics(str(RX90)).model == InverseDynamics(MODEL).model == MODEL


def test_a_str_is_a_path_if_no_urdf_can_be_meant(tmp_path: Path,
                                                 monkeypatch: pytest.MonkeyPatch) -> None:
    """What a node receives is a text in any case."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'robot').write_text(VALID)
    assert read_urdf('robot').name == read_urdf(VALID).name
    for text in ('', 'robot2', 'robot\n', 'a' * 5000):
        with pytest.raises(UrdfError):
            read_urdf(text)
    with pytest.raises(UrdfError):
        read_description('robot')


@pytest.mark.parametrize(('source', 'words'), [
    ('nowhere.urdf', "cannot read 'nowhere.urdf': No such file"),
    (Path('nowhere'), "cannot read 'nowhere': No such file"),
    (OWN, 'Is a directory'), (None, 'NoneType is no robot description'), (3, 'int is no robot'),
    (io.BytesIO, 'cannot read')])
def test_what_is_no_robot_is_a_source_error(source: Any, words: str) -> None:
    if source is io.BytesIO:
        source = io.BytesIO()
        source.close()
    with pytest.raises(SourceError, match=words):
        read_urdf(source)


def test_large_files_are_rejected_by_the_limit() -> None:
    with pytest.raises(UrdfError, match='the limit max_bytes is 100'):
        read_urdf(RX90, max_bytes=100)
    with pytest.raises(UrdfError, match='the limit max_bytes is 100'):
        read_urdf(io.BytesIO(RX90.read_bytes()), max_bytes=100)


def test_the_default_back_end_is_compiled() -> None:
    """In a process of its own: the tests' default is Python."""
    script = f'from urdf2dyn_ros import InverseDynamics\nprint(InverseDynamics({str(RX90)!r}))'
    done = subprocess.run([sys.executable, '-c', script], capture_output=True, text=True,
                          timeout=200)
    assert done.stdout.strip() == (
        "<InverseDynamics of 'rx90', 6 joints, backend 'c': "
        "joint1, joint2, joint3, joint4, joint5, joint6>"), done.stderr


def test_its_texts_say_robot_joints_and_inputs() -> None:
    dynamics = InverseDynamics(MODEL, base='moving')
    assert "'rx90', 6 joints, backend 'python', with base_motion: joint1," in repr(dynamics)
    nothing = InverseDynamics('<robot name="&lt;a>\x85b"><link name="top"/></robot>')
    assert repr(nothing) == "<InverseDynamics of '<a>?b', no joints, backend 'python'>"
    parser, cells = HTMLParser(), []
    parser.handle_data = cells.append   # type: ignore[method-assign]
    parser.feed(dynamics._repr_html_())
    assert cells[0].startswith("InverseDynamics of 'rx90'")
    row = cells[cells.index('joint2'):]
    limits = MODEL.joints[1].limits
    assert row[1:3] == ['rad', f'{limits.lower:.5g}']
    assert '&lt;a&gt;' in nothing._repr_html_() and '<a>' not in nothing._repr_html_()


def test_gravity_is_not_changed_by_setting_an_attribute() -> None:
    """Its vector would count in later functions alone, and `gravity` is the method."""
    dynamics = InverseDynamics(MODEL)
    for name, value in (('gravity', (0.0, 0.0, 9.81)), ('gravity_vector', (0.0, 0.0, 9.81)),
                        ('model', MODEL), ('backend', 'c')):
        with pytest.raises(AttributeError, match=f'^{name} cannot be set, .* make another'):
            setattr(dynamics, name, value)
    assert dynamics.gravity_vector == (0.0, 0.0, -9.81)


def mentions_any(hint: Any) -> bool:
    """Return whether a type, or one of a union, is Any."""
    union = get_origin(hint) in (Union, UnionType)
    return hint is Any or (union and any(map(mentions_any, get_args(hint))))


@pytest.mark.parametrize('name', ['__call__', 'gravity', 'bias', 'terms', 'momentum',
                                  'mass_matrix', 'named', '__init__'])
def test_no_signature_hides_what_it_takes_and_returns(name: str) -> None:
    method = inspect.unwrap(getattr(InverseDynamics, name))
    names = {'UrdfSource': urdf2dyn_ros.robot.reader.UrdfSource}
    assert not any(map(mentions_any, get_type_hints(method, localns=names).values()))


def test_choices_are_those_of_the_tables() -> None:
    assert set(get_args(BackEnd)) == {*BACKENDS}
    assert set(get_args(BaseName)) == {*BASES}


def test_every_public_name_can_be_imported_and_is_listed() -> None:
    for name in urdf2dyn_ros.__all__:
        assert getattr(urdf2dyn_ros, name) is not None
        assert name in dir(urdf2dyn_ros)
    assert urdf2dyn_ros.export_model is export_model


@pytest.mark.parametrize('error', [
    UrdfError([Problem('xml', 'no element found', line=3)], 'arm.urdf'),
    RecordingError('bag.db3', 'damaged', 12, 1.5), ParameterError('no')])
def test_an_error_comes_out_of_another_process_as_it_was(error: Urdf2DynError) -> None:
    """As of a pool of workers, which would be broken by an error that cannot be restored."""
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


def test_loads_that_are_a_dict_have_a_remedy() -> None:
    with pytest.raises(ParameterError, match=r'loads is a dict; .* Loads\(terms='):
        InverseDynamics(MODEL, loads={'joint1': []})  # type: ignore[arg-type]
