"""
The motion that a plan means: what a robot does between the points of a trajectory.

Where points have velocities, or these and accelerations, the pieces are those that the
joint_trajectory_controller of ros2_controllers makes of them: polynomials of degree 3 or 5 in each
interval. Of positions alone it makes straight lines, whose velocities jump; here a spline of
degree 5 passes them, from rest to rest, with continuous accelerations.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from urdf2dyn_ros.estimation.velocities import IN_DEGREES, velocity_fault
from urdf2dyn_ros.recordings.series import Stamps
from urdf2dyn_ros.robot.spatial import Array

LONGEST_STEP = 1_000_000   # between instants at which a plan is evaluated [ns]
# of a plan; a longer one is evaluated in larger steps, one below 50 ms in smaller ones
_MOST_INSTANTS, _FEWEST_INSTANTS = 2_000_000, 50
# of points: as many, as close, from which on noise or stops are not the way of a person [s]
_FEWEST_POINTS, _CLOSE = 12, 0.05
_FAR = 60.0   # steps of points from which on times may be in another unit [s]
# rad, by which a step may miss whole turns, and usual steps that it is: positions are wrapped
_NEAR_TURN, _USUAL_STEPS = 0.3, 10.0
_NOISY = -0.3   # correlation of neighbouring second differences; of white noise it is -2/3
_LEAST_NOISE = 0.01   # second differences that matter [rad/s^2 or m/s^2]
# acceleration between points by which velocities contradict positions, in those of these
_CONTRADICTION = 10.0
# intervals in which a joint moves, from which on its velocities have a factor, their correlation
# with the positions, and the factor, of points far apart up to which stops may make it; of more
# intervals even a small factor is one where the correlation is clear
_FEWEST_MOVES, _ALIKE, _COARSE = 3, 0.6, 3.0
_MANY_MOVES, _CLEAR = 10, 0.99


class Plan:
    """
    The motion through points at increasing times (k,) [s], k > 1.

    Parameters
    ----------
    time : ndarray (k,)
        Times of the points [s].
    points : ndarray (3, k, n)
        Positions [rad or m], velocities and accelerations; NaN where they are not known.
        Velocities or accelerations count where all points have them, accelerations only with
        velocities.

    """

    def __init__(self, time: Array, points: Array) -> None:
        from scipy.interpolate import PPoly, make_interp_spline

        known = 1
        while known < 3 and np.isfinite(points[known]).all():
            known += 1
        self.end: float = float(time[-1])
        self.jumps = known == 2   # whether accelerations do, at the points
        self.text = ('a quintic spline, at rest at both ends (joint_trajectory_controller joins '
                     'positions alone by straight lines, whose accelerations are infinite)',
                     'cubics', 'quintics')[known - 1]
        if known == 1:
            rest = [(1, np.zeros(points.shape[2])), (2, np.zeros(points.shape[2]))]
            self._q: Any = make_interp_spline(time, points[0], k=5, bc_type=(rest, rest))
        else:
            steps = np.diff(time)[:, None]
            self._q = PPoly((_quintics if known == 3 else _cubics)(steps, points), time)
        self._qd, self._qdd = self._q.derivative(1), self._q.derivative(2)

    def __call__(self, t: Array | float) -> Array:
        """Return q, qd and qdd at times (i,), (3, i, n), or at one, (3, n)."""
        return np.array([self._q(t), self._qd(t), self._qdd(t)])


def _quintics(h: Array, points: Array) -> Array:
    """Return the coefficients (6, k - 1, n), of the highest power first."""
    (q, qd, qdd), (end, end_d, end_dd) = points[:, :-1], points[:, 1:]
    d = end - q
    return np.array([
        (12.0 * d - 6.0 * (qd + end_d) * h + (end_dd - qdd) * h**2) / (2.0 * h**5),
        (-30.0 * d + (16.0 * qd + 14.0 * end_d) * h + (3.0 * qdd - 2.0 * end_dd) * h**2) / (
            2.0 * h**4),
        (20.0 * d - (12.0 * qd + 8.0 * end_d) * h - (3.0 * qdd - end_dd) * h**2) / (2.0 * h**3),
        qdd / 2.0, qd, q])


def _cubics(h: Array, points: Array) -> Array:
    (q, qd, _), (end, end_d, _) = points[:, :-1], points[:, 1:]
    d = end - q
    return np.array([(-2.0 * d + (qd + end_d) * h) / h**3,
                     (3.0 * d - (2.0 * qd + end_d) * h) / h**2, qd, q])


def instants(stamps: Stamps, jumps: bool) -> Stamps:
    """
    Return the points' stamps [ns] and those between them, at most a millisecond apart.

    Where accelerations jump at the points, there is one just before each as well.
    """
    whole_time = int(stamps[-1] - stamps[0])
    longest = max(min(LONGEST_STEP, whole_time // _FEWEST_INSTANTS),
                  -(-whole_time // _MOST_INSTANTS))
    steps = np.diff(stamps)
    counts = -(-steps // longest)
    part = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    whole, rest = (np.repeat(each, counts) for each in np.divmod(steps, counts))
    between = np.repeat(stamps[:-1], counts) + part * whole + part * rest // np.repeat(
        counts, counts)
    before = stamps[1:-1] - 1 if jumps else stamps[:0]
    return np.unique(np.concatenate((between, stamps[-1:], before)))


def doubts(time: Array, points: Array, names: Sequence[str]) -> Iterator[str]:
    """
    Yield why points (3, k, n) at times (k,) [s] look measured, or contradict themselves.

    Where most of the second differences of positions are noise, neighbours have opposite signs.
    """
    for what, values in (('velocities', points[1]), ('accelerations', points[2])):
        known = np.isfinite(values).all(axis=1).sum()
        if np.isfinite(values).any() and known < len(time):
            yield (f'{what} are not used, as only {known} of {len(time)} points have those of all '
                   'joints')
    if np.isfinite(points[2]).any() and not np.isfinite(points[1]).any():
        yield 'accelerations are not used, as there are no velocities beside them'
    steps = np.diff(time)[:, None]
    if np.median(steps) >= _FAR:
        yield (f'its points are {float(np.median(steps)):g} s apart, as times are in seconds: are '
               'they in another unit?')
    moved = np.diff(points[0], axis=0)
    turns = 2.0 * math.pi * np.rint(moved / (2.0 * math.pi))
    wrapped = (turns != 0.0) & (np.abs(moved - turns) < _NEAR_TURN) & (
        np.abs(moved) > _USUAL_STEPS * np.median(np.abs(moved), axis=0))
    for joint in np.flatnonzero(wrapped.any(axis=0)).tolist():
        row = int(wrapped[:, joint].argmax())
        yield (f'{names[joint]} moves by {moved[row, joint]:.3g} rad between {time[row]:.3f} and '
               f'{time[row + 1]:.3f} s, about a whole turn, as a controller would: if the '
               'positions are angles between -pi and pi, unwrap them first, as by numpy.unwrap')
    if wrapped.any():   # what follows would be said of these steps
        return
    said = 0.5 * steps * (points[1, 1:] + points[1, :-1])
    contradictions = [*_contradictions(time, points, names)]
    yield from contradictions
    if len(time) < _FEWEST_POINTS or np.median(steps) > _CLOSE:
        return
    second = np.diff(moved / steps, axis=0) / (0.5 * (steps[1:] + steps[:-1]))
    power = np.square(second).sum(axis=0)
    together = (second[1:] * second[:-1]).sum(axis=0)
    if ((together < _NOISY * power) & (power > len(second) * _LEAST_NOISE**2)).any():
        yield ('its positions look measured: most of their second differences are noise, and so '
               'are accelerations and efforts; add --recording, and they are smoothed')
    if not np.isfinite(points[1]).all() or contradictions:
        return
    needed = 6.0 * np.abs(moved - said) / steps**2   # of a cubic, at its ends
    excess = needed - _CONTRADICTION * np.sqrt(power / len(second) + _LEAST_NOISE)
    if excess.max() > 0.0:
        row, joint = np.unravel_index(excess.argmax(), excess.shape)
        yield (f'velocities contradict positions: {names[joint]} moves by '
               f'{moved[row, joint]:.3g} between {time[row]:.3f} and {time[row + 1]:.3f} s, and '
               f'its velocities say {said[row, joint]:.3g}; to follow both, it accelerates by '
               f'{needed[row, joint]:.3g}/s^2: are they of the same motion?')


def _contradictions(time: Array, points: Array, names: Sequence[str]) -> Iterator[str]:
    """Yield which velocities have a factor against positions, or accelerations against these."""
    from scipy.interpolate import CubicSpline, make_interp_spline

    found: Sequence[bool] = ()
    for (values, rates), what, rate in zip(
            pairwise(points), ('positions', 'velocities'), ('velocities', 'accelerations')):
        if not np.isfinite(rates).all() or any(found):
            return
        # of points far apart, and of rates that jump
        curves = CubicSpline(time, rates), make_interp_spline(time, rates, k=1)
        factors = np.array([[*map(_scale, np.diff(values, axis=0).T, np.diff(
            curve.antiderivative()(time), axis=0).T)] for curve in curves])
        found = (factors != 1.0).all(axis=0).tolist()
        for name, factor, wrong in zip(names, factors[0], found):
            if wrong:
                question = '' if min(abs(factor * size - 1.0) for size in (
                    math.degrees(1.0), math.radians(1.0))) > IN_DEGREES else (
                        ' (is one of them in degrees?)')
                yield (f'{rate} of {name} contradict its {what}, which change '
                       f'{1.0 / factor:.3g} times as fast{question}; the motion and its efforts '
                       f'follow both: correct one of them, or leave out the {rate}')


def _scale(moved: Array, said: Array) -> float:
    """Return the factor of velocities by which a joint says to move (k - 1,), 1 if it has none."""
    size = float(said @ said)
    moves = np.count_nonzero(np.abs(said) > 0.05 * np.abs(said).max())
    if not size > 0.0 or moves < _FEWEST_MOVES:   # or not known
        return 1.0
    gain = float(moved @ said) / size
    together = abs(gain) * math.sqrt(size / max(float(moved @ moved), 1e-300))
    clear = moves >= _MANY_MOVES and together > _CLEAR
    far = not 1.0 / _COARSE < gain < _COARSE
    if together < _ALIKE or not (far or clear) or not gain:
        return 1.0
    scale = 1.0 / gain
    return scale if velocity_fault(scale, 0.0, 1.0) else 1.0
