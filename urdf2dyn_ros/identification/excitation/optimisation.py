"""The motion with the largest log det of the information, by random starts and L-BFGS."""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import IdentificationError
from urdf2dyn_ros.identification.excitation.information import Information
from urdf2dyn_ros.identification.excitation.limits import MotionLimits
from urdf2dyn_ros.identification.low_pass import ROW_RATE
from urdf2dyn_ros.trajectories.rest_series import HARMONICS, period_of, rest_functions

RANDOM_MOTIONS = 100
"""Random motions, the best of which is the reference."""

_SEED = 1997

_STARTS = 3
_STAGES = ((1e3, 40), (1e4, 40), (1e5, 60))
"""Weight of what exceeds limits, and most steps with it; the first one from each start."""

_COARSE, _FINE = 100, 1000
"""Instants of a period, to optimise and to keep the limits."""

_SHARE_OF_LIMITS = 0.995
"""Share of the limits that the optimisation aims at."""

_MOST_SECONDS = 45.0
"""Then the best motion so far is the result."""


class Excitation(NamedTuple):
    """
    A motion of n joints that is at rest at both ends, and what it is worth.

    `log_det` and `deviations` (2, b) are of the information of this motion and of the best of so
    many `random` ones.
    """

    duration: float
    period: float
    middle: Array
    swing: Array
    log_det: tuple[float, float]
    deviations: Array
    random: int
    complete: bool

    def motion(self, times: Array) -> Array:
        """Return positions, velocities and accelerations, (3, T, n), at times [s] (T,)."""
        result = rest_functions(times, self.period) @ self.swing
        result[0] += self.middle
        return result


class _OutOfTimeError(Exception):
    """The optimisation ends with what it has."""


def excite(information: Information, limits: MotionLimits, duration: float,
           show: Callable[[float], None]) -> Excitation:
    """
    Return the motion of a duration [s] within limits with the most information on parameters.

    IdentificationError if gravity alone needs more effort than the limits allow.
    """
    search = _Search(information, limits, period_of(duration), show)
    starts = search.random()
    reference = starts[0]
    optimised = search.optimised(starts[:_STARTS])
    best = max((optimised, reference), key=search.log_det)
    rows = ROW_RATE * duration
    pair = [search.motion(each) for each in (best, reference)]
    one, other = (information.log_det(each) for each in pair)
    return Excitation(duration, search.period, limits.middle, best * limits.half,
                      (one, other),
                      np.array([information.deviations(each, rows) for each in pair]),
                      len(starts), search.complete)


