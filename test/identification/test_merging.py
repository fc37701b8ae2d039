"""Merged summaries: the same robot in any order, of the size of one."""

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from support.scara_recordings import MODEL, SCARA, recording
from urdf2dyn_ros import IdentificationSettings, identify
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.identification.from_summaries import identify_summaries
from urdf2dyn_ros.identification.robot import Robot, robot_of
from urdf2dyn_ros.identification.summary import (
    Summary,
    merged_summary,
    read_summary,
    summary_bytes,
)
from urdf2dyn_ros.inverse_dynamics import InverseDynamics

FIXED = ('--urdf', str(SCARA), '--cutoff', '10', '--delay', '0')


@pytest.fixture(scope='module')
def robot() -> Robot:
    return robot_of(InverseDynamics(MODEL))


@pytest.fixture(scope='module')
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the summaries of four recordings; joint 2 rests in the last one."""
    folder = tmp_path_factory.mktemp('merging')
    paths = [recording(folder / f'{name}.csv', 5.0, seed, None if name != 'd' else (0, 1, 3))
             for seed, name in enumerate('abcd')]
    assert main(['identify', *paths, *FIXED, '--weight', '10', '-o', str(folder / 'out')]) == 0
    return folder


@pytest.fixture(scope='module')
def summaries(folder: Path, robot: Robot) -> list[Summary]:
    return [read_summary(path, robot) for path in sorted((folder / 'out/summaries').iterdir())]


def contents_size(file: bytes) -> int:
    """Return the size of all arrays but the head."""
    with np.load(BytesIO(file)) as arrays:
        return sum(arrays[name].nbytes for name in arrays.files if name != 'head')


@pytest.mark.slow
def test_a_merged_summary_gives_the_robot_of_all_recordings(robot, summaries):
    """To 1e-9; and its file has the size of one."""
    a, b, c, d = summaries
    whole = merged_summary(merged_summary(a, c), merged_summary(d, b))
    every, one = (identify_summaries(robot, each, weight=10.0) for each in (summaries, [whole]))
    for body, other in zip(every.fit.bodies, one.fit.bodies):
        assert (np.abs(body - other) <= 1e-9 * np.abs(body).max()).all()
    sizes = np.abs(every.fit.joints).max(axis=1, keepdims=True)
    assert (np.abs(every.fit.joints - one.fit.joints) <= 1e-8 * sizes).all()
    assert (every.parts, one.parts) == ('recordings', 'blocks')
    assert contents_size(summary_bytes(whole, robot)) == contents_size(summary_bytes(a, robot))


def test_python_identifies_what_the_command_does(folder, robot, summaries):
    """From its summaries, which are handed out again."""
    paths, kept = sorted((folder / 'out/summaries').iterdir()), dict[str, bytes]()
    found = identify(paths, InverseDynamics(MODEL), settings=IdentificationSettings(weight=10.0),
                     keep=kept.__setitem__)
    assert [*kept.values()] == [path.read_bytes() for path in paths]
    expected = identify_summaries(robot, summaries, weight=10.0).fit
    np.testing.assert_array_equal(found.fit.bodies, expected.bodies)
    np.testing.assert_array_equal(found.fit.joints, expected.joints)
    with pytest.raises(ParameterError, match='--delay 2: must be between'):
        identify(paths, InverseDynamics(MODEL), settings=IdentificationSettings(delay=2.0))
