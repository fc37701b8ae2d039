"""Application of the rules to a robot description."""

import math
from collections.abc import Iterator
from dataclasses import replace

from urdf2dyn_ros.errors import Problem, UrdfError
from urdf2dyn_ros.quoting import escaped, quote
from urdf2dyn_ros.urdf.description import Description, line_of
from urdf2dyn_ros.urdf.findings import reject
from urdf2dyn_ros.urdf.rules import RULES
from urdf2dyn_ros.urdf.rules.inertia import STRICT_CODES

MAX_PROBLEMS = 1000


def check_description(robot: Description, strict_inertia: bool,
                      max_links: int) -> tuple[Problem, ...]:
    """
    Return the warnings on a description.

    If it is rejected, raise an UrdfError with all problems in the order of their lines.
    """
    problems = list(_not_a_urdf(robot, max_links)) or list(_apply_rules(robot))
    if strict_inertia:
        problems = [replace(problem, refused=True)
                    if problem.code in STRICT_CODES else problem
                    for problem in problems]
    problems.sort(key=lambda problem: problem.line or math.inf)
    if any(problem.refused for problem in problems):
        raise UrdfError(problems)
    return tuple(problems)


def _apply_rules(robot: Description) -> Iterator[Problem]:
    rejections = 0
    for rule in RULES:
        for problem in rule(robot):
            yield problem
            rejections += problem.refused
            if rejections == MAX_PROBLEMS:
                yield Problem('too-many-problems', f'stopped after {MAX_PROBLEMS} problems')
                return


def _not_a_urdf(robot: Description, max_links: int) -> Iterator[Problem]:
    """Yield the problems for which no rule is applied."""
    root = robot.robot
    if root.tag != 'robot':
        yield Problem('root-element', f'the root element is {quote(str(root.tag))}, that of a '
                      'URDF is <robot>; convert the file first', line=line_of(root))
    # A tree has fewer joints than links.
    for kind, elements in (('links', robot.links), ('joints', robot.joints)):
        if len(elements) > max_links:
            yield reject('too-many-links', root,
                         f'{len(elements)} {kind}; the limit max_links is {max_links}')
    for element in root.iterdescendants('{*}*'):
        namespace, _, tag = str(element.tag)[1:].rpartition('}')
        if namespace.endswith('xacro'):
            yield Problem('xacro', f'<xacro:{escaped(tag, 40)}> is xacro, not URDF: run xacro on '
                          'it first', line=line_of(element))
            break
