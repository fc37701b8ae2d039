"""A robot's efforts as a function, by running the generated text, in Python or compiled from C."""

from __future__ import annotations  # help() shows short names of types

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike

from urdf2dyn_ros.codegen.closing import Closing
from urdf2dyn_ros.codegen.compiled import GeneratedFunction, Values, not_compiled
from urdf2dyn_ros.codegen.generator import LOADS, generate
from urdf2dyn_ros.codegen.languages import CALLABLE
from urdf2dyn_ros.codegen.latex import What, latex
from urdf2dyn_ros.codegen.program import Operations
from urdf2dyn_ros.codegen.signature import FRAME_AXES, ONLY_TIP, FrameAxes, LinkFrames
from urdf2dyn_ros.equations.fewest_operations import for_any_inertia
from urdf2dyn_ros.equations.regressor import BaseParameters, base_parameters
from urdf2dyn_ros.errors import ExportError, ParameterError, StateError
from urdf2dyn_ros.robot.closures import ambiguous, closed
from urdf2dyn_ros.robot.joints import JOINTS
from urdf2dyn_ros.robot.loads import GRAVITY, Loads, Payload, checked_gravity, checked_loads
from urdf2dyn_ros.robot.lock import lock_joints
from urdf2dyn_ros.robot.model import RobotModel
from urdf2dyn_ros.robot.multibody import multibody
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import counted, first_names, listed, printable

if TYPE_CHECKING:   # the reader requires lxml, a model does not
    from urdf2dyn_ros.robot.reader import UrdfSource
    from urdf2dyn_ros.standing import Feet, Standing  # requires scipy

BackEnd: TypeAlias = Literal['auto', 'c', 'python']
BaseName: TypeAlias = Literal['auto', 'fixed', 'moving']
Links: TypeAlias = list[str] | tuple[str, ...]
LoadValues: TypeAlias = ArrayLike | Mapping[str, ArrayLike]   # of external also by link

_HEAD = ('joint', 'unit of q', 'lower', 'upper', 'velocity', 'effort', 'unit of the effort')


_OF_PINOCCHIO = {   # names that users of other libraries try, to ours
    'rnea': 'the call itself, dynamics(q, qd, qdd)',
    'inverse_dynamics': 'the call itself, dynamics(q, qd, qdd)',
    'aba': 'forward_dynamics(q, qd, tau)', 'crba': 'mass_matrix(q)',
    'nle': 'bias(q, qd)', 'nonlineareffects': 'bias(q, qd)',
    'computegeneralizedgravity': 'gravity(q)', 'computecoriolismatrix': 'coriolis_matrix(q, qd)',
    **dict.fromkeys(('computejointtorqueregressor', 'computejointtorquesregressor'),
                    'regressor(q, qd, qdd), with base_parameters'),
    'computerneaderivatives': 'derivatives(q, qd, qdd)',
    'computeabaderivatives': 'forward_dynamics_derivatives(q, qd, tau)',
    **dict.fromkeys(('framesforwardkinematics', 'forwardkinematics'),
                    'forward_kinematics(q, link)'),
    **dict.fromkeys(('computeframejacobian', 'computejointjacobian', 'getframejacobian'),
                    'jacobian(q, link, axes)'),
    'centerofmass': 'centre_of_mass(q, qd)'}


