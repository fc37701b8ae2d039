"""
Generated functions as machine code, made by the system's C compiler when they are needed.

source: the C text. compiler: who compiles it. cache: where the result is kept. caller: the
function as a Python callable, with None as its answer to whatever is unusual.
"""
