"""Values that have names: mappings, and tables of pandas, xarray or numpy, matched by joint."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from urdf2dyn_ros.errors import StateError
from urdf2dyn_ros.quoting import listed

Values: TypeAlias = ArrayLike | Mapping[str, ArrayLike]
"""Values of joints: in the order of the model, or by name."""


def in_order(what: str, values: Any, joints: Sequence[str]) -> Any:
    """
    Return values in the order of the joints if they have names, else as they are.

    Names are the keys of a mapping, the columns of a DataFrame, the index of a Series, the
    coordinates of a DataArray or the fields of a record; they are texts, as other labels do not
    name joints. A StateError is raised for joints that are missing, unknown or named twice.
    """
    if type(values) in (list, tuple) or (type(values) is np.ndarray and not values.dtype.names):
        return values   # the usual arguments, at once
    labels, columns = _labelled(values)
    if not isinstance(values, Mapping) and not any(isinstance(label, str) for label in labels):
        return values
    names = [str(label) for label in labels]
    faults = [f'{fault} {listed(wrong)}' for fault, wrong in (
        ('there is no value for', [joint for joint in joints if joint not in names]),
        ('the robot has no joint', [name for name in names if name not in joints]),
        ('there are several values for', [name for name, n in Counter(names).items() if n > 1]),
    ) if wrong]
    if faults:
        raise StateError(f'{what}: {"; ".join(faults)}; the joints are: {", ".join(joints)}')
    if not joints:
        return ()
    where = {name: k for k, name in enumerate(names)}
    try:
        return np.stack([np.asarray(columns[where[joint]]) for joint in joints], axis=-1)
    except ValueError as error:   # joints with different numbers of values
        raise StateError(f'{what} is not an array of numbers: {error}') from None


def _labelled(values: Any) -> tuple[Sequence[Any], Any]:
    """Return labels and the values of each; none if there are no labels."""
    if isinstance(values, Mapping):
        return list(values), list(values.values())
    if isinstance(values, np.ndarray | np.void):   # records, or one of them
        fields = values.dtype.names or ()
        return fields, [values[field] for field in fields]
    if hasattr(values, 'columns') and hasattr(values, '__array__'):   # a DataFrame
        return list(values.columns), np.asarray(values).T
    if hasattr(values, 'dims') and hasattr(values, 'coords'):   # a DataArray
        return _coordinates(values)
    index = getattr(values, 'index', None)
    if index is None or callable(index) or not hasattr(values, '__array__'):
        return (), ()
    return list(index), np.asarray(values)   # a Series


def _coordinates(values: Any) -> tuple[Sequence[Any], Any]:
    """Return the labels of the axis whose coordinates are texts, and the values along it."""
    array = np.asarray(values)
    for axis, dimension in enumerate(values.dims):
        labels = np.asarray(values.coords[dimension]).tolist() if (
            dimension in values.coords) else []
        if labels and all(isinstance(label, str) for label in labels):
            return labels, np.moveaxis(array, axis, 0)
    return (), ()
