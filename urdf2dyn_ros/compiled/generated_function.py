"""One function of a robot as a Python callable: generated text, run as Python or compiled."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.compiled.backend import choose
from urdf2dyn_ros.errors import StateError
from urdf2dyn_ros.functions.inputs import Input
from urdf2dyn_ros.languages import python
from urdf2dyn_ros.program.generator import uncollected
from urdf2dyn_ros.program.program import Program


class GeneratedFunction:
    """
    A function of a program of style fast, for one state or for many.

    Attributes
    ----------
    backend : str
        'python' or 'c': what runs.
    compiled : callable
        The compiled function; it returns None for what it leaves to `careful`.
    results : dict
        Name of each result to where it is in the value.

    """

    def __init__(self, program: Program, name: str, backend: str, threads: int) -> None:
        function = program.function(name)
        self._name, self._inputs = name, function.inputs
        self._is_matrix = function.results[0].is_matrix
        self._joint_names = [row.name for row in program.independent]
        self.results: dict[str, slice] = {}
        size = 0
        for result in function.results:
            self.results[result.name] = slice(size, size + len(result.rows))
            size += len(result.rows)
        self._size = size
        self._program = program
        self.backend, self.compiled = choose(program, name, backend, threads)
        if self.backend == 'python':
            self._one   # noqa: B018 - made now rather than at the first call

    def __call__(self, *given: ArrayLike) -> Array:
        """
        Return the function's value, (n,) or (N, n), or (n, n) or (N, n, n), in new memory.

        Several results stand one behind the other, as `results` says.
        Given are those of q, qd, qdd that the function depends on, (n,) or (N, n); then, each as
        long as it is, those of base_motion, external and payload that the program has. One row of
        these goes with N states, for all of which it is the same.

        Raises
        ------
        StateError
            If there are more or fewer, the shapes differ, are neither (n,) nor (N, n), an entry
            is not finite, or the value is too large for floating point.

        """
        result = self.compiled(*given)
        return self.careful(given) if result is None else result

    def careful(self, given: Sequence[ArrayLike]) -> Array:
        """Convert what is unusual, or raise; whatever compiled code does not take runs here."""
        if len(given) != len(self._inputs):
            names = ', '.join(x.name for x in self._inputs)
            raise StateError(f'{self._name} takes {len(self._inputs)} arguments ({names}); there '
                             f'are {len(given)}')
        states = [self._checked(x, values) for x, values in zip(self._inputs, given)]
        states = [np.broadcast_to(state, (*states[0].shape[:-1], state.size))
                  if state.ndim == 1 and not x.of_joints else state
                  for x, state in zip(self._inputs, states)]
        if any(state.shape[:-1] != states[0].shape[:-1] for state in states):
            shapes = ', '.join(f'{x.name} {state.shape}'
                               for x, state in zip(self._inputs, states))
            *most, last = (x.name for x in self._inputs)
            same = ('the same shape' if all(x.of_joints for x in self._inputs) else
                    'rows of the same number')
            raise StateError(f'{", ".join(most)} and {last} must have {same}; they have: {shapes}')
        if self.backend == 'c':
            clean = self.compiled(*(np.require(state, requirements=['C', 'A'])
                                     for state in states))
            if clean is not None:
                return clean
        return self._of_one(states) if states[0].ndim == 1 else self._of_many(states)

    def _of_one(self, states: Sequence[Array]) -> Array:
        nested = self._is_matrix or len(self.results) > 1
        try:
            values = self._one(*(state.tolist() for state in states))
            flat = [entry for row in values for entry in row] if nested else values
        except (OverflowError, ValueError):   # exp(1000); the sine of infinity
            flat = [math.inf]
        if not all(map(math.isfinite, flat)):
            raise StateError(f'the result of {self._name} for this state is too large for '
                             'floating point')
        result = np.array(flat, dtype=np.float64)
        n = len(self._joint_names)
        return result.reshape(n, n) if self._is_matrix else result

    def _of_many(self, states: Sequence[Array]) -> Array:
        number, n = states[0].shape
        result = np.empty((number, n, n) if self._is_matrix else (number, self._size))
        with np.errstate(all='ignore'):
            values = self._many(*(np.ascontiguousarray(state.T) for state in states))
        if len(self.results) > 1:
            values = [entry for vector in values for entry in vector]
        for k, value in enumerate(values):
            if self._is_matrix:
                for j, entry in enumerate(value):
                    result[:, k, j] = entry
            else:
                result[:, k] = value
        if not np.isfinite(result).all():
            k = int(np.argwhere(~np.isfinite(result))[0][0])
            raise StateError(f'the result of {self._name} for state {k} is too large for '
                             'floating point')
        return result

    @cached_property
    def text(self) -> str:
        """The Python source that is run, or that the compiled code agrees with."""
        with uncollected():
            text, = python.write(self._program).values()
        return text

    @cached_property
    def _code(self) -> Any:
        return compile(self.text, f'<{self._name}>', 'exec')

    @cached_property
    def _one(self) -> Callable[..., list[Any]]:
        return self._defined()

    @cached_property
    def _many(self) -> Callable[..., list[Any]]:
        return self._defined(cos=np.cos, sin=np.sin, tanh=np.tanh, exp=np.exp)

    def _defined(self, **replaced: Any) -> Callable[..., list[Any]]:
        namespace: dict[str, Any] = {'__name__': 'robot_dynamics'}
        exec(self._code, namespace)
        namespace.update(replaced)
        function: Callable[..., list[Any]] = namespace[self._name]
        return function

    def _checked(self, x: Input, values: ArrayLike) -> Array:
        name, n = x.name, len(x.entries)
        try:
            if np.ma.is_masked(values):
                raise TypeError('some of it is masked')
            kind = np.asarray(values).dtype.kind
            if kind not in 'biufO':
                raise TypeError(f'its type is {np.asarray(values).dtype}')
            state = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise StateError(f'{name} is not an array of numbers: {error}') from None
        if state.ndim not in (1, 2) or state.shape[-1] != n:
            what = (f'for the joints {", ".join(self._joint_names)}' if x.of_joints else x.summary)
            raise StateError(f'{name} has shape {state.shape}; it must be ({n},) or (N, {n}), '
                             f'{what}')
        # for one state plain Python is faster than numpy
        finite = (all(map(math.isfinite, state.tolist())) if state.ndim == 1
                  else np.isfinite(state).all())
        if not finite:
            where = np.argwhere(~np.isfinite(state))[0]
            whose = (f' for joint {self._joint_names[where[-1]]!r}' if x.of_joints else
                     f' of {x.entries[where[-1]]}')
            raise StateError(f'{name}{[int(k) for k in where]} is {state[tuple(where)]}: the '
                             f'value{whose} must be finite')
        return state
