"""
Equal limbs of a robot computed at once, by statements that each make two numbers.

Limbs with the same joints, as the two legs of a humanoid, have the same operations on other
operands. `Correspondence` finds the nodes of a graph that correspond, from the results on, and the
signs that a mirror image needs; `Twinned` makes a graph in which one node computes both.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from urdf2dyn_ros.codegen.expression import Expression, Graph, Node, nodes_behind, nodes_of
from urdf2dyn_ros.codegen.signature import BY_JOINT, Quantity, Rows
from urdf2dyn_ros.robot.multibody import ROOT, Multibody
from urdf2dyn_ros.robot.spatial import Scalar, cos, exp, reciprocal, sin, tanh


class Signs:
    """
    Products of unknown signs, of which some are equal.

    A product is an integer: bit 0 is set if it has a minus, each other bit stands for an unknown;
    the product of two is their exclusive or, and 0 is plus.
    """

    def __init__(self) -> None:
        self._unknowns = 1
        self._solved: dict[int, int] = {}

    def unknown(self) -> int:
        self._unknowns += 1
        return 1 << (self._unknowns - 1)

    def equate(self, a: int, b: int) -> bool:
        """Make two products equal; return whether that is possible."""
        rest = self._reduced(a ^ b)
        if rest > 1:
            self._solved[rest.bit_length()] = rest
        return rest != 1

    def negative(self, product: int) -> bool:
        """Return whether a product is negative; unknowns that nothing determines are plus."""
        rest = self._reduced(product)
        while rest > 1:
            rest = self._reduced(rest ^ 1 << (rest.bit_length() - 1))
        return bool(rest)

    def _reduced(self, product: int) -> int:
        while product > 1 and product.bit_length() in self._solved:
            product ^= self._solved[product.bit_length()]
        return product


_Shape: TypeAlias = 'tuple[str, tuple[_Shape, ...]]'


def equal_limbs(system: Multibody) -> dict[int, int]:
    """
    Return the coordinates of limbs, to those of the limbs that are equal to them, there and back.

    Two limbs on the same body are equal if their joints have the same types.
    """
    coordinates: dict[int, int] = {}
    ambiguous = set()
    for pair in _pairs(system):
        a, b = (system.bodies[i].coordinate for i in pair)
        for one, other in ((a, b), (b, a)):
            if a == b or coordinates.setdefault(one, other) != other:
                ambiguous |= {a, b, coordinates.get(one, one)}
    return {one: other for one, other in coordinates.items() if not ambiguous & {one, other}}


def _pairs(system: Multibody) -> Iterator[tuple[int, int]]:
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
                alike = [(other, i)]   # the bodies of the two limbs
                while alike:
                    a, b = alike.pop()
                    yield a, b
                    alike += zip(children.get(a, ()), children.get(b, ()))
        waiting += single.values()


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
    of its node: a constant takes any sign, a sum needs those of its operands.
    """

    def __init__(self, needed: Sequence[Node], results: Iterable[tuple[Expression, Expression]],
                 single: Collection[Node]) -> None:
        self.other: dict[Node, Node] = {}   # nodes of first limbs to those of second limbs
        self.operands: dict[Node, tuple[Operand, ...]] = {}   # those of the twins of first nodes
        self.signs, self._sign = Signs(), dict[Node, int]()
        pairs = list(results)
        arguments = self._matched([(a.node, b.node) for a, b in pairs], set(single))
        for node in needed:
            if node in self.other:
                self._solve(node, arguments[node])
        for a, b in pairs:   # so that fewer results are opposites
            if self.other.get(a.node) is b.node:
                self.signs.equate(self._sign[a.node], a.negative != b.negative)

    def negative(self, node: Node) -> bool:
        """Return whether the second number of a twin is the opposite of the second limb's node."""
        return self.signs.negative(self._sign[node])

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
        signs = [known[x] if self.other.get(x) is y and x in known else self.signs.unknown()
                 for x, y in arguments]
        sign = signs[0]
        if a.op == 'mul':
            sign ^= signs[1]
        elif a.op in _SUMS:
            crossed = arguments[0][1] is not b.args[0]
            minus_a, minus_b = a.op == 'sub', b.op == 'sub'
            sign ^= minus_b and crossed
            if not self.signs.equate(sign ^ (minus_b and not crossed) ^ minus_a, signs[1]):
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


# share of the operations that twins must save: below, moving numbers between twins and single ones
# takes as long. The inverse dynamics of humanoid_3p33r (0.30) would be 4 % slower, its derivatives
# (0.36) are 1.7 times faster.
LEAST_SAVED = 1 / 3

