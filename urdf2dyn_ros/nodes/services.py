"""What a node tells and does when asked: ~/status, ~/model_info, export_model, ~/set_payload."""

import os
import time
import traceback
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.parameter import Parameter as RosParameter
from std_msgs.msg import String
from std_srvs.srv import SetBool

from urdf2dyn_ros.codegen.information import information, information_text
from urdf2dyn_ros.errors import ExportError, ParameterError
from urdf2dyn_ros.estimation.status import (
    CHECK_PERIOD,
    FaultLog,
    Monitor,
    NodeState,
    input_status,
    model_status,
    output_status,
    several_publishers,
)
from urdf2dyn_ros.export import export_description, write_files
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.nodes.endpoints import (
    UNDISCOVERED,
    Endpoints,
    JobService,
    Worker,
    diagnostic_status,
    latched,
    own_directory,
)
from urdf2dyn_ros.nodes.models import Pipeline
from urdf2dyn_ros.nodes.runtime import NodeParameters
from urdf2dyn_ros.robot.loads import load_values, payload_entries, payload_fault, payload_text
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.system import call_in_child
from urdf2dyn_ros.text import Level, Status

# ---- The topics ~/status and /diagnostics, published once a second


class StatusPublisher:
    """
    Publishes the figures of a monitor with their level, on /diagnostics if that is enabled.

    Each of `others` returns another part since its call before, or None.
    """

    def __init__(self, endpoints: Endpoints, monitor: Monitor, state: Callable[[], NodeState],
                 others: Sequence[Callable[[], Status | None]], diagnostics: bool) -> None:
        self._endpoints, self._monitor, self._state = endpoints, monitor, state
        self._others = others
        node = endpoints.node
        # with the namespace, by which the two arms of a robot are distinguished on /diagnostics
        self._name = node.get_fully_qualified_name().lstrip('/')
        self._counted: Counter[str] = Counter()
        self._faults = FaultLog()
        self._unnamed = False   # whether the last errors had a node without a name
        self._topics = [node.create_publisher(DiagnosticArray, '~/status', 10)]
        if diagnostics:
            self._topics.append(node.create_publisher(DiagnosticArray, '/diagnostics', 10))
        endpoints.timer(CHECK_PERIOD, self._check)

    def _check(self) -> None:
        if not self._monitor.due:
            return
        figures, state = self._monitor.take_report(), self._state()
        grown: Counter[str] = Counter()
        if state.stream is not None:
            grown = state.stream.counters - self._counted
            self._counted = state.stream.counters.copy()
        robot = '' if state.dynamics is None else state.dynamics.model.name
        published = self._endpoints.publishers
        descriptions, efforts = (
            several_publishers(topic, published(topic) if topic else ()) for topic in (
                state.description, self._endpoints.node.resolve_topic_name('~/efforts')))
        message = DiagnosticArray()
        message.header.stamp = self._endpoints.node.get_clock().now().to_msg()
        received, computed = (input_status(state, figures, grown, published('joint_states')),
                              output_status(state, figures, grown, efforts))
        message.status = [diagnostic_status(status, self._name, robot) for status in (
            model_status(state, descriptions), received, computed,
            *filter(None, (take() for take in self._others)))]
        for topic in self._topics:
            topic.publish(message)
        self._log([descriptions, efforts, *(
            [received.message] if received.level == Level.ERROR else [])], state, grown,
            computed.values.get('warnings', '').splitlines())

    def _log(self, errors: list[str], state: NodeState, grown: Counter[str],
             doubts: list[str]) -> None:
        """Log what is dropped, not credible or uncertain, at once and then now and then."""
        logger, faults = self._endpoints.node.get_logger(), self._faults
        counts = ', '.join(f'{key} {number}' for key, number in grown.items() if number)
        logger.debug(f'joint states since the last such line: {counts or "none"}')
        unknown = () if state.stream is None else state.stream.unknown_joints
        for notice in () if state.stream is None else state.stream.held.take_notices():
            logger.warning(notice)
        for line in (*faults.warned((*state.warnings, *doubts)), *faults.counted(grown),
                     *faults.unknown(unknown)):
            if line.warning:   # rclpy binds a place in the code to one severity
                logger.warning(line.text)
            else:
                logger.info(line.text)
        unnamed, waited = any(UNDISCOVERED in error for error in errors), self._unnamed
        self._unnamed = unnamed
        if any(errors) and (waited or not unnamed):   # names come after their publishers
            logger.error('; '.join(filter(None, errors)), throttle_duration_sec=10.0)


# ---- The topic ~/model_info: the active model as a text for people, latched

