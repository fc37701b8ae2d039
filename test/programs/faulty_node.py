"""
The node inverse_dynamics with defects: an error if joint states name a joint 'defect', or if the
parameter export.name is that.

A program of the node's tests, started in the node's place.

"""

import sys
from typing import Any

from urdf2dyn_ros import export
from urdf2dyn_ros.estimation.stream import Stream
from urdf2dyn_ros.nodes.inverse_dynamics import main

right = Stream.receive
right_export = export.export_model


def receive(self: Stream, stamp: int, names: Any, *fields: Any) -> Any:
    if 'defect' in names:
        raise ZeroDivisionError('a defect')
    return right(self, stamp, names, *fields)


def export_model(model: Any, language: Any, style: Any, name: str | None,
                 *others: Any) -> dict[str, str]:
    if name == 'defect':
        raise ZeroDivisionError('a defect of the export')
    return right_export(model, language, style, name, *others)


if __name__ == '__main__':
    Stream.receive = receive
    export.export_model = export_model
    sys.exit(main())
