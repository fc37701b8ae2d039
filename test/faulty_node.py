"""
The node inverse_dynamics with a defect: joint states that name a joint 'defect' raise an error.

A program of the node's tests, started in the node's place.

"""

from __future__ import annotations

import sys
from typing import Any

from urdf2dyn_ros.nodes.inverse_dynamics import main
from urdf2dyn_ros.stream.stream import Stream

right = Stream.receive


def receive(self: Stream, stamp: int, names: Any, *fields: Any) -> Any:
    """Raise, or do as ever."""
    if 'defect' in names:
        raise ZeroDivisionError('a defect')
    return right(self, stamp, names, *fields)


if __name__ == '__main__':
    Stream.receive = receive
    sys.exit(main())
