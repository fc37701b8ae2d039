"""Wrenches of topics: checked, held between messages, transformed to the links they act on."""

from collections import Counter, deque
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any, ClassVar, NamedTuple

import numpy as np

from urdf2dyn_ros.equations.links import REFERENCE, Placement, chain, next_placement
from urdf2dyn_ros.estimation.outcomes import WRENCH_ABSENCES, WRENCH_OUTCOMES
from urdf2dyn_ros.estimation.steps import Steps
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.multibody import Attached, Body, Multibody
from urdf2dyn_ros.robot.parameters import Parameter, check_all
from urdf2dyn_ros.robot.spatial import (
    LARGEST_MAGNITUDE,
    Array,
    Scalar,
    Vector,
    add,
    apply,
    cross,
    product,
    subtract,
    transpose,
)
from urdf2dyn_ros.text import SECOND_NS, is_stamp, quote, suggestion

# ---- The link frame of a message, and its placement in the frame of the link it acts on

WORLD_FRAME = 'world'
"""Name of the root's frame if no link is called so."""

MOST_SEARCHED = 200
"""Most links among which a similar name is searched for."""


class Chain:
    """
    Placement of one link in the frame of another, via the last body that carries both.

    Lumped links are links as well; a name that is no link raises a KeyError.
    """

    def __init__(self, system: Multibody, link: str, frame: str) -> None:
        (number, self._here), (other, self._there) = system.links[link], system.links[frame]
        inwards, outwards = chain(system, number), chain(system, other)
        shared = sum(i == j for i, j in zip(inwards, outwards))
        self._inwards = [system.bodies[i] for i in inwards[shared:]]
        self._outwards = [system.bodies[i] for i in outwards[shared:]]
        self._constant = None if self._inwards or self._outwards else self._placed(())

    def __call__(self, q: Sequence[Scalar]) -> Placement:
        """Return the placement at positions (n,) of the independent joints [rad or m]."""
        return self._constant or self._placed(q)

    def _placed(self, q: Sequence[Scalar]) -> Placement:
        link = _link_placement(self._inwards, self._here, q)
        frame = _link_placement(self._outwards, self._there, q)
        link_R = transpose(link.R)
        return Placement(product(link_R, frame.R), apply(link_R, subtract(frame.p, link.p)))


def _link_placement(bodies: Sequence[Body], link: Attached, q: Sequence[Scalar]) -> Placement:
    """Return where a link is in the frame of the body before the first."""
    placement = Placement(REFERENCE.R, REFERENCE.p)
    for body in bodies:
        placement = next_placement(placement, body, body.at(q))
    return placement.link(link)


class WrenchFrames:
    """The frames of the links of a robot, and that of the world if the base does not move."""

    def __init__(self, system: Multibody, moving: bool) -> None:
        self._system = system
        self._links, root = {link: link for link in system.links}, system.root[0].link.name
        if not moving:
            self._links.setdefault(WORLD_FRAME, root)
        for link in system.world if moving else ():
            del self._links[link]   # the robot floats in the world
        self._chains: dict[tuple[str, str], Chain] = {}

    def __contains__(self, frame_id: str) -> bool:
        return frame_id in self._links

    def chain(self, link: str, frame_id: str) -> Chain:
        """Return the placement of a known frame in that of a link."""
        key = link, self._links[frame_id]
        if key not in self._chains:
            self._chains[key] = Chain(self._system, *key)
        return self._chains[key]

    def remedy(self, frame_id: str) -> str:
        """Return a sentence that suggests names for an unknown frame."""
        return suggestion(frame_id, self._links, len(self._links) <= MOST_SEARCHED)


# ---- The wrenches on one link, and which of them acts at a stamp

MAX_MESSAGES = 2048
"""Messages that are kept: more than the longest lag of an estimator in samples."""


class WrenchMessage(NamedTuple):
    """
    A wrench with its stamp [ns], and the placement of its frame in that of the link.

    Force [N], and torque [N m] about the frame's origin, are along the frame's axes.
    """

    stamp: int
    chain: Chain
    force: Vector
    torque: Vector


