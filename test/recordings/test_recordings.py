"""Reading recordings: every kind against what was written."""

import subprocess
import sys
import tracemalloc
from math import nan
from pathlib import Path

import numpy as np
import pytest
from two_joints import NAMES, STORAGE, VALUES, check, listing, messages, stamps

from support.recordings import bags
from urdf2dyn_ros.errors import RecordingError
from urdf2dyn_ros.recordings import open_recording
from urdf2dyn_ros.recordings.bag import decoder
from urdf2dyn_ros.recordings.recording import Record
from urdf2dyn_ros.text import counted


@pytest.mark.parametrize(('kind', 'how', 'file'), [
    ('db3', 'none', True), ('db3', 'none', False), ('db3', 'message', False),
    ('db3', 'file', False), ('mcap', 'none', True), ('mcap', 'none', False),
    ('mcap', 'chunk', True), ('mcap', 'message', False), ('mcap', 'file', False)])
def test_a_bag_gives_what_was_written(tmp_path: Path, kind: str, how: str, file: bool) -> None:
    """File or directory, compressed or not; twice, for a recording can be read again."""
    inside = bags.write_bag(tmp_path / 'bag', kind, {
        '/chatter': [bags.text('hello')] * 3, '/joint_states': messages(2000)}, STORAGE[how])
    before = listing(tmp_path)
    recording = open_recording(inside if file else inside.parent)
    for _ in range(2):
        check(list(recording), 2000)
    assert (recording.topic, recording.joint_names) == ('/joint_states', NAMES)
    assert recording.remarks == []
    assert recording.size == (inside.stat().st_size if file else sum(
        path.stat().st_size for path in inside.parent.iterdir()))
    assert listing(tmp_path) == before


_COMMAS = 'numbers have decimal commas'


@pytest.mark.parametrize(('separator', 'end', 'encoding', 'remark'), [
    (',', '\n', 'utf-8', []), (',', '\r\n', 'utf-8-sig', []),
    (';', '\n', 'utf-8', ['columns are separated by semicolons']),
    ('\t', '\r\n', 'utf-8', ['columns are separated by tabs']),
    (';', '\r\n', 'utf-8-sig', ['columns are separated by semicolons', _COMMAS])])
def test_a_table_gives_what_was_written(tmp_path, separator, end, encoding, remark):
    """To the nanosecond and to the last bit, as Excel or another program writes it."""
    q, qd, tau = VALUES
    header = ['time', 'q_elbow [2]', 'q_shoulder', 'velocity_shoulder', 'qd_elbow [2]',
              'effort_shoulder', 'effort_elbow [2]']
    rows = [[f'{stamp // bags.SECOND}.{stamp % bags.SECOND:09d}', *map(repr, map(float, (
        q[k, 1], q[k, 0], qd[k, 0], qd[k, 1], *tau[k])))] for k, stamp in enumerate(stamps(50))]
    rows[3][3] = ''
    lines = [separator.join(row) + end for row in [header, *rows]]
    if _COMMAS in remark:
        lines = [line.replace('.', ',') for line in lines]
    path = tmp_path / 'table.CSV'
    path.write_bytes(''.join(lines).encode(encoding))
    recording = open_recording(path)
    records = [Record(record.stamp, record.names[::-1], *(values[::-1] for values in record[2:]))
               for record in recording]
    check(records, 50)
    assert recording.remarks == remark
    assert all(len(record.acceleration) == 0 for record in records)


def test_a_table_may_have_accelerations_and_lack_the_rest(tmp_path: Path) -> None:
    """Joint by joint; columns without a meaning are reported."""
    columns = ['time', 'q_a', 'position_b', 'qdd_b', 'mode', 'qd_c']
    path = bags.write_csv(tmp_path / 'a.csv', columns,
                          [[0.5, 1, 2, 3, 'idle', 0], [1.5, 'nan', 5, '', 'moving', 0]])
    recording = open_recording(path)
    first, second = recording
    assert (first.stamp, first.names) == (500_000_000, ('a', 'b'))
    assert len(first.velocity) == len(first.effort) == 0
    np.testing.assert_array_equal(first.acceleration, [np.nan, 3.0])
    np.testing.assert_array_equal(second.position, [np.nan, 5.0])
    assert recording.remarks == ["columns that are not read: 'mode', 'qd_c'"]


