"""Export as a user meets it: names, choices, files that are there completely or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from robots import OWN

from urdf2dyn_ros import export_model, read_urdf
from urdf2dyn_ros.equations.models import CHOICES
from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.export import default_name, write_files
from urdf2dyn_ros.languages import LANGUAGES

MODEL = read_urdf((OWN / 'robot_2r.urdf').read_bytes())


@pytest.mark.parametrize(('arguments', 'words'), [
    ({'language': 'cobol'}, ["'cobol'", *LANGUAGES]),
    ({'style': 'baroque'}, ["'baroque'", 'readable', 'fast']),
    ({'name': '../../etc/passwd'}, ['../../etc/passwd', 'letters']),
    ({'name': '/tmp/x'}, ['letters']),
    ({'name': '2r'}, ['a letter']),
    ({'name': 'a\0b'}, ['letters']),
    ({'name': 'x' * 46}, ['1 to 45']),
    ({'name': '_x'}, ['a letter']),
    ({'functions': 'forward'}, ["'forward'", *CHOICES]),
    ({'name': 'é'}, ['ASCII']),
])
def test_what_cannot_be_exported_is_said_with_the_choices(arguments: dict, words: list[str],
                                                          ) -> None:
    """Languages and styles are listed, the rule for names is given."""
    with pytest.raises(ExportError) as caught:
        export_model(MODEL, **arguments)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(('robot', 'name'), [
    ('robot_2r', 'robot_2r'), ('My Robot (v2)', 'My_Robot_v2'), ('2r', 'robot_2r'),
    ('../x', 'x'), ('机器人', 'robot'), ('', 'robot'), ('_x', 'x'), ('y' * 80, 'y' * 45),
    ('9' * 80, 'robot_' + '9' * 39), ('z' * 44 + '_z', 'z' * 44)])
def test_the_robots_name_becomes_an_identifier(robot: str, name: str) -> None:
    """Whatever it is, it can stand in a file's name and in any language."""
    assert default_name(robot) == name


def test_files_are_written_once_and_only_replaced_on_request(tmp_path: Path) -> None:
    """The same text is no conflict; another one may be somebody's work."""
    files = export_model(MODEL, name='arm')
    paths = write_files(files, tmp_path / 'new' / 'folder')
    assert [path.name for path in paths] == ['arm_dynamics.py']
    assert paths[0].read_text() == files['arm_dynamics.py']
    assert write_files(files, tmp_path / 'new' / 'folder') == paths
    paths[0].write_text('my own work')
    with pytest.raises(ExportError, match='exists with another text'):
        write_files(files, paths[0].parent)
    assert paths[0].read_text() == 'my own work'
    write_files(files, paths[0].parent, overwrite=True)
    assert paths[0].read_text() == files['arm_dynamics.py']
    assert [path.name for path in paths[0].parent.iterdir()] == ['arm_dynamics.py']


def test_a_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    """Not even for overwriting: the file it points to is not ours."""
    victim = tmp_path / 'victim'
    victim.write_text('precious')
    (tmp_path / 'arm_dynamics.py').symlink_to(victim)
    with pytest.raises(ExportError, match='symbolic link'):
        write_files({'arm_dynamics.py': 'x'}, tmp_path, overwrite=True)
    assert victim.read_text() == 'precious'


@pytest.mark.parametrize(('folder', 'words'), [
    ('file/below', 'Not a directory'), ('/proc/nowhere', 'No such file')])
def test_a_folder_that_cannot_be_written_is_said_in_the_systems_words(
        tmp_path: Path, folder: str, words: str) -> None:
    """And no part of a file is left."""
    (tmp_path / 'file').write_text('')
    with pytest.raises(ExportError, match=words):
        write_files({'a.py': 'x'}, tmp_path / folder)
    assert [path.name for path in tmp_path.iterdir()] == ['file']
