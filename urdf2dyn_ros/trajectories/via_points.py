"""A motion through points, as in trajectory_msgs/JointTrajectory."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.errors import SimulationError
from urdf2dyn_ros.quoting import listed
from urdf2dyn_ros.robot_model import Joint, Limits
from urdf2dyn_ros.trajectories.trajectory import Trajectory

_LATEST = 2.0**31
"""A time [s] that a trajectory_msgs/JointTrajectory cannot have: its seconds are 32 bits."""

_INSTANTS = 20
"""Instants between two points at which the limits are checked."""

_MOST_POINTS = 10_000
"""Most points of a trajectory, unless another number is set."""

_TOLERANCE = 1e-6
"""Share of a limit by which rounding may exceed it."""


class Point(NamedTuple):
    """
    Positions (k,) of the named joints at a time since the start of the trajectory [s].

    Velocities and accelerations are (k,), or empty if they are not known.
    """

    time: float
    positions: Sequence[float]
    velocities: Sequence[float] = ()
    accelerations: Sequence[float] = ()


class ViaPoints(Trajectory):
    """
    A motion from a state (q, qd, qdd) through points, in the order of their times, to rest.

    With velocities the position between points is a polynomial of degree 3, with accelerations
    too one of degree 5, and without both a cubic spline that ends at rest. Joints that are not
    named keep their position; a first point at time 0 is ignored if another one follows.

    Unknown joints, points of the wrong size, times that do not increase, and motions that exceed
    a limit of position or velocity raise a SimulationError.
    """

    def __init__(self, joints: Sequence[Joint], limits: Sequence[Limits],
                 present: tuple[Array, Array, Array], names: Sequence[str],
                 points: Sequence[Point], most_points: int = _MOST_POINTS) -> None:
        # scipy needs half a second: a motion of another kind does not import it
        from scipy.interpolate import BPoly, CubicSpline
        joint_names = [joint.name for joint in joints]
        if len(points) > 1 and points[0].time == 0.0:
            points = points[1:]
        _check(joint_names, names, points, most_points)
        self.centre = np.array(present[0])
        self._columns = [joint_names.index(name) for name in names]
        times = np.array([0.0, *(point.time for point in points)])
        self.duration = float(times[-1])
        start = [part[self._columns] for part in present]
        known = 1 + bool(len(points[0].velocities)) + bool(len(points[0].accelerations))
        rows = [start[:known], *(point[1:1 + known] for point in points)]
        values = np.array(rows, dtype=float)   # (points, known, k)
        if not (np.isfinite(values).all() and np.isfinite(times).all()):
            raise SimulationError('trajectory: every number in it must be finite')
        if self.duration >= _LATEST:
            raise SimulationError(f'trajectory: its last time is {self.duration:g} s; a message '
                                  f'has times below {_LATEST:g} s, are they in seconds?')
        with np.errstate(over='ignore', invalid='ignore'):   # an error of its own, below
            if known == 1:
                ends = (1, start[1]), (1, np.zeros(len(names)))
                self._q = CubicSpline(times, values[:, 0], bc_type=ends)
            else:
                self._q = BPoly.from_derivatives(times, list(values))
            self._qd, self._qdd = self._q.derivative(), self._q.derivative(2)
        self._last = values[-1, 0]
        share = np.linspace(0.0, 1.0, _INSTANTS)
        at = (times[:-1, None] + np.outer(np.diff(times), share)).ravel()
        for number, q, qd in zip(self._columns, self._q(at).T, self._qd(at).T, strict=True):
            _check_limit(joints[number], limits[number], q, qd)

    def __call__(self, t: float) -> tuple[Array, Array, Array]:
        q, qd, qdd = self.centre.copy(), 0.0 * self.centre, 0.0 * self.centre
        if t < self.duration:
            t = max(t, 0.0)
            q[self._columns] = self._q(t)
            qd[self._columns], qdd[self._columns] = self._qd(t), self._qdd(t)
        else:
            q[self._columns] = self._last
        return q, qd, qdd


def _check(known: Sequence[str], names: Sequence[str], points: Sequence[Point],
           most_points: int) -> None:
    """Reject names and sizes that cannot be interpolated."""
    unknown = [name for name in names if name not in known]
    if unknown or len(set(names)) < len(names) or not names:
        raise SimulationError(f'trajectory of {listed(names) or "no joint"}: its joints must be '
                              f'some of {listed(known)}, each once')
    if not 0 < len(points) <= most_points:
        raise SimulationError(f'trajectory: it has {len(points)} points, 1 to '
                              f'{most_points} are allowed')
    first = points[0]
    before = 0.0
    for number, point in enumerate(points):
        size, *others = map(len, point[1:])
        allowed = [[0, 0], [len(names), 0], [len(names)] * 2]
        if size != len(names) or others not in allowed or others != [*map(len, first[2:])]:
            raise SimulationError(
                f'trajectory, point {number}: {len(names)} positions are needed, and as many '
                'velocities and accelerations or none, the same at all points (accelerations '
                'only with velocities)')
        if not point.time > before:
            raise SimulationError(f'trajectory, point {number}: its time {point.time:g} s must be '
                                  f'after {before:g} s')
        before = point.time


def _check_limit(joint: Joint, limits: Limits, q: Array, qd: Array) -> None:
    if not (np.isfinite(q).all() and np.isfinite(qd).all()):   # no limit would be exceeded
        raise SimulationError(f'trajectory: joint {joint.name!r} would not have finite positions '
                              'and velocities; its numbers are too large, or its times too near')
    beyond = _TOLERANCE * max(1.0, float(np.abs(q).max()))
    if joint.type != 'continuous' and (
            (limits.lower is not None and q.min() < limits.lower - beyond)
            or (limits.upper is not None and q.max() > limits.upper + beyond)):
        raise SimulationError(f'trajectory: joint {joint.name!r} would be between {q.min():g} and '
                              f'{q.max():g}, its limits are {limits.lower} and {limits.upper}')
    fastest = float(np.abs(qd).max())
    if limits.velocity and fastest > (1.0 + _TOLERANCE) * limits.velocity:
        raise SimulationError(f'trajectory: joint {joint.name!r} would move at {fastest:g}, its '
                              f'limit is {limits.velocity:g}; give it more time')