class ModelInfo:
    """
    Publishes the text of every model that becomes active.

    A worker writes it, which takes longer than building the model: it counts the operations of
    both styles.
    """

    def __init__(self, endpoints: Endpoints, monitor: Monitor, worker: Worker) -> None:
        self._node, self._monitor, self._worker = endpoints.node, monitor, worker
        self._written = self._published = ''
        self._topic = endpoints.node.create_publisher(String, '~/model_info', latched())
        # not while the node is inactive
        endpoints.timer(CHECK_PERIOD, self._publish)

    def write(self, dynamics: InverseDynamics) -> None:
        """Have the text of a model written, and published then."""
        self._worker.submit(lambda: _text(dynamics), self._take)

    def _take(self, text: str | None, error: Exception | None) -> None:
        if text is not None:
            self._written = text
        elif error is not None:
            defect = ''.join(traceback.format_exception(error))
            self._monitor.failed(defect)
            self._node.get_logger().error(f'no model_info, this is a defect:\n{defect}')

    def _publish(self) -> None:
        if self._written != self._published:
            self._published = self._written
            self._topic.publish(String(data=self._published))


def _text(dynamics: InverseDynamics) -> str:
    facts = information(dynamics.model, dynamics.gravity_vector, dynamics.loads)
    return '\n'.join([information_text(facts), '', 'warnings:', *(facts['warnings'] or ['none'])])


# ---- The service export_model: writes the equations of the active model to files

_PAUSE = 2.0   # between two exports while joint states arrive [s]
LONGEST_EXPORT = 300.0   # [s]; the longest texts take seconds, on a busy robot a minute


class ExportService:
    """
    Exports for one call at a time, while the node goes on.

    The text is generated in a child process; a worker waits for it and writes the files. While
    joint states arrive, exports are rate limited: otherwise messages would wait for a core.
    """

    def __init__(self, endpoints: Endpoints, pipeline: Pipeline, monitor: Monitor,
                 worker: Worker) -> None:
        self._pipeline, self._monitor = pipeline, monitor
        self._directory = own_directory(
            endpoints.node, pipeline.requested['export.directory'] or os.path.join(
                os.environ.get('ROS_HOME') or '~/.ros', 'urdf2dyn_ros'))
        self._next = time.monotonic()   # when another export may begin [s]
        self._own: dict[Path, bytes] = {}   # files written here, which may be replaced unchanged
        jobs = endpoints.jobs
        if 'export_model' not in jobs:
            jobs['export_model'] = JobService(endpoints.node, ('export_model', '~/export_model'))
        jobs['export_model'].open(
            worker, self._job, lambda: 'busy: another export is under way; call again in '
            f'{_PAUSE:g} s', monitor.failed)

    def _job(self) -> Callable[[], str]:
        """Return what exports the active model with the parameters of now."""
        active, values = self._pipeline.active, self._pipeline.requested
        if active is None:
            raise ExportError('there is no model yet: ~/status has the reason')
        request, dynamics, silent = active.request, active.dynamics, self._monitor.silent

        def export() -> str:
            time.sleep(0.0 if silent else max(0.0, self._next - time.monotonic()))
            try:
                files = call_in_child(export_description, (
                    request.description, load_values(request.values), values['export.language'],
                    values['export.style'], values['export.name'] or None,
                    dynamics.gravity_vector, values['export.model'],
                    tuple(filter(None, values['export.link'])), values['export.axes']),
                    ExportError, LONGEST_EXPORT)
                paths = write_files(files, self._directory, values['export.overwrite'], self._own,
                                    'parameter export.overwrite')
            finally:
                self._next = time.monotonic() + _PAUSE
            self._own |= {path: files[path.name].encode() for path in paths}
            return '\n'.join(map(str, paths))

        return export


# ---- The payload of the parameters as the equations take it, and the service ~/set_payload

class PayloadService:
    """
    The last payload of each link, in `entries`, as the equations take it.

    A model that is about to be replaced by one with the payload on another link keeps its own.
    """

    def __init__(self, endpoints: Endpoints, parameters: NodeParameters) -> None:
        self._node, self._parameters = endpoints.node, parameters
        self._logged = '', ''
        self.entries: dict[str, Array] = {}
        self.check(parameters.values)
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
        self.entries[link] = payload_entries(values)
        text, flaw = payload_text(values), payload_fault(values)
        logger, logged = self._node.get_logger(), self._logged
        self._logged = text, flaw
        if link and text != logged[0]:
            logger.info(f'payload: {text}')
        if link and flaw and flaw != logged[1]:
            logger.warning(flaw)

    def _attach(self, request: SetBool.Request, response: SetBool.Response) -> None:
        if not self._parameters.values['payload.link']:
            response.message = ('no link carries a payload: set the parameter payload.link to a '
                                'link of the robot, then payload.mass, payload.com and '
                                'payload.inertia')
            return
        done, = self._node.set_parameters([RosParameter('payload.attached', value=request.data)])
        response.success = done.successful
        response.message = done.reason or f'payload: {payload_text(self._parameters.values)}'
