"""
A hash-consed graph of expressions that folds as it grows.

An expression is a signed reference to a node, so that ``a - (-b)`` costs one addition and a sign
never costs a node. Equal nodes are the same object. Commutative arguments and, later, statements
are in the order in which nodes were created, so that the same robot gives the same text, byte for
byte. Constants are plain floats outside the graph and fold as floats do.

Folding ``0 x`` to 0 assumes finite inputs: the caller of the generated text must check them.
Folding ``x (1 / x)`` to 1 assumes that no divisor is 0.

A `Schedule` makes statements of a graph: what is needed, what gets a name, in which order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from urdf2dyn_ros.codegen.program import (
    Call,
    Name,
    Number,
    OneOfTwin,
    Operations,
    Product,
    Reciprocal,
    Signed,
    Statement,
    Sum,
    Term,
    Twin,
)
from urdf2dyn_ros.robot.spatial import Dual, Scalar, Vector, cos, exp, reciprocal, sin, sqrt, tanh


class Node:
    """One operation, a key of _OPERATIONS, created once per graph."""

    __slots__ = ('args', 'base', 'factor', 'graph', 'op', 'serial', 'value')

    def __init__(self, graph: Graph, op: str, args: tuple[Node, ...], value: Any) -> None:
        self.graph, self.op, self.args = graph, op, args
        # the number of a const, the name of an input or parameter, whether an exp has the negated
        # operand, else None
        self.value = value
        self.serial = len(graph.nodes)   # order of creation
        # the node is factor times base; 1 and the node itself unless it is a multiple
        scaled = op == 'mul' and args[0].op == 'const'
        self.factor: float = args[0].value if scaled else 1.0
        self.base: Node = args[1] if scaled else self


class Label(NamedTuple):
    """Name of a node, or of its opposite, and the body that it is about."""

    name: str
    negative: bool
    body: int


@dataclass
class Graph:
    """The nodes of one model, in the order of their creation, and the names of some of them."""

    nodes: list[Node] = field(default_factory=list)
    labels: dict[Node, Label] = field(default_factory=dict)
    cancels: bool = False   # (x + y) - x folds to y
    _known: dict[tuple[Any, ...], Node] = field(default_factory=dict)

    def input(self, name: str) -> Expression:
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

    def label(self, name: str, scalar: Scalar, body: int) -> None:
        """Name an expression, unless it is a constant or already has a name."""
        if isinstance(scalar, Expression) and scalar.node.args:
            self.labels.setdefault(scalar.node, Label(name, scalar.negative, body))

    def label_entries(self, symbol: str, keys: Iterable[str], entries: Iterable[Scalar],
                      body: int) -> None:
        for key, entry in zip(keys, entries):
            self.label(f'{symbol}_{key}', entry, body)


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
            if isinstance(other, Dual):
                return NotImplemented
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
            return (NotImplemented if isinstance(other, Vector | Dual)
                    else self._scaled(float(other)))
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
tanh.register(Expression, lambda x: Expression(x.node.graph.node('tanh', (x.node,)), x.negative))
reciprocal.register(Expression, _reciprocal)
exp.register(Expression, lambda x: Expression(x.node.graph.node('exp', (x.node,), x.negative)))
sqrt.register(Expression, lambda x: Expression(x.node.graph.node('sqrt', (x.node,))))   # no -x


# ---- From a graph to statements

Names = dict[Node, tuple[str, bool]]   # and whether a node is the opposite of what has the name
MOST_OPERANDS = 24   # in one statement; also bounds the depth of the recursion that writes it


class Schedule:
    """
    The statements that some outputs need, in the order of the nodes' serial numbers.

    Every needed node with a label gets a statement if `keep_labels`, else only one that is used
    more than once; every output gets one if `name_outputs`. `known` are names, and whether they
    are of the opposite, of what has been computed before; `temporary` begins the names of nodes
    without a label. With `spare_names`, for text that is evaluated once, a product or sum of two
    operands is repeated rather than named.
    """

    def __init__(self, graph: Graph, outputs: Sequence[Scalar], *, keep_labels: bool,
                 known: Names | None = None, temporary: str = 't',
                 name_outputs: bool = False, spare_names: bool = False) -> None:
        self._known = known or {}
        roots = nodes_of(outputs)
        self.needed = nodes_behind(graph, roots, self._known)
        self.names = dict(self._known)
        self.by_node: dict[Node, Statement] = {}
        always = set(roots) if name_outputs else set()
        worth_a_name = 3 if spare_names else 1
        uses: dict[Node, int] = {}
        for node in roots:
            uses[node] = uses.get(node, 0) + 1
        for parent in self.needed:
            for node in parent.args:
                uses[node] = uses.get(node, 0) + 1 + (parent.op == 'single')   # of a name
        leaves: dict[Node, int] = {}
        for node in self.needed:
            if not node.args:
                leaves[node] = 1
                continue
            leaves[node] = sum(leaves.get(arg, 1) for arg in node.args)
            if node.op == 'single' or (node.op == 'twin' and all(
                    arg.op == 'const' for arg in node.args)):   # it never gets a name
                leaves[node] = 1
                continue
            label = graph.labels.get(node)
            if (node in always or (label and keep_labels) or leaves[node] > MOST_OPERANDS
                    or (uses[node] > 1 and leaves[node] >= worth_a_name)):
                value = self._operation(node)
                name, negative = label[:2] if label else (
                    f'{temporary}{len(self.names) + 1}', value.negative)
                self.by_node[node] = Statement(
                    name, _signed(value.negative != negative, value.term))
                self.names[node] = (name, negative)
                leaves[node] = 1

    def value(self, scalar: Scalar) -> Signed:
        """Return what an output is in terms of the statements."""
        if not isinstance(scalar, Expression):
            return Signed(scalar < 0.0, Number(abs(scalar)))
        value = self._operand(scalar.node)
        return _signed(value.negative != scalar.negative, value.term)

    @property
    def twins(self) -> frozenset[str]:
        """The names of the statements that make two numbers."""
        twins: set[Node] = set()
        for node in self.needed:
            if node.op == 'twin' or (node.op != 'single' and not twins.isdisjoint(node.args)):
                twins.add(node)
        return frozenset(self.names[node][0] for node in twins if node in self.by_node)

    @property
    def operations(self) -> Operations:
        ops = [node.op for node in self.needed]
        return Operations(ops.count('mul'), ops.count('add') + ops.count('sub'),
                          ops.count('sin') + ops.count('cos'),
                          ops.count('tanh') + ops.count('exp'), ops.count('reciprocal'))

    def _operand(self, node: Node) -> Signed:
        if node not in self.names:
            return self._operation(node)
        name, negative = self.names[node]
        return Signed(negative, Name(name))

    def _operation(self, node: Node) -> Signed:
        return _OPERATIONS[node.op](node, [self._operand(arg) for arg in node.args])


def nodes_of(scalars: Iterable[Scalar]) -> list[Node]:
    """Return the nodes of those scalars that are no numbers."""
    return [scalar.node for scalar in scalars if isinstance(scalar, Expression)]


def nodes_behind(graph: Graph, roots: Iterable[Node],
                 known: Collection[Node] = ()) -> list[Node]:
    """Return the nodes that the roots need, up to known ones, in the order of their serials."""
    wanted = set(roots).difference(known)
    last_first = []
    for node in reversed(graph.nodes):
        if node in wanted:
            last_first.append(node)
            for arg in node.args:
                if arg not in known:
                    wanted.add(arg)
    return last_first[::-1]


def _product(node: Node, operands: list[Signed]) -> Signed:
    factors: tuple[Term, ...] = ()
    for _, term in operands:
        factors += term.factors if isinstance(term, Product) else (term,)
    return Signed(operands[0].negative != operands[1].negative, Product(factors))


def _sum(node: Node, operands: list[Signed]) -> Signed:
    """Return one sum without parentheses, which starts with a term that is not negative."""
    signs = (operands[0].negative, operands[1].negative != (node.op == 'sub'))
    terms: list[tuple[bool, Term]] = []
    for sign, (_, operand) in zip(signs, operands):
        if isinstance(operand, Sum):
            terms += [(sign != negative, term) for negative, term in operand.terms]
        else:
            terms.append((sign, operand))
    return _normal(terms)


def _normal(terms: list[tuple[bool, Term]]) -> Signed:
    """Return a sum with a term in front that is not negative, or the opposite of such a sum."""
    if not terms[0][0]:
        return Signed(False, Sum(tuple(terms)))
    signs = [negative for negative, _ in terms]
    flip = all(signs)
    terms.insert(0, terms.pop(0 if flip else signs.index(False)))
    return Signed(flip, Sum(tuple((negative != flip, term) for negative, term in terms)))


def _signed(negative: bool, term: Term) -> Signed:
    """Return a term or its opposite, with no minus in front of a sum that can do without."""
    if negative and isinstance(term, Sum):
        return _normal([(not minus, entry) for minus, entry in term.terms])
    return Signed(negative, term)


def _twin(node: Node, operands: list[Signed]) -> Signed:
    first, second = (Signed(operand.negative != negative, operand.term)
                     for operand, negative in zip(operands, node.value))
    return Signed(False, Twin(first, second))


def _single(node: Node, operands: list[Signed]) -> Signed:
    (negative, name), = operands
    assert isinstance(name, Name)
    return Signed(negative, OneOfTwin(name, node.value))


def _function(node: Node, operands: list[Signed]) -> Signed:
    argument = operands[0]
    return Signed(argument.negative and node.op in _ODD_FUNCTIONS, Call(node.op, argument.term))


def _leaf(node: Node, operands: list[Signed]) -> Signed:
    term: Term = Number(node.value) if node.op == 'const' else Name(node.value)
    return Signed(False, term)


_OPERATIONS = {
    'const': _leaf, 'input': _leaf, 'parameter': _leaf,
    'add': _sum, 'sub': _sum, 'mul': _product,
    'reciprocal': lambda node, operands: Signed(
        operands[0].negative, Reciprocal(operands[0].term)),
    'sin': _function, 'cos': _function, 'tanh': _function,
    'exp': lambda node, operands: Signed(False, Call(
        'exp', operands[0].term, operands[0].negative != node.value)),
    'abs': _function, 'sqrt': _function, 'twin': _twin, 'single': _single,
}
_ODD_FUNCTIONS = ('sin', 'tanh')
