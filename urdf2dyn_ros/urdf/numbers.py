"""Numbers as a URDF may write them: plain ASCII decimals, finite, and of a required count."""

import math
import re

_NUMBER = re.compile(r'[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?')
_SPACE = re.compile('[ \t\r\n]+')

_REMEDIES = (
    (re.compile(r'^[+-]?(?:nan|inf)', re.IGNORECASE), 'it must be finite'),
    (re.compile(','), 'the decimal mark is a point and numbers are separated by blanks'),
    (re.compile('_'), 'write it without underscores'),
    (re.compile(r'^[+-]?0[xX]'), 'write it in decimal'),
    (re.compile(r'^[+-]?\d', re.ASCII), 'write digits only, no unit nor anything else'),
    (re.compile(''), 'write it like 0.25 or 2.5e-1, in ASCII digits'),
)
"""Common mistakes, and the remedy for each; the first match counts."""


def read_numbers(text: str, count: int) -> tuple[float, ...]:
    """
    Return the `count` finite numbers of a text, or raise a ValueError that says what to write.

    Python's own float() accepts more than a URDF may have: nan, inf, 1_0, digits of other
    scripts, and 1e400 as inf.
    """
    parts = [part for part in _SPACE.split(text) if part]
    for part in parts[:count + 1]:
        if not _NUMBER.fullmatch(part):
            remedy = next(advice for pattern, advice in _REMEDIES if pattern.search(part))
            raise ValueError(f'not a number; {remedy}')
    if len(parts) != count:
        required = 'one number is' if count == 1 else f'{count} numbers are'
        raise ValueError(f'{len(parts)} numbers where {required} required, separated by blanks')
    values = tuple(map(float, parts))
    if not all(map(math.isfinite, values)):
        raise ValueError('too large; it must be finite in double precision')
    return values
