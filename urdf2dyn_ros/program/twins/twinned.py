"""A graph in which one node computes what a graph has for each of two equal limbs."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from urdf2dyn_ros.algebra.expression import (
    Expression,
    Graph,
    Node,
    Scalar,
    cos,
    exp,
    reciprocal,
    sin,
    tanh,
)
from urdf2dyn_ros.functions.function import Rows
from urdf2dyn_ros.functions.quantity import JOINTS, Quantity
from urdf2dyn_ros.program.scheduling import nodes_behind, nodes_of
from urdf2dyn_ros.program.twins.correspondence import Correspondence, Operand

LEAST_SAVED = 1 / 3
"""Share of the operations that twins must save: below, moving numbers between twins and single
ones takes as long. The inverse dynamics of humanoid_3p33r (0.30) would be 4 % slower, its
derivatives (0.36) are 1.7 times faster."""

FEWEST_OPERATIONS = 100
"""Below, the calls of sections take longer than twins save."""

_CALLS: dict[str, Callable[[Scalar], Scalar]] = {'sin': sin, 'cos': cos, 'tanh': tanh, 'abs': abs}


class Twinned:
    """
    The results of a graph, in twins where equal limbs have the same operations.

    The nodes are in the order of phases of one kind, single or twins: what a phase needs of the
    other kind is made in earlier ones. `limbs` has coordinates of limbs to those of the limbs that
    are equal to them, there and back.

    `results` are the rows in terms of the new `graph`, `saved` is the share of the operations that
    are not computed for themselves.
    """

    def __init__(self, graph: Graph, results: Mapping[str, Rows],
                 quantities: Mapping[str, Quantity], limbs: Mapping[int, int]) -> None:
        needed = nodes_behind(graph, nodes_of(
            entry for rows in results.values() for row in rows for entry in row))
        arguments = [node.args[0] for node in needed if node.op in (*_CALLS, 'exp')]
        pairs = [pair for name, rows in results.items()
                 for pair in _corresponding(rows, quantities[name], limbs)]
        self._like = Correspondence(needed, pairs, nodes_behind(graph, arguments))
        self._first = {b: a for a, b in self._like.other.items()}
        operations = sum(bool(node.args) for node in needed)
        self.saved = len(self._first) / operations if operations else 0.0
        self.graph = Graph()
        self._single: dict[Node, Scalar] = {}
        self._twins: dict[Node, Expression] = {}
        self.results: dict[str, Rows] = {}
        if self.saved >= LEAST_SAVED and operations >= FEWEST_OPERATIONS:
            self._build(needed)
            self.results = {name: [[self._signed(entry) for entry in row] for row in rows]
                            for name, rows in results.items()}

    def _build(self, needed: Sequence[Node]) -> None:
        """Make the nodes, phase by phase."""
        waiting = [node for node in needed if node not in self._first]
        while waiting:
            before = len(waiting)
            for twins in (False, True):
                made: set[Node] = set()
                for node in waiting:
                    if (node in self._like.other) == twins and self._is_ready(node, made):
                        (self._make_twin if twins else self._make_single)(node)
                        made.add(node)
                waiting = [node for node in waiting if node not in made]
            if len(waiting) == before:
                waiting = self._separated(waiting)

    def _separated(self, waiting: Sequence[Node]) -> list[Node]:
        """Compute the first waiting node singly: its operands depend on a number of its twin."""
        first = next(node for node in waiting if node in self._like.other)
        second = self._like.other.pop(first)
        del self._first[second]
        return sorted([*waiting, second], key=lambda node: node.serial)

    def _is_ready(self, node: Node, made: Collection[Node]) -> bool:
        """Return whether the operands of a node are made; twins give single numbers later."""
        if node not in self._like.other:
            return all(self._is_made(arg) for arg in node.args)
        return all(x in self._twins if self._like.other.get(x) is y else
                   all(self._is_made(z) and self._first.get(z, z) not in made for z in (x, y))
                   for x, y, _ in self._like.operands[node])

    def _is_made(self, node: Node) -> bool:
        return not node.args or node in self._single or self._first.get(node, node) in self._twins

    def _make_twin(self, node: Node) -> None:
        operands = [self._operand(operand) for operand in self._like.operands[node]]
        self._twins[node] = _OPERATIONS[node.op](*operands)

    def _make_single(self, node: Node) -> None:
        if node.args:
            operands = [self._number(arg) for arg in node.args]
            self._single[node] = (exp(-operands[0] if node.value else operands[0])
                                  if node.op == 'exp' else _OPERATIONS[node.op](*operands))

    def _operand(self, operand: Operand) -> Expression:
        """Return an operand of a twin, made of single numbers where there is none."""
        x, y, _ = operand
        if self._like.other.get(x) is y:
            return self._twins[x]
        first, second = self._number(x), self._number(y)
        a, b = (self._as_expression(number) for number in (first, second))
        minus = b.negative != self._like.is_negative(operand)
        twin = self.graph.node('twin', (a.node, b.node), (False, minus != a.negative))
        return Expression(twin, a.negative)

    def _number(self, node: Node) -> Scalar:
        """Return a node of the old graph as a single number."""
        if node in self._single:
            return self._single[node]
        first = self._first.get(node, node)
        if first in self._twins:
            twin = self._twins[first]
            second = node is not first
            number = self.graph.node('single', (twin.node,), int(second))
            return Expression(number, twin.negative != (
                second and self._like.negative(first)))
        return node.value if node.op == 'const' else Expression(
            self.graph.node(node.op, (), node.value))

    def _as_expression(self, number: Scalar) -> Expression:
        return number if isinstance(number, Expression) else Expression(
            self.graph.node('const', (), abs(number)), number < 0.0)

    def _signed(self, entry: Scalar) -> Scalar:
        if not isinstance(entry, Expression):
            return entry
        number = self._number(entry.node)
        return -number if entry.negative else number


_OPERATIONS: dict[str, Callable[..., Scalar]] = {
    **_CALLS, 'add': operator.add, 'sub': operator.sub, 'mul': operator.mul,
    'reciprocal': reciprocal}


def _corresponding(rows: Rows, quantity: Quantity, limbs: Mapping[int, int],
                   ) -> Iterator[tuple[Expression, Expression]]:
    """Yield the entries of a result that are of one limb, and of one that is equal to it."""
    of_rows = limbs if quantity.rows == JOINTS else {}
    of_columns = limbs if quantity.columns == JOINTS else {}
    for i, row in enumerate(rows):
        for j, entry in enumerate(row):
            place = of_rows.get(i, i), of_columns.get(j, j)
            if place > (i, j):
                other = rows[place[0]][place[1]]
                if isinstance(entry, Expression) and isinstance(other, Expression):
                    yield entry, other
