"""Draw the columns of a table over time."""

import argparse
import re
import sys
from pathlib import Path

import numpy as np

from urdf2dyn_ros.commands.arguments import add, check_free
from urdf2dyn_ros.errors import DrawingError
from urdf2dyn_ros.recordings import BAGS
from urdf2dyn_ros.recordings.columns import column_list
from urdf2dyn_ros.recordings.comparison import Comparison
from urdf2dyn_ros.recordings.pages import checked_path, draw_curves
from urdf2dyn_ros.recordings.report import plot_comparison
from urdf2dyn_ros.recordings.table import Table, read_table
from urdf2dyn_ros.system import require

_SIDES = 'measured_', 'computed_', 'residual_'


def add_plot(parser: argparse.ArgumentParser) -> None:
    """Add the file, the picture and the selection of columns."""
    parser.add_argument('file', type=Path, metavar='FILE',
                        help='table (.csv, .tsv, .txt, .parquet, .npz, .mat) with a column '
                        'of time and any others; positions, velocities, accelerations and '
                        'efforts, also measured_<joint> and computed_<joint>, have units')
    add(parser, '--columns', '--degrees', '--rate')
    parser.add_argument('-o', '--output', metavar='FILE',
                        help=".svg or .png (default: <the file's stem>_plot.png)")
    add(parser, '--overwrite')
    parser.add_argument('--only', default='', metavar='REGEX',
                        help='draw only columns whose names match')


def run_plot(arguments: argparse.Namespace) -> int:
    """Print the path of the picture; report omitted columns on standard error."""
    require('urdf2dyn plot', 'matplotlib')
    file: Path = arguments.file
    path = checked_path(arguments.output or f'{file.stem}_plot.png')
    try:
        only = re.compile(arguments.only)
    except re.error as error:
        raise DrawingError(f'--only {arguments.only!r} is not a regular expression: {error}'
                           ) from None
    check_free([path], arguments.overwrite, 'file')
    if file.suffix.lower() in BAGS and file.is_file():
        raise DrawingError(f'{file} is a bag, and plot draws tables: urdf2dyn evaluate draws bags')
    read, notes = read_table(file, arguments.columns, arguments.degrees, arguments.rate)
    chosen = {name: values for name, values in read.columns.items() if only.search(name)}
    if not chosen:
        raise DrawingError(f'{file}: no column has --only {only.pattern!r} in its name; they are '
                           f'{", ".join(list(read.columns)[:8])}')
    empty = [name for name, values in chosen.items() if np.isnan(values).all()]
    columns = {name: values for name, values in chosen.items() if name not in empty} or chosen
    if empty:
        notes.append(f'columns without values: {column_list(empty)}')
    sides = [{name.removeprefix(side) for name in columns if name.startswith(side)}
             for side in _SIDES]
    measured, computed, residual = sides
    if (measured == computed and residual <= measured
            and sum(map(len, sides)) == len(columns)):
        plot_comparison(_comparison(Table(read.time, columns)).joints(), path, file.name)
    else:
        notes.append(draw_curves(Table(read.time, columns), path, file.name))
    for note in filter(None, notes):
        print(note, file=sys.stderr)
    print(path)
    return 0


def _comparison(table: Table) -> Comparison:
    comparison = Comparison(capacity=max(len(table.time), 1))
    stamps = np.rint(table.time * 1e9).astype(np.int64).tolist()
    measured, computed, _ = _SIDES
    joints = [name.removeprefix(computed) for name in table.columns if name.startswith(computed)]
    for side, take in ((measured, comparison.add_measured), (computed, comparison.add_computed)):
        rows = np.column_stack([table.columns[side + joint] for joint in joints]).tolist()
        for stamp, row in zip(stamps, rows):
            take(stamp, joints, row)
    return comparison
