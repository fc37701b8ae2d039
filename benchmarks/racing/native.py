"""Shared libraries with `create` and `evaluate`, loaded and called for many states at a time."""

import ctypes
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from cases import Case

from racing.compilers import CC, FLAGS, SHARED, build
from racing.contestant import Array, ExcludedError, Ready
from racing.timing import nanoseconds

SOURCES = Path(__file__).resolve().parents[1] / 'native'
ROUNDS = 10
REPEATS = 10


def fastest(paths: Sequence[Path], case: Case, robot: Path,
            order: list[int] | None = None) -> Ready:
    """
    Return the fastest of some libraries with the same sources, ready to run.

    Parameters
    ----------
    paths : sequence of Path
    case : Case
    robot : Path
        What `create` reads.
    order : list of int, optional
        Where each of its joints is in the case's order.

    """
    ready = {str(path): loaded(path, case, robot, order) for path in paths}
    if len(ready) == 1:
        return ready[str(paths[0])]
    times = nanoseconds(ready, ROUNDS)
    return ready[min(times, key=times.__getitem__)]


def loaded(path: Path, case: Case, robot: Path, order: list[int] | None) -> Ready:
    """Return one library ready to run."""
    library = ctypes.CDLL(str(path))
    library.create.restype = ctypes.c_void_p
    library.create.argtypes = [ctypes.c_char_p]
    repeat = _repeat(case)
    robot_there = library.create(str(robot).encode())
    if not robot_there:
        raise ExcludedError('it does not take this robot')
    columns = order or list(range(len(case.joint_names)))
    states = [np.ascontiguousarray(state[:, columns]) for state in case.states]
    tau = np.empty_like(states[0])

    given = [ctypes.cast(library.evaluate, ctypes.c_void_p), ctypes.c_void_p(robot_there),
             *(ctypes.c_void_p(array.ctypes.data) for array in (*states, tau)),
             ctypes.c_long(len(tau)), ctypes.c_long(REPEATS)]

    def run() -> None:
        assert states and library   # whose memory the addresses are in
        repeat(*given)

    def efforts() -> Array:
        run()
        result = np.empty_like(tau)
        result[:, columns] = tau
        return result

    return Ready(efforts, run, len(tau) * REPEATS, path, robot)


def _repeat(case: Case) -> Callable[..., None]:
    """Return a function that evaluates the same states several times in one call."""
    source = SOURCES / 'repeat.c'
    path = build([CC[0], *FLAGS, *SHARED, source], [source], case.folder, 'repeat')
    function = ctypes.CDLL(str(path)).repeat
    function.restype = None
    result: Callable[..., None] = function
    return result
