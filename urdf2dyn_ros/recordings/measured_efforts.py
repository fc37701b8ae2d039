"""What a measured effort is, whether it is credible, and how far it is late."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.recordings.series import (
    COMPUTED_ROW,
    DIRECTION,
    LARGEST_EFFORT,
    LOAD,
    MEASURED_ROW,
    MOVING,
    NEAR_LAGS,
    STILL,
    VELOCITY_ROW,
    Matcher,
    Matching,
    Moments,
    Series,
    Stamps,
    longest_step,
)
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import counted

# ---- Effort semantics: what a measured effort is, and how it is made comparable

@dataclass(frozen=True)
class JointFacts:
    """
    Facts of one joint from the robot description; `unit` is that of its effort.

    The damping is in [N m s/rad or N s/m]; `friction` is Coulomb friction, `limit` the largest
    effort of the actuator, both in [N m or N]; an unknown limit, or one of zero, is None.
    """

    unit: str = 'N m | N'
    damping: float = 0.0
    friction: float = 0.0
    limit: float | None = None


def rate_unit(unit: str) -> str:
    """Return the unit of velocity for a unit of effort."""
    return {'N m': 'rad/s', 'N': 'm/s'}.get(unit, 'rad/s | m/s')


class Fair(NamedTuple):
    """
    Both sides of a comparison at k instants: gain * measured + added, and computed [N m or N].

    The gain is a number, or [N m/A] for a current.
    """

    gain: float
    added: Array
    computed: Array


class JointEfforts(NamedTuple):
    """
    Quantities (k,) of a joint at k instants; `computed` is the inverse dynamics [N m or N].

    Gravity is the effort against it [N m or N], the gain that of the current [N m/A], `still` the
    velocity up to which the joint is at rest [rad/s or m/s].
    """

    computed: Array
    velocity: Array
    gravity: Array
    facts: JointFacts
    gain: float
    still: float


def net(known: JointEfforts) -> Fair:
    """Return efforts that move the links: inverse dynamics unchanged."""
    return Fair(1.0, np.zeros_like(known.computed), known.computed)


def commanded(known: JointEfforts) -> Fair:
    """
    Return efforts of actuators: inverse dynamics and friction of the URDF, without rotors.

    At rest static friction is undetermined; it is set to zero.
    """
    velocity = np.where(np.abs(known.velocity) > known.still, known.velocity, 0.0)
    friction = known.facts.damping * velocity + known.facts.friction * np.sign(velocity)
    return Fair(1.0, np.zeros_like(friction), known.computed + friction)


def current(known: JointEfforts) -> Fair:
    """Return efforts of actuators from their currents and gains."""
    return commanded(known)._replace(gain=known.gain)


def gravity_compensated(known: JointEfforts) -> Fair:
    """Return net efforts from which the driver subtracted the effort against gravity."""
    return Fair(1.0, known.gravity, known.computed)


@dataclass(frozen=True)
class Semantics:
    """A meaning in words, the function that makes both sides comparable, and what it needs."""

    meaning: str
    sides: Callable[[JointEfforts], Fair]
    friction: bool = False
    gravity: bool = False


SEMANTICS = {
    'net': Semantics('what moves the links', net),
    'commanded': Semantics('commands of the actuators; friction of the URDF is added to the '
                           'computed effort', commanded, friction=True),
    'current': Semantics('current of the motors, multiplied by current_gains; friction of '
                         'the URDF is added to the computed effort', current, friction=True),
    'gravity_compensated': Semantics('effort without the effort against gravity, which is added',
                                     gravity_compensated, gravity=True),
}


# ---- Whether a measured effort is credible: neither constant, frozen nor saturated

_FEWEST_SAMPLES = 50

_FROZEN_TIME = 1_000_000_000
"""Longest time for which a credible measurement repeats itself bit for bit [ns]."""

_VARIED_SHARE = 0.05
"""Share of its range by which the computed effort must vary in that time."""

_SATURATED_SHARE = 0.02
"""Share of samples at the same extreme from which on a measurement is saturated."""

_AT_LIMIT = 1e-3
"""Relative distance from the URDF's limit at which an effort reaches it."""


