"""Where the tests' robots are."""

import site
import sysconfig
from pathlib import Path

import pytest

from support.paths import ROOT

OWN = ROOT / 'urdf'
ROBOTS = tuple(sorted(OWN.glob('*.urdf')))


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
