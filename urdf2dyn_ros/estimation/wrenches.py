"""Wrenches of topics: checked, held between messages, transformed to the links they act on."""

from collections import Counter, deque
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any, ClassVar, NamedTuple

import numpy as np

from urdf2dyn_ros.equations.links import REFERENCE, Pose, next_pose
from urdf2dyn_ros.estimation.messages import Steps
from urdf2dyn_ros.estimation.outcomes import (
    WRENCH_ABSENCES,
    WRENCH_OUTCOMES,
    Absence,
    Count,
    Event,
    Outcome,
)
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.multibody import Multibody
from urdf2dyn_ros.robot.parameters import Parameter, check_all
from urdf2dyn_ros.robot.spatial import LARGEST_MAGNITUDE, Array, Scalar, Vector, cross
from urdf2dyn_ros.text import SECOND_NS, is_stamp, quote, suggestion

WORLD_FRAME = 'world'   # name of the root's frame if no link is called so
MOST_SEARCHED = 200   # most links among which a similar name is searched for
MAX_MESSAGES = 2048   # that are kept: more than the longest lag of an estimator in samples
LONG_ABSENCE_NS = SECOND_NS   # time after which a wrench that is missing is logged

# ---- The frame of a message in that of the link that its wrench acts on


class Chain:
    """Pose of a link `frame` in that of another one, via the last body that carries both."""

    def __init__(self, system: Multibody, link: str, frame: str) -> None:
        (number, self._here), (other, self._there) = system.links[link], system.links[frame]
        inwards, outwards = system.chain(number), system.chain(other)
        shared = sum(i == j for i, j in zip(inwards, outwards))
        self._inwards = [system.bodies[i] for i in inwards[shared:]]
        self._outwards = [system.bodies[i] for i in outwards[shared:]]
        self._constant = None if self._inwards or self._outwards else self._placed(())

    def __call__(self, q: Sequence[Scalar]) -> Pose:
        """Return the placement at positions (n,) of the independent joints [rad or m]."""
        return self._constant or self._placed(q)

    def _placed(self, q: Sequence[Scalar]) -> Pose:
        link, frame = Pose(REFERENCE.R, REFERENCE.p), Pose(REFERENCE.R, REFERENCE.p)
        for body in self._inwards:
            link = next_pose(link, body, body.at(q))
        for body in self._outwards:
            frame = next_pose(frame, body, body.at(q))
        link, frame = link.link(self._here), frame.link(self._there)
        link_R = link.R.T
        return Pose(link_R @ frame.R, link_R @ (frame.p - link.p))


# ---- The wrenches on one link, and which of them acts at a stamp

class WrenchMessage(NamedTuple):
    """A wrench about the origin of a frame, along its axes."""

    stamp: int   # [ns]
    frame: str   # a link
    force: Vector   # [N]
    torque: Vector   # [N m]


class HeldWrench:
    """
    Holds each wrench until the stamp of the next one (zero-order hold), up to a timeout.

    Stamps must increase. At a clock jump back everything before is forgotten, which is counted as
    ``jump_back`` in `events`. Wrenches older than the timeout [ns] no longer act.
    """

    def __init__(self, timeout: int, events: Counter[str]) -> None:
        self._timeout = timeout
        self._events = events
        self._steps = Steps(confirms=True)
        self._messages: deque[WrenchMessage] = deque(maxlen=MAX_MESSAGES)
        self._newest = self._arrived = 0

    def proceed(self, before: 'HeldWrench') -> None:
        """Go on with the messages before."""
        self._steps, self._messages = before._steps, before._messages
        self._newest, self._arrived = before._newest, before._arrived

    def add(self, message: WrenchMessage, now: int) -> Outcome:
        """Add a message received at a time of a monotonic clock [ns]; return its outcome."""
        refused, event = self._steps.add(self._newest, message.stamp)
        if refused:
            return refused
        if event is Event.JUMP_BACK:
            self._events[Event.JUMP_BACK] += 1
            self._messages.clear()
        self._newest, self._arrived = message.stamp, now
        self._messages.append(message)
        return Outcome.TAKEN

    def at(self, stamp: int, now: int) -> WrenchMessage | Absence:
        """
        Return the wrench that acts, or why there is none.

        The stamp [ns] is no older than in the call before, because older wrenches are dropped;
        `now` [ns] is by the clock of `add`.
        """
        messages = self._messages
        if not messages:
            return Absence.MISSING
        if now - self._arrived > self._timeout:
            return Absence.SILENT
        while len(messages) > 1 and messages[1].stamp <= stamp:
            messages.popleft()
        age = stamp - messages[0].stamp
        if age < 0:
            return Absence.AHEAD
        return Absence.STALE if age > self._timeout else messages[0]


# ---- Wrenches on several links, from messages to arguments of the equations

