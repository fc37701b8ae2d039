"""From a graph to statements: what is needed, what gets a name, in which order."""

from collections.abc import Collection, Iterable, Sequence

from urdf2dyn_ros.codegen.expression import Expression, Graph, Node
from urdf2dyn_ros.codegen.program import (
    Call,
    Name,
    Number,
    Operations,
    Product,
    Reciprocal,
    Signed,
    Single,
    Statement,
    Sum,
    Term,
    Twin,
)
from urdf2dyn_ros.robot.spatial import Scalar

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
                name, negative = label or (f'{temporary}{len(self.names) + 1}', value.negative)
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
        """Operations of the needed nodes."""
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
    return Signed(negative, Single(name, node.value))


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
