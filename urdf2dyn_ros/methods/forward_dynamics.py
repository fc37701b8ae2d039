"""Methods that return accelerations."""

from numpy.typing import ArrayLike

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.compiled.named_values import Values
from urdf2dyn_ros.methods.functions import Functions


class ForwardDynamics(Functions):
    """The inverse of tau = ID(q, qd, qdd)."""

    def forward_dynamics(self, q: Values, qd: Values | None, tau: Values,
                         *load_arguments: ArrayLike) -> Array:
        """
        Return the accelerations that efforts cause.

        Parameters
        ----------
        q, qd, tau : array_like, (n,) or (N, n)
            [rad or m], [rad/s or m/s], [N m or N]; the efforts include what overcomes friction.
        *load_arguments : array_like
            As `__call__` takes them. With a moving base its motion is an input as there: it does
            not follow from the efforts.

        Returns
        -------
        ndarray, (n,) or (N, n)
            [rad/s^2 or m/s^2]: `dynamics(q, qd, qdd, *load_arguments)` are the efforts.

        Raises
        ------
        ParameterError
            If the friction of a joint depends on the effort that it transmits, or if what a joint
            moves has no inertia: then no acceleration follows from the efforts.
        StateError
            As `__call__` does.

        """
        return self._function('forward_dynamics')(q, qd, tau, *load_arguments)

    def forward_dynamics_derivatives(self, q: Values, qd: Values | None, tau: Values,
                                     *load_arguments: ArrayLike) -> tuple[Array, ...]:
        """
        Return the accelerations that efforts cause, and their derivatives; exact, of all terms.

        Parameters
        ----------
        q, qd, tau, *load_arguments : array_like
            As `forward_dynamics` takes them.

        Returns
        -------
        qdd : ndarray, (n,) or (N, n)
            Accelerations [rad/s^2 or m/s^2].
        dqdd_dq, dqdd_dqd, Minv : ndarray, (n, n) or (N, n, n)
            Their derivatives with respect to q, qd and tau: rows accelerations, columns joints.
            The last is the inverse of the mass matrix.

        Raises
        ------
        ParameterError, StateError
            As `forward_dynamics` does.

        """
        function = self._function('forward_dynamics_derivatives')
        return function.split(function(q, qd, tau, *load_arguments))
