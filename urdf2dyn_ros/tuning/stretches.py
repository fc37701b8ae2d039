"""The part of a recording that is tuned on: its longest stretch of rising stamps, in pieces."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from urdf2dyn_ros.joint_states.samples import Sample

PIECE = 1000
PIECES = 20
"""Samples in a piece, and pieces that are kept: enough for any figure here."""


class Stretch:
    """
    Keeps pieces from all over a stream of unknown length, in bounded memory.

    Attributes
    ----------
    count : int
        Samples, whether kept or not.
    stamps : array of int
        Of the messages in the order of the file, for the caller to add [ns].

    """

    def __init__(self) -> None:
        self.count = 0
        self.stamps: array[int] = array('q')
        self._kept: list[tuple[int, list[Sample]]] = []
        self._step = 1

    def add(self, sample: Sample) -> None:
        """Take the next sample."""
        number, place = divmod(self.count, PIECE)
        self.count += 1
        if number % self._step:
            return
        if place == 0:
            if len(self._kept) == PIECES:
                self._step *= 2
                self._kept = [piece for piece in self._kept if piece[0] % self._step == 0]
                if number % self._step:
                    return
            self._kept.append((number, []))
        self._kept[-1][1].append(sample)

    def result(self) -> tuple[list[Sample], list[bool]]:
        """Return the samples, and which of them do not follow the one before."""
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
    Where the stamps went back by a jump: a bag that was looped, a simulator that was reset.

    Attributes
    ----------
    record : int
        The first one after it, counted from 1.
    before, after : int
        Stamps [ns].

    """

    record: int
    before: int
    after: int

    def __str__(self) -> str:
        return (f'at record {self.record}, from {self.before * 1e-9:.3f} to '
                f'{self.after * 1e-9:.3f} s')


class Stretches:
    """
    Keeps the longest stretch between two jumps back; of equally long ones the last.

    Attributes
    ----------
    now : Stretch
        The one that is added to.
    set_back : list of SetBack
        The first of them, or none.

    """

    def __init__(self) -> None:
        self.now = self._longest = Stretch()
        self.set_back: list[SetBack] = []
        self._times = self._ended = 0

    @property
    def longest(self) -> Stretch:
        """The longest so far."""
        return max(self.now, self._longest, key=lambda stretch: stretch.count)

    def cut(self, where: SetBack) -> None:
        """Begin another."""
        self._longest = self.longest
        self._ended += self.now.count
        self._times += 1
        self.set_back = self.set_back or [where]
        self.now = Stretch()

    def __str__(self) -> str:
        """Return where the time jumps back and what is dropped for that; empty if it does not."""
        if not self.set_back:
            return ''
        stretch = self.longest
        times = 'once,' if self._times == 1 else f'{self._times} times, first'
        text = f'the time was set back {times} {self.set_back[0]}; '
        if stretch.stamps:
            text += (f'the longest stretch of rising stamps has {stretch.count} samples, from '
                     f'{min(stretch.stamps) * 1e-9:.3f} to {max(stretch.stamps) * 1e-9:.3f} s, '
                     f'and {self._ended + self.now.count - stretch.count} are dropped')
        return f'{text}: record without loops, resets and second clocks, or cut it there'
