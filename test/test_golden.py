"""
The 2R's exported scripts, as they are in the repository: what a change does to them is read there.

`make golden` writes them anew.

"""

from __future__ import annotations

from pathlib import Path

import pytest

from urdf2dyn_ros import export_model, read_urdf
from urdf2dyn_ros.equations.generator import STYLES

HERE = Path(__file__).parent
URDF = HERE.parent / 'urdf' / 'robot_2r.urdf'


def exported(style: str) -> dict[str, str]:
    """Return the files of the 2R in its plane, where gravity is along -y."""
    return export_model(read_urdf(URDF.read_bytes()), 'python', style, gravity=(0.0, -9.81, 0.0))


@pytest.mark.parametrize('style', STYLES)
def test_the_exported_files_are_those_in_the_repository(style: str) -> None:
    """A difference is a change of what users get: look at it, then `make golden`."""
    folder = HERE / 'golden' / style
    kept = {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}
    assert exported(style) == kept


if __name__ == '__main__':
    for each in STYLES:
        for name, text in exported(each).items():
            path = HERE / 'golden' / each / name
            path.write_text(text)
            print(path)
