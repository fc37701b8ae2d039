"""The rules for robot descriptions: a function each, in a file for each subject, and one table."""

from collections.abc import Callable, Iterator

from urdf2dyn_ros.errors import Problem
from urdf2dyn_ros.urdf.description import Description
from urdf2dyn_ros.urdf.rules import inertia, joint, mimic, plausible, text, transmission, tree

RULES: tuple[Callable[[Description], Iterator[Problem]], ...] = (
    *text.RULES, *tree.RULES, *joint.RULES, *mimic.RULES, *inertia.RULES, *plausible.RULES,
    *transmission.RULES)
"""Each yields its problems; what another rule reports as faulty is None or empty for it."""
