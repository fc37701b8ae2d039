"""Single precision, and exported files on other processors, as QEMU has them."""

import ctypes
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import language_tools
import numpy as np
import pytest

from support.paths import ROOT
from support.robot_files import OWN, robot_path
from urdf2dyn_ros import InverseDynamics, export_model, read_urdf
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.codegen.languages import LANGUAGES
from urdf2dyn_ros.codegen.languages.c import sines_and_cosines
from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.export import Target
from urdf2dyn_ros.robot.loads import Loads

ROBOTS = {'rx90': OWN / 'rx90.urdf',
          'ur5': robot_path('ur5_robot'),
          'talos_reduced': robot_path('talos_reduced')}
FIXED = Loads(base='fixed')
LARGEST_ERROR = 1e-6
"""Error of the efforts, relative to the largest one of a state."""

FLAGS = language_tools.WARNINGS.split()


def single(robot: str, language: str = 'c', style: str = 'fast',
           functions: str = 'inverse_dynamics') -> dict[str, str]:
    return export_model(read_urdf(ROBOTS[robot]), Target(language, 'float'), style, 'robot',
                        functions=functions, loads=FIXED)


def compiled(text: str, folder: Path) -> ctypes.CDLL:
    """Return a library of C, whose warnings are errors: of promotions to double as well."""
    (folder / 'library.c').write_text(text)
    subprocess.run(['gcc', '-std=c99', '-O1', '-Wfloat-conversion', *FLAGS, '-shared', '-fPIC',
                    'library.c', '-lm', '-o', 'library.so'], cwd=folder, check=True)
    return ctypes.CDLL(str(folder / 'library.so'))


def address(vector: np.ndarray) -> ctypes.c_void_p:
    assert vector.dtype == np.float32
    return vector.ctypes.data_as(ctypes.c_void_p)


@pytest.mark.parametrize(('robot', 'style'), [
    ('rx90', 'fast'), ('ur5', 'readable'), ('talos_reduced', 'fast')])
def test_efforts_are_those_of_double_precision_within_the_bound(robot, style, tmp_path):
    files = single(robot, style=style)
    (tmp_path / 'robot_dynamics.h').write_text(files['robot_dynamics.h'])
    library = compiled(files['robot_dynamics.c'], tmp_path)
    dynamics = InverseDynamics(read_urdf(ROBOTS[robot]), loads=FIXED)
    n = len(dynamics.joint_names)
    states = np.random.default_rng(0).normal(size=(100, 3, n)) * [[1.5], [2.0], [5.0]]
    found = np.zeros((100, n), np.float32)
    for state, tau in zip(states.astype(np.float32), found):
        library.robot_inverse_dynamics(*map(address, (*state, tau)))
    expected = dynamics(*states.astype(np.float32).astype(float).transpose(1, 0, 2))
    error = np.abs(found - expected).max(axis=1) / np.abs(expected).max(axis=1)
    assert 1e-8 < error.max() < LARGEST_ERROR   # it is single precision, and no less


@pytest.mark.slow
@pytest.mark.parametrize(('robot', 'style', 'functions', 'tool'), [
    *(('rx90', 'readable', 'all', tool) for tool in ('gcc', 'g++', 'rust')),
    ('rx90', 'fast', 'terms', 'g++'), ('rx90', 'fast', 'forward_dynamics', 'gcc'),
    ('ur5', 'fast', 'regressor', 'gcc')])
def test_the_files_compile_without_a_promotion_and_pass_their_own_test(
        robot: str, style: str, functions: str, tool: str, tmp_path: Path) -> None:
    files = single(robot, language_tools.TOOLS[tool].language, style, functions)
    output = language_tools.check_self_test(tool, files, tmp_path)
    assert 'ok. 1 passed' in output if tool == 'rust' else 'agrees with the ref' in output


@pytest.mark.parametrize('tool', ['gcc', 'g++', 'rust'])
def test_a_number_that_is_wrong_by_a_thousandth_is_reported(tool: str, tmp_path: Path) -> None:
    """Of the largest entry: the accuracy is that of the robot's own states."""
    files = single('rx90', language_tools.TOOLS[tool].language)
    (name, text), = [item for item in files.items() if 'expected_' in item[1]]
    largest = max(re.findall(r'\d+\.\d+', text.partition('expected_inverse_dynamics')[2]),
                  key=float)
    head, expected = text.split('expected_inverse_dynamics', 1)
    wrong = expected.replace(largest, str(round(1.001 * float(largest), 5)), 1)
    code, output = language_tools.self_test(
        tool, {**files, name: f'{head}expected_inverse_dynamics{wrong}'}, 'robot', tmp_path)
    assert code != 0 and 'joint2' in output, output


@pytest.mark.parametrize('most', [1, 2, 6, 30])
def test_sines_and_cosines_are_right_within_what_the_text_says(most, tmp_path):
    """Also beyond the reduction, where the C library is called."""
    text = '\n'.join(['#include <float.h>', '#include <math.h>',
                      *sines_and_cosines('float', most)])
    library = compiled(text.replace('static void', 'void sines_and_cosines(int, const float *, '
                                    'float *, float *);\nvoid'), tmp_path)
    random = np.random.default_rng(4)
    angles = np.concatenate([
        random.uniform(-4.0, 4.0, 200_000), random.uniform(-9000.0, 9000.0, 200_000),
        random.integers(-5215, 5215, 20_000) * (np.pi / 2), 10.0 ** random.uniform(-40, 30, 1000),
    ]).astype(np.float32)
    sine, cosine = np.zeros_like(angles), np.zeros_like(angles)
    library.sines_and_cosines(len(angles), *map(address, (angles, sine, cosine)))
    exact = angles.astype(float)
    assert np.abs(sine - np.sin(exact)).max() < 1e-7
    assert np.abs(cosine - np.cos(exact)).max() < 1e-7


