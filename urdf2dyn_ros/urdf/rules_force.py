"""Rules on constant wrenches on links."""

from __future__ import annotations

from collections.abc import Iterator

from urdf2dyn_ros.errors import Problem
from urdf2dyn_ros.urdf.description import Description
from urdf2dyn_ros.urdf.findings import reject


def empty_forces(robot: Description) -> Iterator[Problem]:
    """A wrench has a force, a torque or both."""
    for element in robot.forces:
        if element.get('force') is None and element.get('torque') is None:
            yield reject('force-missing', element, 'neither force nor torque; add '
                         'force="fx fy fz" [N] or torque="..." [N m]')


RULES = (empty_forces,)