@pytest.mark.parametrize(('content', 'words'), [
    ('', ['an empty file; the first line must name the columns, one of them time']),
    ('\n\n', ['line 1: no names']),
    ('time,q_a\n', ['no records']),
    ('x,y1,y2\n0,1,2\n', ["no column 'time' and no column q_<joint>", "'x', 'y1', 'y2'"]),
    ('x,q_a\n0,1\n', ["no column 'time': ", "other names: --columns 'position={joint}_pos'"]),
    ('time|q_a\n0|1\n', ["line 1 is one column, 'time|q_a'", 'separated by commas']),
    ('time,effort_a\n0,1\n', ['no column q_<joint>: ', "'time', 'effort_a'"]),
    ('time,q_a,q_a\n0,1,2\n', ['duplicate', "'q_a'"]),
    ('time,q_a,position_a\n0,1,2\n', ['same meaning', "'q_a', 'position_a'"]),
    ('time,q_a,qd_a\n0,1,2\n1,x,3\n', ["line 3, column 'q_a': 'x'", 'after 1 record,']),
    ('time,q_a\n0,1_0\n', ["line 2, column 'q_a': '1_0'"]),
    ('time,q_a\ninf,1\n', ["line 2, column 'time': 'inf'"]),
    ('time,q_a\n0,inf\n', ["line 2, column 'q_a': 'inf'"]),
    ('time,q_a\n0,1e999\n', ["line 2, column 'q_a': '1e999'"]),
    ('time,q_a\n0,١\n', ["line 2, column 'q_a'"]),
    ('time,q_a\nnan,1\n', ["line 2, column 'time': 'nan'"]),
    ('time,q_a\n,1\n', ["line 2, column 'time': ''"]),
    ('time;q_a\n0;1.5\n1;1,5\n', ["line 3, column 'q_a': '1,5'",
                                  'decimal commas: save with points']),
    ('time;q_a\n0;1,5\n1;1.5\n', ['line 3: decimal points, but commas above']),
    *((f'time;q_a\n0;{cell}\n', [f"line 2, column 'q_a': {cell!r} is not a number; {remedy}"])
      for cell, remedy in (
          ('1.000,5', 'save without separators of thousands'),
          ('1,000.5', 'save without separators of thousands'),
          ("1'000.5", 'save without separators of thousands'),
          ('12:00:00.5', 'write times in seconds'),
          ('#N/A', 'leave cells empty where nothing was measured'))),
    ('time,q_a\n0,0,1,5\n', ['4 cells, but 2 columns', 'decimal commas: save with points']),
    ('time,q_a\n0,1\n\n1,2\n2\n', ['line 5: 1 cell, but 2 columns', 'after 2 records, 1.000 s']),
    ('time,q_a\n0,1,2\n', ['line 2: 3 cells']),
    ('time,q_a\n0,"1\n', ['line 2']),
    (b'time,q_a\n0,1\n\xff\xfe', ['not UTF-8']),
    ('time,q_a\n0,1\n'.encode('utf-16-le'), ['not text']),
    (b'time,q_a\n0,1\n\0\0\0\0', ['not text']),
    (b'a' * 2_000_000, ['has no end']),
])
def test_a_fault_of_a_table_is_reported_with_line_and_column(tmp_path, content, words):
    """Whether it shows when the table is opened or when it is read."""
    path = tmp_path / 'table.csv'
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(RecordingError) as caught:
        list(open_recording(path))
    for word in [str(path), *words]:
        assert word in str(caught.value)


@pytest.mark.parametrize('time', ['1e400', '-1e400', '1e999990', '9223372037', '-9.3e9',
                                  '1e999999999'])
