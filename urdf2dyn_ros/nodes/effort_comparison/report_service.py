"""The service ~/save_report."""

from pathlib import Path

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.node import Node
from std_srvs.srv import Trigger

from urdf2dyn_ros.comparison.comparison import Comparison
from urdf2dyn_ros.comparison.files import write_report_in_child
from urdf2dyn_ros.comparison.report import table
from urdf2dyn_ros.comparison.semantics import SEMANTICS
from urdf2dyn_ros.nodes.parameters import NodeParameters
from urdf2dyn_ros.nodes.worker import Worker


class ReportService:
    """
    Writes a report for one call at a time, while the node goes on.

    A worker waits for the process that draws. The two topics have measured and computed efforts;
    the name `robot` is empty before the first description.

    """

    def __init__(self, node: Node, parameters: NodeParameters, comparison: Comparison,
                 worker: Worker, topics: tuple[str, str]) -> None:
        self._node, self._parameters, self._comparison = node, parameters, comparison
        self._worker, self._topics = worker, topics
        self.robot = ''
        self._busy = False
        # in the node's own group it would block all messages until the report is drawn
        node.create_service(Trigger, '~/save_report', self._respond,
                            callback_group=ReentrantCallbackGroup())

    async def _respond(self, request: Trigger.Request, response: Trigger.Response,
                       ) -> Trigger.Response:
        if self._busy:
            response.message = 'busy: another report is being drawn; call again'
            return response
        self._busy = True
        try:
            directory = Path(
                self._parameters.values['report.directory']).expanduser().absolute()
            response.message = f'no report in {directory}: '
            joints = self._comparison.joints()
            title, about = self._description()
            paths = await self._worker.result(
                lambda: write_report_in_child(joints, directory, title, about),
                self._node.executor)
            response.message = '\n'.join([*map(str, paths), '', table(joints)])
            response.success = True
        except Exception as error:  # whatever it is, the caller receives a response
            response.message = f'{response.message or "no report: "}{error}'
        finally:
            self._busy = False
        return response

    def _description(self) -> tuple[str, list[str]]:
        """Return the title of a report, and what was compared."""
        robot = f'{self.robot}: ' if self.robot else ''
        semantics = self._parameters.values['effort_semantics']
        measured, computed = map(self._node.resolve_topic_name, self._topics)
        return f'{robot}measured and computed efforts', [
            f'Measured: {measured}; computed: {computed}. The measured effort is taken as '
            f'{semantics}: {SEMANTICS[semantics].meaning}.']
