"""A robot's efforts as a function, by running the text that is handed out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from urdf2dyn_ros.equations.generator import GRAVITY, generate
from urdf2dyn_ros.equations.program import Operations
from urdf2dyn_ros.errors import StateError
from urdf2dyn_ros.languages import python
from urdf2dyn_ros.multibody import multibody
from urdf2dyn_ros.robot_model import RobotModel

Array = NDArray[np.float64]


class InverseDynamics:
    """
    tau = ID(q, qd, qdd) of a robot, from its generated equations in Python.

    Parameters
    ----------
    model : RobotModel
    gravity : tuple of float, (3,)
        [m/s^2], in the root frame.

    Attributes
    ----------
    joint_names : tuple of str
        Independent movable joints, parent before child, siblings in the order of the file; the
        order of every vector below.
    units, effort_units : tuple of str
        'rad' or 'm', 'N m' or 'N'.
    continuous : tuple of bool
        True for the joints whose angle has no limits and may be wrapped by who measures it.
    operations : Operations
        What one evaluation costs: multiplications, additions, trigonometric.
    text : str
        The Python source that is run.

    """

    def __init__(self, model: RobotModel,
                 gravity: tuple[float, float, float] = GRAVITY) -> None:
        system = multibody(model)
        program = generate(system, robot=model.name, name='robot', style='fast', gravity=gravity)
        self.model = model
        self.gravity_vector = gravity
        self.joint_names = system.joint_names
        self.units = tuple(row.unit for row in program.independent)
        self.effort_units = tuple(row.effort_unit for row in program.independent)
        self.continuous = tuple(row.type == 'continuous' for row in program.independent)
        self.operations: Operations = program.function('inverse_dynamics').operations
        self.text = python.write(program)['robot_dynamics.py']
        code = compile(self.text, '<inverse dynamics>', 'exec')
        self._one = _function(code)
        self._many = _function(code, cos=np.cos, sin=np.sin)

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
        states = [self._checked(name, values)
                  for name, values in zip(('q', 'qd', 'qdd'), (q, qd, qdd))]
        if states[0].shape != states[1].shape or states[0].shape != states[2].shape:
            shapes = ', '.join(f'{name} {state.shape}'
                               for name, state in zip(('q', 'qd', 'qdd'), states))
            raise StateError(f'q, qd and qdd must have the same shape; they have: {shapes}')
        if states[0].ndim == 1:
            efforts = self._one(*(state.tolist() for state in states))
            if not all(map(math.isfinite, efforts)):
                raise StateError('the efforts of this state are too large for floating point')
            return np.array(efforts, dtype=np.float64)
        result = np.empty(states[0].shape)
        with np.errstate(all='ignore'):
            columns = self._many(*(np.ascontiguousarray(state.T) for state in states))
        for k, column in enumerate(columns):
            result[:, k] = column
        if not np.isfinite(result).all():
            k = int(np.argwhere(~np.isfinite(result))[0][0])
            raise StateError(f'the efforts of state {k} are too large for floating point')
        return result

    def _checked(self, name: str, values: ArrayLike) -> Array:
        try:
            if np.iscomplexobj(values):
                raise TypeError('complex numbers')
            state = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise StateError(f'{name} is not an array of numbers: {error}') from None
        n = len(self.joint_names)
        if state.ndim not in (1, 2) or state.shape[-1] != n:
            names = ', '.join(self.joint_names)
            raise StateError(f'{name} has shape {state.shape}; it must be ({n},) or (N, {n}), '
                             f'for the joints {names}')
        # for one state plain Python is faster than numpy
        finite = (all(map(math.isfinite, state.tolist())) if state.ndim == 1
                  else np.isfinite(state).all())
        if not finite:
            where = np.argwhere(~np.isfinite(state))[0]
            raise StateError(f'{name}{[int(k) for k in where]} is {state[tuple(where)]}: the '
                             f'value for joint {self.joint_names[where[-1]]!r} must be finite')
        return state


def _function(code: Any, **replaced: Any) -> Callable[..., list[Any]]:
    namespace: dict[str, Any] = {'__name__': 'robot_dynamics'}
    exec(code, namespace)
    namespace.update(replaced)
    function: Callable[..., list[Any]] = namespace['inverse_dynamics']
    return function
