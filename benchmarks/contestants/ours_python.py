"""The callable of this package in Python."""

from collections.abc import Callable

import numpy as np
from cases import Case
from racing.contestant import CHUNK, Array, Ready, in_turns

from urdf2dyn_ros import InverseDynamics


def prepare(case: Case) -> Ready:
    """One state per call."""
    return one_by_one(case, InverseDynamics(case.model, backend='python'))


def prepare_batch(case: Case) -> Ready:
    """All states in one call, with numpy."""
    return batch(case, InverseDynamics(case.model, backend='python'))


def one_by_one(case: Case, dynamics: Callable[..., Array]) -> Ready:
    """Return a loop over the states, in Python."""
    states = list(zip(*case.states))
    turns = in_turns(states)

    def efforts() -> Array:
        return np.array([dynamics(q, qd, qdd) for q, qd, qdd in states])

    def run() -> None:
        for q, qd, qdd in next(turns):
            dynamics(q, qd, qdd)

    return Ready(efforts, run, CHUNK)


def batch(case: Case, dynamics: Callable[..., Array]) -> Ready:
    """Return one call for all states, often enough repeated to be worth a second thread."""
    repeats = max(16, 1536 // len(case.joint_names))
    q, qd, qdd = (np.tile(state, (repeats, 1)) for state in case.states)

    def efforts() -> Array:
        return dynamics(q, qd, qdd)[:case.states.shape[1]]

    def run() -> None:
        dynamics(q, qd, qdd)

    return Ready(efforts, run, len(q))
