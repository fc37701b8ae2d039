"""Names from a URDF in comments: data that is not plain stays in the tables."""

import re


def is_plain(name: str) -> bool:
    """Return whether a name from the URDF can stand in a comment of any language."""
    return re.fullmatch(r'[A-Za-z0-9_.][A-Za-z0-9_./ -]{0,63}', name) is not None


def mention(name: str) -> str:
    """Return a name for a comment, or nothing if it is not plain."""
    return f" '{name}'" if is_plain(name) else ''
