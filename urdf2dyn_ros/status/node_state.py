"""What the status of a node is about: its model, its stream and its sources."""

from typing import NamedTuple

from urdf2dyn_ros.health import Status
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.status.missing_joints import remedy
from urdf2dyn_ros.stream.sources import Sources
from urdf2dyn_ros.stream.stream import Stream


class NodeState(NamedTuple):
    """
    Active model, stream and sources of a node: None without a model.

    The text `rejected` says why the newest description was rejected; it is empty if it is active.
    The payload is in words. `contact` and `wrench` are the statuses of the contact detection and
    of the estimated wrench, if they are enabled; `name` is that of the node, `hold` its parameter
    of this name, `topic` that of the joint states; `building` is whether a model of the first
    description is being built.
    """

    dynamics: InverseDynamics | None
    stream: Stream | None
    estimator: str
    rejected: str
    payload: str = 'none'
    sources: Sources | None = None
    contact: Status | None = None
    name: str = 'inverse_dynamics'
    hold: tuple[str, ...] = ()
    wrench: Status | None = None
    topic: str = '/joint_states'
    building: bool = False

    @property
    def absence(self) -> str:
        """Why there is no model."""
        if self.rejected:
            return 'the robot description is rejected: ' + self.rejected.partition('\n')[0]
        if self.building:
            return ('no model yet: the robot description is being read and compiled; '
                    'with the parameter backend = python nothing is compiled')
        return 'no model: no robot description was received'

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about received data."""
        return (*(() if self.stream is None else self.stream.warnings),
                *(() if self.sources is None else self.sources.warnings))

    @property
    def remedy(self) -> str:
        """What to do about joints that were never received, or an empty text."""
        return '' if self.stream is None else remedy(self.stream, self.hold, self.name)
