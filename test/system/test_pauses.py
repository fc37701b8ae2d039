"""What the package takes from the system: pauses, progress, whole files, and where robots are."""

import os
import signal
import sys
from contextlib import suppress
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import pytest

from support.paths import ROOT
from support.streams.hand_clock import Clock
from urdf2dyn_ros.errors import SourceError
from urdf2dyn_ros.system import (
    LONGEST_PAUSE,
    PAUSE_RATIO,
    SHORTEST_PAUSE,
    Pauses,
    create_files,
    progress,
    robot_file,
    share_directory,
)


@pytest.mark.fault(47)
@pytest.mark.parametrize(('took', 'pause'), [
    (0.001, SHORTEST_PAUSE), (0.05, PAUSE_RATIO * 0.05), (1.0, LONGEST_PAUSE)])
def test_a_pause_is_in_proportion_to_the_work_before_it_within_limits(
        took: float, pause: float) -> None:
    """And it passes with the clock; before the first piece there is none."""
    clock = Clock()
    pauses = Pauses(clock)
    assert pauses.left == 0.0
    with pauses.work():
        clock.now += took
    assert pauses.left == pytest.approx(pause)
    assert pauses.duration == pytest.approx(took)
    clock.now += 0.4 * pause
    assert pauses.left == pytest.approx(0.6 * pause)
    clock.now += pause
    assert pauses.left == 0.0


def test_there_is_a_pause_after_work_that_failed() -> None:
    clock = Clock()
    pauses = Pauses(clock)
    with suppress(OSError), pauses.work():
        clock.now += 0.05
        raise OSError('the disk is full')
    assert pauses.left == pytest.approx(PAUSE_RATIO * 0.05)


# ---- The bar of progress: on a terminal, and only for work that takes long


class Terminal(StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(('stream', 'elapsed', 'shown'), [
    (Terminal(), 3.0, True), (Terminal(), 1.0, False), (StringIO(), 3.0, False)])
def test_a_bar_is_shown_on_a_terminal_after_two_seconds(
        stream: StringIO, elapsed: float, shown: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, 'stderr', stream)
    with patch('tqdm.std.time', return_value=0.0) as clock, progress('reading') as show:
        clock.return_value = elapsed
        show(0.25)
        assert ('reading:  25 % |#' in stream.getvalue().replace('█', '#')) is shown


# ---- Where the robots that come with the package are found


def test_in_a_checkout_they_are_next_to_the_package():
    assert robot_file('rx90') == ROOT / 'urdf' / 'rx90.urdf'


@pytest.mark.parametrize('library', ['lib/python3.11/site-packages',
                                     'local/lib/python3.10/dist-packages'])
def test_installed_they_are_in_share_of_the_prefix(library, tmp_path):
    robots = tmp_path / 'share' / 'urdf2dyn_ros' / 'urdf'
    robots.mkdir(parents=True)
    (robots / 'rx90.urdf').touch()
    package = tmp_path / library / 'urdf2dyn_ros'
    package.mkdir(parents=True)
    assert share_directory(package / 'share.py') == robots.parent


def test_where_there_are_none_the_error_says_where_they_should_be(tmp_path):
    with pytest.raises(SourceError, match='share/urdf2dyn_ros/urdf'):
        share_directory(tmp_path / 'lib' / 'urdf2dyn_ros' / 'share.py')


# ---- Several files are written completely or not at all, also after Ctrl-C


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
