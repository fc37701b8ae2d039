"""Log lines about the progress of a comparison, and about joint names that do not match."""

from rclpy.node import Node

from urdf2dyn_ros.comparison.comparison import Comparison
from urdf2dyn_ros.counting import counted
from urdf2dyn_ros.quoting import first_names

_CHECKS_BEFORE_WARNING, _CHECKS_BETWEEN_WARNINGS = 5, 30


class ProgressLog:
    """Logs what is compared; the two topics have measured and computed efforts."""

    def __init__(self, node: Node, comparison: Comparison, topics: tuple[str, str]) -> None:
        self._node, self._comparison, self._topics = node, comparison, topics
        self._mismatches = 0

    def log_start(self) -> None:
        """Log what is waited for."""
        measured, computed = map(self._node.resolve_topic_name, self._topics)
        self._node.get_logger().info(f'compares the measured efforts of {measured} with the '
                                     f'computed ones of {computed}, as they are received')

    def check_names(self) -> None:
        """Log a warning if no joint is both measured and computed for several checks."""
        measured, computed = self._comparison.names
        mismatch = bool(measured and computed and not set(measured) & set(computed))
        self._mismatches = self._mismatches + 1 if mismatch else 0
        late = self._mismatches - _CHECKS_BEFORE_WARNING
        if late >= 0 and late % _CHECKS_BETWEEN_WARNINGS == 0:
            topics = map(self._node.resolve_topic_name, self._topics)
            self._node.get_logger().warning('no joint is both measured and computed: ' + '; '.join(
                f'{topic} has {first_names(names, 20)}' for topic, names in zip(
                    topics, (measured, computed))))

    def log_progress(self) -> None:
        """Log the number of joints, the largest NRMSE and what is not credible."""
        joints = self._comparison.joints(samples=False)
        if not joints:
            computed = self._node.resolve_topic_name(self._topics[1])
            self._node.get_logger().info(f'nothing on topic {computed} yet')
            return
        not_credible = [joint for joint in joints if joint.fault]
        rated = [joint for joint in joints if joint.figures.nrmse == joint.figures.nrmse]
        parts = [counted(len(joints), 'joint')]
        if rated:
            worst = max(rated, key=lambda joint: joint.figures.nrmse)
            parts.append(f'{counted(worst.figures.samples, "sample")}, largest NRMSE '
                         f'{100.0 * worst.figures.nrmse:.3g} % ({worst.joint})')
        if not_credible:
            parts.append(f'{len(not_credible)} not credible ({not_credible[0].joint}: '
                         f'{not_credible[0].fault})')
        self._node.get_logger().info('; '.join(parts))
