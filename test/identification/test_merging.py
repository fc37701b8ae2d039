"""Merged summaries: the same robot in any order, of the size of one, from the command line too."""

import json
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from support.scara_recordings import MODEL, NAMES, SCARA, recording
from urdf2dyn_ros import IdentificationSettings, identify
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.identification.fit import merged_triangle, residual_squares, triangle
from urdf2dyn_ros.identification.identification import identified
from urdf2dyn_ros.identification.robot import Robot, robot_of
from urdf2dyn_ros.identification.summary import (
    Summary,
    SummaryGroups,
    merged_summary,
    read_summary,
    summary_bytes,
)
from urdf2dyn_ros.inverse_dynamics import InverseDynamics

FIXED = ('--urdf', str(SCARA), '--cutoff', '10', '--delay', '0')


@pytest.fixture(scope='module')
def robot() -> Robot:
    return robot_of(MODEL, InverseDynamics(MODEL))


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


def assert_equal(first: Summary, second: Summary) -> None:
    """Of triangles R, R'R counts: a sign of a row, and rows of a singular one, are arbitrary."""
    for name in ('seconds', 'cutoff', 'delay', 'recordings', 'used', 'fastest', 'correlation',
                 'joint_seconds', 'coupling'):
        np.testing.assert_allclose(getattr(first, name), getattr(second, name), rtol=1e-12,
                                   atol=1e-14)
    for name in ('weighted', 'moving', 'resting'):
        for one, other in zip(getattr(first, name), getattr(second, name), strict=True):
            np.testing.assert_allclose(one.rows, other.rows, rtol=1e-12)
            for R, S in zip(one.triangles, other.triangles, strict=True):
                sizes = np.linalg.norm(R, axis=0)
                assert (np.abs(R.T @ R - S.T @ S) <= 1e-12 * np.outer(sizes, sizes)).all()


def contents_size(file: bytes) -> int:
    """Return the size of all arrays but the head."""
    with np.load(BytesIO(file)) as arrays:
        return sum(arrays[name].nbytes for name in arrays.files if name != 'head')


def test_merging_is_associative_and_has_no_order(summaries: list[Summary]) -> None:
    a, b, c, d = summaries
    one = merged_summary(merged_summary(merged_summary(a, b), c), d)
    assert one.recordings == 4 and one.used.tolist() == [1.0] * len(NAMES)
    assert one.joint_seconds[2] < one.joint_seconds[0]
    assert_equal(one, merged_summary(merged_summary(a, b), merged_summary(c, d)))
    assert_equal(one, merged_summary(merged_summary(d, b), merged_summary(c, a)))


def test_a_merged_summary_gives_the_robot_of_all_recordings(
        robot: Robot, summaries: list[Summary]) -> None:
    """To 1e-9; and its file has the size of one."""
    a, b, c, d = summaries
    whole = merged_summary(merged_summary(a, c), merged_summary(d, b))
    every, one = identified(robot, summaries, weight=10.0), identified(robot, [whole], weight=10.0)
    for body, other in zip(every.fit.bodies, one.fit.bodies):
        assert (np.abs(body - other) <= 1e-9 * np.abs(body).max()).all()
    sizes = np.abs(every.fit.joints).max(axis=1, keepdims=True)
    assert (np.abs(every.fit.joints - one.fit.joints) <= 1e-8 * sizes).all()
    assert (every.parts, one.parts) == ('recordings', 'blocks')
    assert contents_size(summary_bytes(whole, robot)) == contents_size(summary_bytes(a, robot))


def test_python_identifies_what_the_command_does(
        folder: Path, robot: Robot, summaries: list[Summary]) -> None:
    """From its summaries, which are handed out again."""
    paths, kept = sorted((folder / 'out/summaries').iterdir()), dict[str, bytes]()
    found = identify(paths, InverseDynamics(MODEL), settings=IdentificationSettings(weight=10.0),
                     keep=kept.__setitem__)
    assert [*kept.values()] == [path.read_bytes() for path in paths]
    expected = identified(robot, summaries, weight=10.0).fit
    np.testing.assert_array_equal(found.fit.bodies, expected.bodies)
    np.testing.assert_array_equal(found.fit.joints, expected.joints)
    with pytest.raises(ParameterError, match='--delay 2: must be between'):
        identify(paths, InverseDynamics(MODEL), settings=IdentificationSettings(delay=2.0))


def test_summaries_of_currents_and_efforts_do_not_merge(summaries: list[Summary]) -> None:
    with pytest.raises(ParameterError, match='one is a summary of currents'):
        merged_summary(summaries[0], replace(summaries[1], currents=True))


def test_many_are_groups_of_neighbours(summaries: list[Summary]) -> None:
    groups = SummaryGroups(5, 2)
    for number in range(5):
        groups.add(replace(summaries[number % 3], name=f'r{number}', recordings=1))
    assert [(each.name, each.recordings) for each in groups.summaries()] == [
        ('r0_and_2_more', 3), ('r3_and_1_more', 2)]


def test_days_merge_into_one_file_that_stands_in_for_them(
        folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A damaged recording costs itself; an existing file is not replaced."""
    day, out = folder / 'day.npz', folder / 'out'
    (folder / 'broken.csv').write_text('time,q_joint1\n0,1\n')
    words = ['identify', *map(str, sorted((out / 'summaries').iterdir())[:3]),
             str(folder / 'd.csv'), str(folder / 'broken.csv'), *FIXED, '--merge', str(day)]
    assert main(words) == 0
    output = capsys.readouterr()
    assert output.out.startswith(f'{day}: 4 recordings, ')
    assert output.err.count('note: not used: ') == 1 and 'broken.csv' in output.err
    before = day.read_bytes()
    assert main(words) == 1
    assert '--overwrite' in capsys.readouterr().err and day.read_bytes() == before
    assert main(['identify', str(folder / 'broken.csv'), *FIXED, '--merge',
                 str(folder / 'none.npz')]) == 3
    assert not (folder / 'none.npz').exists()
    assert main(['identify', str(day), *FIXED, '--weight', '10', '-o', str(folder / 'one')]) == 0
    bodies = [json.loads((folder / name / 'identification.json').read_text())['bodies']
              for name in ('out', 'one')]
    for one, other in zip(*(each.values() for each in bodies)):
        size = max(abs(entry['identified']) for entry in one.values())
        for name in one:
            assert abs(one[name]['identified'] - other[name]['identified']) <= 1e-8 * size


def test_merged_triangles_are_that_of_all_rows_in_any_order() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(9000, 12)) * 10.0 ** rng.integers(-3, 4, size=12)
    parts = [triangle(part) for part in np.split(rows, [5, 800, 7000])]
    whole = triangle(rows)
    size = np.linalg.norm(whole, axis=0)
    for order in ((0, 1, 2, 3), (3, 1, 0, 2), (2, 3, 1, 0)):
        found = merged_triangle(parts[k] for k in order)
        assert (np.abs(found - whole) <= 1e-12 * size).all()
    x = rng.normal(size=11)
    expected = np.square(rows[:, :-1] @ x - rows[:, -1]).sum()
    np.testing.assert_allclose(residual_squares(whole, x), expected, rtol=1e-12)


def test_few_rows_and_none_have_a_square_triangle() -> None:
    assert triangle(np.zeros((0, 3))).tolist() == np.zeros((3, 3)).tolist()
    assert triangle(np.array([[3.0, 4.0]])).tolist() == [[3.0, 4.0], [0.0, 0.0]]
