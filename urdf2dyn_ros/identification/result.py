"""Identification from summaries: the fit, what it explains of other data, and what not."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.errors import IdentificationError
from urdf2dyn_ros.identification.fit import (
    PRIOR_WEIGHT,
    Deviations,
    Fit,
    FitTerms,
    Pool,
    PooledFit,
    cleaned,
    compute_deviations,
    fits_to_others,
    fitted,
    left_squares,
    pooled,
    significant_terms,
    with_further_friction,
    with_spread_of_parts,
)
from urdf2dyn_ros.identification.fit_data import (
    CarriedPayload,
    Figures,
    FitData,
    HeldOutParts,
    IdentifiedPayload,
    all_terms,
    check_carrier,
    figures_of,
    find_payload,
    mean_correlation,
    opposed_recordings,
    other_recordings,
    parts_of,
    prepare_fit,
)
from urdf2dyn_ros.identification.gains import (
    DECISIVE,
    Gains,
    free_gains,
    ratios_of_efforts,
    sign_evidence,
    with_gains,
)
from urdf2dyn_ros.identification.robot import JOINT_COLUMNS, BaseEstimates, Robot, estimate_base
from urdf2dyn_ros.identification.rows import BLOCKS, score
from urdf2dyn_ros.identification.summary import LARGEST_DELAY, Summary, all_rows
from urdf2dyn_ros.recordings.mistakes import moved_beyond
from urdf2dyn_ros.robot.spatial import Array, geometric_mean

# ---- The result of an identification

# the URDF as it is; its bodies with fitted friction and rotors; everything fitted
MODELS = ('URDF', 'friction', 'identified')


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
    remarks: list[str] = field(default_factory=list)
    # what the data contradict, in sentences: no robot is written without `force`
    contradictions: list[str] = field(default_factory=list)
    # what is to be known beside a yes, in sentences
    caveats: list[str] = field(default_factory=list)
    gains: Gains | None = None   # of currents, before the fit, whose own are relative to them
    payload: IdentifiedPayload | None = None
    force: bool = False   # whether joints that are not explained are written, too

    @property
    def joints(self) -> Array:
        """JOINT_COLUMNS (n, c) with efforts in [N m or N]."""
        return self.fit.joints

    @cached_property
    def dependent(self) -> list[tuple[float, str]]:
        """The noise of each joint (n,) that is used, and what its large residual depends on."""
        result, figures = [], self.held_out
        for j, used in enumerate(self.used.tolist()):
            noise, what = _structure(self, j) if used else (np.nan, '')
            large = figures.moving[2, j] > max(
                _ABOVE_NOISE * noise, _OF_EFFORT * figures.spread_moving[j])
            result.append((noise, what if large else ''))
        return result

    @cached_property
    def unexplained(self) -> NDArray[np.bool_]:
        """Joints (n,) that are used, but not explained in held-out parts."""
        depends = np.array([bool(what) for _, what in self.dependent])
        return np.asarray(_poor(self) | self.used & (
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
        return np.where(self.used & (shares > _LEAST_SHARE), ratios, np.nan)

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

        None if its rows are not at hand.
        """
        rows, bodies = self.summaries[number].rows, self.robot.columns.bodies[joint]
        if rows is None:
            return None
        part = rows.joints[joint]
        blocks = np.minimum(rows.block, BLOCKS - 1) if self.parts == 'blocks' else np.full_like(
            rows.block, number)
        computed = np.empty(len(part))
        for part_number, fit in enumerate(self.fits):
            chosen = blocks == part_number
            computed[chosen] = part[chosen, :-1] @ fit.solution(joint, bodies)
        nominal = part[:, :10 * len(bodies)] @ self.robot.prior.nominal[bodies].ravel()
        gain = self.effort_per_unit[joint]
        unit = gain if self.units[joint] == 'A' else 1.0
        if self.parts == 'blocks':   # rows in gaps belong to no block
            computed[rows.block == BLOCKS] = np.nan
        return gain / unit * part[:, -1], nominal / unit, computed / unit

    @property
    def units(self) -> tuple[str, ...]:
        """Unit of each joint's residuals: [N m or N], or [A] where gains are free."""
        return tuple('A' if free else unit for free, unit in zip(
            free_gains(self.gains, len(self.used)), self.robot.dynamics.effort_units))


# share of a squared effort that bodies have, from which on their ratio to the URDF's is known
_LEAST_SHARE = 0.1
# standard deviation of the logarithm of a gain from which on the data do not determine it
_MOST_UNCERTAIN = 0.7

