"""The link frame of a message, and its placement in the frame of the link it acts on."""

from collections.abc import Sequence

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.vectors import apply, product, subtract, transpose
from urdf2dyn_ros.equations.kinematics import REFERENCE, Placement, chain, next_placement
from urdf2dyn_ros.multibody import Attached, Body, Multibody
from urdf2dyn_ros.quoting import suggestion

WORLD_FRAME = 'world'
"""Name of the root's frame if no link is called so."""

MOST_SEARCHED = 200
"""Most links among which a similar name is searched for."""


class Chain:
    """
    Placement of one link in the frame of another, via the last body that carries both.

    Lumped links are links as well; a name that is no link raises a KeyError.
    """

    def __init__(self, system: Multibody, link: str, frame: str) -> None:
        (number, self._here), (other, self._there) = system.links[link], system.links[frame]
        inwards, outwards = chain(system, number), chain(system, other)
        shared = sum(i == j for i, j in zip(inwards, outwards))
        self._inwards = [system.bodies[i] for i in inwards[shared:]]
        self._outwards = [system.bodies[i] for i in outwards[shared:]]
        self._constant = None if self._inwards or self._outwards else self._placed(())

    def __call__(self, q: Sequence[Scalar]) -> Placement:
        """Return the placement at positions (n,) of the independent joints [rad or m]."""
        return self._constant or self._placed(q)

    def _placed(self, q: Sequence[Scalar]) -> Placement:
        link = _link_placement(self._inwards, self._here, q)
        frame = _link_placement(self._outwards, self._there, q)
        link_R = transpose(link.R)
        return Placement(product(link_R, frame.R), apply(link_R, subtract(frame.p, link.p)))


def _link_placement(bodies: Sequence[Body], link: Attached, q: Sequence[Scalar]) -> Placement:
    """Return where a link is in the frame of the body before the first."""
    placement = Placement(REFERENCE.R, REFERENCE.p)
    for body in bodies:
        placement = next_placement(placement, body, body.at(q))
    return placement.link(link)


class WrenchFrames:
    """The frames of the links of a robot, and that of the world if the base does not move."""

    def __init__(self, system: Multibody, moving: bool) -> None:
        self._system = system
        self._links, root = {link: link for link in system.links}, system.root[0].link.name
        if not moving:
            self._links.setdefault(WORLD_FRAME, root)
        for link in system.world if moving else ():
            del self._links[link]   # the robot floats in the world
        self._chains: dict[tuple[str, str], Chain] = {}

    def __contains__(self, frame_id: str) -> bool:
        return frame_id in self._links

    def chain(self, link: str, frame_id: str) -> Chain:
        """Return the placement of a known frame in that of a link."""
        key = link, self._links[frame_id]
        if key not in self._chains:
            self._chains[key] = Chain(self._system, *key)
        return self._chains[key]

    def remedy(self, frame_id: str) -> str:
        """Return a sentence that suggests names for an unknown frame."""
        return suggestion(frame_id, self._links, len(self._links) <= MOST_SEARCHED)
