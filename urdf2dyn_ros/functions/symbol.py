"""Symbols of the quantities that a function notes, with the sections they stand in."""

from collections.abc import Callable
from typing import NamedTuple

from urdf2dyn_ros.algebra.vectors import AXES, TENSOR
from urdf2dyn_ros.functions.fields import Fields

BACKWARD = 'Backward, tips to root: force f and moment n that each joint transmits'


class Symbol(NamedTuple):
    """
    A quantity of a body, with the title of the section in which it is computed.

    Names of its entries have ``{n}`` for the body's number, or ``{p}`` for its parent's; there are
    none for one without a name.
    `formula` is text with the fields of `Fields`, or a function of these; by default that of the
    joint. `where` is the field without which there is nothing to say, if there is one.
    """

    section: str
    names: tuple[str, ...]
    formula: str | Callable[[Fields], str] = ''
    where: str = ''


def vector(symbol: str) -> tuple[str, ...]:
    """Return the names of a vector's entries."""
    return tuple(symbol + '{n}_' + x for x in AXES)


def matrix(symbol: str) -> tuple[str, ...]:
    """Return the names of a matrix's entries."""
    return tuple(symbol + '{n}_' + x + y for x in AXES for y in AXES)


def tensor(symbol: str) -> tuple[str, ...]:
    """Return the names of a symmetric matrix's entries."""
    return tuple(symbol + '{n}_' + xy for xy in TENSOR)
