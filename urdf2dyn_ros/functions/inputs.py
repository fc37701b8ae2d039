"""Inputs of generated functions: of the joints, and of the loads; what their entries mean."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.inertia import BodyInertia, LinkInertia, about_origin
from urdf2dyn_ros.algebra.vectors import AXES, TENSOR, add, apply, cross, symmetric
from urdf2dyn_ros.joints.motion import NO_WRENCH, Motion, Note, Wrench
from urdf2dyn_ros.loads import Loads
from urdf2dyn_ros.multibody import ROOT, Attached, LinkWrench, Multibody


class Input(NamedTuple):
    """
    Declaration of an argument of a generated function, a vector.

    `entries` are their names in the statements, in order; `summary` says what they are, with
    units; `of_joints`: whether they are those of the independent joints.
    """

    name: str
    entries: tuple[str, ...]
    summary: str
    of_joints: bool = True


class JointInput(NamedTuple):
    """
    Summary and units of an input of the joints.

    `kind` is a word for names of variables, `unit` that of an entry with {unit} and {effort} of
    its joint, `units` those of all.
    """

    kind: str
    unit: str
    units: str


JOINT_INPUTS = {
    'q': JointInput('position', '{unit}', '[rad or m]'),
    'qd': JointInput('velocity', '{unit}/s', '[rad/s or m/s]'),
    'qdd': JointInput('acceleration', '{unit}/s^2', '[rad/s^2 or m/s^2]'),
    'tau': JointInput('effort', '{effort}', '[N m or N]'),
}
"""Inputs of the joints by name."""


def joint_inputs(system: Multibody) -> dict[str, Input]:
    """Return q, qd, qdd and tau of a robot."""
    return {x: Input(x, tuple(f'{x}{i + 1}' for i in system.drivers), known.units)
            for x, known in JOINT_INPUTS.items()}


def load_inputs(system: Multibody, loads: Loads) -> dict[str, Input]:
    """Return the inputs of loads that vary from call to call, in the order of the arguments."""
    inputs = []
    if loads.moving(system):
        inputs.append(Input('base_motion', tuple(
            f'{symbol}0_{x}' for symbol in ('w', 'wd', 'a') for x in AXES),
            'of the root, in its frame: angular velocity [rad/s], angular acceleration [rad/s^2], '
            'acceleration of the origin minus gravity [m/s^2]', False))
    if loads.external:
        inputs.append(Input('external', tuple(
            f'{symbol}{k}_{x}' for k in range(1, len(loads.external) + 1)
            for symbol in ('Fe', 'Ne') for x in AXES),
            'for each link that the heading names, force [N] and moment [N m] on it by the '
            'environment, about its origin, in its axes', False))
    if loads.payload:
        inputs.append(Input('payload', ('mp', *(f'cp_{x}' for x in AXES),
                                        *(f'Ip_{xy}' for xy in TENSOR)),
                            'mass [kg], centre of mass [m] in the link, inertia about it '
                            f'[kg m^2]: {", ".join(TENSOR)}', False))
    return {each.name: each for each in inputs}


def base_inputs(system: Multibody, loads: Loads) -> dict[str, Input]:
    """Return the inputs of how a root that moves is seen from the world, as twists of links."""
    if not loads.moving(system):
        return {}
    return {name: Input(name, tuple(f'{symbol}0_{x}' for symbol in symbols for x in AXES),
                        f'of the root, in its axes: {summary}', False)
            for name, symbols, summary in (
                ('base_twist', ('v', 'w'),
                 'velocity of the origin [m/s], angular velocity [rad/s]'),
                ('base_acceleration', ('a', 'wd'),
                 'acceleration of the origin [m/s^2], angular acceleration [rad/s^2]'))}


def base_motion(entries: Sequence[Scalar]) -> Motion:
    """Return the motion of the root from its 9 entries."""
    return Motion(*((entries[k], entries[k + 1], entries[k + 2]) for k in (0, 3, 6)))


def external_wrenches(loads: Loads, entries: Sequence[Scalar]) -> list[LinkWrench]:
    """Return the external wrenches on links, from their 6 entries a link."""
    return [LinkWrench(link, (e[0], e[1], e[2]), (e[3], e[4], e[5]))
            for link, e in ((link, entries[6 * k:6 * k + 6])
                            for k, link in enumerate(loads.external))]


def body_wrenches(system: Multibody, wrenches: Iterable[LinkWrench], root_moves: bool,
                  note: Note) -> dict[int, Wrench]:
    """Return the sum of the wrenches on each body, in its frame and about its origin."""
    links = system.links
    by_body: dict[int, list[LinkWrench]] = {}
    for wrench in wrenches:
        i = links[wrench.link][0]
        if (i == ROOT and not root_moves) or wrench.link in system.world:
            continue   # the world holds it
        by_body.setdefault(i, []).append(wrench)
    sums: dict[int, Wrench] = {}
    for i, some in by_body.items():
        total = NO_WRENCH
        for wrench in some:
            at = links[wrench.link][1]
            f = apply(at.body_R_link, wrench.force)
            n = add(apply(at.body_R_link, wrench.moment), cross(at.body_p_link, f))
            total = Wrench(add(total.f, f), add(total.n, n))
        sums[i] = total
        note(i, 'fe', total.f)   # once for a body: a name is that of one number
        note(i, 'ne', total.n)
    return sums


def payload_inertia(at: Attached, entries: Sequence[Scalar]) -> BodyInertia:
    """Return a payload's inertia about the origin of its body, from its 10 entries."""
    m, x, y, z, *six = entries
    return about_origin(LinkInertia(m, (x, y, z), symmetric(tuple(six)), at.body_R_link,
                                    at.body_R_link, at.body_p_link))
