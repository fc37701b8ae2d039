"""Numbers as a URDF may write them: plain ASCII decimals, finite, and as many as asked for."""

from __future__ import annotations

import math
import re

_NUMBER = re.compile(r'[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?')
_SPACE = re.compile('[ \t\r\n]+')

# What people write where a number is wanted, and what to tell them; the first match speaks.
_REMEDIES = (
    (re.compile(r'^[+-]?(?:nan|inf)', re.IGNORECASE), 'it must be finite'),
    (re.compile(','), 'the decimal mark is a point and numbers are separated by blanks'),
    (re.compile('_'), 'write it without underscores'),
    (re.compile(r'^[+-]?0[xX]'), 'write it in decimal'),
    (re.compile(r'^[+-]?\d', re.ASCII), 'write digits only, no unit nor anything else'),
    (re.compile(''), 'write it like 0.25 or 2.5e-1, in ASCII digits'),
)


def words(text: str) -> list[str]:
    """Split at the white space of XML (and at no other)."""
    return [word for word in _SPACE.split(text) if word]


def read_numbers(text: str, count: int) -> tuple[float, ...]:
    """
    Return the `count` finite numbers that a text consists of.

    Python's own float() accepts more than a URDF may say: nan, inf, 1_0, digits of other
    scripts, and 1e400 as inf.

    Raises
    ------
    ValueError
        The text says what is wrong and what to write.

    """
    parts = words(text)
    for part in parts[: count + 1]:
        if not _NUMBER.fullmatch(part):
            remedy = next(advice for pattern, advice in _REMEDIES if pattern.search(part))
            raise ValueError(f'not a number; {remedy}')
    if len(parts) != count:
        wanted = 'one number' if count == 1 else f'{count} numbers'
        raise ValueError(f'{len(parts)} numbers where {wanted} must stand, separated by blanks')
    numbers = tuple(float(part) for part in parts)
    if not all(math.isfinite(number) for number in numbers):
        raise ValueError('too large; it must be finite in double precision')
    return numbers
