"""How the files of each language are compiled and run, and programs that call what they define."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from support.paths import TEST
from urdf2dyn_ros.codegen.languages import LANGUAGES
from urdf2dyn_ros.codegen.languages.cpp import Cpp
from urdf2dyn_ros.codegen.program import Program

WARNINGS = '-Wall -Wextra -Wpedantic -Wconversion -Wdouble-promotion -Wshadow -Werror'
PYTHON = shlex.quote(sys.executable)
DRIVERS = TEST / 'drivers'


class Tool(NamedTuple):
    """
    What compiles and runs the files of a language (key of LANGUAGES), in their folder.

    `command` must be installed; `test` and `drive` are commands that run the file's own test, and
    a driver; with {name} and {NAME}.

    """

    language: str
    command: str
    test: tuple[str, ...]
    drive: tuple[str, ...]


def _c(compiler: str) -> Tool:
    flags = f'{compiler} -std=c99 -ffp-contract=off {WARNINGS}'
    return Tool('c', compiler, (
        f'{flags} -D{{NAME}}_SELF_TEST {{name}}_dynamics.c -lm -o self_test', './self_test'), (
        f'{flags} -Wno-unused driver.c {{name}}_dynamics.c -lm -o driver', './driver'))


def _cpp(compiler: str) -> Tool:
    flags = f'{compiler} -std=c++17 -ffp-contract=off {WARNINGS} -x c++'
    return Tool('cpp', compiler, (
        f'{flags} -D{{NAME}}_SELF_TEST {{name}}_dynamics.hpp -o self_test', './self_test'), (
        f'{flags} driver.cpp -o driver', './driver'))


_OCTAVE = 'octave-cli --quiet --norc'
_RUST = 'rustc --edition 2021 -D warnings'
TOOLS = {
    'python': Tool('python', sys.executable, (f'{PYTHON} -I {{name}}_dynamics.py',),
                   (f'{PYTHON} driver.py',)),
    'gcc': _c('gcc'), 'clang': _c('clang'), 'g++': _cpp('g++'), 'clang++': _cpp('clang++'),
    'octave': Tool('matlab', 'octave-cli', (f'{_OCTAVE} {{name}}_main.m',),
                   (f'{_OCTAVE} driver.m',)),
    'rust': Tool('rust', 'rustc', (
        f'{_RUST} --test {{name}}_dynamics.rs -o self_test', './self_test -q'), (
        f'{_RUST} driver.rs -o driver', './driver')),
    'node': Tool('javascript', 'node', ('node {name}_dynamics.mjs',), ('node driver.mjs',)),
}
"""Name of a tool to what it does."""

ONE_EACH = [tool for tool in TOOLS if 'clang' not in tool]


def files_of(tool: str, program: Program) -> dict[str, str]:
    return LANGUAGES[TOOLS[tool].language].write(program)


def self_test(tool: str, files: dict[str, str], name: str, folder: Path,
              optimised: bool = False) -> tuple[int, str]:
    """Compile files and run their own test: exit code and output."""
    commands = TOOLS[tool].test
    if optimised:   # compilers warn of more, as they follow what values variables have
        commands = tuple(re.sub(r'^(gcc|g\+\+|clang|clang\+\+) ', r'\1 -O1 ', command)
                         for command in commands)
    return run(tool, commands, files, name, folder)


def check_self_test(tool: str, files: dict[str, str], folder: Path, name: str = 'robot',
                    optimised: bool = False) -> str:
    """Compile files, run their own test, which must pass, and return its output."""
    code, output = self_test(tool, files, name, folder, optimised)
    assert code == 0, output
    return output


def reported_about(tool: str, program: Program, function: str, result: str, k: int,
                   folder: Path) -> str:
    """Return what the files' own test says if entry k of what is expected of a result is wrong."""
    number = repr(abs(program.references[1].expected[function][result][k]))
    files = files_of(tool, program)
    assert sum(text.count(number) for text in files.values()) == 1
    wrong = {file: text.replace(number, f'1{number}') for file, text in files.items()}
    code, output = self_test(tool, wrong, 'robot', folder)
    assert code != 0
    said, = {line for line in output.splitlines() if 'instead of' in line}
    return said.replace('_', '').lower()


