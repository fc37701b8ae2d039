"""urdf2dyn plot: any CSV with a column of time, and bad files."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.text import Text
from picture_texts import assert_apart

from support.frozen import assert_frozen, layouts
from support.paths import ROOT
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.commands import plot
from urdf2dyn_ros.recordings import pages as pictures
from urdf2dyn_ros.recordings.comparison import Comparison
from urdf2dyn_ros.recordings.report import write_csv
from urdf2dyn_ros.recordings.table import read_table

START = 1_700_000_000_000_000_000
RECORDING = 'time,q_a,q_b_2,effort_a,temperature\n1e9,1,2,,4\n1000000001,2,,nan,5\n\n' \
            '1000000002,-1,3,inf,6\n'


def compared():
    """Return the comparison of two joints, of which one is not measured but filled with zeros."""
    comparison = Comparison()
    for k in range(200):
        stamp, wave = START + 4_000_000 * k, np.sin(k / 20.0)
        comparison.add_computed(stamp, ['joint_1', 'x,"$y$"'], [10.0 * wave, wave])
        comparison.add_measured(stamp, ['joint_1', 'x,"$y$"'], [10.1 * wave, 0.0])
    return comparison


@pytest.fixture
def figures(monkeypatch):
    drawn = []
    monkeypatch.setattr(pictures, 'save', lambda figure, *_, **options: drawn.append(figure))
    return drawn


def test_a_comparison_is_drawn_as_the_comparison_draws_it(tmp_path, monkeypatch, capsys):
    write_csv(compared().joints(), tmp_path / 'efforts.csv')
    given = []
    draw = plot.plot_comparison
    monkeypatch.setattr(plot, 'plot_comparison',
                        lambda joints, path, title: given.extend(joints) or draw(joints, path))
    monkeypatch.chdir(tmp_path)
    assert main(['plot', 'efforts.csv']) == 0
    assert capsys.readouterr().out == 'efforts_plot.png\n'
    assert (tmp_path / 'efforts_plot.png').read_bytes().startswith(b'\x89PNG')
    assert main(['plot', 'efforts.csv']) == 1
    assert 'efforts_plot.png exists' in capsys.readouterr().err
    for read, made in zip(given, compared().joints(), strict=True):
        assert (read.joint, read.fault) == (made.joint, made.fault)
        # a float of the time since 1970 is rounded to a quarter of a microsecond
        assert np.abs(read.stamps - made.stamps).max() <= 120
        # the file has ten digits
        assert np.allclose(read.measured, made.measured, rtol=5e-10, atol=0.0)
        assert np.allclose(read.computed, made.computed, rtol=5e-10, atol=0.0)
    assert given[1].fault
    assert main(['plot', 'efforts.csv', '--overwrite']) == 0


def test_columns_are_grouped_by_joint_and_quantity_with_units(tmp_path, figures):
    file = tmp_path / 'recording.csv'
    file.write_text(RECORDING)
    assert main(['plot', str(file), '-o', 'x.png']) == 0
    axes = figures[0].axes
    assert [one.get_title(loc='left') for one in axes] == [
        'q_a [rad | m]', 'q_b_2 [rad | m]', 'effort_a [N m | N]', 'temperature']
    assert [one.get_xlabel() for one in axes] == ['', '', '', 'time [s]']
    a, b = (axes[number].get_position() for number in (0, 1))
    assert a.y0 == b.y0 and axes[2].get_position().x0 == a.x0   # below its position
    time, q = axes[0].get_lines()[0].get_data()
    assert (list(time), list(q)) == ([0.0, 1.0, 2.0], [1.0, 2.0, -1.0])
    assert np.isnan(axes[1].get_lines()[0].get_ydata()).tolist() == [False, True, False]
    assert_frozen('plotted', {'pictures': layouts(figures)})


@pytest.mark.parametrize(('header', 'columns'), [
    ('time_ms,arm_pos,arm_torque,t7', ()),
    ('clock,angle of arm,tau1,t7', ('time=clock', 'position=angle of {joint}'))])
def test_columns_of_other_names_have_quantities(tmp_path, figures, header, columns):
    file = tmp_path / 'recording.csv'
    file.write_text(header + '\n0,1,2,3\n1000,2,3,4\n')
    assert main(['plot', str(file), '-o', 'x.png', '--columns', *columns]
                if columns else ['plot', str(file), '-o', 'x.png']) == 0
    assert [one.get_title(loc='left') for one in figures[0].axes] == [
        'q_arm [rad | m]', 'effort_arm [N m | N]', 't7']
    assert figures[0].axes[0].get_lines()[0].get_xdata()[1] == (1000.0 if columns else 1.0)


def test_computed_efforts_are_drawn_without_measured_ones(tmp_path, figures, capsys):
    """Whether the columns of these are empty or missing."""
    path = tmp_path / 'efforts.csv'
    path.write_text('time,measured_a,computed_a,residual_a\n0,,1,\n0.1,nan,2,\n')
    assert main(['plot', str(path), '-o', str(tmp_path / 'x.png')]) == 0
    assert "columns without values: 'measured_a', 'residual_a'\n" in capsys.readouterr().err
    figure, = figures
    axes, = figure.axes
    assert axes.get_title(loc='left') == 'computed_a [N m | N]'
    assert axes.lines[0].get_ydata().tolist() == [1.0, 2.0]


@pytest.mark.parametrize(('count', 'most'), [(1, 96), (7, 96), (7, 15)])
def test_labels_stay_apart_and_omitted_columns_are_reported(count, most, tmp_path, figures, capsys,
                                                            monkeypatch):
    monkeypatch.setattr(pictures, 'MOST_AXES', most)
    names = [f'{quantity}_{"a_very_long_name_of_a_" * (joint == 2)}joint_{joint}'
             for joint in range(count) for quantity in ('q', 'qd', 'qdd', 'effort')]
    values = 1e-4 * np.sin(np.arange(50)[:, None] * np.arange(len(names)) / 9.0)
    np.savetxt(tmp_path / 'x.csv', np.column_stack((np.arange(50), values)), delimiter=',',
               header=','.join(['time', *names]), comments='')
    assert main(['plot', str(tmp_path / 'x.csv'), '-o', 'x.png']) == 0
    figure = figures[0]
    assert len(figure.axes) == min(4 * count, most)
    figure.canvas.draw()
    labels = [label for axes in figure.axes for label in (
        *axes.findobj(lambda artist, axes=axes: isinstance(artist, Text) and (
            artist.get_text() == axes.get_title(loc='left'))),
        axes.title, axes.xaxis.label, axes.yaxis.label, axes.yaxis.get_offset_text())]
    assert_apart(figure, [*(label for label in labels if label.get_text()), figure.texts[0]])
    omitted = '13 of 28 columns are omitted, the last ones: choose with --only'
    said = capsys.readouterr().err
    assert (omitted in said) == (omitted in figure.texts[0].get_text()) == (most == 15)
    assert main(['plot', str(tmp_path / 'x.csv'), '-o', 'x.png', '--only', '^qd_.*_0$']) == 0
    assert len(figures[1].axes) == 1


BAD_TABLES = [   # test_recordings.py has more of those that a recording has as well
    ('', ['an empty file']),
    ('time,a\n', ['no values below']),
    ('clock,a\n1,2\n', ['line 1', "no column is called 'time'", "'clock', 'a'", '--columns']),
    ('<robot' + 'x' * 500 + '\n1\n', ['line 1', "'<robotxxx", 'x…; if one of them']),
    ('time\n1\n', ['line 1', "besides 'time'"]),
    ('time,a\n1,2\n2,ok\n', ['line 3', "column 'a'", "'ok' is not a number"]),
    ('time,a\n1,2\n,3\n', ['line 3', "column 'time'", 'there is no time']),
    ('time,a\n1,2\n\n0.5,3\n', ['line 4', '0.5 s: the time goes back']),
    ('time,a\n1700000000000,2\n', ['line 2', 'seconds']),
    (b'time,a\n1,\xff\n', ['not UTF-8'])]


@pytest.mark.parametrize(('content', 'expected'), BAD_TABLES)
def test_a_wrong_file_is_reported_with_place(content, expected, tmp_path, capsys):
    file = tmp_path / 'bad.csv'
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert main(['plot', str(file), '-o', str(tmp_path / 'x.png')]) == 1
    said = capsys.readouterr().err
    assert said.startswith('error: ') and 'bad.csv' in said and said.count('\n') == 1
    for word in expected:
        assert word in said
    assert [path.name for path in tmp_path.iterdir()] == ['bad.csv']


@pytest.mark.parametrize(('words', 'expected'), [
    (['nowhere.csv'], ['nowhere.csv', 'no such file']),
    (['/proc'], ['/proc', 'directory']),
    (['x.csv', '-o', 'x.gif'], ['.svg or .png']),
    ([str(ROOT / 'examples' / 'rx90.mcap')], ['is a bag, and plot draws tables']),
    (['x.csv', '-o', '/proc/x.png'], ["cannot write to '/proc/x.png'"]),
    (['e.csv', '-o', '/proc/x.png'], ["cannot write to '/proc/x.png'"]),
    (['x.csv', '--only', '('], ["--only '('", 'regular expression']),
    (['x.csv', '--only', 'z'], ["--only 'z'", 'q_a, q_b_2']),
])
def test_errors_are_one_line_and_exit_code_1(words, expected, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path('x.csv').write_text(RECORDING)
    write_csv(compared().joints(), Path('e.csv'))
    assert main(['plot', *words]) == 1
    said = capsys.readouterr()
    assert said.out == '' and said.err.startswith('error: ') and said.err.count('\n') == 1
    for word in expected:
        assert word in said.err


def test_a_byte_order_mark_quotes_and_spaces_are_no_obstacle(tmp_path):
    (tmp_path / 'x.csv').write_bytes('\ufeff time , "q_a,b"\r\n 0.5 , -1e-3 \r\n'.encode())
    table, _ = read_table(tmp_path / 'x.csv')
    assert table.time.tolist() == [0.5]
    assert {name: values.tolist() for name, values in table.columns.items()} == {'q_a,b': [-1e-3]}
