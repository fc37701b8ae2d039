"""The frames in which columns of derivatives begin, and the bodies with what they carry there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.vectors import Matrix, Vector, apply, cross, scale, transpose
from urdf2dyn_ros.equations.composite import Composite, entries
from urdf2dyn_ros.equations.newton_euler import Sweep
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.joints.motion import Coordinate, Motion, Note, Wrench
from urdf2dyn_ros.loads.joint_term import JointTerm
from urdf2dyn_ros.multibody import ROOT, Multibody

CosSin = tuple[Scalar, Scalar]


class BodyMotion(NamedTuple):
    """Angular velocity w, e = U z, and acceleration a of the origin, in one choice of axes."""

    w: Vector
    e: Vector
    a: Vector

    @property
    def twice_w(self) -> Vector:
        """Return 2 w, which P and K are made of."""
        return scale(2.0, self.w)


class ColumnFrame(NamedTuple):
    """Axes at the origin of a body with z along its joint, where the joint's column begins."""

    motion: BodyMotion   # along these axes
    wrench: Wrench   # what the joint transmits, along these axes
    # along the axes of the body's own frame, in which its children are placed
    body_motion: BodyMotion
    # cosine and sine of angles about z; None where the axes are the same
    turn: CosSin | None   # from the body's own axes to these
    back: CosSin | None   # from these to the joint's, which are fixed to the parent
    shared: bool   # whether these axes are those of the parent's column
    # the joint's origin in the parent, along the parent's own axes, or along the shared ones
    p: Vector


def body_frames(system: Multibody, sweep: Sweep) -> list[ColumnFrame]:
    """Return the bodies' own frames, then the root's, with what the recursion has computed."""
    result = []
    for i, body in enumerate(system.bodies):
        motion = body_motion(sweep.motions[i], sweep.spins[i])
        rotation = JOINTS[body.type].rotation(sweep.coordinates[i])
        result.append(ColumnFrame(motion, sweep.wrenches[i], motion, None,
                                  (rotation[0][0], rotation[1][0]), False, body.parent_p_joint))
    return [*result, root_column_frame(sweep.motions[ROOT])]


def body_motion(motion: Motion, U: Matrix) -> BodyMotion:
    """Return what columns need of the motion of a frame, and its U."""
    return BodyMotion(motion.w, (U[0][2], U[1][2], U[2][2]), motion.a)


def root_column_frame(root: Motion) -> ColumnFrame:
    """Return the frame of the root, where columns end: it has none of its own."""
    zero = (0.0, 0.0, 0.0)
    motion = BodyMotion(root.w, zero, root.a)
    return ColumnFrame(motion, Wrench(zero, zero), motion, None, None, False, zero)


def parent_w(system: Multibody, frames: Sequence[ColumnFrame], i: int) -> Vector:
    """Return the angular velocity of the parent, along the axes that body i is placed in."""
    parent = frames[system.bodies[i].parent]
    return parent.motion.w if frames[i].shared else parent.body_motion.w


def parent_in_joint(system: Multibody, frames: Sequence[ColumnFrame], i: int) -> Motion:
    """Return the angular velocity of the parent in the axes of the joint, for `on_parent`."""
    w, zero = parent_w(system, frames, i), (0.0, 0.0, 0.0)
    if not frames[i].shared:
        w = apply(transpose(system.bodies[i].parent_R_joint), w)
    return Motion(w, zero, zero)


def slide(system: Multibody, frames: Sequence[ColumnFrame], i: int, at: Coordinate,
          ) -> tuple[Vector, Vector]:
    """Return the origin of body i from that of its joint, and twice its velocity from there."""
    joint, twice_w = JOINTS[system.bodies[i].type], frames[i].motion.twice_w
    distance = joint.slides * at.q
    return (0.0, 0.0, distance), (twice_w[1] * distance, -(twice_w[0] * distance),
                                  2.0 * (joint.slides * at.qd))


def composites(system: Multibody, frames: Sequence[ColumnFrame], own: Sequence[Composite],
               at: Sequence[Coordinate], terms: Mapping[int, Sequence[JointTerm]],
               note: Note) -> list[Composite]:
    """Return each body with what it carries, from the bodies alone in their own axes."""
    apart, shared = list(own), [Composite()] * len(own)
    result = list(own)
    for i in reversed(range(len(system.bodies))):
        body, frame, whole = system.bodies[i], frames[i], apart[i]
        if frame.turn is not None:
            whole = whole.rotated_about_z(*frame.turn)
        whole = whole.plus(shared[i])
        result[i] = whole
        note(i, 'composite', tuple(entries(whole)))
        if body.parent == ROOT:
            continue
        if JOINTS[body.type].slides:
            whole = whole.about(*slide(system, frames, i, at[i]))
        if frame.back is not None:
            whole = whole.rotated_about_z(*frame.back)
        for term in terms.get(i, ()):
            whole = _with_rotor(whole, term, at[i])
        note(i, 'jointed', tuple(entries(whole))[1:])
        twice_v = cross(scale(2.0, parent_w(system, frames, i)), frame.p)
        if not frame.shared:
            whole = whole.rotated(body.parent_R_joint)
        whole = whole.about(frame.p, twice_v)
        note(i, 'passed', tuple(entries(whole))[1:])
        parts = shared if frame.shared else apart
        parts[body.parent] = parts[body.parent].plus(whole)
    return result


def _with_rotor(whole: Composite, term: JointTerm, at: Coordinate) -> Composite:
    """Return what the parent carries of a joint: a spinning rotor resists as K does."""
    zero, x, y = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    spinning = at._replace(qdd=0.0)
    columns = [term.on_parent(Motion(w, zero, zero), spinning) for w in (x, y)]
    K = whole.K
    return whole._replace(K=(
        (K[0][0] + columns[0][0], K[0][1] + columns[1][0], K[0][2]),
        (K[1][0] + columns[0][1], K[1][1] + columns[1][1], K[1][2]), K[2]))
