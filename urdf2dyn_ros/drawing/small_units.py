"""Axes of small values: a unit with a prefix in the place of powers of ten above the axis."""

import math
from typing import Any

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array

_PREFIXES = {0: '', 3: 'm', 6: 'µ', 9: 'n'}
"""By the power of ten that they divide by."""

_PLAIN = 0.01
"""Values from which on no prefix is needed."""


def label_values(axes: Any, label: str, unit: str, values: Array) -> None:
    """
    Label the vertical axis of values (N,), in thousandths and so on of the unit if small.

    Units that the values may have are separated by ` | `.
    """
    largest = float(np.max(np.abs(values[np.isfinite(values)]), initial=0.0))
    power = 0
    if 0.0 < largest < _PLAIN:
        power = min(3 * math.ceil(-math.log10(largest) / 3.0), max(_PREFIXES))
        axes.yaxis.set_major_formatter(lambda value, _: _number(value * 10.0 ** power))
    units = ' | '.join(_PREFIXES[power] + each for each in unit.split(' | '))
    axes.set_ylabel(f'{label}[{units}]')


def _number(value: float) -> str:
    return f'{round(value, 9) + 0.0:g}'.replace('-', '\N{MINUS SIGN}')
