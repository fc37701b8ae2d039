"""Where the outputs of an evaluation go: the comparison, the table and the bag."""

from collections import deque
from collections.abc import Sequence
from typing import Any

from urdf2dyn_ros.comparison.comparison import Comparison
from urdf2dyn_ros.evaluation.effort_bag import EffortBag
from urdf2dyn_ros.evaluation.effort_rows import EffortRows
from urdf2dyn_ros.stream.output import Outputs

_MEASURED_AHEAD_NS = 200_000_000
"""Time by which measured efforts are added before computed ones: more than any lag [ns]."""

_MOST_WAITING = 50_000


class EffortSinks:
    """
    Adds measured and computed efforts in the order of their stamps.

    `later` is how much larger stamps are than those of the recording, `bag_later` than those of
    the bag [ns]; `span` has the first and the last stamp of an output, in the order of the file.
    """

    def __init__(self, joints: Sequence[str], comparison: Comparison, rows: EffortRows,
                 bag: EffortBag | None) -> None:
        self._joints, self._comparison, self._rows, self._bag = joints, comparison, rows, bag
        self._measured: deque[tuple[int, Sequence[str], Any]] = deque()
        self.later = self.bag_later = 0
        self.span: tuple[int, int] | None = None

    def add_measured(self, stamp: int, names: Sequence[str], efforts: Sequence[float]) -> None:
        """Add measured efforts, which wait for the computed ones of their time."""
        self._measured.append((stamp, names, efforts))
        if len(self._measured) > _MOST_WAITING:
            self._comparison.add_measured(*self._measured.popleft())

    def add(self, outputs: Outputs) -> None:
        """Add computed efforts."""
        if not len(outputs.stamps):
            return
        measured, comparison = self._measured, self._comparison
        for stamp, *values in zip(outputs.stamps.tolist(), outputs.effort, outputs.q, outputs.qd):
            while measured and measured[0][0] <= stamp + _MEASURED_AHEAD_NS:
                comparison.add_measured(*measured.popleft())
            comparison.add_computed(stamp, self._joints, *values)
        stamps = (outputs.stamps - self.later).tolist()
        self._rows.write(stamps, outputs)
        if self._bag is not None:
            for stamp, *values in zip(stamps, outputs.q, outputs.qd, outputs.effort):
                self._bag.write(stamp + self.bag_later, *values)
        self.span = (self.span or (stamps[0], 0))[0], stamps[-1]

    def finish(self) -> None:
        """Add the measured efforts that wait."""
        while self._measured:
            self._comparison.add_measured(*self._measured.popleft())
