"""Placement of one link in the frame of another: forward kinematics between the two."""

from __future__ import annotations

from collections.abc import Sequence

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.vectors import apply, product, subtract, transpose
from urdf2dyn_ros.equations.kinematics import REFERENCE, Placement, chain, next_placement
from urdf2dyn_ros.multibody import Attached, Body, Multibody


def link_chain(system: Multibody, link: str, frame: str) -> Chain:
    """
    Return the chain from one link to another; lumped links are links as well.

    Raises
    ------
    KeyError
        For a name that is no link.

    """
    (number, here), (other, there) = system.links[link], system.links[frame]
    inwards, outwards = chain(system, number), chain(system, other)
    shared = sum(i == j for i, j in zip(inwards, outwards))
    return Chain([system.bodies[i] for i in inwards[shared:]], here,
                 [system.bodies[i] for i in outwards[shared:]], there)


class Chain:
    """
    Placement of a frame in that of a link, via the last body that carries both.

    Parameters
    ----------
    inwards, outwards : sequence of Body
        From that body to the link's and to the frame's, excluding that body.
    here, there : Attached
        The link and the frame, on the last of these.

    """

    def __init__(self, inwards: Sequence[Body], here: Attached, outwards: Sequence[Body],
                 there: Attached) -> None:
        self._inwards, self._here = inwards, here
        self._outwards, self._there = outwards, there
        self._constant = None if inwards or outwards else self._placed(())

    def __call__(self, q: Sequence[Scalar]) -> Placement:
        """
        Return the placement, which is constant if both are on one body.

        Parameters
        ----------
        q : sequence of Scalar, (n,)
            Positions of the independent joints [rad or m].

        """
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
