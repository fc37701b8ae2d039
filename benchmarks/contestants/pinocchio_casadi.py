"""C that CasADi generates from Pinocchio's algorithms with symbols for numbers."""

import subprocess
from pathlib import Path

from cases import Case
from racing.compilers import CXX, build
from racing.contestant import ExcludedError, Ready

from contestants.generated_by_casadi import compiled
from contestants.pinocchio_cpp import DEFINES, INCLUDES, sources


def prepare(case: Case, algorithm: str = 'rnea') -> Ready:
    """Compile the generator once for all robots, and its output for this one."""
    import casadi

    library = Path(casadi.__file__).parent
    files = sources('pinocchio_casadi.cpp')
    # not optimised: it only writes
    command = [CXX[0], '-std=c++17', '-O0', *DEFINES, *INCLUDES, '-I', library / 'include',
               files[0], '-L', library, '-lcasadi', f'-Wl,-rpath,{library}']
    generator = build(command, files, case.folder.parent, 'pinocchio_casadi')
    folder = case.folder / f'pinocchio_casadi_{algorithm}'
    folder.mkdir(exist_ok=True)
    done = subprocess.run([generator, case.tree, algorithm], cwd=folder, text=True,
                          capture_output=True)
    if done.returncode:
        raise ExcludedError(f'it generates no C: {done.stderr.strip()}')
    return compiled(case, folder)


def prepare_forward(case: Case) -> Ready:
    """Generate from aba."""
    return prepare(case, 'aba')


def prepare_derivatives(case: Case) -> Ready:
    """Generate from computeRNEADerivatives, of which the efforts are compared."""
    return prepare(case, 'derivatives')
