"""Positions that a driver repeats, because its sensor is slower or an update was late."""

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.robot.spatial import Array

LARGE_CHANGE = 3.0
"""Smallest changes of a position that are no longer its resolution alone."""

LARGEST_ROUNDING = 1e-9
"""Largest change of a position that is rounding [rad or m]."""

LOOKED_AT = 8
"""New positions of which one is compared with the resolution."""

SAME_SPEED = 1.5
"""Ratio of two mean velocities up to which a motion went on while its positions were repeated."""

LONGEST_RUN_NS = 100_000_000
"""Longest time over which positions are repeated rather than at rest [ns]."""

CONFIRMATIONS = 3
"""Runs of repeated positions, at least as long, that show that a driver repeats as many."""

FASTEST_STOP = 200.0
"""Acceleration with which a joint may stop [rad/s^2 or m/s^2]."""

LONGEST_SLIP = 1
"""Repeated positions by which two loops of the same rate slip: what follows does not catch up."""

MOST_OF_USUAL = 2
"""Length of a run that counts as repeated, in usual ones."""

RUNS_WITHIN_NS = 1_000_000_000
"""Time within which these are seen [ns]."""


class RepeatedPositions:
    """
    Recognises samples whose positions are all repeated although the robot moves.

    Such a sample is older than its stamp: no measurement. A robot at rest has the same positions
    too, and so has a slow one with a coarse encoder. But if positions were repeated, the next
    change makes up for them: the mean velocity over the run is that before, by changes that are
    far larger than the resolution. After a few such runs, samples with the same positions count as
    repeated, up to twice as many in a row as in three of these: a connection that loses packets
    loses several at times. At rest, those that follow are measured.

    Two kinds of samples are repeated whatever was seen before: those after which the robot would
    have stopped faster than any does, and several that also repeat velocities by which a position
    would have changed by far more than its resolution. The first sample of a run is not where the
    period is `shortest_slip` [s] or longer: the estimator judges it, and the one after it, which
    need not make up for it.
    """

    def __init__(self, joints: int, shortest_slip: float = np.inf) -> None:
        self._shortest_slip = 1e9 * shortest_slip   # [ns]
        self._resolution = np.full(joints, np.inf)   # smallest change of each position
        self._runs: list[tuple[int, int]] = []   # stamps [ns] and lengths of confirmed ones
        self._longest = self._new = self._found_at = 0
        self._contradicted = False   # positions stayed while velocities said that they change
        self.found = False   # with the newest sample
        self.restart()

    def restart(self) -> None:
        """Draw no conclusion from the step to the next sample."""
        self._bytes = b''
        self._stamp = self._before = 0               # of the last two new positions [ns]
        self._q = self._earlier = np.full(len(self._resolution), np.nan)
        self._velocities = b'', b''   # those that are used, and those that were received
        self._run = 0

    @property
    def known(self) -> bool:
        """Whether the driver repeats positions."""
        return self._longest > 0 or self._contradicted

    def update(self, stamp: int, q: Array, qd: Array, received: Array | None = None) -> bool:
        """
        Add a sample; return whether it is repeated and no measurement.

        Stamp [ns], q (n,) [rad or m], and the velocities that are used, qd (n,) [rad/s or m/s] or
        NaN: with new ones, a sample is a measurement. Velocities that were received but are not
        used, as they are late, still show that positions should change. The arrays are kept.
        """
        self.found = False
        shown = qd if received is None else received
        data, used = q.tobytes(), qd.tobytes()
        velocities = used, used if shown is qd else shown.tobytes()
        before, self._velocities = self._velocities, velocities
        if data == self._bytes:
            self._run += 1
            return used == before[0] and (
                self._run <= MOST_OF_USUAL * self._longest
                or (velocities[1] == before[1] and self._would_move(stamp, shown)))
        self._new += 1
        if self._run or self._new % LOOKED_AT == 0:
            self._compare(stamp, q)
        self._bytes, self._run = data, 0
        self._before, self._earlier = self._stamp, self._q
        self._stamp, self._q = stamp, q
        return False

    def measured(self, stamps: NDArray[np.int64], positions: Array) -> NDArray[np.bool_]:
        """
        Return which samples are measurements, by what is known now, (k,).

        Stamps (k,) [ns] and positions (k, n) of samples that `update` did not find repeated: some
        were, shortly before it was known that the driver repeats them.
        """
        new = np.concatenate(([True], (np.diff(positions, axis=0) != 0.0).any(axis=1)))
        rows = np.arange(len(positions))
        run = rows - np.maximum.accumulate(np.where(new, rows, 0))
        other = (stamps > self._found_at) | (stamps < self._found_at - RUNS_WITHIN_NS)
        return new | other | (run > self._longest)

    def _would_move(self, stamp: int, qd: Array) -> bool:
        """Return whether positions that stayed until a stamp contradict the velocities."""
        passed = 1e-9 * (stamp - self._stamp)
        large = LARGE_CHANGE * self._resolution
        moves = (self._run > LONGEST_SLIP and stamp - self._stamp <= LONGEST_RUN_NS
                 and bool((np.abs(qd) * passed > large).any()))
        slips = self._run <= LONGEST_SLIP and stamp - self._stamp >= self._shortest_slip
        if not moves and self._before and not slips:
            change = np.abs(self._q - self._earlier)
            stop = change / (1e-9 * (self._stamp - self._before)) / passed
            moves = bool(((change > large) & (stop > FASTEST_STOP)).any())
        self._contradicted |= moves
        return moves

    def _compare(self, stamp: int, q: Array) -> None:
        """Learn the resolution, and whether a change makes up for a run of repeated positions."""
        change, before = q - self._q, self._q - self._earlier
        size = np.abs(change)
        np.fmin(self._resolution, np.where(size > LARGEST_ROUNDING, size, np.inf),
                out=self._resolution)
        if not self._run or not self._before or stamp - self._stamp > LONGEST_RUN_NS:
            return
        large = LARGE_CHANGE * self._resolution
        with np.errstate(all='ignore'):   # of a joint that rested
            ratio = change / before * ((self._stamp - self._before) / (stamp - self._stamp))
        if ((np.minimum(size, np.abs(before)) > large) & (ratio > 1.0 / SAME_SPEED)
                & (ratio < SAME_SPEED)).any():
            self._runs = [each for each in self._runs if stamp - each[0] < RUNS_WITHIN_NS]
            self._runs.append((stamp, self._run))
            if len(self._runs) >= CONFIRMATIONS:
                self.found = not self.known
                self._found_at = self._found_at or stamp
                usual = sorted(length for _, length in self._runs)[-CONFIRMATIONS]
                self._longest = max(self._longest, usual)