# ---- The fit, and how well it explains what it was not fitted to

# weights of the prior that are compared, first the one that is used where there is no choice
WEIGHTS = (PRIOR_WEIGHT, 1.0, 100.0)
# error, relative to that of the first weight, from which another one is chosen
_BETTER_ERROR = 0.98
# residual of the URDF, relative to the efforts without their mean, that a simulator leaves
_EXPLAINED_SHARE = 0.01
# residual over the effort without its mean from which on a model explains nothing
_UNEXPLAINED_SHARE = 0.9
_FOREIGN_RATIO = 6.0   # residual of a recording over those of the others that is not used
# of so few recordings, only if with it the residual of the others is larger by this ratio: sensors
# have other offsets on another day
_FEW, _SPOILING_RATIO = 4, 2.0


def identified(robot: Robot, summaries: Sequence[Summary], validation: Sequence[Summary] = (),
               weight: float | None = None, gains: Gains | None = None,
               show: Callable[[float], None] = lambda fraction: None,
               payload: CarriedPayload | None = None, left_out: int = 0) -> Identification:
    """
    Return the identification of a robot from summaries of recordings, and of a payload.

    They share links, rotors, friction and gains of currents. Of those that do not fit the others,
    at most a third is left out, with `left_out` earlier ones: more would be days that differ. An
    IdentificationError if the model does not explain what is held out better than the URDF, or
    the recordings do not determine the payload.
    """
    if payload is not None:
        check_carrier(robot, summaries, gains, payload)
    data = prepare_fit(robot, summaries, validation, gains, payload)
    with_load, everything = data.robot, all_rows(data.summaries)   # a payload is its last body
    correlation = mean_correlation(data.summaries)
    parts = parts_of(data.summaries, blocks_only=payload is not None)
    weights = [*WEIGHTS] if weight is None else [weight]
    terms, negative_rotors = significant_terms(
        with_load, everything, all_terms(with_load, data.summaries, payload), weights[0],
        correlation)
    trials = {value: fits_to_others(with_load, parts.seen, terms, value) for value in weights}
    show(0.6)
    judged = parts.every
    errors = {value: score(*left_squares(with_load, fits, judged))
              for value, fits in trials.items()}
    best = min(errors, key=errors.__getitem__)
    if errors[best] >= _BETTER_ERROR * errors[weights[0]]:
        best = weights[0]
    terms, without, by_friction = with_further_friction(
        with_load, parts.seen, judged, terms, best, trials[best])
    misfits = other_recordings(with_load, [summary.name for summary in summaries], without,
                               parts.moving) if parts.name == 'recordings' else {}
    whole = fitted(with_load, everything, terms, best)

    def spoils(number: int) -> bool:
        others = [pool for k, pool in enumerate(parts.moving) if k != number]
        with_it, without_it = (score(*left_squares(with_load, [fit] * len(others), others))
                               for fit in (whole, without[number]))
        return with_it > _SPOILING_RATIO * without_it

    foreign = [summary.name for number, summary in enumerate(summaries)
               if summary.name in misfits and misfits[summary.name][0] > _FOREIGN_RATIO
               and (len(summaries) > _FEW or spoils(number))]
    if foreign and 3 * (left_out + len(foreign)) <= left_out + len(summaries):
        others = [summary for summary in summaries if summary.name not in foreign]
        rest = identified(robot, others, validation, weight, gains, show,
                          left_out=left_out + len(foreign))
        rest.caveats[:0] = [f'{misfits[name][1]} It is not used' for name in foreign]
        return rest
    show(0.8)
    held_out, validated = _judge(data, parts, whole, without, everything)
    correlation = with_spread_of_parts(whole, without, correlation)
    count = len(robot.prior.factors)
    fit, *fits = (full._replace(bodies=full.bodies[:count]) for full in (
        cleaned(whole.fit, whole.problem), *(partial.fit for partial in without)))
    result = Identification(
        robot, summaries, np.any([summary.used for summary in data.summaries], axis=0), terms,
        best, fit, compute_deviations(whole, correlation), held_out, parts.name, fits, by_friction,
        validated, [*robot.prior.remarks],
        gains=data.gains if any(summary.currents for summary in summaries) else None,
        payload=None if payload is None else find_payload(payload, whole, correlation,
                                                          data))
    contradictions = result.contradictions
    for summary in (*summaries, *(payload.summaries if payload else ())):
        contradictions.extend(summary.contradictions)
    contradictions.extend(f'{text} Identify without it, or from it alone'
                          for _, text in misfits.values())
    if len(summaries) == 2 and payload is None:
        contradictions.extend(opposed_recordings(with_load, data.summaries, without, terms, best))
    fault = _fault(result)
    if fault:
        raise IdentificationError('; '.join((fault, *contradictions)))
    contradictions.extend(_contradictions(result))
    result.caveats.extend(_caveats(result))
    for summary in validation:
        result.caveats.extend(summary.contradictions)
    result.remarks.extend(_misfits(result, negative_rotors))
    show(1.0)
    return result


