"""Which measurements of a sample a filter uses."""

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.robot.spatial import Array

FIRST_VALID = 5
"""Number of the first sample with a valid estimate."""

PROBATION_NS = 250_000_000
"""Time after a reset of a joint during which its velocity is not used [ns]."""

SHORT_PERIOD = 7.5e-3
"""
Time between samples below which predictions of all filters count where a velocity is used [s].

With fewer samples, velocities that are late move these predictions before they are recognised.
"""


class Usable:
    """
    The measurements of joints (n,) that are used: not those that are missing, nor some velocities.

    After a reset, the velocity of a joint may be what contradicts its positions.
    """

    def __init__(self, joints: int) -> None:
        self.missing: NDArray[np.bool_] | None = None   # joints without a newest measurement
        self._trusted_from = np.zeros(joints, dtype=np.int64)   # [ns]
        self._probation_ends = 0
        self.ever = False   # whether there has been a valid estimate

    def begun(self, count: int, contradicted: bool) -> bool:
        """Return whether a sample was the first to be estimated at, and contradicted no other."""
        self.ever = self.ever or (count >= FIRST_VALID and not contradicted)
        return self.ever

    def predicted(self, h: float, velocities: Array) -> NDArray[np.bool_]:
        """
        Return of which joints all filters together predict a sample, (n,): gate.py.

        h is the time since the last sample [s], the velocities (n,) are NaN where none is used.
        """
        result: NDArray[np.bool_] = self.ever & (np.isnan(velocities) | (h < SHORT_PERIOD))
        return result

    def distrust(self, lost: NDArray[np.bool_], stamp: int) -> None:
        """Use no velocities of joints (n,) for a while, from their reset at a stamp [ns] on."""
        self._probation_ends = stamp + PROBATION_NS
        self._trusted_from[lost] = self._probation_ends

    def of(self, stamp: int, sample: Array) -> Array:
        """Return a sample (2, n) with NaN for what is not used."""
        if stamp < self._probation_ends:
            sample = sample.copy()
            sample[1, stamp < self._trusted_from] = np.nan
        if self.missing is not None:
            sample = np.where(self.missing, np.nan, sample)
        return sample
