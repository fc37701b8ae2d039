"""The outputs of a stream in batches, whose cost per message is smaller."""

from collections.abc import Iterator
from typing import Any

from urdf2dyn_ros.evaluation.accelerations import OFFLINE_DEFAULT, offline_parameters
from urdf2dyn_ros.evaluation.offline_stream import OfflineStream
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.stream.assembly import stream
from urdf2dyn_ros.stream.model_joints import joints_of
from urdf2dyn_ros.stream.output import Output, Outputs
from urdf2dyn_ros.stream.stream import Stream

_AT_ONCE = 1024


class CollectedStream:
    """A stream for a robot and the name of an estimator, and the outputs that it returned."""

    def __init__(self, dynamics: InverseDynamics, estimator: str) -> None:
        self.stream: Stream = (
            OfflineStream(dynamics, joints_of(dynamics))
            if estimator == OFFLINE_DEFAULT
            else stream(offline_parameters(estimator), dynamics, lambda: 0))
        self._outputs: list[Output] = []

    def receive(self, *fields: Any) -> Iterator[Outputs]:
        """Add the fields of a message, as `Stream.receive`; yield what is complete."""
        output = self.stream.receive(*fields)
        if output is not None:
            self._outputs.append(output)
        if len(self._outputs) >= _AT_ONCE:
            yield from self._collected()
        elif isinstance(self.stream, OfflineStream):
            yield from self.stream.take()

    def finish(self) -> Iterator[Outputs]:
        """Yield all other outputs."""
        if isinstance(self.stream, OfflineStream):
            self.stream.finish()
            yield from self.stream.take()
        yield from self._collected()

    def _collected(self) -> Iterator[Outputs]:
        if self._outputs:
            outputs, self._outputs = self._outputs, []
            yield Outputs.of(outputs)