def _judge(data: FitData, parts: HeldOutParts, whole: PooledFit, without: Sequence[PooledFit],
           everything: Pool) -> tuple[Figures, dict[str, Figures]]:
    """
    Return how well URDF, the URDF with friction and rotors, and the model explain other data.

    The figures are those of what was held out, and of each validation recording by its name.
    """
    robot, weight = data.robot, whole.problem.weight
    bare = whole.problem.terms._replace(fixed=tuple(range(len(robot.system.bodies))))
    joints = np.zeros((len(robot.joints), len(JOINT_COLUMNS)))
    joints[:, :2] = robot.urdf_friction
    nominal = Fit(robot.prior.nominal, joints, np.ones(len(joints)), np.zeros(0), np.nan)
    units = np.where(data.gains.free, np.abs(data.gains.values), 1.0)
    friction = [result.fit for result in fits_to_others(robot, parts.seen, bare, weight)]
    held_out = figures_of(robot, [[nominal] * len(friction), friction,
                                  [result.fit for result in without]],
                          parts.every, parts.moving, units)
    models = [[nominal], [fitted(robot, everything, bare, weight).fit], [whole.fit]]
    validated = {}
    for summary in data.validation:
        moving, resting = pooled(summary.moving), pooled(summary.resting)
        validated[summary.name] = figures_of(robot, models, [pooled((moving, resting))], [moving],
                                             units)
    return held_out, validated


def _fault(result: Identification) -> str:
    """Return why the model is no better than none or the URDF, or nothing."""
    def mean_ratio(residual: Array, reference: Array) -> float:
        """Return the geometric mean of the ratios of the joints that are identified."""
        with np.errstate(divide='ignore', invalid='ignore'):
            ratio = residual / reference
        finite = np.isfinite(ratio)
        return geometric_mean(ratio[finite]) if finite.any() else 1.0

    urdf, _, identified = result.held_out.every
    mean, of_model, of_urdf = (mean_ratio(residual, reference) for residual, reference in (
        (identified, urdf), (identified, result.held_out.spread), (urdf, result.held_out.spread)))
    if of_model >= _UNEXPLAINED_SHARE:
        return ('the identified model does not explain the efforts: its residuals in held-out '
                f'{result.parts} are {100.0 * of_model:.0f} % of the efforts without their mean '
                '(geometric mean of the joints); check that the efforts belong to this URDF, '
                'these joints and this motion, and that nothing else acts on the robot')
    if mean < 1.0:
        return ''
    if of_urdf < _EXPLAINED_SHARE:
        return (f'there is nothing to identify: the URDF leaves {100.0 * of_urdf:.2g} % of the '
                'efforts (geometric mean of the joints), and the identified model leaves no less; '
                'are they those of a simulator that has the same URDF?')
    return (f'the identified model explains held-out {result.parts} no better than the URDF: its '
            f'residuals are {mean:.2f} times those of the URDF in the geometric mean of the '
            'joints; check that the efforts belong to this URDF, and record a longer motion of '
            'all joints')


# ---- What the data contradict, and what else an identified model does not explain, in sentences

# residual over the measured effort from which on a joint is not explained
_UNEXPLAINED_JOINT = 0.5
LEAST_R2 = 0.5   # R2 in held-out parts below which a joint is not explained
_FAR = 1.6   # ratio of efforts to those of the URDF from which on they contradict it
_HEAVIER = 3.0   # ratio of masses from which on a change is not plausible
# mass of the robot over that of its URDF that is plausible; 1.24 for a UR10e that is known
_LARGEST_SCALE = 1.6
# residual of all samples over that of moving ones, from which on rest is the reason
_RESTING_RATIO = 2.0


