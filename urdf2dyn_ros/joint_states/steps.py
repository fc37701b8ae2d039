"""Steps between stamps: their median, and which of them are gaps or clock jumps."""

from collections import deque

MAX_GAP_NS = 100_000_000
"""Longest step that is no jump at any rate [ns], where it is no parameter."""

STEPS_KEPT = 11
"""Steps whose median is the period."""

FEWEST_STEPS = 3
"""Steps from which on the period is known."""

JUMP_PERIODS = 5
"""A jump is longer than this number of periods."""

CROWDED_PART = 0.3
"""A step is crowded if it is shorter than this part of the mean."""

LATE_PART = 1.5
"""A step that is longer than this part of the period is one after which messages may be late."""

CATCHING_UP = 0.8
"""Steps that are shorter than this part of the period let messages catch up that were late."""

STILL_BEHIND = 0.5
"""Part of a period by which messages must still be late, unless their steps are crowded."""


class Steps:
    """The period of a stream; a step up to `max_gap` [ns] is no jump at any rate."""

    def __init__(self, max_gap: int = MAX_GAP_NS) -> None:
        self._max_gap = max_gap
        # gaps are included, so that a stream may become slow
        self._last: deque[int] = deque(maxlen=STEPS_KEPT)
        self._behind = 0            # by which messages may be late [ns]
        self._catches_up = False    # whether the newest message came together with a late one
        self._step = 0              # the last one, if it was forward [ns]
        self._older = 0             # stamp of the message before, if it was older for no reason

    def add(self, last: int, stamp: int) -> str:
        """
        Add the step from the last stamp [ns], 0 for none, to a new one.

        Return the outcome of a stamp that does not advance; empty if it does or is a jump back.
        """
        step = stamp - last
        if last == 0:
            return ''
        if step > 0:
            self._note(step)
        elif not self.is_jump(step) and not self._is_set_back(step, stamp):
            return 'out_of_order' if step else 'duplicate_stamp'
        return ''

    def _is_set_back(self, step: int, stamp: int) -> bool:
        """
        Return whether a second message in a row confirms that the clock was set back a little.

        A message that another one has overtaken is from within the step before.
        """
        before, self._older = self._older, stamp if -step > self._step > 0 else 0
        return 0 < before < stamp and self._older > 0

    def _note(self, step: int) -> None:
        """Keep a step, unless messages that waited come together after a long one."""
        period = self.period
        self._step, self._older = step, 0
        self._behind += step - period
        self._catches_up = self._behind > 0 and (
            step < CROWDED_PART * period
            or (step < CATCHING_UP * period and self._behind > STILL_BEHIND * period))
        if not self._catches_up:
            self._last.append(step)
            self._behind = self._behind if step > LATE_PART * period else 0

    def clear(self) -> None:
        """Forget all steps."""
        self._last.clear()
        self._behind, self._catches_up = 0, False
        self._step = self._older = 0

    @property
    def period(self) -> int:
        """Median of the last steps [ns]; 0 while there are too few."""
        if len(self._last) < FEWEST_STEPS:
            return 0
        return sorted(self._last)[len(self._last) // 2]

    def is_crowded(self, step: int) -> bool:
        """
        Return whether a step [ns], already added, is far shorter than the others.

        Such samples were sent twice or stamped on arrival, in a group. The longest step is not in
        the mean: a driver may stand still once.
        """
        if self._catches_up or len(self._last) <= FEWEST_STEPS:
            return self._catches_up
        longest = max(self._last)
        return step < CROWDED_PART * longest and (   # seldom so
            step * (len(self._last) - 1) < CROWDED_PART * (sum(self._last) - longest))

    def is_jump(self, step: int) -> bool:
        """Return whether a step, forward or back [ns], is a gap or a clock jump."""
        size = abs(step)
        return size > self._max_gap and size > JUMP_PERIODS * self.period
