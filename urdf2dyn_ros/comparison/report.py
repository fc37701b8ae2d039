"""A comparison as a table to read, and as files for spreadsheets and programs."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from urdf2dyn_ros.comparison.figures import EffortFigures, JointComparison, Span
from urdf2dyn_ros.comparison.figures_text import FIGURE_COLUMNS, figure_texts, notes
from urdf2dyn_ros.errors import ComparisonError
from urdf2dyn_ros.origin import NO_ORIGIN, Origin
from urdf2dyn_ros.quoting import printable
from urdf2dyn_ros.stamps import SECOND_NS
from urdf2dyn_ros.system.atomic_file import atomic_file, create_files
from urdf2dyn_ros.system.json_text import json_text
from urdf2dyn_ros.text_table import aligned, csv_cell

KINDS = ('measured', 'computed', 'residual')
OBSERVED = (*KINDS, 'external')


def comparison_table(joints: Sequence[JointComparison]) -> str:
    """Return an aligned table of figures; joints that are not credible have the reason instead."""
    if not joints:
        return 'no effort was computed'
    heads = ('joint', 'unit', 'samples', *(column.head for column in FIGURE_COLUMNS))
    rows = [heads]
    for joint in joints:
        figures = [''] * len(FIGURE_COLUMNS) if joint.fault else figure_texts(joint.total)
        rows.append((printable(joint.joint), joint.unit, str(joint.figures.samples), *figures))
    faults = ['', *(joint.fault for joint in joints)]
    lines = [f'{line}  not credible: {fault}' if fault else line
             for line, fault in zip(aligned(rows, left=2), faults, strict=True)]
    return '\n'.join([*lines, *notes(joints)])


def write_head(file: TextIO, joints: Sequence[str], kinds: Sequence[str] = KINDS) -> None:
    """Write the names of the columns: the time, and those of every joint."""
    heads = [f'{kind}_{joint}' for joint in joints for kind in kinds]
    file.write(','.join(['time', *map(csv_cell, heads)]) + '\n')


def write_rows(file: TextIO, stamps: Iterable[int], rows: Iterable[Sequence[float]]) -> None:
    """Write a line for every stamp [ns]; NaN becomes an empty cell."""
    form = ''
    for stamp, row in zip(stamps, rows):
        form = form or ',%.10g' * len(row) + '\n'
        file.write(seconds(stamp) + (form % tuple(row)).replace('nan', ''))


def seconds(stamp: int) -> str:
    """Return a stamp [ns] in seconds with nine decimals."""
    second, rest = divmod(abs(stamp), SECOND_NS)
    return f'{"-" if stamp < 0 else ""}{second}.{rest:09d}'


def write_csv(joints: Sequence[JointComparison], path: Path) -> None:
    """Write time [s] and efforts of every joint with samples; ComparisonError without any."""
    joints = [joint for joint in joints if len(joint.stamps)]
    if not joints:
        raise ComparisonError(
            'no effort was measured and computed at the same time: check that both topics '
            'are published, name the same joints and have stamps of the same clock')
    stamps = np.unique(np.concatenate([joint.stamps for joint in joints]))
    columns = np.full((len(stamps), 3 * len(joints)), np.nan)
    for number, joint in enumerate(joints):
        rows = np.searchsorted(stamps, joint.stamps)
        columns[rows, 3 * number:3 * number + 3] = np.column_stack(
            (joint.measured, joint.computed, joint.residual))
    with atomic_file(path) as part, part.open('w', encoding='utf-8', newline='') as file:
        write_head(file, [joint.joint for joint in joints])
        write_rows(file, stamps.tolist(), columns.tolist())


def write_json(joints: Sequence[JointComparison], path: Path, origin: Origin = NO_ORIGIN) -> None:
    """Write the figures of every joint, null if unknown or not credible, and the origin."""
    rows = [{'joint': joint.joint, 'unit': joint.unit, **_span(joint.total),
             'window': _span(joint.window)} for joint in joints]
    about = {**origin.facts, 'efforts': origin.efforts}
    text = json_text({'about': about, 'joints': rows}, indent=2)
    create_files({path: text.encode()}, replace=True)


def _span(span: Span) -> dict[str, Any]:
    return {**_figures(span.figures), 'not_credible': span.fault, 'hint': span.hint,
            'lag': span.lag, 'own_lag': span.own_lag and span.own_lag._asdict(),
            'unaligned': _figures(span.unaligned, friction=False)}


def _figures(figures: EffortFigures, friction: bool = True) -> dict[str, Any]:
    names = ('rmse', 'max_error', 'bias', 'nrmse', 'nrmse_rms', 'r2')
    values: dict[str, Any] = {'samples': figures.samples,
                              **{name: getattr(figures, name) for name in names}}
    if friction:
        fit = figures.friction
        values['friction'] = {
            **{name: {'value': term.value, 'standard_error': term.error}
               for name, term in (('viscous', fit.viscous), ('coulomb', fit.coulomb),
                                  ('offset', fit.offset))},
            'rmse': fit.rmse, 'unknown': fit.unknown}
    return values
