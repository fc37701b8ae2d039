"""The link frame of a message, and its placement in the frame of the link it acts on."""

from __future__ import annotations

from urdf2dyn_ros.external_wrenches.placements import Chain, link_chain
from urdf2dyn_ros.multibody import Multibody
from urdf2dyn_ros.quoting import suggestion

WORLD_FRAME = 'world'
"""Name of the root's frame if no link is called so."""

MOST_SEARCHED = 200
"""Most links among which a similar name is searched for."""


class WrenchFrames:
    """
    The frames of the links of a robot, and that of the world if the base is fixed.

    Parameters
    ----------
    system : Multibody
    moving : bool
        Whether the base moves: then the placement of the world is unknown.

    """

    def __init__(self, system: Multibody, moving: bool) -> None:
        self._system = system
        self._links, root = {link: link for link in system.links}, system.root[0].link.name
        if not moving:
            self._links.setdefault(WORLD_FRAME, root)
        elif system.floating:
            del self._links[root]   # the world: parent of a floating joint
        self._chains: dict[tuple[str, str], Chain] = {}

    def __contains__(self, frame_id: str) -> bool:
        return frame_id in self._links

    def chain(self, link: str, frame_id: str) -> Chain:
        """Return the placement of a known frame in that of a link."""
        key = link, self._links[frame_id]
        if key not in self._chains:
            self._chains[key] = link_chain(self._system, *key)
        return self._chains[key]

    def remedy(self, frame_id: str) -> str:
        """Return a sentence that suggests names for an unknown frame."""
        return suggestion(frame_id, self._links, len(self._links) <= MOST_SEARCHED)
