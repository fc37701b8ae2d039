"""Methods for the parts of the equation of motion: gravity, bias, mass matrix, terms, momentum."""

from typing import overload

from numpy.typing import ArrayLike

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.compiled.named_values import Values
from urdf2dyn_ros.methods.functions import Functions


class EquationOfMotion(Functions):
    """Parts of tau = M(q) qdd + bias(q, qd), each a function of its own."""

    @overload
    def gravity(self, q: Values) -> Array: ...

    @overload
    def gravity(self, q: Values, *load_arguments: ArrayLike) -> Array | tuple[Array, Array]: ...

    def gravity(self, q: Values, *load_arguments: ArrayLike) -> Array | tuple[Array, Array]:
        """
        Return the efforts that hold the robot still against gravity, and loads.

        The acceleration of gravity is `gravity_vector`.

        Parameters
        ----------
        q : array_like, (n,) or (N, n), or values by the names of the joints
            [rad or m].
        *load_arguments : array_like
            As `__call__` takes it.

        Returns
        -------
        ndarray, (n,) or (N, n)
            [N m or N]; with a moving base the wrench as well, as `__call__` returns it.

        Raises
        ------
        StateError
            As `__call__` does.

        """
        return self._whole('gravity', q, *load_arguments)

    @overload
    def bias(self, q: Values, qd: Values | None = None) -> Array: ...

    @overload
    def bias(self, q: Values, qd: Values | None,
             *load_arguments: ArrayLike) -> Array | tuple[Array, Array]: ...

    def bias(self, q: Values, qd: Values | None = None,
             *load_arguments: ArrayLike) -> Array | tuple[Array, Array]:
        """
        Return the efforts of a motion without accelerations: Coriolis, centrifugal and gravity.

        Parameters
        ----------
        q, qd : array_like, (n,) or (N, n), or values by the names of the joints
            [rad or m], [rad/s or m/s].
        *load_arguments : array_like
            As `__call__` takes it.

        Returns
        -------
        ndarray, (n,) or (N, n)
            [N m or N]; with a moving base the wrench as well, as `__call__` returns it.

        Raises
        ------
        StateError
            As `__call__` does.

        """
        return self._whole('bias', q, qd, *load_arguments)

    def terms(self, q: Values, qd: Values | None = None, qdd: Values | None = None,
              *load_arguments: ArrayLike) -> dict[str, Array]:
        """
        Return the terms whose sum are the efforts.

        Parameters
        ----------
        q, qd, qdd, *load_arguments : array_like
            As `__call__` takes them.

        Returns
        -------
        dict
            Name to (n,) or (N, n) [N m or N]: gravity, coriolis and inertia of the links, and
            those of friction, rotor, spring and external that there are. With a moving base
            gravity is what the acceleration of its origin requires, gravity included; coriolis
            and inertia hold its angular velocity and angular acceleration.

        Raises
        ------
        StateError
            As `__call__` does.

        """
        function = self._function('terms')
        result = function(q, qd, qdd, *load_arguments)
        return {name.removeprefix('tau_'): result[..., where]
                for name, where in function.results.items()}

    def momentum(self, q: Values, qd: Values | None = None,
                 *load_arguments: ArrayLike) -> tuple[Array, Array, Array]:
        """
        Return the generalised momentum, and what changes it: d/dt p = tau + beta - load.

        Parameters
        ----------
        q, qd, *load_arguments : array_like
            As `__call__` takes them.

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
        StateError
            As `__call__` does.

        """
        function = self._function('momentum')
        result = function(q, qd, *load_arguments)
        p, beta, load = (result[..., where] for where in function.results.values())
        return p, beta, load

    def mass_matrix(self, q: Values, *payload: ArrayLike) -> Array:
        """
        Return the symmetric matrix M of tau = M(q) qdd + bias(q, qd).

        Parameters
        ----------
        q : array_like, (n,) or (N, n), or values by the names of the joints
            [rad or m].
        *payload : array_like, (10,) or (N, 10)
            As `__call__` takes it, if there is one.

        Returns
        -------
        ndarray, (n, n) or (N, n, n)
            [kg m^2, kg m or kg].

        Raises
        ------
        StateError
            As `__call__` does.

        """
        return self._function('mass_matrix')(q, *payload)
