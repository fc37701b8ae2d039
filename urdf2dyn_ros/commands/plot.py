"""Draw a CSV file with a column of time, or the report of a comparison."""

import argparse
import json
import math
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

from urdf2dyn_ros.commands.arguments import add, check_free
from urdf2dyn_ros.errors import DrawingError
from urdf2dyn_ros.recordings.comparison import Comparison
from urdf2dyn_ros.recordings.pages import checked_path, draw_bars, draw_curves
from urdf2dyn_ros.recordings.report import plot_comparison
from urdf2dyn_ros.recordings.table import Table, column_list, column_names, read_table
from urdf2dyn_ros.system import require

_PREFIXES = {'position': 'q', 'velocity': 'qd', 'acceleration': 'qdd', 'effort': 'effort'}
_MEASURED, _COMPUTED, _RESIDUAL = 'measured_', 'computed_', 'residual_'


def add_plot(parser: argparse.ArgumentParser) -> None:
    """Add the file, the picture and the selection of columns."""
    parser.add_argument('file', type=Path, metavar='FILE',
                        help='table (.csv) with a column of time and any others; positions, '
                        'velocities, accelerations and efforts, also measured_<joint> and '
                        'computed_<joint>, have units; or the .json of a report')
    add(parser, '--columns')
    parser.add_argument('-o', '--output', metavar='FILE',
                        help=".svg or .png (default: <the file's stem>_plot.png)")
    add(parser, '--overwrite')
    parser.add_argument('--only', default='', metavar='REGEX',
                        help='draw only columns (of a report: joints) whose names match')


def run_plot(arguments: argparse.Namespace) -> int:
    """Print the path of the picture; report omitted columns on standard error."""
    require('urdf2dyn plot', 'matplotlib')
    path = checked_path(arguments.output or f'{arguments.file.stem}_plot.png')
    try:
        only = re.compile(arguments.only)
    except re.error as error:
        raise DrawingError(f'--only {arguments.only!r} is not a regular expression: {error}'
                           ) from None
    check_free([path], arguments.overwrite, 'file')
    if arguments.file.suffix.lower() == '.json':
        note = _report(arguments.file, only, path)
    else:
        note = _table(arguments.file, arguments.columns, only, path)
    if note:
        print(note, file=sys.stderr)
    print(path)
    return 0


def _report(file: Path, only: re.Pattern[str], path: Path) -> str:
    """Draw the NRMSE of the joints of a report in JSON as bars."""
    try:
        report = json.loads(file.read_text(encoding='utf-8-sig'))
    except OSError as error:
        raise DrawingError(f'cannot read {str(file)!r}: {error.strerror}') from None
    except json.JSONDecodeError as error:
        raise DrawingError(f'{file}, line {error.lineno}, column {error.colno}: not JSON: '
                           f'{error.msg}') from None
    except (UnicodeDecodeError, RecursionError):
        raise DrawingError(f'{file} is not JSON') from None
    rows = report.get('joints') if isinstance(report, dict) else None
    if not isinstance(rows, list) or not rows:
        raise DrawingError(f'{file} is no report of a comparison: it has no list "joints" with '
                           'figures in it')
    joints = [each for each in (_bar(file, number, row) for number, row in enumerate(rows))
              if only.search(each[0])]
    if not joints:
        raise DrawingError(f'{file}: no joint has --only {only.pattern!r} in its name')
    names, values, texts = zip(*joints)
    return draw_bars(names, values, texts, path, file.name, 'NRMSE of the computed efforts: RMSE '
                     'divided by the range of the measured effort')


def _bar(file: Path, number: int, row: Any) -> tuple[str, float, str]:
    """Return name, NRMSE and text of a joint; an effort that is not credible has the reason."""
    try:
        name, unit, fault = str(row['joint']), str(row['unit']), str(row['not_credible'] or '')
        # null where it is unknown
        nrmse, rmse, largest, r2 = (math.nan if row[key] is None else float(row[key])
                                    for key in ('nrmse', 'rmse', 'max_error', 'r2'))
    except (KeyError, TypeError, ValueError) as error:
        raise DrawingError(f'{file}: joint {number + 1} of the list "joints" lacks a figure: '
                           f'{error}') from None
    if fault:
        return name, math.nan, f'not credible: {fault}'
    return name, nrmse, (f'{100.0 * nrmse:.3g} %     RMSE {rmse:.3g}, maximum {largest:.3g} '
                         f'{unit}, R² {r2:.4f}').replace('nan', 'unknown')


def _table(file: Path, patterns: list[str], only: re.Pattern[str], path: Path) -> str:
    read = read_table(file, patterns)
    columns = {name: values for name, values in read.columns.items() if only.search(name)}
    if not columns:
        raise DrawingError(f'{file}: no column has --only {only.pattern!r} in its name; they are '
                           f'{", ".join(list(read.columns)[:8])}')
    empty = [name for name, values in columns.items() if np.isnan(values).all()]
    note = f'columns without values: {column_list(empty)}' if empty else ''
    columns = {name: values for name, values in columns.items() if name not in empty} or columns
    ours = {column: f'{_PREFIXES[what]}_{joint}' for what, by_joint in column_names(
        [*read.columns], patterns).joints.items() for joint, [column, *_] in by_joint.items()}
    table = Table(read.time, {ours.get(name, name): values for name, values in columns.items()})
    measured, computed, residual = ({name.removeprefix(side) for name in columns if
                                     name.startswith(side)}
                                    for side in (_MEASURED, _COMPUTED, _RESIDUAL))
    if (measured != computed or not residual <= measured
            or len(measured) + len(computed) + len(residual) < len(columns)):
        return '\n'.join(filter(None, (note, draw_curves(table, path, file.name))))
    try:
        plot_comparison(_comparison(table).joints(), path, file.name)
    except OSError as error:
        raise DrawingError(f'cannot write to {str(path)!r}: {error.strerror}') from None
    return note


def _comparison(table: Table) -> Comparison:
    comparison = Comparison(capacity=max(len(table.time), 1))
    stamps = np.rint(table.time * 1e9).astype(np.int64).tolist()
    joints = [name.removeprefix(_COMPUTED) for name in table.columns if name.startswith(_COMPUTED)]
    for side, take in ((_MEASURED, comparison.add_measured), (_COMPUTED, comparison.add_computed)):
        rows = np.column_stack([table.columns[side + joint] for joint in joints]).tolist()
        for stamp, row in zip(stamps, rows):
            take(stamp, joints, row)
    return comparison
