"""The result of an identification: what was found, what it explains, and what is handed on."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.identification.fit import Deviations, Fit, FitTerms
from urdf2dyn_ros.identification.gains import Gains, free_gains, ratios_of_efforts, with_gains
from urdf2dyn_ros.identification.held_out import IDENTIFIED, Figures
from urdf2dyn_ros.identification.payload import IdentifiedPayload
from urdf2dyn_ros.identification.robot import BaseEstimates, Robot, estimate_base, in_units
from urdf2dyn_ros.identification.rows import BLOCKS
from urdf2dyn_ros.identification.summary import Summary, all_rows
from urdf2dyn_ros.robot.spatial import Array

# residual over the measured effort from which on a joint is not explained
_UNEXPLAINED_JOINT = 0.5
# a joint is not explained where its residual is so many times its noise, and such a share of its
# effort without its mean, and depends so much on position, velocity or time. A UR10 has shares of
# 0.08, 0.55 of which depend on the position; a TIAGo's torso 0.37, none of which depends on any
_ABOVE_NOISE, _OF_EFFORT, _DEPENDENT = 4.0, 0.15, 0.2
_BINS = 10   # of equal numbers of samples, whose means are what a residual depends on
LEAST_R2 = 0.5   # R2 in held-out parts below which a joint is not explained
# share of a squared effort that bodies have, from which on their ratio to the URDF's is known
LEAST_SHARE = 0.1
# standard deviation of the logarithm of a gain from which on the data do not determine it
_MOST_UNCERTAIN = 0.7


@dataclass(frozen=True)
class Identification:
    """The result of an identification of n joints."""

    robot: Robot
    summaries: Sequence[Summary]
    used: NDArray[np.bool_]   # (n,), joints that are identified
    terms: FitTerms
    weight: float
    fit: Fit
    deviations: Deviations
    held_out: Figures   # of parts that were held out of the fit
    parts: str   # what these are: 'blocks' or 'recordings'
    fits: list[Fit]   # those without each part
    # (n,), what Stribeck friction and asymmetry, where used, leave of the held-out residual
    left_by_friction: Array
    validation: dict[str, Figures] = field(default_factory=dict)   # of other recordings, by name
    gains: Gains | None = None   # of currents, before the fit, whose own are relative to them
    payload: IdentifiedPayload | None = None
    # sentences: what the data contradict, so that no robot is written without `force`
    contradictions: tuple[str, ...] = ()
    caveats: tuple[str, ...] = ()   # what is to be known beside a yes
    remarks: tuple[str, ...] = ()   # what is worth a look
    force: bool = False   # whether joints that are not explained are written, too

    @property
    def joints(self) -> Array:
        """JOINT_COLUMNS (n, c) with efforts in [N m or N]."""
        return self.fit.joints

    @property
    def poor(self) -> NDArray[np.bool_]:
        """Joints (n,) that are used, but hardly explained while they move."""
        figures = self.held_out
        return np.asarray(self.used & (
            (figures.moving[IDENTIFIED] > _UNEXPLAINED_JOINT * figures.measured)
            | (figures.r2_moving[IDENTIFIED] < LEAST_R2)))

    @cached_property
    def dependent(self) -> list[tuple[float, str]]:
        """The noise of each joint (n,) that is used, and what its large residual depends on."""
        result, figures = [], self.held_out
        for j, used in enumerate(self.used.tolist()):
            noise, what = _structure(self, j) if used else (np.nan, '')
            large = figures.moving[IDENTIFIED, j] > max(
                _ABOVE_NOISE * noise, _OF_EFFORT * figures.spread_moving[j])
            result.append((noise, what if large else ''))
        return result

    @cached_property
    def unexplained(self) -> NDArray[np.bool_]:
        """Joints (n,) that are used, but not explained in held-out parts."""
        depends = np.array([bool(what) for _, what in self.dependent])
        return np.asarray(self.poor | self.used & (
            (self.held_out.r2[2] < LEAST_R2) | depends))

    @cached_property
    def unchecked(self) -> NDArray[np.bool_]:
        """Joints (n,) at which bodies need too little of the effort to show its scale."""
        free = free_gains(self.gains, len(self.used))
        return self.used & ~np.isfinite(self.effort_ratios) & ~free

    @property
    def written(self) -> NDArray[np.bool_]:
        """Joints (n,) whose identified numbers are written into files."""
        return self.used if self.force else self.used & ~self.unexplained & ~self.undetermined

    @property
    def refused(self) -> bool:
        """Whether the data contradict the model, so that it is not handed on."""
        return bool(self.contradictions) and not self.force

    @property
    def undetermined(self) -> NDArray[np.bool_]:
        """Joints (n,) that are used, but whose free gain the data do not determine."""
        return self.used & (np.isnan(self.handed_gains))

    @property
    def handed_gains(self) -> Array:
        """Gains (n,) that are handed on to files: NaN where the data do not determine one."""
        if self.gains is None or not self.gains.free.any():
            return self.effort_per_unit
        uncertain = self.gains.free & ~(self.used & (self.gains.deviations < _MOST_UNCERTAIN))
        return np.where(uncertain & ~(self.used & self.force), np.nan, self.effort_per_unit)

    @cached_property
    def effort_ratios(self) -> Array:
        """Efforts of bodies (n,) over those of the URDF's, NaN if these are small or unknown."""
        if self.gains is not None and self.gains.free.any():
            return np.full(len(self.used), np.nan)
        pool, = with_gains([all_rows(self.summaries)], self.effort_per_unit)
        ratios, shares = ratios_of_efforts(self.robot, pool, self.fit.bodies)
        return np.where(self.used & (shares > LEAST_SHARE), ratios, np.nan)

    @property
    def effort_per_unit(self) -> Array:
        """Return the gains (n,): effort over what was recorded."""
        return np.ones(len(self.used)) if self.gains is None else self.gains.values

    @cached_property
    def base(self) -> BaseEstimates:
        """Base parameters with their deviations."""
        return estimate_base(self.robot, self.fit.bodies, self.deviations.covariance)

    def held_out_efforts(self, joint: int, number: int = 0) -> tuple[Array, Array, Array] | None:
        """
        Return measured effort, that of the URDF, and held-out one (k,), of a numbered summary.

        None if its rows are not at hand, or the joint was not measured or did not move in it.
        """
        rows, bodies = self.summaries[number].rows, self.robot.columns.bodies[joint]
        if rows is None or not self.summaries[number].used[joint]:
            return None
        gain = self.effort_per_unit[joint]
        part = in_units(rows.joints[joint], gain)   # of the fits
        blocks = np.minimum(rows.block, BLOCKS - 1) if self.parts == 'blocks' else np.full_like(
            rows.block, number)
        computed = np.empty(len(part))
        for part_number, fit in enumerate(self.fits):
            chosen = blocks == part_number
            computed[chosen] = part[chosen, :-1] @ fit.solution(joint, bodies)
        nominal = part[:, :10 * len(bodies)] @ self.robot.prior.nominal[bodies].ravel()
        unit = gain if self.units[joint] == 'A' else 1.0
        if self.parts == 'blocks':   # rows in gaps belong to no block
            computed[rows.block == BLOCKS] = np.nan
        return part[:, -1] / unit, nominal / unit, computed / unit

    @property
    def units(self) -> tuple[str, ...]:
        """Unit of each joint's residuals: [N m or N], or [A] where gains are free."""
        return tuple('A' if free else unit for free, unit in zip(
            free_gains(self.gains, len(self.used)), self.robot.dynamics.effort_units))


