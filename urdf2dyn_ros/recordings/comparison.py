"""Measured against computed effort, joint by joint, at the same instants."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from urdf2dyn_ros.codegen.compiled import Values, in_order, real_numbers
from urdf2dyn_ros.errors import ParameterError, StateError
from urdf2dyn_ros.inverse_dynamics import InverseDynamics, checked_dynamics
from urdf2dyn_ros.recordings.credibility import NO_SIGN, Evidence, frozen_samples, have_no_sign
from urdf2dyn_ros.recordings.lag import measure_lag, shared_lags, tried_lags, weights_at
from urdf2dyn_ros.recordings.measured_efforts import (
    ADDED,
    COMPUTED,
    GAINS_PARAMETER,
    MEASURED,
    SEMANTICS,
    VELOCITY,
    JointFacts,
    contradiction,
)
from urdf2dyn_ros.recordings.series import (
    COMPUTED_ROW,
    DIRECTION,
    FEWEST_MOVING,
    MEASURED_ROW,
    MOVING,
    NO_LAG,
    STILL,
    VELOCITY_ROW,
    JointRecord,
    MessageBuffer,
    Moments,
    Stamps,
)
from urdf2dyn_ros.robot.joints import JOINTS
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.model import RobotModel
from urdf2dyn_ros.robot.multibody import make_multibody
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import SECOND_NS, counted

# ---- Viscous and Coulomb friction and an offset, fitted to a residual

_LARGEST_CONDITION = 1000.0   # of the normalised least-squares matrix

_TERMS = [VELOCITY_ROW, DIRECTION, MOVING]


class FittedValue(NamedTuple):
    """A fitted number; its standard error is a lower bound if samples' errors are correlated."""

    value: float = np.nan
    error: float = np.nan


_NOT_FITTED = FittedValue()


@dataclass(frozen=True)
class FrictionFit:
    """
    residual = viscous qd + coulomb sign(qd) + offset, by least squares.

    The fit excludes samples at rest, where friction is undetermined; their residual is one mean.

    `viscous` is in [N m s/rad or N s/m], the others in [N m or N]; `rmse` is that of the remaining
    residual, `unknown` the reason why there is no fit, or empty.
    `counted` is viscous and Coulomb friction in the computed effort, thus not in the residual.
    """

    viscous: FittedValue = _NOT_FITTED
    coulomb: FittedValue = _NOT_FITTED
    offset: FittedValue = _NOT_FITTED
    rmse: float = np.nan
    unknown: str = ''
    counted: tuple[float, float] = (0.0, 0.0)

    def residual(self, velocity: Array) -> Array:
        """Return the fitted residual at velocities (k,) [N m or N]."""
        viscous, coulomb = self.counted
        return ((self.viscous.value - viscous) * velocity
                + (self.coulomb.value - coulomb) * np.sign(velocity) + self.offset.value)


NO_FIT = FrictionFit()


def fit_friction(moments: Moments, weights: Array, viscous: float, coulomb: float) -> FrictionFit:
    """
    Fit friction to the residual with weights (p,) at p lags.

    The friction that the computed effort includes, `viscous` and `coulomb`, is added to the fit.
    """
    gram = moments.gram
    normal = gram[np.ix_(_TERMS, _TERMS)]
    undetermined = FrictionFit(unknown='it shows where the joint moves both ways, at several '
                               f'speeds, in {FEWEST_MOVING} samples or more')
    if not moments.moves_both_ways:
        return undetermined
    scale = 1.0 / np.sqrt(np.diag(normal))
    scaled = normal * np.outer(scale, scale)
    smallest, *_, largest = np.linalg.eigvalsh(scaled)
    if largest > _LARGEST_CONDITION * smallest:
        return undetermined
    explained = weights @ gram[:moments.lags, _TERMS]
    inverse = np.linalg.inv(scaled) * np.outer(scale, scale)
    terms = inverse @ explained
    squares = float(weights @ gram[:moments.lags, :moments.lags] @ weights - explained @ terms)
    resting = gram[STILL, STILL]
    if resting:
        squares -= float(weights @ gram[:moments.lags, STILL])**2 / resting
    squares = max(squares, 0.0)
    count = moments.samples
    errors = np.sqrt(squares / max(count - 4, 1) * np.diag(inverse))
    values = terms + np.array([viscous, coulomb, 0.0])
    slope, step, offset = map(FittedValue, values.tolist(), errors.tolist())
    return FrictionFit(slope, step, offset, float(np.sqrt(squares / count)),
                       counted=(viscous, coulomb))