@dataclass
class Stuck:
    """A repeated value of a measurement, and the range of the computed effort at those times."""

    value: float = np.nan
    count: int = 0
    since: int = 0
    lowest: float = np.inf
    highest: float = -np.inf

    def take(self, computed: Array) -> None:
        """Count samples with this value."""
        self.count += len(computed)
        self.lowest = min(self.lowest, float(computed.min()))
        self.highest = max(self.highest, float(computed.max()))

    @property
    def varied(self) -> float:
        """Range of the computed effort [N m or N]."""
        return self.highest - self.lowest if self.count else 0.0


class Evidence:
    """Evidence against a measured effort, collected over any number of samples."""

    def __init__(self) -> None:
        self._all = Stuck()
        self._low, self._high = Stuck(np.inf), Stuck(-np.inf)
        self._run = Stuck()
        self._frozen, self._frozen_varied = 0, 0.0
        self._at_limit = 0

    def take(self, stamps: Stamps, measured: Array, computed: Array,
             limit: float | None = None) -> None:
        """Add samples (k,): stamps [ns] and efforts; the actuator's limit [N m or N]."""
        if not len(stamps):
            return
        self._all.take(computed)
        self._low = _extreme(self._low, min(self._low.value, measured.min()), measured, computed)
        self._high = _extreme(self._high, max(self._high.value, measured.max()), measured,
                              computed)
        if limit:
            self._at_limit += int(np.sum(np.abs(measured) >= (1.0 - _AT_LIMIT) * limit))
        self._take_runs(stamps, measured, computed)

    def _take_runs(self, stamps: Stamps, measured: Array, computed: Array) -> None:
        """Find repetitions; the last one may continue in the next samples."""
        starts = np.concatenate(([0], np.flatnonzero(np.diff(measured)) + 1))
        ends = np.append(starts[1:], len(measured))
        lowest, highest = (function.reduceat(computed, starts)
                           for function in (np.minimum, np.maximum))
        since = stamps[starts]
        if self._run.value == measured[0]:
            since[0] = self._run.since
            lowest[0] = min(lowest[0], self._run.lowest)
            highest[0] = max(highest[0], self._run.highest)
        times, varied = stamps[ends - 1] - since, highest - lowest
        varied = np.where(times > _FROZEN_TIME, varied, -1.0)
        worst = int(np.argmax(varied))
        if varied[worst] > self._frozen_varied:
            self._frozen, self._frozen_varied = int(times[worst]), float(varied[worst])
        self._run = Stuck(float(measured[-1]), 1, int(since[-1]), float(lowest[-1]),
                          float(highest[-1]))

    def fault(self, whole: Evidence | None = None, limit: float | None = None) -> str:
        """
        Return why the efforts are not credible, or an empty text.

        Simulators and drivers that do not measure effort publish zeros or an old value. For a
        window, `whole` is the evidence of all samples: an effort at rest may be constant. The
        URDF's limit is in [N m or N].
        """
        count = self._all.count
        if count < _FEWEST_SAMPLES:
            return f'{counted(count, "sample")}, at least {_FEWEST_SAMPLES} are needed'
        if whole is None and self._low.value == self._high.value:
            if self._low.value == 0.0:
                return 'the measured effort is zero throughout'
            return f'the measured effort is frozen at {self._low.value:.6g}'
        spread = (whole or self)._all.varied
        cut, beyond = self._saturated(spread)
        # a limit that the measurement exceeds is wrong
        within = limit and max(-self._low.value, self._high.value) <= (1.0 + _AT_LIMIT) * limit
        if within and self._at_limit > _SATURATED_SHARE * count:
            return (f"the measured effort is at the URDF's limit of {limit:.6g} in "
                    f'{100.0 * self._at_limit / count:.0f} % of the samples')
        if self._frozen_varied > _VARIED_SHARE * spread and not beyond:
            return (f'the measured effort is frozen for {self._frozen * 1e-9:.1f} s while the '
                    'computed one varies')
        return '' if cut is None else (
            f'the measured effort is saturated at {cut.value:.6g} in '
            f'{100.0 * cut.count / count:.0f} % of the samples')

    def _saturated(self, spread: float) -> tuple[Stuck | None, bool]:
        """Return the saturated extreme, and whether the computed effort then lies beyond it."""
        for stuck, sign in ((self._low, -1.0), (self._high, 1.0)):
            if (stuck.count > _SATURATED_SHARE * self._all.count
                    and stuck.varied > _VARIED_SHARE * spread):
                middle = 0.5 * (stuck.lowest + stuck.highest)
                return stuck, sign * (middle - stuck.value) > 0.0
        return None, False