def test_a_time_beyond_64_bits_costs_its_row_alone(tmp_path: Path, time: str) -> None:
    """At the beginning as well, and it is reported once."""
    path = tmp_path / 'table.csv'
    path.write_text(f'time,q_a\n{time},1\n1,2\n{time},3\n9223372036,4\n')
    recording = open_recording(path)
    for _ in range(2):
        assert [record.position.tolist() for record in recording] == [[2], [4]]
    assert recording.remarks == ['rows whose time is beyond +-2^63 ns are dropped, the first is '
                                 f'line 2: {time!r}; is it in seconds?']


@pytest.mark.parametrize('kind', ['db3', 'mcap'])
def test_points_of_a_trajectory_are_records_with_accelerations(tmp_path: Path, kind: str) -> None:
    """At the stamp of the message, or the time of its recording, plus their own time."""
    points = [(k * 10_000_000, [k, 1], [2, 3], [4, 5 + k], [6, 7]) for k in range(3)]
    bags.write_bag(tmp_path / 'bag', kind, {'/plan': [bags.joint_trajectory(0, NAMES, points)]})
    recording = open_recording(tmp_path / 'bag')
    records = list(recording)
    assert [record.stamp for record in records] == [bags.START + k * 10_000_000 for k in range(3)]
    assert [record.acceleration.tolist() for record in records] == [[4, 5 + k] for k in range(3)]
    assert records[1].position.tolist() == [1, 1] and records[1].effort.tolist() == [6, 7]
    assert recording.remarks == ['messages without a stamp: 1; the time of their recording is '
                                 'used']


def test_the_time_of_recording_serves_where_there_is_no_stamp(tmp_path: Path) -> None:
    """Message by message, and it is said."""
    sent = messages(20)
    for message in sent[5:9]:
        message.header = bags.joint_state(0, [], []).header
    recording = open_recording(bags.write_bag(tmp_path / 'bag', 'db3', {'/joint_states': sent}))
    check(list(recording), 20)
    assert recording.remarks[0].startswith('messages without a stamp: 4;')


STATES = messages(2)
PLAN = [bags.joint_trajectory(bags.START, NAMES, [(0, *VALUES[[0, 1, 2, 2], 0])])]


@pytest.mark.parametrize(('topics', 'wanted', 'found'), [
    ({'/a': STATES, '/chatter': [bags.text('x')]}, None, '/a'),
    ({'/a': STATES, '/joint_states': STATES}, None, '/joint_states'),
    ({'/a': STATES, '/b': []}, None, '/a'),
    ({'/a': STATES, '/plan': PLAN}, None, '/a'),
    ({'/a': STATES, '/plan': PLAN}, '/plan', '/plan'),
    ({'/a': STATES, '/b': STATES}, 'b', '/b'),
    ({'/chatter': [bags.text('x')], '/plan': PLAN}, None, '/plan'),
])
def test_the_topic_that_can_be_meant_is_taken(tmp_path, topics, wanted, found):
    """Joint states before trajectories, and the requested topic before both."""
    recording = open_recording(bags.write_bag(tmp_path / 'bag', 'mcap', topics), topic=wanted)
    assert recording.topic == found
    assert len(list(recording)) == len(topics[found])


@pytest.mark.parametrize(('topics', 'wanted', 'words'), [
    ({'/a': STATES, '/b': STATES}, None, ['several topics', '--topic']),
    ({'/chatter': [bags.text('x')]}, None, ['no topic of sensor_msgs/msg/JointState and traj']),
    ({'/a': STATES, '/chatter': [bags.text('x')]}, '/c', ["no topic '/c'"]),
    ({'/a': STATES, '/chatter': [bags.text('x')]}, '/chatter', ["no topic '/chatter'"]),
])
def test_a_topic_that_is_missing_or_ambiguous_is_an_error_with_all_of_them(
        tmp_path: Path, topics: dict, wanted: str | None, words: list[str]) -> None:
    path = bags.write_bag(tmp_path / 'bag', 'db3', topics)
    with pytest.raises(RecordingError) as caught:
        open_recording(path, topic=wanted)
    lines = [f'\n  {topic} ({sent[0].__msgtype__}, {counted(len(sent), "message")})'
             for topic, sent in topics.items()]
    for word in [*words, *lines]:
        assert word in str(caught.value)


