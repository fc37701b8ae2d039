"""What heads of columns say, units and all, counts in every command that reads a table."""

import bz2
import gzip
import lzma
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from support.paths import ROOT
from support.recordings.bags import write_csv
from urdf2dyn_ros import InverseDynamics, RecordingError, Urdf2DynError, evaluate, open_recording
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.recordings.columns import find_columns, split_unit, unit_of
from urdf2dyn_ros.recordings.evaluation import EvaluationSettings
from urdf2dyn_ros.recordings.recording import Recording
from urdf2dyn_ros.recordings.table import read_table

RX90 = ROOT / 'urdf' / 'rx90.urdf'
JOINTS = [f'joint{k}' for k in range(1, 7)]
TIME = np.arange(0.0, 3.0, 0.01)
PHASES = np.outer(TIME, 2.0 * np.pi * np.array([0.5, 0.6, 0.7, 0.5, 0.6, 0.7]))
Q, QD = 0.05 * np.sin(PHASES), 0.05 * PHASES / np.maximum(TIME, 1e-9)[:, None] * np.cos(PHASES)
EFFORT = InverseDynamics(RX90).gravity(Q)


@pytest.mark.parametrize(('quantity', 'text', 'si', 'factor'), [
    ('time', 'msec', 's', 1e-3), ('time', 'µs', 's', 1e-6), ('time', 'nanoseconds', 's', 1e-9),
    ('time', 'min', 's', 60), ('position', '°', 'rad', np.pi / 180),
    ('position', 'Degrees', 'rad', np.pi / 180), ('position', 'rev', 'rad', 2 * np.pi),
    ('position', 'mm', 'm', 1e-3), ('velocity', 'rad s^-1', 'rad', 1),
    ('velocity', 'RPM', 'rad', np.pi / 30), ('velocity', 'deg per second', 'rad', np.pi / 180),
    ('acceleration', 'deg/s²', 'rad', np.pi / 180), ('acceleration', 'm/s2', 'm', 1),
    ('velocity', 'deg s⁻¹', 'rad', np.pi / 180), ('acceleration', 'rad·s⁻²', 'rad', 1),
    ('effort', 'N·m', 'N m', 1), ('effort', 'mN m', 'N m', 1e-3), ('effort', 'kNm', 'N m', 1e3),
    ('effort', 'Newton-metres', 'N m', 1), ('effort', 'mA', 'A', 1e-3), ('effort', 'N', 'N', 1)])
def test_units_as_people_write_them(quantity: str, text: str, si: str, factor: float) -> None:
    unit = unit_of(quantity, text)
    assert unit is not None and unit.si == si
    assert float(unit.factor) == pytest.approx(factor, rel=1e-15)


@pytest.mark.parametrize(('quantity', 'text'), [
    ('position', 'counts'), ('effort', 'MNm'), ('velocity', 'rad'), ('position', 'rad/s'),
    ('effort', 'ft lb'), ('time', 'frames'), ('position', '0.1deg'), ('position', '1e-3 rad')])
def test_what_is_no_unit_of_a_quantity(quantity: str, text: str) -> None:
    assert unit_of(quantity, text) is None and split_unit(f'x [{text}]') == ('x', text)


@pytest.mark.parametrize(('name', 'stem'), [
    ('position[0]', 'position[0]'), ('q(1)', 'q(1)'), ('q1 (measured)', 'q1'),
    ('q1 (left)', 'q1')])
def test_digits_and_words_in_brackets_are_no_units(name: str, stem: str) -> None:
    assert split_unit(name) == (stem, '')