# ---- The result of a comparison for one joint: figures of the residual, and the newest samples

@dataclass(frozen=True)
class EffortFigures:
    """Figures of the residual, measured minus computed effort."""

    samples: int = 0
    rmse: float = np.nan   # root mean square [N m or N]
    bias: float = np.nan   # mean [N m or N]
    max_error: float = np.nan   # largest magnitude [N m or N]
    # the next three are NaN if the effort is below what a sensor resolves [-]
    nrmse: float = np.nan   # RMSE divided by the range of the measured effort
    nrmse_rms: float = np.nan   # RMSE divided by the root mean square of the measured effort
    r2: float = np.nan   # share of the variance of the measured effort that is explained
    friction: FrictionFit = NO_FIT   # friction that fits the residual best


NO_FIGURES = EffortFigures()

# range relative to the root mean square of an effort from which on a sensor resolves it
_RESOLVED_RANGE = 1e-3
# what is more than rounding: an effort relative to the computed one, and itself [N m or N]
_ROUNDING_SHARE, _LEAST_EFFORT = 1e-6, 1e-6


def compute_figures(moments: Moments, reference: float, weights: Array, viscous: float = 0.0,
                    coulomb: float = 0.0) -> EffortFigures:
    """
    Return the figures of summed pairs, whose moments have a reference [N m or N].

    `weights` (p,) are those of the residuals at p lags; `viscous` and `coulomb` are the friction
    that the computed effort includes.
    """
    count, size, gram = moments.samples, moments.lags, moments.gram
    if not count:
        return NO_FIGURES
    power = max(0.0, float(weights @ gram[:size, :size] @ weights)) / count
    rmse = np.sqrt(power)
    bias = weights @ (gram[:size, MOVING] + gram[:size, STILL]) / count
    mean = reference + (gram[MEASURED_ROW, MOVING] + gram[MEASURED_ROW, STILL]) / count
    variance = moments.variance(MEASURED_ROW)
    size_rms = np.sqrt(mean**2 + variance)
    middle = reference + (gram[COMPUTED_ROW, MOVING] + gram[COMPUTED_ROW, STILL]) / count
    least = max(_LEAST_EFFORT, _ROUNDING_SHARE * np.sqrt(
        middle**2 + moments.variance(COMPUTED_ROW)))
    varies = moments.highest - moments.lowest > max(least, _RESOLVED_RANGE * size_rms)
    return EffortFigures(
        count, float(rmse), float(bias), moments.largest,
        float(rmse / (moments.highest - moments.lowest)) if varies else np.nan,
        float(rmse / size_rms) if size_rms > least else np.nan,
        float(1.0 - power / variance) if varies else np.nan,
        fit_friction(moments, weights, viscous, coulomb))


@dataclass(frozen=True)
class Span:
    """
    The figures of the window or the total.

    `fault` is the reason why the efforts are not credible and have no figures, or empty; `hint`
    a warning about credible ones. `lag` is that of the measurement [s], one for the joints of a
    message, NaN if not significant; `figures` correct it, and their largest error is then that of
    the kept samples.
    """

    fault: str = ''
    lag: float = np.nan
    figures: EffortFigures = NO_FIGURES
    unaligned: EffortFigures = NO_FIGURES
    hint: str = ''
    left_out: str = ''   # of which samples there are no figures, and why


