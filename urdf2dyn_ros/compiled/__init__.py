"""
Generated functions as machine code, made by the system's C compiler when they are needed.

source: the C text. caller: the function as a Python callable, which returns None for whatever is
unusual.
"""
