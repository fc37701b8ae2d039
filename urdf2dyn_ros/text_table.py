"""Tables of texts with aligned columns."""

from collections.abc import Sequence


def aligned(rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """Return the lines of a table, the first `left` columns on the left side."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ['  '.join(cell.ljust(width) if number < left else cell.rjust(width)
                      for number, (cell, width) in enumerate(zip(row, widths))).rstrip()
            for row in rows]
