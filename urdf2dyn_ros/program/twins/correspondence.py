"""Nodes of a graph that two equal limbs have each: the same operation on other operands."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from urdf2dyn_ros.algebra.expression import Expression, Node
from urdf2dyn_ros.program.twins.signs import Signs

_SUMS = ('add', 'sub')
_OPERATIONS = (*_SUMS, 'mul', 'reciprocal')
_LOOKAHEAD = 4


class Operand(NamedTuple):
    """Operand of a twin: the nodes of the two limbs, the second with a sign as in `Signs`."""

    first: Node
    second: Node
    sign: int


class Correspondence:
    """
    Which node of a second limb corresponds to one of a first limb.

    The mirror image of a limb has other signs, so the second number of a twin may be the opposite
    of its node: a constant takes any sign, a sum needs those of its operands. The nodes that are
    `needed` are in the order of their serials, `results` pairs of entries that correspond,
    `single` the nodes that are not computed in twins.

    `other` has nodes of first limbs to those of second limbs, `operands` the same to the operands
    of their twins.
    """

    def __init__(self, needed: Sequence[Node], results: Iterable[tuple[Expression, Expression]],
                 single: Collection[Node]) -> None:
        self.other: dict[Node, Node] = {}
        self.operands: dict[Node, tuple[Operand, ...]] = {}
        self._signs, self._sign = Signs(), dict[Node, int]()
        pairs = list(results)
        arguments = self._matched([(a.node, b.node) for a, b in pairs], set(single))
        for node in needed:
            if node in self.other:
                self._solve(node, arguments[node])
        for a, b in pairs:   # so that fewer results are opposites
            if self.other.get(a.node) is b.node:
                self._signs.equate(self._sign[a.node], a.negative != b.negative)

    def negative(self, node: Node) -> bool:
        """Return whether the second number of a twin is the opposite of the second limb's node."""
        return self._signs.negative(self._sign[node])

    def is_negative(self, operand: Operand) -> bool:
        """Return whether the second number of an operand is an opposite."""
        return self._signs.negative(operand.sign)

    def _matched(self, waiting: list[tuple[Node, Node]], taken: set[Node],
                 ) -> dict[Node, tuple[tuple[Node, Node], ...]]:
        """Find what corresponds, from the results on, and return the operands of each."""
        arguments: dict[Node, tuple[tuple[Node, Node], ...]] = {}
        waiting.reverse()
        while waiting:
            a, b = waiting.pop()
            if (a is b or a.op not in _OPERATIONS or a in taken or b in taken
                    or not _alike(a, b)):
                continue
            crossed = len(b.args) == 2 and not _operands_alike(a, b.args)
            arguments[a] = tuple(zip(a.args, b.args[::-1] if crossed else b.args))
            self.other[a] = b
            taken |= {a, b}
            waiting += arguments[a][::-1]
        return arguments

    def _solve(self, a: Node, arguments: Sequence[tuple[Node, Node]]) -> None:
        """Choose the signs of a twin's operands; without a solution, it is none."""
        b, known = self.other[a], self._sign
        signs = [known[x] if self.other.get(x) is y and x in known else self._signs.unknown()
                 for x, y in arguments]
        sign = signs[0]
        if a.op == 'mul':
            sign ^= signs[1]
        elif a.op in _SUMS:
            crossed = arguments[0][1] is not b.args[0]
            minus_a, minus_b = a.op == 'sub', b.op == 'sub'
            sign ^= minus_b and crossed
            if not self._signs.equate(sign ^ (minus_b and not crossed) ^ minus_a, signs[1]):
                del self.other[a]
                return
        self._sign[a] = sign
        self.operands[a] = tuple(Operand(x, y, s) for (x, y), s in zip(arguments, signs))


def _alike(a: Node, b: Node, depth: int = 0) -> bool:
    """Return whether two nodes are the same operation, and their operands, down to some depth."""
    if a is b:
        return True
    if a.op != b.op and not (a.op in _SUMS and b.op in _SUMS):
        return False
    return a.op not in _OPERATIONS or depth == _LOOKAHEAD or any(
        _operands_alike(a, operands, depth + 1) for operands in (b.args, b.args[::-1]))


def _operands_alike(a: Node, operands: Sequence[Node], depth: int = 0) -> bool:
    return all(_alike(x, y, depth) for x, y in zip(a.args, operands))
