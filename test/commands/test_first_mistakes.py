"""What users do wrong at first, with the files that ship: a sentence names file and remedy."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from support.paths import ROOT
from support.recordings.bags import write_csv
from urdf2dyn_ros import InverseDynamics, UrdfError, read_urdf
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.text import asked_once

URDF, CSV, MCAP = (str(ROOT / path) for path in (
    'urdf/rx90.urdf', 'examples/rx90.csv', 'examples/rx90.mcap'))
JOINTS = [f'joint{k}' for k in range(1, 7)]


pytestmark = pytest.mark.usefixtures('undrawn')


def table(path: Path, names: list[str], factor: float = 1.0, unit: float = 1.0) -> str:
    """Write the recording with other names, and multiples of the efforts and velocities."""
    _, *rows = (line.split(',') for line in Path(CSV).read_text().splitlines())
    columns = ['time', *(f'{what}_{name}' for what in ('q', 'qd', 'effort') for name in names)]
    return str(write_csv(path, columns, [
        [*row[:7], *(unit * float(cell) for cell in row[7:13]),
         *(factor * float(cell) for cell in row[13:])] for row in rows]))


def output_of(words: list[str], capsys: pytest.CaptureFixture[str], code: int) -> str:
    assert main(words) == code
    return ''.join(capsys.readouterr())


@pytest.mark.parametrize(('words', 'file'), [
    (['info', CSV], CSV), (['evaluate', URDF, '--urdf', CSV], CSV),
    (['identify', URDF, '--urdf', CSV], CSV)])
def test_the_file_that_is_no_urdf_is_named(words, file, capsys):
    """Of the two files of a command it may be either one."""
    assert f'in the robot description {file!r}:\n' in output_of(words, capsys, 1)
    with pytest.raises(UrdfError, match=r'rx90\.csv'):
        read_urdf(Path(file))


@pytest.mark.parametrize('words', [
    ['evaluate', CSV, '{link}'], ['identify', CSV, CSV],
    ['identify', CSV, '--validate', '{copy}']])
def test_a_recording_that_is_given_twice_neither_weighs_nor_judges_itself(words, tmp_path, capsys):
    link, copy = tmp_path / 'link.csv', tmp_path / 'copy.csv'
    link.symlink_to(CSV)
    shutil.copy(CSV, copy)
    words = [word.format(link=link, copy=copy) for word in words]
    output = tmp_path / 'results'
    printed = output_of([*words, '--urdf', URDF, '-o', str(output)], capsys, 1)
    assert f'{words[-1]}: given twice' in printed
    assert not output.exists()


def test_a_recording_in_the_place_of_a_urdf_is_no_question_of_encoding(capsys):
    printed = output_of(['info', MCAP], capsys, 1)
    assert 'no text, and so no URDF; is it a recording' in printed
    assert 'UTF-8' not in printed


def test_no_command_at_all_is_answered_by_where_they_are_listed(capsys):
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 2
    assert 'there is no command; urdf2dyn help lists them' in capsys.readouterr().err


def test_packages_that_xacro_does_not_find_need_ros(tmp_path, capsys):
    path = tmp_path / 'arm.urdf.xacro'
    path.write_text('<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro">'
                    '<xacro:include filename="$(find nowhere)/urdf/arm.xacro"/></robot>')
    assert '$(find PACKAGE) needs ROS 2: source' in output_of(['info', str(path)], capsys, 1)


def test_a_table_without_names_of_columns_is_not_one_with_equal_names(tmp_path, capsys):
    path = tmp_path / 'numbers.csv'
    path.write_text(Path(CSV).read_text().partition('\n')[2])
    printed = output_of(['evaluate', str(path), '--urdf', URDF], capsys, 1)
    assert 'line 1: numbers, where the names of the columns should be' in printed


@pytest.mark.parametrize(('heads', 'words', 'said'), [
    ('q_{}', ['--degrees'], 'are they in radians, and read as degrees?'),
    ('q_{} [deg]', [], 'are they in radians, and read as degrees?'),
    ('q_{}', [], 'the efforts: are they in revolutions?'),
    ('q_{}', [], 'those of joint2, joint3 alone: divide these by 57.296')])
def test_units_of_positions_are_judged_by_efforts(heads, words, said, tmp_path, capsys):
    """Of all joints, or of some."""
    dynamics, time = InverseDynamics(URDF), np.arange(0.0, 10.0, 0.01)
    pace = 2.0 * np.pi * np.array([0.2, 0.3, 0.25, 0.4, 0.5, 0.35])
    phase, size = np.outer(time, pace), np.array([1.6, 0.8, 0.8, 1.6, 0.8, 1.6])
    q = size * np.sin(phase) + np.array([0.0, 1.2, -1.2, 0.0, 0.0, 0.0])
    efforts = dynamics(q, size * pace * np.cos(phase), -size * pace**2 * np.sin(phase))
    if 'alone' in said:
        q[:, 1:3] = np.degrees(q[:, 1:3])
    elif 'revolutions' in said:
        q /= 2.0 * np.pi
    path = write_csv(tmp_path / 'x.csv', [
        'time', *(heads.format(name) for name in JOINTS), *(f'effort_{name}' for name in JOINTS)],
        np.column_stack((time, q, efforts)).tolist())
    assert said in output_of(['evaluate', str(path), '--urdf', URDF, '-o', str(tmp_path / 'out'),
                              *words], capsys, 0)


def test_currents_are_recognised_as_a_multiple_of_the_efforts(tmp_path, capsys):
    """And not as efforts without gravity, which leave less than nothing at all as well."""
    path = table(tmp_path / 'currents.csv', JOINTS, 1.0 / 12.0)
    printed = output_of(['evaluate', path, '--urdf', URDF, '-o', str(tmp_path / 'out')], capsys, 0)
    assert printed.count('for currents, add --effort-semantics current with --gains') == 1
    assert 'the measured effort is' not in printed   # joint by joint
    assert 'seems to be gravity_compensated' not in printed


def test_velocities_in_degrees_are_asked_about_once(tmp_path, capsys):
    """And not joint by joint."""
    path = table(tmp_path / 'degrees.csv', JOINTS, unit=57.3)
    printed = output_of(['evaluate', path, '--urdf', URDF, '-o', str(tmp_path / 'out')], capsys, 0)
    assert printed.count('in degrees?') == 1
    names = ', '.join(repr(name) for name in JOINTS[1:])
    assert f'are the velocities in degrees? Likewise {names}\n' in printed


def test_questions_alone_are_put_together() -> None:
    """Lags of several joints differ."""
    sentences = {'a': 'a is 57.3 times b: is it in degrees?', 'b': 'b is 1.2 ms late',
                 'c': 'c is 57.1 times b: is it in degrees?', 'd': 'd is 3.4 ms late'}
    assert asked_once(sentences.items()) == [
        sentences['a'] + ' Likewise c', sentences['b'], sentences['d']]


@pytest.mark.slow
def test_the_recording_of_a_robot_that_is_as_its_urdf_says_needs_no_identification(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = output_of(['identify', CSV, '--urdf', URDF, '-o', str(tmp_path / 'out')], capsys, 3)
    assert 'there is nothing to identify: the URDF leaves 0.014 % of the efforts' in printed


@pytest.mark.parametrize('command', [['export', URDF], ['evaluate', CSV, '--urdf', URDF]])
def test_results_in_a_file_need_a_directory(command, tmp_path, capsys):
    path = tmp_path / 'mine.csv'
    path.write_text('work')
    printed = output_of([*command, '-o', str(path)], capsys, 1)
    assert 'it is a file, and the results need a directory' in printed
    assert path.read_text() == 'work'


def test_a_robot_that_hangs_is_no_robot_whose_motors_turn_the_other_way(tmp_path, capsys):
    """The efforts against gravity have the opposite sign, the others have not."""
    words = ['evaluate', CSV, '--urdf', URDF, '-o', str(tmp_path / 'up'), '--gravity', '0', '0',
             '9.81']
    printed = output_of(words, capsys, 0)
    assert printed.count('if the robot is mounted so, set it with --gravity') == 1
    assert 'opposite sign' not in printed
    path = table(tmp_path / 'other.csv', JOINTS, -1.0)
    printed = output_of(['evaluate', path, '--urdf', URDF, '-o', str(tmp_path / 'turned')],
                        capsys, 0)
    assert printed.count('wrong sign: they are minus what the URDF needs') == 1
    assert 'mounted so' not in printed


@pytest.mark.parametrize('command', ['evaluate', 'identify'])
def test_a_robot_among_the_recordings_is_an_option(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([command, CSV, URDF])
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f'the robot is an option: --urdf {URDF} (' in line
