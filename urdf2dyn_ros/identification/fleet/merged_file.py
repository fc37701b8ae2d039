"""One file with the summary of many recordings, made in the memory of two."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from urdf2dyn_ros.counting import counted
from urdf2dyn_ros.errors import ExportError, ParameterError
from urdf2dyn_ros.identification.fleet.merging import SummaryGroups
from urdf2dyn_ros.identification.robot import Robot
from urdf2dyn_ros.identification.sources import SourceSettings, read_summaries
from urdf2dyn_ros.identification.summary_file import SUFFIX, summary_bytes
from urdf2dyn_ros.system.atomic_file import create_files


def check_merged_file(path: Path, overwrite: bool) -> None:
    """Raise an error if a merged summary must not be written to a path."""
    if path.suffix != SUFFIX:
        raise ParameterError(f'--merge {path}: must end with {SUFFIX}')
    if path.exists() and not overwrite:
        raise ExportError(f'{path} exists, which may be your work: choose another name, or add '
                          '--overwrite')


def write_merged(robot: Robot, recordings: Sequence[str], settings: SourceSettings, path: Path,
                 show: Callable[[float], None]) -> tuple[str, list[str]]:
    """
    Write the summary of all recordings; return a sentence about it, and remarks.

    An IdentificationError if none can be used, an ExportError if the file cannot be written.
    """
    groups, remarks = SummaryGroups(len(recordings), 1), list[str]()
    for summary in read_summaries(robot, shared_paths(recordings, settings), settings, remarks,
                                  show):
        groups.add(replace(summary, rows=None))
    whole = replace(groups.summaries()[0], name=path.stem)
    try:
        create_files({path: summary_bytes(whole, robot)}, replace=True)
    except OSError as error:
        raise ExportError(f'cannot write {path}: {error.strerror}') from None
    return f'{path}: {counted(whole.recordings, "recording")}, {whole.seconds:.1f} s', remarks


def shared_paths(recordings: Sequence[str], settings: SourceSettings) -> list[str]:
    """Return paths that other machines read as well."""
    return [os.path.abspath(path) if settings.workers.scheduler else path for path in recordings]
