"""A joint's efforts with residual, and its friction, as SVG for a light and a dark page."""

import re
from io import StringIO
from typing import Any

import numpy as np

from urdf2dyn_ros.comparison.figures import JointComparison
from urdf2dyn_ros.comparison.semantics import rate_unit
from urdf2dyn_ros.drawing.picture import (
    COMPUTED,
    MEASURED,
    RESIDUAL,
    draw_pair,
    empty_figure,
    thinned,
)
from urdf2dyn_ros.drawing.small_units import label_values
from urdf2dyn_ros.origin import EffortSource

_WIDE, _NARROW, _HIGH = 4.8, 3.8, 3.2
"""Widths of the picture over time and of that over velocity, and their height [in]."""

_SEGMENTS, _POINTS = 400, 600
"""Segments of time; points of the cloud."""

_PAPER, _INK, _GRID = '#FFFFFE', '#1C1C1C', '#D9D9D9'

_DARK_COLOURS = {_PAPER: '#16191D', _INK: '#E8E8E8', _GRID: '#3C4249', RESIDUAL: '#B8BCC2',
                 MEASURED: '#56B4E9', COMPUTED: '#F0883E'}
"""Colours on a dark page, by those on a light one."""


def joint_picture(joint: JointComparison, start: int, source: EffortSource) -> str:
    """
    Return an SVG of a joint's efforts over time; `start` is the stamp of time zero [ns].

    Its colours follow the reader's preference.
    """
    figure = empty_figure(_WIDE, _HIGH)
    figure.patch.set_facecolor(_PAPER)
    upper = figure.add_axes((0.16, 0.47, 0.82, 0.42))
    lower = figure.add_axes((0.16, 0.145, 0.82, 0.26), sharex=upper)
    rows = thinned(np.stack((joint.measured, joint.computed, joint.residual)), _SEGMENTS)
    draw_pair(upper, lower, (joint.stamps[rows] - start) * 1e-9,
              [each[rows] for each in (joint.measured, joint.computed, joint.residual)],
              (source, 'computed', 'residual'), (3.0, 1.2, 0.8))
    upper.set_ylabel(f'effort [{joint.unit}]')
    for axes in (upper, lower):
        _style(axes)
    label_values(lower, 'residual\n', joint.unit, joint.residual)
    _add_legend(upper)
    return _svg(figure)


def friction_picture(joint: JointComparison) -> str:
    """Return an SVG of the residual over the velocity: friction is a step and a slope."""
    figure = empty_figure(_NARROW, _HIGH)
    figure.patch.set_facecolor(_PAPER)
    axes = figure.add_axes((0.20, 0.145, 0.77, 0.745))
    _draw_cloud(axes, joint)
    axes.set_xlabel(f'velocity [{rate_unit(joint.unit)}]')
    axes.locator_params(axis='x', nbins=5)   # whose numbers do not touch on a phone
    _style(axes)
    label_values(axes, 'residual ', joint.unit, joint.residual)
    _add_legend(axes)
    return _svg(figure)


def _add_legend(axes: Any) -> None:
    axes.legend(loc='lower right', bbox_to_anchor=(1.0, 1.0), ncol=2, frameon=False,
                fontsize='small', labelcolor=_INK, borderaxespad=0.1, markerscale=2.0)


def _draw_cloud(axes: Any, joint: JointComparison) -> None:
    """Draw the residual over the velocity, and the fitted friction."""
    known = np.flatnonzero(np.isfinite(joint.velocity))
    some = known[np.linspace(0, len(known) - 1, min(len(known), _POINTS)).astype(int)]
    axes.plot(joint.velocity[some], joint.residual[some], color=RESIDUAL, linestyle='none',
              marker='o', markersize=1.8, markeredgewidth=0.0, alpha=0.55, label='samples')
    friction = joint.figures.friction
    if len(some) and not joint.fault and not friction.unknown:
        ends = joint.velocity[known].min(), joint.velocity[known].max()
        # two points at zero, for the step
        velocity = np.array([ends[0], -1e-9, 1e-9, ends[1]])
        axes.plot(velocity, friction.residual(velocity), color=COMPUTED, linewidth=1.8,
                  label='friction fit')


def _style(axes: Any) -> None:
    axes.set_facecolor(_PAPER)
    axes.ticklabel_format(axis='y', scilimits=(-2, 4), useOffset=False)
    axes.yaxis.get_offset_text().set(fontsize='small', color=_INK)
    axes.tick_params(labelsize='small', colors=_INK)
    axes.xaxis.label.set(color=_INK, size='small')
    axes.yaxis.label.set(color=_INK, size='small')
    axes.grid(color=_GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.margins(x=0.01)
    for spine in axes.spines.values():
        spine.set_color(_INK)


def _svg(figure: Any) -> str:
    """Return a figure as SVG; its colours are variables with other values on a dark page."""
    import matplotlib

    file = StringIO()
    # text remains text, and the same efforts give the same bytes
    with matplotlib.rc_context({'svg.fonttype': 'none', 'svg.hashsalt': 'urdf2dyn_ros',
                                'font.family': ['sans-serif']}):
        figure.savefig(file, format='svg', facecolor=_PAPER, metadata={'Date': None})
    text = file.getvalue()
    text = text[text.index('<svg'):]
    text = re.sub('<metadata>.*?</metadata>', '', text, flags=re.DOTALL)
    # shorter coordinates, but only inside tags: between them are the numbers of the axes
    text = re.sub('<[^>]*>', lambda tag: re.sub(r'(\d\.\d\d)\d+', r'\1', tag[0]), text)
    rules = {number: (light, dark) for number, (light, dark) in enumerate(_DARK_COLOURS.items())}
    for number, (light, _) in rules.items():
        text = re.sub(light, f'var(--c{number})', text, flags=re.IGNORECASE)
    light, dark = (''.join(f'--c{number}:{pair[side]};' for number, pair in rules.items())
                   for side in (0, 1))
    style = (f'<style>:root{{{light}}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}'
             '</style>')
    end = text.index('>') + 1
    return text[:end] + style + text[end:]
