"""An evaluation with its files: what is the same for many recordings, and the work on one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from urdf2dyn_ros.comparison.files import write_figures
from urdf2dyn_ros.evaluation.evaluation import BAG, TABLE, evaluate
from urdf2dyn_ros.evaluation.external_report import (
    EXTERNAL_FILES,
    external_picture,
    external_summary,
    write_external_efforts,
)
from urdf2dyn_ros.evaluation.gain_fit import fitted_gains, gain_words
from urdf2dyn_ros.evaluation.result import Evaluation, Settings, evaluation_summary
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.origin import EffortSource, Origin
from urdf2dyn_ros.recordings import Recording, open_recording
from urdf2dyn_ros.system.atomic_file import writing_to

REPORT = ('efforts.json', 'efforts.png', 'efforts.html')
RESULTS = (TABLE, BAG, *REPORT, *EXTERNAL_FILES)


@dataclass(frozen=True)
class EvaluationJob:
    """The robot, the settings, the topic of bags, and what the reports say of their origin."""

    dynamics: InverseDynamics
    settings: Settings
    topic: str | None
    efforts: EffortSource
    facts: dict[str, str]

    def evaluated(self, path: str, output: Path,
                  show: Callable[[float], None] = lambda fraction: None,
                  ) -> tuple[Recording, Evaluation, list[str]]:
        """
        Evaluate a recording into a directory; return the result and a summary in sentences.

        If gains are free, the recording is evaluated twice: the first time with gains of 1.
        """
        if np.isnan(self.settings.gains).any():
            return self._with_fitted_gains(path, output, show)
        recording = open_recording(path, self.topic, show)
        result = evaluate(recording, self.dynamics, self.settings, output)
        about = evaluation_summary(recording, self.dynamics, self.settings.semantics, result)
        if result.external is not None:
            about += external_summary(result.external)
        return recording, result, about

    def _with_fitted_gains(self, path: str, output: Path, show: Callable[[float], None],
                           ) -> tuple[Recording, Evaluation, list[str]]:
        gains = np.array(self.settings.gains)
        with TemporaryDirectory(prefix='.', dir=output) as folder:
            first = self._with_gains(np.where(np.isnan(gains), 1.0, gains).tolist())
            first = replace(first, settings=replace(first.settings, observer=False))
            _, result, _ = first.evaluated(path, Path(folder), lambda part: show(0.5 * part))
        fitted = fitted_gains(result.joints, self.settings.gains)
        values = np.nan_to_num(fitted.values, nan=1.0).tolist() or [1.0]
        recording, result, about = self._with_gains(values).evaluated(
            path, output, lambda part: show(0.5 + 0.5 * part))
        for remark in fitted.remarks:
            result.remark(remark)
        words = gain_words(fitted.joints, fitted.values)
        return recording, result, [*about, fitted.line(), f'to use them: --gains {words}']

    def _with_gains(self, gains: Sequence[float]) -> 'EvaluationJob':
        return replace(self, settings=replace(self.settings, gains=tuple(gains)))

    def write_report(self, recording: Recording, result: Evaluation, about: list[str],
                     output: Path) -> None:
        """Write pictures and pages; remove those of an earlier evaluation."""
        origin = Origin(self.efforts, {**self.facts, 'recording': str(recording.path)})
        name = self.dynamics.model.name
        with writing_to(output):
            # those of an earlier evaluation, if this one has any result
            for file in (*REPORT, *EXTERNAL_FILES) if result.files else ():
                (output / file).unlink(missing_ok=True)
            if result.compared:
                pictures = [] if result.external is None else [external_picture(result.external)]
                result.files += write_figures(
                    result.joints, output, f'{name}: {origin.efforts} and computed efforts',
                    about, origin, pictures)
            if result.external is not None and result.span is not None:
                result.files += write_external_efforts(
                    result.external, output, f'{name}: external efforts')