@pytest.mark.parametrize(('names', 'joints', 'expected'), [
    (['q_a_deg', 'q_b_deg'], 'ab', {'a': 'deg', 'b': 'deg'}),
    (['q_a_deg', 'q_b'], 'ab', {'a': 'deg', 'b': ''}),
    (['q_a_deg', 'q_b_deg'], ['a_deg', 'b_deg'], {'a_deg': '', 'b_deg': ''}),
    (['q_a_m', 'q_b_m'], 'ab', {'a': 'm', 'b': 'm'}),
    (['q_a_m', 'q_b_m'], ['a_m', 'b_m'], {'a_m': '', 'b_m': ''}),
    (['q1_deg', 'q2_deg'], '', {'1': 'deg', '2': 'deg'}),
    (['q_a_ticks', 'q_b_ticks'], 'ab', {'a': 'ticks', 'b': 'ticks'}),
    (['q_1_counts', 'q_2_counts'], '', {'1': 'counts', '2': 'counts'}),
    (['q_a_steps'], ['a_steps'], {'a_steps': ''}),
    (['q_ticks_1', 'q_ticks_2'], '', {'1': 'ticks', '2': 'ticks'}),
    (['q_a_mdeg', 'q_b_mdeg'], 'ab', {'a': 'mdeg', 'b': 'mdeg'}),
    (['q_deg_1', 'q_deg_2'], '', {'1': 'deg', '2': 'deg'}),
    (['a_position_deg', 'b_pos_rad'], '', {'a': 'deg', 'b': 'rad'}),
    (['Joint 1 Position (deg)'], '', {'Joint 1': 'deg'})])
def test_the_end_of_a_name_is_a_unit_where_the_joints_say_so(
        names: list[str], joints: Sequence[str], expected: dict[str, str]) -> None:
    found = find_columns(['t', *names], (), [*joints].__contains__).joints['position']
    assert {joint: column.unit for joint, [column] in found.items()} == expected


@pytest.mark.parametrize(('measured', 'desired'), [
    ('q_{}', 'q_des_{}'), ('q_{}', 'q_d_{}'), ('actual_q_{}', 'target_q_{}'), ('q{}', 'q{}_cmd'),
    ('{}_pos', '{}_pos_ref'), ('q{} (measured)', 'q{} (desired)'),
    ('/jtc/feedback/positions[{}]', '/jtc/reference/positions[{}]'),
    ('observation.state[{}]', 'action.state[{}]'), ('q_{}', 'desired_q_{}'), ('q{}', 'q_d{}'),
    ('q_act_{}', 'q_set_{}'), ('q_msr_{}', 'q_cmd_{}'), ('measured_q{}', 'q{}')])
def test_measured_columns_are_preferred_to_desired_ones(measured: str, desired: str) -> None:
    names = [form.format(k) for form in (desired, measured) for k in (1, 2)]
    found = find_columns(['t', *names])
    assert [column.name for [column] in found.joints['position'].values()] == names[2:]
    if not desired.startswith(('action', 'q{')):   # which is no position, or not called desired
        assert all(name in found.remarks[0] for name in names[:2])


def test_no_advice_chooses_between_measured_and_desired_columns(tmp_path: Path) -> None:
    heads = [f'q_{what}_{k}' for what in ('old', 'new') for k in range(1, 7)]
    path = write_csv(tmp_path / 'x.csv', ['t', *heads], np.column_stack((TIME, Q, Q)).tolist())
    with pytest.raises(Urdf2DynError, match=r"measured, not desired\? Choose these: --rename "
                       r"'old_\(\.\*\)=joint\\1' or 'new_"):
        evaluate(open_recording(path), InverseDynamics(RX90), EvaluationSettings('none'))


def test_fewer_joints_of_other_names_are_renamed_by_what_they_are_called(tmp_path: Path) -> None:
    path = write_csv(tmp_path / 'x.csv', ['t', 'q_arm_joint1', 'q_arm_joint2'],
                     np.column_stack((TIME, Q[:, :2])).tolist())
    with pytest.raises(RecordingError, match=r"the recording's: --rename 'arm_\(\.\*\)=\\1'"):
        evaluate(path, InverseDynamics(RX90))


def test_more_numbers_than_joints_are_not_renamed_by_their_order(tmp_path: Path) -> None:
    """The first may be the pose of a base."""
    np.savez(tmp_path / 'x.npz', t=TIME, q=np.hstack((np.zeros((len(TIME), 7)), Q)))
    with pytest.raises(RecordingError, match='--rename 1=JOINT, and so for each other name'):
        evaluate(tmp_path / 'x.npz', InverseDynamics(RX90))


