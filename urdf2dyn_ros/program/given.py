"""What a function is given beside q, qd and qdd: a moving base, external wrenches, a payload."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.inertia import BodyInertia, LinkInertia, about_origin
from urdf2dyn_ros.algebra.vectors import AXES, ZERO, Matrix, Vector, add, apply, cross
from urdf2dyn_ros.joints.motion import Motion, Wrench
from urdf2dyn_ros.loads import Loads
from urdf2dyn_ros.multibody import ROOT, Attached, LinkWrench, Multibody
from urdf2dyn_ros.program.program import Input

_TENSOR = ('xx', 'xy', 'xz', 'yy', 'yz', 'zz')


def coordinates(system: Multibody) -> dict[str, Input]:
    """Return q, qd and qdd of a robot."""
    units = {'q': '[rad or m]', 'qd': '[rad/s or m/s]', 'qdd': '[rad/s^2 or m/s^2]'}
    return {x: Input(x, tuple(f'{x}{i + 1}' for i in system.drivers), unit)
            for x, unit in units.items()}


def acting(system: Multibody, loads: Loads) -> dict[str, Input]:
    """Return what else there is, in the order of the arguments."""
    found = []
    if loads.moving(system):
        found.append(Input('base_motion', tuple(
            f'{symbol}0_{x}' for symbol in ('w', 'wd', 'a') for x in AXES),
            'of the root, in its frame: angular velocity [rad/s], angular acceleration [rad/s^2], '
            'acceleration of the origin minus gravity [m/s^2]'))
    if loads.external:
        found.append(Input('external', tuple(
            f'{symbol}{k}_{x}' for k in range(1, len(loads.external) + 1)
            for symbol in ('Fe', 'Ne') for x in AXES),
            'for each link that the heading names, force [N] and moment [N m] on it by the '
            'environment, about its origin, in its axes'))
    if loads.payload:
        found.append(Input('payload', ('mp', *(f'cp_{x}' for x in AXES),
                                       *(f'Ip_{xy}' for xy in _TENSOR)),
                           'mass [kg], centre of mass [m] in the link, inertia about it '
                           '[kg m^2]: xx, xy, xz, yy, yz, zz'))
    return {each.name: each for each in found}


def base_motion(entries: Sequence[Scalar]) -> Motion:
    """Return the motion of the root from its 9 entries."""
    return Motion(*((entries[k], entries[k + 1], entries[k + 2]) for k in (0, 3, 6)))


def on_links(loads: Loads, entries: Sequence[Scalar]) -> list[LinkWrench]:
    """Return the wrenches that are given, from their 6 entries a link."""
    return [LinkWrench(link, (e[0], e[1], e[2]), (e[3], e[4], e[5]))
            for link, e in ((link, entries[6 * k:6 * k + 6])
                            for k, link in enumerate(loads.external))]


def on_bodies(system: Multibody, wrenches: Iterable[LinkWrench], moves_root: bool,
              note: Callable[[int, str, Vector], None] = lambda body, symbol, entries: None,
              ) -> dict[int, Wrench]:
    """Return the wrenches on bodies, in their frames and about their origins."""
    found: dict[int, Wrench] = {}
    links = system.links
    for wrench in wrenches:
        i, at = links[wrench.link]
        if (i == ROOT and not moves_root) or system.is_world(wrench.link):
            continue   # the world holds it
        f = apply(at.body_R_link, wrench.force)
        n = add(apply(at.body_R_link, wrench.moment), cross(at.body_p_link, f))
        before = found.get(i, Wrench(ZERO, ZERO))
        found[i] = Wrench(add(before.f, f), add(before.n, n))
        note(i, 'fe', found[i].f)
        note(i, 'ne', found[i].n)
    return found


def payload_inertia(at: Attached, entries: Sequence[Scalar]) -> BodyInertia:
    """Return a payload's inertia about the origin of its body, from its 10 entries."""
    m, x, y, z, xx, xy, xz, yy, yz, zz = entries
    tensor: Matrix = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    return about_origin(LinkInertia(m, (x, y, z), tensor, at.body_R_link, at.body_R_link,
                                    at.body_p_link))
