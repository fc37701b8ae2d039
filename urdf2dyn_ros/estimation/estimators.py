"""The estimators of accelerations: contract, Kalman filters, simple ones, and the table of all."""

import logging
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from functools import lru_cache
from math import inf
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.errors import CompilerError, ParameterError
from urdf2dyn_ros.estimation.bank import mixed
from urdf2dyn_ros.estimation.compiled_kalman import CompiledFilters, library
from urdf2dyn_ros.estimation.kalman import Estimate, KalmanFilters, Verdict
from urdf2dyn_ros.robot.parameters import Parameter, check_all
from urdf2dyn_ros.robot.spatial import Array

_LOG = logging.getLogger(__name__)


# ---- The contract


class Estimator(ABC):
    """
    What a stream needs of an estimator of n joints that are sampled together.

    The stream guarantees stamps that increase, and positions that are finite unless the class is
    `PARTIAL`; turns are unwrapped. Velocities that were not measured are NaN.
    Constructors take n and, as keywords, every row of ``PARAMETERS``, checked.
    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = ()
    PARTIAL: ClassVar[bool] = False   # whether positions may be NaN, where not measured
    # whether it gets no samples that contradict the motion, unless it is a `Judge` itself
    DROPS_OUTLIERS: ClassVar[bool] = True
    # whether its deviation is what its accelerations differ by from those of the `Judge`
    COMPARED: ClassVar[bool] = False

    @classmethod
    def make(cls, joints: int, **parameters: Any) -> 'Estimator':
        """Return an estimator of this kind, maybe of a class that does the same faster."""
        kind: Callable[..., Estimator] = cls
        return kind(joints, **parameters)

    @abstractmethod
    def update(self, stamp: int, q: Array, qd: Array) -> Estimate:
        """Add a sample: stamp [ns], q (n,) [rad or m], qd (n,) [rad/s or m/s]."""

    @abstractmethod
    def reset(self) -> None:
        """Forget everything: the clock jumped back."""

    def pause(self) -> None:
        """Forget the motion, but not what was learned of the sensors: a gap lies behind."""
        self.reset()

    def accelerate(self, stamp: int, qdd: Array) -> bool:
        """Add measured accelerations (n,) of a stamp [ns]; return whether they are used."""
        return False

    @classmethod
    def largest_lag(cls, **parameters: Any) -> float:
        """Return how much older than the newest sample [s] estimates may be."""
        return 0.0

    @property
    def velocity_use(self) -> Array | None:
        """Return the share of measured velocities in the estimate (n,), if that is known."""
        return None


class Judge(Estimator):
    """
    An estimator that judges its samples, by the verdicts of its estimates, or those of another.

    It weighs measured velocities by their accelerations, which an offset does not change.
    """

    @property
    @abstractmethod
    def contradicts(self) -> bool:
        """Whether a position of the newest sample contradicts the motion, and was not used."""

    @property
    @abstractmethod
    def distrusted(self) -> NDArray[np.bool_]:
        """Joints (n,) whose positions contradict their motion too often."""

    @property
    @abstractmethod
    def delayed_velocity(self) -> tuple[float, Array] | None:
        """Velocities and accelerations (2, n) a time [s] ago, by positions alone."""


def _verdict(valid: bool) -> Verdict:
    return Verdict.VALID if valid else Verdict.STARTING


# ---- The Kalman filters

BANDWIDTH = Parameter(
    'bandwidth', 0.0, 'Bandwidth of the Kalman filters: larger follows faster and is noisier; the '
    'nearest one of the bank is used. 0 weights all of them, joint by joint, by how well each has '
    'estimated of late.', unit='rad/s', minimum=0.0, maximum=2000.0)


class Kalman(KalmanFilters, Judge):
    """
    Kalman filters of many bandwidths, weighted joint by joint: see kalman.py.

    With a fixed bandwidth, only the filters of order 4 that are nearest to it have weights. Lag
    and derivative are as in `KalmanFilters`; the derivative is for the filters of a moving base.
    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (BANDWIDTH,)
    PARTIAL: ClassVar[bool] = True

    def __init__(self, joints: int, *, bandwidth: float = 0.0, lag: float = 0.0,
                 derivative: int = 2) -> None:
        self._fixed = bandwidth
        super().__init__(joints, lag, derivative)

    @classmethod
    def make(cls, joints: int, **parameters: Any) -> Estimator:
        return fastest_kalman()(joints, **parameters)

    @property
    def contradicts(self) -> bool:
        return any(self._outliers[0].tolist())

    @property
    def velocity_use(self) -> Array | None:
        """Return the weight (n,) of the filters that use measured velocities."""
        if self._bank is None or not self._velocities:
            return None
        return mixed(self._hindsight.weights[:-1], self._bank.by_velocity[:, None] * 1.0)

    def _start(self, time: float, q: Array, qd: Array) -> Verdict:
        verdict = super()._start(time, q, qd)
        bank = self._bank
        if bank is not None and self._fixed:
            distance = np.abs(np.log(bank.w / self._fixed))
            others = (distance > distance.min() + 1e-9) | (bank.order == 3)
            self._hindsight.leave_out(np.append(others, True))
        return verdict