@pytest.mark.parametrize('row', [12 * ',', 'start' + 12 * ','])
def test_a_row_without_numbers_is_not_the_head(row: str, tmp_path: Path) -> None:
    path = tmp_path / 'x.csv'
    path.write_text('time,' + ','.join(f'q{k}' for k in range(12)) + f'\n{row}\n' + '\n'.join(
        f'{time},' + ','.join(['0.1'] * 12) for time in TIME.tolist()))
    with pytest.raises(RecordingError, match=r"line 2, column 'time': '(start)?' is not a "):
        [*open_recording(path)]


def test_efforts_with_numbers_are_of_the_joints_of_the_robot() -> None:
    found = find_columns(['t', 'q_b', 'q_a', 'q_b_filtered', 'q_a_filtered', 'tau_1', 'tau_2'], (),
                         'ab'.__contains__)
    assert {joint: column.name for joint, [column] in found.joints['effort'].items()} == {
        'b': 'tau_1', 'a': 'tau_2'}


def test_numbers_from_0_and_from_1_are_those_of_the_same_joints() -> None:
    """By their order, which is said; by their numbers, tau1 would be that of q1."""
    found = find_columns(['t', 'q0', 'q1', 'q2', 'tau1', 'tau2', 'tau3'])
    assert {joint: column.name for joint, [column] in found.joints['effort'].items()} == {
        '0': 'tau1', '1': 'tau2', '2': 'tau3'}
    assert 'in the order of those of position: tau1 = 0, tau2 = 1' in found.remarks[0]
    assert not find_columns(['t', 'q0', 'q1', 'tau1', 'tau0']).remarks


def test_other_units_of_times_are_the_names_of_other_columns() -> None:
    assert find_columns(['time_steps', 't_ms', 'q1']).time == ('t_ms', 'ms')


@pytest.mark.parametrize('pattern', ['position=q_{joint}{n}', 'position={n}{n}', 'time={n}'])
def test_a_pattern_has_one_place_for_a_joint(pattern: str) -> None:
    with pytest.raises(Urdf2DynError, match=r'is not QUANTITY=NAME'):
        find_columns(['t', 'q_a1'], [pattern])


def test_a_joint_may_be_called_as_what_is_desired_is() -> None:
    found = find_columns(['t', 'q_arm', 'q_camera_ref'], (), ['arm', 'camera_ref'].__contains__)
    assert [*found.joints['position']] == ['arm', 'camera_ref'] and not found.remarks
    found = find_columns(['t', 'q_des_1', 'q_des_2'])
    assert [*found.joints['position']] == ['1', '2']
    assert 'there is no measured position, and the desired one is taken' in found.remarks[0]


def table(path: Path, time: str, q: str, qd: str, effort: str, scales: Sequence[float]) -> Path:
    """Write the motion with heads for joint {}, in units of these sizes."""
    t, *parts = (values / scale for values, scale in zip((TIME, Q, QD, EFFORT), scales))
    return write_csv(path, [time, *(form.format(k) for form in (q, qd, effort)
                                    for k in range(1, 7))],
                     np.column_stack((t, *parts)).tolist())


