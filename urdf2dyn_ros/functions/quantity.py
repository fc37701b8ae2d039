"""What a result is, as data: its rows, its columns and its unit."""

from typing import NamedTuple


class Axis(NamedTuple):
    """
    Meaning of the rows or columns of a result, with a word that identifiers are made of.

    Keys and units of the entries are empty for the independent joints, which the robot names.
    """

    name: str
    keys: tuple[str, ...] = ()
    units: tuple[str, ...] = ()


JOINTS = Axis('joint')
"""The independent joints, in the order of q."""

WRENCH = Axis('wrench',
              ('force x', 'force y', 'force z', 'moment x', 'moment y', 'moment z'),
              ('N', 'N', 'N', 'N m', 'N m', 'N m'))
"""Entries of a force and of a moment."""


class Quantity(NamedTuple):
    """A result of a function, without its entries."""

    name: str   # valid as an identifier in every language
    summary: str   # what it is, with its unit
    # unit of a joint's effort to the unit of that joint's entry; by default the same
    unit: dict[str, str] | None = None
    rows: Axis = JOINTS
    columns: Axis | None = None   # none for a vector
    # the vector that the self-check multiplies a matrix by: an input with an entry a column, or a
    # name of its own
    times: str = ''
