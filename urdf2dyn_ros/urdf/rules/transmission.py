"""Rules on transmissions; none of them rejects a description."""

from collections.abc import Iterator

from urdf2dyn_ros.errors import Problem
from urdf2dyn_ros.quoting import quote, suggestion
from urdf2dyn_ros.urdf.description import Description, name_of
from urdf2dyn_ros.urdf.findings import merged, warn
from urdf2dyn_ros.urdf.transmissions import gear_ratios, read_reduction, reductions, transmissions


def unknown_joints(robot: Description) -> Iterator[Problem]:
    """A transmission drives joints of this robot."""
    unknown = [(transmission, name) for transmission in transmissions(robot)
               for name in map(name_of, transmission.iterchildren('joint'))
               if name not in robot.joint_of]
    search = robot.is_small and len(unknown) <= 100
    return merged(
        warn('transmission-unknown', transmission, f'no joint is named {quote(name)}: it is '
             f'ignored; {suggestion(name, robot.joint_of, search)}')
        for transmission, name in unknown)


def reduction_numbers(robot: Description) -> Iterator[Problem]:
    """A reduction is one number, finite and not zero."""
    readings = ((reduction, read_reduction(reduction)) for _, reduction in reductions(robot))
    return merged(
        warn('transmission-reduction', reduction, f'{value}; the joint has no gear ratio from it')
        for reduction, value in readings if isinstance(value, str))


def contradictions(robot: Description) -> Iterator[Problem]:
    """A joint has one gear ratio."""
    ratios = gear_ratios(robot)
    readings = ((joint, reduction, read_reduction(reduction))
                for joint, reduction in reductions(robot))
    return merged(
        warn('transmission-twice', reduction, f'{value:g}, but the first reduction of joint '
             f'{quote(joint)} is {ratios[joint]:g}, which is used; delete one of them')
        for joint, reduction, value in readings
        if not isinstance(value, str) and value != ratios[joint])


RULES = (unknown_joints, reduction_numbers, contradictions)
