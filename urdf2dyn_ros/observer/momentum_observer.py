"""
External efforts from the generalised momentum, without accelerations.

d/dt p = tau + tau_ext + beta - load (see `equations.momentum`), where tau are the measured
efforts. The residual r follows tau_ext as a first-order filter, d/dt r = K (tau_ext - r) (De Luca,
Mattone 2003; Haddadin, De Luca, Albu-Schaeffer 2017). Over a step dt the mean of tau_ext is the
change of momentum minus the integral of the known efforts, and the filter's response to a
constant is exact: r_k = exp(-K dt) r_(k-1) + (1 - exp(-K dt)) mean, at any rate and gain.
"""

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.counting import counted
from urdf2dyn_ros.errors import ParameterError, StateError
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.parameters import Parameter, check_all
from urdf2dyn_ros.quoting import listed

GAIN = 100.0
"""Default gain [1/s]: the residual reaches 99 % of an effort after 50 ms."""

SETTLING_CONSTANTS = 5.0
"""Time constants after which a residual that began at zero is within 1 % of the effort."""


class MomentumObserver:
    """
    From positions, velocities and measured efforts to external efforts.

    Efforts change linearly between samples. White noise of the velocities with standard deviation
    s becomes noise of K s times the norm of row i of the mass matrix, that of an effort sqrt(K dt
    / 2) s; errors of the model, such as unmodelled friction or payload, pass unchanged.

    Parameters
    ----------
    dynamics : InverseDynamics
        Includes the friction of the joints if the efforts are those of the motors.
    **parameters
        Rows of ``PARAMETERS`` by name.

    Raises
    ------
    ParameterError
        For an unknown parameter, a value that breaks its rule, or a robot whose base moves.

    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        Parameter('gain', (GAIN,), 'Bandwidth of the external efforts: 1 over the time '
                  'constant, for all joints or for each. Noise grows with it.', unit='1/s',
                  minimum=0.1, maximum=1e4, any_length=True),
        Parameter('max_gap', 0.1, 'Longest step between samples; after a longer one the '
                  'observer is reset.', unit='s', minimum=1e-3, maximum=3600.0),
    )

    def __init__(self, dynamics: InverseDynamics, **parameters: ArrayLike) -> None:
        values = check_all(self.PARAMETERS, parameters)
        n = len(dynamics.joint_names)
        self._momentum = dynamics.momentum
        self._has_payload = 'payload' in dynamics.inputs
        sizes = {'external': 6 * len(dynamics.loads.external), 'payload': 10}
        # compiled now rather than at the first sample; raises if the base moves
        self._momentum(*np.zeros((2, n)), *(np.zeros(sizes.get(x, 9)) for x in dynamics.inputs
                                            if x not in ('q', 'qd', 'qdd')))
        self._gain = per_joint('gain', values['gain'], dynamics.joint_names)
        self._max_gap = round(values['max_gap'] * 1e9)
        self._settled_after = (SETTLING_CONSTANTS / self._gain * 1e9).astype(np.int64)
        self._payload: Array | None = None
        self._step = 0
        self.reset()

    def reset(self) -> None:
        """Forget every sample: the residuals begin at zero."""
        n = len(self._gain)
        # stamp, momentum and known efforts of the last sample
        self._last = 0, np.full(n, np.nan), np.full(n, np.nan)
        self._begin = np.zeros(n, dtype=np.int64)
        self._r = np.zeros(n)

    @property
    def settling(self) -> NDArray[np.bool_]:
        """Residuals that began less than 5/K ago and may still be too small, (n,)."""
        return self._last[0] - self._begin < self._settled_after

    def update(self, stamp: int, q: Array, qd: Array, effort: Array,
               *load_arguments: ArrayLike) -> Array | None:
        """
        Add one sample, and return the external efforts.

        Parameters
        ----------
        stamp : int
            [ns].
        q, qd, effort : ndarray, (n,)
            [rad or m], [rad/s or m/s], measured at this instant [N m or N]; an effort may be NaN.
        *load_arguments : array_like
            Known external wrenches and payload, as for `InverseDynamics`. A change of the payload
            resets the observer.

        Returns
        -------
        ndarray, (n,), or None
            External efforts J'F, positive along the axis [N m or N]; NaN where the effort is not
            measured. None at the first sample, after a gap or a step back in time, for the stamp
            of the last sample, or if the state is not finite.

        """
        if self._has_payload:
            payload = np.asarray(load_arguments[-1], dtype=np.float64)
            if self._payload is None or not np.array_equal(payload, self._payload):
                self.reset()
                self._payload = payload.copy()
        try:
            p, beta, load = self._momentum(q, qd, *load_arguments)
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
        residual: Array = self._r + self._gained * (mean - self._r)
        self._r = residual
        if math.isfinite(residual.sum()):
            return residual.copy()
        lost = ~np.isfinite(residual)
        self._begin[lost], self._r = stamp, np.where(lost, 0.0, residual)
        return None if lost.all() else np.where(lost, np.nan, residual)

    def run(self, stamps: Sequence[int] | NDArray[np.int64], q: Array, qd: Array, effort: Array,
            *load_arguments: ArrayLike) -> Array:
        """
        Add N samples at once, with the same result (N, n) as `update` one by one; NaN for None.

        The arguments have a row for each sample; the payload is constant.

        Raises
        ------
        StateError
            If a position or velocity is not finite.

        """
        p, beta, load = self._momentum(q, qd, *load_arguments)
        known, stamps = effort + beta - load, np.asarray(stamps)
        stamp, p_before, known_before = self._last
        steps = np.diff(stamps, prepend=stamp)[:, None]
        follows = (steps > 0) & (steps <= self._max_gap)
        dt = np.where(follows, steps * 1e-9, 1.0)
        mean = (np.diff(p, axis=0, prepend=p_before[None]) / dt
                - 0.5 * (known + np.concatenate((known_before[None], known[:-1]))))
        lost = ~(follows & np.isfinite(mean))
        gained = -np.expm1(-self._gain * dt)
        if lost.any():   # residuals restart at zero
            mean[lost], gained[lost] = 0.0, 1.0
            newest = len(lost) - 1 - lost[::-1].argmax(axis=0)
            self._begin = np.where(lost.any(axis=0), stamps[newest], self._begin)
        residuals: Array = np.empty_like(mean)
        r = self._r
        for k in range(len(mean)):
            r = residuals[k] = r + gained[k] * (mean[k] - r)
        self._r, self._last = r, (int(stamps[-1]), p[-1], known[-1])
        residuals[lost] = np.nan
        return residuals


def per_joint(name: str, values: Sequence[float], joint_names: Sequence[str]) -> Array:
    """Return a number per joint, (n,), from one for all or one for each; else ParameterError."""
    n = len(joint_names)
    if len(values) not in (1, n):
        count = counted(len(values), 'entry', 'entries')
        raise ParameterError(f'parameter {name} has {count}: it takes one for all joints, or '
                             f'one for each in their order ({counted(n, "joint")}: '
                             f'{listed(joint_names, 100)})')
    return np.array(np.broadcast_to(values, n), dtype=np.float64)
