"""Where links and the centre of mass are and how they move, and how a robot stands on them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike

from urdf2dyn_ros.codegen.compiled import GeneratedFunction, Values
from urdf2dyn_ros.codegen.signature import FRAME_AXES, FrameAxes, LinkFrames
from urdf2dyn_ros.errors import ExportError, ParameterError, StateError
from urdf2dyn_ros.generated_robot import GeneratedRobot, LoadValues
from urdf2dyn_ros.robot.spatial import Array

if TYPE_CHECKING:
    from urdf2dyn_ros.standing import Feet, Standing  # requires scipy

Links: TypeAlias = list[str] | tuple[str, ...]


class LinkMotion(GeneratedRobot):
    """Its methods are those of `InverseDynamics`."""

    @overload
    def forward_kinematics(self, q: Values, link: str | None = None) -> tuple[Array, Array]: ...

    @overload
    def forward_kinematics(self, q: Values, link: Links) -> dict[str, tuple[Array, Array]]: ...

    def forward_kinematics(self, q: Values, link: str | Links | None = None,
                           ) -> tuple[Array, Array] | dict[str, tuple[Array, Array]]:
        """
        Return the pose of a link relative to the root, or of several.

        Parameters
        ----------
        link : str, or a list or tuple of them, optional
            By default the only tip.

        Returns
        -------
        R : ndarray, (3, 3) or (N, 3, 3)
            root_R_link: rotation from the axes of the link to those of the root.
        p : ndarray, (3,) or (N, 3)
            Position of the origin of the link in the root frame [m]. Of several links, a dict from
            each to its R and p, which share their work.

        Raises
        ------
        ExportError
            For a link that the robot does not have, or several tips and no link.

        """
        if isinstance(link, list | tuple) and all(isinstance(each, str) for each in link):
            function = self._function('forward_kinematics', LinkFrames(tuple(link)))
            poses = iter(function.split(self._run(function, (q,), {})))
            return dict(zip(link, zip(poses, poses)))
        function = self._of_link('forward_kinematics', link)   # type: ignore[arg-type]
        R, p = function.split(self._run(function, (q,), {}))
        return R, p

    def jacobian(self, q: Values, link: str | None = None,
                 axes: FrameAxes = FRAME_AXES[0]) -> Array:
        """
        Return J of twist = J(q) qd, of the origin of a link.

        With a moving base it has six columns more, before the others: twist = J (base_twist, qd)
        relative to the world, with the twist of the root in its axes as `frame_motion` takes it.

        Parameters
        ----------
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

        """
        return self._run(self._of_link('jacobian', link, axes), (q,), {})

    def frame_motion(self, q: Values, qd: Values | None, qdd: Values | None,
                     link: str | None = None, axes: FrameAxes = FRAME_AXES[0],
                     base_twist: ArrayLike | None = None,
                     base_acceleration: ArrayLike | None = None) -> tuple[Array, Array]:
        """
        Return velocity and acceleration of a link, relative to a fixed root or to the world.

        Parameters
        ----------
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
        moving, of_base = self.loads.moving(self._system), (base_twist, base_acceleration)
        if not moving and any(each is not None for each in of_base):
            raise StateError('the base is fixed: base_twist and base_acceleration are those of a '
                             "moving one; set base 'moving'")
        twist, acceleration = function.split(
            self._run(function, (q, qd, qdd, *of_base * moving), {}))
        return twist, acceleration

    def centre_of_mass(self, q: Values, qd: Values | None = None,
                       *load_arguments: ArrayLike,
                       **loads: LoadValues) -> tuple[Array, Array, Array]:
        """
        Return the centre of mass of all links, that of the root included, and how it moves.

        Of the loads it takes base_twist, with a moving base, as `frame_motion` does, and the
        payload, if there is one.

        Returns
        -------
        p : ndarray, (3,) or (N, 3)
            Position [m] in the root frame.
        v : ndarray, (3,) or (N, 3)
            Velocity [m/s] relative to the root, or to the world with a moving base; J qd.
        J : ndarray, (3, n) or (N, 3, n); with a moving base (3, 6 + n) or (N, 3, 6 + n)
            Its Jacobian [m or 1], with the columns that `jacobian` has.

        Raises
        ------
        ParameterError, ExportError
            If no link has a mass; if there is neither a joint nor a moving base.

        """
        function = self._function('centre_of_mass')
        p, v, J = function.split(self._run(function, (q, qd, *load_arguments), loads))
        return p, v, J

    def standing(self, q: Values, feet: Feet, mu: float = 0.6, **loads: LoadValues) -> Standing:
        """
        Return how the robot stands at rest on its feet, with a base that nothing else holds.

        The ground is horizontal under each foot: its normal is opposite to `gravity_vector`, which
        also says how the base is tilted. Forces are those of least norm that balance the robot;
        where they would pull or slip, the least of those that do not.

        Parameters
        ----------
        q : array_like, (n,), or values by the names of the joints
            Positions [rad or m].
        feet : list of str, or dict from str to (float, float)
            Links that touch the ground, at their origin; or with a flat sole about it, of that
            length along x and width along y of the link [m]. None in their place is a point.
        mu : float
            Friction of the ground [-].
        **loads : array_like
            Payload and external wrenches, as a call takes them.

        Returns
        -------
        Standing
            efforts (n,) [N m or N]; wrenches, normal and tangential forces of the feet [N, N m].

        Raises
        ------
        BalanceError
            If no such forces exist: over which edge it would tip, by how much, or that it slips.
        ParameterError, ExportError, StateError
            Without feet, gravity or friction; for an unknown link; as a call does.

        """
        from urdf2dyn_ros.standing import Standing, contact_points, ground_forces
        g: Array = np.array(self.gravity_vector)
        names = [*feet]
        if isinstance(feet, str) or not names or not g.any():
            raise ParameterError('standing needs a list of feet, and gravity')
        moving = self if 'base_motion' in self.inputs else type(self)(
            self.model, g, 'python', loads=replace(self.loads, base='moving'))
        loads['base_motion'] = np.concatenate((np.zeros(6), -g))
        efforts, wrench = moving._whole('inverse_dynamics', (q, None, None), loads)
        if efforts.ndim != 1:
            raise StateError('standing is of one state (n,)')
        poses, up = moving.forward_kinematics(q, names), -g / np.linalg.norm(g)
        points = contact_points(poses, feet)
        forces = ground_forces(points, wrench, up, mu)
        wrenches = {foot: np.zeros(6) for foot in names}
        for (foot, at), force in zip(points, forces):
            wrenches[foot] += np.concatenate((force, np.cross(at - poses[foot][1], force)))
        for foot in names:
            efforts = efforts - moving.jacobian(q, foot)[:, 6:].T @ wrenches[foot]
        normal = {foot: float(each[:3] @ up) for foot, each in wrenches.items()}
        return Standing(efforts, wrenches, normal, {
            foot: float(np.linalg.norm(each[:3] - normal[foot] * up))
            for foot, each in wrenches.items()})

    def _of_link(self, name: str, link: str | None,
                 axes: FrameAxes = FRAME_AXES[0]) -> GeneratedFunction:
        if not isinstance(link, str | None) or not isinstance(axes, str):
            raise ExportError(f'link is {link!r} and axes is {axes!r}; each must be one name')
        return self._function(name, LinkFrames(() if link is None else (link,), axes))
