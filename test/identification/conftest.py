"""`urdf2dyn identify` and `excite` without their pictures, which take as long as a fit."""

import pytest

from urdf2dyn_ros.commands import excite, identify


@pytest.fixture(autouse=True)
def _no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw none but in fixtures of whole files: tests of the commands look at their own."""
    monkeypatch.setattr(identify, 'identification_picture', lambda *of: b'')
    monkeypatch.setattr(excite, 'motion_picture', lambda *of, **_: b'')
