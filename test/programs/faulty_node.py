"""
The node inverse_dynamics with a defect: an error if joint states name a joint 'defect'.

A program of the node's tests, started in the node's place.

"""

import sys
from typing import Any

from urdf2dyn_ros.estimation.messages import Message
from urdf2dyn_ros.estimation.stream import Stream
from urdf2dyn_ros.nodes.inverse_dynamics import main

right = Stream.receive


def receive(self: Stream, message: Message, compute: bool = True) -> Any:
    if 'defect' in message.names:
        raise ZeroDivisionError('a defect')
    return right(self, message, compute)


if __name__ == '__main__':
    Stream.receive = receive
    sys.exit(main())
