"""Measured against computed effort: matched by stamp, credible or not."""

import csv
import json

import numpy as np
import pytest

from urdf2dyn_ros.recordings.comparison import Comparison
from urdf2dyn_ros.recordings.credibility import sensor_fault
from urdf2dyn_ros.recordings.measured_efforts import JointFacts
from urdf2dyn_ros.recordings.report import comparison_table, write_csv, write_json

START = 1_700_000_000_123_456_789
PERIOD = 4_000_000


def wave(stamp):
    return 3.0 + 2.0 * np.sin(2.0 * (stamp - START) * 1e-9)


def compared(measured, computed, count=1000, joint='elbow', limit=None, **options):
    """Return the one joint's comparison of two functions of the stamp, both every 4 ms."""
    comparison = Comparison(**options)
    if limit:
        comparison.describe({joint: JointFacts('N m', limit=limit)})
    for stamp in range(START, START + count * PERIOD, PERIOD):
        comparison.add_measured(stamp, [joint], [measured(stamp)])
        comparison.add_computed(stamp, [joint], [computed(stamp)])
    (result,) = comparison.joints()
    return result


def test_the_figures_are_those_of_their_definitions():
    result = compared(wave, lambda stamp: wave(stamp) - 0.1 - 0.2 * (stamp == START))
    measured = np.array([wave(START + k * PERIOD) for k in range(1000)])
    figures = result.figures
    assert figures.max_error == pytest.approx(0.3)
    rmse = np.sqrt((999 * 0.1**2 + 0.3**2) / 1000)
    assert figures.rmse == pytest.approx(rmse)
    assert figures.bias == pytest.approx((999 * 0.1 + 0.3) / 1000)
    assert figures.nrmse == pytest.approx(rmse / np.ptp(measured))
    assert figures.nrmse_rms == pytest.approx(rmse / np.sqrt(np.mean(measured**2)))
    assert figures.r2 == pytest.approx(1.0 - rmse**2 / np.var(measured))


