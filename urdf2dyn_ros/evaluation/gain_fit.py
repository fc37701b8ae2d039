"""Gains of currents that are not known: the effort per current of each joint, from a recording."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.comparison.figures import JointComparison

_PARTS = 10
"""Parts of a recording, each of which is omitted once: neighbouring errors are alike."""

_FEWEST_MOVING_SAMPLES = 100

_LARGEST_DEVIATION = 0.3
"""Standard deviation of a gain, relative to it, from which on it is hardly determined."""


@dataclass(frozen=True)
class FittedGains:
    """Gains of all joints."""

    joints: tuple[str, ...]
    units: tuple[str, ...]   # of gains [N m/A or N/A]
    values: tuple[float, ...]   # NaN where a gain cannot be fitted
    deviations: tuple[float, ...]   # standard deviations, NaN of gains that were known
    remarks: tuple[str, ...] = ()   # gains that are not determined, or hardly

    def line(self) -> str:
        parts = [f'{joint} {value:.4g} {unit}' + (
            ' (known)' if np.isnan(error) else f' +- {error:.2g}')
            for joint, unit, value, error in zip(self.joints, self.units, self.values,
                                                 self.deviations) if np.isfinite(value)]
        return f'gains fitted to this recording: {", ".join(parts)}'


def gain_words(joints: Sequence[str], values: Iterable[float]) -> str:
    """Return gains as they can be typed; those that are NaN are free."""
    known = [f'{joint}={value:.6g}' for joint, value in zip(joints, values) if np.isfinite(value)]
    return ' '.join(known if len(known) == len(joints) else ['free', *known])


def fitted_gains(joints: Sequence[JointComparison], gains: Sequence[float]) -> FittedGains:
    """
    Return the gains of joints whose measured efforts are currents; those that are NaN are fitted.

    current = effort / gain + viscous qd + coulomb sign(qd) + offset, while the joint moves: the
    friction is that which the computed effort is without.
    """
    values, errors, remarks = [], [], []
    for joint, known in zip(joints, np.broadcast_to(gains, len(joints)).tolist()):
        value, error = (known, np.nan) if np.isfinite(known) else _fitted(joint)
        if not np.isfinite(value) and np.isfinite(joint.measured).any():
            remarks.append(f'the gain of {joint.joint} cannot be fitted, as its current or its '
                           'computed effort hardly varies while it moves: its figures are those '
                           'of a gain of 1')
        elif error > _LARGEST_DEVIATION * abs(value):
            remarks.append(f'the gain of {joint.joint} is hardly determined: {value:.3g} +- '
                           f'{error:.2g} {joint.unit}/A; most of its current is friction, or its '
                           'load hardly varies')
        values.append(float(value))
        errors.append(float(error))
    return FittedGains(tuple(each.joint for each in joints),
                       tuple(f'{each.unit}/A' for each in joints), tuple(values), tuple(errors),
                       tuple(remarks))


def _fitted(joint: JointComparison) -> tuple[float, float]:
    """Return a gain and its standard deviation; NaN if there is none."""
    qd = joint.velocity
    moves = np.isfinite(qd) & np.isfinite(joint.measured) & np.isfinite(joint.computed)
    speed = np.abs(qd)
    moves &= speed > 0.03 * float(np.max(speed[moves], initial=0.0))
    if moves.sum() < _FEWEST_MOVING_SAMPLES:
        return np.nan, np.nan
    columns = np.column_stack((joint.computed, qd, np.sign(qd), np.ones(len(qd)),
                               joint.measured))[moves]
    sizes = np.linalg.norm(columns, axis=0)
    spread = np.std(columns[:, [0, -1]], axis=0)
    if (spread <= 1e-9 * sizes[[0, -1]]).any():
        return np.nan, np.nan
    sizes = np.where(sizes > 0.0, sizes, 1.0)
    parts = np.array([part.T @ part for part in np.array_split(columns / sizes, _PARTS)])
    total = parts.sum(axis=0)
    inverses = np.array([_slope(total - part) for part in (0.0, *parts)]) * sizes[-1] / sizes[0]
    inverse, others = float(inverses[0]), inverses[1:]
    if inverse == 0.0:
        return np.nan, np.nan
    spread_of = (_PARTS - 1.0) / _PARTS * float(np.square(others - others.mean()).sum())
    return 1.0 / inverse, float(np.sqrt(spread_of)) / inverse ** 2


def _slope(products: Array) -> float:
    """Return the factor of the first column in the fit of all to the last one."""
    normal = products[:-1, :-1] + 1e-12 * np.eye(len(products) - 1)
    return float(np.linalg.solve(normal, products[:-1, -1])[0])