def driven(tool: str, program: Program, states: NDArray[np.float64], folder: Path,
           ) -> tuple[list[str], NDArray[np.float64]]:
    """
    Return joint names, and what all functions return for states, by rows.

    A state is q, qd, qdd (or tau) and the other arguments, (k, 3, n) or (k, all entries).

    """
    files = {**files_of(tool, program), **driver(program, TOOLS[tool].language)}
    code, output = run(tool, TOOLS[tool].drive, files, program.name, folder,
                       '\n'.join(' '.join(map(repr, state)) for state in states.reshape(
                           len(states), -1).tolist()))
    assert code == 0, output
    lines = output.split('====\n')[-1].splitlines()
    n = len(program.motor_rows)
    names = [bytes(map(int, line.split())).decode() for line in lines[:n]]
    numbers = re.sub(r'[][,()]', ' ', ' '.join(lines[n:])).split()
    return names, np.array([*map(float, numbers)]).reshape(len(states), -1)


def beside(program: Program) -> dict[str, int]:
    """Return the load inputs of the functions, each with its number of entries."""
    return {x.name: len(x.entries) for function in program.functions for x in function.inputs
            if not x.of_joints}


def run(tool: str, commands: tuple[str, ...], files: dict[str, str], name: str, folder: Path,
        state: str = '') -> tuple[int, str]:
    """Write files and run commands in their folder: the last exit code and output."""
    needed = TOOLS[tool].command
    if shutil.which(needed) is None:
        pytest.skip(f'{needed} is not installed; .ci/run takes it from Debian')
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in files.items():
        (folder / file).write_bytes(text.encode('ascii'))
    # without a file for its history, Octave complains where there is no ~/.local/share
    environment = {**os.environ, 'OCTAVE_HISTFILE': os.devnull, 'LC_ALL': 'C.UTF-8',
                   'PYTHONPATH': str(TEST), 'PYTHONDONTWRITEBYTECODE': '1'}
    for command in commands:
        done = subprocess.run(
            shlex.split(command.format(name=name, NAME=name.upper())), input=state, cwd=folder,
            env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            break
    return done.returncode, done.stdout + done.stderr


def driver(program: Program, language: str) -> dict[str, str]:
    """Return a program that prints joint names as bytes, and results for the states it reads."""
    file, argument, call, show, end = _DRIVERS[language]
    n, slices, width = len(program.motor_rows), {}, 0
    for x in (*program.state, *beside(program)):
        size = beside(program).get(x, n)
        slices[x] = {'first': width, 'size': size, 'end': width + size, 'one': width + 1}
        width += size
    lines = []
    for function in program.functions:
        results = [result.name for result in function.results]
        shapes = [[str(max(1, size)) for size in result.shape] for result in function.results]
        lines.append(call.format(
            name=program.name, function=function.name, results=', '.join(results),
            state=', '.join(argument.format(**slices[x.name]) for x in function.inputs),
            arrays=', '.join(f'{result}[{"][".join(shape)}]'
                             for result, shape in zip(results, shapes))))
        lines += [show.format(result=result.name, field=f'.{result.name}' * (len(results) > 1),
                              count=sum(len(row.entries) for row in result.rows))
                  for result in function.results if show] + [end] * bool(end)
    text = (DRIVERS / file).read_text()
    for old, new in (('@calls', '\n    '.join(lines)), ('@name', program.name),
                     ('@space', Cpp(program).space), ('@width', str(width)), ('@n', str(n))):
        text = text.replace(old, new)
    return {file: text}


_DRIVERS = {
    'python': ('driver.py', 'state[{first}:{end}]', 'show(robot.{function}({state}))', '', ''),
    'c': ('driver.c', 'state + {first}',
          '{{ double {arrays}; {name}_{function}({state}, {results});',
          'put((double *){result}, {count});', '}'),
    'cpp': ('driver.cpp', 'at<{size}>(state, {first})',
            '{{ const auto found = model::{function}({state});', 'put(found{field});', '}'),
    'matlab': ('driver.m', 'state({one}:{end})', '[{results}] = {name}_{function}({state});',
               "printf('%.17g\\n', {result}.');", ''),
    'rust': ('driver.rs', 'at::<{size}>(state, {first})',
             'println!("{{:?}}", robot::{function}({state}));', '', ''),
    'javascript': ('driver.mjs', 'state.slice({first}, {end})',
                   "show(of('{function}')({state}));", '', ''),
}
"""
Language to file of its driver, an argument, a call, what shows each result if the call does not,
and what ends a call.
"""
