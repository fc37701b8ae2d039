"""Options of commands for robots with closed loops."""

from pathlib import Path

import pytest

from support.mechanisms import mechanism
from support.paths import ROOT
from urdf2dyn_ros.__main__ import main


def test_motors_are_named_by_an_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = mechanism('five_bar')
    start, end = text.index('<ros2_control'), text.index('</robot>')
    (tmp_path / 'plain.urdf').write_text(text[:start] + text[end:])
    (tmp_path / 'five_bar.urdf').write_text(text)
    command = ['torque', str(tmp_path / 'plain.urdf'), '--q', '0.1', '0.2']
    assert main(command) != 0
    assert 'too-few-actuators' in capsys.readouterr().err
    assert main([*command, '--actuated', 'left', 'right', '--start', 'left=0']) == 0
    named = capsys.readouterr().out
    assert main(['torque', str(tmp_path / 'five_bar.urdf'), '--q', '0.1', '0.2']) == 0
    assert capsys.readouterr().out == named


def test_check_says_how_loops_are_solved(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['check', str(ROOT / 'urdf' / 'palletizer.urdf'), '-v']) == 0
    printed = capsys.readouterr().out + capsys.readouterr().err
    assert 'joint "elbow" = -1 j2 +1 j3' in printed
