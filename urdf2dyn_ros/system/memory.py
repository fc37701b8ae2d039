"""Memory of this process."""

from __future__ import annotations

import os
from math import nan


def resident_memory() -> float:
    """Return the resident memory (VmRSS) [MB]; NaN where the system does not report it."""
    try:
        with open('/proc/self/statm', encoding='ascii') as file:
            pages = int(file.read().split()[1])
        return pages * os.sysconf('SC_PAGE_SIZE') / 1e6
    except (OSError, ValueError, IndexError):
        return nan
