"""Rates, latencies and the age of the newest message of a node, reported once a second."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan

from urdf2dyn_ros.stamps import SECOND_NS
from urdf2dyn_ros.stream.output import Output

REPORT_PERIOD = 1.0
"""Time between two reports [s]."""

CHECK_PERIOD = 0.25
"""Time between two checks whether a report is due [s]."""

SHORTEST_SILENCE, LONGEST_SILENCE = 0.5, 5.0
"""Limits of the time after which a stream is stale [s]."""

SILENT_PERIODS = 3
"""Periods after which a stream is stale, within these limits."""

MEDIAN_STEPS = 5
"""Steps between messages whose median is the period."""

MAX_LATENCIES = 10_000


@dataclass(frozen=True)
class MonitorReport:
    """
    Figures since the report before; messages and failures of callbacks since the start.

    Rates are in [1/s]; the silence [s], None before the first message, may be longer than the
    period of the stream allows. Latencies are from receipt to publishing [us]: median, 99th
    percentile, largest; NaN if there was none. `failure` is the traceback of a new failure.
    """

    received: float
    published: float
    messages: int
    silence: float | None
    silent: bool
    latency: tuple[float, float, float]
    newest: Output | None
    failures: int
    failure: str


class Monitor:
    """
    Counts messages and outputs, with two calls for each; sorts latencies for a report alone.

    The clock is monotonic and returns [ns]: the node's own clock may be simulated and stop.
    """

    def __init__(self, clock: Callable[[], int] = time.monotonic_ns) -> None:
        self._clock = clock
        self.messages = 0
        self._last: int | None = None
        self._steps: deque[int] = deque(maxlen=MEDIAN_STEPS)
        self._latencies: deque[int] = deque(maxlen=MAX_LATENCIES)
        self._published = 0
        self._newest: Output | None = None
        self._failures = 0
        self._failure = ''
        self._reported = clock()
        self._messages_reported = 0
        self._silent_reported = True

    def received(self) -> int:
        """Count a message; return the time [ns] for `published`."""
        now = self._clock()
        if self._last is not None:
            self._steps.append(now - self._last)
        self._last = now
        self.messages += 1
        return now

    def published(self, began: int, output: Output) -> None:
        """Count the output of a message that was received at `began` [ns]."""
        self._published += 1
        self._newest = output
        self._latencies.append(self._clock() - began)

    def failed(self, text: str) -> None:
        """Count a callback that failed, with its traceback."""
        self._failures += 1
        self._failure = text

    @property
    def silent(self) -> bool:
        """Whether the last message is longer ago than the period of the stream allows."""
        if self._last is None:
            return True
        limit = SHORTEST_SILENCE
        if len(self._steps) == MEDIAN_STEPS:
            # the median, so that one pause has no effect
            usual = sorted(self._steps)[MEDIAN_STEPS // 2] / SECOND_NS
            limit = min(max(limit, SILENT_PERIODS * usual), LONGEST_SILENCE)
        return (self._clock() - self._last) / SECOND_NS > limit

    @property
    def due(self) -> bool:
        """Whether to report: every second, and at once when the input stops or returns."""
        # half a check early, so that jitter of the timer does not lengthen the second
        elapsed = (self._clock() - self._reported) / SECOND_NS
        return elapsed >= REPORT_PERIOD - CHECK_PERIOD / 2 or self.silent != self._silent_reported

    def report(self) -> MonitorReport:
        """Return the figures since the report before, and start new ones."""
        now = self._clock()
        elapsed = max(now - self._reported, 1) / SECOND_NS
        figures = MonitorReport(
            received=(self.messages - self._messages_reported) / elapsed,
            published=self._published / elapsed, messages=self.messages,
            silence=None if self._last is None else (now - self._last) / SECOND_NS,
            silent=self.silent, latency=_summary(self._latencies), newest=self._newest,
            failures=self._failures, failure=self._failure)
        self._latencies.clear()
        self._published, self._newest, self._failure = 0, None, ''
        self._reported, self._messages_reported = now, self.messages
        self._silent_reported = figures.silent
        return figures


def _summary(latencies: Sequence[int]) -> tuple[float, float, float]:
    """Return median, 99th percentile (nearest rank) and the largest of times [ns], in [us]."""
    if not latencies:
        return nan, nan, nan
    ordered = sorted(latencies)
    count = len(ordered)
    median, high, most = (ordered[-(-share * count // 100) - 1] / 1000.0
                          for share in (50, 99, 100))
    return median, high, most
