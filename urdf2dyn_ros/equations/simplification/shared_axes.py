"""
The recursion for derivatives, with the same axes for all joints that are parallel to each other.

The columns of a joint begin in the axes of the joint before it rotates, which are fixed to the
parent: each saves a rotation. Where the joint of a child is parallel to that of its parent, both
have these axes: between them nothing is rotated but what is constant in the bodies, by the sum of
the angles. A body with children along other axes is computed in its own axes, and then rotated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.inertia import BodyInertia, rotated_about_z
from urdf2dyn_ros.algebra.vectors import (
    Vector,
    add,
    apply,
    cross,
    scale,
    subtract,
)
from urdf2dyn_ros.equations.column_frames import (
    ColumnFrame,
    CosSin,
    body_motion,
    root_column_frame,
)
from urdf2dyn_ros.equations.composite import Composite, own_composite
from urdf2dyn_ros.equations.newton_euler import AppliedLoads, in_joint, inertial
from urdf2dyn_ros.equations.recursion import second_moment
from urdf2dyn_ros.equations.simplification.shared_motions import (
    SharedMotion,
    root_of,
    shared_motions,
)
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.joints.joint_type import turned
from urdf2dyn_ros.joints.motion import AT_REST, NO_WRENCH, Coordinate, Motion, Note, Wrench, silent
from urdf2dyn_ros.multibody import ROOT, Body, Multibody


class SharedAxes(NamedTuple):
    """Efforts, the root's wrench, and what `derivatives` takes: frames, bodies, coordinates."""

    efforts: list[Scalar]
    wrench: Wrench
    frames: list[ColumnFrame]
    own: list[Composite]
    at: list[Coordinate]


def shared_axes(system: Multibody, inertias: Sequence[BodyInertia | None],
                state: Sequence[Sequence[Scalar]], gravity: Vector, loads: AppliedLoads,
                note: Note) -> SharedAxes:
    """
    Return the efforts of a state, as `newton_euler` does, and what their derivatives need.

    Inertias have second moments in the place of the tensors.
    """
    root = root_of(gravity, loads.base)
    at = [body.at(*state) for body in system.bodies]
    motions = shared_motions(system, at, root, loads.base is not None)
    branches = {body.parent for body, here in zip(system.bodies, motions) if not here.shared}
    frames, own, wrenches = [], [], []
    for i, here in enumerate(motions):
        spun, inertia = here.own, inertias[i]
        if i not in branches:
            spun = here.column
            inertia = inertia and rotated_about_z(inertia, *here.turn)
        wrenches.append(inertial(inertia, *spun, second_moment, silent))
        own.append(Composite() if inertia is None else own_composite(
            inertia.with_tensor(), inertia.J, scale(2.0, spun.motion.w)))
        frames.append(ColumnFrame(
            body_motion(*here.column), wrenches[i], body_motion(*here.own),
            here.turn if i in branches else None, None, here.shared, here.p))
    wrenches.append(inertial(inertias[ROOT], *root, second_moment, silent))
    frames.append(root_column_frame(root.motion))
    efforts, wrench = _backward(system, at, motions, frames, wrenches, loads, note)
    return SharedAxes(efforts, wrench, frames, own, at)


def _backward(system: Multibody, at: Sequence[Coordinate], motions: Sequence[SharedMotion],
              frames: list[ColumnFrame], own: Sequence[Wrench], loads: AppliedLoads, note: Note,
              ) -> tuple[list[Scalar], Wrench]:
    """Return the efforts and the root's wrench; the frames get what their joints transmit."""
    efforts: list[Scalar] = [0.0] * len(system.joint_names)
    apart, shared = list(own), [NO_WRENCH] * len(own)
    for i in reversed(range(len(system.bodies))):
        body, here, joint = system.bodies[i], motions[i], JOINTS[system.bodies[i].type]
        external = loads.wrenches.get(i, NO_WRENCH)
        # the environment's is in the body's own axes, and so is a body that is rotated as a whole
        if frames[i].turn is None:
            wrench = _less(apart[i], _turned_back(external, here.turn))
        else:
            wrench = _turned_back(_less(apart[i], external), here.turn)
        wrench = _sum(wrench, shared[i])
        note(i, 'f', wrench.f)
        note(i, 'n', wrench.n)
        frames[i] = frames[i]._replace(wrench=wrench)
        effort = transmitted = joint.along(wrench.f[2], wrench.n[2])
        parent = _parent_in_joint(body, here.shared, motions, loads)
        for term in loads.terms.get(i, ()):
            effort = effort + term.effort(parent, at[i], transmitted)
            wrench = Wrench(wrench.f, add(wrench.n, term.on_parent(parent, at[i])))
        efforts[body.coordinate] = efforts[body.coordinate] + body.multiplier * effort
        note(i, 'tau', (efforts[body.coordinate],))
        if body.parent == ROOT and loads.base is None:
            continue
        distance = joint.slides * at[i].q
        f, n = wrench.f, add(wrench.n, cross((0.0, 0.0, distance), wrench.f))
        if not here.shared:
            f, n = apply(body.parent_R_joint, f), apply(body.parent_R_joint, n)
        parts = shared if here.shared else apart
        parts[body.parent] = _sum(parts[body.parent], Wrench(f, add(n, cross(here.p, f))))
    return efforts, _less(apart[ROOT], loads.wrenches.get(ROOT, NO_WRENCH))


def _parent_in_joint(body: Body, shared: bool, motions: Sequence[SharedMotion],
                     loads: AppliedLoads) -> Motion:
    """Return the motion of the parent that terms need, along the axes of the joint."""
    if shared:
        return motions[body.parent].column.motion
    parent = (loads.base or AT_REST) if body.parent == ROOT else (
        motions[body.parent].own.motion)
    return in_joint(body, parent)


def _less(a: Wrench, b: Wrench) -> Wrench:
    return Wrench(subtract(a.f, b.f), subtract(a.n, b.n))


def _sum(a: Wrench, b: Wrench) -> Wrench:
    return Wrench(add(a.f, b.f), add(a.n, b.n))


def _turned_back(wrench: Wrench, turn: CosSin) -> Wrench:
    c, s = turn
    return Wrench(turned(wrench.f, c, -s), turned(wrench.n, c, -s))