class KalmanFixedLag(Kalman):
    """Estimates that are a little older, and several times better: see hindsight.py."""

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        BANDWIDTH,
        Parameter('lag', 0.02, 'How much older the estimate is than the newest sample.', unit='s',
                  minimum=0.0, maximum=0.5),
    )

    @classmethod
    def largest_lag(cls, **parameters: Any) -> float:
        return float(parameters['lag'])


class CompiledKalman(Kalman, CompiledFilters):
    """The estimators kalman and kalman_fixed_lag with their work at each message in C."""


# ---- Accelerations from differences of neighbouring samples


class FiniteDifference(Estimator):
    """
    Differences over the last three samples, at their real stamps.

    With the slopes d1 and d2 of the two steps h1 and h2, the derivative is d2, at the newest
    sample (``end``), or the slope (h1 d2 + h2 d1) / (h1 + h2) of the parabola through the three
    samples, at the middle one (``centre``); the latter is exact to second order, also for unequal
    steps. Without a measured velocity, the velocity is the same derivative of the positions, and
    the acceleration their second difference 2 (d2 - d1) / (h1 + h2).
    """

    COMPARED: ClassVar[bool] = True   # noise and wrong stamps have no bound in differences

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        Parameter('align', 'end', 'Sample of the estimate: the newest or the one before.',
                  choices=('end', 'centre')),
    )

    @classmethod
    def largest_lag(cls, **parameters: Any) -> float:
        return inf if parameters['align'] == 'centre' else 0.0

    def __init__(self, joints: int, *, align: str) -> None:
        self._centre = align == 'centre'
        self._unknown = np.full(joints, np.nan)
        self._samples: deque[tuple[int, Array, Array]] = deque(maxlen=3)

    def reset(self) -> None:
        self._samples.clear()

    def update(self, stamp: int, q: Array, qd: Array) -> Estimate:
        self._samples.append((stamp, q.copy(), qd.copy()))
        if len(self._samples) < 3:
            return Estimate(stamp, q, qd, self._unknown, self._unknown, Verdict.STARTING)
        (t0, q0, v0), (t1, q1, v1), (t2, q2, v2) = self._samples
        h1, h2 = (t1 - t0) * 1e-9, (t2 - t1) * 1e-9
        share = h2 / (h1 + h2) if self._centre else 0.0

        instant, position, velocity = (t1, q1, v1) if self._centre else (t2, q2, v2)
        acceleration = share / h1 * (v1 - v0) + (1.0 - share) / h2 * (v2 - v1)
        missing = np.isnan(velocity) | np.isnan(acceleration)
        if missing.any():
            d1, d2 = (q1 - q0) / h1, (q2 - q1) / h2
            velocity = np.where(missing, share * d1 + (1.0 - share) * d2, velocity)
            acceleration = np.where(missing, 2.0 / (h1 + h2) * (d2 - d1), acceleration)
        return Estimate(
            instant, position, velocity, acceleration, self._unknown, Verdict.VALID)


# ---- No accelerations, or those from elsewhere: a controller or an accelerometer

QUEUE_LENGTH = 512   # samples, and accelerations, that are kept
RESTART_NS = 1_000_000_000   # accelerations older than the newest by this begin a new recording


