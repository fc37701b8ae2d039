"""Rules on the graph: every joint connects two links, and together they make one tree."""

from collections import defaultdict
from collections.abc import Iterator

from urdf2dyn_ros.errors import Problem
from urdf2dyn_ros.quoting import listed, quote, suggestion
from urdf2dyn_ros.urdf.description import Description, Element, end_of, line_of, name_of
from urdf2dyn_ros.urdf.findings import reject
from urdf2dyn_ros.urdf.paths import loops


def no_links(robot: Description) -> Iterator[Problem]:
    """A robot has at least one link."""
    if not robot.links:
        yield reject('no-links', robot.robot, 'no <link> in <robot>; a robot has at least one')


def unknown_links(robot: Description) -> Iterator[Problem]:
    """The parent and the child of a joint and the link of a force are links of this robot."""
    ends = (end for joint in robot.joints for end in joint.iterchildren('parent', 'child'))
    for element in (*ends, *robot.forces):
        name = element.get('link')
        if name is not None and name not in robot.link_of:
            yield reject('link-unknown', element, f'no link is named {quote(name)}; '
                         f'{suggestion(name, robot.link_of, robot.is_small)}', 'link')


def self_loops(robot: Description) -> Iterator[Problem]:
    """A joint connects two different links."""
    for joint in robot.joints:
        link = end_of(joint, 'parent')
        if link and link == end_of(joint, 'child'):
            yield reject('self-loop', joint, f'link {quote(link)} is both parent and child; a '
                         'joint connects two links')


def two_parents(robot: Description) -> Iterator[Problem]:
    """A link is the child of one joint; closed chains are no trees."""
    for child, joints in _joints_by_child(robot).items():
        if len(joints) > 1:
            names = listed(name_of(joint) for joint in joints)
            parents = listed(end_of(joint, 'parent') for joint in joints)
            yield reject('two-parents', joints[1], f'link {quote(child)} is the child of '
                         f'{len(joints)} joints ({names}, with the parents {parents}); a link has '
                         'one parent: keep one joint, cut the loop open')


def two_roots(robot: Description) -> Iterator[Problem]:
    """At most one link is the child of no joint; if none is, there is a cycle."""
    # A misspelled child leaves its link without a parent: that is one fault, reported once.
    if any(end_of(joint, 'child') not in robot.link_of for joint in robot.joints):
        return
    by_child = _joints_by_child(robot)
    roots = [name for name in robot.link_of if name not in by_child]
    if len(roots) > 1:
        yield reject('two-roots', robot.link_of[roots[1]], f'{len(roots)} links are child of no '
                     f'joint: {listed(roots)}; a robot is one tree with one root, connect the '
                     'others to it')


def cycles(robot: Description) -> Iterator[Problem]:
    """The parents of every link end at the root."""
    by_child = _joints_by_child(robot)
    joint_of = {child: by_child[child][0] for child in robot.link_of
                if len(by_child.get(child, ())) == 1
                and end_of(by_child[child][0], 'parent') != child}
    code = 'cycle' if any(name not in by_child for name in robot.link_of) else 'no-root'
    for links in loops({child: end_of(joint, 'parent') for child, joint in joint_of.items()}):
        joints = [joint_of[name] for name in links]
        yield reject(code, min(joints, key=lambda joint: line_of(joint) or 0),
                     f'links {listed(links)} are parents of one another, by joints '
                     f'{listed(map(name_of, joints))}, without a root; one of these joints is too '
                     'many, or its parent and child are exchanged')


def _joints_by_child(robot: Description) -> dict[str, list[Element]]:
    by_child: dict[str, list[Element]] = defaultdict(list)
    for joint in robot.joints:
        child = end_of(joint, 'child')
        if child in robot.link_of:
            by_child[child].append(joint)
    return by_child


RULES = (no_links, unknown_links, self_loops, two_parents, two_roots, cycles)
