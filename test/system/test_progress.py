"""The bar of progress: on a terminal, and only for work that takes long."""

import sys
from io import StringIO
from unittest.mock import patch

import pytest

from urdf2dyn_ros.system import progress


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