DEGREE = np.pi / 180.0
NOTATIONS = {
    'plain': (('time', 'q_joint{}', 'qd_joint{}', 'effort_joint{}'), (1, 1, 1, 1), ()),
    'brackets': (('t [ms]', 'q{} [deg]', 'dq{} [rpm]', 'tau{} [mN m]'),
                 (1e-3, DEGREE, np.pi / 30, 1e-3), ()),
    'suffixes': (('t_us', 'q_joint{}_deg', 'qd_joint{}_deg_s', 'effort_joint{}_Nm'),
                 (1e-6, DEGREE, DEGREE, 1), ()),
    'words': (('Time (s)', 'Joint{} Position (degrees)', 'Joint{} Velocity (deg/s)',
               'Joint{} Torque (kN·m)'), (1, DEGREE, DEGREE, 1e3), ()),
    'capitals': (('TIME [MS]', 'Q{} [DEG]', 'QD{} [DEG/S]', 'TAU{} [NM]'),
                 (1e-3, DEGREE, DEGREE, 1), ()),
    'ISO 80000': (('t/ms', 'q{}/deg', 'qd{}/(deg/s)', 'tau{} / (N m)'),
                  (1e-3, DEGREE, DEGREE, 1), ()),
    'spoken': (('Elapsed Time: ms', 'position {} in deg', 'velocity {} in deg/s',
                'torque {} in N m'), (1e-3, DEGREE, DEGREE, 1), ()),
    'Franka': (('time', 'state.q[{}]', 'state.dq[{}]', 'state.tau_J[{}]'), (1, 1, 1, 1), ()),
    'MATLAB': (('t', 'q({})', 'q_dot({})', 'tau({})'), (1, 1, 1, 1), ()),
    'PlotJuggler': (('__time', '/joint_states/position.{}', '/joint_states/velocity.{}',
                     '/joint_states/effort.{}'), (1, 1, 1, 1), ()),
    'MuJoCo': (('time', 'qpos_{}', 'qvel_{}', 'qfrc_actuator_{}'), (1, 1, 1, 1), ()),
    'Greek': (('Zeit', 'θ{} [°]', 'theta_dot_{} [°/s]', 'τ{} [N·m]'), (1, DEGREE, DEGREE, 1), ()),
    'angles': (('t <ms>', 'q{} <deg>', 'dq{} <deg/s>', 'tau{} <Nm>'), (1e-3, DEGREE, DEGREE, 1),
               ()),
    'KUKA': (('Zeit [ms]', 'PosIst_A{}', 'VelIst_A{}', 'TorqueIst_A{}'), (1e-3, 1, 1, 1), ()),
    'words in capitals': (('t', 'q{}Deg', 'JointSpeed{}(deg/s)', 'JointTorque{}(Nm)'),
                          (1, DEGREE, DEGREE, 1), ()),
    'joints alone': (('t', 'AXIS_ACT.A{}', 'VelA{}', 'GearTorque.A{}'), (1, 1, 1, 1), ()),
    'joints with a unit': (('t', 'J{} [deg]', 'J{}_vel', 'J{}_torque'), (1, DEGREE, 1, 1), ()),
    'option': (('time', 'q_joint{}', 'qd_joint{}', 'effort_joint{}'), (1, DEGREE, DEGREE, 1),
               ('--degrees',)),
    'columns': (('tick', 'p{}', 'v{}', 'f{}'), (1e-3, DEGREE, DEGREE, 1e-3), (
        '--columns', 'time=tick [ms]', 'position=p{n} [deg]', 'velocity=v{n} [deg/s]',
        'effort=f{n} [mNm]'))}


@pytest.mark.usefixtures('undrawn')
@pytest.mark.parametrize('notation', NOTATIONS)
def test_one_motion_in_many_notations(notation: str, tmp_path: Path,
                                      capsys: pytest.CaptureFixture[str]) -> None:
    heads, scales, words = NOTATIONS[notation]
    path = table(tmp_path / 'x.txt', *heads, scales)
    columns = words[1:] if notation == 'columns' else ()
    recording = open_recording(path, columns=columns, degrees=notation == 'option')
    result = evaluate(recording, InverseDynamics(RX90), EvaluationSettings('none'))
    assert [row.figures.r2 for row in result.joints[1:3]] == pytest.approx([1, 1], abs=2e-2)
    if notation in ('brackets', 'option'):
        assert main(['torque', str(RX90), '--trajectory', str(path), '--accelerations', 'zero',
                     '-o', str(tmp_path / 'o.csv'), *words]) == 0
        said = 'read: time in ms, positions in degrees, velocities in rpm'
        assert (capsys.readouterr().err.count(said) == 1) == (notation == 'brackets')
        read, _ = read_table(tmp_path / 'o.csv')
        assert read.time == pytest.approx(TIME, abs=1e-9)
        for name, values in (('q', Q), ('qd', QD)):
            assert np.column_stack([read.columns[f'{name}_{joint}'] for joint in JOINTS]
                                   ) == pytest.approx(values, abs=1e-9)
    if notation.startswith('joints'):   # which are drawn under their own names
        return
    drawn, notes = read_table(path, columns, notation == 'option')
    assert drawn.time == pytest.approx(TIME, abs=1e-9)
    assert np.column_stack([each for name, each in drawn.columns.items() if name[:2] == 'q_']
                           ) == pytest.approx(Q, abs=1e-9)
    in_si = scales == (1, 1, 1, 1)
    assert in_si == (not any('read: ' in note for note in notes))


