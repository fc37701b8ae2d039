"""What a node says of itself in ~/status: helpers of the node's tests."""

import time
from collections.abc import Callable
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus

from support.nodes.graph import Graph, holds
from support.nodes.moving_robot import Robot

OK, WARN = DiagnosticStatus.OK, DiagnosticStatus.WARN
ERROR, STALE = DiagnosticStatus.ERROR, DiagnosticStatus.STALE
PARTS = ('model', 'input', 'output')

PATIENCE = 120.0
"""Time without the expected status after which a test fails [s]."""


class Statuses:
    """The newest status of every part."""

    def __init__(self, graph: Graph, topic: str = 'inverse_dynamics/status') -> None:
        self.arrays = graph.messages(DiagnosticArray, topic)

    def level(self, part: str) -> bytes:
        """Return a part's level; STALE before the first message."""
        return self._part(part).level if self.arrays else STALE

    def message(self, part: str) -> str:
        return self._part(part).message

    def values(self, part: str) -> dict[str, str]:
        return {row.key: row.value for row in self._part(part).values}

    def levels(self) -> list[bytes]:
        return [self.level(part) for part in PARTS]

    def _part(self, part: str) -> Any:
        return self.arrays[-1].status[PARTS.index(part)]


def move(robot: Robot, until: Callable[[], object]) -> None:
    """
    Publish samples with the present time as their stamp [ns] until something holds.

    The pace does not depend on what is received: one sample every 4 ms, as far as the machine
    allows it.

    """
    deadline = time.monotonic() + PATIENCE
    while not holds(until):
        if time.monotonic() > deadline:
            raise TimeoutError(f'no such status within {PATIENCE:g} s')
        robot.publisher.publish(robot.message(stamp=time.time_ns()))
        robot.graph.spin(0.004)
