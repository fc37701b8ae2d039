"""The rule table: everything that is asked of a robot description."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator

from urdf2dyn_ros.errors import Problem, UrdfError
from urdf2dyn_ros.quoting import quote, shown
from urdf2dyn_ros.urdf import (
    rules_force,
    rules_inertia,
    rules_joint,
    rules_mimic,
    rules_plausible,
    rules_text,
    rules_transmission,
    rules_tree,
)
from urdf2dyn_ros.urdf.description import Description, line_of
from urdf2dyn_ros.urdf.findings import refuse

MAX_PROBLEMS = 1000

Rule = Callable[[Description], Iterator[Problem]]

# A rule yields what it finds, takes what other rules report as absent, and knows no other rule.
RULES: tuple[Rule, ...] = (
    *rules_text.RULES,
    *rules_tree.RULES,
    *rules_joint.RULES,
    *rules_mimic.RULES,
    *rules_inertia.RULES,
    *rules_force.RULES,
    *rules_plausible.RULES,
    *rules_transmission.RULES,
)


def check(robot: Description, strict_inertia: bool, max_links: int) -> tuple[Problem, ...]:
    """
    Return the findings that do not refuse the description.

    Raises
    ------
    UrdfError
        With every finding, in the order of their lines.

    """
    problems = list(_not_a_urdf(robot, max_links))
    if not problems:
        problems = list(_apply_rules(robot))
    if strict_inertia:
        problems = [
            dataclasses.replace(problem, refused=True)
            if problem.code in rules_inertia.STRICT
            else problem
            for problem in problems
        ]
    problems.sort(key=lambda problem: problem.line or math.inf)
    if any(problem.refused for problem in problems):
        raise UrdfError(problems)
    return tuple(problems)


def _apply_rules(robot: Description) -> Iterator[Problem]:
    refused = 0
    for rule in RULES:
        for problem in rule(robot):
            yield problem
            refused += problem.refused
            if refused == MAX_PROBLEMS:
                yield Problem('too-many-problems', f'stopped looking after {MAX_PROBLEMS}')
                return


def _not_a_urdf(robot: Description, max_links: int) -> Iterator[Problem]:
    """Find why it makes no sense to look further."""
    root = robot.robot
    if root.tag != 'robot':
        tag = quote(str(root.tag))
        message = f'the root element is {tag}, that of a URDF is <robot>; convert the file first'
        yield Problem('root-element', message, line=line_of(root))
    # A tree has fewer joints than links.
    for kind, elements in (('links', robot.links), ('joints', robot.joints)):
        if len(elements) > max_links:
            message = f'{len(elements)} {kind}; the limit max_links is {max_links}'
            yield refuse('too-many-links', root, message)
    for element in root.iterdescendants('{*}*'):
        namespace, _, tag = str(element.tag)[1:].rpartition('}')
        if namespace.endswith('xacro'):
            message = f'<xacro:{shown(tag, 40)}> is xacro, not URDF: run xacro on it first'
            yield Problem('xacro', message, line=line_of(element))
            break
