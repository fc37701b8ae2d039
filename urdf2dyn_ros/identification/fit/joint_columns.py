"""
Columns of a joint's own terms: friction and the rotor.

Viscous friction of gears grows less than linearly, so that the quadratic part is often negative.
Then it must not exceed the linear one: in

    slow qd (1 - |qd| / v) + fast qd |qd| / v

with slow and fast not negative the friction is not negative at any velocity up to v.
"""

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array

JOINT_COLUMNS = ('viscous', 'coulomb', 'offset', 'armature', 'load', 'quadratic')
"""Unknowns of each joint, after those of bodies: fields of Friction and Rotor."""

VISCOUS, COULOMB, OFFSET, ARMATURE, LOAD, QUADRATIC = range(len(JOINT_COLUMNS))

SIGN_WIDTHS = {'rad': 0.02, 'm': 0.002}
"""Velocity within which the sign of Coulomb friction turns over, by the joint's unit [1/s]."""


def joint_columns(qd: Array, qdd: Array, transmitted: Array, width: float) -> Array:
    """
    Return the columns (k, 6) of a joint; `transmitted` is the effort of its bodies (k,).

    The width is that of SIGN_WIDTHS.
    """
    sign = np.tanh(qd / width)
    return np.stack((qd, sign, np.ones_like(qd), qdd, sign * np.abs(transmitted),
                     qd * np.abs(qd)), axis=1)


def in_units(rows: Array, factor: float) -> Array:
    """
    Return rows (k, c), or a triangle, whose efforts are multiplied by a factor.

    The effort on which friction with the load depends is in the same units: where a gain turns out
    to be another one, so does what the bodies transmit, and the coefficient stays.
    """
    factors = np.ones(rows.shape[1])
    factors[-1], factors[LOAD - len(JOINT_COLUMNS) - 1] = factor, abs(factor)
    return rows * factors


def units_of(gains: Array) -> Array:
    """Return the units of JOINT_COLUMNS (n, 6): gains (n,), but 1 of friction with the load."""
    return np.where(np.arange(len(JOINT_COLUMNS)) == LOAD, 1.0, gains[:, None])


def bounded(top_speed: float) -> Array:
    """
    Return the matrix (6, 6) from unknowns with slow and fast to those of JOINT_COLUMNS.

    Without a bound of the velocity there is no quadratic friction, and slow is viscous friction.
    """
    result = np.eye(len(JOINT_COLUMNS))
    result[QUADRATIC, VISCOUS] = -1.0 / top_speed
    result[QUADRATIC, QUADRATIC] = 1.0 / top_speed
    return result


def top_speeds(limits: Array, fastest: Array) -> Array:
    """
    Return the velocities (n,) up to which friction is not negative [rad/s or m/s].

    They are the limits, infinite where there are none, but at most twice the fastest recorded
    velocities, and at least these.
    """
    speeds: Array = np.maximum(np.minimum(limits, 2.0 * fastest), 1.05 * fastest)
    return np.maximum(speeds, min(SIGN_WIDTHS.values()))
