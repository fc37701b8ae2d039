"""Paths from element to element, where each has at most one next one; they may be loops."""

from collections.abc import Iterator, Mapping


def paths(next_of: Mapping[str, str]) -> Iterator[tuple[list[str], str]]:
    """
    Yield paths that contain every key once, and the name after the last of each.

    That name is in the path if it ends in a loop, is in an earlier path, or is no key.
    """
    visited: set[str] = set()
    for start in next_of:
        path: dict[str, None] = {}
        name = start
        while name in next_of and name not in visited and name not in path:
            path[name] = None
            name = next_of[name]
        yield list(path), name
        visited |= path.keys()


def loops(next_of: Mapping[str, str]) -> Iterator[list[str]]:
    """Yield the names of every loop."""
    for path, end in paths(next_of):
        if end in path:
            yield path[path.index(end):]
