"""Tables of texts with aligned columns, and cells of CSV."""

from collections.abc import Sequence


def aligned(rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """Return the lines of a table, the first `left` columns on the left side."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ['  '.join(cell.ljust(width) if number < left else cell.rjust(width)
                      for number, (cell, width) in enumerate(zip(row, widths))).rstrip()
            for row in rows]


def csv_cell(text: str) -> str:
    """Return a cell of a table, quoted where necessary; a joint's name may contain anything."""
    quoted = text.replace('"', '""')
    return f'"{quoted}"' if set(text) & set(',;"\t\n\r') else text
