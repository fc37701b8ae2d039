"""Export as a user meets it: names, choices, files that are there completely or not at all."""

import errno
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.robot_files import OWN
from urdf2dyn_ros import InverseDynamics, Loads, export_model, read_urdf
from urdf2dyn_ros.codegen.functions import CHOICES
from urdf2dyn_ros.codegen.languages import LANGUAGES
from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.export import default_name, write_files

MODEL = read_urdf((OWN / 'robot_2r.urdf').read_bytes())


def test_a_description_is_exported_as_its_model() -> None:
    """Its path or text; an object with gravity and loads of its own has a remedy."""
    path = OWN / 'robot_2r.urdf'
    assert export_model(str(path)) == export_model(path.read_text()) == export_model(MODEL)
    with pytest.raises(ExportError, match=r'export_model\(dynamics\.model, gravity='):
        export_model(InverseDynamics(MODEL, backend='python'))   # type: ignore[arg-type]


@pytest.mark.parametrize('function', ['mass_matrix', 'gravity', 'jacobian', 'frame_motion'])
def test_functions_on_a_moving_base_pass_their_self_test(function: str, tmp_path: Path) -> None:
    """Those that take no motion of the base as well: the scale of the check needs one."""
    files = export_model(MODEL, functions=function, loads=Loads(base='moving'))
    write_files(files, tmp_path)
    script, = tmp_path.glob('*.py')
    subprocess.run([sys.executable, script], check=True, capture_output=True, timeout=60)


@pytest.mark.fault(44)
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
def test_what_cannot_be_exported_is_said_with_the_choices(arguments, words):
    """Languages and styles are listed, and the rule for names."""
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


@pytest.mark.parametrize(('name', 'function', 'language'), [
    ('tau', 'gravity', 'matlab'), ('tau', 'bias', 'matlab'),
    ('expected', 'inverse_dynamics', 'matlab'), ('expected', 'mass_matrix', 'c')])
def test_no_function_has_the_name_of_a_variable(name, function, language):
    """In Octave, tau_gravity(q) would be an index into the vector tau_gravity."""
    with pytest.raises(ExportError, match=f"'{name}': the function {name}_.* would have the name "
                       f'of a variable of the files in {language}; .* {name}_robot'):
        export_model(MODEL, language, functions='all', name=name)
    if name == 'tau':   # it has no function tau_gravity
        export_model(MODEL, language, name=name)
    assert f'{name}_robot_{function}' in ''.join(
        export_model(MODEL, language, functions='all', name=f'{name}_robot').values())


@pytest.mark.skipif(shutil.which('g++') is None, reason='needs g++')
@pytest.mark.parametrize('name', ['random', 'signal', 'index', 'linux', 'double', 'std', 'Row'])
def test_a_namespace_is_no_name_of_cpp_and_its_libraries(name: str, tmp_path: Path) -> None:
    """In a program that includes more of them than the file itself does."""
    header, = export_model(MODEL, 'cpp', name=name).values()
    (tmp_path / f'{name}_dynamics.hpp').write_text(header)
    (tmp_path / 'program.cpp').write_text(
        '#include <csignal>\n#include <cstdlib>\n#include <strings.h>\n'
        f'#define {name.upper()}_SELF_TEST\n#include "{name}_dynamics.hpp"\n'
        f'static_assert({name}_dynamics::joints == 2);\n')
    subprocess.run(['g++', '-std=gnu++17', 'program.cpp'], cwd=tmp_path, check=True)
    subprocess.run(['./a.out'], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)


@pytest.mark.fault(44)
def test_files_are_written_once_and_only_replaced_on_request(tmp_path: Path) -> None:
    """The same text is no conflict; another one may be a user's work."""
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


@pytest.mark.fault(44)
def test_a_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    """Not even for overwriting: the file it points to is not ours."""
    victim = tmp_path / 'victim'
    victim.write_text('precious')
    (tmp_path / 'arm_dynamics.py').symlink_to(victim)
    with pytest.raises(ExportError, match='symbolic link'):
        write_files({'arm_dynamics.py': 'x'}, tmp_path, overwrite=True)
    assert victim.read_text() == 'precious'


@pytest.mark.fault(45)
@pytest.mark.parametrize(('folder', 'words'), [
    ('file/below', 'Not a directory'), ('file', 'it is a file'), ('/proc/nowhere', 'No such file'),
    ('a\0b', 'null'), ('x' * 300, 'too long'), ('/dev/null', 'it is a device')])
def test_a_folder_that_cannot_be_written_is_said(tmp_path, folder, words):
    """And no part of a file is left."""
    (tmp_path / 'file').write_text('')
    with pytest.raises(ExportError, match=words):
        write_files({'a.py': 'x'}, tmp_path / folder)
    assert [path.name for path in tmp_path.iterdir()] == ['file']


@pytest.mark.fault(45)
def test_on_a_full_disk_no_empty_directory_is_left(tmp_path, monkeypatch):
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, 'fsync', full)
    with pytest.raises(ExportError, match=r'cannot write to /.*/below/a\.py: No space left'):
        write_files({'a.py': 'x'}, tmp_path / 'new' / 'below')
    assert not list(tmp_path.iterdir())


TEXTS = {'arm.h': 'header\n', 'arm.c': 'source\n'}


@pytest.mark.fault(45)
@pytest.mark.parametrize('overwrite', [False, True])
def test_of_several_files_all_are_written_or_none(tmp_path: Path, overwrite: bool) -> None:
    """Whichever of them cannot be written, existing files are unchanged."""
    (tmp_path / 'arm.c').mkdir()
    if overwrite:
        (tmp_path / 'arm.h').write_text('my own work')
    before = {path.name for path in tmp_path.iterdir()}
    with pytest.raises(ExportError, match='no file that could be replaced'):
        write_files(TEXTS, tmp_path, overwrite)
    assert {path.name for path in tmp_path.iterdir()} == before
    assert not overwrite or (tmp_path / 'arm.h').read_text() == 'my own work'


def no_hard_links(*arguments: object, **options: object) -> None:
    raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))


@pytest.mark.fault(45)
def test_what_comes_in_the_way_at_the_last_moment_undoes_the_rest(tmp_path, monkeypatch):
    """The first name is taken already when the second cannot be."""
    right = os.link

    def late(source: Path, target: Path, **options: object) -> None:
        if Path(target).name == 'arm.c':
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        right(source, target, **options)

    monkeypatch.setattr(os, 'link', late)
    with pytest.raises(ExportError, match='Input/output error'):
        write_files(TEXTS, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.fault(44)
def test_where_there_are_no_hard_links_nothing_is_replaced_either(tmp_path, monkeypatch):
    monkeypatch.setattr(os, 'link', no_hard_links)
    for text, overwrite in (('header\n', False), ('another\n', True)):
        write_files({**TEXTS, 'arm.h': text}, tmp_path, overwrite)
        assert (tmp_path / 'arm.h').read_text() == text
    with pytest.raises(ExportError, match='exists with another text'):
        write_files(TEXTS, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(TEXTS)