@pytest.mark.parametrize(('above', 'first', 'below', 'remark'), [
    ('', 'time', '', ''), ('# my robot, today\n# run 2\n', 'time', '# now,the\n', 'in line 3'),
    ('Robot RX90,,,\n\n', 'time', '', 'in line 3'), ('# my robot\n', '# time', '', 'in line 2'),
    ('', 'time', 's' + 6 * ',deg' + 6 * ',Nm' + '\n', ''),
    ('RX90\n', 'time', '[ms]' + 6 * ',[deg]' + 6 * ',[-]' + '\n', 'in line 2'),
    ('Robot,RX90\n', 'tout', '', 'in line 2'), ('', 'sec,nanosec', '', ''),
    ('', 'header.stamp.sec,header.stamp.nanosec', '', ''), ('', 'nanosec,sec', '', '')])
def test_titles_comments_units_and_stamps_of_two_columns(
        above: str, first: str, below: str, remark: str, tmp_path: Path) -> None:
    heads = [first, *(f'{what}{k}' for what in ('q', 'tau') for k in range(1, 7))]
    times = [','.join(f'{t:.9f}'.split('.')[::-1 if first[0] == 'n' else 1]) if 'sec' in first
             else f'{t * 1e3 if "ms" in below else t}' for t in TIME + 5.0]
    q = Q / DEGREE if 'deg' in below else Q
    path = tmp_path / 'x.csv'
    path.write_text(above + ','.join(heads) + '\n' + below + '# half of it\n'.join(
        f'{time},{",".join(map(repr, row))}\n'
        for time, row in zip(times, np.hstack((q, EFFORT)).tolist())))
    recording = open_recording(path)
    records = [*recording]
    assert [record.stamp for record in records] == [round(1e9 * t) for t in TIME + 5.0]
    assert np.array([[*record.position, *record.effort] for record in records]
                    ) == pytest.approx(np.hstack((Q, EFFORT)))
    assert recording.units.get('position', {}).get('1') == (
        unit_of('position', 'deg') if 'deg' in below else None)
    assert [remark for remark in recording.remarks if 'names of the columns' in remark] == [
        f'the names of the columns are {remark}'] * bool(remark)


@pytest.mark.parametrize('rest', ['100000000', '5100000000', '-1', '1e10'])
def test_two_columns_of_times_are_no_parts_of_a_stamp(rest: str, tmp_path: Path) -> None:
    """Whose sum would be another time: twice as long, where each is the whole time."""
    (tmp_path / 'x.csv').write_text(
        f't_sec,t_nsec,q1\n5,0,0.1\n{"5.1" if rest[0] == "1" else "5"},{rest},0.2\n')
    recording = open_recording(tmp_path / 'x.csv')
    with pytest.raises(RecordingError, match=r"line 3: 't_sec' is 5.* delete one of the two"):
        list(recording)


@pytest.mark.parametrize(('heads', 'words', 'expected'), [
    (('time', 'q{} [counts]', 'qd{}', 'tau{}'), (), "'counts' is no unit of position that is kn"),
    (('time', 'q{} [encoder counts]', 'qd{}', 'tau{}'), (), "'encoder counts' is no unit of pos"),
    (('time', 'q{} [0.1 deg]', 'qd{}', 'tau{}'), (), "'0.1 deg' is no unit of position"),
    (('time', 'q{}', 'qd{}', 'tau{} [p.u.]'), (), "'p.u.' is no unit of effort"),
    (('time [hh:mm:ss]', 'q{}', 'qd{}', 'tau{}'), (), "'hh:mm:ss' is no unit of time"),
    (('time [frames]', 'q{}', 'qd{}', 'tau{}'), (), "'frames' is no unit of time that is known"),
    (('time', 'q{}', 'qd{}', 'tau{} [ft lb]'), (), "'ft lb' is no unit of effort that is known"),
    (('time', 'q{} [mm]', 'qd{}', 'tau{}'), (), "the position of '1' is in mm, not in rad"),
    (('time', 'q{}', 'qd{}', 'tau{} [N]'), (), "the effort of '1' is in N, not in N m"),
    (('time', 'q{}', 'qd{}', 'tau{} [mA]'), (), 'they are currents: add --effort-semantics curr'),
    (('time', 'q{}', 'qd{}', 'tau{} [Nm]'), ('--effort-semantics', 'current', '--gains', '1'),
     'omit --effort-semantics current'),
    (('time', 'q{} [rad]', 'qd{}', 'tau{}'), ('--degrees',), '--degrees, but the position of 1 '),
    (('time', 'q{} [rad]', 'qd{}', 'tau{}'), ('--columns', 'position=q{n} [deg]'),
     "--columns: position in 'deg', but the column is called 'q1 [rad]'"),
    (('time', 'q{}', 'qd{}', 'tau{}'), ('--rate', '100'), "the column 'time' is one: omit --rate"),
    (('time', 'q{}', 'qd{}', 'tau{}'), ('--columns', 'position=q{n} [miles]'),
     "'miles' is no unit of position")])
