"""Stamps: whole nanoseconds since the epoch of a clock."""

SECOND_NS = 1_000_000_000

MAX_STAMP = 2**63 - 1
"""Largest stamp [ns], that of a signed 64-bit integer."""


def is_stamp(stamp: int) -> bool:
    """Return whether a stamp [ns] is positive and within range."""
    return 0 < stamp <= MAX_STAMP
