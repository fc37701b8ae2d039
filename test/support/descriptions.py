"""Robot descriptions for the tests of the reader, and what it finds in them."""

from support.paths import TEST
from urdf2dyn_ros.errors import UrdfError
from urdf2dyn_ros.robot.reader import read_urdf

VALID = (TEST / 'corpus' / 'valid.urdf').read_text()
"""A pendulum with a hand, and nothing wrong with it."""


def codes(text: str | bytes) -> list[str]:
    """Return what is found in a text, refused or not."""
    try:
        return [problem.code for problem in read_urdf(text).warnings]
    except UrdfError as error:
        return [problem.code for problem in error.problems]
