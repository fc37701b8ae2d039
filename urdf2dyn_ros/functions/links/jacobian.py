"""The Jacobian of a link."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.vectors import (
    AXES,
    IDENTITY,
    ZERO,
    Vector,
    add,
    cross,
    scale,
    subtract,
)
from urdf2dyn_ros.equations.kinematics import Frame
from urdf2dyn_ros.equations.links.link_kinematics import LinkKinematics
from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.functions.function import Expected, Rows
from urdf2dyn_ros.functions.links.link_function import LinkFunction, in_axes, spatial
from urdf2dyn_ros.functions.mechanics import Mechanics
from urdf2dyn_ros.functions.quantity import JOINTS, Axis, Quantity
from urdf2dyn_ros.joints import JOINTS as JOINT_TYPES
from urdf2dyn_ros.joints.motion import BodyNote
from urdf2dyn_ros.multibody import ROOT

_VELOCITY = 'velocity'
_OF_BASE = (
    'linear velocity of the origin of the link, then its angular velocity, for a unit velocity of '
    'the origin of the root [1], for a unit angular velocity of the root, in its axes [m or 1], '
    'and for a unit velocity of each joint [m or 1, 1 or 1/m]')


class Jacobian(LinkFunction):
    """J of twist = J(q) qd, of the origin of a link; with the columns of a root that moves."""

    INPUTS = ('q',)
    SUMMARY = 'the Jacobian J of twist = J(q) qd of the link relative to the root'
    SUMMARY_WITH_LOADS = ('the Jacobian J of twist = J(q) (base_twist, qd) of the link in the '
                          'world')
    RESULTS = (Quantity(
        'J', 'linear velocity of the origin of the link, then its angular velocity, for a unit '
        'velocity of each joint [m or 1, 1 or 1/m]', rows=spatial(), columns=JOINTS, times='qd'),)

    def quantities(self, mechanics: Mechanics) -> tuple[Quantity, ...]:
        quantities = super().quantities(mechanics)
        if not mechanics.moving:
            return quantities
        base = spatial('m/s', 'rad/s')
        columns = Axis(_VELOCITY, (*(f'base {key}' for key in base.keys),
                                   *mechanics.system.joint_names), base.units)
        return tuple(each._replace(summary=_OF_BASE, columns=columns, times=_VELOCITY)
                     for each in quantities)

    def derive(self, mechanics: Mechanics) -> dict[str, Rows]:
        if not mechanics.system.joint_names and not mechanics.moving:
            raise ExportError('the robot has no movable joint: its Jacobian has no column')
        return super().derive(mechanics)

    def expected(self, mechanics: Mechanics) -> Expected:
        """Return the products with velocities, the six of a root that moves before those of q."""
        if mechanics.moving:
            velocity = mechanics.arguments[_VELOCITY]
            mechanics = replace(mechanics, arguments={
                **mechanics.arguments, 'base_twist': velocity[:6], 'qd': velocity[6:]})
        return super().expected(mechanics)

    def fast(self, mechanics: Mechanics, link: LinkKinematics) -> dict[str, Rows]:
        columns = link.jacobian(len(mechanics.system.joint_names),
                                mechanics.frames.axes == 'link', mechanics.moving)
        return {'J': list(zip(*((*column.v, *column.w) for column in columns)))}

    def explained(self, mechanics: Mechanics, link: Frame, bodies: Mapping[int, Frame],
                  note: BodyNote) -> dict[str, Rows]:
        """Return J, column by column: z x (p - r) and z of a joint that turns, z and 0 else."""
        columns: list[list[Vector]] = [[ZERO, ZERO] for _ in mechanics.system.joint_names]
        for i, frame in bodies.items():
            body = mechanics.system.bodies[i]
            joint, z = JOINT_TYPES[body.type], (frame.R[0][2], frame.R[1][2], frame.R[2][2])
            v = scale(joint.slides, z)
            if joint.turns:
                v = add(v, scale(joint.turns, cross(z, subtract(link.p, frame.p))))
            mechanics.notes.note(i, 'Jv', v)
            column = columns[body.coordinate]
            for k, part in enumerate((v, scale(joint.turns, z))):
                column[k] = add(column[k], scale(body.multiplier, part))
        base = [[e, ZERO] for e in IDENTITY] + [[cross(e, link.p), e] for e in IDENTITY]
        base = [in_axes(mechanics, link.R, column) for column in base * mechanics.moving]
        for x, column in zip(AXES, base[3:]):
            mechanics.notes.note(ROOT, f'Jb{x}', column[0])
        for j, column in zip(mechanics.system.drivers, columns):
            column[:] = in_axes(mechanics, link.R, column)
            mechanics.notes.note(j, 'Jl', (*column[0], *column[1]))
        return {'J': list(zip(*((*v, *w) for v, w in base + columns)))}

    def checked(self, mechanics: Mechanics, link: Frame) -> dict[str, Sequence[Scalar]]:
        v, w = in_axes(mechanics, link.R, (link.v, link.w))
        return {'J': (*v, *w)}
