"""Tables of texts with aligned columns, and cells of CSV."""

from collections.abc import Sequence
from unicodedata import category, east_asian_width


def aligned(rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """Return the lines of a table, the first `left` columns on the left side."""
    widths = [max(map(_width, column)) for column in zip(*rows)]
    return ['  '.join(_padded(cell, width, number < left)
                      for number, (cell, width) in enumerate(zip(row, widths))).rstrip()
            for row in rows]


def _padded(cell: str, width: int, left: bool) -> str:
    space = ' ' * (width - _width(cell))
    return cell + space if left else space + cell


def _width(text: str) -> int:
    """Return the columns of a terminal that a text occupies: two for each wide character."""
    return len(text) if text.isascii() else sum(
        0 if category(character) in ('Mn', 'Me') else 1 + (east_asian_width(character) in 'WF')
        for character in text)


def csv_cell(text: str) -> str:
    """Return a cell of a table, quoted where necessary; a joint's name may contain anything."""
    quoted = text.replace('"', '""')
    return f'"{quoted}"' if set(text) & set(',;"\t\n\r') else text
