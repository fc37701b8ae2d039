"""The service ~/save_report."""

from collections.abc import Callable
from pathlib import Path

from rclpy.node import Node

from urdf2dyn_ros.comparison.comparison import Comparison
from urdf2dyn_ros.comparison.files import REPORT_FILES, write_report_in_child
from urdf2dyn_ros.comparison.report import comparison_table
from urdf2dyn_ros.comparison.semantics import SEMANTICS
from urdf2dyn_ros.errors import ComparisonError, ExportError
from urdf2dyn_ros.nodes.job_service import JobService
from urdf2dyn_ros.nodes.parameters import NodeParameters
from urdf2dyn_ros.nodes.worker import Worker
from urdf2dyn_ros.origin import Origin, facts
from urdf2dyn_ros.quoting import quote
from urdf2dyn_ros.system.atomic_file import writing_to


class ReportService:
    """
    Writes a report for one call at a time, while the node goes on.

    A worker waits for the process that draws. The two topics have measured and computed efforts;
    `robot` and `description`, its name and its text, are empty before the first description.
    """

    def __init__(self, node: Node, parameters: NodeParameters, comparison: Comparison,
                 worker: Worker, topics: tuple[str, str]) -> None:
        self._node, self._parameters, self._comparison = node, parameters, comparison
        self._topics = topics
        self.robot = self.description = ''
        JobService(node, '~/save_report', worker, self._job,
                   lambda: 'busy: another report is being drawn; call again')

    def _job(self) -> Callable[[], str]:
        directory = _absolute(self._parameters.values['report.directory'])
        if not self._parameters.values['report.overwrite']:
            with writing_to(directory):   # as of a name that is too long
                _check_free(directory)
        joints, (title, about, origin) = self._comparison.joints(), self._description()

        def report() -> str:
            try:
                with writing_to(directory):
                    paths = write_report_in_child(joints, directory, title, about, origin)
            except ComparisonError as error:
                raise ComparisonError(f'no report in {directory}: {error}') from None
            return '\n'.join([*map(str, paths), '', comparison_table(joints)])

        return report

    def _description(self) -> tuple[str, list[str], Origin]:
        """Return the title of a report, what was compared, and its origin."""
        robot = f'{self.robot}: ' if self.robot else ''
        semantics, source = (self._parameters.values[name]
                             for name in ('effort_semantics', 'efforts'))
        measured, computed = map(self._node.resolve_topic_name, self._topics)
        command = f'service save_report of {self._node.get_fully_qualified_name()}'
        topic = self._node.resolve_topic_name('robot_description')
        return f'{robot}{source} and computed efforts', [
            f'{source.capitalize()}: {measured}; computed: {computed}. The {source} effort is '
            f'taken as {semantics}: {SEMANTICS[semantics].meaning}.'], Origin(source, facts(
                command, f'topic {topic}' if self.description else '', self.description))


def _absolute(directory: str) -> Path:
    try:
        return Path(directory).expanduser().absolute()
    except RuntimeError as error:   # no such user
        raise ExportError(f'cannot write to {quote(directory)}: {error}') from None


def _check_free(directory: Path) -> None:
    """Raise an ExportError if there is a report in a directory."""
    for name in REPORT_FILES:
        if (directory / name).exists():
            raise ExportError(f'{directory / name} exists, which may be your work: set the '
                              'parameter report.directory to another one, or report.overwrite '
                              'to true')
