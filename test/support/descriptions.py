"""Robot descriptions for the tests of the reader, and what it finds in them."""

from collections.abc import Callable

from support.paths import TEST
from urdf2dyn_ros.errors import UrdfError
from urdf2dyn_ros.robot.reader import read_urdf

VALID = (TEST / 'corpus' / 'valid.urdf').read_text()
"""A pendulum with a hand, and nothing wrong with it."""


def codes(text: str | bytes, **options: int) -> list[str]:
    """Return what is found in a text, refused or not."""
    try:
        return [problem.code for problem in read_urdf(text, **options).warnings]
    except UrdfError as error:
        return [problem.code for problem in error.problems]


def tree(count: int, parent: Callable[[int], int]) -> str:
    body = '<mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>'
    links = ''.join(f'<link name="l{i}"><inertial>{body}</inertial></link>\n'
                    for i in range(count))
    joints = ''.join(f'<joint name="j{i}" type="continuous"><parent link="l{parent(i)}"/>'
                     f'<child link="l{i}"/></joint>\n' for i in range(1, count))
    return f'<robot name="tree">{links}{joints}</robot>'
