"""Measured against computed effort, joint by joint, at the same instants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.comparison.credibility import doubt
from urdf2dyn_ros.comparison.series import Array, Series

Stamps = NDArray[np.int64]

LONGEST_GAP = 100_000_000
"""Time between two measured samples [ns] over which none is interpolated."""


@dataclass(frozen=True)
class JointComparison:
    """
    What is known of one joint.

    Attributes
    ----------
    joint, unit : str
    stamps : ndarray of int, (k,)
        [ns].
    measured, computed : ndarray, (k,)
        Efforts at those instants, the measured ones interpolated [unit].
    doubt : str
        Why no figure is given; empty if the efforts are credible.
    rmse, max_error : float
        Of measured minus computed [unit]; like the next two, NaN where there is a doubt.
    nrmse : float
        RMSE divided by the range of the measured effort [-].
    r2 : float
        Share of the variance of the measured effort that is explained [-].

    """

    joint: str
    unit: str
    stamps: Stamps
    measured: Array
    computed: Array
    doubt: str
    rmse: float = np.nan
    max_error: float = np.nan
    nrmse: float = np.nan
    r2: float = np.nan

    @property
    def samples(self) -> int:
        """How many instants were compared."""
        return len(self.stamps)

    @property
    def residual(self) -> Array:
        """Measured minus computed, (k,) [unit]."""
        return self.measured - self.computed


class Comparison:
    """
    Takes measured and computed efforts as they come, and compares those of the same instant.

    The order and the time of arrival do not matter: at the stamp of every computed effort the
    measured one is interpolated between its neighbours in time.

    Parameters
    ----------
    capacity : int
        Samples kept of each joint and side; of more, the newest.

    """

    def __init__(self, capacity: int = 60_000) -> None:
        self._capacity = capacity
        self._measured: dict[str, Series] = {}
        self._computed: dict[str, Series] = {}
        self.units: Mapping[str, str] = {}

    def add_measured(self, stamp: int, names: Sequence[str], efforts: Sequence[float]) -> None:
        """Take efforts [N m or N] measured at `stamp` [ns]; NaN means not measured."""
        self._add(self._measured, stamp, names, efforts)

    def add_computed(self, stamp: int, names: Sequence[str], efforts: Sequence[float]) -> None:
        """Take efforts [N m or N] computed for the instant `stamp` [ns]."""
        self._add(self._computed, stamp, names, efforts)

    def _add(self, side: dict[str, Series], stamp: int, names: Sequence[str],
             efforts: Sequence[float]) -> None:
        for name, effort in zip(names, efforts, strict=True):
            if name not in side:
                if len(side) >= 1000:  # a publisher with ever new names must not fill the memory
                    continue
                side[name] = Series(self._capacity)
            side[name].append(stamp, effort)

    def joints(self) -> tuple[JointComparison, ...]:
        """Compare every joint with a computed effort, in the order of their first message."""
        return tuple(self._compare(name) for name in self._computed)

    def _compare(self, name: str) -> JointComparison:
        unit = self.units.get(name, 'N m | N')
        stamps, computed = self._computed[name].values()
        if name not in self._measured:
            empty = np.empty(0)
            return JointComparison(name, unit, stamps[:0], empty, empty, 'no measured effort')
        measured, valid = _interpolated(stamps, *self._measured[name].values())
        stamps, computed, measured = stamps[valid], computed[valid], measured[valid]
        reason = doubt(stamps, measured, computed)
        if reason:
            return JointComparison(name, unit, stamps, measured, computed, reason)
        error = measured - computed
        rmse = float(np.sqrt(np.mean(error**2)))
        spread = np.sum((measured - measured.mean())**2)
        return JointComparison(
            name, unit, stamps, measured, computed, '', rmse, float(np.abs(error).max()),
            rmse / float(np.ptp(measured)), float(1.0 - np.sum(error**2) / spread))


def _interpolated(at: Stamps, stamps: Stamps,
                  values: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Return the values at other stamps, and where they have close neighbours on both sides."""
    if len(stamps) == 0 or len(at) == 0:
        return np.zeros(len(at)), np.zeros(len(at), dtype=bool)
    right = np.clip(np.searchsorted(stamps, at), 0, len(stamps) - 1)
    left = np.where(stamps[right] == at, right, np.maximum(right - 1, 0))
    valid = ((stamps[left] <= at) & (at <= stamps[right])
             & (stamps[right] - stamps[left] <= LONGEST_GAP))
    # Integers first: a stamp in seconds since 1970 has no room for nanoseconds in a float.
    first = stamps[0]
    return np.interp((at - first) * 1e-9, (stamps - first) * 1e-9, values), valid