@dataclass(frozen=True)
class JointComparison:
    """
    The comparison of one joint.

    The figures are those since the start, `total`, and of the sliding window. At the stamps (k,)
    of the kept samples [ns], measured and computed efforts (k,) [unit] have the same semantics;
    the measured one is interpolated and corrected by the total's lag. An unknown velocity (k,)
    is NaN.
    """

    joint: str
    unit: str
    total: Span
    window: Span
    stamps: Stamps
    measured: Array
    computed: Array
    velocity: Array

    @property
    def fault(self) -> str:
        """The reason why the efforts are not credible, or empty."""
        return self.total.fault

    @property
    def figures(self) -> EffortFigures:
        return self.total.figures

    @property
    def residual(self) -> Array:
        """Measured minus computed, (k,) [unit]."""
        return self.measured - self.computed


# ---- Measured against computed effort, joint by joint, at the same instants

_MESSAGES_AT_ONCE = 4096   # at most; not more than are kept
_FEWEST_KEPT = 1000   # samples: the sums over lags need the last tenths of a second
_SHORTEST_SEARCH = 0.001   # range in which a lag is searched [s]
_OPPOSITE_SIGN = -0.5   # correlation below which the sign is not credible
_PAIRS_JUDGED = 2000
_MOST_FROZEN = 0.3   # share of frozen samples, up to which they alone are left out
_LONGEST = 1e9   # duration of arrays [s]

GravityEfforts = Callable[[Sequence[str], Array], Array]
"""From names (n,) and positions (k, n) to efforts (k, n); NaN if unknown."""

_NO_FACTS = JointFacts()


