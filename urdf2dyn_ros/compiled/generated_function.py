"""One function of a robot as a Python callable: generated text, run as Python or compiled."""

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import accumulate, chain
from typing import Any

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.compiled.backend import choose
from urdf2dyn_ros.compiled.named_values import Values, in_order
from urdf2dyn_ros.errors import StateError
from urdf2dyn_ros.functions.inputs import Input
from urdf2dyn_ros.languages import python
from urdf2dyn_ros.program.generator import uncollected
from urdf2dyn_ros.program.program import Program

_ZERO_BY_DEFAULT = ('qd', 'qdd', 'base_twist', 'base_acceleration')
"""Inputs that are zero if they are None."""


class GeneratedFunction:
    """A function of a program of style fast, for one state or for many."""

    def __init__(self, program: Program, name: str, backend: str, threads: int) -> None:
        function = program.function(name)
        self._name, self._inputs = name, function.inputs
        self._joint_names = [row.name for row in program.independent]
        self._shapes = [result.shape for result in function.results]
        ends = list(accumulate((math.prod(result.shape) for result in function.results),
                               initial=0))
        # where each result is in the value
        self.results = {result.name: slice(first, end)
                        for result, first, end in zip(function.results, ends, ends[1:])}
        self.program = program
        # what runs, 'python' or 'c'; compiled code returns None for what it leaves to `careful`
        self.backend, self.compiled = choose(program, name, backend, threads)
        if self.backend == 'python':
            self._one   # noqa: B018 - made now rather than at the first call

    def __call__(self, *arguments: Values | None) -> Array:
        """
        Return the function's value in new memory: a vector or a matrix, or N of them.

        Several results stand one behind the other, as `results` says.
        Arguments are those of q, qd, qdd that the function depends on, (n,) or (N, n); then, each
        as long as it is, those of base_motion, external and payload that the program has. One row
        of these goes with N states, for all of which it is the same. A StateError for another
        number of arguments, other shapes, an entry that is not finite, or a value that is too
        large for floating point.
        """
        result = self.compiled(*arguments)
        return self.careful(arguments) if result is None else result

    def split(self, value: Array) -> tuple[Array, ...]:
        """Return the results that a value consists of, each a vector or a matrix, or N of them."""
        return tuple(value[..., where].reshape(*value.shape[:-1], *shape)
                     for where, shape in zip(self.results.values(), self._shapes))

    def careful(self, arguments: Sequence[Values | None]) -> Array:
        """Convert what is unusual, or raise; whatever compiled code does not take runs here."""
        if len(arguments) != len(self._inputs):
            names = ', '.join(x.name for x in self._inputs)
            count = f'{len(self._inputs)} argument' + 's' * (len(self._inputs) != 1)
            raise StateError(f'{self._name} takes {count} ({names}); there are {len(arguments)}')
        states = [self._checked(x, values) for x, values in zip(self._inputs, arguments)]
        if any(state.ndim == 2 for state in states):
            states = self._broadcast(states)
        if self.backend == 'c':
            clean = self.compiled(*(np.require(state, requirements=['C', 'A'])
                                    for state in states))
            if clean is not None:
                return clean
        return self._of_one(states) if states[0].ndim == 1 else self._of_many(states)

    def _broadcast(self, states: Sequence[Array]) -> list[Array]:
        """Return all states with N rows; one row goes with N others."""
        rows = next(len(state) for state in states if state.ndim == 2)
        if any(state.ndim == 2 and len(state) != rows for state in states):
            shapes = ', '.join(f'{x.name} {state.shape}'
                               for x, state in zip(self._inputs, states))
            raise StateError(f'the arguments of {self._name} must be one row each or rows of the '
                             f'same number; they have: {shapes}')
        return [np.broadcast_to(state, (rows, state.shape[-1])) for state in states]

    def _of_one(self, states: Sequence[Array]) -> Array:
        try:
            values = self._one(*(state.tolist() for state in states))
            flat = self._flat(values)
        except (ArithmeticError, ValueError):   # exp(1000), 1 / 0; the sine of infinity
            flat = [math.inf]
        if not all(map(math.isfinite, flat)):
            raise self._overflow('this state')
        return self._shaped(np.array(flat, dtype=np.float64))

    def _of_many(self, states: Sequence[Array]) -> Array:
        with np.errstate(all='ignore'):
            flat = self._flat(self._many(*(np.ascontiguousarray(state.T) for state in states)))
        result = np.empty((len(states[0]), len(flat)))
        for k, entry in enumerate(flat):
            result[:, k] = entry
        if not np.isfinite(result).all():
            raise self._overflow(f'state {np.argwhere(~np.isfinite(result))[0][0]}')
        return self._shaped(result)

    def _flat(self, values: list[Any]) -> list[Any]:
        results = values if len(self._shapes) > 1 else [values]
        return [entry for result, shape in zip(results, self._shapes)
                for entry in (chain.from_iterable(result) if len(shape) > 1 else result)]

    def _shaped(self, result: Array) -> Array:
        return result if len(self._shapes) > 1 else result.reshape(
            *result.shape[:-1], *self._shapes[0])

    def _overflow(self, state: str) -> StateError:
        return StateError(f'the result of {self._name} for {state} is too large for floating '
                          'point')

    @cached_property
    def text(self) -> str:
        """The Python source that is run, or that the compiled code agrees with, and its check."""
        with uncollected():
            text, = python.write(self.program).values()
        return text

    @cached_property
    def _code(self) -> Any:
        with uncollected():
            text = python.definitions(self.program)
        return compile(text, f'<{self._name}>', 'exec')

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

    def _checked(self, x: Input, values: Values | None) -> Array:
        name, n = x.name, len(x.entries)
        if values is None and name in _ZERO_BY_DEFAULT:
            return np.zeros(n)
        if x.of_joints:
            values = in_order(name, values, self._joint_names)
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
