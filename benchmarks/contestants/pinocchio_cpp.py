"""Pinocchio from C++, its templates compiled with the flags of all the rest."""

from pathlib import Path

from cases import EXAMPLES, Case
from racing.compilers import CXX, FLAGS, SHARED_CXX, builds
from racing.contestant import ExcludedError, Ready
from racing.native import SOURCES, fastest

PREFIX = EXAMPLES.parents[2]
INCLUDES = ('-I', PREFIX / 'include', '-I', PREFIX / 'include' / 'eigen3')
# boost's lists are too short for all joints of Pinocchio; its CMake files define the same
DEFINES = ('-DBOOST_MPL_LIMIT_LIST_SIZE=30', '-DBOOST_MPL_LIMIT_VECTOR_SIZE=30',
           '-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS', '-DBOOST_FUSION_INVOKE_MAX_ARITY=12')


def sources(name: str) -> list[Path]:
    """Return the files of a program; ExcludedError without the headers that it includes."""
    for folder, package in (('pinocchio', 'pin'), ('eigen3', 'cmeel-eigen')):
        if not (PREFIX / 'include' / folder).is_dir():
            raise ExcludedError(f'its headers are not installed: pip install {package}')
    return [SOURCES / name, SOURCES / 'pinocchio_tree.hpp', SOURCES / 'tree.hpp']


def prepare(case: Case, name: str = 'pinocchio', defines: tuple[str, ...] = (),
            source: str = 'pinocchio.cpp') -> Ready:
    """Compile it once for all robots."""
    files = sources(source)
    arguments = [*FLAGS, *SHARED_CXX, *DEFINES, *defines, *INCLUDES, files[0]]
    return fastest(builds(CXX, arguments, files, case.folder.parent, name), case, case.tree)


def prepare_forward(case: Case) -> Ready:
    """Compile forward dynamics."""
    return prepare(case, 'pinocchio_aba', ('-DFORWARD_DYNAMICS',))


def prepare_derivatives(case: Case) -> Ready:
    """Compile computeRNEADerivatives."""
    return prepare(case, 'pinocchio_derivatives', source='pinocchio_derivatives.cpp')
