"""How large a number in the equations may be."""

LARGEST_MAGNITUDE = 1e30
"""Products of about ten numbers of this size are finite in double precision."""

SMALLEST_DIVISOR = 1.0 / LARGEST_MAGNITUDE
"""Least value of what equations divide by."""
