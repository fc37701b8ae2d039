"""Directory of the files that are installed with the package, such as robots and launch files."""

from pathlib import Path

from urdf2dyn_ros.errors import SourceError

PACKAGE = 'urdf2dyn_ros'


def share_directory(here: Path | None = None) -> Path:
    """
    Return the directory that has ``urdf/`` in it.

    In a checkout it is the directory above the package; once installed, by pip or colcon,
    ``share/urdf2dyn_ros`` of the prefix that the package is in. The package is that of the file
    `here`, by default this one.
    """
    here = (here or Path(__file__).parent).resolve()
    for parent in here.parents[1:]:
        for candidate in (parent, parent / 'share' / PACKAGE):
            if (candidate / 'urdf' / 'rx90.urdf').is_file():
                return candidate
    raise SourceError(f'the robots that come with {PACKAGE} are not found: neither urdf/ next to '
                      f'{here.parent} nor share/{PACKAGE}/urdf in a directory above; '
                      'install the package again')


def robot_file(name: str) -> Path:
    """Return the URDF of a robot that comes with the package, for instance ``'rx90'``."""
    return share_directory() / 'urdf' / f'{name}.urdf'
