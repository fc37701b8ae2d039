"""The report of a comparison as bars: how far computed and measured efforts are apart."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from urdf2dyn_ros.drawing.picture import (
    BLACK,
    BLUE,
    GREY,
    drawn_name,
    empty_figure,
    inch_axes,
    save,
    text_width,
    write_text,
)
from urdf2dyn_ros.errors import DrawingError

_ROW, LONGEST_BAR, _MARGIN, _HEAD = 0.26, 3.0, 0.25, 0.85
"""Height of a row, longest bar, border, title [in]."""

_SIZE, _TITLE = 9.0, 12.0
"""Sizes of the fonts [pt]."""

_ABOUT = 'NRMSE of the computed efforts: RMSE divided by the range of the measured effort'

_MOST_JOINTS = 150


@dataclass(frozen=True)
class ReportedJoint:
    """Figures of a joint in a report; an effort that is not credible has the reason instead."""

    name: str
    nrmse: float
    text: str
    fault: str


def read_report(path: Path) -> list[ReportedJoint]:
    """Return the joints of a comparison's report in JSON; DrawingError if it is none."""
    try:
        report = json.loads(path.read_text(encoding='utf-8-sig'))
    except OSError as error:
        raise DrawingError(f'cannot read {str(path)!r}: {error.strerror}') from None
    except json.JSONDecodeError as error:
        raise DrawingError(f'{path}, line {error.lineno}, column {error.colno}: not JSON: '
                           f'{error.msg}') from None
    except (UnicodeDecodeError, RecursionError):
        raise DrawingError(f'{path} is not JSON') from None
    rows = report.get('joints') if isinstance(report, dict) else None
    if not isinstance(rows, list) or not rows:
        raise DrawingError(f'{path} is no report of a comparison: it has no list "joints" with '
                           'figures in it')
    return [_joint(path, number, row) for number, row in enumerate(rows)]


def _joint(path: Path, number: int, row: Any) -> ReportedJoint:
    try:
        name, unit, fault = str(row['joint']), str(row['unit']), str(row['not_credible'] or '')
        # null where it is unknown
        nrmse, rmse, largest, r2 = (math.nan if row[key] is None else float(row[key])
                                    for key in ('nrmse', 'rmse', 'max_error', 'r2'))
    except (KeyError, TypeError, ValueError) as error:
        raise DrawingError(f'{path}: joint {number + 1} of the list "joints" lacks a figure: '
                           f'{error}') from None
    if fault:
        return ReportedJoint(name, math.nan, '', fault)
    text = (f'{100.0 * nrmse:.3g} %     RMSE {rmse:.3g}, maximum {largest:.3g} {unit}, '
            f'R² {r2:.4f}')
    return ReportedJoint(name, nrmse, text.replace('nan', 'unknown'), '')


def draw_bars(joints: Sequence[ReportedJoint], path: Path, title: str) -> str:
    """Draw the NRMSE of every joint; return which joints are omitted, or an empty text."""
    note = ('' if len(joints) <= _MOST_JOINTS else
            f'{len(joints) - _MOST_JOINTS} of {len(joints)} joints are omitted, the last ones')
    joints = joints[:_MOST_JOINTS]
    figure = empty_figure(1.0, 1.0)
    names = [drawn_name(joint.name, 40) for joint in joints]
    texts = [drawn_name(joint.text or f'not credible: {joint.fault}', 90) for joint in joints]
    left = _MARGIN + max(text_width(figure, name, _SIZE) for name in names) + 0.15
    errors = [joint.nrmse if math.isfinite(joint.nrmse) and joint.nrmse > 0.0 else 0.0
              for joint in joints]
    bars = [error * LONGEST_BAR / (max(errors) or 1.0) for error in errors]
    about = _ABOUT + (f'; {note}' if note else '')
    title = drawn_name(title, 60)
    right = max(_MARGIN + text_width(figure, title, _TITLE),
                _MARGIN + text_width(figure, about, _SIZE),
                *(left + bar + 0.08 + text_width(figure, text, _SIZE)
                  for bar, text in zip(bars, texts)))
    width = right + _MARGIN
    height = _HEAD + _ROW * len(joints) + _MARGIN
    axes = inch_axes(figure, width, height)
    heights = [_HEAD + _ROW * (number + 0.5) for number in range(len(joints))]
    axes.barh(heights, bars, 0.15, left, color=BLUE, linewidth=0)
    axes.plot([left, left], [_HEAD, height - _MARGIN], color=GREY, linewidth=0.8)
    write_text(axes, _MARGIN, 0.32, title, BLACK, _TITLE)
    write_text(axes, _MARGIN, 0.6, about, GREY, _SIZE)
    for name, text, joint, bar, y in zip(names, texts, joints, bars, heights):
        write_text(axes, left - 0.08 - text_width(figure, name, _SIZE), y, name, BLACK, _SIZE)
        write_text(axes, left + bar + 0.08, y, text, GREY if joint.fault else BLACK, _SIZE)
    save(figure, path, title)
    return note