def _extreme(known: Stuck, value: float, measured: Array, computed: Array) -> Stuck:
    """Return the extreme at a value, with these samples counted; `known` is the one before."""
    if known.value != value:
        known = Stuck(float(value))
    at = measured == value
    if at.any():
        known.take(computed[at])
    return known


# ---- Series and sums of one joint

NO_LAG = np.zeros(1, dtype=np.int64)

_PARTS = 10
"""Parts of the sliding window, which moves by one part."""

MEASURED, ADDED, COMPUTED, VELOCITY, GRAVITY = range(5)
"""Columns of the pairs; ADDED is to be added to the measured effort."""

Sides = Callable[[Array], Fair]
"""From rows (k, 3) of computed effort, velocity and effort against gravity."""


@dataclass
class Sums:
    """Moments of pairs without lag, and at every lag tried, in the part `number` of the window."""

    lags: int
    plain: Moments = field(default_factory=lambda: Moments.none(1))
    late: Moments = field(init=False)
    number: int = 0

    def __post_init__(self) -> None:
        self.late = Moments.none(self.lags)


class JointRecord:
    """
    Series of a joint in bounded memory, and sums of all pairs.

    Up to `capacity` samples of each side are kept. The sliding window [ns] and the lags (p,) that
    are tried [ns] do not change. The joint is at rest up to the velocity `still` [rad/s or m/s].
    """

    def __init__(self, capacity: int, window: int, lags: Stamps, still: float,
                 matcher: Matcher) -> None:
        self._window, self._lags, self._still = window, lags, still
        self._matcher = matcher
        self.measured = Series(capacity)
        self.computed = Series(capacity, 3)
        self.matched = Series(capacity, 5)
        self._restart()

    def _restart(self) -> None:
        self.matched.clear()
        self.evidence = Evidence()
        self.reference: float | None = None
        self.total = Sums(len(self._lags))
        self._parts: deque[Sums] = deque()
        self._aligned_until: int | None = None

    def take_measured(self, stamps: Stamps, rows: Array) -> None:
        """Add measured efforts (k, 1) at stamps (k,) [ns]."""
        if self.measured.extend(stamps, rows):
            self._restart()

    def take_computed(self, stamps: Stamps, rows: Array) -> None:
        """Add rows (k, 3) of computed effort, velocity and effort against gravity."""
        if self.computed.extend(stamps, rows):
            self._restart()

    def update(self, sides: Sides, limit: float | None) -> None:
        """Match the samples that have measured neighbours by now."""
        newest = self.measured.newest
        if newest is None:
            return
        stamps, rows = self.computed.between(None, newest)
        if len(stamps):
            self._match(stamps, rows, sides, limit)
            self.computed.forget(int(stamps[-1]))
        stamps, rows = self.matched.between(self._aligned_until, newest - int(self._lags[-1]))
        if len(stamps) and len(self._lags) > 1:
            self._aligned_until = int(stamps[-1])
            self._align(stamps, rows, sides)

    def _match(self, stamps: Stamps, rows: Array, sides: Sides, limit: float | None) -> None:
        """Interpolate measured efforts at the stamps of computed ones."""
        matching = self._matcher.match(stamps, *self._around(stamps, NO_LAG))
        stamps, rows = stamps[matching.valid], rows[matching.valid]
        fair = sides(rows)
        measured = fair.gain * matching.values(self._samples)
        known = (np.abs(fair.added) < LARGEST_EFFORT) & (np.abs(fair.computed) < LARGEST_EFFORT)
        if not known.all():   # without a model, gravity is unknown
            stamps, rows, measured = stamps[known], rows[known], measured[:, known]
            fair = Fair(fair.gain, fair.added[known], fair.computed[known])
        if not len(stamps):
            return
        if self.reference is None:
            self.reference = float(measured[0, 0] + fair.added[0])
        self.evidence.take(stamps, measured[0], fair.computed, limit)
        self.matched.extend(stamps, np.column_stack((measured[0], fair.added, fair.computed,
                                                     rows[:, 1], rows[:, 2])))
        for number, some in self._parted(stamps):
            part = self._part(number)
            moments = Moments.of(
                (measured + fair.added)[:, some], fair.computed[some], rows[some, 1],
                np.array([float(some.stop - some.start)]), self._still, self.reference)
            self.total.plain += moments
            part.plain += moments

    def _align(self, stamps: Stamps, rows: Array, sides: Sides) -> None:
        """Add the moments at every lag of pairs with measured neighbours at all lags."""
        assert self.reference is not None
        gain = sides(np.zeros((0, 3))).gain
        for number, some in self._parted(stamps):
            part = self._part(number)
            matching = self._matcher.match(stamps[some], *self._around(stamps[some], self._lags))
            known = rows[some][matching.valid]
            moments = Moments.of(gain * matching.values(self._samples) + known[:, ADDED],
                                 known[:, COMPUTED], known[:, VELOCITY], matching.power,
                                 self._still, self.reference)
            self.total.late += moments
            part.late += moments

    def _around(self, stamps: Stamps, lags: Stamps) -> tuple[Stamps, Stamps, int]:
        """Return what samples are matched by around some stamps, and keep these samples."""
        known, values = self.measured.values()
        first, last = np.searchsorted(known, (stamps[0] + lags[0], stamps[-1] + lags[-1]))
        near = slice(max(int(first) - 1, 0), int(last) + 1)
        self._samples = values[near, 0]
        return known[near], lags, longest_step(known[:near.stop])

    def _parted(self, stamps: Stamps) -> Iterator[tuple[int, slice]]:
        """Yield the numbers of the window's parts, and the slices of stamps (k,) [ns] in them."""
        numbers = stamps // (self._window // _PARTS)
        borders = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(stamps)]
        for first, last in pairwise(borders):
            yield int(numbers[first]), slice(first, last)

    def _part(self, number: int) -> Sums:
        """Return a part of the window; remove the parts that are too old."""
        if not self._parts or number > self._parts[-1].number:
            self._parts.append(Sums(len(self._lags), number=number))
        while self._parts[0].number < self._parts[-1].number - _PARTS:
            self._parts.popleft()
        # alignment waits longer for neighbours, and may come to an older part
        return next((part for part in reversed(self._parts) if part.number <= number),
                    Sums(len(self._lags)))

    def window(self, limit: float | None) -> tuple[Sums, Evidence]:
        """Return the sums of the sliding window, and the evidence against it."""
        sums, evidence = Sums(len(self._lags)), Evidence()
        for part in self._parts:
            sums.plain += part.plain
            sums.late += part.late
        stamps, rows = self.aligned(0.0, 1.0, window=True)
        evidence.take(stamps, rows[:, MEASURED], rows[:, COMPUTED], limit)
        return sums, evidence

    def aligned(self, lag: float, gain: float, window: bool = False) -> tuple[Stamps, Array]:
        """
        Return stamps (k,) [ns] and rows (k, 5) of the kept pairs, or those in the window.

        The measured effort is that of a lag [s] later, times `gain`.
        """
        newest = self.matched.newest
        if newest is None:
            return np.empty(0, dtype=np.int64), np.empty((0, 5))
        stamps, rows = self.matched.between(newest - self._window if window else None, newest)
        if not lag:
            return stamps.copy(), rows.copy()
        at = np.array([round(lag * 1e9)], dtype=np.int64)
        matching = Matching(stamps, *self._around(stamps, at))
        rows = rows[matching.valid]
        rows[:, MEASURED] = gain * matching.values(self._samples)[0]
        return stamps[matching.valid], rows


