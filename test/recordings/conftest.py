"""`urdf2dyn evaluate` run by tests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.paths import ROOT
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.recordings import many as job

if TYPE_CHECKING:   # it needs an oracle, without which files are skipped, but not a conftest
    from support.recordings.evaluate_command import Done

SCARA = ROOT / 'urdf' / 'scara.urdf'


@pytest.fixture
def evaluate(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """Return a function that runs the command, and takes what it says; pictures take seconds."""
    from support.recordings.evaluate_command import Done
    from support.recordings.scara import no_pictures

    def run(recording: Path, *words: object, urdf: Path = SCARA, drawn: bool = False) -> Done:
        if not drawn:
            monkeypatch.setattr(job, 'write_figures', no_pictures)
        folder = tmp_path / 'results'
        code = main(['evaluate', str(recording), '--urdf', str(urdf), '-o', str(folder),
                     '--overwrite', *map(str, words)])
        out, err = capsys.readouterr()
        assert 'Traceback' not in err
        return Done(code, out, err.rstrip('\n'), folder)

    return run