def _contradictions(result: Identification) -> Iterator[str]:
    """Yield a sentence for whatever the data contradict of the model, the largest first."""
    joints, figures = result.robot.joints, result.held_out
    if not _carries_tool(result):
        yield from _scaled_efforts(result)
        yield from (text for text, heaviest in _changed_masses(result) if heaviest)
    scale = float(result.fit.bodies[:, 0].sum() / result.robot.prior.parameters[:, 0].sum())
    if result.payload and result.payload.known and not (
            1.0 / _LARGEST_SCALE < scale < _LARGEST_SCALE):
        mass = float(result.payload.parameters[0])
        yield (f'with a payload of {mass:.3g} kg the robot would have {scale:.2g} times the mass '
               f'of its URDF, with {mass / scale:.2g} kg the same: check --payload-mass, to which '
               'all gains are proportional, and the masses of the URDF')
    free, pool = free_gains(result.gains, len(joints)), all_rows(result.summaries)
    for j in np.flatnonzero(_poor(result)).tolist():
        # friction brakes, whatever the bodies are
        if not free[j] and (
                np.sign(result.effort_per_unit[j]) * sign_evidence(pool, j)) < -DECISIVE:
            yield (f'{joints[j]} is hardly explained: of {figures.spread_moving[j]:.3g} about the '
                   f'mean a residual of {figures.moving[2, j]:.3g} remains while it moves; '
                   'friction fits it better with the opposite sign: is its sign wrong?')


def _poor(result: Identification) -> NDArray[np.bool_]:
    """Return which joints (n,) are hardly explained while they move."""
    figures = result.held_out
    return np.asarray(result.used & (
        (figures.moving[2] > _UNEXPLAINED_JOINT * figures.measured)
        | (figures.r2_moving[2] < LEAST_R2)))


# a joint is not explained where its residual is so many times its noise, and such a share of its
# effort without its mean, and depends so much on position, velocity or time. A UR10 has shares of
# 0.08, 0.55 of which depend on the position; a TIAGo's torso 0.37, none of which depends on any
_ABOVE_NOISE, _OF_EFFORT, _DEPENDENT = 4.0, 0.15, 0.2
_BINS = 10   # of equal numbers of samples, whose means are what a residual depends on


def _caveats(result: Identification) -> Iterator[str]:
    """Yield joints that are not explained, and what is to be known of the others."""
    joints, used, figures = result.robot.joints, result.used, result.held_out
    for j in np.flatnonzero(result.unexplained).tolist():
        noise, what = result.dependent[j]
        beside = f' beside a noise of {noise:.3g}' if np.isfinite(noise) else ''
        yield (f'{joints[j]} has a residual of {figures.moving[2, j]:.3g} {result.units[j]}'
               f'{beside}, of {figures.spread_moving[j]:.3g} about the mean, R2 '
               f'{figures.r2[2, j]:.2g}' + (f', which depends on {what}' if what else '')
               + '; does a contact, spring or cable act there, is its gear coupled with '
               "another joint's, or is it the effort of another joint?")
    if _carries_tool(result):
        yield from _scaled_efforts(result)
        yield from (text for text, heaviest in _changed_masses(result) if heaviest)
    for j in np.flatnonzero(result.undetermined).tolist():
        assert result.gains is not None
        yield (f'the data do not determine the gain of {joints[j]} '
               f'({result.effort_per_unit[j]:.3g} +- {100.0 * result.gains.deviations[j]:.2g} %): '
               'this joint keeps the numbers of the URDF, and files have no gain of it; record it '
               'with a larger load, or give its gain (--gains free JOINT=VALUE)')
    for name, predicted in result.validation.items():
        worse = used & (predicted.every[2] >= predicted.every[0])
        if worse.any():
            yield (f'{name}: at {", ".join(compress(joints, worse))} the identified model is no '
                   'better than the URDF; the recordings of the fit are too short or have other '
                   'motions and postures, or payload, friction or sensors have changed: identify '
                   'from more')


def _structure(result: Identification, joint: int) -> tuple[float, str]:
    """
    Return the noise of a joint's held-out residual, and what this depends on while it moves.

    The noise is that of its second differences, NaN where no recording is at hand.
    """
    moving, changes, start = list[Any](), list[Any](), 0.0
    for number, summary in enumerate(result.summaries):
        efforts, rows = result.held_out_efforts(joint, number), summary.rows
        if efforts is None or rows is None or not summary.used[joint]:
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


def _carries_tool(result: Identification) -> bool:
    """Return whether bodies need other efforts than the URDF's, but not without those at tips."""
    system, robot = result.robot.system, result.robot
    larger = {*np.flatnonzero(result.effort_ratios > _FAR).tolist()}
    # joints up the chain need more effort for a tool, too; the last one alone has another gain
    if result.gains is not None or not moved_beyond(system, result.used) & larger:
        return False
    tips = sorted({*range(len(system.bodies))} - {body.parent for body in system.bodies})
    bodies = result.fit.bodies.copy()
    if (bodies[tips, 0] < robot.prior.parameters[tips, 0]).all():
        return False
    bodies[tips] = robot.prior.parameters[tips]
    ratios, shares = ratios_of_efforts(robot, all_rows(result.summaries), bodies)
    return not _far(np.where(result.used & (shares > _LEAST_SHARE), ratios, np.nan)).any()


