"""A robot's efforts as a function, by running the generated text, in Python or compiled from C."""

from __future__ import annotations  # help() shows short names of types

from collections.abc import Callable
from typing import Any, overload

from numpy.typing import ArrayLike

from urdf2dyn_ros.codegen.compiled import Values
from urdf2dyn_ros.codegen.generator import generate
from urdf2dyn_ros.codegen.languages import CALLABLE
from urdf2dyn_ros.codegen.latex import What, latex
from urdf2dyn_ros.codegen.signature import FRAME_AXES, FrameAxes, LinkFrames
from urdf2dyn_ros.equations.fewest_operations import for_any_inertia
from urdf2dyn_ros.equations.regressor import BaseParameters, find_base_parameters
from urdf2dyn_ros.errors import ExportError, ParameterError
from urdf2dyn_ros.generated_robot import LoadValues
from urdf2dyn_ros.link_motion import LinkMotion
from urdf2dyn_ros.robot.loads import Payload
from urdf2dyn_ros.robot.spatial import Array


class InverseDynamics(LinkMotion):
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

    def close(self, q: Values, start: Values | None = None) -> Array:
        """
        Return the positions of the passive joints, which close the loops of a robot.

        Parameters
        ----------
        q : array_like, (n,) or (N, n)
            Positions of the actuated joints. Of N rows each is closed from the one before, the
            first from the pose of the last call if that is within 0.05 rad or m of it, else from
            the start pose.
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
        return find_base_parameters(system, self.gravity_vector)

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


def checked_dynamics(dynamics: object) -> InverseDynamics:
    """Return what is an InverseDynamics, or raise a ParameterError for another class."""
    if isinstance(dynamics, InverseDynamics):
        return dynamics
    raise ParameterError(f'dynamics is a {type(dynamics).__name__}; it must be an '
                         "InverseDynamics, as InverseDynamics('robot.urdf')")
