"""
Jumps of positions that no motion explains, as of an encoder that is set to another zero.

A jump leads from one smooth motion to another one between two neighbouring samples: parabolas
through the samples before and after it are apart. A single wrong sample has the same motion on
both sides; a motion that changes as fast would need an acceleration that no joint has. Stamps or
positions that are late move positions along the motion, so a jump is further than these, or other
joints that move have none.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import SECOND_NS

_LEAST_JUMP = 0.01   # smallest jump: backlash is smaller [rad or m]
# acceleration by which a motion may change between samples [rad/s^2 or m/s^2]
_FASTEST_MOTION = 100.0
_OF_RESIDUALS = 10.0   # jump over the largest residual of the parabolas
_OF_CHANGES = 5.0   # jump over the usual change within a second: those of a slow sensor are alike
# time by which all joints may be late [s], and steps by which a single one may be
_LONGEST_DELAY, _LATE_STEPS = 0.1, 3.0
_LONGEST_STAY = 1.0   # time for which a position may be repeated until it makes up for it [s]
_CLEAR_MOTION = 0.003   # change of another joint by a delay that would be seen [rad or m]
_ON_TIME = 0.3   # part of that change below which it is not late
_SIDE = 6   # samples of a parabola


class PositionJump(NamedTuple):
    """A jump of a position."""

    stamp: int   # of the first sample after it [ns]
    joint: int
    # positions at that stamp by the motions on either side [rad or m]
    before: float
    after: float

    @property
    def size(self) -> float:
        """[rad or m]."""
        return self.after - self.before


def position_jumps(stamps: NDArray[np.int64], positions: Array) -> list[PositionJump]:
    """Return the jumps of positions (k, n) [rad or m] at increasing stamps (k,) [ns]."""
    if len(stamps) < 2 * _SIDE + 1:
        return []
    time = (stamps - stamps[0]) * 1e-9
    return sorted(PositionJump(int(stamps[row]), joint, before, after)
                  for joint in range(positions.shape[1])
                  for row, before, after in _jumps(time, positions, joint))


def parts_between(stamps: NDArray[np.int64], jumps: Iterable[PositionJump]) -> list[slice]:
    """Return the rows of the samples at stamps (k,) [ns] before, between and after jumps."""
    rows = np.searchsorted(stamps, sorted({jump.stamp for jump in jumps})).tolist()
    return [slice(first, last) for first, last in zip([0, *rows], [*rows, len(stamps)])]


def _jumps(time: Array, positions: Array, joint: int) -> Iterator[tuple[int, float, float]]:
    """Yield the row after each jump of a joint, and the positions on either side."""
    steps, changes = np.diff(time), np.diff(positions[:, joint])
    speeds = changes / steps
    excess = np.zeros(len(changes))
    excess[1:-1] = np.abs(changes[1:-1] - 0.5 * steps[1:-1] * (speeds[:-2] + speeds[2:]))
    least = np.maximum(_LEAST_JUMP, _FASTEST_MOTION * np.square(steps))
    largest = np.maximum(np.roll(excess, 1), np.roll(excess, -1))
    rows = 1 + np.flatnonzero((excess > least) & (excess >= largest))
    for row in rows[(rows >= _SIDE) & (rows < len(time) - _SIDE)].tolist():
        before, after = sides = _sides(time, positions, row)
        residual, step = np.maximum(before.residual, after.residual), row - 1
        change = np.abs(after.position - before.position)
        size = float(change[joint])
        if not (size > least[step] and size > _OF_RESIDUALS * residual[joint]
                and size > _OF_CHANGES * _usual_change(time, changes, step)):
            continue
        # stamps or positions that are late may explain the change of a joint
        speeds = np.abs([side.speed for side in sides])
        speed = float(speeds[:, joint].max())
        delay = size / speed if speed else np.inf
        # the position may have been the same for some time
        others = np.flatnonzero(changes[:step])
        stay = 2.0 * min(float(time[step] - time[others[-1] + 1 if len(others) else 0]),
                         _LONGEST_STAY)
        # or of all joints at once, unless another one that moves on shows no delay
        goes_on = np.sign(before.speed) == np.sign(after.speed)
        expected = np.where(goes_on, speeds.min(axis=0), 0.0) * delay
        clear = expected > np.maximum(_CLEAR_MOTION, _OF_RESIDUALS * residual)
        on_time = (clear & (change < _ON_TIME * expected)).any()
        if delay > _LATE_STEPS * steps[step] + stay and (
                delay > _LONGEST_DELAY + stay or on_time):
            yield row, float(before.position[joint]), float(after.position[joint])


class _Side(NamedTuple):
    position: Array   # (n,) [rad or m]
    speed: Array   # (n,) [rad/s or m/s]
    residual: Array   # the largest one (n,) [rad or m]


def _sides(time: Array, positions: Array, row: int) -> tuple[_Side, _Side]:
    """Return the parabolas; the row itself is in neither: a driver may have interpolated it."""
    def fit_side(rows: slice) -> _Side:
        powers = np.vander(time[rows] - time[row], 3, increasing=True)
        factors = np.linalg.lstsq(powers, positions[rows], rcond=None)[0]
        return _Side(factors[0], factors[1],
                     np.abs(positions[rows] - powers @ factors).max(axis=0))

    return fit_side(slice(row - _SIDE, row)), fit_side(slice(row + 1, row + 1 + _SIDE))


def _usual_change(time: Array, changes: Array, step: int) -> float:
    """Return the change than which nine of ten others within a second are smaller."""
    first, last = np.searchsorted(time, (time[step] - 1.0, time[step] + 1.0))
    near = np.abs(np.delete(changes[first:last], step - first))
    near = near[near > 0.0]
    return float(np.percentile(near, 90.0)) if len(near) else 0.0


# ---- Positions that alternate from one sample to the next

_LEAST_ALTERNATION = 1e-4   # root mean square difference from the neighbours [rad or m]
_ALTERNATING = -0.95   # correlation of neighbouring changes of it; white noise has -0.75


def alternating(stamps: NDArray[np.int64], positions: Array) -> NDArray[np.bool_]:
    """Return which positions (k, n) at increasing stamps (k,) [ns] alternate, (n,)."""
    share = ((stamps[1:-1] - stamps[:-2]) / (stamps[2:] - stamps[:-2]))[:, None]
    away = positions[1:-1] - positions[:-2] - share * (positions[2:] - positions[:-2])
    change = np.diff(away, axis=0)
    return np.asarray((np.square(away).sum(axis=0) > len(away) * _LEAST_ALTERNATION**2) & (
        (change[1:] * change[:-1]).sum(axis=0) < _ALTERNATING * np.square(change).sum(axis=0)))


def alternation_sentence(names: Sequence[str]) -> str:
    return (f'positions of {", ".join(names)} alternate from one sample to the next: a controller '
            'that oscillates at half the rate of the samples, or two publishers; accelerations '
            'and efforts are those of the mean motion, not of these')


# ---- Jumps of positions in words: which joint, when, by how much, and what to do

_MOST_SENTENCES = 3
_LARGEST_STEP = 60.0   # difference of a jump from 360 up to which it is a turn in degrees


def jump_sentences(jumps: Iterable[PositionJump], names: Sequence[str], units: Sequence[str],
                   start: int) -> list[str]:
    """Return a sentence for each of the first jumps; `start` is the stamp of the first sample."""
    sentences = [
        f'the position of {names[jump.joint]} jumps by {jump.size:.3g} {units[jump.joint]} from '
        f'one sample to the next, {(jump.stamp - start) / SECOND_NS:.3f} s after the first '
        'sample, which no motion explains: '
        + ('it is in degrees; convert it to radians'
           if abs(abs(jump.size) - 360.0) < _LARGEST_STEP else
           'its sensor was set to another zero, or the values are those of another joint; cut '
           'the recording there, and use the side on which the zero is that of the URDF')
        for jump in sorted(jumps)]
    more = len(sentences) - _MOST_SENTENCES
    return [*sentences[:_MOST_SENTENCES],
            *([f'there are {more} more jumps of positions'] if more > 0 else [])]
