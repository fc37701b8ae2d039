"""
From fields of JointState messages to the model's joints, checked and sorted.

Also reads and writes serialized messages without message objects, and decides what to do with
those that wait in a queue.
"""

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import hypot, isfinite, pi
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urdf2dyn_ros.estimation.outcomes import Count, Event, Outcome
from urdf2dyn_ros.robot.spatial import Array

Indices = NDArray[np.intp]

MAX_LAYOUTS = 64   # lists of names that are cached
MAX_UNKNOWN = 64   # unknown names that are remembered
MAX_TURNS = 1e6   # between two positions of a joint that are unwrapped; more are a fault
LARGEST_MEASURED = 1e9   # SI units; from here on a sensor or a bus has failed: not measured

_TURN = 2.0 * pi

# ---- Which entries of a message belong to which joints of the model, by name


@dataclass(frozen=True, eq=False)
class NameLayout:
    """Joints of the model in a list of names."""

    length: int   # number of names
    joints: Indices   # (k,), joints of the model that are named, ascending
    entries: Indices   # (k,), entry of the message for each of them

    @cached_property
    def unmeasured(self) -> Array:
        """NaN (k,), not to be changed."""
        return np.full(len(self.joints), np.nan)


class Message(NamedTuple):
    """Fields of a JointState; the lengths are not checked."""

    stamp: int   # [ns], 0 for none
    names: Any
    position: Any   # [rad or m]
    velocity: Any = ()   # [rad/s or m/s]
    effort: Any = ()   # [N m or N]


class Sample(NamedTuple):
    """Joints of the model in one message, in the model's order."""

    layout: NameLayout   # which joints these are
    q: Array   # (k,) [rad or m], finite
    qd: Array   # (k,) [rad/s or m/s]; NaN where not measured
    effort: Array   # (k,) [N m or N]; NaN where not measured


class MessageReader:
    """
    Checks and sorts the fields of messages.

    The names (n,) are in the model's order; ``velocity_ignored`` and ``effort_ignored`` are
    counted in `events`. The keys of `unknown` are names that are no joints of the model, the
    first few in the order of receipt; those of `unmeasured` are joints that were received without
    a finite position.
    """

    def __init__(self, joint_names: Sequence[str], events: Counter[str]) -> None:
        self._joint_names = tuple(joint_names)
        self._events = events
        self.unknown: dict[str, None] = {}
        self.unmeasured: dict[str, None] = {}
        self._layout = lru_cache(MAX_LAYOUTS)(self._arrange)
        self._finite = lru_cache(MAX_LAYOUTS)(self._chosen)

    def read(self, message: Message) -> Sample | Outcome:
        """Return the sample of a message as in `Stream.receive`, or the outcome without one."""
        try:
            layout = self._layout(tuple(message.names))
        except (TypeError, ValueError):  # no sequence, or entries that cannot be names
            return Outcome.MALFORMED
        if isinstance(layout, Outcome):
            return layout
        q = _numbers(message.position)
        if q is not None and not len(q):   # velocities alone, as of wheels
            q = np.full(layout.length, np.nan)
        if q is None or len(q) != layout.length:
            return Outcome.MALFORMED
        some = q[layout.entries]
        if not hypot(*some.tolist()) < LARGEST_MEASURED:   # also NaN: these are not published
            layout = self._finite(layout, (np.abs(some) < LARGEST_MEASURED).tobytes())
            if isinstance(layout, Outcome):
                return layout
            some = q[layout.entries]
        return Sample(
            layout, some, self._measured(message.velocity, layout, Count.VELOCITY_IGNORED),
            self._measured(message.effort, layout, Count.EFFORT_IGNORED))

    def _arrange(self, names: tuple[str, ...]) -> NameLayout | Outcome:
        """Return the layout of names; the outcome if they have a fault."""
        if not names:
            return Outcome.EMPTY
        entry_of = {name: entry for entry, name in enumerate(names)}
        if len(entry_of) < len(names):
            return Outcome.DUPLICATE_NAMES
        joint_names = set(self._joint_names)
        for name in names:   # a difference of sets would have another order in each process
            if name not in joint_names and len(self.unknown) < MAX_UNKNOWN:
                self.unknown[name] = None
        joints = np.array([joint for joint, name in enumerate(self._joint_names)
                           if name in entry_of], dtype=np.intp)
        if not joints.size:
            return Outcome.OTHER_JOINTS
        entries = np.array([entry_of[self._joint_names[joint]] for joint in joints], dtype=np.intp)
        return NameLayout(len(names), joints, entries)

    def _chosen(self, layout: NameLayout, finite: bytes) -> NameLayout | Outcome:
        """Return the layout of those joints of another one, by flags (k,), that have positions."""
        some = np.frombuffer(finite, dtype=np.bool_)
        self.unmeasured |= {self._joint_names[joint]: None for joint in layout.joints[~some]}
        return (NameLayout(layout.length, layout.joints[some], layout.entries[some])
                if some.any() else Outcome.POSITION_NOT_FINITE)

    def _measured(self, values: Any, layout: NameLayout, ignored: Count) -> Array:
        """Return the entries (k,) of an optional field; NaN where there is no credible one."""
        numbers = _numbers(values)
        if numbers is not None and len(numbers) == layout.length:
            numbers = numbers[layout.entries]
            if not hypot(*numbers.tolist()) < LARGEST_MEASURED:   # also NaN
                numbers[~(np.abs(numbers) < LARGEST_MEASURED)] = np.nan
            return numbers
        if numbers is None or len(numbers) > 0:
            self._events[ignored] += 1
        return layout.unmeasured


