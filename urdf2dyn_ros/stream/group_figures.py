"""Figures and warnings about the joints of a group, for the status of a node."""

from collections.abc import Iterator, Sequence
from math import nan
from typing import NamedTuple

from urdf2dyn_ros.quoting import listed
from urdf2dyn_ros.stream.group import Group

SKEWED_TO_WARN = 20
"""Messages in a row at which joints are too far away before that is reported."""


class GroupFigures(NamedTuple):
    """Figures of joints that are received together."""

    joints: tuple[str, ...]   # their names
    # messages per second by their stamps, without losses [Hz]; NaN while it is unknown
    rate: float
    age: float | None   # age of the newest stamp [s]; None before the first message
    skew: float   # by how much their newest stamp is older than that of the newest efforts [s]


def figures(group: Group, joint_names: Sequence[str], now: int) -> GroupFigures:
    """Return the figures at the present time [ns], for the names of the model."""
    period = group.steps.period
    return GroupFigures(group.names(joint_names), 1e9 / period if period else nan,
                        (now - group.newest) * 1e-9 if group.newest else None, group.skew * 1e-9)


def warnings(group: Group, joint_names: Sequence[str], newest: int) -> Iterator[str]:
    """Yield what is not credible or too old at the newest stamp of all joints [ns]."""
    for what, of_joints in (('position', group.positions.warnings),
                            ('velocity', group.velocities.warnings)):
        for joint, text in of_joints.items():
            yield f'{what} of {joint_names[group.joints[joint]]!r}: {text}'
    if group.newest and group.is_far(newest):
        yield (f'joint states of {listed(group.names(joint_names))}: their stamps are '
               f'{(newest - group.newest) * 1e-9:.3g} s older than those of other joints, over '
               'stream.max_gap and five of their periods: there are no efforts')
    elif group.skewed >= SKEWED_TO_WARN:
        yield (f'joint states of {listed(group.names(joint_names))}: their stamps are '
               f'{(newest - group.newest) * 1e-6:.3g} ms older than those of other joints, '
               'more than they can be carried (stream.max_skew): efforts are late or '
               'missing; are messages delayed, are the clocks synchronised?')
