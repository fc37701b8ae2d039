"""
Single wrong stamps: samples that a driver took in time and stamped late or early.

A stamp that is off by d shows as an error of all positions of v d. If the sample itself was taken
late, there is none. So a sample is not used where its stamp is off the grid of the others and the
innovations of the joints follow their velocities by that time.

"""

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array

FOLLOWED_PART = 0.7
"""Part of the distance to the grid by which innovations follow velocities if a stamp is wrong."""


def stamp_is_wrong(h: float, period: float, gate: float, velocities: Array, innovations: Array,
                   variances: Array) -> bool:
    """
    Return whether the positions fit the stamp that was due better than the one that came.

    Parameters
    ----------
    h, period : float
        Time since the last sample, and the usual one, 0 if there is none [s].
    gate : float
        Squared error of the positions, relative to its variance, from which on it is significant.
    velocities, innovations, variances : ndarray, (n,)
        Innovations are what was predicted at the stamp less what was measured.

    """
    if not period > 0.0:
        return False
    off = h - round(h / period) * period   # messages that were lost are no error
    expected = off * velocities
    known = np.isfinite(innovations)
    shares = expected[known] / variances[known]
    size = float(shares @ expected[known])
    return size > gate and float(shares @ innovations[known]) > FOLLOWED_PART * size