def _far(ratios: Array) -> NDArray[np.bool_]:
    return np.isfinite(ratios) & ~((ratios > 1.0 / _FAR) & (ratios < _FAR))


def _scaled_efforts(result: Identification) -> Iterator[str]:
    """Yield where bodies need far more or less effort than the URDF's."""
    robot, joints, ratios = result.robot, result.robot.joints, result.effort_ratios
    changes = {body.name: f'mass moved by {body.name} {old:.3g} -> {new:.3g} kg' for body, old, new
               in zip(robot.system.bodies, robot.prior.nominal[:, 0], result.fit.bodies[:, 0])}
    apart = _far(ratios)
    if apart.any():
        names = ' and '.join(compress(joints, apart))
        texts = ', '.join(f'{ratio:.2g} times at {joint}'
                          for ratio, joint in zip(ratios[apart], compress(joints, apart)))
        masses = '; '.join(changes[joint] for joint in compress(joints, apart) if joint in changes)
        # joints up the chain would need more effort for a tool, the last one has another gain
        larger = {*np.flatnonzero(apart & (ratios > _FAR)).tolist()}
        tool = ('does it carry a tool that the URDF is without? If not: '
                if moved_beyond(robot.system, result.used) & larger else '')
        yield (f'bodies need {texts} the effort that those of the URDF do ({masses}): {tool}is '
               f'the effort of {names} in N m or N, and that of the joint itself?')


def _misfits(result: Identification, negative_rotors: NDArray[np.bool_]) -> Iterator[str]:
    """Yield what the model allows for, but is worth a look; some joints' rotors are at zero."""
    joints, gains, used, figures = (result.robot.joints, result.gains, result.used,
                                    result.held_out)
    for j in np.flatnonzero(used & (figures.every[2] > _RESTING_RATIO * figures.moving[2])
                            ).tolist():
        yield (f'{joints[j]}: most of its residual is at rest ({figures.every[2, j]:.3g} for all '
               f'samples, {figures.moving[2, j]:.3g} while it moves), where static friction is '
               'undetermined')
    yield from (text for text, heaviest in _changed_masses(result) if not heaviest)
    for summary in result.summaries:
        if abs(summary.delay) >= LARGEST_DELAY:
            late, why = ('late', ' Or does friction follow late when a joint turns back, as in '
                         'harmonic drives? Compare gains, rotors and residuals with --delay 0'
                         ) if summary.delay > 0.0 else ('early', '')
            yield (f'{summary.name}: the efforts are {late} by {1e3 * abs(summary.delay):.0f} ms, '
                   'more than filters of drivers explain: are positions and efforts of the same '
                   f'instant, and the positions measured, not commanded?{why}')
    turned = used & (result.effort_per_unit < 0.0)
    if turned.any() and gains is not None and gains.free.any():
        yield (f'the gain of {", ".join(compress(joints, turned))} is negative: the motor turns '
               'the other way than the joint, or the sign of its current is wrong')
    negative = negative_rotors & used
    if negative.any():
        yield ('the data would have a negative rotor inertia at '
               f'{", ".join(compress(joints, negative))}, which is bounded by zero: torque '
               'sensors on the side of the link see no rotor, and friction that lags looks alike')


def _changed_masses(result: Identification) -> Iterator[tuple[str, bool]]:
    """Yield which masses are far from the URDF's, and whether they are above all of its bodies."""
    before, after = result.robot.prior.parameters[:, 0], result.fit.bodies[:, 0]
    for body, mass, nominal in zip(result.robot.system.bodies, after, before):
        if not 1.0 / _HEAVIER <= mass / nominal <= _HEAVIER:
            why = ('does it carry a tool that the URDF is without, does a spring or a '
                   'counterweight act there, or are the efforts in other units?'
                   if mass > nominal else
                   'other bodies make up for it, as efforts hardly determine the mass of a single '
                   'one, or a spring or a counterweight carries it')
            yield (f'the body that {body.name} moves would have {mass:.3g} kg, in the URDF it has '
                   f'{nominal:.3g} kg: {why}'), mass > _HEAVIER * before.max()
