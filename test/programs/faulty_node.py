"""
The node inverse_dynamics with a defect: an error if joint states name a joint 'defect'.

A program of the node's tests, started in the node's place.

"""

import sys
from typing import Any

from urdf2dyn_ros.estimation.stream import Stream
from urdf2dyn_ros.nodes.inverse_dynamics import main

right = Stream.receive


def receive(self: Stream, stamp: int, names: Any, *fields: Any) -> Any:
    if 'defect' in names:
        raise ZeroDivisionError('a defect')
    return right(self, stamp, names, *fields)


if __name__ == '__main__':
    Stream.receive = receive
    sys.exit(main())
