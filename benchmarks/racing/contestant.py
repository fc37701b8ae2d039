"""A contestant: its row of the table, and how it is prepared for a robot."""

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from cases import Case
from numpy.typing import NDArray

Array = NDArray[np.float64]


class ExcludedError(Exception):
    """The reason why a contestant is excluded."""


CHUNK = 32


def in_turns(states: Iterable[tuple[Array, ...]]) -> Iterator[list[tuple[Array, ...]]]:
    """
    Yield some of the states, then the next, without end.

    A loop over all of them in Python would take so long that it is always disturbed.

    """
    known = list(states)
    return itertools.cycle([known[k:k + CHUNK] for k in range(0, len(known), CHUNK)])


class Ready(NamedTuple):
    """
    A contestant that has read a robot.

    Attributes
    ----------
    efforts : callable
        Returns the efforts (STATES, n) of the case's states.
    run : callable
        Evaluates `states` states; this is what is timed.
    states : int
    library, robot : Path or None
        The shared library that `native.loaded` runs and what it reads, if it is one.

    """

    efforts: Callable[[], Array]
    run: Callable[[], None]
    states: int
    library: Path | None = None
    robot: Path | None = None


@dataclass(frozen=True)
class Contestant:
    """
    One row of the table.

    Attributes
    ----------
    name : str
    ours : bool
    side : str
        Python or C: where it is called from.
    prepare : callable
        Case to Ready, or ExcludedError with the reason; an ImportError is one, too.
    slow : bool
        Takes a minute to compile, which --quick does not wait for.

    """

    name: str
    ours: bool
    side: str
    prepare: Callable[[Case], Ready]
    slow: bool = False
