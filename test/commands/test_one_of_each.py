"""What is one is not several: texts about a robot of one joint, one recording, one contact."""

import re
from pathlib import Path

import numpy as np
import pytest

from support.recordings.bags import write_csv
from urdf2dyn_ros import InverseDynamics
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.text import counted

PENDULUM = """
<robot name="pendulum"><link name="base"/>
  <link name="rod"><inertial><origin xyz="0 0 0.5"/><mass value="1"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.01"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="20" velocity="4"/></joint></robot>
"""
SEVERAL = re.compile(r'(?<![\w.,/-])1 (?!is\b|axis\b|was\b|has\b)(?:more )?[a-z]+s\b')


@pytest.fixture(scope='module')
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, Path]:
    """Return a pendulum, its recording, and a folder for what commands write."""
    folder = tmp_path_factory.mktemp('one')
    urdf = folder / 'pendulum.urdf'
    urdf.write_text(PENDULUM)
    time = np.arange(0.0, 3.0, 0.01)[:, np.newaxis]
    q, qd, qdd = 0.8 * np.sin(2 * time), 1.6 * np.cos(2 * time), -3.2 * np.sin(2 * time)
    table = write_csv(folder / 'pendulum.csv', ['time', 'q_hinge', 'qd_hinge', 'effort_hinge'],
                      np.hstack([time, q, qd, InverseDynamics(urdf)(q, qd, qdd)]).tolist())
    return str(urdf), str(table), folder


@pytest.mark.parametrize('words', [
    ['info', 'URDF'], ['check', 'URDF'], ['export', 'URDF', '-o', 'DIR'],
    ['export', 'URDF', '--style', 'fast', '--model', 'forward_dynamics', '-o', 'DIR'],
    ['evaluate', 'CSV', '--urdf', 'URDF', '--observer', '-o', 'DIR'],
    ['evaluate', 'CSV', '--urdf', 'CSV', '-o', 'DIR']], ids=' '.join)
def test_what_is_one_is_not_several(words: list[str], files: tuple[str, str, Path],
                                    capsys: pytest.CaptureFixture[str]) -> None:
    urdf, table, folder = files
    output = folder / str(hash(tuple(words)))
    main([{'URDF': urdf, 'CSV': table, 'DIR': str(output)}.get(word, word) for word in words])
    texts = [''.join(capsys.readouterr()), *(
        path.read_text() for path in output.rglob('*') if path.suffix in ('.py', '.html'))]
    assert [found[0] for text in texts for found in SEVERAL.finditer(text)] == []


def test_plurals() -> None:
    """Also those that are not made by an s."""
    assert [counted(n, 'joint') for n in range(3)] == ['0 joints', '1 joint', '2 joints']
    assert [counted(n, 'body', 'bodies') for n in (1, 2)] == ['1 body', '2 bodies']
