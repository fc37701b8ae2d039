"""An item without a result."""

from typing import NamedTuple


class Lost(NamedTuple):
    """Stands for the result of an item that ends every process that works on it; the reason."""

    reason: str


LOST = Lost('every process that worked on it was killed or ran out of memory')
