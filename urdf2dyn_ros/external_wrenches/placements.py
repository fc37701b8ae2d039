"""Where one link is as another one sees it: forward kinematics of the bodies between the two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.vectors import (
    IDENTITY,
    ZERO,
    Matrix,
    Vector,
    add,
    apply,
    product,
    scale,
    transpose,
)
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.multibody import ROOT, Attached, Body, Multibody


class Placement(NamedTuple):
    """link_R_frame, and link_p_frame [m], the frame's origin in the link's frame."""

    R: Matrix
    p: Vector


class Placements:
    """
    The links of a robot by name, fused ones as well, and the chains that join them.

    Parameters
    ----------
    system : Multibody

    Attributes
    ----------
    links : dict of str to (int, Attached)
        The number of the body that a link is fixed to, and how.

    """

    def __init__(self, system: Multibody) -> None:
        self._bodies = system.bodies
        self.links = system.links

    def between(self, link: str, frame: str) -> Chain:
        """
        Return what places one link's frame in another's.

        Raises
        ------
        KeyError
            For a name that is not among `links`.

        """
        (number, here), (other, there) = self.links[link], self.links[frame]
        inwards, outwards = self._from_root(number), self._from_root(other)
        shared = 0
        for i, j in zip(inwards, outwards):
            if i != j:
                break
            shared += 1
        return Chain([self._bodies[i] for i in inwards[shared:]], here,
                     [self._bodies[i] for i in outwards[shared:]], there)

    def _from_root(self, number: int) -> list[int]:
        path = []
        while number != ROOT:
            path.append(number)
            number = self._bodies[number].parent
        return path[::-1]


class Chain:
    """
    Places a frame in a link's: in from the link to the last body that carries both, and out again.

    Parameters
    ----------
    inwards, outwards : sequence of Body
        From that body to the link's and to the frame's, both excluding that body.
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
        link, frame = _along(self._inwards, self._here, q), _along(self._outwards, self._there, q)
        link_R = transpose(link.R)
        return Placement(product(link_R, frame.R),
                         apply(link_R, add(frame.p, scale(-1.0, link.p))))


def _along(bodies: Sequence[Body], attached: Attached, q: Sequence[Scalar]) -> Placement:
    """Return where a link is in the frame of the body before the first."""
    R, p = IDENTITY, ZERO
    for body in bodies:
        joint = JOINTS[body.type]
        at = body.at(q)
        step = add(body.parent_p_joint, apply(body.parent_R_joint, joint.displacement(at.q)))
        p = add(p, apply(R, step))
        R = product(product(R, body.parent_R_joint), joint.rotation(at))
    return Placement(product(R, attached.body_R_link), add(p, apply(R, attached.body_p_link)))
