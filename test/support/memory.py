"""What an object keeps, without a look at its attributes."""

import gc
import sys
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType

import numpy as np

SHARED = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)
"""Kinds of objects that are not part of what leads to them."""


def bytes_of(root: object, *shared: type) -> int:
    """Return the bytes of an object and all that it leads to, but for those of these kinds."""
    seen: dict[int, object] = {}
    left = [root]
    while left:
        one = left.pop()
        if id(one) not in seen and not isinstance(one, (*SHARED, *shared)):
            seen[id(one)] = one
            left += gc.get_referents(one)
            if isinstance(one, np.ndarray) and one.base is not None:
                left.append(one.base)
    return sum(map(sys.getsizeof, seen.values()))
