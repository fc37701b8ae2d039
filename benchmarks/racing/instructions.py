"""Instructions per state, as valgrind counts them: the same at every run, unlike times."""

import re
import subprocess
import sys
from pathlib import Path

from cases import Case

from racing.compilers import CC, FLAGS, build
from racing.contestant import ExcludedError, Ready
from racing.native import SOURCES

ROBOTS = ('UR5', 'Talos, reduced')


def instructions(case: Case, ready: dict[str, Ready], folder: Path) -> dict[str, float]:
    """Return the count of every contestant that is a library, or nothing without valgrind."""
    source = SOURCES / 'count.c'
    states = case.folder / 'states'
    case.states.tofile(states)
    counts = {}
    try:
        program = build([CC[0], *FLAGS, source, '-ldl'], [source], folder, 'count')
        for name, one in ready.items():
            if one.library is not None:
                print(f'    instructions of {name} ...', file=sys.stderr)
                counts[name] = _count([program, one.library, one.robot or '', states,
                                       case.states.shape[2], case.states.shape[1]],
                                      case.folder / 'callgrind') / case.states.shape[1]
    except (ExcludedError, OSError) as error:
        print(f'no instructions are counted, because {error}', file=sys.stderr)
    return counts


def _count(command: list[object], output: Path) -> int:
    """Return the instructions inside of evaluate."""
    done = subprocess.run(['valgrind', '--tool=callgrind', '--toggle-collect=evaluate',
                           f'--callgrind-out-file={output}', *map(str, command)],
                          text=True, stderr=subprocess.PIPE)
    found = re.search(r'Collected : (\d+)', done.stderr)
    if 'unhandled instruction' in done.stderr:
        raise ExcludedError('valgrind does not support an instruction of this processor that '
                            '-march=native uses (AVX-512)')
    if done.returncode or found is None:
        raise ExcludedError(f'valgrind fails: {done.stderr.strip().splitlines()[-1]}')
    return int(found.group(1))
