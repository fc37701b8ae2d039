"""
dynibo's inverse_dynamics and forward_dynamics, in a loop in Python; its core is written in Rust.

Its gravity is 9.80665 m/s^2 and cannot be set, where all others have 9.81. What is missing of
the efforts is proportional to its own gravity's, and added outside of what is timed.

"""

from collections.abc import Callable
from typing import Any

import numpy as np
from cases import Case
from racing.contestant import CHUNK, Array, Ready, in_turns

MISSING = 9.81 / 9.80665 - 1.0
"""What its gravity lacks of that of the others, as part of its own."""


def prepare(case: Case) -> Ready:
    """Read the model from URDF with dynibo's own parser; a buffer takes the efforts."""
    robot, order = _robot(case)
    states = [*zip(*np.ascontiguousarray(case.states[:, :, order]))]
    gravity = [MISSING * np.array(robot.gravity(q)) for q, _, _ in states]
    return _ready(case, order, robot.inverse_dynamics, states, after=np.array(gravity))


def prepare_forward(case: Case) -> Ready:
    """Forward dynamics, of efforts that are smaller by what its gravity lacks."""
    robot, order = _robot(case)
    states = [(q, qd, tau - MISSING * np.array(robot.gravity(q)))
              for q, qd, tau in zip(*np.ascontiguousarray(case.states[:, :, order]))]
    return _ready(case, order, robot.forward_dynamics, states)


def _robot(case: Case) -> tuple[Any, list[int]]:
    """Return the robot, and where each of its joints is in the case's order."""
    import dynibo

    # breadth first, siblings as they are in the file; no function tells their names
    links, names = [case.model.root], []
    for link in links:
        for joint in case.model.joints:
            if joint.parent == link:
                links.append(joint.child)
                names += [joint.name] * (joint.type != 'fixed')
    return dynibo.Robot.from_urdf(case.urdf), case.in_order(names)


def _ready(case: Case, order: list[int], compute: Callable[..., Array],
           states: list[tuple[Array, ...]], after: Array | float = 0.0) -> Ready:
    """Return a loop over the states, and its results with something added."""
    turns = in_turns(states)
    out = np.empty(len(order))

    def results() -> Array:
        result = np.empty(case.states.shape[1:])
        result[:, order] = np.add(
            [compute(*state, out=out).copy() for state in states], after)
        return result

    def run() -> None:
        for q, qd, third in next(turns):
            compute(q, qd, third, out=out)

    return Ready(results, run, CHUNK)
