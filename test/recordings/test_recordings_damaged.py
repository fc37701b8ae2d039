"""Damaged recordings: what can be read is returned, and the defect is reported."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from support.recordings.bags import text, write_bag
from support.recordings.two_joints import MANY, STORAGE, check, listing, messages, read, stamps
from urdf2dyn_ros.errors import RecordingError
from urdf2dyn_ros.recordings import open_recording
from urdf2dyn_ros.recordings.bag import METADATA


def cut(path: Path, share: float) -> None:
    os.truncate(path, round(path.stat().st_size * share))


def flip(path: Path, share: float) -> None:
    """Write nonsense over a page in the middle."""
    with path.open('r+b') as file:
        file.seek(round(path.stat().st_size * share))
        file.write(b'\xa5' * 4096)


@pytest.mark.parametrize(('kind', 'how', 'file', 'harm', 'least'), [
    ('db3', 'none', True, cut, 500), ('db3', 'none', False, cut, 500),
    ('db3', 'none', True, flip, 0), ('mcap', 'none', True, cut, 500),
    ('mcap', 'none', False, cut, 500), ('mcap', 'chunk', True, cut, 500),
    ('mcap', 'none', True, flip, 500)])
def test_of_a_broken_bag_the_records_before_the_defect_are_read(
        tmp_path: Path, kind: str, how: str, file: bool, harm: Callable[[Path, float], None],
        least: int) -> None:
    """Then comes an error that says how far it got, and nothing is written next to the bag."""
    inside = write_bag(tmp_path / 'bag', kind, {'/chatter': [text('hello')] * 3,
                                                '/joint_states': messages(MANY)}, STORAGE[how])
    harm(inside, 0.85)
    before = listing(tmp_path)
    records, said = read(open_recording(inside if file else inside.parent))
    assert least <= len(records) < MANY
    if harm is cut:
        assert [record.stamp for record in records] == stamps(len(records))
    if records:
        assert f'after {len(records)} records, {(len(records) - 1) / 1000:.3f} s: ' in said
    assert 'continue with what was read' in said
    assert 'Traceback' not in said and '\n' not in said
    assert listing(tmp_path) == before


def test_a_bag_whose_end_is_missing_is_reported_even_if_no_message_is(tmp_path: Path) -> None:
    """As a recorder leaves it that was killed between two records."""
    inside = write_bag(tmp_path / 'bag', 'mcap', {'/joint_states': messages(20)})
    content = inside.read_bytes()
    # the record DataEnd: opcode 15, and 4 bytes of content
    inside.write_bytes(content[:content.rindex(b'\x0f\x04\0\0\0\0\0\0\0')])
    records, said = read(open_recording(inside))
    check(records, 20)
    assert 'its end may be missing' in said


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
            'what.xyz': ["'.xyz'", '.db3, .mcap'],
            'old.bag': ['rosbags-convert'], 'short.db3': ['nothing of it can be read'],
            'short.mcap': ['nothing of it can be read'], 'other.db3': ['nothing of it'],
            'moved': ['without metadata.yaml', 'ros2 bag reindex', 'part_0.db3'],
            'yaml': ['nothing of it']}.items():
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
            open_recording(part)
    assert len(list(open_recording(inside.parent))) == 20


@pytest.mark.parametrize('kind', ['db3', 'mcap'])
def test_compressed_messages_are_read_although_the_metadata_are_damaged(tmp_path: Path,
                                                                        kind: str) -> None:
    """Nothing else says that they are compressed, and the fault is not called a missing end."""
    inside = write_bag(tmp_path / 'bag', kind, {'/joint_states': messages(20)}, STORAGE['message'])
    (inside.parent / METADATA).write_text('')
    records, said = read(open_recording(inside.parent))
    check(records, 20)
    assert 'metadata' in said and 'its end may be missing' in said


def test_a_directory_of_compressed_files_without_metadata_is_a_bag(tmp_path: Path) -> None:
    inside = write_bag(tmp_path / 'bag', 'mcap', {'/joint_states': messages(20)}, STORAGE['file'])
    (inside.parent / METADATA).unlink()
    with pytest.raises(RecordingError, match=f'zstd -d, and name one: {inside.name}$'):
        open_recording(inside.parent)


def test_a_time_that_goes_back_gives_no_negative_duration(tmp_path: Path) -> None:
    path = tmp_path / 'back.csv'
    path.write_text('time,q_a\n5,0\n6,0\n4.5,0\n4.6,0\nend,0\n')
    _, said = read(open_recording(path))
    assert 'after 4 records, 1.500 s: ' in said
