"""Text in lines of at most 99 columns."""

import textwrap
from collections.abc import Sequence

WIDTH = 99
_TIED_OPERATORS = ((' + ', ' +~'), (' - ', ' -~'), (' / ', ' /~'), (' * ', '~*~'))


def wrapped(text: str, indent: str, hanging: str, width: int) -> str:
    """Return text in lines of at most `width` columns, broken before + and -, if need be *."""
    if len(indent) + len(text) <= width:
        return indent + text
    for tight, tied in _TIED_OPERATORS:
        text = text.replace(tight, tied)
    room = width - len(indent + hanging)
    text = ' '.join(word.replace('~*~', ' *~') if len(word) > room else word
                    for word in text.split(' '))
    lines = textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=indent + hanging,
                          break_long_words=False, break_on_hyphens=False)
    text = '\n'.join(lines)
    for tight, tied in (*_TIED_OPERATORS, ('* ', '*~')):
        text = text.replace(tied, tight)
    return text


def packed(entries: Sequence[str], first: str, hanging: str, last: str,
           separator: str = ',', continued: str = '') -> str:
    """Return entries with separators in lines of at most 99 columns, none of them broken."""
    lines = [first]
    for k, entry in enumerate(entries):
        text = entry + (separator if k < len(entries) - 1 else last)
        fresh = lines[-1] in (first, hanging)
        if not fresh and len(lines[-1]) + 1 + len(text) + len(continued) > WIDTH:
            lines.append(hanging)
            fresh = True
        lines[-1] += text if fresh else ' ' + text
    return f'{continued}\n'.join(lines)