def test_what_is_not_understood_is_refused(heads: tuple[str, ...], words: tuple[str, ...],
                                           expected: str, tmp_path: Path,
                                           capsys: pytest.CaptureFixture[str]) -> None:
    path = table(tmp_path / 'x.csv', *heads, (1, 1, 1, 1))
    assert main(['evaluate', str(path), '--urdf', str(RX90), '-o', str(tmp_path / 'out'),
                 *words]) == 1
    assert expected in capsys.readouterr().err


def test_a_column_without_a_unit_beside_others_in_degrees_is_refused(tmp_path: Path) -> None:
    heads = ['time', *(f'q{k} [deg]' for k in range(1, 6)), 'q6']
    path = write_csv(tmp_path / 'x.csv', heads, np.column_stack((TIME, np.degrees(Q))).tolist())
    with pytest.raises(RecordingError, match="the position of '5' is in degrees, and that of '6' "
                       'in no unit: add it to the head'):
        evaluate(open_recording(path), InverseDynamics(RX90), EvaluationSettings('none'))
    recording = open_recording(path, degrees=True)
    evaluate(recording, InverseDynamics(RX90), EvaluationSettings('none'))
    assert 'positions in degrees (1, 2, 3, 4, 5), angles without a unit in' in recording.reading


def test_columns_without_a_quantity_are_positions_only_where_nothing_else_could_be(
        tmp_path: Path) -> None:
    def recording(*forms: str) -> Recording:
        names = ['t', *(form.format(k) for form in forms for k in range(1, 7))]
        return open_recording(write_csv(tmp_path / 'x.csv', names, [
            [time, *range(1, len(names))] for time in TIME]))

    for form in ('J{}', 'joint{}', 'Joint {}', 'axis_{}', 'AXIS_ACT.A{}', 'J{}_act'):
        for other in ('tau{}', 'T{} [Nm]', 'J{}_cmd'):
            read = recording(form, other)
            assert next(iter(read)).position.tolist() == [*range(1, 7)]
            said = f'no column says to be a position, and {form.format("{n}")!r} are taken as th'
            assert any(said in remark for remark in read.remarks)
    assert next(iter(recording('J{}', 'q{}'))).position[0] == 7.0
    for forms in (('measured_joint{}', 'computed_joint{}'), ('M{}',), ('A{}', 'E{}')):
        with pytest.raises(RecordingError) as caught:
            next(iter(recording(*forms)))
        assert 'if they are the positions, say so: --columns ' + ' or '.join(
            f"'position={form.format('{n}')}'" for form in forms) in str(caught.value)
    path = table(tmp_path / 'x.csv', 't', 'J{}', 'v{}', 'T{}', (1, 1, 1, 1))
    read = open_recording(path, columns=['position=J{n}', 'effort=T{n}'])
    assert np.array([record.position for record in read]) == pytest.approx(Q)


@pytest.mark.parametrize(('head', 'rows', 'words'), [
    ('t,q1', [f'{-0.01 * k},0' for k in range(200)], "column 't' falls from row to row: sort the"),
    ('t,motor_pos_1,arm_pos_1', ['0,0,0'], "choose one: --columns 'position=motor_pos_{joint}' or "
     "'position=arm_pos_{joint}'"),
    ('Zeit;x', ['0;1'], 'the columns are: .Zeit., .x.; columns are separated by semicolons')])
def test_the_fault_of_a_table_says_what_it_is(head: str, rows: list[str], words: str,
                                              tmp_path: Path) -> None:
    path = tmp_path / 'x.csv'
    path.write_text('\n'.join((head, *rows)))
    with pytest.raises(RecordingError, match=words):
        list(open_recording(path))


