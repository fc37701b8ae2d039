"""
A hash-consed graph of expressions that folds as it grows.

An expression is a signed reference to a node, so that ``a - (-b)`` costs one addition and a sign
never costs a node. Equal nodes are the same object. Commutative arguments and, later, statements
are in the order in which nodes were created, so that the same robot gives the same text, byte for
byte. Constants are plain floats outside the graph and fold as floats do.

Folding ``0 x`` to 0 assumes finite inputs: the caller of the generated text must check them.
Folding ``x (1 / x)`` to 1 assumes that no divisor is 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from urdf2dyn_ros.robot.spatial import Scalar, cos, exp, reciprocal, sin, sqrt, tanh


class Node:
    """
    One operation, created once per graph; serial is the order of creation.

    Its op is const, input, parameter, add, sub, mul, reciprocal, sin, cos, tanh, exp, sqrt or abs.
    The value is the number of a const, the name of an input or parameter, whether an exp has the
    negated operand, else None. The node is factor times base; 1 and the node itself unless it is
    a multiple.
    """

    __slots__ = ('args', 'base', 'factor', 'graph', 'op', 'serial', 'value')

    def __init__(self, graph: Graph, op: str, args: tuple[Node, ...], value: Any) -> None:
        self.graph, self.op, self.args, self.value = graph, op, args, value
        self.serial = len(graph.nodes)
        scaled = op == 'mul' and args[0].op == 'const'
        self.factor: float = args[0].value if scaled else 1.0
        self.base: Node = args[1] if scaled else self


@dataclass
class Graph:
    """
    The nodes of one model, in the order of their creation, and the names of some of them.

    A label is (name, negative): the named quantity is the node, or its negative. With `cancels`,
    (x + y) - x folds to y.
    """

    nodes: list[Node] = field(default_factory=list)
    labels: dict[Node, tuple[str, bool]] = field(default_factory=dict)
    cancels: bool = False
    _known: dict[tuple[Any, ...], Node] = field(default_factory=dict)

    def input(self, name: str) -> Expression:
        """Return an argument of the generated function."""
        return Expression(self.node('input', (), name))

    def parameter(self, name: str) -> Expression:
        """Return a named constant, whose value a user may change in the text."""
        return Expression(self.node('parameter', (), name))

    def node(self, op: str, args: tuple[Node, ...], value: Any = None) -> Node:
        """Return the node of this operation on these arguments, created if it is new."""
        key = (op, value, *args)
        node = self._known.get(key)
        if node is None:
            node = self._known[key] = Node(self, op, args, value)
            self.nodes.append(node)
        return node

    def clear(self) -> None:
        """Remove all nodes: they refer to the graph, and without this cycle are freed at once."""
        self.nodes.clear()
        self.labels.clear()
        self._known.clear()

    def label(self, name: str, scalar: Scalar) -> None:
        """Name an expression, unless it is a constant or already has a name."""
        if isinstance(scalar, Expression) and scalar.node.args:
            self.labels.setdefault(scalar.node, (name, scalar.negative))

    def label_entries(self, symbol: str, keys: Iterable[str], entries: Iterable[Scalar]) -> None:
        """Name the entries of a vector or of a matrix."""
        for key, entry in zip(keys, entries):
            self.label(f'{symbol}_{key}', entry)


class Expression:
    """A node with a sign."""

    __slots__ = ('negative', 'node')
    __array_ufunc__ = None   # a numpy scalar on the left leaves the operation to this class

    def __init__(self, node: Node, negative: bool = False) -> None:
        self.node, self.negative = node, negative

    def __neg__(self) -> Expression:
        return Expression(self.node, not self.negative)

    def __abs__(self) -> Expression:
        return Expression(self.node.graph.node('abs', (self.node,)))

    def __add__(self, other: Scalar) -> Scalar:
        if not isinstance(other, Expression):
            if other == 0.0:
                return self
            other = _constant(self.node.graph, other)
        first, second = self, other
        if first.node.base is second.node.base:
            return Expression(first.node.base) * (_factor(first) + _factor(second))
        if first.node.serial > second.node.serial:
            first, second = second, first
        rest = self.node.graph.cancels and (_rest(first, second) or _rest(second, first))
        if rest:
            value = rest.node.value
            return rest if rest.node.op != 'const' else -value if rest.negative else value
        # s x + t y = s (x + s t y)
        op = 'add' if first.negative == second.negative else 'sub'
        return Expression(self.node.graph.node(op, (first.node, second.node)), first.negative)

    def __mul__(self, other: Scalar) -> Scalar:
        if not isinstance(other, Expression):
            return self._scaled(float(other))
        first, second = self.node, other.node
        if first.serial > second.serial:
            first, second = second, first
        negative = self.negative != other.negative
        if _cancel(first.base, second.base) or _cancel(second.base, first.base):
            product = first.factor * second.factor
            return -product if negative else product
        return Expression(self.node.graph.node('mul', (first, second)), negative)

    def _scaled(self, factor: float) -> Scalar:
        if factor == 0.0:
            return 0.0
        node = self.node.base
        negative = self.negative != (factor < 0.0)
        factor = abs(factor) * self.node.factor
        if factor == 1.0:
            return Expression(node, negative)
        scale = node.graph.node('const', (), factor)
        return Expression(node.graph.node('mul', (scale, node)), negative)

    def __sub__(self, other: Scalar) -> Scalar:
        return self + (-other)

    def __rsub__(self, other: Scalar) -> Scalar:
        return (-self) + other

    __radd__ = __add__
    __rmul__ = __mul__


def _rest(sum_: Expression, term: Expression) -> Expression | None:
    """Return y of (x + y) - x, None where the term is not in the sum."""
    node = sum_.node
    if node.op in ('add', 'sub') and term.node in node.args:
        signs = (sum_.negative, sum_.negative != (node.op == 'sub'))
        k = node.args.index(term.node)
        return Expression(node.args[1 - k], signs[1 - k]) if signs[k] != term.negative else None
    return None


def _cancel(reciprocal: Node, term: Node) -> bool:
    return reciprocal.op == 'reciprocal' and reciprocal.args[0] is term


def _reciprocal(x: Expression) -> Scalar:
    """Return 1 / x: of a multiple k y, the multiple 1 / k of 1 / y."""
    base = x.node.base
    inverse = base.args[0] if base.op == 'reciprocal' else base.graph.node('reciprocal', (base,))
    return Expression(inverse, x.negative) * (1.0 / x.node.factor)


def _factor(expression: Expression) -> float:
    return -expression.node.factor if expression.negative else expression.node.factor


def _constant(graph: Graph, number: Scalar) -> Expression:
    value = float(number)
    return Expression(graph.node('const', (), abs(value)), value < 0.0)


sin.register(Expression, lambda angle: Expression(
    angle.node.graph.node('sin', (angle.node,)), angle.negative))
cos.register(Expression, lambda angle: Expression(angle.node.graph.node('cos', (angle.node,))))
tanh.register(Expression, lambda x: Expression(
    x.node.graph.node('tanh', (x.node,)), x.negative))
reciprocal.register(Expression, _reciprocal)
exp.register(Expression, lambda x: Expression(x.node.graph.node('exp', (x.node,), x.negative)))
sqrt.register(Expression, lambda x: Expression(x.node.graph.node('sqrt', (x.node,))))   # no -x
