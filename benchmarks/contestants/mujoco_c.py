"""MuJoCo's mj_inverse, mj_forward and mjd_inverseFD from C."""

from pathlib import Path

from cases import Case
from racing.compilers import CC, FLAGS, SHARED, builds
from racing.contestant import ExcludedError, Ready
from racing.native import SOURCES, fastest

from contestants.mujoco_python import columns, urdf


def prepare(case: Case, name: str = 'mujoco', defines: tuple[str, ...] = ()) -> Ready:
    """Link with the library of the Python package."""
    import mujoco

    package = Path(mujoco.__file__).parent
    libraries = sorted(package.glob('libmujoco.so*'))
    if not libraries:
        raise ExcludedError('its library is not where it is expected')
    source = SOURCES / 'mujoco.c'
    arguments = [*FLAGS, *SHARED, *defines, '-I', package / 'include', source, libraries[0],
                 f'-Wl,-rpath,{package}']
    robot = case.folder / 'mujoco.urdf'
    robot.write_text(urdf(case))
    return fastest(builds(CC, arguments, [source], case.folder.parent, name), case, robot,
                   columns(case))


def prepare_forward(case: Case) -> Ready:
    """Compile forward dynamics."""
    return prepare(case, 'mujoco_forward', ('-DFORWARD_DYNAMICS',))


def prepare_derivatives(case: Case) -> Ready:
    """Compile the efforts with their derivatives by differences; the efforts are compared."""
    return prepare(case, 'mujoco_derivatives', ('-DDERIVATIVES',))