def _structure(result: Identification, joint: int) -> tuple[float, str]:
    """
    Return the noise of a joint's held-out residual, and what this depends on while it moves.

    The noise is that of its second differences, NaN where no recording is at hand.
    """
    moving, changes, start = list[Any](), list[Any](), 0.0
    for number, summary in enumerate(result.summaries):
        efforts, rows = result.held_out_efforts(joint, number), summary.rows
        if efforts is None or rows is None:
            continue
        residual = efforts[0] - efforts[2]
        changes.append(np.diff(residual, 2))
        moving.append(np.stack((
            residual, rows.q[:, joint], rows.qd[:, joint], rows.time + start,
            rows.block + BLOCKS * number))[:, np.isfinite(residual) & rows.moves[:, joint]])
        start += float(rows.time[-1])
    if not moving:
        return np.nan, ''
    noise = float(np.sqrt(np.nanmean(np.square(np.concatenate(changes))) / 6.0))
    residual, q, qd, time, block = np.concatenate(moving, axis=1)
    if len(residual) < 2 * _BINS * BLOCKS:
        return noise, ''
    span = np.arange(len(residual)) // _BINS   # of neighbours, of which every other is held out
    shares = {what: _explained_share(residual, values, parts) for what, values, parts in (
        ('its position', q, block), ('its velocity', qd, block), ('time', time, span % 2))}
    return noise, next((what for what, share in shares.items() if share > _DEPENDENT), '')


def _explained_share(residual: Array, values: Array, held_out: NDArray[Any]) -> float:
    """Return the share of squares that means over bins of values explain of parts held out."""
    edges = np.quantile(values, np.linspace(0.0, 1.0, _BINS + 1)[1:-1])
    bins, unexplained = np.searchsorted(edges, values), 0.0
    for number in np.unique(held_out):
        inside = held_out == number
        counts = np.bincount(bins[~inside], minlength=_BINS)
        means = np.bincount(bins[~inside], residual[~inside], _BINS) / np.maximum(counts, 1)
        unexplained += float(np.square(residual[inside] - means[bins[inside]]).sum())
    return 1.0 - unexplained / max(float(residual @ residual), 1e-300)
