"""Measured against computed effort, joint by joint, at the same instants."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.comparison.contradiction import contradiction
from urdf2dyn_ros.comparison.figures import EffortFigures, JointComparison, Span, effort_figures
from urdf2dyn_ros.comparison.joint_record import (
    ADDED,
    COMPUTED,
    MEASURED,
    NO_LAG,
    VELOCITY,
    JointRecord,
    Sums,
)
from urdf2dyn_ros.comparison.lag import OwnLag, shared_lags, tried_lags, weights_at
from urdf2dyn_ros.comparison.lag_evidence import lag_evidence
from urdf2dyn_ros.comparison.pairing.matching import Matcher
from urdf2dyn_ros.comparison.pairing.message_buffer import MessageBuffer
from urdf2dyn_ros.comparison.semantics import SEMANTICS, Fair, JointEfforts, JointFacts
from urdf2dyn_ros.counting import counted

_MESSAGES_AT_ONCE = 1024

_FEWEST_KEPT = 1000
"""Fewest samples kept: the sums over lags need the last tenths of a second."""

_SHORTEST_SEARCH = 0.001
"""Shortest range in which a lag is searched [s]."""

_OPPOSITE_SIGN = -0.5
"""Correlation below which the sign is not credible."""

_PAIRS_JUDGED = 2000

_UNALIGNED = np.ones(1)
_NO_ROWS = np.zeros((0, 3))
_NO_STAMPS = np.empty(0, dtype=np.int64)

GravityEfforts = Callable[[Sequence[str], Array], Array]
"""From names (n,) and positions (k, n) to efforts (k, n); NaN if unknown."""

_NO_FACTS = JointFacts()
_NO_LAGS = (np.nan, None)


class _Sums(NamedTuple):
    """Sums of a joint's pairs, and the reason why they are not credible, or empty."""

    sums: Sums
    fault: str


