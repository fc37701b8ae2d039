"""Several files are written completely or not at all, also after Ctrl-C."""

import os
import signal
from pathlib import Path

import pytest

from urdf2dyn_ros.system import create_files


@pytest.mark.usefixtures('ctrl_c')
@pytest.mark.parametrize(('owner', 'function', 'call'), [
    (os, 'fsync', 1), (os, 'link', 0), (Path, 'replace', 0), (Path, 'replace', 1),
    (Path, 'unlink', 0)])
def test_ctrl_c_waits_until_all_files_are_there(owner: object, function: str, call: int,
                                                tmp_path: Path,
                                                monkeypatch: pytest.MonkeyPatch) -> None:
    """One of them replaces an older one, and one is in another directory."""
    (tmp_path / 'deep').mkdir()
    (tmp_path / 'a').write_bytes(b'old')
    texts = {tmp_path / 'a': b'1', tmp_path / 'deep' / 'b': b'2'}
    calls: list[object] = []
    original = getattr(owner, function)

    def interrupted(*words: object, **options: object) -> object:
        calls.append(words)
        if len(calls) == call + 1:
            signal.raise_signal(signal.SIGINT)
        return original(*words, **options)

    monkeypatch.setattr(owner, function, interrupted)
    with pytest.raises(KeyboardInterrupt):
        create_files(texts, replace=True)
    monkeypatch.undo()
    assert len(calls) > call
    assert {path: path.read_bytes() for path in tmp_path.rglob('*') if path.is_file()} == texts