class ExternalWrenches:
    """
    The wrenches that the environment exerts on some links (k,), from messages.

    `clock` is monotonic and returns [ns]; if the base is `moving`, the frame of the world is
    unknown. The `counters`, by the keys of ``WRENCH_OUTCOMES``, ``WRENCH_EVENTS`` and
    ``WRENCH_ABSENCES``, only increase.
    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        Parameter('timeout', 0.1, 'Time after its stamp, and after its receipt, for which a '
                  'wrench acts. Increase it in a simulation that is slower than real time.',
                  unit='s', minimum=0.001, maximum=3600.0),
        Parameter('policy', 'stop', 'If a wrench is missing or stale: stop (no efforts) or zero '
                  '(no wrench on that link).', choices=('stop', 'zero')),
        Parameter('sign', 'on_link', 'Whether wrenches act on the link, or by the link on its '
                  'environment.', choices=('on_link', 'by_link')),
    )

    def __init__(self, system: Multibody, links: Sequence[str], *, clock: Callable[[], int],
                 moving: bool = False, counters: Counter[str] | None = None,
                 **parameters: Any) -> None:
        values = check_all(self.PARAMETERS, parameters)
        Loads(external=links).check(system)
        self.links = tuple(links)
        self.counters: Counter[str] = Counter() if counters is None else counters
        timeout = round(values['timeout'] * 1e9)
        self._system = system
        self._held = {link: HeldWrench(timeout, self.counters) for link in self.links}
        # frame_ids, and the links that they name
        self._frames = {link: link for link in system.links}
        if moving:
            for link in system.world:
                del self._frames[link]   # the robot floats in the world
        else:
            self._frames.setdefault(WORLD_FRAME, system.root[0].link.name)
        self._chains: dict[tuple[str, str], Chain] = {}
        self._clock = clock
        self._stops = values['policy'] == 'stop'
        self._sign = 1.0 if values['sign'] == 'on_link' else -1.0
        self._absent: dict[str, tuple[Absence, int]] = {}   # reason, and since when
        self._logged: set[tuple[str, str]] = set()
        self._lines: list[str] = []

    def proceed(self, before: 'ExternalWrenches') -> None:
        """Go on with the messages before, of a robot with the same links."""
        if before._frames == self._frames:
            for link, held in self._held.items():
                if link in before._held:
                    held.proceed(before._held[link])

    @property
    def warnings(self) -> tuple[str, ...]:
        """Wrenches that were missing at the last stamp, and why."""
        return tuple(f'wrench on {quote(link)}: {WRENCH_ABSENCES[reason]}'
                     for link, (reason, _) in self._absent.items())

    def new_lines(self) -> list[str]:
        """Return lines for the log since the last call: every kind of fault once per link."""
        lines, self._lines = self._lines, []
        return lines

    def receive(self, link: str, stamp: int, frame_id: str, force: Sequence[float],
                torque: Sequence[float]) -> None:
        """
        Add the fields of a message for one of `links`, or drop it if it has a fault.

        The stamp is in [ns]. `frame_id` is any link of the robot, about whose origin and along
        whose axes force [N] and torque [N m] are; 'world' is the root if no link has that name.
        """
        outcome = self._receive(link, stamp, frame_id, force, torque)
        self.counters[Count.RECEIVED] += 1
        self.counters[outcome] += 1
        if outcome is not Outcome.TAKEN and self._enter(link, outcome):
            remedy = '' if frame_id in self._frames else '; ' + suggestion(
                frame_id, self._frames, len(self._frames) <= MOST_SEARCHED)
            self._lines.append(
                f'a wrench on {quote(link)} is dropped, {WRENCH_OUTCOMES[outcome]}: frame_id '
                f'{quote(frame_id)}, stamp {stamp * 1e-9:.3f} s{remedy}')

    def _receive(self, link: str, stamp: int, frame_id: str, force: Sequence[float],
                 torque: Sequence[float]) -> Outcome:
        """Keep a message that is usable; return its outcome."""
        if not frame_id:
            return Outcome.NO_FRAME
        if not is_stamp(stamp):
            return Outcome.NO_STAMP
        if not all(len(vector) == 3 and all(abs(entry) <= LARGEST_MAGNITUDE for entry in vector)
                   for vector in (force, torque)):
            return Outcome.NOT_FINITE
        if frame_id not in self._frames:
            return Outcome.UNKNOWN_FRAME
        return self._held[link].add(WrenchMessage(
            stamp, self._frames[frame_id], Vector(*force), Vector(*torque)), self._clock())

    def wrenches_at(self, stamp: int, q: Array) -> Array | Absence:
        """
        Return the wrenches that act at a stamp, or why one is missing.

        They are force and torque [N, N m] on every link, (6 k,), by the environment, about the
        origin of the link's frame and along its axes. The stamp [ns] is that of the estimate of q
        (n,) [rad or m].
        """
        now, positions = self._clock(), q.tolist()
        wrenches, absent = np.zeros(6 * len(self.links)), {}
        for number, (link, held) in enumerate(self._held.items()):
            message = held.at(stamp, now)
            entries = (message if isinstance(message, Absence) else
                       self._in_link(link, message, positions))
            if isinstance(entries, Absence):
                absent[link] = entries, self._absent.get(link, (entries, now))[1]
            else:
                wrenches[6 * number:6 * number + 6] = entries
        self._absent = absent
        for link, (reason, since) in absent.items():
            self.counters[reason] += 1
            if now - since >= LONG_ABSENCE_NS and self._enter(link, reason):
                what = 'no efforts' if self._stops else 'it counts as zero'
                self._lines.append(
                    f'no wrench on {quote(link)}, {what}: {WRENCH_ABSENCES[reason]}')
        return next(iter(absent.values()))[0] if absent and self._stops else wrenches

    def _in_link(self, link: str, message: WrenchMessage, q: Sequence[float],
                 ) -> tuple[float, ...] | Absence:
        """Return f, n of the wrench in the link's frame: f = R f', n = R n' + p x f."""
        key = link, message.frame
        if key not in self._chains:
            self._chains[key] = Chain(self._system, *key)
        R, p = self._chains[key](q)
        f = R @ message.force
        n = R @ message.torque + cross(p, f)
        entries = tuple(self._sign * entry for entry in (*f, *n))
        return entries if all(map(isfinite, entries)) else Absence.TOO_LARGE

    def _enter(self, link: str, fault: str) -> bool:
        """Enter a fault of a link; return whether it is the first one of its kind."""
        new = (link, fault) not in self._logged
        self._logged.add((link, fault))
        return new
