"""Extension of griffe: the list of classes shows values of defaults, not the constants' names."""

import importlib
import inspect
from typing import Any

import griffe

PLAIN = (bool, int, float, str, tuple, type(None))


def imported(thing: griffe.Object) -> Any:
    """Return a class or function as Python imports it."""
    value: Any = importlib.import_module(thing.module.path)
    for part in thing.path.removeprefix(f'{thing.module.path}.').split('.'):
        value = inspect.getattr_static(value, part)
    return value


class DefaultValues(griffe.Extension):
    """Replace defaults by their values, in signatures and in the fields of dataclasses."""

    def on_function(self, *, func: griffe.Function, **_: Any) -> None:
        """Replace names of constants."""
        named = [each for each in func.parameters if str(each.default or '').isupper()]
        defaults = inspect.signature(imported(func)).parameters if named else {}
        for each in named:
            default = defaults[each.name].default
            each.default = repr(default) if isinstance(default, PLAIN) else (
                f'{type(default).__name__}()')

    def on_class_members(self, *, cls: griffe.Class, **_: Any) -> None:
        """Replace calls that make the fields of a dataclass."""
        for name, field in cls.attributes.items():
            if str(field.value or '').startswith('parameter('):
                default = getattr(imported(cls), name, None)
                if isinstance(default, PLAIN):
                    field.value = repr(default)
