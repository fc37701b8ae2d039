"""How a link moves: velocity and acceleration."""

from collections.abc import Mapping, Sequence

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.equations.kinematics import Frame
from urdf2dyn_ros.equations.links.link_kinematics import LinkKinematics
from urdf2dyn_ros.functions.function import Rows, by_joint
from urdf2dyn_ros.functions.links.link_function import LinkFunction, in_axes, spatial
from urdf2dyn_ros.functions.mechanics import Mechanics
from urdf2dyn_ros.functions.quantity import Quantity
from urdf2dyn_ros.joints.motion import BodyNote


class FrameMotion(LinkFunction):
    """Twist and acceleration of a link relative to the root or, where that moves, the world."""

    INPUTS = ('q', 'qd', 'qdd')
    LOAD_INPUTS = ('base_twist', 'base_acceleration')
    SUMMARY = 'velocity and acceleration of the link relative to the root'
    SUMMARY_WITH_LOADS = 'velocity and acceleration of the link in the world'
    RESULTS = (
        Quantity('twist', 'velocity of the origin of the link [m/s], then its angular velocity '
                 '[rad/s]', rows=spatial('m/s', 'rad/s')),
        Quantity('acceleration', 'acceleration of the origin of the link [m/s^2], then its '
                 'angular acceleration [rad/s^2]', rows=spatial('m/s^2', 'rad/s^2')))

    def fast(self, mechanics: Mechanics, link: LinkKinematics) -> dict[str, Rows]:
        motion = link.motion_in_link if mechanics.frames.axes == 'link' else link.motion
        twists = motion(mechanics.of_joints('qd'), mechanics.of_joints('qdd'),
                        self.root(mechanics))
        return {quantity.name: by_joint((*twist.v, *twist.w))
                for quantity, twist in zip(self.RESULTS, twists)}

    def explained(self, mechanics: Mechanics, link: Frame, bodies: Mapping[int, Frame],
                  note: BodyNote) -> dict[str, Rows]:
        v, w = in_axes(mechanics, link.R, (link.v, link.w))
        note('lt', (*v, *w))
        a, wd = in_axes(mechanics, link.R, (link.a, link.wd))
        note('lacc', (*a, *wd))
        return {'twist': by_joint((*v, *w)), 'acceleration': by_joint((*a, *wd))}

    def checked(self, mechanics: Mechanics, link: Frame) -> dict[str, Sequence[Scalar]]:
        v, w, a, wd = in_axes(mechanics, link.R, (link.v, link.w, link.a, link.wd))
        return {'twist': (*v, *w), 'acceleration': (*a, *wd)}
