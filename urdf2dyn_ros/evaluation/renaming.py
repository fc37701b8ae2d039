"""The joint names of a recording, changed to those of the model."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

from urdf2dyn_ros.errors import ParameterError, RecordingError

_MOST_LISTS = 64
"""Lists of names whose new names are cached."""


def renaming(rules: Sequence[str], path: Path) -> Callable[[tuple[str, ...]], tuple[str, ...]]:
    r"""
    Return a function that replaces names which match a regular expression as a whole.

    It raises RecordingError if two names become one.

    Parameters
    ----------
    rules : sequence of str
        PATTERN=REPLACEMENT, for instance ``fer_joint(\d)=panda_joint\1``; the first that matches
        a name is used.
    path : Path
        The recording, for errors.

    Raises
    ------
    ParameterError
        For a rule that is not valid.

    """
    patterns = [_rule(rule) for rule in rules]

    @lru_cache(_MOST_LISTS)
    def renamed(names: tuple[str, ...]) -> tuple[str, ...]:
        result = tuple(_renamed(name, patterns) for name in names)
        olds: dict[str, str] = {}
        for old, new in zip(names, result):
            if olds.setdefault(new, old) != old:
                raise RecordingError(path, f'--rename makes {new!r} of both {olds[new]!r} and '
                                     f'{old!r}: let its pattern match one of them only')
        return result

    return renamed


def _renamed(name: str, patterns: Sequence[tuple[re.Pattern[str], str]]) -> str:
    for pattern, replacement in patterns:
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
        # a match of the empty text with all groups of the pattern checks the replacement
        re.compile(f'{left}|').fullmatch('').expand(right)   # type: ignore[union-attr]
    except (re.error, ValueError, IndexError) as error:
        raise ParameterError(f'--rename {text!r}: {error}; for instance '
                             r"--rename 'fer_joint(\d)=panda_joint\1'") from None
    return pattern, right
