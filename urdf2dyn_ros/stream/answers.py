"""From estimates to efforts: at once, or as soon as what else acts at their instants is known."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import StateError
from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.joint_states.samples import is_finite
from urdf2dyn_ros.stream.output import Output

MAX_WAITING = 2048

Given = Callable[[Estimate], 'tuple[Array, ...] | str | None']
"""What the equations take beside the motion; a key of the stream's OUTCOMES; None: not yet."""


class Answers:
    """
    Computes, in the order of the estimates.

    Parameters
    ----------
    inverse_dynamics, given : callable
        As in `Stream`.
    counters : Counter
        Where those are counted that waited in vain, as ``no_base``.

    """

    def __init__(self, inverse_dynamics: Callable[..., Array | tuple[Array, Array]],
                 given: Given, counters: Counter[str]) -> None:
        self._inverse_dynamics, self._given = inverse_dynamics, given
        self._counters = counters
        self._waiting: deque[tuple[Estimate, Array]] = deque()

    def answer(self, estimate: Estimate, measured: Array) -> Output | str | None:
        """Return what an estimate gives, with the efforts (n,) measured then; None if it waits."""
        result = self._computed(estimate, measured)
        if result is None:
            if len(self._waiting) == MAX_WAITING:
                self._waiting.popleft()
                self._counters['no_base'] += 1
            self._waiting.append((estimate, measured))
        elif isinstance(result, str):   # what the others wait for will not come either
            self.give_up()
        return result

    def resume(self) -> Iterator[Output | str]:
        """Give what those that wait are found to give by now, the oldest first."""
        while self._waiting:
            first = self._waiting.popleft()
            with np.errstate(all='ignore'):   # as in `Stream.receive`
                result = self._computed(*first)
            if result is None:
                self._waiting.appendleft(first)
                return
            yield result

    def give_up(self) -> None:
        """Wait no longer."""
        if self._waiting:
            self._counters['no_base'] += len(self._waiting)
            self._waiting.clear()

    def _computed(self, estimate: Estimate, measured: Array) -> Output | str | None:
        q, qd, qdd = estimate.q, estimate.qd, estimate.qdd
        if not (is_finite(q) and is_finite(qd) and is_finite(qdd)):
            return 'not_finite'
        given = self._given(estimate)
        if given is None or isinstance(given, str):
            return given
        try:
            result = self._inverse_dynamics(q, qd, qdd, *given)
        except (ArithmeticError, StateError):   # efforts too large for floating point
            return 'not_finite'
        effort, wrench = result if isinstance(result, tuple) else (result, None)
        if not is_finite(effort) or (wrench is not None and not is_finite(wrench)):
            return 'not_finite'
        return Output(estimate.stamp, q, qd, qdd, effort, measured, estimate.std, given, wrench)
