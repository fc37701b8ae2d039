"""The exported C and C++ run on an aarch64 processor, as QEMU has it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from support.robot_files import robot_path
from urdf2dyn_ros import export_model, read_urdf
from urdf2dyn_ros.codegen.languages import Target
from urdf2dyn_ros.robot.loads import Loads

TALOS = robot_path('talos_reduced')   # its limbs are twins
COMPILERS = {'c': ('aarch64-linux-gnu-gcc', 'robot_dynamics.c'),
             'cpp': ('aarch64-linux-gnu-g++', '-x', 'c++', 'robot_dynamics.hpp')}


@pytest.mark.parametrize(('language', 'precision'), [('c', 'double'), ('c', 'float'),
                                                     ('cpp', 'double')])
def test_the_exported_file_agrees_with_its_reference(language: str, precision: str,
                                                     tmp_path: Path) -> None:
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