class HeldWrench:
    """
    Holds each wrench until the stamp of the next one (zero-order hold), up to a timeout.

    Stamps must increase. A clock jump back is accepted when a second message in a row confirms it;
    then everything before is forgotten, and counted as ``jump_back`` in `events`. Wrenches older
    than the timeout [ns] no longer act.
    """

    def __init__(self, timeout: int, events: Counter[str]) -> None:
        self._timeout = timeout
        self._events = events
        self._steps = Steps()
        self._messages: deque[WrenchMessage] = deque(maxlen=MAX_MESSAGES)
        self._newest = self._arrived = 0
        self._jump = 0   # stamp of the message before, if that was a jump back

    def add(self, message: WrenchMessage, now: int) -> str:
        """Add a message received at a time of a monotonic clock [ns]; return its outcome."""
        before, self._jump = self._jump, 0
        step = self._steps.add(self._newest, message.stamp)
        if step in ('duplicate_stamp', 'out_of_order'):
            return step
        if step == 'jump_back':
            if not 0 < before < message.stamp:
                self._jump = message.stamp
                return 'out_of_order'
            self._events['jump_back'] += 1
            self._messages.clear()
        self._newest, self._arrived = message.stamp, now
        self._messages.append(message)
        return 'taken'

    def at(self, stamp: int, now: int) -> WrenchMessage | str:
        """
        Return the wrench that acts, or the key of the reason why there is none.

        The stamp [ns] is no older than in the call before, because older wrenches are dropped;
        `now` [ns] is by the clock of `add`.
        """
        messages = self._messages
        if not messages:
            return 'missing'
        if now - self._arrived > self._timeout:
            return 'silent'
        while len(messages) > 1 and messages[1].stamp <= stamp:
            messages.popleft()
        age = stamp - messages[0].stamp
        if age < 0:
            return 'ahead'
        return 'stale' if age > self._timeout else messages[0]


# ---- Wrenches on several links, from messages to arguments of the equations

LONG_ABSENCE_NS = SECOND_NS
"""Time after which a wrench that is missing is logged [ns]."""


