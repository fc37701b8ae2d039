"""Lines for the log, one for each kind of fault."""

from __future__ import annotations

from collections.abc import Callable


class News:
    """Collects what has not been told before."""

    def __init__(self) -> None:
        self._told: set[tuple[str, str]] = set()
        self._lines: list[str] = []

    def tell(self, who: str, kind: str, line: Callable[[], str]) -> None:
        """Have a line made if it is the first of this kind."""
        if (who, kind) not in self._told:
            self._told.add((who, kind))
            self._lines.append(line())

    def take(self) -> list[str]:
        """Return the lines since the last call."""
        lines, self._lines = self._lines, []
        return lines