class _Search:
    """Motions are coefficients (f, n) of the functions of time, in units of the half ranges."""

    def __init__(self, information: Information, limits: MotionLimits, period: float,
                 show: Callable[[float], None]) -> None:
        self.period, self.complete = period, True
        self._information, self._limits, self._show = information, limits, show
        self._functions, self._fine = (
            rest_functions(period / count * np.arange(count, dtype=np.float64), period)
            for count in (_COARSE, _FINE))
        self._speed = limits.velocity / limits.half
        self._started = time.monotonic()
        self._steps, self._all = 0, (_STARTS - 1) * _STAGES[0][1] + sum(
            steps for _, steps in _STAGES)

    def motion(self, z: Array) -> Array:
        """Return the motion (3, T, n) of coefficients, at all instants of a period."""
        return self._motion(self._fine, z)

    def log_det(self, z: Array) -> float:
        """Return that of the information of a motion."""
        return self._information.log_det(self._motion(self._functions, z))

    def random(self) -> list[Array]:
        """Return random motions within all limits, the best first."""
        random = np.random.default_rng(_SEED)
        n, starts, worst = len(self._speed), [], np.zeros(len(self._speed))
        k = np.arange(1.0, HARMONICS)
        for _ in range(3 * RANDOM_MOTIONS):
            z = random.normal(size=(2 * HARMONICS - 1, n))
            z[1:] /= np.concatenate((k, k))[:, None]
            z[0] = 0.0
            z *= random.uniform(0.3, 1.0, n) / self._excess(z)
            low, high = (f(self._functions[0] @ z, axis=0) for f in (np.min, np.max))
            z[0] = random.uniform(-1.0 - low, 1.0 - high)
            kept = self._kept(z)
            if kept is not None:
                starts.append(kept)
            else:
                worst = np.maximum(worst, self._effort_excess(z * _only_centre(z)))
            if len(starts) == RANDOM_MOTIONS:
                break
        if not starts:
            number = int(np.argmax(worst))
            name = self._information.joint_names[number]
            raise IdentificationError(
                f'joint {name!r}: at rest, gravity needs up to {worst[number]:.2g} times the '
                'effort that a motion may use; a larger --fraction or a smaller range of '
                'positions (--limits) is needed')
        motions = [self._motion(self._functions, z) for z in starts]
        self._information.set_scale(np.concatenate(motions, axis=1))
        return sorted(starts, key=self.log_det, reverse=True)

    def optimised(self, starts: Sequence[Array]) -> Array:
        """Return the best motion that L-BFGS finds, within all limits."""
        best = starts[0]
        try:
            candidates = []
            for z in starts:
                candidates.append(best := self._minimised(z, *_STAGES[0]))
            best = min(candidates, key=lambda z: self._cost(z.ravel(), _STAGES[0][0])[0])
            for weight, steps in _STAGES[1:]:
                best = self._minimised(best, weight, steps)
        except _OutOfTimeError as error:
            best, self.complete = error.args[0], False
        kept = self._kept(best)
        return starts[0] if kept is None else kept

    def _minimised(self, z: Array, weight: float, steps: int) -> Array:
        from scipy.optimize import minimize

        def step(now: Array) -> None:
            self._steps += 1
            self._show(min(self._steps / self._all, 1.0))
            if time.monotonic() - self._started > _MOST_SECONDS:
                raise _OutOfTimeError(now.reshape(z.shape).copy())
        result = minimize(self._cost, z.ravel(), args=(weight,), jac=True, method='L-BFGS-B',
                          callback=step, options={'maxiter': steps, 'maxcor': 20})
        return np.asarray(result.x.reshape(z.shape))

    def _cost(self, flat: Array, weight: float) -> tuple[float, Array]:
        """Return -log det with what exceeds limits, and its gradient by the coefficients."""
        z = flat.reshape(2 * HARMONICS - 1, -1)
        cost, gradient = self._information.slopes(
            self._motion(self._functions, z), _SHARE_OF_LIMITS * self._limits.effort, weight)
        gradient *= self._limits.half
        shares = self._functions[:2] @ z
        bounds = np.array([np.ones_like(self._speed), self._speed])[:, None] * _SHARE_OF_LIMITS
        ratio = shares / bounds
        beyond = np.sign(ratio) * np.maximum(np.abs(ratio) - 1.0, 0.0)
        cost += weight * float((beyond**2).sum()) / _COARSE
        gradient[:2] += 2.0 * weight / _COARSE * beyond / bounds
        by_z = np.einsum('ktf,ktn->fn', self._functions, gradient)
        return cost, by_z.ravel()

    def _motion(self, functions: Array, z: Array) -> Array:
        result: Array = functions @ (z * self._limits.half)
        result[0] += self._limits.middle
        return result

    def _excess(self, z: Array) -> Array:
        """Return the largest share of each joint's position and velocity limit (n,)."""
        q, qd = np.abs(self._fine[:2] @ z).max(axis=1)
        return np.asarray(np.maximum(np.maximum(q, qd / self._speed), 1e-9))

    def _effort_excess(self, z: Array) -> Array:
        efforts = self._information.efforts(self._motion(self._fine, z))
        return np.asarray(np.abs(efforts / self._limits.effort).max(axis=0))

    def _kept(self, z: Array) -> Array | None:
        """Return a motion made smaller until it keeps all limits; None if it cannot."""
        z = z / np.maximum(self._excess(z), 1.0)
        if (self._effort_excess(z) <= 1.0).all():
            return z
        low, high, centre = 0.0, 1.0, _only_centre(z)
        if (self._effort_excess(z * centre) > 1.0).any():
            return None
        for _ in range(10):
            middle = (low + high) / 2.0
            small = z * np.maximum(centre, middle)
            low, high = ((middle, high) if (self._effort_excess(small) <= 1.0).all()
                         else (low, middle))
        return np.asarray(z * np.maximum(centre, low))


def _only_centre(z: Array) -> Array:
    """Return factors that leave the constant part of a motion alone."""
    return np.eye(len(z))[:, :1]
