"""The system's C compiler and a cache of its libraries on disk, for any C text."""