FEWEST_OPERATIONS = 100   # below, the calls of sections take longer than twins save

_CALLS: dict[str, Callable[[Scalar], Scalar]] = {'sin': sin, 'cos': cos, 'tanh': tanh, 'abs': abs}


class Twinned:
    """
    The results of a graph, in twins where equal limbs have the same operations; none if few are.

    The nodes are in the order of phases of one kind, single or twins: what a phase needs of the
    other kind is made in earlier ones.
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
        self.graph = Graph()
        self._single: dict[Node, Scalar] = {}
        self._twins: dict[Node, Expression] = {}
        self.results: dict[str, Rows] = {}
        if (len(self._first) >= LEAST_SAVED * max(1, operations)
                and operations >= FEWEST_OPERATIONS):
            self._build(needed)
            self.results = {name: [[self._signed(entry) for entry in row] for row in rows]
                            for name, rows in results.items()}

    def _build(self, needed: Sequence[Node]) -> None:
        other = self._like.other
        waiting = [node for node in needed if node not in self._first]
        while waiting:
            before = len(waiting)
            for twins in (False, True):
                made: set[Node] = set()
                for node in waiting:
                    if (node in other) == twins and self._is_ready(node, made):
                        self._make(node)
                        made.add(node)
                waiting = [node for node in waiting if node not in made]
            if len(waiting) == before:
                # the first one is computed singly: its operands depend on a number of its twin
                second = other.pop(next(node for node in waiting if node in other))
                del self._first[second]
                waiting = sorted([*waiting, second], key=lambda node: node.serial)

    def _is_ready(self, node: Node, made: Collection[Node]) -> bool:
        """Return whether the operands of a node are made; twins give single numbers later."""
        if node not in self._like.other:
            return all(self._is_made(arg) for arg in node.args)
        return all(x in self._twins if self._like.other.get(x) is y else
                   all(self._is_made(z) and self._first.get(z, z) not in made for z in (x, y))
                   for x, y, _ in self._like.operands[node])

    def _is_made(self, node: Node) -> bool:
        return not node.args or node in self._single or self._first.get(node, node) in self._twins

    def _make(self, node: Node) -> None:
        if node in self._like.other:
            self._twins[node] = _FUNCTIONS[node.op](*(
                self._operand(operand) for operand in self._like.operands[node]))
        elif node.args:
            operands = [self._number(arg) for arg in node.args]
            self._single[node] = (exp(-operands[0] if node.value else operands[0])
                                  if node.op == 'exp' else _FUNCTIONS[node.op](*operands))

    def _operand(self, operand: Operand) -> Expression:
        """Return an operand of a twin, made of single numbers where there is none."""
        x, y, _ = operand
        if self._like.other.get(x) is y:
            return self._twins[x]
        a, b = (number if isinstance(number, Expression) else Expression(
            self.graph.node('const', (), abs(number)), number < 0.0)
            for number in (self._number(x), self._number(y)))
        minus = b.negative != self._like.signs.negative(operand.sign)
        twin = self.graph.node('twin', (a.node, b.node), (False, minus != a.negative))
        return Expression(twin, a.negative)

    def _number(self, node: Node) -> Scalar:
        if node in self._single:
            return self._single[node]
        first = self._first.get(node, node)
        if first in self._twins:
            twin = self._twins[first]
            second = node is not first
            number = self.graph.node('single', (twin.node,), int(second))
            return Expression(number, twin.negative != (second and self._like.negative(first)))
        return node.value if node.op == 'const' else Expression(
            self.graph.node(node.op, (), node.value))

    def _signed(self, entry: Scalar) -> Scalar:
        if not isinstance(entry, Expression):
            return entry
        number = self._number(entry.node)
        return -number if entry.negative else number


_FUNCTIONS: dict[str, Callable[..., Scalar]] = {
    **_CALLS, 'add': operator.add, 'sub': operator.sub, 'mul': operator.mul,
    'reciprocal': reciprocal}


def _corresponding(rows: Rows, quantity: Quantity, limbs: Mapping[int, int],
                   ) -> Iterator[tuple[Expression, Expression]]:
    of_rows = limbs if quantity.rows == BY_JOINT else {}
    of_columns = limbs if quantity.columns == BY_JOINT else {}
    for i, row in enumerate(rows):
        for j, entry in enumerate(row):
            place = of_rows.get(i, i), of_columns.get(j, j)
            if place > (i, j):
                other = rows[place[0]][place[1]]
                if isinstance(entry, Expression) and isinstance(other, Expression):
                    yield entry, other
