"""A robot's efforts as a function, by running the generated text, in Python or compiled from C."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

from numpy.typing import ArrayLike

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.compiled.named_values import Values
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.loads import Loads
from urdf2dyn_ros.methods.derivatives import Derivatives
from urdf2dyn_ros.methods.equation_of_motion import EquationOfMotion
from urdf2dyn_ros.methods.forward_dynamics import ForwardDynamics
from urdf2dyn_ros.methods.kinematics import Kinematics
from urdf2dyn_ros.methods.latex import Latex
from urdf2dyn_ros.methods.regressor import RegressorMethods
from urdf2dyn_ros.methods.views import Views
from urdf2dyn_ros.parameters.gravity import GRAVITY, checked_gravity
from urdf2dyn_ros.program.function import Operations
from urdf2dyn_ros.program.generator import LOADS, uncollected
from urdf2dyn_ros.robot_model import RobotModel

if TYPE_CHECKING:   # the reader requires lxml, a model does not
    from urdf2dyn_ros.urdf.sources import UrdfSource

BackEnd: TypeAlias = Literal['auto', 'c', 'python']
BaseName: TypeAlias = Literal['auto', 'fixed', 'moving']


class InverseDynamics(EquationOfMotion, ForwardDynamics, Derivatives, Kinematics,
                      RegressorMethods, Views, Latex):
    """
    tau = ID(q, qd, qdd) of a robot, from its generated equations.

    The equations are generated for a model, gravity and loads, none of which can be set later.

    Parameters
    ----------
    model : RobotModel, str, bytes, path, open file or urdf_parser_py's Robot
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
        Compiled code uses at most so many for a batch, 1 to 64. The efforts do not depend on it.
    base : str, optional
        'fixed', 'moving' or 'auto', in the place of that of `loads`.
    loads : Loads
        Loads on the joints and links: friction, rotors, springs, external wrenches, a payload, a
        moving base. By default nothing but the tags ``<force>`` of the URDF.

    Attributes
    ----------
    joint_names : tuple of str
        Independent movable joints, parent before child, siblings in the order of the file; the
        order of every vector below.
    units, effort_units : tuple of str
        'rad' or 'm', 'N m' or 'N'.
    continuous : tuple of bool
        True for the joints whose angle has no limits and may be wrapped by its sensor.
    limits : tuple of Limits
        Of each joint in the URDF.
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
        For an unknown back end or number of threads, or loads on what the robot does not have.

    """

    @uncollected()
    def __init__(self, model: 'RobotModel | UrdfSource',
                 gravity: ArrayLike = GRAVITY, backend: BackEnd = 'auto',
                 threads: int = 1, base: BaseName | None = None, loads: Loads = LOADS) -> None:
        if not isinstance(model, RobotModel):
            from urdf2dyn_ros.urdf.sources import read_urdf
            model = read_urdf(model)
        gravity = checked_gravity(gravity)
        if not isinstance(loads, Loads):
            raise ParameterError(f'loads is a {type(loads).__name__}; it must be of the class '
                                 "urdf2dyn_ros.loads.Loads: Loads(terms={'joint1': [...]})")
        if base is not None:
            loads = replace(loads, base=base)
        self._made_of = (model, gravity, backend, threads, None, loads)
        super().__init__(model, gravity, backend, threads, loads)
        self._efforts = self._function('inverse_dynamics')
        program = self._efforts.program
        self.units = tuple(row.unit for row in program.independent)
        self.effort_units = tuple(row.effort_unit for row in program.independent)
        self.continuous = tuple(row.type == 'continuous' for row in program.independent)
        self.limits = tuple(self._system.bodies[body].limits for body in self._system.drivers)
        function = program.function('inverse_dynamics')
        self.operations: Operations = function.operations
        self.inputs = tuple(x.name for x in function.inputs)
        self.backend: BackEnd = 'c' if self._efforts.backend == 'c' else 'python'
        self._compiled = self._efforts.compiled

    @property
    def text(self) -> str:
        """The Python source that is run, or that the compiled code agrees with."""
        return self._efforts.text

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._made_of   # machine code stays where it is

    @overload
    def __call__(self, q: Values, qd: Values | None = None,
                 qdd: Values | None = None) -> Array: ...

    @overload
    def __call__(self, q: Values, qd: Values | None, qdd: Values | None,
                 *load_arguments: ArrayLike) -> Array | tuple[Array, Array]: ...

    def __call__(self, q: Values, qd: Values | None = None, qdd: Values | None = None,
                 *load_arguments: ArrayLike) -> Array | tuple[Array, Array]:
        """
        Return the efforts that a motion requires.

        Parameters
        ----------
        q, qd, qdd : array_like, (n,) or (N, n), or values by the names of the joints
            [rad or m], [rad/s or m/s], [rad/s^2 or m/s^2], of one instant or of N; one instant
            goes with N others. Without qd or qdd they are zero. Names are the keys of a mapping,
            the columns of a DataFrame, the index of a Series, the coordinates of a DataArray or
            the fields of a record: in any order, but all of them and no others.
        *load_arguments : array_like
            What else `inputs` names. base_motion, (9,) or (N, 9): angular velocity [rad/s],
            angular acceleration [rad/s^2], and acceleration minus gravity [m/s^2] of the origin
            of the root, in the root frame. external, (6 k,) or (N, 6 k): for each link force [N]
            and moment [N m] on it by the environment, about its origin, in its axes. payload,
            (10,) or (N, 10): mass [kg], centre [m] in the link, ixx ixy ixz iyy iyz izz [kg m^2]
            about it. One row of these goes with N instants, for all of which it is the same.

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
        if load_arguments:
            return self._whole('inverse_dynamics', q, qd, qdd, *load_arguments)
        efforts = self._compiled(q, qd, qdd)   # the shortest way for what is as it should be
        return self._efforts.careful((q, qd, qdd)) if efforts is None else efforts
