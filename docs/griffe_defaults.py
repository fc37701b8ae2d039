"""Extension of griffe: the list of classes shows values of defaults, not the constants' names."""

import importlib
import inspect
from typing import Any

import griffe


class DefaultValues(griffe.Extension):
    """Replace the defaults of a signature by their values."""

    def on_function(self, *, func: griffe.Function, **_: Any) -> None:
        """Compare with the function as it is imported."""
        named = [each for each in func.parameters if str(each.default or '').isupper()]
        if not named:
            return
        value: Any = importlib.import_module(func.module.path)
        for part in func.path.removeprefix(f'{func.module.path}.').split('.'):
            value = inspect.getattr_static(value, part)
        defaults = inspect.signature(value).parameters
        for each in named:
            default = defaults[each.name].default
            plain = isinstance(default, (bool, int, float, str, tuple, type(None)))
            each.default = repr(default) if plain else f'{type(default).__name__}()'
