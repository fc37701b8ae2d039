"""The evaluation of many recordings: a directory for each, one table and one report over all."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from urdf2dyn_ros.errors import Urdf2DynError
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.recordings import open_recording
from urdf2dyn_ros.recordings.comparison import JointComparison
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
from urdf2dyn_ros.recordings.recording import Recording
from urdf2dyn_ros.recordings.report import REPORT_FILES, write_figures
from urdf2dyn_ros.recordings.workers import Lost, Workers, results_of
from urdf2dyn_ros.system import json_text, writing_to
from urdf2dyn_ros.text import EffortSource, Origin

# ---- Gains of currents that are not known: the effort per current of each joint, from a recording

_PARTS = 10   # of a recording, each of which is omitted once: neighbouring errors are alike
_FEWEST_MOVING_SAMPLES = 100
_LARGEST_DEVIATION = 0.3   # of a gain, relative to it, up to which it is determined


def gain_words(joints: Sequence[str], values: Iterable[float]) -> str:
    """Return gains as they can be typed; those that are NaN are free."""
    known = [f'{joint}={value:.6g}' for joint, value in zip(joints, values) if np.isfinite(value)]
    return ' '.join(known if len(known) == len(joints) else ['free', *known])


def fitted_gains(joints: Sequence[JointComparison],
                 gains: Sequence[float]) -> tuple[list[float], list[str], list[str]]:
    """
    Return the gains of joints whose measured efforts are currents; those that are NaN are fitted.

    current = effort / gain + viscous qd + coulomb sign(qd) + offset, while the joint moves: the
    friction is that which the computed effort is without.

    Second, each gain that is known in words, and third, which are not determined, or hardly.
    """
    values, texts, remarks = list[float](), list[str](), list[str]()
    for joint, known in zip(joints, np.broadcast_to(gains, len(joints)).tolist()):
        value, error = (known, np.nan) if np.isfinite(known) else _fitted(joint)
        values.append(float(value))
        if np.isfinite(value):
            texts.append(f'{joint.joint} {value:.4g} {joint.unit}/A'
                         + (' (known)' if np.isnan(error) else f' +- {error:.2g}'))
        if not np.isfinite(value) and np.isfinite(joint.measured).any():
            remarks.append(f'the gain of {joint.joint} cannot be fitted, as its current or its '
                           'computed effort hardly varies while it moves: its figures are those '
                           'of a gain of 1')
        elif error > _LARGEST_DEVIATION * abs(value):
            remarks.append(f'the gain of {joint.joint} is hardly determined: {value:.3g} +- '
                           f'{error:.2g} {joint.unit}/A; most of its current is friction, or its '
                           'load hardly varies')
    return values, texts, remarks


def _fitted(joint: JointComparison) -> tuple[float, float]:
    """Return a gain and its standard deviation; NaN if there is none."""
    qd = joint.velocity
    moves = np.isfinite(qd) & np.isfinite(joint.measured) & np.isfinite(joint.computed)
    speed = np.abs(qd)
    moves &= speed > 0.03 * float(np.max(speed[moves], initial=0.0))
    if moves.sum() < _FEWEST_MOVING_SAMPLES:
        return np.nan, np.nan
    columns = np.column_stack((joint.computed, qd, np.sign(qd), np.ones(len(qd)),
                               joint.measured))[moves]
    sizes = np.linalg.norm(columns, axis=0)
    spread = np.std(columns[:, [0, -1]], axis=0)
    if (spread <= 1e-9 * sizes[[0, -1]]).any():
        return np.nan, np.nan
    sizes = np.where(sizes > 0.0, sizes, 1.0)
    parts = np.array([part.T @ part for part in np.array_split(columns / sizes, _PARTS)])
    total = parts.sum(axis=0)
    # the factor of the first column in the fit of all to the last one
    inverse, *others = np.array([np.linalg.solve(
        products[:-1, :-1] + 1e-12 * np.eye(len(products) - 1), products[:-1, -1])[0]
        for products in (total - part for part in (0.0, *parts))]) * sizes[-1] / sizes[0]
    if inverse == 0.0:
        return np.nan, np.nan
    variance = (_PARTS - 1.0) * float(np.var(others))
    return float(1.0 / inverse), float(np.sqrt(variance) / inverse ** 2)


# ---- An evaluation with its files: what is the same for many recordings, and the work on one

RESULTS = (TABLE, BAG, *REPORT_FILES[1:], *EXTERNAL_FILES)


@dataclass(frozen=True)
class EvaluationJob:
    """The robot, the settings, the topic of bags, and what the reports say of their origin."""

    dynamics: InverseDynamics
    settings: EvaluationSettings
    topic: str | None
    efforts: EffortSource
    facts: dict[str, str]
    columns: tuple[str, ...] = ()   # of tables

    def evaluated(self, path: str, output: Path,
                  show: Callable[[float], None] = lambda fraction: None,
                  ) -> tuple[Recording, Evaluation, list[str]]:
        """
        Evaluate a recording into a directory; return the result and a summary in sentences.

        If gains are free, the recording is evaluated twice: the first time with gains of 1.
        """
        settings, gains = self.settings, np.array(self.settings.gains)
        more, remarks = list[str](), list[str]()
        if np.isnan(gains).any():
            trial = replace(self, settings=replace(
                settings, gains=tuple(np.nan_to_num(gains, nan=1.0).tolist()),
                observer=False))
            with TemporaryDirectory(prefix='.', dir=output) as folder:
                _, result, _ = trial.evaluated(path, Path(folder), lambda part: show(0.5 * part))
            values, texts, remarks = fitted_gains(result.joints, settings.gains)
            settings = replace(settings, gains=tuple(
                np.nan_to_num(values, nan=1.0).tolist()) or (1.0,))
            words = gain_words([joint.joint for joint in result.joints], values)
            more = [f'gains fitted to this recording: {", ".join(texts)}',
                    f'to use them: --gains {words}']
        recording = open_recording(
            path, self.topic, (lambda part: show(0.5 + 0.5 * part)) if more else show,
            self.columns)
        result = evaluate(recording, self.dynamics, settings, output)
        for remark in remarks:
            result.remark(remark)
        about = evaluation_summary(recording, self.dynamics, settings.semantics, result)
        if result.external is not None:
            about += external_summary(result.external)
        return recording, result, about + more

    def write_report(self, recording: Recording, result: Evaluation, about: list[str],
                     output: Path) -> None:
        """Write pictures and pages; remove those of an earlier evaluation."""
        origin = Origin(self.efforts, {**self.facts, 'recording': str(recording.path)})
        name = self.dynamics.model.name
        with writing_to(output):
            # those of an earlier evaluation, if this one has any result
            for file in RESULTS[2:] if result.files else ():
                (output / file).unlink(missing_ok=True)
            if result.compared:
                pictures = [] if result.external is None else [external_picture(result.external)]
                result.files += write_figures(
                    result.joints, output, f'{name}: {origin.efforts} and computed efforts',
                    about, origin, pictures)
            if result.external is not None and result.span is not None:
                result.files += write_external_efforts(
                    result.external, output, f'{name}: external efforts')


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
    return json_text({'about': about, 'joints': joints, 'recordings': rows}, indent=1)


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
    """Return the RMSE of all samples."""
    squares = sum(row.samples * row.rmse ** 2 for row in figures)
    return float(np.sqrt(squares / sum(row.samples for row in figures)))
