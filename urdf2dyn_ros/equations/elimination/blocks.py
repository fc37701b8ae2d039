"""Which joints are eliminated together, as they are coupled, and in the frame of which body."""

from typing import NamedTuple

from urdf2dyn_ros.equations.kinematics import chain
from urdf2dyn_ros.multibody import Multibody


class JointBlock(NamedTuple):
    """Bodies that are moved by coordinates which move no other body."""

    # the body, or ROOT, in whose frame they are eliminated: the first of them if it carries all
    # others, else the one that carries all of them
    frame: int
    bodies: tuple[int, ...]   # numbers, parents first, with all that are between them
    coordinates: tuple[int, ...]   # their coordinates, ascending


def blocks(system: Multibody) -> list[JointBlock]:
    """Return the blocks: one body each, but for joints that follow others."""
    together = [{i} for i in range(len(system.bodies))]
    moved: dict[int, list[int]] = {}
    for i, body in enumerate(system.bodies):
        if body.multiplier != 0.0:
            moved.setdefault(body.coordinate, []).append(i)
    for bodies in moved.values():
        if len(bodies) > 1:
            for i in (joined := _joined(system, bodies, together)):
                together[i] = joined
    result = []
    for i, members in enumerate(together):
        coordinates = {system.bodies[k].coordinate for k in members
                       if system.bodies[k].multiplier != 0.0}
        if i == min(members) and coordinates:
            firsts = [k for k in members if system.bodies[k].parent not in members]
            frame = firsts[0] if len(firsts) == 1 else system.bodies[i].parent
            result.append(JointBlock(frame, tuple(sorted(members)),
                                     tuple(sorted(coordinates))))
    return result


def _joined(system: Multibody, bodies: list[int], together: list[set[int]]) -> set[int]:
    """Return the bodies of a coordinate and those between them, with what these are joined to."""
    chains = [chain(system, i) for i in bodies]
    shared = set(chains[0]).intersection(*chains[1:]) - set(bodies)
    between = set().union(*chains) - shared
    return set().union(*(together[i] for i in between))