class InverseDynamics:
    """
    tau = ID(q, qd, qdd) of a robot, from its generated equations.

    The equations are generated for a model, gravity and loads, none of which can be set later.
    In every method q, qd, qdd, *load_arguments and **loads are those of a call, and raise the same
    StateError.

    Parameters
    ----------
    model : RobotModel, str, bytes, path or urdf_parser_py's Robot
        A model, or what `read_urdf` reads as one.
    gravity : array_like, (3,)
        Acceleration of gravity [m/s^2], in the root frame; by default (0, 0, -9.81). The efforts
        that it causes are those of the method `gravity`.
    backend : str
        'auto', the default, is 'c' where it can be compiled, else 'python' and a warning in the
        log. 'python' runs the generated Python text. 'c' has the system's C compiler make machine
        code of the same equations, once for a robot and a machine: about a second at 36 joints,
        kept in ~/.cache/urdf2dyn_ros. Beyond 10000 statements (some 200 joints) it is compiled
        without optimisation: a chain of 1000 joints takes half a minute all the same.
    threads : int
        Maximum number of threads of compiled code for a batch (1 to 64); efforts are the same.
    base : str, optional
        'fixed', 'moving' or 'auto', in the place of that of `loads`.
    loads : Loads
        Loads on the joints and links: friction, rotors, springs, external wrenches, a payload, a
        moving base. By default nothing but the tags ``<force>`` of the URDF.
    start : mapping, optional
        Of a robot with closed loops: positions [rad or m] of any joints near a closed pose, from
        which all others are reached. By default the zero pose, if it is one.
    lock : mapping from str to float, optional
        Positions [rad or m] of joints that do not move, as `lock_joints` takes them: they leave
        `joint_names`, and the masses of their links stay.

    Attributes
    ----------
    joint_names : tuple of str
        Independent movable joints, parent before child, siblings in the order of the file; the
        order of every vector below.
    units, effort_units : tuple of str
        'rad' or 'm', 'N m' or 'N'.
    continuous : tuple of bool
        True for the joints whose angle has no limits and may be wrapped by its sensor.
    passive_names : tuple of str
        Joints of closed loops that no motor drives; the order of `close` and of `passive`.
    n : int
        Number of joints in `joint_names`.
    limits : tuple of Limits
        Of each joint in the URDF.
    lower, upper, velocity_limit, effort_limit : ndarray, (n,)
        The same as arrays, infinite where there is none.
    gravity_vector : tuple of float, (3,)
        The parameter `gravity` [m/s^2], in the root frame.
    operations : Operations
        What one evaluation costs: multiplications, additions, functions.
    inputs : tuple of str
        Arguments of a call: q, qd, qdd, then those of base_motion, external, payload that exist.
    loads : Loads
        Those of the parameter, or the default.
    backend : str
        'python' or 'c': what runs.

    Raises
    ------
    UrdfError, SourceError
        As `read_urdf` does.
    CompilerError
        If there is no C compiler or it fails, and `backend` is 'c'.
    ParameterError
        For an unknown back end or number of threads, or loads on, or a lock of, what the robot
        does not have.

    """

    def __init__(self, model: RobotModel | UrdfSource,
                 gravity: ArrayLike = GRAVITY, backend: BackEnd = 'auto',
                 threads: int = 1, base: BaseName | None = None, loads: Loads = LOADS,
                 start: Mapping[str, float] | None = None,
                 lock: Mapping[str, float] | None = None) -> None:
        if not isinstance(model, RobotModel):
            from urdf2dyn_ros.robot.reader import read_urdf
            model = read_urdf(model)
        if lock:
            model = lock_joints(model, lock)
        if start is not None or (model.closures is None and (model.loops or model.couplings)):
            model = closed(model, start)
        if model.closures and model.closures.other:
            raise ambiguous(model.closures)
        gravity = checked_gravity(gravity)
        loads = checked_loads(loads)
        if base is not None:
            loads = replace(loads, base=base)
        self._made_of = (model, gravity, backend, threads, None, loads)   # the start is in model
        self.model, self.gravity_vector, self.loads = model, gravity, loads
        self._system = multibody(model)
        self._requested = backend, threads
        self._functions: dict[tuple[str, LinkFrames], GeneratedFunction] = {}
        self.joint_names = tuple(self._system.joint_names[k] for k in self._system.actuated)
        self.passive_names = model.closures.passive if model.closures else ()
        self._efforts = self._function('inverse_dynamics')
        program = self._efforts.program
        self.units = tuple(row.unit for row in program.independent)
        self.effort_units = tuple(row.effort_unit for row in program.independent)
        self.continuous = tuple(not JOINTS[row.type].bounded for row in program.independent)
        self.limits = tuple(self._system.bodies[body].limits for body in self._system.motors)
        self.n = len(self.joint_names)
        known = np.array([(x.lower, x.upper, x.velocity, x.effort) for x in self.limits],
                         dtype=np.float64).reshape(-1, 4)   # NaN where there is none
        self.lower, self.upper, self.velocity_limit, self.effort_limit = np.where(
            np.isnan(known), (-np.inf, np.inf, np.inf, np.inf), known).T
        self.operations: Operations = program.functions[0].operations
        self.inputs = tuple(x.name for x in self._efforts.inputs if x.name != 'passive')
        self.backend: BackEnd = 'c' if self._efforts.backend == 'c' else 'python'
        self._compiled = not_compiled if self._system.closures else self._efforts.compiled
        self._is_plain = not self._system.closures and len(self._efforts.results) == 1
        self._takes_payload = self._is_plain and self.inputs[3:] == ('payload',)

    def __setattr__(self, name: str, value: object) -> None:
        """Set an attribute that is private, or not set yet: equations do not follow a change."""
        if not name.startswith('_') and hasattr(self, name):
            raise AttributeError(f'{name} cannot be set, as the equations are generated with it: '
                                 'make another InverseDynamics(model, gravity=..., loads=...)')
        super().__setattr__(name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._made_of   # machine code stays where it is

    @property
    def text(self) -> str:
        """The Python source that is run, or that the compiled code agrees with."""
        return self._efforts.text

    @overload
    def __call__(self, q: Values, qd: Values | None = None,
                 qdd: Values | None = None) -> Array: ...

    @overload
    def __call__(self, q: Values, qd: Values | None = None, qdd: Values | None = None,
                 *load_arguments: ArrayLike,
                 **loads: LoadValues) -> Array | tuple[Array, Array]: ...

    def __call__(self, q: Values, qd: Values | None = None, qdd: Values | None = None,
                 *load_arguments: ArrayLike, payload: Any = None,
                 **loads: LoadValues) -> Array | tuple[Array, Array]:
        """
        Return the efforts that a motion requires.

        Parameters
        ----------
        q, qd, qdd : array_like, (n,) or (N, n), or values by the names of the joints
            [rad or m], [rad/s or m/s], [rad/s^2 or m/s^2], of one instant or of N; one instant
            goes with N others. Without qd or qdd they are zero. Names are the keys of a mapping,
            the columns of a DataFrame, the index of a Series, the coordinates of a DataArray or
            the fields of a record: in any order, but all of them and no others.
        *load_arguments, payload, **loads : array_like
            What else `inputs` names, in that order or by name. base_motion, (9,) or (N, 9):
            angular velocity [rad/s], angular acceleration [rad/s^2], and acceleration minus
            gravity [m/s^2] of the origin of the root, in the root frame. external, (6 k,) or
            (N, 6 k): for each link force [N] and moment [N m] on it by the environment, about its
            origin, in its axes; by name also a mapping from links, of which those that are missing
            are free, to (6,) or (N, 6). payload, a `Payload`, (10,) or (N, 10): mass [kg], centre
            [m] in the link, ixx ixy ixz iyy iyz izz [kg m^2] about it. One row of these goes with
            N instants, for all of which it is the same.

        Returns
        -------
        ndarray, (n,) or (N, n)
            Efforts [N m or N].
        ndarray, (6,) or (N, 6)
            With a moving base only: force [N] and moment [N m] that the world must apply at the
            origin of the root, in the root frame.

        Raises
        ------
        StateError
            If arguments are missing or too many, the shapes differ, are neither (n,) nor (N, n),
            names of joints are missing or unknown, an entry is not finite, or an effort is too
            large for floating point.

        """
        # the shortest ways for what is as it should be
        if payload is not None:
            if self._takes_payload and not (loads or load_arguments):
                efforts = self._compiled(
                    q, qd, qdd, payload.numbers if type(payload) is Payload else payload)
                if efforts is not None:
                    return efforts
            loads['payload'] = payload
        if loads or not self._is_plain:
            return self._whole('inverse_dynamics', (q, qd, qdd, *load_arguments), loads)
        efforts = self._compiled(q, qd, qdd, *load_arguments)
        return self._efforts.careful((q, qd, qdd, *load_arguments)) if efforts is None else efforts

    def __getattr__(self, name: str) -> Any:
        known = _OF_PINOCCHIO.get(name.lower(), '')
        raise AttributeError(f'{type(self).__name__!r} has no attribute {name!r}'
                             + (f'; here it is {known}' if known else ''), name=name, obj=self)

    def close(self, q: Values, start: Values | None = None) -> Array:
        """
        Return the positions of the passive joints, which close the loops of a robot.

        Parameters
        ----------
        q : array_like, (n,) or (N, n)
            Positions of the actuated joints. Of N rows each is closed from the one before, the
            first from the start pose.
        start : array_like, (p,) or (N, p), optional
            Positions of the passive joints near those to be found, to begin with.

        Returns
        -------
        ndarray, (p,) or (N, p)
            In the order of `passive_names` [rad or m].

        Raises
        ------
        LoopError
            If the loops do not close there ('open') or are 'singular'.

        """
        return self._loops.close(q, start)

    @property
    def margin(self) -> float:
        """
        Least sine between the columns of the passive joints where loops were closed last.

        It is 1 far from a singular pose, and below 1e-3 there are no efforts; NaN before the first
        pose, and of robots whose loops are linear.
        """
        return self._loops.margin

    # ---- parts of tau = M(q) qdd + bias(q, qd)

    @overload
    def gravity(self, q: Values) -> Array: ...

    @overload
    def gravity(self, q: Values, *load_arguments: ArrayLike,
                **loads: LoadValues) -> Array | tuple[Array, Array]: ...

    def gravity(self, q: Values, *load_arguments: ArrayLike,
                **loads: LoadValues) -> Array | tuple[Array, Array]:
        """
        Return the efforts that hold the robot still against gravity, and loads.

        The acceleration of gravity is `gravity_vector`.

        Returns
        -------
        ndarray, (n,) or (N, n)
            [N m or N]; with a moving base the wrench as well, as `__call__` returns it.

        """
        return self._whole('gravity', (q, *load_arguments), loads)

    @overload
    def bias(self, q: Values, qd: Values | None = None) -> Array: ...

    @overload
    def bias(self, q: Values, qd: Values | None = None, *load_arguments: ArrayLike,
             **loads: LoadValues) -> Array | tuple[Array, Array]: ...

    def bias(self, q: Values, qd: Values | None = None, *load_arguments: ArrayLike,
             **loads: LoadValues) -> Array | tuple[Array, Array]:
        """
        Return the efforts of a motion without accelerations: Coriolis, centrifugal and gravity.

        Returns
        -------
        ndarray, (n,) or (N, n)
            [N m or N]; with a moving base the wrench as well, as `__call__` returns it.

        """
        return self._whole('bias', (q, qd, *load_arguments), loads)

    def terms(self, q: Values, qd: Values | None = None, qdd: Values | None = None,
              *load_arguments: ArrayLike, **loads: LoadValues) -> dict[str, Array]:
        """
        Return the terms whose sum are the efforts.

        Returns
        -------
        dict
            Name to (n,) or (N, n) [N m or N]: gravity, coriolis and inertia of the links, and
            those of friction, rotor, spring and external that there are. With a moving base
            gravity is what the acceleration of its origin requires, gravity included; coriolis
            and inertia hold its angular velocity and angular acceleration.

        """
        function = self._function('terms')
        result = self._run(function, (q, qd, qdd, *load_arguments), loads)
        return {name.removeprefix('tau_'): result[..., where]
                for name, where in function.results.items()}

    def momentum(self, q: Values, qd: Values | None = None,
                 *load_arguments: ArrayLike, **loads: LoadValues) -> tuple[Array, Array, Array]:
        """
        Return the generalised momentum, and what changes it: d/dt p = tau + beta - load.

        Returns
        -------
        p : ndarray, (n,) or (N, n)
            M(q) qd [kg m^2/s or kg m/s], rotors included.
        beta : ndarray, (n,) or (N, n)
            C(q, qd)' qd [N m or N], the derivative of the kinetic energy with respect to q.
        load : ndarray, (n,) or (N, n)
            Efforts of gravity, friction, springs and external wrenches [N m or N].

        Raises
        ------
        ParameterError
            If the base moves: the momentum of what it stands on is not known.

        """
        function = self._function('momentum')
        p, beta, load = function.split(self._run(function, (q, qd, *load_arguments), loads))
        return p, beta, load

    def mass_matrix(self, q: Values, *load_arguments: ArrayLike,
                    **loads: LoadValues) -> Array:
        """
        Return the symmetric matrix M of tau = M(q) qdd + bias(q, qd).

        Of the loads it takes the payload alone.

        Returns
        -------
        ndarray, (n, n) or (N, n, n)
            [kg m^2, kg m or kg].

        """
        return self._run(self._function('mass_matrix'), (q, *load_arguments), loads)

    def coriolis_matrix(self, q: Values, qd: Values, *load_arguments: ArrayLike,
                        **loads: LoadValues) -> Array:
        """
        Return the matrix C of bias(q, qd) = C(q, qd) qd + gravity(q), without friction.

        It is that of Christoffel's symbols: dM/dt - 2 C is skew-symmetric. Rotors are included;
        of the loads it takes the payload alone.

        Returns
        -------
        ndarray, (n, n) or (N, n, n)
            [kg m^2/s, kg m/s or kg/s].

        Raises
        ------
        ParameterError
            If the base moves.

        """
        return self._run(self._function('coriolis_matrix'), (q, qd, *load_arguments), loads)

    def energy(self, q: Values, qd: Values | None = None, *load_arguments: ArrayLike,
               **loads: LoadValues) -> Array:
        """
        Return the kinetic and the potential energy: of gravity, rotors and springs.

        Without friction and external wrenches, their sum changes by qd . tau per second. Of the
        loads it takes the payload alone.

        Returns
        -------
        ndarray, (2,) or (N, 2)
            Kinetic, potential [J]. The latter is zero where the centre of mass of all links, that
            of the root included, is at the origin of the root, and springs are slack.

        Raises
        ------
        ParameterError
            If the base moves: how high it is is not known.

        """
        return self._run(self._function('energy'), (q, qd, *load_arguments), loads)

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

    # ---- accelerations and derivatives

    def forward_dynamics(self, q: Values, qd: Values | None, tau: Values,
                         *load_arguments: ArrayLike, **loads: LoadValues) -> Array:
        """
        Return the accelerations that efforts cause.

        The efforts tau, (n,) or (N, n) [N m or N], include what overcomes friction. With a moving
        base its motion is an input: it does not follow from the efforts.

        Returns
        -------
        ndarray, (n,) or (N, n)
            [rad/s^2 or m/s^2]: `dynamics(q, qd, qdd, *load_arguments)` are the efforts.

        Raises
        ------
        ParameterError
            If the friction of a joint depends on the effort that it transmits, or if what a joint
            moves has no inertia: then no acceleration follows from the efforts.

        """
        return self._run(self._function('forward_dynamics'), (q, qd, tau, *load_arguments), loads)

    def forward_dynamics_derivatives(self, q: Values, qd: Values | None, tau: Values,
                                     *load_arguments: ArrayLike,
                                     **loads: LoadValues) -> tuple[Array, ...]:
        """
        Return the accelerations that efforts cause, and their derivatives; exact, of all terms.

        As `forward_dynamics`, also where it raises a ParameterError.

        Returns
        -------
        qdd : ndarray, (n,) or (N, n)
            Accelerations [rad/s^2 or m/s^2].
        dqdd_dq, dqdd_dqd, Minv : ndarray, (n, n) or (N, n, n)
            Their derivatives with respect to q, qd and tau: rows accelerations, columns joints.
            The last is the inverse of the mass matrix.

        """
        function = self._function('forward_dynamics_derivatives')
        return function.split(self._run(function, (q, qd, tau, *load_arguments), loads))

    def derivatives(self, q: Values, qd: Values | None = None, qdd: Values | None = None,
                    *load_arguments: ArrayLike, **loads: LoadValues) -> tuple[Array, ...]:
        """
        Return the efforts that a motion requires, and their derivatives; exact, of all terms.

        Returns
        -------
        tau : ndarray, (n,) or (N, n)
            Efforts [N m or N].
        dtau_dq, dtau_dqd, M : ndarray, (n, n) or (N, n, n)
            Their derivatives with respect to q, qd and qdd: rows efforts, columns joints. The last
            is the mass matrix.
        wrench, dwrench_dq, dwrench_dqd, dwrench_dqdd : ndarray
            With a moving base only: the wrench (6,) or (N, 6) that `__call__` returns, and its
            derivatives (6, n) or (N, 6, n).

        Raises
        ------
        ParameterError
            If the friction of a joint depends on the effort that it transmits.

        """
        function = self._function('inverse_dynamics_derivatives')
        return function.split(self._run(function, (q, qd, qdd, *load_arguments), loads))

    # ---- links

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
            found = iter(function.split(self._run(function, (q,), {})))
            return dict(zip(link, zip(found, found)))
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
        moving = self if 'base_motion' in self.inputs else InverseDynamics(
            self.model, g, 'python', loads=replace(self.loads, base='moving'))
        efforts, wrench = moving(q, base_motion=np.concatenate((np.zeros(6), -g)), **loads)
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

    # ---- identification: tau = Y(q, qd, qdd) pi

    def regressor(self, q: Values, qd: Values | None = None, qdd: Values | None = None,
                  **passive: Values) -> Array:
        """
        Return Y of tau = Y pi, with pi the values of `base_parameters`.

        The efforts are those of links and gravity; friction, rotors, springs, external wrenches
        and a payload are not in it.

        Parameters
        ----------
        q, qd, qdd, **passive : array_like, (n,) or (N, n)
            As `__call__` takes them.

        Returns
        -------
        ndarray, (n, b) or (N, n, b)
            [N m or N, per unit of pi]; as many columns as the rank for any motion.

        Raises
        ------
        ParameterError
            If the base moves.

        """
        return self._run(self._function('regressor'), (q, qd, qdd), passive)

    @property
    def base_parameters(self) -> BaseParameters:
        """
        The parameters that `regressor` has columns of: names, values, and how links make them.

        Raises
        ------
        ParameterError
            If the base moves.

        """
        self._function('regressor')
        system, _ = for_any_inertia(self._system)
        return base_parameters(system, self.gravity_vector)

    # ---- as formulas, by name, as text

    def latex(self, what: What = 'efforts', symbolic: bool = True) -> str:
        """
        Return equations of up to three joints as LaTeX: an environment aligned, to stand in $$.

        With closed loops, of up to five joints of the tree: phi(q) = 0, J, the equations of the
        tree (with a bar), and how those of the actuated joints follow.

        Parameters
        ----------
        what : str
            efforts: those of a motion; bias: those without accelerations; gravity: those at rest;
            mass_matrix: its upper triangle. Loads and tags ``<force>`` are included as numbers.
        symbolic : bool
            Whether what is not 0 is a symbol: mass m_i, centre r_ix and tensor I_ixx of link i as
            in its ``<inertial>`` (i' of a link fixed to it), g, the place p_ix of joint i in its
            parent link, as in its ``<origin>``, and c_12 of cos(q_1 + q_2); a legend with the
            values is below. Else numbers of six digits.

        Raises
        ------
        ParameterError, MissingLibraryError
            For more joints, loads with arguments of their own, an unknown `what`; without sympy.

        """
        return latex(self._system, self.gravity_vector, self.loads, what, symbolic)

    def function(self, language: str, name: str = 'inverse_dynamics', link: str | None = None,
                 axes: FrameAxes = FRAME_AXES[0]) -> Callable[..., Any]:
        """
        Return a generated function on the arrays of a library.

        Parameters
        ----------
        language : str
            'casadi': columns (n, 1) of SX, MX or DM; 'jax' or 'torch': arrays (..., n), in their
            own precision. Matrices are (n, m), or (..., n, m).
        name : str
            As that of `export_model`: inverse_dynamics, mass_matrix, forward_dynamics ...
        link, axes : str, optional
            For a function about a link, as `jacobian` takes them.

        Returns
        -------
        callable
            Its arguments are q, qd, qdd or tau, those that the function has, then those of
            base_motion, external, payload that exist. It checks nothing.

        Raises
        ------
        ExportError, ParameterError, MissingLibraryError
            For an unknown language, function or link; without the library.

        """
        if language not in CALLABLE:
            raise ExportError(f'functions of {language!r} cannot be called here: choose one of '
                              f'{", ".join(CALLABLE)}, or export_model for the text')
        program = generate(
            self._system, name='robot', style='fast', gravity=self.gravity_vector,
            functions=name, loads=self.loads,
            frames=LinkFrames((link,) if link else (), axes))
        function: Callable[..., Any] = CALLABLE[language].load(program)[program.functions[-1].name]
        return function

    def named(self, values: ArrayLike) -> dict[str, float | Array]:
        """
        Return the entries of a vector by the names of their joints.

        Parameters
        ----------
        values : array_like, (n,) or (N, n)
            Efforts, or any vector in the order of `joint_names`.

        Returns
        -------
        dict
            Name to a number, or to (N,).

        Raises
        ------
        StateError
            If the last axis has not one entry for each joint.

        """
        try:
            array = np.asarray(values)
        except ValueError as error:
            raise StateError(f'values are not an array: {error}') from None
        if array.ndim not in (1, 2) or array.shape[-1] != self.n:
            raise StateError(f'values have shape {array.shape}; it must be ({self.n},) or (N, '
                             f'{self.n}), for the joints {", ".join(self.joint_names)}')
        columns = array.tolist() if array.ndim == 1 else array.T
        return dict(zip(self.joint_names, columns))

    def _about(self) -> str:
        joints = counted(self.n, 'joint') if self.n else 'no joints'
        loads = f', with {", ".join(self.inputs[3:])}' * (len(self.inputs) > 3)
        return f'{printable(self.model.name)!r}, {joints}, backend {self.backend!r}{loads}'

    def __repr__(self) -> str:
        names = first_names([printable(name) for name in self.joint_names], 8)
        return f'<{type(self).__name__} of {self._about()}' + (f': {names}>' if names else '>')

    def _repr_html_(self) -> str:
        rows: list[tuple[str, ...]] = [_HEAD]
        for name, unit, limits, effort_unit in zip(self.joint_names, self.units, self.limits,
                                                   self.effort_units):
            numbers = (limits.lower, limits.upper, limits.velocity, limits.effort)
            rows.append((name, unit, *('' if x is None else f'{x:.5g}' for x in numbers),
                         effort_unit))
        head, *body = (''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in row)
                       for tag, row in zip(('th', *['td'] * len(rows)), rows))
        return (f'<table><caption>{escape(f"{type(self).__name__} of {self._about()}")}</caption>'
                f'<thead><tr>{head}</tr></thead><tbody>'
                + ''.join(f'<tr>{row}</tr>' for row in body) + '</tbody></table>')

    # ---- the generated functions

    def prepare(self, name: str) -> None:
        """Generate the function of this name now, rather than at its first call."""
        self._function(name)

    def _whole(self, name: str, arguments: Sequence[Values | None],
               loads: Mapping[str, LoadValues]) -> Array | tuple[Array, Array]:
        """Return the efforts and, with a moving base, the wrench on the root."""
        function, n = self._function(name), self.n
        result = self._run(function, arguments, loads)
        return result if len(function.results) == 1 else (result[..., :n], result[..., n:])

    def _run(self, function: GeneratedFunction, arguments: Sequence[Values | None],
             loads: Mapping[str, LoadValues]) -> Array:
        """Return what a function returns for arguments in order, and the others by name."""
        names = [x.name for x in function.inputs]
        if 'passive' in names or (self.passive_names and 'passive' in loads):
            q, loads = arguments[0], dict(loads)
            assert q is not None
            passive = self._loops.passive(q, loads.pop('passive', None))
            if 'passive' in names:   # not all that there are are linear
                k = names.index('passive')
                arguments = (*arguments[:k], passive, *arguments[k:])
        if not loads:
            return function(*arguments)
        rest = [name for name in names[len(arguments):] if name != 'base_twist' or name in loads]
        if wrong := sorted({*loads} ^ {*rest}):
            which = [f'{name} is missing' if name in rest else f'there is no {name}'
                     if name not in names else f'{name} is given twice' for name in wrong]
            raise StateError(f'{"; ".join(which)}: the arguments are {", ".join(names)}; links '
                             'with a payload or a wrench are declared: InverseDynamics(..., '
                             "loads=Loads(payload='link1', external=['link2']))")
        return function(*arguments, *(
            self._of_links(loads[name]) if name == 'external' else loads.get(name)
            for name in names[len(arguments):]))

    def _of_links(self, wrenches: LoadValues) -> ArrayLike:
        """Return wrenches by link as one array."""
        if not isinstance(wrenches, Mapping):
            return wrenches
        links = self.loads.external
        if unknown := [link for link in wrenches if link not in links]:
            raise StateError(f'external: no wrench is declared on {listed(unknown)}; the links '
                             f'are {", ".join(links)}')
        try:
            rows = [np.asarray(wrenches.get(link, (0.0,) * 6), np.float64) for link in links]
            if any(row.shape[-1:] != (6,) or row.ndim > 2 for row in rows):
                raise ValueError('the shapes are ' + ', '.join(
                    f'{row.shape} of {link!r}' for link, row in zip(links, rows)))
            return np.concatenate(np.broadcast_arrays(*rows), axis=-1)
        except (TypeError, ValueError) as error:
            raise StateError('external: each wrench must be (6,) or (N, 6), force [N] and moment '
                             f'[N m]: {error}') from None

    def _of_link(self, name: str, link: str | None,
                 axes: FrameAxes = FRAME_AXES[0]) -> GeneratedFunction:
        if not isinstance(link, str | None) or not isinstance(axes, str):
            raise ExportError(f'link is {link!r} and axes is {axes!r}; each must be one name')
        return self._function(name, LinkFrames(() if link is None else (link,), axes))

    @cached_property
    def _loops(self) -> Closing:
        # not before it is needed: it refers to this, which delays the unloading of machine code
        return Closing(self._system, self.passive_names, self._function)

    def _function(self, name: str, frames: LinkFrames = ONLY_TIP) -> GeneratedFunction:
        """Return a function, generated at its first call."""
        function = self._functions.get((name, frames))
        if function is None:
            program = generate(self._system, name='robot', style='fast', functions=name,
                               gravity=self.gravity_vector, loads=self.loads, frames=frames)
            if name == 'regressor':   # the parameters are constants: there is a property
                program = replace(program, functions=tuple(
                    replace(each, results=each.results[:1]) for each in program.functions))
            function = GeneratedFunction(program, name, *self._requested)
            self._functions[name, frames] = function
        return function
