"""The evaluation of many recordings: a directory for each, one table and one report over all."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.recordings import Reading, open_recording
from urdf2dyn_ros.recordings.evaluation import (
    BAG,
    TABLE,
    Evaluation,
    EvaluationSettings,
    evaluate,
    evaluation_summary,
)
from urdf2dyn_ros.recordings.external import (
    EXTERNAL_FILES,
    external_picture,
    external_summary,
    write_external_efforts,
)
from urdf2dyn_ros.recordings.pages import ReportTable
from urdf2dyn_ros.recordings.report import REPORT_FILES, write_figures
from urdf2dyn_ros.recordings.workers import Lost, Workers, results_of
from urdf2dyn_ros.system import json_text, writing_to
from urdf2dyn_ros.text import EffortSource, Origin

# ---- An evaluation with its files: what is the same for many recordings, and the work on one

RESULTS = (TABLE, BAG, *REPORT_FILES[1:], *EXTERNAL_FILES)


@dataclass(frozen=True)
class EvaluationJob:
    """The robot, the settings, how recordings are read, and the origin that reports state."""

    dynamics: InverseDynamics
    settings: EvaluationSettings
    reading: Reading
    efforts: EffortSource
    facts: dict[str, str]

    def evaluated(self, path: str, output: Path,
                  show: Callable[[float], None] = lambda fraction: None,
                  ) -> tuple[Evaluation, list[str]]:
        """
        Evaluate a recording into a directory, with pictures and a page.

        Return the result and a summary in sentences. Files of an earlier evaluation are replaced.
        """
        recording = open_recording(path, progress=show, **self.reading._asdict())
        result = evaluate(recording, self.dynamics, self.settings, output)
        about = evaluation_summary(recording, self.dynamics, self.settings.semantics, result)
        if result.external is not None:
            about += external_summary(result.external)
        origin = Origin(self.efforts, {**self.facts, 'recording': str(recording.path)})
        name = self.dynamics.model.name
        with writing_to(output):
            for file in RESULTS[2:] if result.files else ():
                (output / file).unlink(missing_ok=True)
            pictures = {}
            if result.external is not None and result.span is not None:
                picture = external_picture(result.external, f'{name}: external efforts')
                pictures['External efforts'] = picture, (
                    'External effort of each joint over time, with thresholds and contacts')
                result.files += write_external_efforts(result.external, output, picture)
            if result.compared:
                result.files += write_figures(
                    result.joints, output, f'{name}: {origin.efforts} and computed efforts',
                    about, origin, pictures)
        return result, about


# ---- The evaluation of many recordings: a directory for each, one table and one report over all

MANY_FILES = ('evaluations.json', 'evaluations.html')


class JointResidual(NamedTuple):
    """Figures of a joint in a recording: samples, RMSE [unit], R2; why they are not credible."""

    joint: str
    unit: str
    samples: int
    rmse: float
    r2: float
    not_credible: str = ''


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
            result, _ = job.evaluated(path, folder)
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
    joints, rows, heads = _by_joint(recordings), list[list[str]](), ['recording']
    for joint, each in joints.items():
        names, figures = [*each], [*each.values()]
        errors = np.array([row.rmse for row in figures])
        heads.append(f'{joint} [{figures[0].unit}]')
        rows.append([joint, figures[0].unit, str(len(each)),
                     str(sum(row.samples for row in figures)), f'{_together(figures):.4g}',
                     f'{np.median(errors):.4g}', f'{errors.max():.4g}',
                     names[int(np.argmax(errors))]])
    by_recording = [[each.name, *(f'{row.rmse:.4g}' if (row := figures_of.get(each.name)) else '-'
                                  for figures_of in joints.values())] for each in recordings]
    return [
        ReportTable('All recordings', ('joint', 'unit', 'recordings', 'samples', 'RMSE', 'median',
                                       'largest', 'in recording'), rows,
                    ('RMSE of measured minus computed effort: of all samples, median and largest '
                     'of the recordings.',)),
        ReportTable('By recording', heads, by_recording,
                    ('RMSE; a dash where there are no credible figures.',))]


def many_json(recordings: Sequence[EvaluatedRecording], about: Mapping[str, str]) -> str:
    """Return all figures, for programs."""
    joints = {joint: {'unit': next(iter(each.values())).unit, 'recordings': len(each),
                      'samples': sum(row.samples for row in each.values()),
                      'rmse': _together(each.values())}
              for joint, each in _by_joint(recordings).items()}
    rows = [{'name': each.name, 'path': each.path, 'fault': each.fault,
             'remarks': each.remarks,
             'joints': [joint._asdict() for joint in each.joints]} for each in recordings]
    return json_text({'about': about, 'joints': joints, 'recordings': rows})


def many_remarks(recordings: Sequence[EvaluatedRecording]) -> list[str]:
    """Return what is wrong with recordings, and why joints have no figures."""
    remarks = [each.fault for each in recordings if each.fault]
    for each in recordings:
        remarks += [f'{each.name}: {remark}' for remark in each.remarks]
        remarks += [f'{each.name}: {row.joint} is not credible: {row.not_credible}'
                    for row in each.joints if row.not_credible]
    return remarks


def _by_joint(recordings: Sequence[EvaluatedRecording]) -> dict[str, dict[str, JointResidual]]:
    """Return the credible figures of each joint with the names of the recordings."""
    result: dict[str, dict[str, JointResidual]] = {}
    for each in recordings:
        for row in each.joints:
            if row.samples > 0 and not row.not_credible and np.isfinite(row.rmse):
                result.setdefault(row.joint, {})[each.name] = row
    return result


def _together(figures: Collection[JointResidual]) -> float:
    squares = sum(row.samples * row.rmse ** 2 for row in figures)
    return float(np.sqrt(squares / sum(row.samples for row in figures)))
