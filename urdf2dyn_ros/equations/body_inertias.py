"""The inertial parameters of a robot's bodies as plain numbers."""

from urdf2dyn_ros.algebra.frames import composed, from_rpy
from urdf2dyn_ros.algebra.inertia import BodyInertia, LinkInertia, about_origin, total
from urdf2dyn_ros.algebra.vectors import symmetric
from urdf2dyn_ros.multibody import Attached, Multibody


def body_inertias(system: Multibody) -> list[BodyInertia | None]:
    """Return those of every body, then of the root."""
    return [total(about_origin(link_inertia(each)) for each in attached
                  if each.link.inertia is not None)
            for attached in (*(body.attached for body in system.bodies), system.root)]


def link_inertia(attached: Attached) -> LinkInertia:
    inertia = attached.link.inertia
    assert inertia is not None
    return LinkInertia(inertia.mass, inertia.com, symmetric(inertia.tensor),
                       composed(attached.body_R_link, from_rpy(inertia.rpy)),
                       attached.body_R_link, attached.body_p_link)
