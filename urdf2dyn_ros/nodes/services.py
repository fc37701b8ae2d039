"""The services export_model and set_payload."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rclpy.parameter import Parameter as RosParameter
from std_srvs.srv import SetBool

from urdf2dyn_ros.errors import ExportError, ParameterError, Urdf2DynError
from urdf2dyn_ros.estimation.status import Monitor
from urdf2dyn_ros.export import write_files
from urdf2dyn_ros.nodes.endpoints import Endpoints, JobService, Worker, report_defect
from urdf2dyn_ros.nodes.export_process import Export
from urdf2dyn_ros.nodes.models import BuiltModel, Pipeline
from urdf2dyn_ros.nodes.parameters import NodeParameters
from urdf2dyn_ros.robot.loads import carried, loading, payload, payload_fault
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.system import Pauses

# ---- The service export_model: writes the equations of the active model to files

_SHORTEST_WAIT = 0.1   # after which to call again [s]


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
        self._pauses = Pauses()
        self._kept: tuple[Export, dict[str, str]] | None = None
        self._own: dict[Path, bytes] = {}   # files written here, which may be replaced unchanged
        jobs = endpoints.jobs
        if 'export_model' not in jobs:
            jobs['export_model'] = JobService(self._node, ('export_model', '~/export_model'))
        jobs['export_model'].open(worker, self._job, self._busy, monitor.failed)

    def prepare(self, model: BuiltModel) -> None:
        """Generate the text of the first model in this thread: no messages wait for it."""
        export = self._export(model)
        try:
            self._kept = export, export.files()
        except Urdf2DynError:
            pass   # reported to the first call
        except Exception:   # a defect is no reason not to activate the model
            report_defect(self._node, self._monitor.failed)

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
                self._kept = kept = export, export.files_of_child()
            paths = write_files(kept[1], directory, overwrite, self._own,
                                'parameter export.overwrite')
            self._own |= {path: kept[1][path.name].encode() for path in paths}
            return '\n'.join(map(str, paths))


# ---- The payload of the parameters as the equations take it, and the service ~/set_payload

class Payload:
    """
    The last payload of each link, in `entries`, as the equations take it.

    A model that is about to be replaced by one with the payload on another link keeps its own.
    """

    def __init__(self, endpoints: Endpoints, parameters: NodeParameters) -> None:
        self._node, self._parameters = endpoints.node, parameters
        self._logged = '', ''
        self.entries: dict[str, Array] = {}
        self.check(parameters.values)
        self._mass = parameters.values['payload.mass']
        self.apply()
        endpoints.service(SetBool, '~/set_payload', self._attach)

    def check(self, values: Mapping[str, Any]) -> None:
        """Raise a ParameterError for a payload that no body can be, where inertias are strict."""
        flaw = payload_fault(values)
        if flaw and values['strict_inertia']:
            raise ParameterError(f'{flaw}; rejected because strict_inertia is true')

    def apply(self) -> None:
        """Compute with the payload of the parameters from the next message on."""
        values = self._parameters.values
        link = values['payload.link']
        self.entries[link] = payload(values)
        text, flaw, mass = carried(values), payload_fault(values), values['payload.mass']
        logger, logged = self._node.get_logger(), self._logged
        self._logged = text, flaw
        if link and text != logged[0]:
            logger.info(f'payload: {text}')
        if link and flaw and flaw != logged[1]:
            logger.warning(flaw)
        if mass != self._mass and mass and not link:
            logger.warning('payload.mass without effect: payload.link is empty')
        self._mass = mass

    def _attach(self, request: SetBool.Request, response: SetBool.Response) -> None:
        if not self._parameters.values['payload.link']:
            response.message = ('no link carries a payload: set the parameter payload.link to a '
                                'link of the robot, then payload.mass, payload.com and '
                                'payload.inertia')
            return
        done, = self._node.set_parameters([RosParameter('payload.attached', value=request.data)])
        response.success = done.successful
        response.message = done.reason or f'payload: {carried(self._parameters.values)}'
