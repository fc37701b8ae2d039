"""Which link's frame a message means, and where that is as the link sees it that is acted on."""

from __future__ import annotations

from urdf2dyn_ros.external_wrenches.placements import Chain, Placements
from urdf2dyn_ros.multibody import Multibody
from urdf2dyn_ros.quoting import suggestion

WORLD = 'world'
"""Names the root's frame where no link has that name."""

FEW = 200
"""Among so many links there is time to look for the one that was meant."""


class WrenchFrames:
    """
    The frames of a robot's links, and that of the world as long as the base stands in it.

    Parameters
    ----------
    system : Multibody
    moving : bool
        Whether the base moves: nobody knows then where the world is as the robot sees it.

    """

    def __init__(self, system: Multibody, moving: bool) -> None:
        self._placements = Placements(system)
        self._links, root = {link: link for link in system.links}, system.root[0].link.name
        if not moving:
            self._links.setdefault(WORLD, root)
        elif system.floating:
            del self._links[root]   # the world, in which a floating joint puts the robot
        self._chains: dict[tuple[str, str], Chain] = {}

    def __contains__(self, frame_id: str) -> bool:
        return frame_id in self._links

    def chain(self, link: str, frame_id: str) -> Chain:
        """Return what places a known frame in a link's."""
        key = link, self._links[frame_id]
        if key not in self._chains:
            self._chains[key] = self._placements.between(*key)
        return self._chains[key]

    def remedy(self, frame_id: str) -> str:
        """Return what an unknown frame should be called."""
        return suggestion(frame_id, self._links, len(self._links) <= FEW)
