"""`urdf2dyn identify` without its picture, which takes as long as a fit."""

import pytest

from urdf2dyn_ros.commands import identify


@pytest.fixture(autouse=True)
def _no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw none but in fixtures of whole files: test_identify_command looks at its own."""
    monkeypatch.setattr(identify, 'identification_picture', lambda *of: b'')
