"""The functions that can be generated."""
