"""Rules on the graph: every joint joins two links, and together they make one tree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from urdf2dyn_ros.errors import Problem
from urdf2dyn_ros.quoting import listed, meant, quote
from urdf2dyn_ros.urdf.description import Description, Element, end_of, line_of, name_of
from urdf2dyn_ros.urdf.findings import refuse


def no_links(robot: Description) -> Iterator[Problem]:
    """A robot has at least one link."""
    if not robot.links:
        message = 'no <link> in <robot>; a robot is at least one link'
        yield refuse('no-links', robot.robot, message)


def unknown_links(robot: Description) -> Iterator[Problem]:
    """Parent and child, and what a force acts on, are links of this robot."""
    ends = (end for joint in robot.joints for end in joint.iterchildren('parent', 'child'))
    for element in (*ends, *robot.forces):
        name = element.get('link')
        if name is not None and name not in robot.link_of:
            remedy = meant(name, robot.link_of, robot.is_small)
            message = f'no link is named {quote(name)}; {remedy}'
            yield refuse('link-unknown', element, message, 'link')


def self_loops(robot: Description) -> Iterator[Problem]:
    """A joint joins two different links."""
    for joint in robot.joints:
        link = end_of(joint, 'parent')
        if link and link == end_of(joint, 'child'):
            message = f'link {quote(link)} is both parent and child; a joint joins two links'
            yield refuse('self-loop', joint, message)


def two_parents(robot: Description) -> Iterator[Problem]:
    """A link is the child of one joint; closed chains are no trees."""
    for child, joints in _joints_by_child(robot).items():
        if len(joints) > 1:
            names = listed(name_of(joint) for joint in joints)
            parents = listed(end_of(joint, 'parent') for joint in joints)
            message = (
                f'link {quote(child)} is the child of {len(joints)} joints ({names}, with the '
                f'parents {parents}); a link has one parent: keep one joint, cut the loop open'
            )
            yield refuse('two-parents', joints[1], message)


def two_roots(robot: Description) -> Iterator[Problem]:
    """One link is the child of no joint; that there is none is a matter of cycles."""
    # A misspelled child leaves its link without a parent: that is one fault, reported once.
    if any(end_of(joint, 'child') not in robot.link_of for joint in robot.joints):
        return
    by_child = _joints_by_child(robot)
    free = [name for name in robot.link_of if name not in by_child]
    if len(free) > 1:
        message = (
            f'{len(free)} links are child of no joint: {listed(free)}; a robot is one tree with '
            'one root, join the others to it'
        )
        yield refuse('two-roots', robot.link_of[free[1]], message)


def cycles(robot: Description) -> Iterator[Problem]:
    """Going from child to parent ends at the root."""
    by_child = _joints_by_child(robot)
    parent_joint = {
        child: joints[0]
        for child, joints in by_child.items()
        if len(joints) == 1 and end_of(joints[0], 'parent') != child
    }
    code = 'cycle' if any(name not in by_child for name in robot.link_of) else 'no-root'
    walked: set[str] = set()
    for start in robot.link_of:
        path: dict[str, Element] = {}
        link = start
        while link in parent_joint and link not in walked and link not in path:
            path[link] = parent_joint[link]
            link = end_of(parent_joint[link], 'parent')
        if link in path:
            links = list(path)[list(path).index(link) :]
            joints = [path[name] for name in links]
            message = (
                f'links {listed(links)} are parents of one another, by joints '
                f'{listed(name_of(joint) for joint in joints)}, and hang on no root; one of '
                'these joints is too many, or its parent and child are exchanged'
            )
            yield refuse(code, min(joints, key=lambda joint: line_of(joint) or 0), message)
        walked |= path.keys()


def _joints_by_child(robot: Description) -> dict[str, list[Element]]:
    by_child: dict[str, list[Element]] = defaultdict(list)
    for joint in robot.joints:
        child = end_of(joint, 'child')
        if child in robot.link_of:
            by_child[child].append(joint)
    return by_child


RULES = (no_links, unknown_links, self_loops, two_parents, two_roots, cycles)
