"""
The system's C compiler and a cache of its libraries, for any C text.

compiler: finds and runs it. cache: keeps the libraries on disk.
"""
