"""How a part of the software is: what diagnostics report."""

from dataclasses import dataclass
from enum import IntEnum


class Level(IntEnum):
    """As diagnostic_msgs/DiagnosticStatus numbers them."""

    OK = 0
    WARN = 1
    ERROR = 2
    STALE = 3


@dataclass(frozen=True)
class Status:
    """One part of the node: how it is, in a short sentence, and the values behind it."""

    part: str
    level: Level
    message: str
    values: dict[str, str]
