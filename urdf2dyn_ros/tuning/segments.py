"""The part of a recording for tuning: its longest segment of rising stamps, in pieces."""

from array import array
from dataclasses import dataclass

from urdf2dyn_ros.joint_states.samples import Sample

PIECE_SAMPLES = 1000
MOST_PIECES = 20
"""Samples in a piece, and pieces that are kept: enough for all figures."""


class Segment:
    """
    Keeps pieces from all of a stream of unknown length, in bounded memory.

    `count` includes the samples not kept; the caller adds the stamps of messages in the order of
    the file [ns].
    """

    def __init__(self) -> None:
        self.count = 0
        self.stamps: array[int] = array('q')
        self._kept: list[tuple[int, list[Sample]]] = []
        self._step = 1

    def add(self, sample: Sample) -> None:
        number, place = divmod(self.count, PIECE_SAMPLES)
        self.count += 1
        if number % self._step:
            return
        if place == 0:
            if len(self._kept) == MOST_PIECES:
                self._step *= 2
                self._kept = [piece for piece in self._kept if piece[0] % self._step == 0]
                if number % self._step:
                    return
            self._kept.append((number, []))
        self._kept[-1][1].append(sample)

    def result(self) -> tuple[list[Sample], list[bool]]:
        """Return the samples, and which of them do not continue the one before."""
        samples, starts = [], []
        last = -1
        for number, piece in self._kept:
            samples += piece
            starts += [sample.restart for sample in piece]
            starts[-len(piece)] |= number != last + 1
            last = number
        return samples, starts


@dataclass(frozen=True)
class SetBack:
    """
    A clock jump back, as of a looped bag or a simulator that was reset.

    `record` is the number of the first record after it, from 1; `before` and `after` are stamps
    [ns].
    """

    record: int
    before: int
    after: int

    def __str__(self) -> str:
        return (f'at record {self.record}, from {self.before * 1e-9:.3f} to '
                f'{self.after * 1e-9:.3f} s')


class Segments:
    """
    Keeps the longest segment between clock jumps; of equally long ones the last.

    `now` is the segment that is being read; `set_back` has the first clock jump, or none.
    """

    def __init__(self) -> None:
        self.now = self._longest = Segment()
        self.set_back: list[SetBack] = []
        self._times = self._ended = 0

    @property
    def longest(self) -> Segment:
        """The longest segment so far."""
        return max(self.now, self._longest, key=lambda segment: segment.count)

    def cut(self, where: SetBack) -> None:
        """Begin another segment."""
        self._longest = self.longest
        self._ended += self.now.count
        self._times += 1
        self.set_back = self.set_back or [where]
        self.now = Segment()

    def __str__(self) -> str:
        """Return a sentence about clock jumps and excluded samples, or an empty text."""
        if not self.set_back:
            return ''
        segment = self.longest
        times = 'once,' if self._times == 1 else f'{self._times} times, first'
        text = f'the time was set back {times} {self.set_back[0]}; '
        if segment.stamps:
            text += (f'the longest segment of rising stamps has {segment.count} samples, from '
                     f'{min(segment.stamps) * 1e-9:.3f} to {max(segment.stamps) * 1e-9:.3f} s, '
                     f'and {self._ended + self.now.count - segment.count} are excluded')
        return f'{text}: record without loops, resets and second clocks, or cut it there'
