"""The C that this package exports, called from C."""

from cases import Case
from racing.compilers import CC, FLAGS, SHARED, builds
from racing.contestant import Ready
from racing.native import SOURCES, fastest

from urdf2dyn_ros import export_model


def prepare(case: Case, function: str = 'inverse_dynamics', loop: str = 'exported.c') -> Ready:
    """Compile the export and the loop around it, file by file as its user would."""
    files = export_model(case.model, 'c', 'fast', 'robot', functions=function)
    folder = case.folder / f'exported_{function}'
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    sources = [SOURCES / loop, *(folder / name for name in files if name.endswith('.c'))]
    arguments = [*FLAGS, *SHARED, f'-DJOINTS={len(case.joint_names)}',
                 f'-DFUNCTION=robot_{function}', '-I', folder, *sources, '-lm']
    everything = [SOURCES / loop, *map(folder.joinpath, files)]
    return fastest(builds(CC, arguments, everything, folder, 'exported'), case, case.tree)


def prepare_forward(case: Case) -> Ready:
    """Compile forward dynamics."""
    return prepare(case, 'forward_dynamics')


def prepare_derivatives(case: Case) -> Ready:
    """Compile the efforts with their derivatives, of which the efforts are compared."""
    return prepare(case, 'inverse_dynamics_derivatives', 'exported_derivatives.c')
