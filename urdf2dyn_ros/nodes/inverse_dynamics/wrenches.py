"""The subscriptions to measured wrenches on links."""

from functools import partial

from geometry_msgs.msg import WrenchStamped

from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.loads.load_parameters import WRENCH_TOPICS, external
from urdf2dyn_ros.nodes.conversions import nanoseconds, triple
from urdf2dyn_ros.nodes.endpoints import Endpoints
from urdf2dyn_ros.nodes.inverse_dynamics.pipeline import Pipeline
from urdf2dyn_ros.nodes.qos import best_effort
from urdf2dyn_ros.status.monitor import CHECK_PERIOD


class Wrenches:
    """Receives the topics that the parameters external_wrenches.* name."""

    def __init__(self, endpoints: Endpoints, pipeline: Pipeline) -> None:
        self._node, self._pipeline = endpoints.node, pipeline
        links = external(pipeline.requested)
        for link, topic in links.items():
            try:
                endpoints.subscribe(WrenchStamped, topic, partial(self._receive, link),
                                    best_effort(pipeline.requested['queue_depth']))
            except ParameterError as error:
                raise ParameterError(f'parameter {WRENCH_TOPICS.prefix}.{link}: {error}') from None
        if links:
            endpoints.timer(CHECK_PERIOD, self._log)

    def _receive(self, link: str, message: WrenchStamped) -> None:
        wrenches, wrench = self._pipeline.sources.wrenches, message.wrench
        if wrenches is not None:
            wrenches.receive(link, nanoseconds(message.header.stamp), message.header.frame_id,
                             triple(wrench.force), triple(wrench.torque))

    def _log(self) -> None:
        wrenches = self._pipeline.sources.wrenches
        for line in () if wrenches is None else wrenches.new_lines():
            self._node.get_logger().warning(line)
