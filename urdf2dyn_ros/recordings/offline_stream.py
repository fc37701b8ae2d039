"""A stream that uses later samples: it smooths long pieces of a recording as a whole."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.errors import StateError
from urdf2dyn_ros.estimation.estimators import Estimator
from urdf2dyn_ros.estimation.groups import Group, Groups
from urdf2dyn_ros.estimation.hold import ModelJoints
from urdf2dyn_ros.estimation.kalman import Estimate, Verdict
from urdf2dyn_ros.estimation.messages import MAX_GAP_NS, Indices, Sample
from urdf2dyn_ros.estimation.outcomes import Event, Outcome
from urdf2dyn_ros.estimation.passive import PassiveJoints
from urdf2dyn_ros.estimation.stream import Output, OutputBatch, Stream
from urdf2dyn_ros.estimation.velocities import VelocityGate
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.recordings.jumps import PositionJump, alternating, parts_between, position_jumps
from urdf2dyn_ros.recordings.smoothing import FEWEST_SMOOTHED, measured, smooth
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import SECOND_NS

# ---- Samples of joints that are received together, kept until they are smoothed as a whole

# time at both ends of a motion without outputs, as samples are on one side only [ns]
_UNUSED_END_NS = 40_000_000
_FEWEST_AT_END = 3   # fewest samples in that time


class Recorder(Estimator):
    """An estimator that keeps all samples, and has no estimate."""

    DROPS_OUTLIERS = False

    def __init__(self, joints: int) -> None:
        unknown = np.full(joints, np.nan)
        self._none = Estimate(0, unknown, unknown, unknown, unknown, Verdict.STARTING)
        self._samples: list[tuple[int, Array]] = []   # stamps [ns] and positions
        self._ended: list[tuple[int, Array]] | None = None
        self.continued = False   # whether samples before the first one were forgotten

    def update(self, stamp: int, q: Array, qd: Array) -> Estimate:
        """Keep a sample."""
        self._samples.append((stamp, q.copy()))
        return self._none

    def reset(self) -> None:
        """Begin another motion; the samples before are kept until `end`."""
        if self._ended is None:
            self._ended = self._samples
        self._samples = []

    def motion(self) -> tuple[NDArray[np.int64], Array]:
        """Return stamps (k,) [ns] and positions (k, n) of the motion that ended, or this one."""
        samples = self._samples if self._ended is None else self._ended
        return (np.array([stamp for stamp, _ in samples], dtype=np.int64),
                np.array([positions for _, positions in samples]))

    def end(self) -> None:
        """Forget the motion that ended, or this one."""
        if self._ended is None:
            self._samples = []
        self._ended, self.continued = None, False

    def forget(self, until: int) -> None:
        """Forget the samples before a stamp [ns]; the motion continues."""
        self._samples = [each for each in self._samples if each[0] >= until]
        self.continued = True


def _recorders(groups: Iterable[Group]) -> list[tuple[Group, Recorder]]:
    return [(group, recorder) for group in groups
            if isinstance(recorder := group.estimator.inner, Recorder)]


# ---- A stream that uses later samples: it smooths long pieces of a recording, each as a whole

_PIECE = 16_384   # samples of a piece, so that the memory does not grow with the recording
_OVERLAP = 2 * SECOND_NS   # time by which pieces overlap [ns]
# outcomes of messages with samples: no estimate is valid yet
_SAMPLED_OUTCOMES = (Outcome.WARMING_UP, Outcome.INCOMPLETE)


class _Part(NamedTuple):
    """Samples (k,) without a jump with positions (k, n), first and last stamp of outputs."""

    stamps: NDArray[np.int64]
    positions: Array
    first: int
    last: int


class OfflineStream(Stream):
    """
    Checks messages as a stream, but passes outputs to `add` when a piece of a motion is complete.

    Joints of several publishers are smoothed at their own stamps, and evaluated at those of the
    outputs. A motion ends where the stream restarts, for instance at a gap, and where a position
    jumps: `jumps` has all of these by joint and stamp, `alternating` the joints whose positions
    do. `cutoffs` has the lowest and the highest cutoff of each joint that were chosen [Hz],
    (2, n); infinite for held joints.
    """

    _divided: list[Group]

    def __init__(self, dynamics: InverseDynamics, joints: ModelJoints,
                 add: Callable[[OutputBatch], None]) -> None:
        super().__init__(joints, dynamics, Recorder, clock=lambda: 0,
                         passive=PassiveJoints(dynamics) if dynamics.passive_names else None)
        # stamps [ns], joints, and measured efforts and velocities of messages
        self._recorded: list[tuple[int, Indices, tuple[Array, Array]]] = []
        self.velocity_report = VelocityGate(len(joints.names))   # which are not used
        self._pass_on = add
        self._begun: dict[str, float] = {}   # measured passive joints where a motion begins
        self._dynamics = dynamics
        self._wanted: list[int] = []
        self._repeated: list[int] = []   # stamps of samples that a driver that stalls repeats
        self.jumps: dict[tuple[int, int], PositionJump] = {}
        self.alternating: set[int] = set()
        n = len(self._names)
        self.cutoffs = np.array([np.full(n, np.inf), np.full(n, -np.inf)])

    def finish(self) -> None:
        """Compute the outputs of the samples that wait for later ones."""
        self._end()

    def _add(self, stamp: int, sample: Sample, compute: bool) -> Output | Outcome:
        outcome, events, _ = self._groups.add(stamp, sample)
        if events - {Event.RELAYED} or self._groups.all is not self._divided:
            self._end()
            self._divided = self._groups.all
        if self._passive is not None and not self._begun:
            self._begun = self._passive.at(self._wanted[0] if self._wanted else stamp)
        if outcome in _SAMPLED_OUTCOMES:
            self._recorded.append((stamp, sample.layout.joints, (sample.effort, sample.qd)))
        if outcome is not Outcome.WARMING_UP:
            return outcome
        self._wanted.append(stamp)
        if len(self._wanted) % _PIECE == 0 and stamp - self._wanted[0] > 2 * _OVERLAP:
            # joints that are not received any more must not fill the memory
            self._smooth(ends=len(self._wanted) > 4 * _PIECE)
        return Outcome.WAITING

    def _start(self) -> None:
        super()._start()
        self._divided = self._groups.all

    def _end(self) -> None:
        self._smooth(ends=True)

    def _smooth(self, ends: bool) -> None:
        """Compute outputs up to where the motion ends, or the next piece begins."""
        wanted = np.array(self._wanted, dtype=np.int64)
        recorders = _recorders(self._divided)
        self._repeated = []
        parts = [self._parts(group, recorder) for group, recorder in recorders]
        inside = np.ones(len(wanted), dtype=bool)
        for each in parts:   # every group has to be in one of its parts
            inside &= np.any([(wanted >= part.first) & (wanted <= part.last) for part in each],
                             axis=0)
        repeated = np.isin(wanted, self._repeated)
        at = wanted[inside & ~repeated]
        if len(at) and not ends:
            at = at[at <= min(each[-1].last for each in parts) - _OVERLAP]
        if len(at):
            motion = np.empty((3, len(at), len(self._names)))
            for (group, _), each in zip(recorders, parts):
                for part in each:
                    self._smooth_part(motion, at, group, part)
            self._add_outputs(at, *self.held.motion(motion))
        done = wanted[-1:] if ends else at[-1:]
        later = wanted[wanted > done] if len(done) else wanted
        again = int(np.count_nonzero(repeated[:len(wanted) - len(later)]))
        self.counters[Outcome.REPEATED] += again
        self.counters[Outcome.WARMING_UP] += len(wanted) - len(later) - len(at) - again
        self._wanted = later.tolist()
        for _, recorder in recorders:
            if ends:
                recorder.end()
            elif len(at):
                recorder.forget(int(at[-1]) - _OVERLAP)
        self._recorded = [] if ends else [
            each for each in self._recorded if not len(at) or each[0] > at[-1] - _OVERLAP]

    def _parts(self, group: Group, recorder: Recorder) -> list[_Part]:
        """Return the parts of the motion of a group between jumps that are long enough."""
        stamps, positions = recorder.motion()
        if len(stamps):
            kept, stalled = measured(stamps, positions)
            self._repeated += stamps[stalled].tolist()
            stamps, positions = stamps[kept], positions[kept]
            self.alternating.update(
                self.held.received[group.joints[alternating(stamps, positions)]].tolist())
        jumps = position_jumps(stamps, positions)
        for jump in jumps:
            joint = int(self.held.received[group.joints[jump.joint]])
            self.jumps[joint, jump.stamp] = jump._replace(joint=joint)
        parts = []
        for rows in parts_between(stamps, jumps):
            some = stamps[rows]
            if len(some) >= FEWEST_SMOOTHED:
                first = 0 if recorder.continued and not rows.start else max(
                    int(some[0]) + _UNUSED_END_NS, int(some[_FEWEST_AT_END]))
                last = min(int(some[-1]) - _UNUSED_END_NS, int(some[-1 - _FEWEST_AT_END]))
                parts.append(_Part(some, positions[rows], first, last))
        return parts

    def _smooth_part(self, motion: Array, at: NDArray[np.int64], group: Group,
                     part: _Part) -> None:
        """Write the motion (3, k, n) of a group at stamps (k,) [ns] that are in a part."""
        rows = np.flatnonzero((at >= part.first) & (at <= part.last))
        if not len(rows):
            return
        estimate = smooth(part.stamps, part.positions, at[rows])
        motion[:, rows[:, None], group.joints] = estimate[:3]
        joints = self.held.received[group.joints]
        low, high = self.cutoffs[:, joints]
        self.cutoffs[:, joints] = (np.minimum(low, estimate.cutoffs),
                                   np.maximum(high, estimate.cutoffs))

    def _add_outputs(self, stamps: NDArray[np.int64], q: Array, qd: Array, qdd: Array) -> None:
        """Add outputs of estimates (k, n); those that are not finite are counted."""
        if self._passive is not None:
            self._passive.place(q[0], self._begun)
            self._begun = {}
        try:
            efforts = self._dynamics(q, qd, qdd)
        except StateError:
            efforts = np.array([self._effort(*row) for row in zip(q, qd, qdd)])
        known: NDArray[np.bool_] = np.asarray(np.isfinite(efforts).all(axis=1))
        self.counters[Outcome.USED] += int(known.sum())
        self.counters[Outcome.NOT_FINITE] += int((~known).sum())
        measured, velocities = (
            self.held.filled(newest_values(
                [(stamp, joints, values[what]) for stamp, joints, values in self._recorded],
                stamps, len(self._names)), np.nan) for what in (0, 1))
        self.velocity_report.compare(velocities, qd, qdd)
        self._pass_on(OutputBatch(stamps, q, qd, qdd, efforts, measured, qd).chosen(known))

    def _effort(self, q: Array, qd: Array, qdd: Array) -> Array:
        try:
            return self._dynamics(q, qd, qdd)
        except (ArithmeticError, StateError):
            return np.full(len(q), np.nan)


Efforts = list[tuple[int, Indices, Array]]
"""Stamps [ns], joints and measured efforts, or velocities, of messages."""


def newest_values(efforts: Efforts, stamps: NDArray[np.int64], joints: int) -> Array:
    """Return the newest values (k, n) at some stamps (k,) [ns], NaN before the first."""
    result = np.full((len(stamps), joints), np.nan)
    by_joints: dict[bytes, Efforts] = {}
    for each in efforts:
        by_joints.setdefault(each[1].tobytes(), []).append(each)
    for messages in by_joints.values():
        rows = np.searchsorted([each[0] for each in messages], stamps, side='right') - 1
        values = np.array([each[2] for each in messages])[np.maximum(rows, 0)]
        result[:, messages[0][1]] = np.where(rows[:, None] >= 0, values, np.nan)
    return result


class MergedMotions:
    """
    Motions of all joints (n,) at the stamps of one publisher, between gaps.

    `motions` has stamps (k,) [ns], positions and efforts (k, n) of those that have ended, `frozen`
    a sentence for each joint, by name, whose position stayed while its velocity moved it.
    """

    def __init__(self, joints: ModelJoints) -> None:
        self._count = len(joints.names)
        self._groups = Groups(joints, Recorder, Counter(), MAX_GAP_NS, 0)
        self._divided = self._groups.all
        self._efforts: Efforts = []
        self.motions: list[tuple[NDArray[np.int64], Array, Array]] = []
        self.frozen: dict[str, str] = {}

    def add(self, stamp: int, sample: Sample) -> None:
        """Add a sample with a stamp [ns]."""
        events = self._groups.add(stamp, sample).events
        for group in self._groups.all:
            if group.outcome is Outcome.FROZEN:
                for sentence in group.frozen.sentences(group.names):
                    self.frozen.setdefault(sentence.partition(':')[0], sentence)
        if events - {Event.RELAYED} or self._groups.all is not self._divided:
            self.end()
        self._efforts.append((stamp, sample.layout.joints, sample.effort))

    def end(self) -> None:
        """End the motion before the newest message, if that began another one."""
        recorders = _recorders(self._divided)
        each = [recorder.motion() for _, recorder in recorders]
        if all(len(stamps) for stamps, _ in each):
            at = max(each, key=lambda motion: len(motion[0]))[0]
            at = at[(at >= max(stamps[0] for stamps, _ in each))
                    & (at <= min(stamps[-1] for stamps, _ in each))]
            q = np.empty((len(at), self._count))
            for (group, _), (stamps, positions) in zip(recorders, each):
                for column, joint in enumerate(group.joints.tolist() if len(at) else ()):
                    q[:, joint] = np.interp(at - at[0], stamps - at[0], positions[:, column])
            self.motions.append((at, q, newest_values(self._efforts, at, self._count)))
        for _, recorder in recorders:
            recorder.end()
        self._efforts, self._divided = [], self._groups.all