# ---- Whether measured efforts are of another semantics than the chosen one

_BETTER_RESIDUAL = 0.3
"""Residual relative to that of the chosen semantics from which on another one is likely."""

_FEWEST_PAIRS = 100

_LEAST_FACTOR = 0.3
"""Least difference from 1 of a factor that wrong masses do not explain."""

_MOST_LEFT = 0.5
"""Residual of a multiple of the computed effort, relative to the measured one."""

_LEAST_RESIDUAL = 0.01
"""Least residual, relative to the measured effort, that needs an explanation."""


def contradiction(chosen: str, rows: Array, facts: JointFacts, still: float) -> str:
    """
    Return a hint if another semantics explains the pairs (k, 5) much better, or an empty text.

    Currents are not judged: their gain may be wrong, too.
    """
    rows = rows[np.isfinite(rows[:, VELOCITY])]
    if chosen == 'current' or len(rows) < _FEWEST_PAIRS:
        return ''
    velocity = np.where(np.abs(rows[:, VELOCITY]) > still, rows[:, VELOCITY], 0.0)
    friction = facts.damping * velocity + facts.friction * np.sign(velocity)
    net = rows[:, COMPUTED] - (friction if SEMANTICS[chosen].friction else 0.0)
    residuals = {'net': rows[:, MEASURED] - net,
                 'commanded': rows[:, MEASURED] - net - friction,
                 'gravity_compensated': rows[:, MEASURED] + rows[:, GRAVITY] - net}
    sizes = {name: _rms(residual) for name, residual in residuals.items()}
    text = (_upside_down(rows, net, sizes, facts) if chosen == 'net' else '') or _proportional(
        rows, net, sizes, facts)
    if text:
        return text
    best = min(sizes, key=lambda name: sizes[name] if np.isfinite(sizes[name]) else np.inf)
    size = _rms(rows[:, MEASURED] + rows[:, ADDED])
    if not (sizes[chosen] > _LEAST_RESIDUAL * size
            and sizes[best] < _BETTER_RESIDUAL * sizes[chosen]):
        return ''
    included = (', and whether the computed one includes friction already (friction.enabled of '
                'inverse_dynamics): then it compares as net'
                if SEMANTICS[chosen].friction and best == 'net' else '')
    if 'gravity_compensated' in (best, chosen):   # another direction looks like none
        included += ', and whether gravity is that of the robot'
    return (f'the measured effort seems to be {best} ({SEMANTICS[best].meaning}), not {chosen}: '
            f'that would leave an RMSE of {sizes[best]:.3g} instead of {sizes[chosen]:.3g} '
            f'{facts.unit}; check the semantics of the effort{included}')


