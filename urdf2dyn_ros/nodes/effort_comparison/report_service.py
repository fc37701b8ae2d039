"""The service ~/save_report."""

from collections.abc import Callable
from pathlib import Path

from rclpy.node import Node

from urdf2dyn_ros.comparison.comparison import Comparison
from urdf2dyn_ros.comparison.files import write_report_in_child
from urdf2dyn_ros.comparison.report import table
from urdf2dyn_ros.comparison.semantics import SEMANTICS
from urdf2dyn_ros.errors import ComparisonError, Urdf2DynError
from urdf2dyn_ros.nodes.job_service import JobService
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
        self._topics, self.robot = topics, ''
        JobService(node, '~/save_report', worker, self._job,
                   lambda: 'busy: another report is being drawn; call again')

    def _job(self) -> Callable[[], str]:
        directory = Path(self._parameters.values['report.directory']).expanduser().absolute()
        joints, (title, about) = self._comparison.joints(), self._description()

        def report() -> str:
            try:
                paths = write_report_in_child(joints, directory, title, about)
            except (Urdf2DynError, OSError) as error:
                raise ComparisonError(f'no report in {directory}: {error}') from None
            return '\n'.join([*map(str, paths), '', table(joints)])

        return report

    def _description(self) -> tuple[str, list[str]]:
        """Return the title of a report, and what was compared."""
        robot = f'{self.robot}: ' if self.robot else ''
        semantics = self._parameters.values['effort_semantics']
        measured, computed = map(self._node.resolve_topic_name, self._topics)
        return f'{robot}measured and computed efforts', [
            f'Measured: {measured}; computed: {computed}. The measured effort is taken as '
            f'{semantics}: {SEMANTICS[semantics].meaning}.']
