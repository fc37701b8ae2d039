"""Methods for links: where they are relative to the root, and how they move."""

from numpy.typing import ArrayLike

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.compiled.generated_function import GeneratedFunction
from urdf2dyn_ros.compiled.named_values import Values
from urdf2dyn_ros.errors import StateError
from urdf2dyn_ros.functions.links.link_frames import FRAME_AXES, FrameAxes, LinkFrames
from urdf2dyn_ros.methods.functions import Functions


class Kinematics(Functions):
    """Pose, Jacobian and motion of one link, which may be part of a body of another name."""

    def forward_kinematics(self, q: Values, link: str | None = None) -> tuple[Array, Array]:
        """
        Return the pose of a link relative to the root.

        Parameters
        ----------
        q : array_like, (n,) or (N, n)
            [rad or m].
        link : str, optional
            By default the only tip.

        Returns
        -------
        R : ndarray, (3, 3) or (N, 3, 3)
            root_R_link: rotation from the axes of the link to those of the root.
        p : ndarray, (3,) or (N, 3)
            Position of the origin of the link in the root frame [m].

        Raises
        ------
        ExportError
            For a link that the robot does not have, or several tips and no link.
        StateError
            As `__call__` does.

        """
        function = self._of_link('forward_kinematics', link)
        R, p = function.split(function(q))
        return R, p

    def jacobian(self, q: Values, link: str | None = None,
                 axes: FrameAxes = FRAME_AXES[0]) -> Array:
        """
        Return J of twist = J(q) qd, of the origin of a link.

        With a moving base it has six columns more, before the others: twist = J (base_twist, qd)
        relative to the world, with the twist of the root in its axes as `frame_motion` takes it.

        Parameters
        ----------
        q : array_like, (n,) or (N, n)
            [rad or m].
        link : str, optional
            By default the only tip.
        axes : str
            'root': those of the root (Pinocchio's LOCAL_WORLD_ALIGNED); 'link': those of the link
            (LOCAL).

        Returns
        -------
        ndarray, (6, n) or (N, 6, n); with a moving base (6, 6 + n) or (N, 6, 6 + n)
            Linear rows [m or 1], then angular rows [1 or 1/m].

        Raises
        ------
        ExportError
            For a link that the robot does not have, several tips and no link, unknown axes, or a
            robot without movable joints.
        StateError
            As `__call__` does.

        """
        return self._of_link('jacobian', link, axes)(q)

    def frame_motion(self, q: Values, qd: Values | None, qdd: Values | None,
                     link: str | None = None, axes: FrameAxes = FRAME_AXES[0],
                     base_twist: ArrayLike | None = None,
                     base_acceleration: ArrayLike | None = None) -> tuple[Array, Array]:
        """
        Return velocity and acceleration of a link, relative to a fixed root or to the world.

        Parameters
        ----------
        q, qd, qdd : array_like, (n,) or (N, n)
            [rad or m], [rad/s or m/s], [rad/s^2 or m/s^2].
        link : str, optional
            By default the only tip.
        axes : str
            As `jacobian` takes it.
        base_twist, base_acceleration : array_like, (6,) or (N, 6), optional
            With a moving base only, in the axes of the root: velocity of its origin [m/s],
            angular velocity [rad/s]; acceleration of its origin [m/s^2], angular acceleration
            [rad/s^2]. Without them they are zero.

        Returns
        -------
        twist : ndarray, (6,) or (N, 6)
            J qd: velocity of the origin of the link [m/s], angular velocity [rad/s].
        acceleration : ndarray, (6,) or (N, 6)
            Acceleration of the origin [m/s^2], angular acceleration [rad/s^2], without gravity;
            in the axes of the root J qdd + Jd qd, so that qdd = 0 returns Jd qd.

        Raises
        ------
        ExportError, StateError
            As `jacobian` does; a StateError for a motion of a base that is fixed.

        """
        function = self._of_link('frame_motion', link, axes)
        of_base = [base_twist, base_acceleration]
        if not self.loads.moving(self._system):
            if any(each is not None for each in of_base):
                raise StateError('the base is fixed: base_twist and base_acceleration are those '
                                 "of a moving one; set base 'moving'")
            of_base.clear()
        twist, acceleration = function.split(function(q, qd, qdd, *of_base))
        return twist, acceleration

    def _of_link(self, name: str, link: str | None,
                 axes: FrameAxes = FRAME_AXES[0]) -> GeneratedFunction:
        return self._function(name, LinkFrames(() if link is None else (link,), axes))
