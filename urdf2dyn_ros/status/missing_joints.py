"""What to do about joints of the robot that no message has."""

from collections.abc import Sequence

from urdf2dyn_ros.stream.hold import hold_advice
from urdf2dyn_ros.stream.joint_prefix import prefix_advice
from urdf2dyn_ros.stream.stream import Stream


def remedy(stream: Stream, hold: Sequence[str], node: str) -> str:
    """Return what to do about joints that were never received, or an empty text."""
    missing = stream.never_received
    prefix = prefix_advice(missing, stream.unknown_joints)
    if missing and stream.newest is None and not prefix:   # holding all of them is no remedy
        return 'no joint of the robot is published: is it the description of another robot?'
    return prefix or hold_advice(missing, hold, node)
