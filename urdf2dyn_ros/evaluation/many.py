"""The evaluation of many recordings: a directory for each, one table and one report over all."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from urdf2dyn_ros.drawing.tables_page import ReportTable
from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.evaluation.job import EvaluationJob
from urdf2dyn_ros.system.json_text import json_text
from urdf2dyn_ros.system.workers import Lost, Workers, results_of

MANY_FILES = ('evaluations.json', 'evaluations.html')


class JointResidual(NamedTuple):
    """Figures of a joint in a recording: samples, RMSE [unit], R2; why they are not credible."""

    joint: str
    unit: str
    samples: int
    rmse: float
    r2: float
    not_credible: str = ''

    @property
    def counts(self) -> bool:
        """Whether there are figures that are credible."""
        return self.samples > 0 and not self.not_credible and bool(np.isfinite(self.rmse))


class EvaluatedRecording(NamedTuple):
    """The figures of a recording, remarks, and the defect at which it ended, or empty."""

    name: str
    path: str
    joints: Sequence[JointResidual] = ()
    remarks: Sequence[str] = ()
    fault: str = ''


def folder_names(paths: Sequence[str]) -> list[str]:
    """Return a name of a directory for each recording; they differ."""
    names: list[str] = []
    for path in paths:
        name = Path(path).stem or 'recording'
        while name in (*names, *MANY_FILES):
            name += '_'
        names.append(name)
    return names


def evaluate_many(job: EvaluationJob, paths: Sequence[str], output: Path, workers: Workers,
                  show: Callable[[float], None]) -> list[EvaluatedRecording]:
    """Evaluate recordings, each into a directory of its name; a damaged one costs only itself."""
    items = list(zip(paths, folder_names(paths)))
    result = []
    for (path, name), each in zip(items, results_of(partial(_evaluated, job, output), items,
                                                    workers)):
        if isinstance(each, Lost):
            each = EvaluatedRecording(name, path, fault=f'{path}: {each.reason}')
        result.append(each)
        show(len(result) / len(paths))
    return result


def _evaluated(job: EvaluationJob, output: Path, item: tuple[str, str]) -> EvaluatedRecording:
    path, name = item
    folder = output / name
    try:
        folder.mkdir(exist_ok=True)
        with threadpool_limits(1, user_api='blas'):
            recording, result, about = job.evaluated(path, folder)
            job.write_report(recording, result, about, folder)
    except (Urdf2DynError, OSError) as error:
        return EvaluatedRecording(name, path, fault=str(error))
    fault = '' if result.error is None else str(result.error)
    if result.span is None:
        fault = fault or f'{path}: no effort could be computed'
    joints = [JointResidual(each.joint, each.unit, each.figures.samples,
                            float(each.figures.rmse), float(each.figures.r2), each.fault)
              for each in result.joints]
    return EvaluatedRecording(name, path, joints, result.remarks, fault)


def many_tables(recordings: Sequence[EvaluatedRecording]) -> list[ReportTable]:
    """Return the table over all recordings by joint, and that by recording."""
    joints = _by_joint(recordings)
    rows = []
    for joint, each in joints.items():
        names, figures = zip(*each)
        errors = np.array([row.rmse for row in figures])
        rows.append([joint, figures[0].unit, str(len(each)),
                     str(sum(row.samples for row in figures)), f'{_together(figures):.4g}',
                     f'{np.median(errors):.4g}', f'{errors.max():.4g}',
                     names[int(np.argmax(errors))]])
    columns = {joint: dict(each) for joint, each in joints.items()}
    units = {joint: each[0][1].unit for joint, each in joints.items()}
    by_recording = [[each.name, *(f'{row.rmse:.4g}' if (row := columns[joint].get(each.name))
                                  else '-' for joint in joints)] for each in recordings]
    return [
        ReportTable('All recordings', ('joint', 'unit', 'recordings', 'samples', 'RMSE', 'median',
                                       'largest', 'in recording'), rows,
                    ('RMSE of measured minus computed effort: of all samples, median and largest '
                     'of the recordings.',)),
        ReportTable('By recording', ('recording', *(f'{joint} [{unit}]'
                                                    for joint, unit in units.items())),
                    by_recording, ('RMSE; a dash where there are no credible figures.',))]


def many_json(recordings: Sequence[EvaluatedRecording], about: Mapping[str, str]) -> str:
    """Return all figures, for programs."""
    joints = {joint: {'unit': each[0][1].unit, 'recordings': len(each),
                      'samples': sum(row.samples for _, row in each),
                      'rmse': _together([row for _, row in each])}
              for joint, each in _by_joint(recordings).items()}
    rows = [{'name': each.name, 'path': each.path, 'fault': each.fault,
             'remarks': each.remarks,
             'joints': [joint._asdict() for joint in each.joints]} for each in recordings]
    return json_text({'about': about, 'joints': joints, 'recordings': rows}, indent=1)


def many_remarks(recordings: Sequence[EvaluatedRecording]) -> list[str]:
    """Return what is wrong with recordings, and why joints have no figures."""
    remarks = [each.fault for each in recordings if each.fault]
    for each in recordings:
        remarks += [f'{each.name}: {remark}' for remark in each.remarks]
        remarks += [f'{each.name}: {row.joint} is not credible: {row.not_credible}'
                    for row in each.joints if row.not_credible]
    return remarks


def _by_joint(recordings: Sequence[EvaluatedRecording],
              ) -> dict[str, list[tuple[str, JointResidual]]]:
    """Return the figures of each joint with the names of the recordings."""
    result: dict[str, list[tuple[str, JointResidual]]] = {}
    for each in recordings:
        for row in each.joints:
            if row.counts:
                result.setdefault(row.joint, []).append((each.name, row))
    return result


def _together(figures: Sequence[JointResidual]) -> float:
    """Return the RMSE of all samples."""
    squares = sum(row.samples * row.rmse ** 2 for row in figures)
    return float(np.sqrt(squares / sum(row.samples for row in figures)))
