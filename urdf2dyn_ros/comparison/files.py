"""The files of a report, written here or by a child process."""

import pickle
import sys
from collections.abc import Sequence
from pathlib import Path
from subprocess import TimeoutExpired

from urdf2dyn_ros.comparison.figures import JointComparison
from urdf2dyn_ros.comparison.page import PagePicture, write_page
from urdf2dyn_ros.comparison.plots import plot_comparison
from urdf2dyn_ros.comparison.report import write_csv, write_json
from urdf2dyn_ros.errors import ComparisonError, Urdf2DynError
from urdf2dyn_ros.origin import NO_ORIGIN, Origin
from urdf2dyn_ros.system.child_process import child_environment, run_giving_way

_STEM = 'efforts'

REPORT_FILES = tuple(f'{_STEM}.{kind}' for kind in ('csv', 'json', 'png', 'html'))

LONGEST_DRAWING = 600.0
"""Time limit of the child process [s]."""


def write_report(joints: Sequence[JointComparison], directory: Path, title: str,
                 about: Sequence[str] = (), origin: Origin = NO_ORIGIN) -> list[Path]:
    """
    Write samples (CSV), figures (JSON), a picture (PNG) and a page (HTML); return their paths.

    Under the title of the page are the paragraphs `about`; page and figures have the origin. A
    ComparisonError if no joint has samples, a DrawingError without matplotlib, an OSError if a
    file cannot be written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f'{_STEM}.csv'
    write_csv(joints, path)
    return [path, *write_figures(joints, directory, title, about, origin)]


def write_figures(joints: Sequence[JointComparison], directory: Path, title: str,
                  about: Sequence[str], origin: Origin,
                  pictures: Sequence[PagePicture] = ()) -> list[Path]:
    """Write the files of `write_report` except the samples, with more pictures in the page."""
    json, png, html = (directory / f'{_STEM}.{kind}' for kind in ('json', 'png', 'html'))
    write_json(joints, json, origin)
    plot_comparison(joints, png, title, origin.efforts)
    write_page(joints, html, title, about, origin, pictures)
    return [json, png, html]


def write_report_in_child(joints: Sequence[JointComparison], directory: Path, title: str,
                          about: Sequence[str] = (), origin: Origin = NO_ORIGIN) -> list[Path]:
    """
    Call `write_report` in a child process, as drawing would block other threads for seconds.

    The process has a session of its own: Ctrl-C in the terminal does not reach it. It raises
    ComparisonError also if the process ends early or exceeds `LONGEST_DRAWING`.
    """
    try:
        done = run_giving_way(
            [sys.executable, '-m', 'urdf2dyn_ros.comparison.files'],
            pickle.dumps((joints, directory, title, about, origin), pickle.HIGHEST_PROTOCOL),
            child_environment(), own_session=True, limit=LONGEST_DRAWING)
    except TimeoutExpired:
        raise ComparisonError('the process that draws the report took longer than '
                              f'{LONGEST_DRAWING:g} s and was ended') from None
    if done.returncode:
        last = done.stderr.decode(errors='replace').strip().rpartition('\n')[2]
        raise ComparisonError(f'the process that draws the report ended with exit code '
                              f'{done.returncode}: {last}')
    result: list[Path] | Exception = pickle.loads(done.stdout)
    if isinstance(result, Exception):
        raise result
    return result


def _main() -> None:
    """Write the report on standard input; only the result goes to standard output."""
    output, sys.stdout = sys.stdout.buffer, sys.stderr
    result: list[Path] | Exception
    try:
        result = write_report(*pickle.load(sys.stdin.buffer))
    except (Urdf2DynError, OSError) as error:
        result = error
    output.write(pickle.dumps(result))


if __name__ == '__main__':
    _main()