def _rms(values: Array) -> float:
    return float(np.sqrt(np.square(values).mean()))


def _upside_down(rows: Array, net: Array, sizes: Mapping[str, float], facts: JointFacts) -> str:
    """Return a hint if the measured effort is that of the opposite gravity, or an empty text."""
    left = _rms(rows[:, MEASURED] - net + 2.0 * rows[:, GRAVITY])
    opposite = _rms(rows[:, MEASURED] + net)   # which a slow robot has as well
    if not left < _BETTER_RESIDUAL * min(opposite, *sizes.values()):
        return ''
    return (f'the measured effort is that of the opposite gravity, which leaves an RMSE of '
            f'{left:.3g} instead of {sizes["net"]:.3g} {facts.unit}: does the robot hang, or is z '
            'of its root downwards? (--gravity, parameter gravity)')


def _proportional(rows: Array, net: Array, sizes: Mapping[str, float], facts: JointFacts) -> str:
    """Return a hint if the measured effort is a multiple of the net one (k,), or an empty text."""
    measured = rows[:, MEASURED]
    factor = float(measured @ net / (net @ net)) if net.any() else 0.0
    residual, size = _rms(measured - factor * net), _rms(measured)
    others = min(filter(np.isfinite, sizes.values()), default=0.0)
    if (abs(factor - 1.0) < _LEAST_FACTOR or factor <= 0.0 or residual > _MOST_LEFT * size
            or residual > _BETTER_RESIDUAL * others):
        return ''
    return (f'the measured effort is {factor:.3g} times the computed one, but for '
            f'{100.0 * residual / size:.2g} %: is it a current, an effort before the gear, or in '
            f'another unit? The semantics current with a gain of {1.0 / factor:.3g} {facts.unit} '
            'for each of its units would explain it')