class NoAcceleration(Estimator):
    """
    Zero for every acceleration, with an unknown deviation.

    Missing velocities are slopes of the last two positions.
    """

    def __init__(self, joints: int) -> None:
        self._zero, self._unknown = np.zeros(joints), np.full(joints, np.nan)
        self._last: tuple[int, Array] | None = None   # stamp and positions of the last sample

    def reset(self) -> None:
        self._last = None

    def _velocities(self, stamp: int, q: Array, qd: Array) -> Array:
        """Return qd (n,) with the NaN replaced by slopes; at the first sample they stay NaN."""
        velocity = qd.copy()
        missing = np.isnan(qd)
        if self._last is not None and missing.any():
            velocity[missing] = ((q - self._last[1]) / ((stamp - self._last[0]) * 1e-9))[missing]
        self._last = stamp, q.copy()
        return velocity

    def update(self, stamp: int, q: Array, qd: Array) -> Estimate:
        velocity = self._velocities(stamp, q, qd)
        return Estimate(stamp, q.copy(), velocity, self._zero.copy(), self._unknown,
                        _verdict(not np.isnan(velocity).any()))


class External(NoAcceleration):
    """
    Received accelerations, interpolated at the stamps of the samples.

    The estimate is at the newest sample that is no newer than the newest acceleration: where
    accelerations are received after the joint states of the same stamp, it is one sample late.
    """

    DROPS_OUTLIERS: ClassVar[bool] = False   # points of a plan may be far apart

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        Parameter('max_gap', 0.05, 'Longest step between accelerations across which they are '
                  'interpolated.', unit='s', minimum=0.0, maximum=10.0),
    )

    @classmethod
    def largest_lag(cls, **parameters: Any) -> float:
        return inf

    def __init__(self, joints: int, *, max_gap: float) -> None:
        super().__init__(joints)
        self._max_gap = round(max_gap * 1e9)
        self._accelerations: deque[tuple[int, Array]] = deque(maxlen=QUEUE_LENGTH)
        self._samples: deque[tuple[int, Array, Array]] = deque(maxlen=QUEUE_LENGTH)
        self._newest = 0

    def reset(self) -> None:
        """Forget every sample; the accelerations stay, for they have stamps of their own."""
        super().reset()
        self._samples.clear()

    def accelerate(self, stamp: int, qdd: Array) -> bool:
        """Add accelerations (n,) [rad/s^2 or m/s^2] of a stamp [ns]; return whether it is new."""
        if self._accelerations and stamp <= self._accelerations[-1][0]:
            if stamp > self._accelerations[-1][0] - RESTART_NS:
                return False
            self._accelerations.clear()
            self._newest = 0   # keep these when the samples jump back as well
        self._accelerations.append((stamp, qdd))
        return True

    def update(self, stamp: int, q: Array, qd: Array) -> Estimate:
        if stamp <= self._newest:
            self._accelerations.clear()   # the clock jumped back: they belong to the past
        self._newest = stamp
        self._samples.append((stamp, q.copy(), self._velocities(stamp, q, qd)))
        newest = self._accelerations[-1][0] if self._accelerations else 0
        while len(self._samples) > 1 and self._samples[1][0] <= newest:
            self._samples.popleft()
        instant, position, velocity = self._samples[0]
        qdd = self._at(instant)
        if qdd is None:
            return Estimate(stamp, q, qd, self._unknown, self._unknown, Verdict.STARTING)
        return Estimate(instant, position, velocity, qdd, self._unknown,
                        _verdict(not np.isnan(velocity).any()))

    def _at(self, instant: int) -> Array | None:
        """Return the accelerations at a stamp [ns], if there are any on both sides of it."""
        after: tuple[int, Array] | None = None
        for stamp, qdd in reversed(self._accelerations):
            if stamp == instant:
                return qdd.copy()
            if stamp < instant:
                if after is None or after[0] - stamp > self._max_gap:
                    return None
                share = (instant - stamp) / (after[0] - stamp)
                return qdd + share * (after[1] - qdd)
            after = stamp, qdd
        return None


# ---- The table

ESTIMATORS: dict[str, type[Estimator]] = {
    'kalman': Kalman,
    'kalman_fixed_lag': KalmanFixedLag,
    'finite_difference': FiniteDifference,
    'none': NoAcceleration,
    'external': External,
}