def test_values_that_are_not_finite_and_repeated_or_older_stamps_are_dropped():
    comparison = Comparison()
    for k in range(200):
        stamp = START + k * PERIOD
        comparison.add_measured(stamp, ['a', 'b'], [wave(stamp), np.nan])
        comparison.add_measured(stamp, ['a'], [99.0])
        comparison.add_measured(stamp - PERIOD // 2, ['a'], [99.0])
        comparison.add_computed(stamp, ['a', 'b'], [wave(stamp), np.inf])
    first, second = comparison.joints()
    assert (first.figures.samples, first.figures.rmse) == (200, 0.0)
    assert second.fault == '0 samples, at least 50 are needed'


def test_messages_may_list_their_joints_in_changing_orders():
    comparison = Comparison()
    for k in range(1000):
        stamp = START + k * PERIOD
        for add, error in ((comparison.add_measured, 0.1), (comparison.add_computed, 0.0)):
            joints = {'a': wave(stamp) + error, 'b': -wave(stamp) - error}
            names = sorted(joints, reverse=k % 3 == 0)
            add(stamp, names, [joints[name] for name in names])
    for result in comparison.joints():
        assert result.figures.samples == 1000
        assert result.figures.max_error == pytest.approx(0.1)


@pytest.mark.parametrize(('measured', 'reason'), [
    (lambda stamp: 0.0, 'zero throughout'),
    *((lambda stamp, size=size: size * (1.0 + 1e-12 * (stamp % 7)), f'frozen at {size:g}')
      for size in (1.25, 1e6, -1e-7)),
    (lambda stamp: wave(min(stamp, START + 2_000_000_000)), 'frozen for 2.0 s'),
    (lambda stamp: wave(stamp) if stamp < START + 2_000_000_000 else 0.0, 'frozen for 2.0 s'),
    (lambda stamp: min(wave(stamp), 4.5), 'saturated at 4.5 in'),
    (lambda stamp: max(wave(stamp), 2.5), 'saturated at 2.5 in'),
    (lambda stamp: float('nan'), 'at least 50'),
])
@pytest.mark.fault(41)
def test_what_was_not_measured_gets_no_figure(measured, reason):
    result = compared(measured, wave)
    assert reason in result.fault
    figures = result.figures
    assert np.isnan([figures.rmse, figures.nrmse, figures.r2, figures.max_error]).all()
    assert result.window.fault


@pytest.mark.fault(41)
def test_a_frozen_span_alone_is_left_out_and_the_lag_is_that_of_the_message():
    comparison = Comparison(capacity=4000)
    for stamp in range(START, START + 4000 * PERIOD, PERIOD):
        late = wave(stamp - 40_000_000)
        stuck = 2_000_000_000 <= stamp - START < 4_000_000_000
        comparison.add_measured(stamp, ['a', 'b'], [late, 99.0 if stuck else late + 0.1])
        comparison.add_computed(stamp, ['a', 'b'], [wave(stamp)] * 2)
    total = comparison.joints()[1].total
    assert total.left_out == ('the measured effort is frozen from 2.00 to 4.00 s after its first '
                              'sample: 500 samples of 4000 are left out')
    assert total.lag == pytest.approx(0.04, abs=1e-3) and total.unaligned.samples == 3500
    assert total.figures.bias == pytest.approx(0.1, abs=0.01)


def test_a_robot_at_rest_and_a_coarse_measurement_are_credible():
    def rests(stamp):
        return wave(max(stamp, START + 2_000_000_000))

    assert compared(rests, rests).fault == ''
    assert compared(lambda stamp: round(wave(stamp), 1), wave).fault == ''


def test_too_few_samples_and_a_joint_that_is_not_measured_get_no_figure():
    assert 'at least 50' in compared(wave, wave, count=49).fault
    comparison = Comparison()
    comparison.add_computed(START, ['a'], [1.0])
    assert comparison.joints()[0].fault == 'no measured effort'


@pytest.mark.fault(41)
def test_an_effort_of_the_other_sign_is_reported():
    result = compared(lambda stamp: -wave(stamp), wave)
    assert result.fault == ''
    assert 'opposite sign (correlation -1.00)' in result.total.hint
    assert compared(wave, wave).total.hint == ''


@pytest.mark.parametrize(('limit', 'saturated'), [(4.5, True), (4.6, False), (3.0, False)])
def test_an_effort_at_the_limit_of_the_urdf_is_not_credible(limit, saturated):
    """Efforts beyond the limit contradict the URDF; noise hides a saturated, constant effort."""
    noise = np.random.default_rng(0)
    result = compared(lambda stamp: min(wave(stamp), 4.5 - 1e-3 * noise.random()), wave,
                      limit=limit)
    assert ("at the URDF's limit of 4.5" in result.fault) == saturated


def test_the_window_forgets_what_the_total_keeps():
    half = START + 1000 * PERIOD
    result = compared(lambda stamp: wave(stamp) + (stamp < half), wave, 2000, window=2.0)
    assert result.window.figures.rmse < 1e-12
    assert result.figures.rmse == pytest.approx(np.sqrt(0.5))
    assert result.figures.bias == pytest.approx(0.5)


LINES = [
    'joint                 unit  samples  RMSE  maximum   bias  NRMSE [%]  of RMS [%]        R2  '
    'lag [ms]  viscous  Coulomb  offset  RMSE left',
    'long_name_of_a_joint  N m       100  0.01     0.01  -0.01     0.7025      0.2649  0.999432  '
    '       -        -        -       -          -',
    'b                     N         100  not credible: the measured effort is zero throughout',
    'c                     N m       100  0.02     0.02  -0.02     1.4050      0.5299  0.997730  '
    '       -        -        -       -          -',
    'long_name_of_a_joint, c: no friction fitted: it shows where the joint moves both ways, at '
    'several speeds, in 50 samples or more']


def test_the_report_is_an_aligned_table_with_units_and_faults():
    comparison = Comparison()
    assert comparison_table(comparison.joints()) == 'no effort was computed'
    comparison.describe({'long_name_of_a_joint': JointFacts('N m'), 'b': JointFacts('N'),
                         'c': JointFacts('N m')})
    for stamp in range(START, START + 100 * PERIOD, PERIOD):
        names = ['long_name_of_a_joint', 'b', 'c']
        comparison.add_measured(stamp, names, [wave(stamp), 0.0, wave(stamp)])
        comparison.add_computed(stamp, names, [wave(stamp) + 0.01, 1.0, wave(stamp) + 0.02])
    assert comparison_table(comparison.joints()).splitlines() == LINES


@pytest.mark.parametrize(('recorded', 'words'), [
    (101, ''), (99, 'its effort is not recorded')])
def test_nine_of_ten_efforts_must_be_recorded(recorded, words):
    effort = np.append(np.sin(np.arange(recorded)), np.full(111 - recorded, np.nan))
    assert sensor_fault(effort, effort[:recorded]) == words


@pytest.mark.parametrize(('moving', 'words'), [
    ([], ''), (np.arange(10) % 9, 'the measured effort has 9 different values only'),
    ([3.0] * 9 + [*range(4, 13)], ''),
    ([3.0] * 11 + [*range(4, 13)], 'the measured effort is 3 in 55 % of the samples in which the '
     'joint moves: its sensor is missing or dead, or it is at its limit'),
    ([*range(1, 100), 2820.0], ''),
    ([*range(1, 100), -2900.0], 'the measured effort has spikes of up to 2.9e+03, where 95 % are '
     'below 95: remove them')])
def test_an_effort_that_is_no_measurement_is_said(moving, words):
    values = np.asarray(moving, dtype=float)
    assert sensor_fault(values if len(values) else np.arange(10.0), values) == words


def test_csv_has_every_sample_with_its_exact_stamp(tmp_path):
    comparison = Comparison()
    name = 'odd, "name"'
    for k in range(60):
        comparison.add_measured(START + k * PERIOD, ['a', name], [k * 0.5, -k])
        comparison.add_computed(START + k * PERIOD, ['a'], [k * 0.25])
        if k % 2:
            comparison.add_computed(START + k * PERIOD, [name], [1.0])
    write_csv(comparison.joints(), tmp_path / 'efforts.csv')
    with (tmp_path / 'efforts.csv').open(newline='', encoding='utf-8') as file:
        head, *rows = csv.reader(file)
    assert head == ['time', 'measured_a', 'computed_a', 'residual_a', f'measured_{name}',
                    f'computed_{name}', f'residual_{name}']
    assert len(rows) == 60
    assert rows[3] == ['1700000000.135456789', '1.5', '0.75', '0.75', '-3', '1', '-4']
    assert rows[4][4:] == ['', '', '']
    assert [path.name for path in tmp_path.iterdir()] == ['efforts.csv']


def test_json_has_the_figures_and_null_where_there_is_none(tmp_path):
    write_json([compared(wave, wave), compared(lambda stamp: 0.0, wave)], tmp_path / 'x.json')
    good, bad = json.loads((tmp_path / 'x.json').read_text(encoding='utf-8'))['joints']
    assert (good['joint'], good['unit'], good['samples'], good['not_credible']) == (
        'elbow', 'N m | N', 1000, '')
    assert [good[name] for name in ('rmse', 'max_error', 'bias', 'nrmse', 'nrmse_rms', 'r2')] == [
        0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    assert good['lag'] is None and good['friction']['viscous']['value'] is None
    assert good['unaligned']['rmse'] == good['window']['rmse'] == 0.0
    assert bad['not_credible'] and bad['rmse'] is None and bad['window']['rmse'] is None
