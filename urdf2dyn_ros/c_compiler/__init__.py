"""
The system's C compiler and a cache of what it made, for any C text.

compiler: which compiler, with which options. cache: where the libraries are kept.
"""
