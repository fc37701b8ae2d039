"""Steps between stamps: their median, and which of them are gaps or clock jumps."""

from __future__ import annotations

from collections import deque

MAX_GAP_NS = 100_000_000   # longest step that is no jump at any rate, where it is no parameter
STEPS_KEPT = 11   # whose median is the period
FEWEST_STEPS = 3   # from which on the period is known
JUMP_PERIODS = 5   # a longer step is a gap or a clock jump


class Steps:
    """The period of a stream; a step up to `max_gap` [ns] is no jump at any rate."""

    def __init__(self, max_gap: int = MAX_GAP_NS) -> None:
        self._max_gap = max_gap
        self._last: deque[int] = deque(maxlen=STEPS_KEPT)   # with gaps: a stream may become slow
        self.period = 0    # median of the last steps [ns]; 0 while there are too few
        self._step = 0     # the newest one, if it was forward [ns]
        self._older = 0    # stamp of the message before, if it was older for no reason

    def add(self, last: int, stamp: int) -> str:
        """
        Add the step from the last stamp [ns], 0 for none, to a new one.

        Return ``gap`` or ``jump_back``, or the outcome of a stamp that does not advance. A second
        message in a row confirms that the clock was set back a little; one that was overtaken is
        from within the step before.
        """
        step = stamp - last
        if last == 0:
            return ''
        jump = self.is_jump(step)
        if step <= 0:
            before, self._older = self._older, stamp if -step > self._step > 0 else 0
            if jump or (0 < before < stamp and self._older):
                self._last.clear()
                self.period = self._step = self._older = 0
                return 'jump_back'
            return 'out_of_order' if step else 'duplicate_stamp'
        self._step, self._older = step, 0
        self._last.append(step)
        if len(self._last) >= FEWEST_STEPS:
            self.period = sorted(self._last)[len(self._last) // 2]
        return 'gap' if jump else ''

    def is_jump(self, step: int) -> bool:
        """Return whether a step, forward or back [ns], is a gap or a clock jump."""
        return abs(step) > self._max_gap and abs(step) > JUMP_PERIODS * self.period

    def copy(self) -> Steps:
        """Return steps that continue these."""
        other = Steps(self._max_gap)
        other._last.extend(self._last)
        other.period, other._step = self.period, self._step
        return other
