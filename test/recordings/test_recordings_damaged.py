"""Damaged recordings: the defect is reported with the command that repairs it."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from two_joints import MANY, STORAGE, check, listing, messages, read

from support.recordings.bags import write_bag
from urdf2dyn_ros.errors import RecordingError
from urdf2dyn_ros.recordings import open_recording


def cut(path: Path, share: float) -> None:
    os.truncate(path, round(path.stat().st_size * share))


def flip(path: Path, share: float) -> None:
    """Write nonsense over a page in the middle."""
    with path.open('r+b') as file:
        file.seek(round(path.stat().st_size * share))
        file.write(b'\xa5' * 4096)


@pytest.mark.parametrize(('kind', 'how', 'harm'), [
    ('db3', 'none', cut), ('db3', 'none', flip), ('mcap', 'none', cut), ('mcap', 'chunk', cut)])
def test_a_bag_that_cannot_be_opened_is_an_error_that_names_the_repair(
        tmp_path: Path, kind: str, how: str, harm: Callable[[Path, float], None]) -> None:
    """Nothing is written next to the bag."""
    inside = write_bag(tmp_path / 'bag', kind, {'/joint_states': messages(MANY)}, STORAGE[how])
    harm(inside, 0.85)
    before = listing(tmp_path)
    repair = {'db3': 'sqlite3 bag.db3 .recover', 'mcap': 'mcap recover bag.mcap -o new.mcap'}[kind]
    for path in (inside, inside.parent):
        with pytest.raises(RecordingError) as caught:
            open_recording(path)
        said = str(caught.value)
        assert 'damaged (' in said and repair in said and '\n' not in said
        assert ('ros2 bag reindex bag ' in said) is path.is_dir()
    assert listing(tmp_path) == before


def test_the_records_before_a_defect_are_read(tmp_path: Path) -> None:
    """Then comes an error that says how far it got, and names the repair."""
    inside = write_bag(tmp_path / 'bag', 'mcap', {'/joint_states': messages(MANY)})
    flip(inside, 0.85)
    records, said = read(open_recording(inside))
    assert 500 <= len(records) < MANY
    assert f'after {len(records)} records, {(len(records) - 1) / 1000:.3f} s: ' in said
    assert 'mcap recover' in said and '\n' not in said


def test_what_is_no_recording_is_reported_in_plain_words(tmp_path: Path) -> None:
    good = write_bag(tmp_path / 'good', 'db3', {'/joint_states': messages(20)})
    moved = tmp_path / 'moved'
    moved.mkdir()
    shutil.copy(good, moved / 'part_0.db3')
    for name, content in {'empty.db3': b'', 'empty.mcap': b'', 'text.mcap': b'time,q_a\n0,1\n',
                          'text.db3': b'version https://git-lfs', 'what.xyz': b'x',
                          'old.bag': b'x', 'short.db3': good.read_bytes()[:3000],
                          'short.mcap': b'\x89MCAP0\r\n'}.items():
        (tmp_path / name).write_bytes(content)
    with sqlite3.connect(tmp_path / 'other.db3') as database:
        database.execute('create table t(a)')
    database.close()
    (tmp_path / 'yaml').mkdir()
    (tmp_path / 'yaml' / 'metadata.yaml').write_text('{')
    for name, words in {
            'nowhere.db3': ['no such file'], 'empty.db3': ['an empty file'],
            'empty.mcap': ['an empty file'],
            'text.mcap': ['not in the format MCAP', "b'time,q_a'"],
            'text.db3': ['not in the format SQLite database', "b'version"],
            'what.xyz': ["line 1 is one column, 'x'", '.db3, .mcap'],
            'old.bag': ['not in the format bag of ROS 1'],
            'short.db3': ['damaged', 'sqlite3 short.db3'],
            'short.mcap': ['damaged', 'mcap recover'], 'other.db3': ['damaged', 'sqlite3'],
            'moved': ['without metadata.yaml', 'ros2 bag reindex moved'],
            'yaml': ['damaged', 'ros2 bag reindex yaml']}.items():
        with pytest.raises(RecordingError) as caught:
            open_recording(tmp_path / name)
        for word in [str(tmp_path / name), *words]:
            assert word in str(caught.value), name
    check(list(open_recording(moved / 'part_0.db3')), 20)


def test_a_bag_without_messages_is_an_error(tmp_path: Path) -> None:
    """Of a topic that was advertised only."""
    path = write_bag(tmp_path / 'bag', 'mcap', {'/joint_states': []})
    with pytest.raises(RecordingError, match='it contains no records'):
        list(open_recording(path))


@pytest.mark.parametrize(('kind', 'how'), [('db3', 'message'), ('mcap', 'message'),
                                           ('db3', 'file')])
def test_a_file_of_a_compressed_bag_is_not_damaged_but_needs_its_metadata(
        tmp_path: Path, kind: str, how: str) -> None:
    """The remedy names the directory; so it does for the metadata themselves."""
    inside = write_bag(tmp_path / 'bag', kind, {'/joint_states': messages(20)}, STORAGE[how])
    parts = list(inside.parent.iterdir())
    assert len(parts) == 2
    for part in parts:
        with pytest.raises(RecordingError, match=f"name the directory '{inside.parent}'$"):
            list(open_recording(part))
    assert len(list(open_recording(inside.parent))) == 20


def test_a_time_that_goes_back_gives_no_negative_duration(tmp_path: Path) -> None:
    path = tmp_path / 'back.csv'
    path.write_text('time,q_a\n5,0\n6,0\n4.5,0\n4.6,0\nend,0\n')
    _, said = read(open_recording(path))
    assert 'after 4 records, 1.500 s: ' in said
