"""
The cost of robots with closed loops: exported C, and Pinocchio's constraintDynamics from Python.

    make bench

Pinocchio solves the opposite problem, efforts to accelerations, as it has no inverse dynamics of
closed loops; a call of its rnea for the open tree shows what calling it from Python takes. It
agrees here if its accelerations are those that our efforts are for. The table is written into
docs/closed_loops.md, where it is found by its first line.

"""

import ctypes
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pinocchio as pin
from cases import ROOT
from racing.compilers import CC, FLAGS, SHARED, builds

from urdf2dyn_ros import InverseDynamics, export_model, read_urdf

sys.path.insert(0, str(ROOT / 'test'))
from support.mechanisms import mechanism
from support.oracles import prepared

MECHANISMS = ('four_bar', 'five_bar', 'ankle', 'delta', 'stewart')
STATES, ROUNDS = 256, 40
TOLERANCE = 1e-6   # relative: its constraints are damped
HEAD = '| closed loops | joints | efforts [ns] | closing and efforts [ns] | ' \
       "Pinocchio's constraintDynamics [ns] | its rnea of the tree [ns] | ratio |"
LOOP = """
#include "robot_dynamics.h"
long run(const double *q, const double *qd, const double *qdd, double *passive, double *tau,
         int closes)
{
    long closed = 0;
    for (int k = 0; k < STATES; ++k) {
        if (closes && k > 0)
            for (int i = 0; i < ROWS; ++i) passive[k * ROWS + i] = passive[(k - 1) * ROWS + i];
        closed += !closes || robot_close(q + k * JOINTS, passive + k * ROWS) == ROBOT_CLOSED;
        robot_inverse_dynamics(q + k * JOINTS, qd + k * JOINTS, qdd + k * JOINTS,
                               passive + k * ROWS, tau + k * JOINTS);
    }
    return closed;
}
"""


def least(call: Callable[[], object], calls: int) -> float:
    """Return the shortest time of one of `calls` evaluations [ns]."""
    times = []
    for _ in range(ROUNDS):
        begin = time.perf_counter_ns()
        call()
        times.append(time.perf_counter_ns() - begin)
    return min(times) / calls


def main() -> int:
    """Print the table and write it; 1 where the results disagree."""
    rows, wrong = [], 0
    for name in MECHANISMS:
        with tempfile.TemporaryDirectory() as folder:
            row, difference = measured(name, Path(folder))
        rows.append(f'| {name.replace("_", "-")} | {" | ".join(row)} |')
        print(f'{rows[-1]} difference {difference:.1e}')
        wrong += not difference < TOLERANCE
    page = ROOT / 'docs' / 'closed_loops.md'
    before, found, after = page.read_text().partition(HEAD)
    if found:
        _, gap, rest = after.partition('\n\n')
        page.write_text('\n'.join([before + HEAD, '|---|---|---|---|---|---|---|', *rows])
                        + gap + rest)
    return bool(wrong)


def measured(name: str, folder: Path) -> tuple[list[str], float]:
    """Return the cells of a robot, and the relative difference of accelerations."""
    text = mechanism(name)
    model = read_urdf(text)
    dynamics, rng = InverseDynamics(model), np.random.default_rng(1)
    start = dict(model.closed_loops.start)
    phase = np.linspace(0.0, 1.5, STATES)[:, None] + rng.normal(size=dynamics.n)
    q = np.array([start[each] for each in dynamics.joint_names]) + 0.1 * (
        np.sin(phase) - np.sin(phase[0]))
    qd, qdd = rng.normal(size=(2, *q.shape))
    every = dynamics.close(q)
    unknown = [dynamics.passive_names.index(each) for each in model.closed_loops.unknown]
    order = [dict(zip(model.closed_loops.unknown, unknown))[each] for each in (
        dynamics._system.joint_names[k] for k in dynamics._system.unknown)]
    passive, tau = np.ascontiguousarray(every[:, order]), np.empty_like(q)
    for file, content in export_model(model, 'c', 'fast', 'robot').items():
        (folder / file).write_text(content)
    (folder / 'loop.c').write_text(LOOP)
    sources = [folder / 'loop.c', folder / 'robot_dynamics.c']
    arguments = [*FLAGS, *SHARED, f'-DSTATES={STATES}', f'-DJOINTS={dynamics.n}',
                 f'-DROWS={len(order)}', '-I', folder, *sources, '-lm']
    library = ctypes.CDLL(str(builds(CC, arguments, sources, folder, 'loop')[0]))
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (q, qd, qdd, passive, tau)]
    assert library.run(*pointers, 1) == STATES
    efforts, closing = (least(lambda: library.run(*pointers, closes), STATES)  # noqa: B023
                        for closes in (0, 1))

    tree = pin.buildModelFromXML(prepared(text))
    constraints = pin.StdVec_RigidConstraintModel()
    facts = pin.StdVec_RigidConstraintData()
    for loop in model.loops:
        ends = [tree.frames[tree.getFrameId(end.link, pin.FrameType.BODY)]
                for end in (loop.first, loop.second)]
        places = [frame.placement * pin.SE3(np.eye(3), np.array(end.xyz))
                  for frame, end in zip(ends, (loop.first, loop.second))]
        constraints.append(pin.RigidConstraintModel(
            pin.ContactType.CONTACT_3D, tree, ends[0].parentJoint, places[0],
            ends[1].parentJoint, places[1], pin.LOCAL))
        facts.append(constraints[-1].createData())
    data, settings = tree.createData(), pin.ProximalSettings(1e-12, 1e-9, 20)
    pin.initConstraintDynamics(tree, data, constraints, facts)
    states, off = [], 0.0
    h = 1e-6
    for k in range(STATES):
        rates = (dynamics.close(q[k] + h * qd[k], start=every[k])
                 - dynamics.close(q[k] - h * qd[k], start=every[k])) / (2.0 * h)
        states.append([vector(tree, [*dynamics.joint_names, *dynamics.passive_names], values)
                       for values in ([*q[k], *every[k]], [*qd[k], *rates], tau[k])])
    for k, state in enumerate(states):
        at = position(tree, state[0])
        states[k] = [at, *state[1:]]
        found = pin.constraintDynamics(tree, data, *states[k], constraints, facts, settings)
        motors = [tree.joints[tree.getJointId(each)].idx_v for each in dynamics.joint_names]
        off = max(off, float(np.abs(found[motors] - qdd[k]).max() / np.abs(found).max()))
    theirs = least(lambda: [pin.constraintDynamics(
        tree, data, *state, constraints, facts, settings) for state in states], STATES)
    rnea = least(lambda: [pin.rnea(tree, data, *state) for state in states], STATES)
    figures = (efforts, closing, theirs, rnea)
    return [str(tree.nv), *(f'{each:.0f}' for each in figures), f'{theirs / efforts:.0f}'], off


def vector(tree: pin.Model, names: list[str], values: list[float]) -> np.ndarray:
    """Return values by joint in the order of Pinocchio; 0 for those that are missing."""
    result = np.zeros(tree.nv)
    for each, value in zip(names, values):
        result[tree.joints[tree.getJointId(each)].idx_v] = value
    return result


def position(tree: pin.Model, angles: np.ndarray) -> np.ndarray:
    """Return q of Pinocchio, which has cosine and sine of a joint without limits."""
    return np.asarray(pin.integrate(tree, pin.neutral(tree), angles))


if __name__ == '__main__':
    sys.exit(main())
