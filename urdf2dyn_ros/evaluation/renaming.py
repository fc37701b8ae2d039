"""Names of a recording's joints, changed to those of the model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from urdf2dyn_ros.errors import ParameterError, RecordingError

_MOST_LISTS = 64
"""Lists of names that are remembered."""


class Renaming:
    r"""
    Replaces names that match a regular expression as a whole.

    Parameters
    ----------
    rules : sequence of str
        PATTERN=REPLACEMENT, for instance ``fer_joint(\d)=panda_joint\1``; of a name the first
        that matches counts.
    path : Path
        Of the recording.

    Raises
    ------
    ParameterError
        For a rule that is none.

    """

    def __init__(self, rules: Sequence[str], path: Path) -> None:
        self._path = path
        self._rules = [_rule(rule) for rule in rules]
        self._known: dict[tuple[str, ...], tuple[str, ...]] = {}

    def __call__(self, names: Sequence[str]) -> tuple[str, ...]:
        """
        Return the new names, in the same order.

        Raises
        ------
        RecordingError
            If two names become one.

        """
        key = tuple(names)
        if not self._rules:
            return key
        if key not in self._known:
            if len(self._known) >= _MOST_LISTS:
                self._known.clear()
            self._known[key] = self._renamed(key)
        return self._known[key]

    def _renamed(self, names: tuple[str, ...]) -> tuple[str, ...]:
        found: dict[str, str] = {}
        result = tuple(map(self._one, names))
        for old, new in zip(names, result):
            if found.setdefault(new, old) != old:
                raise RecordingError(self._path, f'--rename makes {new!r} of both {found[new]!r} '
                                     f'and {old!r}: let its pattern match one of them only')
        return result

    def _one(self, name: str) -> str:
        for pattern, replacement in self._rules:
            match = pattern.fullmatch(name)
            if match:
                return match.expand(replacement)
        return name


def _rule(text: str) -> tuple[re.Pattern[str], str]:
    left, separator, right = text.rpartition('=')
    try:
        if not (separator and left and right):
            raise ValueError('it is not PATTERN=REPLACEMENT')
        pattern = re.compile(left)
        # a replacement is checked by its use: with every group that the pattern has
        re.compile(f'{left}|').fullmatch('').expand(right)   # type: ignore[union-attr]
    except (re.error, ValueError, IndexError) as error:
        raise ParameterError(f'--rename {text!r}: {error}; for instance '
                             r"--rename 'fer_joint(\d)=panda_joint\1'") from None
    return pattern, right
