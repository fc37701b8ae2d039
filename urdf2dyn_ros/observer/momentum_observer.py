"""
External efforts from the generalised momentum, without accelerations.

d/dt p = tau + tau_ext + beta - load (see `equations.momentum`), where tau are the measured
efforts. The residual r follows tau_ext as a first-order filter, d/dt r = K (tau_ext - r) (De Luca,
Mattone 2003; Haddadin, De Luca, Albu-Schaeffer 2017). Over a step dt the momentum tells the mean
of tau_ext, p_k - p_(k-1) less the integral of what is known, and the filter's response to a
constant is exact: r_k = exp(-K dt) r_(k-1) + (1 - exp(-K dt)) mean, at any rate and gain.

"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import ParameterError, StateError
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.parameters import Parameter, check_all
from urdf2dyn_ros.quoting import listed

GAIN = 100.0
"""By default [1/s]: 99 % of an effort is seen after 50 ms."""

SETTLED = 5.0
"""Time constants after which a residual that began at zero is within 1 % of the effort."""


class MomentumObserver:
    """
    From positions, velocities and measured efforts to the efforts of what touches the robot.

    Efforts are taken to change linearly between samples. White noise of the velocities of standard
    deviation s becomes one of K s times the norm of row i of the mass matrix, that of an effort
    one of sqrt(K dt / 2) s; errors of the model, as friction and payloads that it does not have,
    pass unchanged.

    Parameters
    ----------
    dynamics : InverseDynamics
        With the friction of the joints if the efforts are those of the motors.
    **parameters
        Values by name; the rows of ``PARAMETERS`` say which.

    Attributes
    ----------
    settling : ndarray of bool, (n,)
        Which residuals began less than 5/K ago: they may still be too small.

    Raises
    ------
    ParameterError
        For an unknown parameter, a value that breaks its rule, or a robot whose base moves.

    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        Parameter('gain', (GAIN,), 'How fast external efforts are followed: 1 over the time '
                  'constant, of all joints or of each. Noise grows with it.', unit='1/s',
                  minimum=0.1, maximum=1e4, any_length=True),
        Parameter('max_gap', 0.1, 'The longest step between samples; after a longer one the '
                  'observer starts afresh.', unit='s', minimum=1e-3, maximum=3600.0),
    )

    def __init__(self, dynamics: InverseDynamics, **parameters: Any) -> None:
        values = check_all(self.PARAMETERS, parameters)
        n = len(dynamics.joint_names)
        self._momentum = dynamics.momentum
        self._carries = 'payload' in dynamics.inputs
        sizes = {'external': 6 * len(dynamics.loads.external), 'payload': 10}
        # made now rather than at the first sample, or refused
        self._momentum(*np.zeros((2, n)), *(np.zeros(sizes.get(x, 9)) for x in dynamics.inputs
                                            if x not in ('q', 'qd', 'qdd')))
        self._gain = of_joints('gain', values['gain'], dynamics.joint_names)
        self._max_gap = round(values['max_gap'] * 1e9)
        self._settled_after = (SETTLED / self._gain * 1e9).astype(np.int64)
        self._payload: Array | None = None
        self._step = 0
        self.reset()

    def reset(self) -> None:
        """Forget every sample: the residuals begin at zero."""
        n = len(self._gain)
        # stamp, p and what is known to change it, of the last sample
        self._last = 0, np.full(n, np.nan), np.full(n, np.nan)
        self._begin = np.zeros(n, dtype=np.int64)
        self._r = np.zeros(n)

    @property
    def settling(self) -> NDArray[np.bool_]:
        """Which residuals may still be too small."""
        flags: NDArray[np.bool_] = self._last[0] - self._begin < self._settled_after
        return flags

    def update(self, stamp: int, q: Array, qd: Array, effort: Array,
               *beside: ArrayLike) -> Array | None:
        """
        Take one sample, and return the external efforts.

        Parameters
        ----------
        stamp : int
            [ns].
        q, qd, effort : ndarray, (n,)
            [rad or m], [rad/s or m/s], measured at this instant [N m or N]; an effort may be NaN.
        *beside : array_like
            External wrenches that are known, payload, as `InverseDynamics` takes them. With
            another payload than before the observer starts afresh.

        Returns
        -------
        ndarray, (n,), or None
            What acts on the joints, J'F, positive along the axis [N m or N]: NaN where the effort
            is not measured. None if it is the first sample, after a gap or a step back in time,
            for the same instant as the last, or if the state is not finite.

        """
        if self._carries:
            payload = np.asarray(beside[-1], dtype=np.float64)
            if self._payload is None or not np.array_equal(payload, self._payload):
                self.reset()
                self._payload = payload.copy()
        try:
            p, beta, load = self._momentum(q, qd, *beside)
        except StateError:
            self.reset()
            return None
        return self._follow(stamp, p, effort + beta - load)

    def _follow(self, stamp: int, p: Array, known: Array) -> Array | None:
        before, p_before, known_before = self._last
        self._last = stamp, p, known
        step = stamp - before
        if not 0 < step <= self._max_gap:
            self._begin[:], self._r = stamp, np.zeros_like(p)
            return None
        if step != self._step:
            self._step, self._gained = step, -np.expm1(-self._gain * (step * 1e-9))
        mean = (p - p_before) / (step * 1e-9) - 0.5 * (known + known_before)
        found: Array = self._r + self._gained * (mean - self._r)
        self._r = found
        if math.isfinite(found.sum()):
            return found.copy()
        lost = ~np.isfinite(found)
        self._begin[lost], self._r = stamp, np.where(lost, 0.0, found)
        return None if lost.all() else np.where(lost, np.nan, found)

    def run(self, stamps: Sequence[int] | NDArray[np.int64], q: Array, qd: Array, effort: Array,
            *beside: ArrayLike) -> Array:
        """
        Take many samples at once, as `update` takes one after the other.

        Parameters
        ----------
        stamps : sequence of int, (N,)
            [ns].
        q, qd, effort : ndarray, (N, n)
        *beside : array_like
            As `InverseDynamics` takes them; the payload the same throughout.

        Returns
        -------
        ndarray, (N, n)
            NaN where `update` returns None.

        Raises
        ------
        StateError
            If a position or velocity is not finite.

        """
        p, beta, load = self._momentum(q, qd, *beside)
        known, stamps = effort + beta - load, np.asarray(stamps)
        stamp, p_before, known_before = self._last
        steps = np.diff(stamps, prepend=stamp)[:, None]
        follows = (steps > 0) & (steps <= self._max_gap)
        dt = np.where(follows, steps * 1e-9, 1.0)
        mean = (np.diff(p, axis=0, prepend=p_before[None]) / dt
                - 0.5 * (known + np.concatenate((known_before[None], known[:-1]))))
        lost = ~(follows & np.isfinite(mean))
        gained = -np.expm1(-self._gain * dt)
        if lost.any():   # then it begins at zero
            mean[lost], gained[lost] = 0.0, 1.0
            newest = len(lost) - 1 - lost[::-1].argmax(axis=0)
            self._begin = np.where(lost.any(axis=0), stamps[newest], self._begin)
        found: Array = np.empty_like(mean)
        r = self._r
        for k in range(len(mean)):
            r = found[k] = r + gained[k] * (mean[k] - r)
        self._r, self._last = r, (int(stamps[-1]), p[-1], known[-1])
        found[lost] = np.nan
        return found


def of_joints(name: str, values: Sequence[float], joint_names: Sequence[str]) -> Array:
    """
    Return a number for each joint, (n,), of one for all or one for each.

    Raises
    ------
    ParameterError
        If there is another number of them.

    """
    n = len(joint_names)
    if len(values) not in (1, n):
        raise ParameterError(f'parameter {name} has {len(values)} entries: it takes one for all '
                             f'joints, or one for each of the {n} joints in their order: '
                             f'{listed(joint_names, 100)}')
    return np.array(np.broadcast_to(values, n), dtype=np.float64)
