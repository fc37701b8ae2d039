"""The files of a report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from urdf2dyn_ros.comparison.joint_comparison import JointComparison
from urdf2dyn_ros.comparison.page import write_page
from urdf2dyn_ros.comparison.plots import plot_comparison
from urdf2dyn_ros.comparison.report import write_csv, write_json


def write_report(joints: Sequence[JointComparison], directory: Path, title: str,
                 about: Sequence[str] = (), stem: str = 'efforts') -> list[Path]:
    """
    Write samples (CSV), figures (JSON), a picture (PNG) and a page (HTML); return their paths.

    The directory is made if it is not there.

    Raises
    ------
    ComparisonError
        If no joint has samples.
    DrawingError
        If matplotlib is not installed.
    OSError
        If a file cannot be written.

    """
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f'{stem}.csv'
    write_csv(joints, path)
    return [path, *write_figures(joints, directory, title, about, stem)]


def write_figures(joints: Sequence[JointComparison], directory: Path, title: str,
                  about: Sequence[str] = (), stem: str = 'efforts') -> list[Path]:
    """Do the same without the samples, for who has written them already."""
    json, png, html = (directory / f'{stem}.{kind}' for kind in ('json', 'png', 'html'))
    write_json(joints, json)
    plot_comparison(joints, png, title)
    write_page(joints, html, title, about)
    return [json, png, html]
