"""One row of a parameter table: default, unit, range and meaning, and the check they imply."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

from urdf2dyn_ros.counting import counted
from urdf2dyn_ros.errors import ParameterError

_PLAIN = re.compile(r'[0-9.+\-eE]+')
_NUMBERS: dict[type, type] = {float: Real, int: Integral}   # numpy's are among them


@dataclass(frozen=True)
class Parameter:
    """A parameter that a user may set; it is declared, printed and checked by this row."""

    name: str
    # its type is the parameter's type; an int is accepted for a float, a text for a tuple of
    # texts, which may have any number of them
    default: Any
    meaning: str   # what it does, in a sentence
    unit: str = ''
    minimum: float | None = None   # inclusive, of every entry for a tuple
    maximum: float | None = None   # likewise
    choices: tuple[str, ...] = ()   # the valid texts; empty if any text is valid
    read_only: bool = False   # fixed after the start
    any_length: bool = False   # a tuple may have any number of entries except none
    nonzero: bool = False   # no entry may be zero

    @property
    def rule(self) -> str:
        """The rule for a value, in words."""
        kind = type(self.default)
        if self._has_texts:
            return 'a list of texts'
        words = {bool: 'true or false', int: 'a whole number', float: 'a number', str: 'a text'}
        text = words.get(kind) or (
            'one or more numbers' if self.any_length else counted(len(self.default), 'number'))
        if self.choices:
            text = 'one of ' + ', '.join(self.choices)
        if self.minimum is not None:
            text += f', at least {self.minimum:g}'
        if self.maximum is not None:
            text += f', at most {self.maximum:g}'
        text += ', not zero' * self.nonzero
        return text + (f' [{self.unit}]' if self.unit else '')

    @property
    def _has_texts(self) -> bool:
        return isinstance(self.default, tuple) and isinstance(self.default[0], str)

    def named(self, name: str) -> Parameter:
        """Return the same row under another name."""
        return replace(self, name=name)

    def check(self, value: Any) -> Any:
        """Return the value in the parameter's own type; a ParameterError if it breaks the rule."""
        try:
            checked = self._convert(value)
            for entry in checked if isinstance(checked, tuple) else (checked,):
                if ((isinstance(entry, float) and not math.isfinite(entry))
                        or (self.minimum is not None and entry < self.minimum)
                        or (self.maximum is not None and entry > self.maximum)
                        or (self.nonzero and entry == 0.0)
                        or (self.choices and entry not in self.choices)):
                    raise ValueError
        except (TypeError, ValueError):
            raise ParameterError(
                f'parameter {self.name} = {value!r}: must be {self.rule}') from None
        return checked

    def _convert(self, value: Any) -> Any:
        kind = type(self.default)
        if self._has_texts:
            texts = (value,) if isinstance(value, str) else tuple(value)
            if not all(isinstance(text, str) for text in texts):
                raise TypeError
            return texts or self.default
        if kind is tuple:
            # a launch argument with whole and other numbers, '[0, 0, -9.81]', arrives as a text
            entries = (value.strip('[] ').replace(',', ' ').split() if isinstance(value, str)
                       else value)
            # float() takes true, 1_0 and digits of other scripts as well
            if not all(_PLAIN.fullmatch(str(entry)) for entry in entries):
                raise ValueError
            numbers = tuple(float(entry) for entry in entries)
            if not numbers or (len(numbers) != len(self.default) and not self.any_length):
                raise ValueError
            return numbers
        if isinstance(value, _NUMBERS.get(kind, ())) and not isinstance(value, bool):
            return kind(value)
        if type(value) is not kind:
            raise TypeError
        return value


def check_all(table: Iterable[Parameter], values: dict[str, Any]) -> dict[str, Any]:
    """
    Return every parameter of the table, those in `values` checked, the others at their default.

    An unknown name or a value that breaks its rule raises a ParameterError.
    """
    rows = {row.name: row for row in table}
    for name in values:
        if name not in rows:
            known = ', '.join(rows) or 'none'
            raise ParameterError(f'unknown parameter {name!r}; the parameters are: {known}')
    return {name: row.check(values.get(name, row.default)) for name, row in rows.items()}


def group(values: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """Return the values whose names begin with a prefix and a dot, by the rest of their names."""
    return {name.split('.', 1)[1]: value for name, value in values.items()
            if name.startswith(f'{prefix}.')}
