"""Tables and bags as other programs write them are read, and what is assumed is said."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from rosbags.rosbag1 import Writer
from rosbags.typesys import Stores, get_typestore

from support.paths import ROOT
from support.recordings.bags import JOINT_STATE, write_csv
from urdf2dyn_ros import Urdf2DynError
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.recordings import open_recording

JOINTS = ('a', 'b')
TIMES = [0.01 * k for k in range(20)]
Q = [[0.1 + 0.01 * k, 0.2 - 0.02 * k] for k in range(20)]
QD, EFFORT = [[1.0, -2.0]] * 20, [[3.0, 4.5]] * 20


def check(path: Path, names: Sequence[str], columns: Sequence[str] = (), later: int = 0) -> None:
    """Check positions, velocities and efforts of a recording."""
    records = list(open_recording(path, columns=columns))
    assert {tuple(record.names) for record in records} == {tuple(names)}
    assert [record.stamp - later for record in records] == [round(1e9 * t) for t in TIMES]
    for found, values in (('position', Q), ('velocity', QD), ('effort', EFFORT)):
        assert np.array([getattr(record, found) for record in records]) == pytest.approx(
            np.array(values))


@pytest.mark.parametrize(('time', 'form', 'words', 'names', 'columns'), [
    ('timestamp', '{joint}_{}', ('pos', 'vel', 'torque'), JOINTS, ()),
    ('Time [s]', '{n}_{}', ('position', 'velocity', 'effort'), '12', ()),
    ('t', '{}{n}', ('q', 'dq', 'tau'), '12', ()),
    ('time_ms', '{}_{n} (raw)', ('q', 'qd', 'tau'), '12', ()),
    ('timestamp', 'actual_{}_{n}', ('q', 'qd', 'torque'), '12', ()),
    ('__time', '/joint_states/{joint}/{}', ('position', 'velocity', 'effort'), JOINTS, ()),
    ('time', 'observation.{}[{n}]', ('state', 'velocity', 'effort'), '12', ()),
    ('clock', '{} of {joint}', ('angle', 'speed', 'load'), JOINTS, (
        'time=clock', 'position=angle of {joint}', 'velocity=speed of {joint}',
        'effort=load of {joint}')),
    ('time', 'm{n} {}', ('x', 'dx', 'i'), '12', ('position=m{n} x', 'velocity=m{n} dx',
                                                 'effort=m{n} i'))])
def test_columns_of_other_names(tmp_path: Path, time: str, form: str, words: Sequence[str],
                                names: Sequence[str], columns: Sequence[str]) -> None:
    scale = 1000.0 if time.endswith('ms') else 1.0
    header = [time, *(form.format(word, joint=joint, n=n) for word in words
                      for n, joint in enumerate(JOINTS, start=1))]
    check(write_csv(tmp_path / 'x.csv', header, np.column_stack(
        (scale * np.array(TIMES), Q, QD, EFFORT)).tolist()), names, columns)


def test_numbered_efforts_are_of_the_joints_in_the_order_of_their_positions(
        tmp_path: Path) -> None:
    path = write_csv(tmp_path / 'x.csv', ['t', 'b_pos', 'a_pos', 'dq2', 'dq1', 'tau1', 'tau2'], [
        [t, *q, *qd[::-1], *effort] for t, q, qd, effort in zip(TIMES, Q, QD, EFFORT)])
    check(path, ('b', 'a'))
    remarks = open_recording(path).remarks
    assert any('the columns of effort are taken in the order of those of position: tau1 = b, '
               'tau2 = a; if that is wrong, rename them' in remark for remark in remarks)


def test_rostopic_names_the_joints_in_its_rows(tmp_path: Path) -> None:
    header = ['%time', 'field.header.stamp', *(f'field.{what}{k}' for what in (
        'name', 'position', 'velocity', 'effort') for k in range(2))]
    rows = [[10**18, round(1e9 * t), *JOINTS, *q, *qd, *effort]
            for t, q, qd, effort in zip(TIMES, Q, QD, EFFORT)]
    path = write_csv(tmp_path / 'x.csv', header, rows)
    check(path, JOINTS)
    path.write_text(path.read_text() + ','.join(map(str, [*rows[-1][:2], 'c', *rows[-1][3:]])))
    with pytest.raises(Urdf2DynError, match='line 22: other joints than in line 2'):
        list(open_recording(path))


def test_a_bag_of_ros_1(tmp_path: Path) -> None:
    store = get_typestore(Stores.ROS1_NOETIC)
    stamp, header, state = (store.types[name] for name in (
        'builtin_interfaces/msg/Time', 'std_msgs/msg/Header', JOINT_STATE))
    with Writer(tmp_path / 'x.bag') as bag:
        connection = bag.add_connection('/joint_states', JOINT_STATE, typestore=store)
        for k, values in enumerate(zip(Q, QD, EFFORT)):
            message = state(header(k, stamp(1000, 10_000_000 * k), ''), [*JOINTS],
                            *map(np.array, values))
            bag.write(connection, 10**12 + k, store.serialize_ros1(message, JOINT_STATE))
    check(tmp_path / 'x.bag', JOINTS, later=10**12)


def test_parquet_with_lists_as_lerobot_writes_it(tmp_path: Path,
                                                 monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / 'x.parquet'
    path.write_text('PAR1')
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, 'pandas', None)
        with pytest.raises(Urdf2DynError, match='pip install pandas pyarrow'):
            open_recording(path)
    pandas = pytest.importorskip('pandas', reason='.ci/run installs it')
    pandas.DataFrame({
        'observation.state': [*map(np.array, Q)], 'observation.velocity': [*map(np.array, QD)],
        'observation.effort': [*map(np.array, EFFORT)], 'timestamp': TIMES,
        'task': 'pick'}).to_parquet(path)
    check(path, '01')
    table = pandas.read_parquet(path)
    dates = pandas.to_datetime([10**18 + round(1e9 * t) for t in TIMES], utc=True)
    table.assign(timestamp=dates).to_parquet(tmp_path / 'dates.parquet')
    check(tmp_path / 'dates.parquet', '01', later=10**18)
    folder = tmp_path / 'data' / 'chunk-000'
    folder.mkdir(parents=True)
    path = path.rename(folder / 'episode_000000.parquet')
    names: list[object] = ['a.pos', 'b.pos']
    for each in (names, {'motors': names}):
        (tmp_path / 'meta').mkdir(exist_ok=True)
        (tmp_path / 'meta' / 'info.json').write_text(json.dumps({'features': {
            f'observation.{what}': {'names': each} for what in ('state', 'velocity', 'effort')}}))
        check(path, JOINTS)


@pytest.mark.parametrize(('columns', 'words'), [
    (['speed={joint}'], "--columns 'speed={joint}' is not QUANTITY=NAME, with a quantity of ti"),
    (['position=x{n}'], '--columns: no column is like the pattern of position; they are time, q_'),
    (['time={n}'], "--columns 'time={n}' is not QUANTITY=NAME")])
def test_a_pattern_that_is_none_is_named(tmp_path: Path, columns: Sequence[str],
                                         words: str) -> None:
    path = tmp_path / 'x.csv'
    path.write_text('time,q_a\n0,1\n')
    with pytest.raises(Urdf2DynError) as caught:
        open_recording(path, columns=columns)
    assert words in str(caught.value)


@pytest.mark.usefixtures('undrawn')
@pytest.mark.parametrize(('names', 'code'), [
    (['6', '5', '4', '3', '2', '1'], 0), (['f', 'e', 'd', 'c', 'b', 'a'], 0),
    (['a', 'b', 'c', 'd', 'e'], 1)])
def test_other_names_are_matched_by_number_or_order_with_a_warning(
        tmp_path: Path, names: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Numbers may be in any order; where there are fewer, nothing is guessed."""
    number = sorted(range(6), key=names.__getitem__) if names[0] == '6' else [*range(6)]
    header, *rows = (line.split(',') for line in (
        ROOT / 'examples' / 'rx90.csv').read_text().splitlines())
    path = write_csv(tmp_path / 'x.csv', ['time', *(f'q_{name}' for name in names)], [
        [row[0], *(row[header.index(f'q_joint{number.index(k) + 1}')]
                   for k in range(len(names)))] for row in rows])
    table = tmp_path / 'out.csv'
    assert main(['torque', str(ROOT / 'urdf' / 'rx90.urdf'), '--trajectory', str(path),
                 '-o', str(table)]) == code
    printed = capsys.readouterr()
    if code:
        assert 'none of its joints is a joint of the robot' in printed.err
        return
    assert f'{"1" if names[0] == "6" else "f"} = joint1' in printed.err
    assert 'if that is wrong, use --rename' in printed.err
    line = next(line for line in printed.out.splitlines() if 'joint2' in line)
    assert float(line.split()[1]) == pytest.approx(191.0, abs=0.05)
