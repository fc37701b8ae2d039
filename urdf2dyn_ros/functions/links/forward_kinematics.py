"""Where a link is: its orientation and position."""

from collections.abc import Mapping, Sequence

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.vectors import AXES, apply
from urdf2dyn_ros.equations.kinematics import Frame
from urdf2dyn_ros.equations.links.link_kinematics import LinkKinematics
from urdf2dyn_ros.functions.function import Rows, by_joint
from urdf2dyn_ros.functions.links.link_function import LinkFunction
from urdf2dyn_ros.functions.mechanics import Mechanics
from urdf2dyn_ros.functions.quantity import Axis, Quantity
from urdf2dyn_ros.joints.motion import BodyNote

_XYZ = Axis('axis', tuple(AXES), ('m', 'm', 'm'))


class ForwardKinematics(LinkFunction):
    """Pose of links relative to the root."""

    INPUTS = ('q',)
    OPTIONS = ('link',)
    SUMMARY = 'the pose of the link relative to the root'
    RESULTS = (
        Quantity('R', 'rotation from the axes of the link to those of the root, by rows',
                 rows=_XYZ, columns=_XYZ, times='direction'),
        Quantity('p', 'position of the origin of the link in the root frame [m]', rows=_XYZ))

    def fast(self, mechanics: Mechanics, link: LinkKinematics) -> dict[str, Rows]:
        pose = link.pose()
        return {'R': pose.R, 'p': by_joint(pose.p)}

    def explained(self, mechanics: Mechanics, link: Frame, bodies: Mapping[int, Frame],
                  note: BodyNote) -> dict[str, Rows]:
        return {'R': link.R, 'p': by_joint(link.p)}

    def checked(self, mechanics: Mechanics, link: Frame) -> dict[str, Sequence[Scalar]]:
        x, y, z = mechanics.arguments['direction']
        return {'R': apply(link.R, (x, y, z)), 'p': link.p}