def unwrap(q: Array, turning: Indices, turn_error: Array, last: Array, before: Array) -> None:
    """
    Remove steps of whole turns from some entries of q (k,) [rad or m], in place.

    `turning` (c,) are these entries, `turn_error` (c,) is that of `ModelJoints`, `last` and
    `before` (k,) are the positions of the last two messages, NaN if there are none. A step that
    continues the one before is no turn of a joint with limits: it is fast, or in degrees.
    """
    step = q[turning] - last[turning]
    turns = np.rint(step / _TURN)
    turns[~(np.abs(turns) < MAX_TURNS)] = 0.0  # also NaN, before the first position
    left, usual = step - _TURN * turns, (last - before)[turning]
    turns[(np.abs(left) > turn_error) | (turn_error < pi) & (
        np.abs(step - usual) <= np.abs(left - usual))] = 0.0
    q[turning] -= _TURN * turns


def is_finite(values: Array) -> bool:
    """Return whether all entries (n,) are finite; for few entries faster than numpy."""
    numbers = values.tolist()
    return isfinite(sum(numbers)) or all(map(isfinite, numbers))


def _numbers(values: Any) -> Array | None:
    """Return a field as numbers (k,), maybe in its own memory; None if it is malformed."""
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        return None
    return numbers if numbers.ndim == 1 else None


# ---- Steps between stamps: their median, and which of them are gaps or clock jumps

MAX_GAP_NS = 100_000_000   # longest step that is no jump at any rate, where it is no parameter
STEPS_KEPT = 11   # whose median is the period
FEWEST_STEPS = 3   # from which on the period is known
JUMP_PERIODS = 5   # a longer step is a gap or a clock jump


class Step(NamedTuple):
    """What a step between stamps says of the message after it: it is refused, or an event."""

    refused: Outcome | None = None   # the outcome, where the stamp does not advance
    event: Event | None = None   # a gap or a jump back


