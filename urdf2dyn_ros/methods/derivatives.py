"""Derivatives of the functions, as matrices."""

from numpy.typing import ArrayLike

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.compiled.named_values import Values
from urdf2dyn_ros.methods.functions import Functions


class Derivatives(Functions):
    """Derivatives with respect to positions, velocities and accelerations."""

    def derivatives(self, q: Values, qd: Values | None = None, qdd: Values | None = None,
                    *load_arguments: ArrayLike) -> tuple[Array, ...]:
        """
        Return the efforts that a motion requires, and their derivatives; exact, of all terms.

        Parameters
        ----------
        q, qd, qdd, *load_arguments : array_like
            As `__call__` takes them.

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
        StateError
            As `__call__` does.

        """
        function = self._function('inverse_dynamics_derivatives')
        return function.split(function(q, qd, qdd, *load_arguments))
