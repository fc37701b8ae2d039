"""Where recorded efforts lead the robot of the URDF and the identified one, in a simulation."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.identification.fit import Fit
from urdf2dyn_ros.identification.result import Identification
from urdf2dyn_ros.identification.robot import ARMATURE, COULOMB, VISCOUS, Robot, joint_columns
from urdf2dyn_ros.identification.rows import BLOCKS, ROW_RATE
from urdf2dyn_ros.identification.summary import Summary
from urdf2dyn_ros.robot.spatial import Array

HORIZON = 0.5   # duration of a rollout [s]
_STEP = 0.01   # of the integration [s]: half of it changes no error by more than 4 %
_MOST_ROLLOUTS = 4   # of them in each part that is held out
_FASTEST = 3.0   # bound of velocities, over the fastest recorded ones: errors stay finite
# begin, middle of each step, and end of a rollout [s]
TIMES = np.array([0.0, *np.arange(0.5 * _STEP, HORIZON, _STEP), HORIZON])


def rollouts(result: Identification) -> tuple[Array, Array, Array] | None:
    """
    Return how far joints come (n,) in HORIZON, and by how much URDF and identified robot err.

    Root mean squares [rad or m] of parts that were held out, NaN for joints that are not used;
    one whose effort a recording lacks moves as recorded in it. None where no recording is at hand.
    """
    robot = result.robot
    held_out = [(fit, summary.used, windows) for number, fit in enumerate(result.fits)
                for summary, windows in _windows(result, number)]
    if not held_out:
        return None
    joints = np.zeros(result.joints.shape)
    joints[:, [VISCOUS, COULOMB]] = robot.urdf_friction
    urdf = result.fit._replace(bodies=robot.prior.parameters, joints=joints)
    squares, counts = np.zeros((3, len(joints))), np.zeros(len(joints))
    for fit, used, (q, qd, effort) in held_out:
        ends = q[:, 0], *(simulate(robot, each, used, q, qd, effort) for each in (urdf, fit))
        squares += [used * np.square(end - q[:, -1]).sum(axis=0) for end in ends]
        counts += used * len(q)
    moved, of_urdf, identified = np.sqrt(squares / np.where(counts > 0.0, counts, np.nan))
    return moved, of_urdf, identified


def _windows(result: Identification, number: int
             ) -> Iterator[tuple[Summary, tuple[Array, Array, Array]]]:
    """Yield positions, velocities and efforts (w, k, n) of windows in a part that is held out."""
    blocks = result.parts == 'blocks'
    for summary in result.summaries if blocks else result.summaries[number:number + 1]:
        if summary.rows is None:
            continue
        rows = summary.rows
        inside = rows.block == number if blocks else rows.block < BLOCKS
        first = np.searchsorted(rows.time, np.arange(rows.time[0], rows.time[-1], HORIZON))
        last = np.searchsorted(rows.time, rows.time[first] + HORIZON)
        times = [rows.time[i] + TIMES for i, k in zip(first, last)
                 if k < len(inside) and inside[i:k + 1].all()
                 and np.diff(rows.time[i:k + 1]).max() < 2.0 / ROW_RATE]
        late = np.stack([part[:, -1] for part in rows.joints], axis=1) * result.effort_per_unit
        samples = times[::-(-len(times) // _MOST_ROLLOUTS) or 1]
        if samples:
            q, qd, effort = (np.array([_at(each + delay, rows.time, values) for each in samples])
                             for delay, values in ((0.0, rows.q), (0.0, rows.qd),
                                                   (summary.delay, late)))
            yield summary, (q, qd, effort)


def _at(times: Array, time: Array, values: Array) -> Array:
    return np.stack([np.interp(times, time, column) for column in values.T], axis=1)


def simulate(robot: Robot, fit: Fit, used: NDArray[np.bool_], q: Array, qd: Array,
             effort: Array) -> Array:
    """
    Return positions (w, n) at the ends of windows, from the states at their beginnings.

    Joints that are not used move as recorded. Friction is integrated implicitly, as its sign is
    stiffer than any step that one would like to wait for.
    """
    position, speed, top = q[:, 0].copy(), qd[:, 0].copy(), _FASTEST * np.abs(qd).max(axis=(0, 1))
    joints: list[int] = np.flatnonzero(used).tolist()
    qdd, unit = np.zeros_like(position), np.eye(len(used))[joints]
    for step in range(1, len(TIMES) - 1):
        position[:, ~used], speed[:, ~used] = q[:, step, ~used], qd[:, step, ~used]
        # efforts without acceleration, and with that of one joint after the other
        copies = (len(joints) + 1, 1)
        rates = (qd[:, step + 1] - qd[:, step - 1]) / (TIMES[step + 1] - TIMES[step - 1])
        accelerations = np.tile(np.where(used, 0.0, rates), copies)
        accelerations[len(position):] += np.repeat(unit, len(position), axis=0)
        bias, *columns = robot.columns.efforts(
            np.tile(position, copies), np.tile(speed, copies), accelerations, fit.bodies,
        ).reshape(len(joints) + 1, len(position), len(used))
        M = np.stack([(column - bias)[:, joints] for column in columns], axis=2)
        remaining = (effort[:, step] - bias)[:, joints]
        links = bias[:, joints] + np.einsum('wij,wj->wi', M, qdd[:, joints])
        for k, j in enumerate(joints):
            small = 0.01 * robot.sign_widths[j]
            rates = np.concatenate((speed[:, j], speed[:, j] + small))
            now, later = (joint_columns(rates, np.zeros_like(rates), np.tile(links[:, k], 2),
                                        robot.sign_widths[j]) @ fit.joints[j]).reshape(2, -1)
            remaining[:, k] -= now
            M[:, k, k] += fit.joints[j, ARMATURE] + _STEP * np.maximum((later - now) / small, 0.0)
        qdd[:, joints] = np.linalg.solve(M, remaining[:, :, None])[:, :, 0]
        new = np.clip(speed + _STEP * qdd, -top, top)
        position, speed = position + 0.5 * _STEP * (speed + new), new
    return position
