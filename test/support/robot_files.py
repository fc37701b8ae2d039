"""Where the tests' robots are."""

import site
import sysconfig
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from support.paths import ROOT

OWN = ROOT / 'urdf'
ROBOTS = tuple(sorted(OWN.glob('*.urdf')))
TREES = tuple(path for path in ROBOTS if b'<loop_joint' not in path.read_bytes())


def _examples() -> Path:
    """Return the folder of example-robot-data, which has no Python module to ask."""
    for packages in (sysconfig.get_path('purelib'), *site.getsitepackages()):
        folder = Path(packages) / 'cmeel.prefix' / 'share' / 'example-robot-data' / 'robots'
        if folder.is_dir():
            return folder
    pytest.skip('example-robot-data is not installed; it comes from PyPI: pip install ".[test]"',
                allow_module_level=True)


EXAMPLES = _examples()
"""About 70 real robots."""


def mostly_slow(paths: Iterable[Path], *kept: str) -> list[Any]:
    """Return files of robots as parameters of a test that is slow but for some of them."""
    return [pytest.param(path, id=f'{path.parents[1].name}-{path.stem}',
                         marks=() if path.stem in kept else pytest.mark.slow) for path in paths]


@cache
def robot_path(name: str) -> Path:
    """Return the file of one of the package's own robots, or of the real ones."""
    own = OWN / f'{name}.urdf'
    return own if own.exists() else max(EXAMPLES.rglob(f'{name}.urdf'))   # there are two ANYmals


def vertical_2r(limits: str) -> str:
    """Return the 2R as two joints with these limits that move in a vertical plane."""
    return (OWN / 'robot_2r.urdf').read_text().replace('"continuous"', '"revolute"').replace(
        '<axis xyz="0 0 1"/>', f'<axis xyz="0 1 0"/><limit {limits}/>')
