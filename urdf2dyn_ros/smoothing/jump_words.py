"""Jumps of positions in words: which joint, when, by how much, and what to do."""

from collections.abc import Iterable, Sequence
from math import pi

from urdf2dyn_ros.smoothing.jumps import PositionJump
from urdf2dyn_ros.stamps import SECOND_NS

_MOST_SENTENCES = 3

_TURN_ERROR = 0.05
"""Difference from whole turns that is the error of a jump [rad]."""

_EXCHANGE_ERROR = 0.1
"""The same of the positions of two joints that are interchanged, relative to the jump."""


def is_of_turns(jump: PositionJump, unit: str) -> bool:
    """Return whether a jump is one of whole turns, after which a joint is where it was."""
    turns = round(jump.size / (2.0 * pi))
    return unit == 'rad' and turns != 0 and abs(jump.size - 2.0 * pi * turns) < _TURN_ERROR


def jump_sentences(jumps: Iterable[PositionJump], names: Sequence[str], units: Sequence[str],
                   start: int) -> list[str]:
    """Return a sentence for each of the first jumps; `start` is the stamp of the first sample."""
    sentences, rest = list[str](), sorted(jumps)
    while rest:
        jump = rest.pop(0)
        when = f'{(jump.stamp - start) / SECOND_NS:.3f} s after the first sample'
        other = next((each for each in rest if _are_interchanged(jump, each)), None)
        joint = names[jump.joint]
        if other is not None:
            rest.remove(other)
            sentences.append(
                f'{joint} and {names[other.joint]} are interchanged from {when} on, or before: '
                'there the position of each jumps to that of the other; change their names on '
                'one side, or cut the recording there and use the side with the right ones')
            continue
        head = (f'the position of {joint} jumps by {jump.size:.3g} {units[jump.joint]} from one '
                f'sample to the next, {when}, which no motion explains: ')
        sentences.append(head + (
            'from there on the driver counts turns in another way, which changes no effort but '
            'that of springs' if is_of_turns(jump, units[jump.joint]) else
            'its sensor was set to another zero, or the values are those of another joint; cut '
            'the recording there, and use the side on which the zero is that of the URDF'))
    more = len(sentences) - _MOST_SENTENCES
    return [*sentences[:_MOST_SENTENCES],
            *([f'there are {more} more jumps of positions'] if more > 0 else [])]


def _are_interchanged(jump: PositionJump, other: PositionJump) -> bool:
    error = _EXCHANGE_ERROR * abs(jump.size)
    return (jump.stamp == other.stamp and abs(jump.after - other.before) < error
            and abs(other.after - jump.before) < error)
