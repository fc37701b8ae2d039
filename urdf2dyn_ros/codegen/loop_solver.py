"""The passive joints of a robot with closed loops: closed from pose to pose, and completed."""

import math
from collections.abc import Callable
from contextlib import suppress

import numpy as np

from urdf2dyn_ros.codegen.compiled import GeneratedFunction, Values, in_order
from urdf2dyn_ros.errors import LoopError, StateError
from urdf2dyn_ros.robot.assembly import OPEN, SINGULAR
from urdf2dyn_ros.robot.multibody import Multibody
from urdf2dyn_ros.robot.spatial import Array

_STEP = 0.05   # [rad or m] between poses on the way to another one, at most
_STRAY = 0.5   # share of the first of these steps that all others may take
_MOST_STEPS = 12   # of Newton's method in a pose
_MOST_POSES = 2000   # on the way
_GIVEN = 1e-4   # [m] that positions which are said to close may be open: printed with 4 digits


class LoopSolver:
    """
    Closes the loops of a robot where its actuated joints are.

    The way from one pose to the next is one of small steps, smaller the nearer it comes to a
    singular pose: there two ways to assemble the robot meet, and it cannot be passed without
    choosing one.
    """

    def __init__(self, system: Multibody, names: tuple[str, ...],
                 function: Callable[[str], GeneratedFunction]) -> None:
        self._system, self.names, self._function = system, names, function
        self._unknown = [names.index(system.joint_names[k]) for k in system.unknown]
        # all passive joints of those of the tree: what is linear is a sum
        self._factors, self._offsets = system.joint_rows(names)
        start = dict(system.closed_loops.start) if system.closed_loops else {}
        self._start = tuple(np.array([start.get(system.joint_names[k], 0.0) for k in joints])
                            for joints in (system.actuated, system.unknown))
        self._last = self._start   # closed pose, from which the next one is found if it is near
        self.margin = math.nan   # there

    def close(self, q: Values, start: Values | None = None) -> Array:
        """Return the positions of all passive joints, (p,) or (N, p); rows follow each other."""
        function = self._function('closure' if self._unknown else 'gravity')
        q = function.checked(function.inputs[0], q)
        begin = None if start is None else self._given(start)[..., self._unknown]
        return self.completed(q, self._closed(q, begin) if self._unknown else q[..., :0])

    def completed(self, q: Array, unknown: Array) -> Array:
        """Return all passive positions of the actuated ones and those that are not linear."""
        every = np.zeros((*q.shape[:-1], len(self._system.joint_names)))
        every[..., list(self._system.actuated)] = q
        every[..., list(self._system.unknown)] = unknown
        return np.asarray(every @ self._factors.T + self._offsets)

    def passive(self, q: Values, given: Values | None) -> Array:
        """Return what functions take: closed, or as it is given if that closes the loops."""
        function = self._function('closure' if self._unknown else 'gravity')
        q = function.checked(function.inputs[0], q)
        if given is None:
            return self._closed(q, None)
        every = self._given(given)
        passive = np.ascontiguousarray(every[..., self._unknown])
        away = np.abs(every - self.completed(q, passive))
        if (away > _GIVEN).any():   # of those that are linear
            name = self.names[int(np.atleast_2d(away).max(axis=0).argmax())]
            raise LoopError('open', f'passive {name} is {away.max():.3g} from where it closes '
                            'its loop: close(q) returns positions that do')
        if not self._unknown:
            return passive
        value = np.atleast_2d(function(q, passive))
        gap, margin = np.sqrt(np.abs(value[:, -2:])).T
        if (gap > _GIVEN).any():
            k = int(gap.argmax())
            raise LoopError('open', f'passive{_row(k, q)} leaves the loops open by {gap[k]:.3g} '
                            'm: close(q) returns positions that close them')
        if (margin < SINGULAR).any():
            raise self._singular(int(margin.argmin()), q)
        return passive

    def _given(self, values: Values) -> Array:
        values = in_order('passive', values, self.names)
        array = np.asarray(values, np.float64)
        if array.ndim not in (1, 2) or array.shape[-1] != len(self.names):
            raise StateError(f'passive has shape {array.shape}; it must be ({len(self.names)},) '
                             f'or (N, {len(self.names)}), for the joints {", ".join(self.names)}')
        return array

    def _closed(self, q: Array, begin: Array | None) -> Array:
        """Return passive positions, from the start pose or near positions that are given."""
        rows, poses = np.atleast_2d(q), []
        actuated, passive = self._start
        if begin is None and np.abs(rows[0] - self._last[0]).max(initial=0.0) < _STEP:
            with suppress(LoopError):   # the message before; else from the start, all the same
                passive, _ = self._way(self._last[0], self._last[1], rows[0], 0, q)
                actuated = rows[0]
        for k, row in enumerate(rows):
            if begin is not None and (k == 0 or begin.ndim == 2):
                near = begin if begin.ndim == 1 else begin[k]
                closed = self._newton(row, near)
                if closed is None:
                    raise LoopError('open', f'from start{_row(k, q)} the loops do not close')
                passive, margin = closed
            else:
                passive, margin = self._way(actuated, passive, row, k, q)
            if margin < SINGULAR:
                raise self._singular(k, q)
            actuated, self.margin = row, margin
            poses.append(passive)
        self._last = actuated, passive
        return np.array(poses).reshape(*q.shape[:-1], -1)

    def _way(self, actuated: Array, passive: Array, to: Array, k: int,
             q: Array) -> tuple[Array, float]:
        """Go from a closed pose to other actuated positions."""
        step, margin, before = _STEP, 1.0, passive
        for _ in range(_MOST_POSES):
            away = float(np.abs(to - actuated).max(initial=0.0))
            share = 1.0 if away <= step else step / away
            target = to if share == 1.0 else actuated + share * (to - actuated)
            closed = self._newton(target, passive + (passive - before))
            if closed is not None:
                before = passive if share < 1.0 else closed[0]
                actuated, (passive, margin) = target, closed
                if share == 1.0:
                    return passive, margin
                if margin < SINGULAR:
                    break
                step = min(_STEP, 2.0 * step, 0.3 * margin)
            else:
                step, before = 0.25 * step, passive
                if step < 1e-7:
                    break
        if margin < 30.0 * SINGULAR:
            raise LoopError('open', f'q{_row(k, q)} is out of reach: on the way there the loops '
                            'come to a singular pose, and do not close beyond')
        raise LoopError('open', f'the loops do not close at q{_row(k, q)}')

    def _newton(self, q: Array, passive: Array) -> tuple[Array, float] | None:
        """
        Return positions that close the loops, and the margin, if a few steps find any.

        Other than small steps after a first one lead to another way to assemble the robot.
        """
        function, begin, first = self._function('closure'), passive, passive
        last = math.inf
        for _ in range(_MOST_STEPS):
            try:
                value = function(q, passive)
            except StateError:   # 1 / 0, or nearly
                return None
            gap, margin = float(value[-2]), float(value[-1])
            first = value[:-2] if last == math.inf else first
            if gap < OPEN * OPEN:
                return value[:-2], math.sqrt(max(margin, 0.0))
            if gap > last or np.abs(value[:-2] - first).max() > _STRAY * (
                    _STEP * 1e-3 + np.abs(first - begin).max()):
                return None
            passive, last = value[:-2], max(gap, 1e-3 * last)
        return None

    def _singular(self, k: int, q: Array) -> LoopError:
        return LoopError('singular', f'the loops are singular at q{_row(k, q)}: a passive joint '
                         'can move there while the actuated ones stand still, and efforts have no '
                         'limit')


def _row(k: int, q: Array) -> str:
    return f'[{k}]' if q.ndim == 2 else ''
