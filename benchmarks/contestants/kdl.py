"""KDL's TreeIdSolver_RNE."""

from pathlib import Path

from cases import Case
from racing.compilers import CXX, FLAGS, SHARED_CXX, builds
from racing.contestant import ExcludedError, Ready
from racing.native import SOURCES, fastest

from contestants.pinocchio_cpp import INCLUDES

# the library's own, which is compiled for any x86-64: its arrays are freed here
ALIGNMENT = '-DEIGEN_MAX_ALIGN_BYTES=16'


def prepare(case: Case) -> Ready:
    """Compile against the system's KDL, which comes with ROS or as liborocos-kdl-dev."""
    if not Path('/usr/include/kdl').is_dir():
        raise ExcludedError('its headers are not installed: apt install liborocos-kdl-dev')
    eigen = Path('/usr/include/eigen3')
    files = [SOURCES / 'kdl.cpp', SOURCES / 'tree.hpp']
    includes = ('-I', eigen) if eigen.is_dir() else INCLUDES[2:]
    arguments = [*FLAGS, *SHARED_CXX, ALIGNMENT, *includes, files[0], '-lorocos-kdl']
    return fastest(builds(CXX, arguments, files, case.folder.parent, 'kdl'), case, case.tree)
