"""
The third column of U from the parent's U, since both have the points on the joint's axis.

The third column of U is the acceleration of a point at z = 1 relative to the origin, and the
points on a joint's axis are also fixed to the parent: the rotation about the axis rotates this
column and changes nothing else, U z = R' U_joint z. Where the constant rotation to the joint only
swaps axes, U_joint z is a column of the parent's U, which is known. So the column costs one planar
rotation, and w_y qd and -w_x qd of the angular acceleration, two entries of U and one square cost
nothing: 3 multiplications and 2 additions fewer per joint than from w and wd.
"""

from collections.abc import Sequence
from functools import partial

from urdf2dyn_ros.algebra.inertia import BodyInertia
from urdf2dyn_ros.algebra.vectors import IDENTITY, ZERO, Matrix, Vector, apply, product, transpose
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.joints.joint_type import turned
from urdf2dyn_ros.joints.motion import BodyNote, Coordinate, Motion, Spun
from urdf2dyn_ros.multibody import ROOT, Body, Multibody

_UNITS = (0.0, 1.0, -1.0)


class InheritedSpin:
    """
    Computes U of bodies in fewer operations than `textbook_spin`.

    The inertias of the bodies have second moments: a U that its own body does not need costs more
    than it saves.
    """

    def __init__(self, system: Multibody, inertias: Sequence[BodyInertia | None]) -> None:
        self._bodies = system.bodies
        self._wd_is_needed = _wd_is_needed(system.bodies)
        self._spin_is_needed = _spin_is_needed(system.bodies, inertias)

    def __call__(self, i: int, motion: Motion, U_parent: Matrix, at: Coordinate,
                 note: BodyNote) -> Spun:
        """Return the function that joints call with w and wd of body i."""
        return partial(self._spun, i, motion, U_parent, at)

    def _spun(self, i: int, motion: Motion, U_parent: Matrix, at: Coordinate,
              w: Vector, wd: Vector) -> tuple[Vector, Matrix]:
        body = self._bodies[i]
        joint = JOINTS[body.type]
        rotation = joint.rotation(at)
        c, s = rotation[0][0], rotation[1][0]
        R = body.parent_R_joint
        known = body.parent == ROOT or (self._spin_is_needed[body.parent] and swaps(R))
        known |= body.cos_sin is not None and R == IDENTITY   # the column is the parent's
        if joint.turns and known:
            z = (R[0][2], R[1][2], R[2][2])
            column = turned(apply(transpose(R), apply(U_parent, z)), c, s)
        elif joint.turns and not self._wd_is_needed[i] and 0.0 not in motion.w:
            column = turned(third_column(motion.w, motion.wd), c, s)
        elif known and not joint.turns and swaps(rotation):
            parent_R_body = product(R, rotation)
            return wd, product(product(transpose(parent_R_body), U_parent), parent_R_body)
        else:
            column = third_column(w, wd)
        return spin_about(column, w, wd, self._wd_is_needed[i])


def spin_about(column: Vector, w: Vector, wd: Vector,
               wd_is_needed: bool) -> tuple[Vector, Matrix]:
    """
    Return wd and U from the third column of U, w and wd_z.

    Where wd_x and wd_y are needed, they are computed from U here; else two entries share 2 w_z.
    """
    U_xz, U_yz, U_zz = column
    yy, zz = w[1] * w[1], w[2] * w[2]
    xy = w[0] * w[1]
    if wd_is_needed:
        xz, yz = w[0] * w[2], w[1] * w[2]
        wd = (yz - U_yz, U_xz - xz, wd[2])
        U_zx, U_zy = xz - wd[1], yz + wd[0]
    else:
        twice = w[2] + w[2]
        U_zx, U_zy = twice * w[0] - U_xz, twice * w[1] - U_yz
    # U_zz - U_yy = zz - yy, a difference that the moment needs as well
    return wd, ((-(yy + zz), xy - wd[2], U_xz),
                (xy + wd[2], U_zz - (zz - yy), U_yz),
                (U_zx, U_zy, U_zz))


def third_column(w: Vector, wd: Vector) -> Vector:
    """Return U z from w and wd."""
    return (w[0] * w[2] + wd[1], w[1] * w[2] - wd[0], -(w[0] * w[0] + w[1] * w[1]))


def swaps(R: Matrix) -> bool:
    """Return whether a constant rotation only swaps or inverts axes."""
    return all(isinstance(entry, float) and entry in _UNITS for row in R for entry in row)


def _spin_is_needed(bodies: Sequence[Body], inertias: Sequence[BodyInertia | None]) -> list[bool]:
    """Return for every body whether its inertia, or a child away from its z, needs its U."""
    result = [inertia is not None and (inertia.h, inertia.J) != (ZERO, (ZERO, ZERO, ZERO))
              for inertia in inertias]
    for body in bodies:
        if body.parent != ROOT and (body.parent_p_joint != ZERO
                                    or JOINTS[body.type].slides):
            result[body.parent] = True
    return result


def _wd_is_needed(bodies: Sequence[Body]) -> list[bool]:
    """Return for every body whether a child needs more of its wd than the part along z."""
    result = [False] * len(bodies)
    for body in bodies:
        if body.parent != ROOT:
            along_z = not JOINTS[body.type].slides and body.parent_R_joint[2][2] in _UNITS[1:]
            result[body.parent] = result[body.parent] or not along_z
    return result
