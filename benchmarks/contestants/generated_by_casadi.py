"""A function that CasADi wrote as C, with its loop."""

from pathlib import Path

from cases import Case
from racing.compilers import CC, FLAGS, SHARED, builds
from racing.contestant import Ready
from racing.native import SOURCES, fastest


def compiled(case: Case, folder: Path) -> Ready:
    """Return the function robot(q, qd, qdd) of folder/robot.c, in the case's order."""
    files = [SOURCES / 'casadi.c', folder / 'robot.c']
    arguments = [*FLAGS, *SHARED, f'-DJOINTS={len(case.joint_names)}', *files, '-lm']
    return fastest(builds(CC, arguments, files, folder, folder.name), case, case.tree)
