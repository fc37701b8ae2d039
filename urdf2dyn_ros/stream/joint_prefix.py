"""Joints that are published with a prefix of their names, or without theirs."""

from collections.abc import Sequence

from urdf2dyn_ros.quoting import quote


def prefix_advice(missing: Sequence[str], unknown: Sequence[str]) -> str:
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
