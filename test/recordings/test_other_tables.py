"""Tables and bags as other programs write them are read, and what is assumed is said."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from support.paths import ROOT
from support.recordings.bags import write_csv
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
    ('time_ms', '{}_{n} [rad]', ('q', 'qd', 'tau'), '12', ()),
    ('timestamp', 'actual_{}_{n}', ('q', 'qd', 'torque'), '12', ()),
    ('__time', '/joint_states/{joint}/{}', ('position', 'velocity', 'effort'), JOINTS, ()),
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
    assert next(line for line in printed.out.splitlines() if 'joint2' in line).split()[1] == '191'