def test_progress_is_reported_up_to_the_end(tmp_path: Path) -> None:
    """A hundred times at most."""
    rows = ([k * 0.001, k] for k in range(2000))
    table = bags.write_csv(tmp_path / 'a.csv', ['time', 'q_a'], rows)
    bag = bags.write_bag(tmp_path / 'bag', 'db3', {'/joint_states': messages(2000)})
    for path in (bag, table):
        told: list[float] = []
        recording = open_recording(path, progress=told.append)
        assert len(list(recording)) == 2000
        assert told == sorted(set(told)) and told[-1] == 1.0
        assert 50 <= len(told) <= 101


@pytest.mark.slow
@pytest.mark.parametrize('kind', ['db3', 'mcap', 'csv'])
def test_memory_does_not_grow_with_the_recording(tmp_path: Path, kind: str) -> None:
    """Twice as long a recording takes no more of it."""
    names = [f'joint_{k}' for k in range(100)]
    peaks = []
    for count in (10, 600, 1200):   # what is imported once counts in the first
        if kind == 'csv':
            columns = ['time', *(f'q_{name}' for name in names)]
            path = bags.write_csv(tmp_path / f'{count}.csv', columns,
                                  ([k * 0.001, *[k] * 100] for k in range(count)))
        else:
            path = bags.write_bag(tmp_path / str(count), kind, {'/a': [
                bags.joint_state(bags.START + k, names, *[[k] * 100] * 3) for k in range(count)]})
        tracemalloc.start()
        for _ in open_recording(path):
            pass
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < 1.2 * peaks[1] + 100_000


@pytest.mark.parametrize('little', [True, False])
def test_a_message_without_a_stamp_has_the_time_of_its_recording(little: bool) -> None:
    """In either byte order."""
    for stamp in (bags.START, 7, 0):
        message = bags.joint_state(stamp, NAMES, [0.5, nan], [], [1.0, -2.0])
        record, = decoder(bags.JOINT_STATE)(bytes(bags.STORE.serialize_cdr(
            message, bags.JOINT_STATE, little_endian=little)), 99)
        assert record.stamp == (stamp or 99) and tuple(record.names) == NAMES
        np.testing.assert_array_equal(record.position, [0.5, nan])
        assert not len(record.velocity) and record.effort.tolist() == [1.0, -2.0]


def test_without_rosbags_bags_say_how_to_get_it_and_tables_do_not_need_it(tmp_path: Path) -> None:
    """In a process where it cannot be imported."""
    bag = bags.write_bag(tmp_path / 'bag', 'db3', {'/joint_states': messages(5)})
    table = bags.write_csv(tmp_path / 'a.csv', ['time', 'q_a'], [[0, 1], [1, 2]])
    code = """
import sys
sys.modules['rosbags'] = None
from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.recordings import open_recording
print(len(list(open_recording(sys.argv[1]))))
try:
    open_recording(sys.argv[2])
except Urdf2DynError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, '-c', code, table, bag], capture_output=True, text=True)
    assert done.stdout.startswith('2\nreading bags needs the Python library rosbags')
    assert 'pip install rosbags' in done.stdout


def test_what_ros2_topic_echo_writes_is_read(tmp_path: Path) -> None:
    path = tmp_path / 'echo.csv'
    path.write_text('12,30,base,a,b,1,2,3,4,5,6\n12,10000030,base,a,b,1.5,2.5,3,4,5,6\n')
    first, second = open_recording(path)
    assert (first.stamp, second.stamp) == (12_000_000_030, 12_010_000_030)
    assert first.names == ('a', 'b') and second.position.tolist() == [1.5, 2.5]
    assert (first.velocity.tolist(), first.effort.tolist()) == ([3, 4], [5, 6])
    path.write_text(path.read_text() + '12,20000030,base,b,a,1,2,3,4,5,6\n')
    with pytest.raises(RecordingError, match='line 3: other joints than in line 1'):
        list(open_recording(path))
