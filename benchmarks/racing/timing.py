"""Times of contestants that take turns, because the rest of the computer does not stand still."""

import time
from collections.abc import Mapping

from racing.contestant import Ready

SLICE = 3e-3
"""What one turn takes [s]: long against the clock's resolution, short against disturbances."""


def nanoseconds(ready: Mapping[str, Ready], rounds: int) -> dict[str, float]:
    """
    Return the shortest time per state [ns] of every contestant.

    Parameters
    ----------
    ready : mapping
        Name to contestant.
    rounds : int
        How many turns each has.

    """
    repeats = {name: _repeats(one) for name, one in ready.items()}
    best = dict.fromkeys(ready, float('inf'))
    for _ in range(rounds):
        for name, one in ready.items():
            best[name] = min(best[name], _seconds(one, repeats[name]))
    return {name: best[name] / repeats[name] / one.states * 1e9 for name, one in ready.items()}


def _repeats(one: Ready) -> int:
    return max(1, int(SLICE / min(_seconds(one, 1) for _ in range(3))))


def _seconds(one: Ready, repeats: int) -> float:
    run = one.run
    start = time.perf_counter()
    for _ in range(repeats):
        run()
    return time.perf_counter() - start
