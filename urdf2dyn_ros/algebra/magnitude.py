"""Largest and smallest magnitudes of numbers in the equations."""

LARGEST_MAGNITUDE = 1e30
"""Largest magnitude of a parameter: products of about ten such numbers are finite."""

SMALLEST_DIVISOR = 1.0 / LARGEST_MAGNITUDE
"""Smallest magnitude of a divisor."""
