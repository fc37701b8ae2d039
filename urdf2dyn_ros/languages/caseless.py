"""Spellings for languages in which a capital and its small letter are one letter."""

import re
from collections.abc import Iterable


def distinguished(names: Iterable[str], reserved: Iterable[str]) -> dict[str, str]:
    """
    Return a spelling of each name, such that no two differ in capitals only.

    Where two names begin with the same letters but for capitals, as f1_x and F2_y, all that begin
    with the capital have _ behind it: F_2_y. No spelling is a reserved name.

    """
    symbols = {name: re.split('[^A-Za-z]', name)[0] for name in names}
    used = {name.lower() for name in reserved}
    alike: dict[str, list[str]] = {}
    for symbol in sorted({*symbols.values()}, key=str.swapcase):   # small letters first
        alike.setdefault(symbol.lower(), []).append(symbol)
    spelling = {}
    for name, symbol in symbols.items():
        mark = '_' * alike[symbol.lower()].index(symbol)
        spelled = symbol + mark + name[len(symbol):]
        while spelled.lower() in used:
            spelled += '_'
        used.add(spelled.lower())
        spelling[name] = spelled
    return spelling
