"""Rules on transmissions; what is wrong with one of them refuses no robot."""

from __future__ import annotations

from collections.abc import Iterator

from urdf2dyn_ros.errors import Problem
from urdf2dyn_ros.quoting import meant, quote
from urdf2dyn_ros.urdf.description import Description, name_of
from urdf2dyn_ros.urdf.findings import together, warn
from urdf2dyn_ros.urdf.transmissions import (
    gear_ratios,
    read_reduction,
    reductions,
    text_of,
    transmissions,
)


def unknown_joints(robot: Description) -> Iterator[Problem]:
    """A transmission drives joints of this robot."""
    found = [
        (transmission, name)
        for transmission in transmissions(robot)
        for name in map(name_of, transmission.iterchildren('joint'))
        if name not in robot.joint_of
    ]
    search = robot.is_small and len(found) <= 100
    return together(
        warn('transmission-unknown', transmission, f'no joint is named {quote(name)}: it is '
             f'ignored; {meant(name, robot.joint_of, search)}')
        for transmission, name in found
    )


def readable(robot: Description) -> Iterator[Problem]:
    """A reduction is one number, finite and not zero."""
    return together(_unreadable(robot))


def _unreadable(robot: Description) -> Iterator[Problem]:
    for _, reduction in reductions(robot):
        text = text_of(reduction)
        try:
            read_reduction(text)
        except ValueError as error:
            message = f'{quote(text)}: {error}; the joint has no gear ratio from it'
            yield warn('transmission-reduction', reduction, message)


def contradictions(robot: Description) -> Iterator[Problem]:
    """A joint has one gear ratio."""
    return together(_contradictory(robot))


def _contradictory(robot: Description) -> Iterator[Problem]:
    ratios = gear_ratios(robot)
    for joint, reduction in reductions(robot):
        try:
            value = read_reduction(text_of(reduction))
        except ValueError:
            continue
        if value != ratios[joint]:
            message = (f'{value:g}, but the reduction of joint {quote(joint)} was '
                       f'{ratios[joint]:g} before, which counts; delete one of them')
            yield warn('transmission-twice', reduction, message)


RULES = (unknown_joints, readable, contradictions)
