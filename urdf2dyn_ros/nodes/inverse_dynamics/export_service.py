"""The service export_model: writes the equations of the active model to files."""

import time
from collections.abc import Callable

from urdf2dyn_ros.errors import ExportError, Urdf2DynError
from urdf2dyn_ros.export import write_files
from urdf2dyn_ros.loads.load_parameters import loading
from urdf2dyn_ros.nodes.callbacks import report_defect
from urdf2dyn_ros.nodes.endpoints import Endpoints
from urdf2dyn_ros.nodes.export_process import Export, ExportProcess
from urdf2dyn_ros.nodes.inverse_dynamics.pipeline import BuiltModel, Pipeline
from urdf2dyn_ros.nodes.job_service import JobService
from urdf2dyn_ros.nodes.worker import Worker
from urdf2dyn_ros.status.monitor import Monitor
from urdf2dyn_ros.system.pauses import Pauses

_SHORTEST_WAIT = 0.1
"""Shortest time after which to call again [s]."""


class ExportService:
    """
    Exports for one call at a time, while the node goes on.

    The text generated last is kept: to export it again is to write files. If the model or the
    parameters have changed since, it is generated in a child process. While joint states arrive,
    exports are rate limited: otherwise messages would wait for a core or for the interpreter. The
    worker pauses, waits for the process and writes the files.
    """

    def __init__(self, endpoints: Endpoints, pipeline: Pipeline, monitor: Monitor,
                 worker: Worker) -> None:
        self._node, self._pipeline, self._monitor = endpoints.node, pipeline, monitor
        self._pauses, self._process = Pauses(), ExportProcess()
        self._kept: tuple[Export, dict[str, str]] | None = None
        JobService(endpoints.node, 'export_model', worker, self._job, self._busy, monitor.failed)

    def prepare(self, model: BuiltModel) -> None:
        """Generate the text of the first model in this thread: no messages wait for it."""
        export = self._export(model)
        try:
            self._kept = export, export.files()
        except Urdf2DynError:
            pass   # reported to the first call
        except Exception:
            report_defect(self._node, self._monitor.failed)   # no reason not to activate the model

    def _busy(self) -> str:
        seconds = max(self._pauses.left + self._pauses.duration, _SHORTEST_WAIT)
        return f'busy: another export is under way; call again in {seconds:.1f} s'

    def _job(self) -> Callable[[], str]:
        active, values = self._pipeline.active, self._pipeline.requested
        if active is None:
            raise ExportError('there is no model yet: ~/status has the reason')
        export, silent = self._export(active.model), self._monitor.silent
        return lambda: self._written(export, values['export.directory'],
                                     values['export.overwrite'], silent)

    def _export(self, model: BuiltModel) -> Export:
        """Return what to export of a model with the requested parameters."""
        values = self._pipeline.requested
        return Export(model.description, values['export.language'], values['export.style'],
                      values['export.name'] or None, model.dynamics.gravity_vector,
                      values['export.model'], loading(model.values),
                      tuple(filter(None, values['export.link'])), values['export.axes'])

    def _written(self, export: Export, directory: str, overwrite: bool,
                 silent: bool) -> str:
        time.sleep(0.0 if silent else self._pauses.left)
        with self._pauses.work():
            kept = self._kept
            if kept is None or kept[0] != export:
                self._kept = kept = export, self._process.files(export)
            return '\n'.join(map(str, write_files(kept[1], directory, overwrite)))