# ---- Evidence for the lag of one joint's measurement, from its moments

_FEWEST_FOR_LAG = 100

_LEAST_SHARE = 1e-6
"""Share of measured effort or residual below which the unexplained part is not aligned."""


class LagEvidence(NamedTuple):
    """How well one joint's efforts agree at every lag that is tried."""

    # (p,), power of the measured effort that the computed one and friction do not explain, as
    # without interpolation; at least `least`, from which on it is rounding
    power: Array
    noise: Array   # (p,), power of white noise that interpolation leaves
    least: float
    weight: float   # share that the computed effort explains of what friction does not [-]
    # share of the measured effort's variance that only the computed effort explains [-]
    effect: float

    @property
    def logarithms(self) -> Array:
        """Logarithms (p,) of the unexplained power."""
        return np.log(self.power)


def lag_evidence(moments: Moments) -> LagEvidence | None:
    """
    Return the evidence for a lag; None for too few samples or a constant effort.

    Measured and computed effort are correlated at every lag, both without the part that friction
    and an offset explain, as damping shifts the phase like a lag. Samples at rest are excluded,
    if there are others: friction is undetermined there.
    """
    count, size, gram = moments.samples, moments.lags, moments.gram
    if (gram[MOVING, MOVING] or count) < _FEWEST_FOR_LAG or size < 3:
        return None
    moves = bool(gram[MOVING, MOVING])
    # also with unknown velocities
    load, friction, constant = ((LOAD, [VELOCITY_ROW, DIRECTION, MOVING], MOVING) if moves
                                else (COMPUTED_ROW, [STILL], STILL))
    residual, products = moments.squares if moves else np.diag(gram)[:size], gram[:size]
    measured = residual + 2.0 * products[:, load] + gram[load, load]
    unexplained = _unexplained(residual, products, gram, [load, *friction])
    # the same of the measured effort, which is residual + computed effort
    with_friction, varying = (_unexplained(measured, products + gram[load], gram, terms)
                              for terms in (friction, [constant]))
    least = _LEAST_SHARE**2 * max(count * moments.variance(MEASURED_ROW),
                                  float(residual[size // 2]))
    if not least:
        return None
    power = np.maximum(_without_interpolation(unexplained, moments.power), least)
    best = int(np.argmin(power))
    effect = max(0.0, float(with_friction[best] - unexplained[best]))
    return LagEvidence(power, moments.power, least,
                       effect / max(float(with_friction[best]), least),
                       effect / max(float(varying[best]), least))


def _unexplained(squares: Array, products: Array, gram: Array, terms: list[int]) -> Array:
    """Return the power (p,) that is left of rows with squares (p,) without some terms."""
    normal = gram[np.ix_(terms, terms)]
    scale = 1.0 / np.sqrt(np.maximum(np.diag(normal), 1e-300))
    product = products[:, terms] * scale
    inverse = np.linalg.pinv(normal * np.outer(scale, scale), rcond=1e-6, hermitian=True)
    left = squares - np.einsum('pi,ij,pj->p', product, inverse, product)
    return np.asarray(np.maximum(left, 0.0))


def _without_interpolation(power: Array, noise: Array) -> Array:
    """
    Return the power (p,) as if interpolation had not reduced its white noise.

    Noise of interpolated samples changes from lag to lag, all else is smooth: fourth differences
    show how much of the power is white noise.
    """
    rough, pattern = np.diff(power, 4), np.diff(noise, 4)
    square = float(pattern @ pattern)
    if square <= (_LEAST_SHARE * float(noise.max()))**2:
        return power
    share = min(max(float(rough @ pattern) / square, 0.0), float((power / noise).min()))
    return np.asarray(power + share * (noise.max() - noise))


# ---- The lag of a measurement, if it can be determined: one for the joints of a message

_LAGS_EACH_SIDE = 20
"""Number of lags that are tried on each side of zero."""

_LARGEST_SHARE = 0.8
"""Largest share of the uncorrelated power that a significant alignment leaves."""

_SMALLEST_EFFECT = 0.1
"""Smallest share of a measured effort, without friction, that one of the joints must have."""

_SHORTEST_LAG = 0.0005
"""Shortest lag: half the usual step of a simulator [s]."""


class OwnLag(NamedTuple):
    """
    The lag of one joint where it differs from that of all [s].

    `left` is the unexplained power with it, relative to that with the lag of all; `effect` is that
    of LagEvidence.
    """

    lag: float
    left: float
    effect: float


def tried_lags(search: float) -> Stamps:
    """Return the lags (p,) [ns] up to `search` [s], zero in the middle."""
    step = round(search * 1e9 / _LAGS_EACH_SIDE)
    return step * np.arange(-_LAGS_EACH_SIDE, _LAGS_EACH_SIDE + 1, dtype=np.int64)


def common_lag(evidence: Sequence[LagEvidence], lags: Stamps) -> float:
    """
    Return the lag that several joints share [s]; NaN if it is not significant.

    It minimises the sum over joints of the logarithm of each one's unexplained power, times its
    weight. A logarithm is flat far from its minimum, so that one joint cannot decide against
    several, and it is flat throughout where the model explains little: friction that is not
    viscous and Coulomb looks like a lead or a lag.

    The lag is refined by a quartic. A lag is not significant at the border of the search, if the
    joints' efforts are nearly all friction, or if it leaves more than `_LARGEST_SHARE` of the
    uncorrelated power of joints with half the weight. If efforts are a linear function of the
    position, or the motion is a single sine, viscous friction and lag cannot be distinguished.

    The lags (p,) [ns] are equidistant, with zero in the middle.
    """
    if not any(joint.effect >= _SMALLEST_EFFECT for joint in evidence):
        return float(np.nan)
    place, change = _best(evidence)
    if not change <= np.log(_LARGEST_SHARE):
        return float(np.nan)
    lag = place * float(lags[1] - lags[0]) * 1e-9
    return lag if abs(lag) >= _SHORTEST_LAG else float(np.nan)


def shared_lags(evidence: Mapping[str, LagEvidence], groups: Mapping[str, int], lags: Stamps,
                ) -> dict[str, tuple[float, OwnLag | None]]:
    """
    Return for every joint the lag of its group [s], and its own if it differs.

    The lag is that of the joints that agree, if these have most of the weight.
    """
    shared: dict[str, tuple[float, OwnLag | None]] = {}
    for group in {groups[name] for name in evidence}:
        joints = {name: joint for name, joint in evidence.items() if groups[name] == group}
        common = common_lag(list(joints.values()), lags)
        agreeing = [joint for joint in joints.values() if own_lag(joint, common, lags) is None]
        if 2.0 * _weight(agreeing) > _weight(joints.values()):
            common = common_lag(agreeing, lags)
        shared |= {name: (common, own_lag(joint, common, lags)) for name, joint in joints.items()}
    return shared


def _weight(evidence: Iterable[LagEvidence]) -> float:
    return sum(joint.weight for joint in evidence)


def own_lag(joint: LagEvidence, common: float, lags: Stamps) -> OwnLag | None:
    """Return the lag of one joint if it differs significantly from the common one [s] or none."""
    common = 0.0 if np.isnan(common) else common
    place, change = _best([joint])
    step = float(lags[1] - lags[0]) * 1e-9
    lag = place * step
    if abs(lag) < _SHORTEST_LAG:
        lag, change = 0.0, 0.0
    places = (np.arange(len(lags)) - len(lags) // 2) * step
    at_common = float(np.interp(common, places, joint.logarithms))
    left = float(np.exp(joint.logarithms[len(lags) // 2] + change - at_common))
    differs = abs(lag - common) >= _SHORTEST_LAG and left <= _LARGEST_SHARE
    return OwnLag(lag, left, joint.effect) if differs else None


def _best(evidence: Sequence[LagEvidence]) -> tuple[float, float]:
    """
    Return the place of the least power, in steps from zero, and the upper bound of its logarithm.

    The logarithm is relative to that without lag, the weighted median of the joints. At the border
    of the search nothing is known.
    """
    weights = np.array([joint.weight for joint in evidence])
    weights = weights / weights.sum() if weights.any() else weights
    sums = weights @ np.array([joint.logarithms for joint in evidence])
    best, middle = int(np.argmin(sums)), len(sums) // 2
    if best in (0, len(sums) - 1):
        return 0.0, 0.0
    power, noise = (weights @ np.array([getattr(joint, side) / getattr(joint, side)[best]
                                        for joint in evidence]) for side in ('power', 'noise'))
    rounding = weights @ [joint.least / joint.power[best] for joint in evidence]
    offset, least = _refined(power, noise, best)
    change = _median(np.array([joint.logarithms[best] - joint.logarithms[middle]
                               for joint in evidence]), weights)
    return offset + best - middle, change + float(np.log(max(least, rounding)))


def _median(values: Array, weights: Array) -> float:
    """Return the least value that is not exceeded by more than half of the weight."""
    order = np.argsort(values)
    return float(values[order][np.searchsorted(np.cumsum(weights[order]), 0.5, side='right')])


def _refined(power: Array, noise: Array, best: int) -> tuple[float, float]:
    """
    Return the place of the least power, in steps from the best lag, and its upper bound there.

    The fit through the neighbours is a quartic and a multiple of the remaining noise. Its largest
    error is added to the least power, as steps of Coulomb friction make kinks.
    """
    first = min(max(best - 3, 0), len(power) - 7)
    near = np.arange(first, first + 7)
    terms = np.column_stack((np.vander(near - best, 5), noise[near] / noise[best]))
    scale = power[near].max()
    *quartic, part = fit = np.linalg.lstsq(terms, power[near] / scale, rcond=None)[0]
    missed = np.abs(terms @ fit - power[near] / scale).max()
    places = np.linspace(-1.0, 1.0, 2001)
    values = np.polyval(quartic, places)
    lowest = int(np.argmin(values))
    return float(places[lowest]), float(scale * (values[lowest] + part + missed))


def weights_at(lag: float, lags: Stamps) -> Array:
    """Return the residuals' weights (p,) at a lag [s]: the cubic's through the nearest four."""
    weights = np.zeros(len(lags))
    step = float(lags[1] - lags[0])
    place = (lag * 1e9 - float(lags[0])) / step
    first = min(max(int(np.floor(place)) - 1, 0), len(lags) - NEAR_LAGS)
    nodes = np.arange(first, first + NEAR_LAGS)
    for node in nodes:
        others = nodes[nodes != node]
        weights[node] = np.prod((place - others) / (node - others))
    return weights
