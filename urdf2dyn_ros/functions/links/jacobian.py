"""The Jacobian of a link."""

from collections.abc import Mapping, Sequence

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.vectors import ZERO, Vector, add, cross, scale, subtract
from urdf2dyn_ros.equations.kinematics import Frame
from urdf2dyn_ros.equations.links.link_kinematics import LinkKinematics
from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.functions.function import Rows
from urdf2dyn_ros.functions.links.link_function import LinkFunction, in_axes, spatial
from urdf2dyn_ros.functions.mechanics import Mechanics
from urdf2dyn_ros.functions.quantity import JOINTS, Quantity
from urdf2dyn_ros.joints import JOINTS as JOINT_TYPES
from urdf2dyn_ros.joints.motion import BodyNote


class Jacobian(LinkFunction):
    """J of twist = J(q) qd, of the origin of a link relative to the root."""

    INPUTS = ('q',)
    SUMMARY = 'the Jacobian J of twist = J(q) qd of the link relative to the root'
    RESULTS = (Quantity(
        'J', 'linear velocity of the origin of the link, then its angular velocity, for a unit '
        'velocity of each joint [m or 1, 1 or 1/m]', rows=spatial(), columns=JOINTS, times='qd'),)

    def derive(self, mechanics: Mechanics) -> dict[str, Rows]:
        """Return the matrix of every link."""
        if not mechanics.system.joint_names:
            raise ExportError('the robot has no movable joint: its Jacobian has no column')
        return super().derive(mechanics)

    def fast(self, mechanics: Mechanics, link: LinkKinematics) -> dict[str, Rows]:
        """Return J."""
        columns = link.jacobian(len(mechanics.system.joint_names),
                                mechanics.frames.axes == 'link')
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
        for j, column in zip(mechanics.system.drivers, columns):
            column[:] = in_axes(mechanics, link.R, column)
            mechanics.notes.note(j, 'Jl', (*column[0], *column[1]))
        return {'J': list(zip(*((*v, *w) for v, w in columns)))}

    def checked(self, mechanics: Mechanics, link: Frame) -> dict[str, Sequence[Scalar]]:
        """Return J qd, the twist."""
        v, w = in_axes(mechanics, link.R, (link.v, link.w))
        return {'J': (*v, *w)}
