"""Limbs with the same joints, as the two legs of a humanoid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from urdf2dyn_ros.multibody import ROOT, Multibody

_Shape: TypeAlias = 'tuple[str, tuple[_Shape, ...]]'


def equal_limbs(system: Multibody) -> dict[int, int]:
    """
    Return the coordinates of limbs, to those of the limbs that are equal to them, there and back.

    Two limbs on the same body are equal if their joints have the same types, whatever the lengths
    and the inertias are. A coordinate that moves bodies of both is not in the result.
    """
    coordinates: dict[int, int] = {}
    ambiguous = set()
    for pair in _pairs(system):
        a, b = (system.bodies[i].coordinate for i in pair)
        for one, other in ((a, b), (b, a)):
            if a == b or coordinates.setdefault(one, other) != other:
                ambiguous |= {a, b, coordinates.get(one, one)}
    return {one: other for one, other in coordinates.items()
            if not ambiguous & {one, other}}


def _pairs(system: Multibody) -> Iterator[tuple[int, int]]:
    """Yield the bodies of equal limbs, two by two."""
    children: dict[int, list[int]] = {}
    for i, body in enumerate(system.bodies):
        children.setdefault(body.parent, []).append(i)
    shapes: dict[int, _Shape] = {}
    for i in reversed(range(len(system.bodies))):
        shapes[i] = (system.bodies[i].type, tuple(shapes[k] for k in children.get(i, ())))
    waiting = [ROOT]
    while waiting:
        single: dict[_Shape, int] = {}
        for i in children.get(waiting.pop(), ()):
            other = single.pop(shapes[i], None)
            if other is None:
                single[shapes[i]] = i
            else:
                yield from _alike(children, other, i)
        waiting += single.values()


def _alike(children: dict[int, list[int]], a: int, b: int) -> Iterator[tuple[int, int]]:
    """Yield the bodies of two limbs of the same shape."""
    waiting = [(a, b)]
    while waiting:
        a, b = waiting.pop()
        yield a, b
        waiting += zip(children.get(a, ()), children.get(b, ()))
