"""A robot's efforts as a function, by running the text that is handed out or its C twin."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from urdf2dyn_ros.equations.generator import GRAVITY, generate
from urdf2dyn_ros.equations.program import Operations, Program
from urdf2dyn_ros.generated_function import Array, GeneratedFunction
from urdf2dyn_ros.multibody import multibody
from urdf2dyn_ros.robot_model import RobotModel


class InverseDynamics:
    """
    tau = ID(q, qd, qdd) of a robot, from its generated equations.

    Parameters
    ----------
    model : RobotModel
    gravity : tuple of float, (3,)
        [m/s^2], in the root frame.
    backend : str
        'python' runs the generated Python text. 'c' has the system's C compiler make machine
        code of the same equations, once for a robot and a machine: about a second at 36 joints,
        kept in ~/.cache/urdf2dyn_ros. Beyond 10000 statements (some 200 joints) it is compiled
        without optimisation: a chain of 1000 joints takes half a minute all the same. 'auto' is
        'c' where it can be compiled, else 'python' and a warning in the log.
    threads : int
        Compiled code uses at most so many for a batch, 1 to 64. The efforts do not depend on it.

    Attributes
    ----------
    joint_names : tuple of str
        Independent movable joints, parent before child, siblings in the order of the file; the
        order of every vector below.
    units, effort_units : tuple of str
        'rad' or 'm', 'N m' or 'N'.
    continuous : tuple of bool
        True for the joints whose angle has no limits and may be wrapped by who measures it.
    limits : tuple of Limits
        Of each joint in the URDF.
    gravity_vector : tuple of float, (3,)
        [m/s^2], in the root frame.
    operations : Operations
        What one evaluation costs: multiplications, additions, trigonometric.
    backend : str
        'python' or 'c': what runs.

    Raises
    ------
    CompilerError
        If there is no C compiler or it fails, and `backend` is 'c'.
    ParameterError
        For an unknown back end or number of threads.

    """

    def __init__(self, model: RobotModel,
                 gravity: tuple[float, float, float] = GRAVITY, backend: str = 'python',
                 threads: int = 1) -> None:
        self._made_of = (model, gravity, backend, threads)
        self.model = model
        self.gravity_vector = gravity
        self._system = multibody(model)
        self._functions: dict[str, GeneratedFunction] = {}
        program = self._program('inverse_dynamics')
        self.joint_names = self._system.joint_names
        self.units = tuple(row.unit for row in program.independent)
        self.effort_units = tuple(row.effort_unit for row in program.independent)
        self.continuous = tuple(row.type == 'continuous' for row in program.independent)
        self.limits = tuple(self._system.bodies[body].limits for body in self._system.drivers)
        self.operations: Operations = program.function('inverse_dynamics').operations
        self._efforts = GeneratedFunction(program, 'inverse_dynamics', backend, threads)
        self.backend = self._efforts.backend
        self._compiled = self._efforts.compiled

    @property
    def text(self) -> str:
        """The Python source that is run, or that the compiled code agrees with."""
        return self._efforts.text

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._made_of   # machine code stays where it is

    def __call__(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> Array:
        """
        Return the efforts that a motion requires.

        Parameters
        ----------
        q, qd, qdd : array_like, (n,) or (N, n)
            [rad or m], [rad/s or m/s], [rad/s^2 or m/s^2], of one instant or of N.

        Returns
        -------
        ndarray, (n,) or (N, n)
            [N m or N].

        Raises
        ------
        StateError
            If the shapes differ, are neither (n,) nor (N, n), an entry is not finite, or an
            effort is too large for floating point.

        """
        efforts = self._compiled(q, qd, qdd)   # the shortest way for what is as it should be
        return self._efforts.careful((q, qd, qdd)) if efforts is None else efforts

    def gravity(self, q: ArrayLike) -> Array:
        """
        Return the efforts that hold the robot still.

        Parameters
        ----------
        q : array_like, (n,) or (N, n)
            [rad or m].

        Returns
        -------
        ndarray, (n,) or (N, n)
            [N m or N].

        Raises
        ------
        StateError
            As `__call__` does.

        """
        return self._function('gravity')(q)

    def bias(self, q: ArrayLike, qd: ArrayLike) -> Array:
        """
        Return the efforts of a motion without accelerations: Coriolis, centrifugal and gravity.

        Parameters
        ----------
        q, qd : array_like, (n,) or (N, n)
            [rad or m], [rad/s or m/s].

        Returns
        -------
        ndarray, (n,) or (N, n)
            [N m or N].

        Raises
        ------
        StateError
            As `__call__` does.

        """
        return self._function('bias')(q, qd)

    def mass_matrix(self, q: ArrayLike) -> Array:
        """
        Return the symmetric matrix M of tau = M(q) qdd + bias(q, qd).

        Parameters
        ----------
        q : array_like, (n,) or (N, n)
            [rad or m].

        Returns
        -------
        ndarray, (n, n) or (N, n, n)
            [kg m^2, kg m or kg].

        Raises
        ------
        StateError
            As `__call__` does.

        """
        return self._function('mass_matrix')(q)

    def _program(self, name: str) -> Program:
        return generate(self._system, robot=self.model.name, name='robot', style='fast',
                        gravity=self.gravity_vector, functions=name)

    def _function(self, name: str) -> GeneratedFunction:
        """Return a function, written when it is first asked for."""
        if name not in self._functions:
            _, _, backend, threads = self._made_of
            self._functions[name] = GeneratedFunction(self._program(name), name, backend, threads)
        return self._functions[name]
