"""Wrenches of several links, whatever comes, as numbers for the equations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any, ClassVar

import numpy as np

from urdf2dyn_ros.algebra.arrays import Array
from urdf2dyn_ros.algebra.vectors import Vector, add, apply, cross
from urdf2dyn_ros.external_wrenches.held_wrench import HeldWrench, Message
from urdf2dyn_ros.external_wrenches.news import News
from urdf2dyn_ros.external_wrenches.outcomes import OUTCOMES, REASONS, fault
from urdf2dyn_ros.external_wrenches.wrench_frames import WrenchFrames
from urdf2dyn_ros.loads import Loads
from urdf2dyn_ros.multibody import Multibody
from urdf2dyn_ros.parameters import Parameter, check_all
from urdf2dyn_ros.quoting import quote

LONG = 1_000_000_000
"""A wrench that is missing for so long [ns] is worth a line in the log."""


class ExternalWrenches:
    """
    The wrenches that the environment exerts on some links, from messages.

    A message says in which link's frame it is: that frame gives the axes, and the point the
    torque is about, its origin. What is wrong with a message leaves it out; a wrench that is
    missing or too old leaves out the output, or counts as zero if the user says so. For one
    thread.

    Parameters
    ----------
    system : Multibody
    links : sequence of str, (k,)
        That the wrenches act on, in the order of the output; fused ones are links as well.
    clock : callable
        Returns a time [ns] that nobody sets.
    moving : bool
        Whether the base moves: the frame of the world is unknown then.
    **parameters
        Values by name; the rows of ``PARAMETERS`` say which.

    Attributes
    ----------
    links : tuple of str, (k,)
    counters : Counter
        By the names in ``OUTCOMES``, ``EVENTS`` and ``REASONS``; they only ever grow.

    Raises
    ------
    ParameterError
        For a link that the robot does not have, or twice; for an unknown parameter or a value
        that breaks its rule.

    """

    PARAMETERS: ClassVar[tuple[Parameter, ...]] = (
        Parameter('timeout', 0.1, 'A wrench counts so long after its stamp, and so long after it '
                  'arrived. More in a simulation that is slower than real time.', unit='s',
                  minimum=0.001, maximum=3600.0),
        Parameter('policy', 'stop', 'Without a wrench that counts: stop (no efforts) or zero (as '
                  'if nothing acted on that link).', choices=('stop', 'zero')),
        Parameter('sign', 'on', 'The wrenches are those that act on the link, or by the link on '
                  'its environment.', choices=('on', 'by')),
    )

    def __init__(self, system: Multibody, links: Sequence[str], *, clock: Callable[[], int],
                 moving: bool = False, **parameters: Any) -> None:
        values = check_all(self.PARAMETERS, parameters)
        Loads(external=links).check(system)
        self.links = tuple(links)
        self.counters: Counter[str] = Counter()
        timeout = round(values['timeout'] * 1e9)
        self._held = {link: HeldWrench(timeout, self.counters) for link in self.links}
        self._frames = WrenchFrames(system, moving)
        self._clock = clock
        self._stops = values['policy'] == 'stop'
        self._sign = 1.0 if values['sign'] == 'on' else -1.0
        self._absent: dict[str, tuple[str, int]] = {}   # why, and since when
        self._news = News()

    @property
    def doubts(self) -> tuple[str, ...]:
        """Which wrenches did not count at the last instant that was asked for, and why."""
        return tuple(f'wrench on {quote(link)}: {REASONS[reason]}'
                     for link, (reason, _) in self._absent.items())

    def news(self) -> list[str]:
        """Return what to log since the last call: every kind of fault once for each link."""
        return self._news.take()

    def receive(self, link: str, stamp: int, frame_id: str, force: Sequence[float],
                torque: Sequence[float]) -> None:
        """
        Take the fields of a message.

        Parameters
        ----------
        link : str
            One of `links`.
        stamp : int
            [ns]; 0 for none.
        frame_id : str
            Any link of the robot; 'world' is the root's frame if no link is called so.
        force, torque : sequence of float, (3,)
            [N], and [N m] about the frame's origin, along the frame's axes.

        """
        outcome = fault(stamp, frame_id, force, torque)
        if not outcome and frame_id not in self._frames:
            outcome = 'unknown_frame'
        if not outcome:
            message = Message(stamp, self._frames.chain(link, frame_id), _vector(force),
                              _vector(torque))
            outcome = self._held[link].take(message, self._clock())
        self.counters['received'] += 1
        self.counters[outcome] += 1
        if outcome != 'taken':
            self._news.tell(link, outcome, lambda: (
                f'a wrench on {quote(link)} is ignored, {OUTCOMES[outcome]}: frame_id '
                f'{quote(frame_id)}, stamp {stamp * 1e-9:.3f} s'
                + ('' if frame_id in self._frames else f'; {self._frames.remedy(frame_id)}')))

    def wrenches_at(self, stamp: int, q: Array) -> Array | str:
        """
        Return the wrenches that count at an instant, or in one word why there are none.

        Parameters
        ----------
        stamp : int
            Of the estimate of q [ns].
        q : ndarray, (n,)
            Positions of the independent joints [rad or m].

        Returns
        -------
        ndarray, (6 k,)
            For every link force then torque [N, N m], acting on the link by the environment,
            about the origin of the link's frame and along its axes.
        str
            A key of ``REASONS``.

        """
        now, positions = self._clock(), q.tolist()
        found, absent = np.zeros(6 * len(self.links)), {}
        for number, (link, held) in enumerate(self._held.items()):
            message = held.at(stamp, now)
            entries = message if isinstance(message, str) else self._moved(message, positions)
            if isinstance(entries, str):
                absent[link] = entries, self._absent.get(link, ('', now))[1]
            else:
                found[6 * number:6 * number + 6] = entries
        self._absent = absent
        for link, (reason, since) in absent.items():
            self.counters[reason] += 1
            if now - since >= LONG:
                self._tell_absent(link, reason)
        return next(iter(absent.values()))[0] if absent and self._stops else found

    def _moved(self, message: Message, q: Sequence[float]) -> tuple[float, ...] | str:
        """Return f, n of the wrench in the link's frame: f = R f', n = R n' + p x f."""
        R, p = message.chain(q)
        f = apply(R, message.force)
        n = add(apply(R, message.torque), cross(p, f))
        entries = tuple(self._sign * entry for entry in (*f, *n))
        return entries if all(map(isfinite, entries)) else 'too_large'

    def _tell_absent(self, link: str, reason: str) -> None:
        what = 'no efforts' if self._stops else 'it counts as zero'
        self._news.tell(link, reason, lambda: (
            f'no wrench on {quote(link)}, {what}: {REASONS[reason]}'))


def _vector(entries: Sequence[float]) -> Vector:
    x, y, z = entries
    return float(x), float(y), float(z)