ONE_PRECISION = [name for name, each in LANGUAGES.items() if 'float' not in each.REALS]


@pytest.mark.parametrize('language', ONE_PRECISION)
def test_languages_without_a_choice_are_refused_with_the_reason(language, tmp_path, capsys):
    words = ['export', str(ROBOTS['rx90']), '--language', language, '--precision', 'float', '-o',
             str(tmp_path / 'out')]
    assert main(words) == 1
    said = capsys.readouterr().err
    reason = LANGUAGES[language].NO_CHOICE
    assert f'{language} has no precision float: {reason}; choose c, cpp' in said
    assert not (tmp_path / 'out').exists()


def test_every_language_has_a_choice_or_a_reason() -> None:
    for language in LANGUAGES:
        if language not in ONE_PRECISION:
            Target(language, 'float').check()
    with pytest.raises(ExportError, match="unknown language 'cobol'; the languages are: python"):
        Target('cobol').check()
    with pytest.raises(ExportError, match="unknown precision 'half'; it is one of double, float"):
        Target('c', 'half').check()


def test_numbers_beyond_the_range_are_rejected() -> None:
    """A mass of 1e-50 kg would be nothing."""
    text = ROBOTS['rx90'].read_text().replace('<mass value="22"', '<mass value="1e-50"')
    assert '1e-50' in text
    with pytest.raises(ExportError, match='beyond the range of single precision'):
        export_model(read_urdf(text), Target('c', 'float'), 'readable')


TALOS = robot_path('talos_reduced')   # its limbs are twins
COMPILERS = {'c': ('aarch64-linux-gnu-gcc', 'robot_dynamics.c'),
             'cpp': ('aarch64-linux-gnu-g++', '-x', 'c++', 'robot_dynamics.hpp')}


@pytest.mark.slow
@pytest.mark.parametrize(('language', 'precision'), [('c', 'double'), ('c', 'float'),
                                                     ('cpp', 'double')])
def test_the_exported_file_agrees_with_its_reference(language, precision, tmp_path):
    compiler, *source = COMPILERS[language]
    if shutil.which(compiler) is None or shutil.which('qemu-aarch64') is None:
        pytest.skip(f'needs {compiler} and qemu-aarch64 (package qemu-user)')
    for name, text in export_model(read_urdf(TALOS), Target(language, precision), 'fast', 'robot',
                                   functions='inverse_dynamics',
                                   loads=Loads(base='fixed')).items():
        (tmp_path / name).write_text(text)
    subprocess.run([compiler, '-O2', '-static', '-DROBOT_SELF_TEST', *source, '-o', 'self_test',
                    '-lm'], cwd=tmp_path, check=True)
    done = subprocess.run(['qemu-aarch64', tmp_path / 'self_test'], capture_output=True,
                          text=True, check=True)
    assert done.stdout.splitlines()[-1] == 'agrees with the reference'


TOOLS = ('arm-none-eabi-gcc', 'qemu-system-arm')
PRINTED = re.compile(r'^(\w+) +(\d+) +(\d+) +(\d+)  (.*)$', re.MULTILINE)


def missing() -> bool:
    """Return whether the compiler, its C library or the emulator is not installed."""
    if any(shutil.which(tool) is None for tool in TOOLS):
        return True
    found = subprocess.run([TOOLS[0], '-print-file-name=rdimon.specs'], capture_output=True,
                           text=True, check=True).stdout
    return '/' not in found


@pytest.mark.slow
def test_the_exported_c_runs_on_a_microcontroller(tmp_path: Path) -> None:
    """Its self-test passes there; code, stack and instructions are at most those of the page."""
    if missing():
        pytest.skip('needs gcc-arm-none-eabi, libnewlib-arm-none-eabi and qemu-system-arm')
    command = tmp_path / 'urdf2dyn'
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m urdf2dyn_ros "$@"\n')
    command.chmod(0o755)
    done = subprocess.run(
        [ROOT / 'examples' / 'microcontroller' / 'run.sh', ROOT / 'urdf' / 'rx90.urdf',
         tmp_path / 'out'], capture_output=True, text=True, timeout=230, check=False,
        env={**os.environ, 'PATH': f'{tmp_path}:{os.environ["PATH"]}', 'PYTHONPATH': str(ROOT)})
    assert done.returncode == 0, done.stdout + done.stderr
    rows = PRINTED.findall(done.stdout)
    assert [row[4] for row in rows] == ['agrees with the reference'] * 3
    page = (ROOT / 'docs' / 'microcontroller.md').read_text()
    table = [[int(cell) for cell in row] for row in re.findall(
        r'\| (\d+) \| (\d+) \| (\d+) \| agrees', page)]
    assert len(table) == 3
    for row, stated in zip(rows, table):
        for cell, most in zip(row[1:4], stated):
            assert 0.5 * most < int(cell) < 1.2 * most   # another gcc has other registers
