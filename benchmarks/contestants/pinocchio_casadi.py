"""C that CasADi generates from Pinocchio's rnea with symbols for numbers."""

import subprocess
from pathlib import Path

from cases import Case
from compilers import CXX, build
from contestant import ExcludedError, Ready

from contestants.generated_by_casadi import compiled
from contestants.pinocchio_cpp import DEFINES, INCLUDES, sources


def prepare(case: Case) -> Ready:
    """Compile the generator once for all robots, and its output for this one."""
    import casadi

    library = Path(casadi.__file__).parent
    files = sources('pinocchio_casadi.cpp')
    # not optimised: it only writes
    command = [CXX[0], '-std=c++17', '-O0', *DEFINES, *INCLUDES, '-I', library / 'include',
               files[0], '-L', library, '-lcasadi', f'-Wl,-rpath,{library}']
    generator = build(command, files, case.folder.parent, 'pinocchio_casadi')
    folder = case.folder / 'pinocchio_casadi'
    folder.mkdir(exist_ok=True)
    done = subprocess.run([generator, case.tree], cwd=folder, text=True, capture_output=True)
    if done.returncode:
        raise ExcludedError(f'it generates no C: {done.stderr.strip()}')
    return compiled(case, folder)
