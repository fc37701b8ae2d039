"""Where recorded efforts lead the URDF's robot and the identified one, from recorded states."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.identification.fit import Fit
from urdf2dyn_ros.identification.identification import Identification
from urdf2dyn_ros.identification.robot import ARMATURE, Robot, joint_columns
from urdf2dyn_ros.identification.rows import BLOCKS, ROW_RATE
from urdf2dyn_ros.robot.spatial import Array

HORIZON = 0.5   # duration of a rollout [s]
_STEP = 0.01   # of the integration [s]: half of it changes no error by more than 4 %
_MOST = 4   # rollouts in each part that is held out
_FASTEST = 3.0   # bound of velocities, over the fastest recorded ones: errors stay finite
_ROWS = 13   # samples of a rollout


class Rollouts(NamedTuple):
    """Root mean squares (n,) after HORIZON [rad or m]; NaN for joints that are not used."""

    moved: Array   # how far the joints came
    urdf: Array   # errors of the positions
    identified: Array   # the same, by fits without the part


def rollouts(result: Identification) -> Rollouts | None:
    """
    Return rollouts of parts that were held out.

    None where no recording is at hand, or each has friction of its own.
    """
    robot, used = result.robot, result.used
    found = [(fit, windows) for number, fit in enumerate(result.fits)
             if len((windows := _windows(result, number))[0])]
    if not found or result.own_friction:
        return None
    joints = np.zeros(result.joints.shape)
    joints[:, :2] = robot.urdf_friction
    urdf = result.fit._replace(bodies=robot.prior.parameters, joints=joints)
    q, qd, effort = map(np.concatenate, zip(*(windows for _, windows in found)))
    ends = (q[:, 0], _end(robot, urdf, used, q, qd, effort),
            np.concatenate([_end(robot, fit, used, *windows) for fit, windows in found]))
    return Rollouts(*(np.where(used, np.sqrt(np.square(end - q[:, -1]).mean(axis=0)), np.nan)
                      for end in ends))


def _windows(result: Identification, number: int) -> tuple[Array, Array, Array]:
    """Return positions, velocities and efforts (w, k, n) of windows in a part that is held out."""
    parts: list[tuple[Array, Array, Array]] = []
    blocks = result.parts == 'blocks'
    for each in result.summaries if blocks else result.summaries[number:number + 1]:
        if each.rows is None:
            continue
        rows = each.rows
        inside = rows.block == number if blocks else rows.block < BLOCKS
        first = np.searchsorted(rows.time, np.arange(rows.time[0], rows.time[-1], HORIZON))
        last = np.searchsorted(rows.time, rows.time[first] + HORIZON)
        times = [np.linspace(rows.time[i], rows.time[i] + HORIZON, _ROWS)
                 for i, k in zip(first, last) if k < len(inside) and inside[i:k + 1].all()
                 and np.diff(rows.time[i:k + 1]).max() < 2.0 / ROW_RATE]
        late = np.stack([part[:, -1] for part in rows.joints], axis=1) * result.effort_per_unit
        for at in times[::-(-len(times) // _MOST) or 1]:
            parts.append((_at(at, rows.time, rows.q), _at(at, rows.time, rows.qd),
                          _at(at + each.delay, rows.time, late)))
    q, qd, effort = ([part[k] for part in parts] for k in range(3))
    return np.array(q), np.array(qd), np.array(effort)


def _at(at: Array, time: Array, values: Array) -> Array:
    return np.stack([np.interp(at, time, column) for column in values.T], axis=1)


def _end(robot: Robot, fit: Fit, used: NDArray[np.bool_], q: Array, qd: Array,
         effort: Array) -> Array:
    """
    Return positions (w, n) at the ends of windows, from the states at their beginnings.

    Joints that are not used move as recorded. Friction is integrated implicitly, as its sign is
    stiffer than any step that one would like to wait for.
    """
    steps = round(HORIZON / _STEP)
    at, speed, top = q[:, 0].copy(), qd[:, 0].copy(), _FASTEST * np.abs(qd).max(axis=(0, 1))
    joints: list[int] = np.flatnonzero(used).tolist()
    qdd, unit = np.zeros_like(at), np.eye(len(used))[joints]
    for step in range(steps):
        place = (step + 0.5) / steps * (_ROWS - 1)
        row, part = int(place), place - int(place)
        known_q, known_qd, tau = ((1.0 - part) * each[:, row] + part * each[:, row + 1]
                                  for each in (q, qd, effort))
        at[:, ~used], speed[:, ~used] = known_q[:, ~used], known_qd[:, ~used]
        # efforts without acceleration, and with that of one joint after the other
        copies = (len(joints) + 1, 1)
        accelerations = np.concatenate((np.zeros_like(at), np.repeat(unit, len(at), axis=0)))
        bias, *columns = robot.columns.efforts(
            np.tile(at, copies), np.tile(speed, copies), accelerations, fit.bodies,
        ).reshape(len(joints) + 1, len(at), len(used))
        M = np.stack([(each - bias)[:, joints] for each in columns], axis=2)
        left = (tau - bias)[:, joints]
        links = bias[:, joints] + np.einsum('wij,wj->wi', M, qdd[:, joints])
        for k, j in enumerate(joints):
            small = 0.01 * robot.sign_widths[j]
            rates = np.concatenate((speed[:, j], speed[:, j] + small))
            now, later = (joint_columns(rates, np.zeros_like(rates), np.tile(links[:, k], 2),
                                        robot.sign_widths[j]) @ fit.joints[j]).reshape(2, -1)
            left[:, k] -= now
            M[:, k, k] += fit.joints[j, ARMATURE] + _STEP * np.maximum((later - now) / small, 0.0)
        qdd[:, joints] = np.linalg.solve(M, left[:, :, None])[:, :, 0]
        new = np.clip(speed + _STEP * qdd, -top, top)
        at, speed = at + 0.5 * _STEP * (speed + new), new
    return at
