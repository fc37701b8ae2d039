"""Draw a CSV file with a column of time, or the report of a comparison."""

import argparse
import re
import sys
from pathlib import Path

import numpy as np

from urdf2dyn_ros.commands.arguments import add_overwrite, check_free
from urdf2dyn_ros.errors import DrawingError
from urdf2dyn_ros.recordings.comparison import Comparison
from urdf2dyn_ros.recordings.pictures import checked_path
from urdf2dyn_ros.recordings.plots import Table, draw_bars, draw_curves, read_report, read_table
from urdf2dyn_ros.recordings.report import plot_comparison
from urdf2dyn_ros.system import require

_MEASURED, _COMPUTED, _RESIDUAL = 'measured_', 'computed_', 'residual_'


def add(parser: argparse.ArgumentParser) -> None:
    """Add the file, the picture and the selection of columns."""
    parser.add_argument('file', type=Path, metavar='FILE',
                        help='.csv with a column time [s] and others, for instance q_<joint>, '
                        'qd_<joint>, qdd_<joint>, effort_<joint>, or measured_<joint> and '
                        'computed_<joint>; or the .json of a report')
    parser.add_argument('-o', '--output', metavar='FILE',
                        help=".svg or .png (default: <the file's stem>_plot.png)")
    add_overwrite(parser)
    parser.add_argument('--only', default='', metavar='REGEX',
                        help='draw only columns (of a report: joints) whose names match')


def run(arguments: argparse.Namespace) -> int:
    """Print the path of the picture; report omitted columns on standard error."""
    require('urdf2dyn plot', 'matplotlib')
    path = checked_path(arguments.output or f'{arguments.file.stem}_plot.png')
    try:
        only = re.compile(arguments.only)
    except re.error as error:
        raise DrawingError(f'--only {arguments.only!r} is not a regular expression: {error}'
                           ) from None
    check_free([path], arguments.overwrite, 'file')
    draw = _report if arguments.file.suffix.lower() == '.json' else _table
    note = draw(arguments.file, only, path)
    if note:
        print(note, file=sys.stderr)
    print(path)
    return 0


def _report(file: Path, only: re.Pattern[str], path: Path) -> str:
    joints = [joint for joint in read_report(file) if only.search(joint.name)]
    if not joints:
        raise DrawingError(f'{file}: no joint has --only {only.pattern!r} in its name')
    return draw_bars(joints, path, file.name)


def _table(file: Path, only: re.Pattern[str], path: Path) -> str:
    read = read_table(file)
    columns = {name: values for name, values in read.columns.items() if only.search(name)}
    if not columns:
        raise DrawingError(f'{file}: no column has --only {only.pattern!r} in its name; they are '
                           f'{", ".join(list(read.columns)[:8])}')
    table = Table(read.time, columns)
    if not _is_comparison(table):
        return draw_curves(table, path, file.name)
    try:
        plot_comparison(_comparison(table).joints(), path, file.name)
    except OSError as error:
        raise DrawingError(f'cannot write to {str(path)!r}: {error.strerror}') from None
    return ''


def _is_comparison(table: Table) -> bool:
    """Return whether all columns are efforts, measured and computed ones of each joint."""
    sides = [{name.removeprefix(side) for name in table.columns if name.startswith(side)}
             for side in (_MEASURED, _COMPUTED, _RESIDUAL)]
    return (sides[0] == sides[1] and sides[2] <= sides[0]
            and sum(map(len, sides)) == len(table.columns))


def _comparison(table: Table) -> Comparison:
    comparison = Comparison(capacity=max(len(table.time), 1))
    stamps = np.rint(table.time * 1e9).astype(np.int64).tolist()
    joints = [name.removeprefix(_COMPUTED) for name in table.columns if name.startswith(_COMPUTED)]
    for side, take in ((_MEASURED, comparison.add_measured), (_COMPUTED, comparison.add_computed)):
        rows = np.column_stack([table.columns[side + joint] for joint in joints]).tolist()
        for stamp, row in zip(stamps, rows):
            take(stamp, joints, row)
    return comparison