def make_estimator(name: str, joints: int, **parameters: Any) -> Estimator:
    """Return a new estimator by its name in the table and its parameters, checked."""
    if name not in ESTIMATORS:
        raise ParameterError(f'unknown estimator {name!r}; choose one of ' + ', '.join(ESTIMATORS))
    kind = ESTIMATORS[name]
    return kind.make(joints, **check_all(kind.PARAMETERS, parameters))


@lru_cache(maxsize=1)
def fastest_kalman() -> type[Kalman]:
    """Return the filters in C; log why they are those on numpy."""
    try:
        library()
    except CompilerError as error:
        _LOG.warning('the Kalman filters run on numpy: %s', error)
        return Kalman
    return CompiledKalman


# ---- Estimators whose samples are judged

COMPARED_SAMPLES = 20   # of which the mean square of differences is a deviation
LONGEST_COMPARED_NS = 100_000_000   # step of samples: nothing judges the filters of slower ones
_INCONSISTENT = (Verdict.REPEATED, Verdict.CONTRADICTORY, Verdict.DISTRUSTED)


class CheckedEstimate(NamedTuple):
    """An estimate, and what is known of its sample."""

    estimate: Estimate   # its verdict is also that on the sample
    outlier: bool   # whether a position contradicts the motion, and was not used
    anew: bool   # whether joints begin anew
    judged: bool   # whether the judge knows the motion at the sample


class CheckedEstimator:
    """An estimator of n joints, and the judge of its samples: itself, or filters beside it."""

    def __init__(self, estimator: Estimator, joints: int) -> None:
        self.inner = estimator
        self.judge = estimator if isinstance(estimator, Judge) else fastest_kalman()(joints)
        self.judges_itself = self.judge is estimator
        self._dropped = False   # whether the newest sample was
        # of the judge, at the sample before, and by how much accelerations differed of late
        self._before: Estimate | None = None
        self._paused = False   # whether a gap lies behind
        self._squares: deque[Array] = deque(maxlen=COMPARED_SAMPLES)

    def update(self, stamp: int, q: Array, qd: Array) -> CheckedEstimate:
        """Add a sample as in `Estimator.update`; one that contradicts may be dropped."""
        estimate = judged = self.judge.update(stamp, q, qd)
        verdict, outlier = judged.verdict, self.judge.contradicts
        if not self.judges_itself:
            drops = self.inner.DROPS_OUTLIERS
            outlier &= drops
            if judged.valid and outlier:
                verdict = Verdict.CONTRADICTORY
            before, self._dropped = self._dropped, drops and verdict in _INCONSISTENT
            if self._dropped:
                if before:   # more than one are another motion
                    self.inner.reset()
                return CheckedEstimate(judged._replace(verdict=verdict), outlier, before, False)
            estimate = self.inner.update(stamp, q, qd)._replace(shifts=judged.shifts)
            if self.inner.COMPARED and estimate.valid:
                estimate = self._compared(estimate, judged)
            self._before = judged
            if estimate.valid and drops and verdict is Verdict.BEGUN_ANEW:
                estimate = estimate._replace(verdict=verdict)
        return CheckedEstimate(estimate, outlier, estimate.verdict is Verdict.BEGUN_ANEW,
                               judged.valid)

    def _compared(self, estimate: Estimate, judged: Estimate) -> Estimate:
        """Return an estimate with the deviation by which it differed from the judge of late."""
        before = self._before
        if before is None or judged.stamp - before.stamp > LONGEST_COMPARED_NS:
            return estimate
        same = judged if estimate.stamp == judged.stamp else before
        if not same.valid or same.stamp != estimate.stamp:
            # after a gap its stamps are in doubt
            return estimate._replace(verdict=Verdict.STARTING) if self._paused else estimate
        self._squares.append(np.square(same.std) + np.square(estimate.qdd - same.qdd))
        return estimate._replace(std=np.sqrt(np.mean(self._squares, axis=0)))

    def reset(self, gap: bool) -> None:
        """Forget everything; at a gap, the motion alone."""
        self._dropped, self._paused = False, gap
        for estimator in {self.inner, self.judge}:
            estimator.pause() if gap else estimator.reset()
