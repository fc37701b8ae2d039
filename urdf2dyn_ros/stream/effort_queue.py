"""Efforts of estimates: at once, or as soon as the motion of the base at their stamps is known."""

from collections import Counter, deque
from collections.abc import Callable, Iterator

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import StateError
from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.joint_states.messages import is_finite
from urdf2dyn_ros.stream.output import Output

MOST_WAITING = 2048
"""Estimates that may wait for base data."""

LoadArguments = Callable[[Estimate], 'tuple[Array, ...] | str | None']
"""Returns the arguments after qdd; a key of the outcomes if they are unknown; None: not yet."""


class EffortQueue:
    """Computes outputs in the order of the estimates; those that wait in vain are ``no_base``."""

    def __init__(self, inverse_dynamics: Callable[..., Array | tuple[Array, Array]],
                 load_arguments: LoadArguments, counters: Counter[str]) -> None:
        self._inverse_dynamics, self._load_arguments = inverse_dynamics, load_arguments
        self._counters = counters
        self._waiting: deque[tuple[Estimate, Array]] = deque()

    def add(self, estimate: Estimate, measured: Array) -> Output | str | None:
        """Return the output of an estimate and its measured efforts (n,); None if it waits."""
        result = self._compute(estimate, measured)
        if result is None:
            if len(self._waiting) == MOST_WAITING:
                self._waiting.popleft()
                self._counters['no_base'] += 1
            self._waiting.append((estimate, measured))
        elif isinstance(result, str):   # the others wait for the same data, in vain
            self.clear()
        return result

    def resume(self) -> Iterator[Output | str]:
        """Yield the outputs of waiting estimates that can be computed by now, oldest first."""
        while self._waiting:
            first = self._waiting.popleft()
            with np.errstate(all='ignore'):   # as in `Stream.receive`
                result = self._compute(*first)
            if result is None:
                self._waiting.appendleft(first)
                return
            yield result

    def clear(self) -> None:
        """Drop all waiting estimates."""
        if self._waiting:
            self._counters['no_base'] += len(self._waiting)
            self._waiting.clear()

    def _compute(self, estimate: Estimate, measured: Array) -> Output | str | None:
        q, qd, qdd = estimate.q, estimate.qd, estimate.qdd
        loads = self._load_arguments(estimate)
        if loads is None:
            return None
        if isinstance(loads, str):
            return loads if all(map(is_finite, (q, qd, qdd))) else 'not_finite'
        try:
            result = self._inverse_dynamics(q, qd, qdd, *loads)
        except StateError:   # the estimate, the efforts or the wrench are not finite
            return 'not_finite'
        effort, wrench = result if isinstance(result, tuple) else (result, None)
        return Output(estimate.stamp, q, qd, qdd, effort, measured, estimate.std, loads, wrench)