def test_names_of_joints_in_camel_case_stay_as_they_are() -> None:
    found = find_columns(['t', 'LeftKneePos', 'RightKneePos', 'LeftKneeVel', 'RightKneeVel'], (),
                         ['LeftKnee', 'RightKnee'].__contains__)
    assert [*found.joints['position']] == [*found.joints['velocity']] == ['LeftKnee', 'RightKnee']
    found = find_columns(['t', 'AIPos.A1', 'ASPos.A1'])
    assert [each.name for each in found.joints['position']['A1']] == ['AIPos.A1', 'ASPos.A1']


@pytest.mark.parametrize(('encoding', 'unit'), [
    ('utf-16', '°'), ('utf-8-sig', '°'), ('latin-1', '°'), ('cp1252', '°'), ('utf-16', 'rad')])
def test_tables_in_other_encodings(encoding: str, unit: str, tmp_path: Path) -> None:
    size = {'°': DEGREE, 'rad': 1.0}[unit]
    path = table(tmp_path / 'x.csv', 't', f'q{{}} [{unit}]', f'qd{{}} [{unit}/s]', 'tau{}',
                 (1, size, size, 1))
    path.write_bytes(path.read_text().encode(encoding))
    recording = open_recording(path)
    assert np.array([record.position for record in recording]) == pytest.approx(Q)
    assert any('Latin-1' in each for each in recording.remarks) == (encoding[:3] not in 'utf')


def test_derivatives_and_desired_motions_are_no_positions() -> None:
    names = [form.format(k) for form in ('q_{}', 'q_dot_{}', 'q_ddot_{}', 'tau_{}', 'target_q_{}',
                                         'target_qd_{}', 'target_tau_{}') for k in ('a', 'b')]
    found = find_columns(['t', *names])
    assert [[column.name for [column] in found.joints[what].values()] for what in (
        'position', 'velocity', 'acceleration', 'effort')] == [
            names[0:2], names[2:4], names[4:6], names[6:8]]
    assert found.desired == [*names[8:10], *names[10:12], *names[12:14]]
    found = find_columns(['t', 'observation.state.a.pos', 'action.a.pos'])
    assert [*found.joints['position']] == ['a'] and found.desired == ['action.a.pos']


def test_units_of_columns_that_are_not_used_do_not_matter(tmp_path: Path) -> None:
    path = table(tmp_path / 'x.csv', 'time', 'q{}', 'qd{}', 'tau{} [ft lb]', (1, 1, 1, 1))
    recording = open_recording(path)
    records = recording.records_of([*'123456'].__contains__, ('position', 'velocity'))
    assert len(list(records)) == len(TIME)
    with pytest.raises(RecordingError, match='ft lb'):   # nor do they stay chosen
        list(recording)


def check_arrays(path: Path, rate: float | None = None) -> None:
    records = list(open_recording(path, rate=rate))
    assert [record.stamp for record in records] == [*np.rint(TIME * 1e9)]
    for name, values in (('position', Q), ('velocity', QD), ('effort', EFFORT)):
        assert np.array([getattr(record, name) for record in records]) == pytest.approx(values)