class Comparison:
    """
    Compares measured and computed efforts of the same instants, in bounded memory.

    Messages may arrive in any order: at the stamp of every computed effort the measured one is
    interpolated between its neighbours in time. Figures cover all pairs by sums; only the newest
    samples are kept.

    Parameters
    ----------
    capacity : int
        Newest samples kept of each joint and side, at least 1000.
    window : float
        Length of the sliding window [s].
    semantics : str
        A key of SEMANTICS.
    gains : sequence of float
        Gains of currents [N m/A]: one for all joints, or one each in the computed order.
    search : float
        Largest lag that is searched and aligned [s]; none below 1 ms.
    still : float
        Velocity up to which a joint is at rest [rad/s or m/s].

    """

    def __init__(self, capacity: int = 60_000, window: float = 10.0, semantics: str = 'net',
                 gains: Sequence[float] = (1.0,), search: float = 0.1,
                 still: float = 0.005) -> None:
        self._capacity = max(capacity, _FEWEST_KEPT)
        self._window = round(window * 1e9)
        self._chosen, self._semantics = semantics, SEMANTICS[semantics]
        self._gains = tuple(gains)
        self._lags = tried_lags(search) if search >= _SHORTEST_SEARCH else NO_LAG
        self._still = still
        self._facts: Mapping[str, JointFacts] = {}
        self._gravity: GravityEfforts | None = None
        self.restart()

    def restart(self) -> None:
        """Remove everything but the facts of the robot."""
        self._measured, self._computed = MessageBuffer(1), MessageBuffer(3)
        self._records: dict[str, JointRecord] = {}
        self._matcher = Matcher()

    def describe(self, facts: Mapping[str, JointFacts],
                 gravity: GravityEfforts | None = None) -> None:
        """Set the facts of another robot and its efforts against gravity; restart."""
        self._facts, self._gravity = dict(facts), gravity
        self.restart()

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
        totals, windows = ([], []) if not names else zip(*map(self._sums, names))
        spans = [self._spans(names, sums, window) for sums, window in (
            (totals, False), (windows, True))]
        return tuple(self._compared(name, total, window, samples)
                     for name, total, window in zip(names, *spans))

    # ---- messages

    def _work(self, at_once: bool = False) -> None:
        """Sort the messages by joint and match them, once there are enough."""
        if not at_once and self._measured.waiting + self._computed.waiting < _MESSAGES_AT_ONCE:
            return
        for name, stamps, rows in self._measured.by_joint(list(self._measured.take())):
            self._record(name).take_measured(stamps, rows)
        computed = [(names, order, stamps, self._with_gravity(names, values))
                    for names, order, stamps, values in self._computed.take()]
        for name, stamps, rows in self._computed.by_joint(computed):
            self._record(name).take_computed(stamps, rows)
        for name in self._computed.names:
            self._record(name).update(partial(self._sides, name),
                                      self._facts.get(name, _NO_FACTS).limit)

    def _record(self, name: str) -> JointRecord:
        if name not in self._records:
            self._records[name] = JointRecord(self._capacity, self._window, self._lags,
                                              self._still, self._matcher)
        return self._records[name]

    def _with_gravity(self, names: Sequence[str], values: Array) -> Array:
        """Replace the positions by efforts against gravity (k, n)."""
        values[..., 2] = (np.nan if self._gravity is None
                          else self._gravity(names, values[..., 2]))
        return values

    def _sides(self, name: str, rows: Array) -> Fair:
        known = JointEfforts(rows[:, 0], rows[:, 1], rows[:, 2], self._facts.get(name, _NO_FACTS),
                             self._gain(name), self._still)
        return self._semantics.sides(known)

    def _gain(self, name: str) -> float:
        if len(self._gains) == 1:
            return self._gains[0]
        number = self._computed.names.index(name)
        return self._gains[number] if number < len(self._gains) else np.nan

    # ---- results

    def _sums(self, name: str) -> tuple[_Sums, _Sums]:
        """Return the sums of the total and the window, with their faults."""
        record, limit = self._record(name), self._facts.get(name, _NO_FACTS).limit
        fault = self._missing(name) or record.evidence.fault(limit=limit)
        sums, evidence = record.window(limit)
        return (_Sums(record.total, fault),
                _Sums(sums, fault or evidence.fault(record.evidence, limit)))

    def _spans(self, names: Sequence[str], sums: Sequence[_Sums], window: bool) -> list[Span]:
        """Return the figures of the joints; those of a message share one lag."""
        evidence = {name: lag_evidence(each.sums.late)
                    for name, each in zip(names, sums) if not each.fault}
        lags = shared_lags({name: known for name, known in evidence.items() if known is not None},
                           self._measured.groups, self._lags)
        return [self._span(name, each, *lags.get(name, _NO_LAGS), window)
                for name, each in zip(names, sums)]

    def _compared(self, name: str, total: Span, window: Span, samples: bool) -> JointComparison:
        stamps, rows = _NO_STAMPS, np.empty((0, 5))
        if samples:
            lag = 0.0 if np.isnan(total.lag) else total.lag
            stamps, rows = self._record(name).aligned(lag, self._sides(name, _NO_ROWS).gain)
        return JointComparison(name, self._facts.get(name, _NO_FACTS).unit, total, window, stamps,
                               rows[:, MEASURED] + rows[:, ADDED], rows[:, COMPUTED],
                               rows[:, VELOCITY])

    def _missing(self, name: str) -> str:
        """Return what a comparison lacks, or an empty text."""
        if name not in self._measured.names:
            return 'no measured effort'
        if len(self._gains) not in (1, len(self._computed.names)):
            return (f'current_gains has {counted(len(self._gains), "entry", "entries")} for '
                    + counted(len(self._computed.names), 'joint'))
        if self._semantics.gravity and self._gravity is None:
            return 'the effort against gravity is unknown: no robot description was received'
        return ''

    def _span(self, name: str, each: _Sums, lag: float, own: OwnLag | None, window: bool) -> Span:
        sums, fault = each
        if fault:
            few = EffortFigures(sums.plain.samples)
            return Span(fault, figures=few, unaligned=few)
        record, facts = self._record(name), self._facts.get(name, _NO_FACTS)
        assert record.reference is not None
        known = (facts.damping, facts.friction) if self._semantics.friction else (0.0, 0.0)
        plain = effort_figures(sums.plain, record.reference, _UNALIGNED, *known)
        aligned = plain
        if not np.isnan(lag):
            weights = weights_at(lag, self._lags)
            aligned = effort_figures(sums.late, record.reference, weights, *known)
            _, rows = record.aligned(lag, self._sides(name, _NO_ROWS).gain, window)
            error = rows[:, MEASURED] + rows[:, ADDED] - rows[:, COMPUTED]
            # interpolation between lags may leave a larger RMSE
            aligned = replace(aligned, max_error=float(np.abs(error).max(initial=aligned.rmse)))
        correlation = sums.plain.correlation
        hint = '' if correlation > _OPPOSITE_SIGN else (
            f'measured and computed effort are of opposite sign (correlation {correlation:.2f}):'
            ' check which direction is positive for the driver')
        if not window:
            _, rows = record.matched.values()
            step = max(1, len(rows) // _PAIRS_JUDGED)
            # of the opposite gravity, some efforts have the opposite sign
            hint = contradiction(self._chosen, rows[::step], facts, self._still) or hint
        # the lag of what no sensor resolves is that of rounding
        return Span('', lag, aligned, plain, hint, None if np.isnan(aligned.nrmse) else own)