class Steps:
    """
    The period of a stream; a step up to `max_gap` [ns] is no jump at any rate.

    Where it `confirms` jumps back, a single one is a wrong stamp.
    """

    def __init__(self, max_gap: int = MAX_GAP_NS, confirms: bool = False) -> None:
        self.max_gap, self._confirms = max_gap, confirms
        self._last: deque[int] = deque(maxlen=STEPS_KEPT)   # with gaps: a stream may become slow
        self.period = 0    # median of the last steps [ns]; 0 while there are too few
        self._step = 0     # the newest one, if it was forward [ns]
        self._older = 0    # stamp of the message before, if it was older for no reason

    def add(self, last: int, stamp: int) -> Step:
        """
        Add the step from the last stamp [ns], 0 for none, to a new one.

        A second message in a row confirms that the clock was set back a little, or that it was at
        all; one that was overtaken is from within the step before.
        """
        step = stamp - last
        if last == 0:
            return Step()
        jump = self.is_jump(step)
        if step <= 0:
            before, self._older = self._older, stamp if jump or -step > self._step > 0 else 0
            if (jump and not self._confirms) or (0 < before < stamp and self._older):
                self._last.clear()
                self.period = self._step = self._older = 0
                return Step(event=Event.JUMP_BACK)
            return Step(Outcome.OUT_OF_ORDER if step else Outcome.DUPLICATE_STAMP)
        self._step, self._older = step, 0
        self._last.append(step)
        if len(self._last) >= FEWEST_STEPS:
            self.period = sorted(self._last)[len(self._last) // 2]
        return Step(event=Event.GAP if jump else None)

    def is_jump(self, step: int) -> bool:
        """Return whether a step, forward or back [ns], is a gap or a clock jump."""
        return abs(step) > self.max_gap and abs(step) > JUMP_PERIODS * self.period

    def copy(self) -> 'Steps':
        other = Steps(self.max_gap)
        other._last.extend(self._last)
        other.period, other._step = self.period, self._step
        return other


# ---- Messages that wait in the queue, and messages that were lost before

LARGE_BACKLOG = 0.25   # share of the queue above which a backlog means overload
# the same for one that directly follows another, and share of that: processing does not catch up
SMALL_BACKLOG, CATCH_UP = 0.025, 0.5
MAX_PUBLISHERS = 64   # whose sequence numbers are remembered


class Backlog:
    """
    Decides whether a backlog came from a pause (process every message) or from overload.

    In an overload, efforts are computed for the newest message only. The older ones enter the
    estimator; but a machine that is too slow even for that would never come to the newest, so that
    `thinned` keeps fewer of them with each overload that directly follows another one. `depth`
    messages fit into the queue.
    """

    def __init__(self, depth: int) -> None:
        self._small, self._large = SMALL_BACKLOG * depth, LARGE_BACKLOG * depth
        self.over()

    def over(self) -> None:
        """End the backlog: a message was received in time."""
        self._limit = self._large
        self._overloads = 0   # that directly followed one another

    def add(self, messages: int) -> bool:
        """Add a backlog of so many messages; return whether it is an overload."""
        overload = messages > self._limit
        self._limit = min(self._large, max(self._small, CATCH_UP * messages))
        self._overloads = self._overloads + 1 if overload else 0
        return overload

    def thinned(self, older: Sequence[bytes]) -> Sequence[bytes]:
        """Return those messages that are processed: of the k-th overload one in 2^(k - 1)."""
        every = 1 << max(self._overloads - 1, 0)
        return older[(len(older) - 1) % every::every]


class Overruns:
    """Lost messages of each publisher, from their sequence numbers."""

    def __init__(self) -> None:
        self._newest: dict[bytes, int] = {}

    def add(self, publisher: bytes, number: int) -> int:
        """Add a number; return how many messages are missing between it and the newest before."""
        newest = self._newest.get(publisher)
        if newest is None:
            if len(self._newest) >= MAX_PUBLISHERS:
                self._newest.clear()
            newest = number - 1
        self._newest[publisher] = max(newest, number)
        return max(number - newest - 1, 0)
