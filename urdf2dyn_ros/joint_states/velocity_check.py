"""Whether measured velocities agree with the measured positions."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.joint_states.velocity_blocks import VelocityBlock, VelocityBlocks, VelocitySample
from urdf2dyn_ros.joint_states.velocity_lag import LagScan
from urdf2dyn_ros.joint_states.velocity_regression import VelocityRegression
from urdf2dyn_ros.joint_states.velocity_words import ALWAYS_ZERO, JointVelocity, fault_text
from urdf2dyn_ros.robot.spatial import Array

BLOCK_NS = 50_000_000
"""Length of a block [ns]."""

FEWEST_BLOCK_STEPS = 5
"""Fewest steps in a block."""

FEWEST_BLOCKS = 6
"""Blocks with motion from which on a velocity is judged."""

RETRIAL_BLOCKS = 40
"""Blocks with motion after which a faulty velocity is judged again."""

SIGNIFICANCE = 5.0
"""Deviations by which a figure must exceed its tolerance."""

TOLERANCES = np.array([0.02, 1e-3, 1e-2])
"""Tolerated errors of gain [-], lag [s] and offset [rad/s or m/s], as of the regressors."""

LARGE_LAG = 0.01
"""Lag from which on a regression of first order is not exact [s]."""

SMALL_ERRORS = np.array([0.1, 1e-3, 1e-2])
"""Errors up to which a velocity is used again after a few blocks, as the tolerances."""

SCAN_PERIOD = 3
"""Blocks of which one is scanned for the lag, once there is a first figure, and judged while all
velocities are right."""

LARGEST_REMAINING_FAULT = 0.5
"""Part of a fault that later blocks must exclude before the velocity is used again."""


class VelocityCheck:
    """
    Compares changes of position with integrals of velocity, over blocks of 50 ms with motion.

    Blocks with an impact are not used, nor are those whose motion is partly noise or resolution.

    A `VelocityRegression` estimates gain, lag and offset of each joint, a `LagScan` the lag of
    velocities that are dropped. The velocity of a joint with a figure beyond its tolerance is
    dropped, until later blocks exclude that fault. Before it is judged for the first time, it is
    not used after a block in which the joint rests, until one agrees with it, nor after one that
    contradicts it. One of a coarse encoder is not used before all its figures are small. One that
    was always zero counts as not measured.

    `warnings` has the joints whose velocities are not credible, and why; `dropping` is True while
    the velocity of any joint is dropped.
    """

    def __init__(self, joints: int) -> None:
        self.warnings: dict[int, str] = {}
        self._zero = np.ones(joints, dtype=bool)
        self._all_alive = joints == 0
        self._first: Array | None = None
        self._dropped, self._suspected, self._waiting, self._judged, self._settled = np.zeros(
            (5, joints), dtype=bool)
        self._coarse = np.zeros(joints, dtype=bool)
        self._decide()
        self._regression = VelocityRegression(joints)
        self._scan = LagScan(joints)
        self._turn = 0
        self._fault = np.zeros((joints, 3))     # what is wrong, as the figures of the regression
        self._lag, self._scale = np.full((2, joints), np.nan)
        self._blocks = VelocityBlocks(joints)
        self._newest = np.full(joints, np.nan)  # velocities
        self._work: Iterator[None] = iter(())   # remaining work on the last block
        self.restart()

    def restart(self) -> None:
        """Draw no conclusion from the step to the next sample."""
        for _ in self._work:
            pass
        self._samples: list[VelocitySample] = []
        self._scan.restart()

    @property
    def joints(self) -> tuple[JointVelocity, ...]:
        """Recognised properties of the velocity of each joint."""
        unused = self._unused | self._zero | np.isnan(self._newest)
        return tuple(
            JointVelocity(not not_used, lag, scale, self.warnings.get(joint) or (
                'not measured' if missing else ''))
            for joint, (not_used, lag, scale, missing) in enumerate(zip(
                unused.tolist(), self._lag.tolist(), self._scale.tolist(),
                np.isnan(self._newest).tolist())))

    def update(self, stamp: int, q: Array, qd: Array) -> Array:
        """
        Add a sample; return its velocities, NaN for those that must not be used.

        Stamp [ns], q (n,) [rad or m] and qd (n,) [rad/s or m/s] or NaN; the arrays are kept.
        """
        self._samples.append((stamp, q, qd))
        if (stamp - self._samples[0][0] >= BLOCK_NS) and len(self._samples) > FEWEST_BLOCK_STEPS:
            for _ in self._work:   # finish the block before, if this one is short
                pass
            self._work = self._examine(self._samples)
            self._samples = self._samples[-1:]
        next(self._work, None)
        self._newest = qd
        if not self._all_alive:
            self._zero &= ~(np.abs(qd) > 0.0)
            self._all_alive = not self._zero.any()
            qd = np.where(self._zero, np.nan, qd)
        return qd if self._all_used else np.where(self._unused, np.nan, qd)

    def _examine(self, samples: Sequence[VelocitySample]) -> Iterator[None]:
        """Add a block and judge, in parts: each sample runs one, so that none takes long."""
        self._scan.keep(samples)
        block = yield from self._blocks.measure(samples)
        moving, self._coarse = block.moving, block.coarse
        if not self._all_judged:
            self._suspect(block)
        if self._zero.any():
            self._report_zeros(samples[-1], block.least)
        if not moving.any():
            return
        yield
        self._regression.add(moving, block.regressors[moving], block.unexplained[moving],
                             block.moved[moving])
        self._turn = (self._turn + 1) % SCAN_PERIOD
        late = self._unused & moving & (~self._settled | (self._turn == 0))
        if late.any():
            self._scan.compare(samples[0][0], block.integral, late)
        if self._turn and self._all_judged and self._all_used:
            return
        yield
        absurd = self._regression.solve()
        yield
        self._judge(absurd)

    def _suspect(self, block: VelocityBlock) -> None:
        """Do not use velocities not judged yet, if coarse, after a rest or a contradiction."""
        waiting = self._waiting | block.resting | block.coarse
        self._waiting = waiting & ~block.agreeing & ~self._judged
        self._suspected |= block.contradicted & ~self._judged
        self._decide()

    def _report_zeros(self, sample: VelocitySample, least: Array) -> None:
        _, q, qd = sample
        if self._first is None:
            self._first = q
        moved = self._zero & (np.abs(q - self._first) > least) & np.isfinite(qd)
        for joint in np.flatnonzero(moved).tolist():
            self.warnings[joint] = ALWAYS_ZERO

    def _judge(self, absurd: NDArray[np.bool_]) -> None:
        """Judge the velocities by the figures of the regression."""
        regression, blocks = self._regression, self._regression.blocks
        margin = SIGNIFICANCE * regression.deviation
        enough, tried = blocks >= FEWEST_BLOCKS, (blocks > RETRIAL_BLOCKS)[:, None]
        gain = 1.0 + regression.error[:, 0]
        consistent = enough & regression.fits & (np.abs(gain) > margin[:, 0])
        figures = regression.error.copy()
        figures[consistent, 1] /= gain[consistent]
        margin[consistent, 1] /= np.abs(gain[consistent])
        wrong = np.abs(figures) - margin > TOLERANCES
        faulty = enough & (wrong.any(axis=1) | regression.inconsistent)
        # what was wrong must be excluded; the rest must be small, or insignificant for long
        limits = np.where(self._fault == 0.0, np.inf, np.maximum(
            TOLERANCES, LARGEST_REMAINING_FAULT * np.abs(self._fault)))
        limits = np.where(tried, limits, np.minimum(limits, SMALL_ERRORS))
        right = enough & ~faulty & (np.abs(figures) + margin < limits).all(axis=1)
        self._dropped = (self._dropped | faulty) & ~right
        self._suspected &= ~enough
        # noise shared with positions that are coarse harms before a fault is significant
        judged = enough & (~self._coarse | (np.abs(figures) + margin < SMALL_ERRORS).all(axis=1))
        self._waiting &= ~judged
        self._judged |= judged
        self._decide()
        again = faulty & tried[:, 0]
        due = faulty & (~self._settled | again)
        new = consistent & (due | ~self._dropped)
        self._lag[new], self._scale[new] = figures[new, 1], 1.0 / gain[new]
        self._fault[right] = 0.0
        for joint in np.flatnonzero(right).tolist():
            self.warnings.pop(joint, None)
        for joint in np.flatnonzero(due).tolist():
            self._report(joint, figures[joint], wrong[joint])
        self._settled = (self._settled | again) & ~right
        # a faulty velocity is judged again, by later blocks alone
        regression.forget(again | absurd)

    def _report(self, joint: int, figures: Array, wrong: NDArray[np.bool_]) -> None:
        """Store what is wrong with the velocity of a joint, and a warning."""
        lag, scale = self._scan.figures(joint, FEWEST_BLOCKS)
        if abs(lag) > LARGE_LAG:
            self._lag[joint], self._scale[joint] = lag, scale
            figures = np.array([1.0 / scale - 1.0, lag, 0.0])
            wrong = np.abs(figures) > TOLERANCES
        self._fault[joint, wrong] = figures[wrong]
        self.warnings[joint] = (ALWAYS_ZERO if self._zero[joint] else fault_text(
            figures, np.where(wrong, np.abs(figures) / TOLERANCES, 0.0)))

    def _decide(self) -> None:
        faulty = self._dropped | self._suspected
        self._unused = faulty | self._waiting
        self.dropping, self._all_used = bool(faulty.any()), not self._unused.any()
        self._all_judged = bool(self._judged.all())