class Comparison:
    """
    Compares measured and computed efforts of the same instants, in bounded memory.

    Messages may arrive in any order: at the stamp of every computed effort the measured one is
    interpolated between its neighbours in time. Figures cover all pairs by sums; of each joint
    and side the newest samples are kept, at most `capacity`, at least 1000.

    `window` is the length of the sliding window [s], `semantics` a key of SEMANTICS; `gains` are
    those of currents [N m/A], one or one each in the computed order; `search` is the largest lag
    that is searched and aligned [s], none below 1 ms. Up to the velocity `still` [rad/s or m/s] a
    joint is at rest.
    """

    def __init__(self, capacity: int = _FEWEST_KEPT, window: float = 10.0, semantics: str = 'net',
                 gains: Sequence[float] = (1.0,), search: float = 0.1,
                 still: float = 0.005) -> None:
        if semantics not in SEMANTICS:
            raise ParameterError(f'unknown semantics {semantics!r}; they are: '
                                 f'{", ".join(SEMANTICS)}')
        self._capacity = max(capacity, _FEWEST_KEPT)
        self._window = round(window * 1e9)
        self._chosen, self._semantics = semantics, SEMANTICS[semantics]
        self._gains: tuple[float, ...] = GAINS_PARAMETER.check(gains)
        self._lags = tried_lags(search) if search >= _SHORTEST_SEARCH else NO_LAG
        self._still = still
        self.describe({})

    def describe(self, facts: Mapping[str, JointFacts],
                 gravity: GravityEfforts | None = None) -> None:
        """Begin anew with the facts of a robot and its efforts against gravity."""
        self._facts, self._gravity = dict(facts), gravity
        self._measured, self._computed = MessageBuffer(), MessageBuffer()
        self._records: dict[str, JointRecord] = {}

    def add_measured(self, stamp: int, names: Sequence[str], efforts: Sequence[float]) -> None:
        """Add efforts [N m or N, or A] measured at `stamp` [ns]; NaN if not measured."""
        self._measured.add(stamp, names, efforts)
        self._work()

    def add_computed(self, stamp: int, names: Sequence[str], efforts: Sequence[float],
                     positions: Sequence[float] = (), velocities: Sequence[float] = ()) -> None:
        """Add efforts [N m or N] computed for `stamp` [ns], and positions and velocities."""
        self._computed.add(stamp, names, efforts, velocities, positions)
        self._work()

    @property
    def names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Measured joints and computed joints."""
        self._work(at_once=True)
        return self._measured.names, self._computed.names

    def joints(self, samples: bool = True) -> tuple[JointComparison, ...]:
        """Compare every computed joint, in the order of their first message, as a copy."""
        self._work(at_once=True)
        names = self._computed.names
        records = [self._record_of(name) for name in names]
        faults = [self._missing(name) or record.evidence.fault(limit=self._facts_of(name).limit)
                  for name, record in zip(names, records)]
        if have_no_sign([record.evidence.range for record in records
                         if record.plain.moves_both_ways]):
            faults = [NO_SIGN] * len(names)
        # the joints of a message share one lag
        evidence = {name: evidence_of_lag for name, record, fault in zip(names, records, faults)
                    if not fault and (evidence_of_lag := measure_lag(record.late)) is not None}
        groups = self._measured.groups
        lags = shared_lags(evidence, groups, self._lags)
        of_groups: dict[int | None, float] = {groups[name]: lag for name, lag in lags.items()}
        lags |= {name: of_groups.get(groups.get(name), np.nan) for name, fault in zip(
            names, faults) if fault}   # of which samples may be left out
        return tuple(self._compared(name, fault, lags.get(name, np.nan), samples)
                     for name, fault in zip(names, faults))

    # ---- messages

    def _work(self, at_once: bool = False) -> None:
        """Sort the messages by joint and match them, once there are enough."""
        waiting = self._measured.waiting + self._computed.waiting
        if not at_once and waiting < min(_MESSAGES_AT_ONCE, self._capacity):
            return
        for name, stamps, rows in self._measured.take():
            record = self._record_of(name)
            record.take(record.measured, stamps, rows)
        for name, stamps, rows in self._computed.take(self._weigh):
            record = self._record_of(name)
            record.take(record.computed, stamps, rows)
        for name in self._computed.names:
            facts = self._facts_of(name)
            self._record_of(name).update(
                partial(self._semantics.sides, facts=facts, still=self._still), self._gain(name),
                facts.limit)

    def _weigh(self, names: Sequence[str], values: Array) -> None:
        """Write efforts against gravity in the place of positions."""
        values[..., 2] = np.nan if self._gravity is None else self._gravity(names, values[..., 2])

    def _record_of(self, name: str) -> JointRecord:
        if name not in self._records:
            self._records[name] = JointRecord(self._capacity, self._window, self._lags,
                                              self._still)
        return self._records[name]

    def _facts_of(self, name: str) -> JointFacts:
        return self._facts.get(name, _NO_FACTS)

    def _gain(self, name: str) -> float:
        if not self._semantics.current:
            return 1.0
        if len(self._gains) == 1:
            return self._gains[0]
        number = self._computed.names.index(name)
        return self._gains[number] if number < len(self._gains) else np.nan

    # ---- results

    def _missing(self, name: str) -> str:
        if name not in self._measured.names:
            return 'no measured effort'
        if len(self._gains) not in (1, len(self._computed.names)):
            return (f'current_gains has {counted(len(self._gains), "entry", "entries")} for '
                    + counted(len(self._computed.names), 'joint'))
        if self._semantics.gravity and self._gravity is None:
            return 'the effort against gravity is unknown: no robot description was received'
        return ''

    def _compared(self, name: str, fault: str, lag: float, samples: bool) -> JointComparison:
        total, window = (self._judge_span(name, fault, lag, window) for window in (False, True))
        stamps, rows = np.empty(0, dtype=np.int64), np.empty((0, 5))
        if samples:
            stamps, rows = self._record_of(name).pairs(total.lag, self._gain(name))
        return JointComparison(name, self._facts_of(name).unit, total, window, stamps,
                               rows[:, MEASURED] + rows[:, ADDED], rows[:, COMPUTED],
                               rows[:, VELOCITY])

    def _judge_span(self, name: str, fault: str, lag: float, window: bool) -> Span:
        """Return the figures of the total, by its sums, or of the kept pairs in the window."""
        record, facts = self._record_of(name), self._facts_of(name)
        plain, (stamps, rows) = record.plain, record.pairs(np.nan, 1.0, window)
        every, frozen, left_out = stamps, np.zeros(len(stamps), dtype=bool), ''
        if fault and not window and len(stamps) == plain.samples > 0 and (
                fault == record.evidence.fault(limit=facts.limit)):
            frozen = frozen_samples(stamps, rows[:, MEASURED], rows[:, COMPUTED])
            rest = rows[~frozen]
            evidence = Evidence()
            evidence.take(stamps[~frozen], rest[:, MEASURED], rest[:, COMPUTED], facts.limit)
            if 0.0 < frozen.mean() < _MOST_FROZEN and not evidence.fault(limit=facts.limit):
                begin, end = (stamps[frozen][[0, -1]] - stamps[0]) * 1e-9
                fault, rows, plain = '', rest, record.moments(rest)
                left_out = (f'the measured effort is frozen from {begin:.2f} to {end:.2f} s after '
                            f'its first sample: {counted(int(frozen.sum()), "sample")} of '
                            f'{len(stamps)} are left out')
        if window:
            plain = record.moments(rows) if len(rows) else Moments.none(1)
            evidence = Evidence()
            evidence.take(stamps, rows[:, MEASURED], rows[:, COMPUTED], facts.limit)
            fault = fault or evidence.fault(record.evidence, facts.limit)
        if fault:
            few = EffortFigures(plain.samples)
            return Span(fault, figures=few, unaligned=few)
        assert record.reference is not None
        friction = (facts.damping, facts.friction) if self._semantics.friction else (0.0, 0.0)
        unaligned = figures = compute_figures(plain, record.reference, np.ones(1), *friction)
        if not np.isnan(lag):
            at, rows = record.pairs(lag, self._gain(name), window)
            if left_out:
                rows = rows[np.interp(at + round(lag * SECOND_NS), every, frozen) == 0.0]
            late, weights = (record.moments(rows), np.ones(1)) if window or left_out else (
                record.late, weights_at(lag, self._lags))
            figures = compute_figures(late, record.reference, weights, *friction)
            error = rows[:, MEASURED] + rows[:, ADDED] - rows[:, COMPUTED]
            # interpolation between lags may leave a larger RMSE
            figures = replace(figures, max_error=float(np.abs(error).max(initial=figures.rmse)))
        correlation = plain.correlation
        hint = '' if correlation > _OPPOSITE_SIGN else (
            f'measured and computed effort are of opposite sign (correlation {correlation:.2f}):'
            ' check which direction is positive for the driver')
        if not window:
            step = max(1, len(rows) // _PAIRS_JUDGED)
            # of the opposite gravity, some efforts have the opposite sign
            hint = contradiction(self._chosen, rows[::step], facts, self._still) or hint
        return Span('', lag, figures, unaligned, hint, left_out)


# ---- Facts of a robot's joints that a comparison uses

_NO_LOADS = Loads()


def robot_facts(model: RobotModel, loads: Loads = _NO_LOADS) -> dict[str, JointFacts]:
    """
    Return unit, friction and limit of every independent joint.

    Friction of a mimic joint is added to its driver: damping times the square of the multiplier,
    Coulomb friction times its magnitude. Friction of the loads is a part of the computed effort:
    such a joint has none.
    """
    system = make_multibody(model)
    counted = {name for name, terms in loads.terms.items()
               if any(term.DISSIPATES for term in terms)}
    joints = {joint.name: joint for joint in model.joints if joint.name not in counted}
    facts = {}
    for coordinate, name in enumerate(system.joint_names):
        driven = [(joints[body.name], float(body.multiplier)) for body in system.bodies
                  if body.coordinate == coordinate and body.name in joints]
        body = system.bodies[system.drivers[coordinate]]
        facts[name] = JointFacts(
            JOINTS[body.type].effort_unit,
            sum(ratio**2 * joint.damping for joint, ratio in driven),
            sum(abs(ratio) * joint.friction for joint, ratio in driven),
            body.limits.effort or None)
    return facts


def gravity_of(dynamics: InverseDynamics) -> GravityEfforts:
    """Return a function from names and positions of joints to the efforts against gravity."""
    order = dynamics.joint_names
    if dynamics.loads.terms:   # offsets of friction and springs are not gravity
        dynamics = InverseDynamics(dynamics.model, dynamics.gravity_vector, dynamics.backend,
                                   loads=replace(dynamics.loads, terms={}))

    def gravity(names: Sequence[str], positions: Array) -> Array:
        efforts = np.full(positions.shape, np.nan)
        finite = np.isfinite(positions).all(axis=1)
        if sorted(names) != sorted(order) or not finite.any():
            return efforts
        columns = [names.index(name) for name in order]
        efforts[np.flatnonzero(finite)[:, None], columns] = dynamics.gravity(
            positions[finite][:, columns])
        return efforts

    return gravity


# ---- The comparison of arrays

def compare(dynamics: InverseDynamics, time: ArrayLike, measured: Values, computed: Values,
            q: Values | None = None, qd: Values | None = None, semantics: str = 'net',
            gains: Sequence[float] = (1.0,)) -> tuple[JointComparison, ...]:
    """
    Compare measured efforts with computed ones of the same instants.

    Parameters
    ----------
    dynamics : InverseDynamics
        The robot: names and units of its joints, friction of its URDF, gravity.
    time : array_like, (N,)
        [s]
    measured, computed : array_like, (N, n), or values by the names of the joints
        Efforts [N m or N], currents [A] with the semantics 'current'; NaN where not measured.
    q, qd : array_like, (N, n), or values by the names of the joints, optional
        [rad or m], [rad/s or m/s]. Semantics with gravity need positions; the fit of friction to
        the residual needs velocities.
    semantics : str
        What the measured effort is: 'net' or another word of ``urdf2dyn evaluate --help``.
    gains : sequence of float
        Of currents [N m/A or N/A], one for all joints or one for each.

    Returns
    -------
    tuple of JointComparison
        Of each joint: figures, lag, friction and the efforts; `comparison_table` is a text of
        them.

    Raises
    ------
    StateError
        For arrays of other shapes or types, joints that are missing or unknown, or no positions
        where gravity is added.
    ParameterError
        For unknown semantics, or another number of gains.

    """
    names, n = checked_dynamics(dynamics).joint_names, dynamics.n
    if len(gains) not in (1, n):
        raise ParameterError(f'there are {len(gains)} gains for {counted(n, "joint")}: give one, '
                             'or one for each')
    if q is None and semantics in SEMANTICS and SEMANTICS[semantics].gravity:
        raise StateError(f'{semantics} efforts need the positions q, for the effort of gravity')
    arrays: list[Array] = []
    for what, values, width in (('time', time, 0), ('measured', measured, n),
                                ('computed', computed, n), ('q', q, n), ('qd', qd, n)):
        try:
            array = (np.full((len(arrays[0]), n), np.nan) if values is None and arrays[2:] else
                     real_numbers(in_order(what, values, names) if width else values))
            if array.shape != ((len(arrays[0]), n) if width else (array.size,)):
                raise ValueError(f'its shape is {array.shape}')
        except (TypeError, ValueError) as error:
            raise StateError(f'{what} must be numbers {f"(N, {n})" if width else "(N,)"}: '
                             f'{error}') from None
        arrays.append(array)
    elapsed = arrays[0] - arrays[0][:1]
    if not (np.abs(elapsed) < _LONGEST).all():   # of NaN neither
        raise StateError(f'time must be numbers [s] within {_LONGEST:g} s of the first')
    if (np.diff(elapsed) < 0.0).any():
        raise StateError('time must not decrease from row to row')
    stamps = SECOND_NS + np.rint(SECOND_NS * elapsed).astype(np.int64)
    comparison = Comparison(len(stamps), semantics=semantics, gains=gains)
    comparison.describe(robot_facts(dynamics.model, dynamics.loads), gravity_of(dynamics))
    for stamp, effort, *state in zip(stamps.tolist(), *arrays[1:]):
        comparison.add_measured(stamp, names, effort)
        comparison.add_computed(stamp, names, *state)
    return comparison.joints()
