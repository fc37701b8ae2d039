"""What to do about joints of the robot that no message has."""

from collections.abc import Sequence

from urdf2dyn_ros.quoting import quote
from urdf2dyn_ros.stream.hold import hold_advice
from urdf2dyn_ros.stream.stream import Stream


def remedy(stream: Stream, hold: Sequence[str], node: str) -> str:
    """Return what to do about joints that were never received, or an empty text."""
    missing = stream.never_received
    prefix = _prefix_advice(missing, stream.unknown_joints)
    if missing and stream.newest is None and not prefix:   # holding all of them is no remedy
        return 'no joint of the robot is published: is it the description of another robot?'
    return prefix or hold_advice(missing, hold, node)


def _prefix_advice(missing: Sequence[str], unknown: Sequence[str]) -> str:
    """Return what to do where all missing joints have unknown names but for a prefix, or ''."""
    names = set(unknown)
    for name in unknown if missing else ():
        more, less = name.removesuffix(missing[0]), missing[0].removesuffix(name)
        if more != name and names.issuperset(more + joint for joint in missing):
            return (f'they are published with the prefix {quote(more)}: publish the robot '
                    'description with this prefix, or joint states without it')
        if less != missing[0] and all(
                joint.startswith(less) and joint.removeprefix(less) in names for joint in missing):
            return (f'they are published without the prefix {quote(less)}: publish joint states '
                    'with this prefix, or the robot description without it')
    return ''
