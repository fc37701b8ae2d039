"""The pictures of a comparison: there, labelled, and for any number of joints."""

from dataclasses import replace

import numpy as np
import pytest
from comparisons import joints
from picture_texts import assert_apart

from urdf2dyn_ros.errors import ComparisonError
from urdf2dyn_ros.recordings import pages as picture
from urdf2dyn_ros.recordings import report as plots
from urdf2dyn_ros.recordings.report import friction_picture, joint_picture

pytest.importorskip('matplotlib')


@pytest.fixture
def figures(monkeypatch):
    drawn = []
    make = picture.empty_figure
    monkeypatch.setattr(picture, 'empty_figure',
                        lambda *size: drawn.append(make(*size)) or drawn[-1])
    return drawn


@pytest.mark.slow
@pytest.mark.parametrize('count', [1, 2, 7, 36])
def test_every_joint_has_labelled_axes_for_effort_and_residual(count, figures, tmp_path):
    plots.plot_comparison(joints(count), tmp_path / 'x.png', 'robot')
    assert (tmp_path / 'x.png').read_bytes().startswith(b'\x89PNG')
    assert [path.name for path in tmp_path.iterdir()] == ['x.png']
    axes = figures[0].axes
    assert len(axes) == 2 * count
    for number, (upper, lower) in enumerate(zip(axes[::2], axes[1::2], strict=True)):
        unit = 'N' if number % 2 else 'N m'
        assert upper.get_ylabel() == f'effort [{unit}]'
        assert lower.get_ylabel() == f'residual\n[{unit}]'
        assert lower.get_xlabel() == 'time [s]'
        assert len(upper.get_lines()) == 2
        assert len(upper.get_title(loc='left')) < 60
        assert upper.get_xlim()[0] < 0.01  # seconds since the first sample, not since 1970


def test_drawn_samples_have_every_peak_and_both_ends():
    lines = np.array([[5, 5, 9, 5, 5, 5, np.nan, 5, 1, 5], [0, 3, 0, 0, 0, 0, -2, 0, 0, 0]], float)
    assert picture.thinned(lines, 2).tolist() == [0, 1, 2, 5, 6, 8, 9]
    assert picture.thinned(lines[:, :9], 2).tolist() == [0, 1, 2, 5, 6, 8]
    assert picture.thinned(lines, 5).tolist() == [*range(10)]


@pytest.mark.parametrize(('gap', 'ends'), [(0.05, []), (100.0, [11])])
def test_a_line_ends_and_begins_at_a_gap(gap, ends):
    time = 0.01 * np.arange(20) + np.where(np.arange(20) > 10, gap, 0.0)
    line = picture.draw_line(picture.empty_figure(3, 3).add_subplot(), time, 1.0 + time,
                             np.arange(20))
    assert np.flatnonzero(np.isnan(line.get_ydata())).tolist() == ends
    assert line.get_xdata()[np.isfinite(line.get_ydata())] == pytest.approx(time)


def test_letters_that_the_font_lacks_are_no_warning(recwarn, tmp_path):
    plots.plot_comparison([replace(joint, joint='肘') for joint in joints(2)], tmp_path / 'x.png')
    assert [str(warning.message) for warning in recwarn] == []


@pytest.mark.parametrize('count', [1, 6])
def test_axes_legend_and_title_stay_apart(count, figures, tmp_path):
    plots.plot_comparison(joints(count), tmp_path / 'x.png', 'a title of some length, for a robot')
    figure = figures[0]
    assert_apart(figure, [*figure.axes, figure.legends[0], figure.texts[0]])


def test_titles_say_what_is_not_credible_and_what_is_late(figures, tmp_path):
    plots.plot_comparison(joints(5), tmp_path / 'x.png')
    titles = [axes.get_title(loc='left') for axes in figures[0].axes[::2]]
    assert titles[3].endswith('not credible') and titles[2].endswith('NRMSE 0.1 %')
    assert titles[4].endswith('NRMSE 0.1 %, 12 ms late')


def test_without_samples_there_is_no_picture(tmp_path):
    with pytest.raises(ComparisonError):
        plots.plot_comparison(joints(2, samples=0), tmp_path / 'x.png')
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(('draw', 'count', 'labels'), [
    (lambda joint: joint_picture(joint, int(joint.stamps[0]), 'simulated'), 2,
     ['simulated', 'computed', 'residual (simulated - computed)']),
    (friction_picture, 1, ['samples', 'friction fit'])])
def test_a_joint_has_pictures_for_a_page(draw, count, labels, figures):
    joint = joints(1, samples=5000)[0]
    png = draw(joint)
    assert png.startswith(b'\x89PNG') and png == draw(joint)   # the same bytes
    figure = figures[0]
    assert len(figure.axes) == count
    assert [text.get_text() for text in figure.legends[0].get_texts()] == labels
    assert_apart(figure, [*figure.axes, figure.legends[0]])
