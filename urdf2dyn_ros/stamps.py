"""Stamps are integers [ns] since 1970, or since the start of a simulated or recorded time."""

from __future__ import annotations

SECOND_NS = 1_000_000_000

MAX_STAMP = 2**63 - 1
"""Largest number of nanoseconds in 64 bits."""