def test_arrays_of_numpy_and_matlab_and_tables_without_a_time(tmp_path: Path) -> None:
    arrays = {'t': TIME, 'q': Q, 'qd': QD, 'tau': EFFORT}
    np.savez(tmp_path / 'x.npz', **arrays, note=np.array(['a note'], dtype=object))
    savemat(tmp_path / 'x.mat', {'data': {'logged': {
        't_ms': 1e3 * TIME[:, None], 'q_deg': np.degrees(Q).T, 'qd': QD, 'tau': EFFORT}}})
    np.savez(tmp_path / 'named.npz', q=Q, dq=QD, torque=EFFORT, joint_names=JOINTS)
    check_arrays(tmp_path / 'x.npz')
    check_arrays(tmp_path / 'x.mat')
    check_arrays(tmp_path / 'named.npz', rate=100.0)
    assert next(iter(open_recording(tmp_path / 'named.npz', rate=100.0))).names == tuple(JOINTS)
    np.savez(tmp_path / 'square.npz', t=TIME[:6], q=Q[:6])
    with pytest.raises(RecordingError, match=r"'q' is 6 x 6, and nothing says which"):
        open_recording(tmp_path / 'square.npz')
    np.savez(tmp_path / 'short.npz', **{**arrays, 't': TIME[1:]})
    with pytest.raises(Urdf2DynError, match="not of 299 samples as 't': 'q', 'qd', 'tau'"):
        open_recording(tmp_path / 'short.npz')
    header = ' '.join(f'{name}{k}' for name in ('q', 'qd', 'tau') for k in range(1, 7))
    np.savetxt(tmp_path / 'x.dat', np.column_stack((Q, QD, EFFORT)), header=header)
    check_arrays(tmp_path / 'x.dat', rate=100.0)
    for rate in (0.0, -1.0, np.nan):
        for read in (open_recording, read_table):
            with pytest.raises(Urdf2DynError, match='must be a number of rows a second above 0'):
                read(tmp_path / 'x.dat', rate=rate)
    assert main(['identify', str(tmp_path / 'x.npz'), '--urdf', str(RX90),
                 '-o', str(tmp_path / 'out'), '--force']) in (0, 3)


def test_two_structs_with_one_name_are_refused_where_they_differ(tmp_path: Path) -> None:
    path, run = tmp_path / 'x.mat', {'t': TIME, 'q': Q, 'qd': QD, 'tau': EFFORT}
    other = {'t': TIME, 'lower': -np.ones(6)}
    savemat(path, {'run': run, 'tool': other, 'arm': {**other, 'lower': np.ones(6)}})
    check_arrays(path)
    for content, first in (({'a': run, 'b': {**run, 'q': 2.0 * Q}}, "'a.q', 'b.q'"),
                           ({'q': 2.0 * Q, 'a': run}, "'q', 'a.q'")):
        savemat(path, content)
        with pytest.raises(Urdf2DynError, match=f"'q' is there 2 times, as {first}, and these "
                           r'differ: save one struct, as run = a; save\('):
            open_recording(path)


def test_times_with_too_few_digits_need_a_rate(tmp_path: Path) -> None:
    header = ['__time', *(f'/joint_states/{joint}/{what}' for what in (
        'position', 'velocity', 'effort') for joint in JOINTS)]
    path = write_csv(tmp_path / 'x.csv', header, [
        ['1.7e+09', *row] for row in np.column_stack((Q, QD, EFFORT)).tolist()])
    with pytest.raises(RecordingError, match=r"'__time'.* too few digits.* add --rate HZ"):
        open_recording(path)
    check_arrays(path, rate=100.0)
    assert open_recording(path, rate=100.0).remarks == ["columns that are not read: '__time'"]
    assert read_table(path, rate=100.0)[0].time == pytest.approx(TIME)
    path.write_text('t,q1\n0,0\n1,0\n')
    for read in (open_recording, read_table):
        with pytest.raises(Urdf2DynError, match="--rate 100 is of tables without a time, but the "
                           "column 't' is one: omit --rate"):
            read(path, rate=100.0)


def test_what_is_no_table_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / 'x.csv')
    os.mkfifo(tmp_path / 'x.npz')
    assert main(['identify', str(tmp_path / 'x.npz'), '--urdf', str(RX90),
                 '-o', str(tmp_path / 'out')]) == 3
    np.save(tmp_path / 'x.npy', Q)
    (tmp_path / 'x.xlsx').write_bytes(b'PK\x03\x04' + bytes(100))
    for kind in (gzip, bz2, lzma):
        (tmp_path / f'x.{kind.__name__}').write_bytes(kind.compress(b't,q1\n0,1\n'))
    for name, words in (('x.csv', 'a pipe or a device'), ('x.npy', 'arrays need names'),
                        ('x.xlsx', 'save it as CSV'), ('x.gzip', 'unpack it first'),
                        ('x.bz2', 'unpack it first'), ('x.lzma', 'unpack it first')):
        for read in (open_recording, read_table):
            with pytest.raises(Urdf2DynError, match=words):
                read(tmp_path / name)
    with pytest.raises(Urdf2DynError, match='a pipe or a device'):
        open_recording('/dev/zero')