class ExternalWrenches:
    """
    The wrenches that the environment exerts on some links, from messages.

    The frame_id of a message is a link: the torque is about its origin, and its axes are those of
    force and torque. Messages with a fault are dropped. If a wrench is missing or stale, there is
    no output, or it is zero, as the parameter `policy` says. Not thread-safe.

    The wrenches are in the order of `links` (k,), which may be lumped. `clock` returns the time of
    a monotonic clock [ns]; if the base is `moving`, the frame of the world is unknown; the
    parameters are rows of ``PARAMETERS`` by name. The `counters`, by the keys of
    ``WRENCH_OUTCOMES``, ``WRENCH_EVENTS`` and ``WRENCH_ABSENCES``, only increase. A ParameterError
    for an unknown or repeated link, an unknown parameter, or a value that breaks its rule.
    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        Parameter('timeout', 0.1, 'Time after its stamp, and after its receipt, for which a '
                  'wrench acts. Increase it in a simulation that is slower than real time.',
                  unit='s', minimum=0.001, maximum=3600.0),
        Parameter('policy', 'stop', 'If a wrench is missing or stale: stop (no efforts) or zero '
                  '(no wrench on that link).', choices=('stop', 'zero')),
        Parameter('sign', 'on', 'Whether wrenches act on the link, or by the link on its '
                  'environment.', choices=('on', 'by')),
    )

    def __init__(self, system: Multibody, links: Sequence[str], *, clock: Callable[[], int],
                 moving: bool = False, counters: Counter[str] | None = None,
                 **parameters: Any) -> None:
        values = check_all(self.PARAMETERS, parameters)
        Loads(external=links).check(system)
        self.links = tuple(links)
        self.counters: Counter[str] = Counter() if counters is None else counters
        timeout = round(values['timeout'] * 1e9)
        self._held = {link: HeldWrench(timeout, self.counters) for link in self.links}
        self._frames = WrenchFrames(system, moving)
        self._clock = clock
        self._stops = values['policy'] == 'stop'
        self._sign = 1.0 if values['sign'] == 'on' else -1.0
        self._absent: dict[str, tuple[str, int]] = {}   # reason, and since when
        self._logged: set[tuple[str, str]] = set()
        self._lines: list[str] = []

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
        Add the fields of a message for one of `links`.

        The stamp is in [ns], 0 for none. `frame_id` is any link of the robot; 'world' is the
        root's frame if no link has that name. Force [N] and torque [N m], about the frame's
        origin, are along its axes.
        """
        outcome = _fault(stamp, frame_id, force, torque)
        if not outcome and frame_id not in self._frames:
            outcome = 'unknown_frame'
        if not outcome:
            message = WrenchMessage(stamp, self._frames.chain(link, frame_id), _vector(force),
                                    _vector(torque))
            outcome = self._held[link].add(message, self._clock())
        self.counters['received'] += 1
        self.counters[outcome] += 1
        if outcome != 'taken':
            self._log_once(link, outcome, lambda: (
                f'a wrench on {quote(link)} is dropped, {WRENCH_OUTCOMES[outcome]}: frame_id '
                f'{quote(frame_id)}, stamp {stamp * 1e-9:.3f} s'
                + ('' if frame_id in self._frames else f'; {self._frames.remedy(frame_id)}')))

    def wrenches_at(self, stamp: int, q: Array) -> Array | str:
        """
        Return the wrenches that act at a stamp, or the key of the reason why one is missing.

        They are force and torque [N, N m] on every link, (6 k,), by the environment, about the
        origin of the link's frame and along its axes; the key is one of ``WRENCH_ABSENCES``. The
        stamp [ns] is that of the estimate of q (n,) [rad or m].
        """
        now, positions = self._clock(), q.tolist()
        wrenches, absent = np.zeros(6 * len(self.links)), {}
        for number, (link, held) in enumerate(self._held.items()):
            message = held.at(stamp, now)
            entries = message if isinstance(message, str) else self._in_link(message, positions)
            if isinstance(entries, str):
                absent[link] = entries, self._absent.get(link, ('', now))[1]
            else:
                wrenches[6 * number:6 * number + 6] = entries
        self._absent = absent
        for link, (reason, since) in absent.items():
            self.counters[reason] += 1
            if now - since >= LONG_ABSENCE_NS:
                what = 'no efforts' if self._stops else 'it counts as zero'
                self._log_once(link, reason, lambda: (
                    f'no wrench on {quote(link)}, {what}: {WRENCH_ABSENCES[reason]}'))  # noqa: B023
        return next(iter(absent.values()))[0] if absent and self._stops else wrenches

    def _in_link(self, message: WrenchMessage, q: Sequence[float]) -> tuple[float, ...] | str:
        """Return f, n of the wrench in the link's frame: f = R f', n = R n' + p x f."""
        R, p = message.chain(q)
        f = apply(R, message.force)
        n = add(apply(R, message.torque), cross(p, f))
        entries = tuple(self._sign * entry for entry in (*f, *n))
        return entries if all(map(isfinite, entries)) else 'too_large'

    def _log_once(self, link: str, kind: str, line: Callable[[], str]) -> None:
        if (link, kind) not in self._logged:
            self._logged.add((link, kind))
            self._lines.append(line())


def _fault(stamp: int, frame_id: str, force: Sequence[float], torque: Sequence[float]) -> str:
    """Return the outcome of a message that is faulty in itself; empty if it is not."""
    if not frame_id:
        return 'no_frame'
    if not is_stamp(stamp):
        return 'no_stamp'
    numbers = all(len(vector) == 3 and all(abs(entry) <= LARGEST_MAGNITUDE for entry in vector)
                  for vector in (force, torque))
    return '' if numbers else 'not_finite'


def _vector(entries: Sequence[float]) -> Vector:
    x, y, z = entries
    return float(x), float(y), float(z)
