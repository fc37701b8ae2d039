"""The picture of a comparison: there, labelled, and for any number of joints."""

from __future__ import annotations

import numpy as np
import pytest

from urdf2dyn_ros.comparison import plots
from urdf2dyn_ros.comparison.comparison import JointComparison
from urdf2dyn_ros.errors import ComparisonError

pytest.importorskip('matplotlib')


def joints(count, samples=200):
    stamps = 1_700_000_000_000_000_000 + 4_000_000 * np.arange(samples)
    wave = np.sin(np.arange(samples) / 20.0)
    return [JointComparison(f'joint_$_{i}' + 'x' * 60 * (i == 1), 'N' if i % 2 else 'N m', stamps,
                            10.0**(i % 5) * wave, 10.0**(i % 5) * 0.999 * wave,
                            'frozen' if i == 3 else '', 1e-3, 1e-3, 1e-3, 0.999)
            for i in range(count)]


@pytest.fixture
def figures(monkeypatch):
    """Give the figures that are drawn."""
    drawn = []
    make = plots._figure
    monkeypatch.setattr(plots, '_figure', lambda size: drawn.append(make(size)) or drawn[-1])
    return drawn


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


@pytest.mark.parametrize('count', [1, 6, 36])
def test_nothing_overlaps(count, figures, tmp_path):
    plots.plot_comparison(joints(count), tmp_path / 'x.png', 'a title of some length, for a robot')
    figure = figures[0]
    boxes = [axes.get_tightbbox(figure.canvas.get_renderer()) for axes in figure.axes]
    boxes.append(figure.legends[0].get_window_extent())
    boxes.append(figure.texts[0].get_window_extent())
    for i, first in enumerate(boxes):
        assert first.x0 >= 0.0 and first.y0 >= 0.0
        assert first.x1 <= figure.bbox.x1 and first.y1 <= figure.bbox.y1
        for second in boxes[i + 1:]:
            inner = (min(first.x1, second.x1) - max(first.x0, second.x0),
                     min(first.y1, second.y1) - max(first.y0, second.y0))
            assert min(inner) < 2.0, 'two boxes overlap by more than a pixel or two'


def test_a_joint_that_is_not_credible_says_so(figures, tmp_path):
    plots.plot_comparison(joints(4), tmp_path / 'x.png')
    titles = [axes.get_title(loc='left') for axes in figures[0].axes[::2]]
    assert titles[3].endswith('not credible') and titles[2].endswith('NRMSE 0.1 %')


def test_without_samples_there_is_no_picture(tmp_path):
    with pytest.raises(ComparisonError):
        plots.plot_comparison(joints(2, samples=0), tmp_path / 'x.png')
    assert not list(tmp_path.iterdir())
