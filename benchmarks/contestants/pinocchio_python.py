"""Pinocchio's rnea and aba, in a loop in Python."""

import numpy as np
from cases import Case
from racing.contestant import CHUNK, Array, Ready, in_turns


def prepare(case: Case, algorithm: str = 'rnea') -> Ready:
    """Read the model from URDF with Pinocchio's own parser."""
    import pinocchio

    model = pinocchio.buildModelFromXML(case.urdf.read_text())
    data = model.createData()
    names = [''] * model.nv
    for joint, name in zip(model.joints[1:], [*model.names][1:]):
        names[joint.idx_v] = name
    columns = case.in_order(names)
    states = list(zip(*np.ascontiguousarray(case.states[:, :, columns])))
    turns = in_turns(states)
    compute = getattr(pinocchio, algorithm)

    def efforts() -> Array:
        result = np.empty(case.states.shape[1:])
        result[:, columns] = [compute(model, data, *state).copy() for state in states]
        return result

    def run() -> None:
        for q, qd, qdd in next(turns):
            compute(model, data, q, qd, qdd)

    return Ready(efforts, run, CHUNK)


def prepare_forward(case: Case) -> Ready:
    """Forward dynamics."""
    return prepare(case, 'aba')
