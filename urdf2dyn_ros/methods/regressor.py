"""Methods for identification: the regressor, and the base inertial parameters."""

from dataclasses import replace

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.compiled.named_values import Values
from urdf2dyn_ros.equations.base_parameters import BaseParameters, base_parameters
from urdf2dyn_ros.equations.simplification.any_inertia import for_any_inertia
from urdf2dyn_ros.functions.links.link_frames import ONLY_TIP, LinkFrames
from urdf2dyn_ros.methods.functions import Functions
from urdf2dyn_ros.program.program import Program


class RegressorMethods(Functions):
    """Efforts as a product of motion and parameters: tau = Y(q, qd, qdd) pi."""

    def regressor(self, q: Values, qd: Values | None = None, qdd: Values | None = None) -> Array:
        """
        Return Y of tau = Y pi, with pi the values of `base_parameters`.

        The efforts are those of links and gravity; friction, rotors, springs, external wrenches
        and a payload are not in it.

        Parameters
        ----------
        q, qd, qdd : array_like, (n,) or (N, n)
            As `__call__` takes them.

        Returns
        -------
        ndarray, (n, b) or (N, n, b)
            [N m or N, per unit of pi]; as many columns as the rank for any motion.

        Raises
        ------
        ParameterError
            If the base moves.
        StateError
            As `__call__` does.

        """
        return self._function('regressor')(q, qd, qdd)

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

    def _program(self, name: str, frames: LinkFrames = ONLY_TIP) -> Program:
        program = super()._program(name, frames)
        if name != 'regressor':
            return program
        function, = program.functions   # the parameters are constants: there is a property
        return replace(program, functions=(replace(function, results=function.results[:1]),))
