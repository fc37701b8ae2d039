"""From a function to its expressions, and from these to named statements."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from urdf2dyn_ros.codegen.explanations import Notebook, Schedule, nodes_behind, nodes_of
from urdf2dyn_ros.codegen.expression import Expression, Graph, Node
from urdf2dyn_ros.codegen.functions import FUNCTIONS
from urdf2dyn_ros.codegen.functions.function import (
    UNNOTED,
    Axis,
    Input,
    LinkFrames,
    Mechanics,
    ModelFunction,
    Notes,
    Quantity,
    Rows,
    base_inputs,
    body_wrenches,
    external_wrenches,
    joint_inputs,
    load_inputs,
    payload_inertia,
)
from urdf2dyn_ros.codegen.names import named_constants
from urdf2dyn_ros.codegen.program import Function, JointRow, ParameterGroup, Result, Row, untitled
from urdf2dyn_ros.codegen.twins import Twinned, equal_limbs
from urdf2dyn_ros.equations.mass_matrix import body_terms, shifted
from urdf2dyn_ros.equations.newton_euler import Recursion, second_moment
from urdf2dyn_ros.equations.parallel_axes import InheritedSpin
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.multibody import Multibody
from urdf2dyn_ros.robot.spatial import TENSOR, BodyInertia, Scalar, total, upper

# ---- The payload and external wrenches as a part of what a function is derived from

def add_payload(mechanics: Mechanics, loads: Loads) -> None:
    """Add the payload to the body that carries it."""
    if 'payload' not in mechanics.arguments:
        return
    i, at = mechanics.system.links[loads.payload]
    inertia = payload_inertia(at, mechanics.arguments['payload'])
    moments = inertia.with_second_moments()
    if mechanics.second_moments and mechanics.second_moments is not mechanics.inertias:
        mechanics.second_moments[i] = _with_payload(mechanics.second_moments[i], moments)
    whole = _with_payload(mechanics.inertias[i], inertia if mechanics.textbook else moments)
    mechanics.inertias[i] = whole
    mechanics.notes.note(i, 'It', whole.entries)


def _with_payload(carrier: BodyInertia | None, payload: BodyInertia) -> BodyInertia:
    whole = total(each for each in (carrier, payload) if each is not None)
    assert whole is not None
    return whole


def add_wrenches(mechanics: Mechanics, loads: Loads) -> None:
    """Add the constant external wrenches of the description, and those that are an input."""
    wrenches = [*mechanics.system.forces,
                *external_wrenches(loads, mechanics.arguments.get('external', ()))]
    mechanics.wrenches = body_wrenches(mechanics.system, wrenches, mechanics.moving,
                                       mechanics.notes.note)


# ---- The expressions of one function

_ARITHMETIC = ('mul', 'add', 'sub', 'reciprocal')


@dataclass(frozen=True)
class Request:
    """
    A robot, its loads and the functions to derive.

    readable: named parameters and textbook moments; else numbers and the fewest operations.
    general: every number of the description is a parameter, also those of 0 and 1.
    `functions` are all of the program, whose graphs begin with the same constants. The frames are
    those of existing links.
    """

    system: Multibody
    gravity: tuple[float, float, float]
    readable: bool
    rows: tuple[JointRow, ...]
    functions: tuple[str, ...]
    loads: Loads
    frames: LinkFrames
    general: bool

    @property
    def inputs(self) -> dict[str, Input]:
        """All inputs that a function may depend on."""
        return {**joint_inputs(self.system), **load_inputs(self.system, self.loads),
                **base_inputs(self.system, self.loads)}


@dataclass(frozen=True)
class Derivation:
    """
    The expressions of one function.

    `vectors` are those in the root frame, by name, if there are any; `shared` is the number of
    nodes that all functions of the program begin with, of which `bodies` are of single bodies.
    """

    name: str
    function: ModelFunction
    graph: Graph
    notebook: Notebook
    results: dict[str, Rows]
    vectors: dict[str, tuple[Scalar, ...]]
    parameters: list[ParameterGroup]
    bodies: int
    shared: int
    quantities: tuple[Quantity, ...]

    def operations(self) -> int:
        """Return the number of multiplications, additions and divisions of a call."""
        return sum(node.op in _ARITHMETIC for node in self._needed()
                   if node.serial >= self.shared)

    def constants(self) -> set[int]:
        """Return the serials of the expressions of parameters alone that the results need."""
        roots, needed = self._roots(), self._needed()
        used = {arg for node in needed if node.serial >= self.shared for arg in node.args}
        return {node.serial for node in needed
                if (node in used or node in roots) and node.serial < self.shared and node.args}

    def _needed(self) -> list[Node]:
        return nodes_behind(self.graph, self._roots())

    def _roots(self) -> list[Node]:
        rows = [*itertools.chain(*self.results.values()), *self.vectors.values()]
        return nodes_of(itertools.chain(*rows))


class _Arguments(Mapping[str, list[Expression]]):
    """Entries of the inputs, which become nodes of a graph when they are first needed."""

    def __init__(self, graph: Graph, inputs: Mapping[str, Input]) -> None:
        self._graph, self._inputs = graph, inputs

    def __getitem__(self, name: str) -> list[Expression]:
        return [self._graph.input(entry) for entry in self._inputs[name].entries]

    def __iter__(self) -> Iterator[str]:
        return iter(self._inputs)

    def __len__(self) -> int:
        return len(self._inputs)


def derive(request: Request, name: str) -> Derivation:
    """Derive one function, in the way that takes the least time."""
    derived = [_derived(request, name, way) for way in FUNCTIONS[name].ways(request.system)]
    cheapest = derived[0] if len(derived) == 1 else min(
        derived, key=lambda each: each.operations() + each.function.waiting(request.system))
    for each in derived:
        if each is not cheapest:
            each.graph.clear()
    return cheapest


def _derived(request: Request, name: str, function: ModelFunction) -> Derivation:
    """Derive one function in one way."""
    graph, loads = Graph(), request.loads
    terms = body_terms(request.system, loads)
    notebook = Notebook(graph, request.system, request.rows, request.readable, terms, loads,
                        request.general)
    moving = loads.moving(request.system)
    arguments = _Arguments(graph, request.inputs)
    parameters: list[ParameterGroup] = []
    if request.readable:
        named = named_constants(graph, request.system, request.gravity, terms, moving,
                                request.general)
        parameters = [ParameterGroup(notebook.title(i) if isinstance(i, int) else i, lines)
                      for i, lines in named.lines.items()]
        needed = any(FUNCTIONS[each].SECOND_MOMENTS for each in request.functions)
        mechanics = Mechanics(
            named.system, named.gravity, named.inertias,
            _second_moments(graph, named.inertias) if needed else [],
            Recursion(note=notebook.note), arguments, moving, named.terms, notes=notebook,
            frames=request.frames, numbers=(request.system, request.gravity))
    else:
        mechanics = simplified(request, function, arguments, notebook)
        graph.cancels = True
    named_nodes = len(graph.nodes)
    constants = function.constants(mechanics)
    shared = len(graph.nodes)
    add_payload(mechanics, loads)
    add_wrenches(mechanics, loads)
    results = {**function.derive(mechanics), **constants}
    quantities = function.quantities(mechanics)
    results = {each.name: results[each.name] for each in quantities if each.name in results}
    vectors = function.in_root_frame(mechanics) if request.readable else {}
    if all(FUNCTIONS[each].KINEMATIC for each in request.functions):
        parameters = _used(graph, results, parameters)
    return Derivation(name, function, graph, notebook, results, vectors, parameters, named_nodes,
                      shared, quantities)


def simplified(request: Request, function: ModelFunction,
               arguments: Mapping[str, Sequence[Scalar]], notes: Notes = UNNOTED) -> Mechanics:
    """Return what a function of the fast style is derived from, for any scalar."""
    system, inertias = function.simplified(request.system, function.SPINS)
    at_rest = inertias
    if function.SPINS and function.SECOND_MOMENTS:   # without velocities, masses are not moved
        _, at_rest = function.simplified(request.system, False)
    terms = body_terms(request.system, request.loads)
    return Mechanics(
        system, request.gravity, inertias, at_rest,
        Recursion(second_moment, InheritedSpin(system, inertias), notes.note), arguments,
        request.loads.moving(request.system),
        shifted(terms, request.system, system, function.MERGED), notes=notes,
        frames=request.frames, numbers=(system, request.gravity))


def _used(graph: Graph, results: Mapping[str, Rows],
          groups: Sequence[ParameterGroup]) -> list[ParameterGroup]:
    """Return the parameters that the results depend on."""
    roots = nodes_of(entry for rows in results.values() for row in rows for entry in row)
    used = {node.value for node in nodes_behind(graph, roots) if node.op == 'parameter'}
    kept = []
    for title, lines in groups:
        some = []
        for line in lines:
            pairs = [pair for pair in zip(line.names, line.values) if pair[0] in used]
            if pairs:
                names, values = zip(*pairs)
                some.append(line._replace(names=names, values=values))
        if some:
            kept.append(ParameterGroup(title, tuple(some)))
    return kept


def _second_moments(graph: Graph, inertias: Sequence[BodyInertia | None],
                    ) -> list[BodyInertia | None]:
    """Return inertias with second moments, each entry of which has a name."""
    result: list[BodyInertia | None] = []
    for n, inertia in enumerate(inertias, 1):
        if inertia is not None:
            inertia = inertia.with_second_moments()
            for xy, entry in zip(TENSOR, upper(inertia.J)):
                graph.label(f'S{n}_{xy}', entry)
        result.append(inertia)
    return result


# ---- The expressions of a function as named statements

Names = dict[Node, tuple[str, bool]]
"""Node to its name, and whether it is the opposite of what has this name."""


def write_function(request: Request, derived: Derivation,
                   known: Names) -> tuple[Function, Names]:
    """Return a function as statements, and all names with those of the constants."""
    function = derived.function
    schedule = _scheduled(derived.graph, derived.results, request, known)
    with_loads = function.SUMMARY_WITH_LOADS if request.loads.acts(request.system) else ''
    return Function(
        derived.name, with_loads or function.SUMMARY, _inputs(function, request.inputs),
        _results(request, derived, derived.results, schedule),
        derived.notebook.sections(schedule), schedule.operations), schedule.names


def in_twins(request: Request, derived: Derivation, function: Function) -> Function | None:
    """Return a function with statements of two numbers each, if equal limbs make it faster."""
    limbs = equal_limbs(request.system)
    if request.readable or not limbs:
        return None
    twinned = Twinned(derived.graph, derived.results,
                      {quantity.name: quantity for quantity in derived.quantities}, limbs)
    if not twinned.results:
        return None
    schedule = _scheduled(twinned.graph, twinned.results, request, {})
    results = _results(request, derived, twinned.results, schedule)
    twinned.graph.clear()
    return replace(function, results=results, twins=schedule.twins,
                   sections=(untitled(schedule.by_node.values()),))


def _scheduled(graph: Graph, results: Mapping[str, Rows], request: Request,
               known: Names) -> Schedule:
    """Return the statements of some results, each entry of which gets a name."""
    return Schedule(graph, [*itertools.chain(*itertools.chain(*results.values()))],
                    keep_labels=request.readable, known=known, name_outputs=True)


def _results(request: Request, derived: Derivation, rows: Mapping[str, Rows],
             schedule: Schedule) -> tuple[Result, ...]:
    """Return the results in terms of the statements."""
    quantities = {quantity.name: quantity for quantity in derived.quantities}
    joints = [request.rows[i] for i in request.system.drivers]
    results = []
    for name, entries in rows.items():
        source, result = derived.function.reference(name)
        results.append(Result(quantities[name], tuple(
            Row(key, tuple(map(schedule.value, row)), label, unit)
            for row, (key, label, unit) in zip(entries, _described(quantities[name], joints))),
            (source or derived.name, result)))
    return tuple(results)


def write_dynamic_model(request: Request, derived: Derivation, known: Names) -> Function:
    """Return what the vectors in the root frame take in addition to the results."""
    schedule = Schedule(
        derived.graph, [entry for vector in derived.vectors.values() for entry in vector],
        keep_labels=True, known=known)
    axis = Axis('vector', tuple(derived.vectors))
    return Function(
        'dynamic_model', 'vectors in the root frame', _inputs(derived.function, request.inputs),
        (Result(Quantity('values_robot', '', rows=axis), tuple(
            Row(key, tuple(map(schedule.value, vector)))
            for key, vector in derived.vectors.items())),),
        derived.notebook.sections(schedule, continued=True), schedule.operations)


def _inputs(function: ModelFunction, inputs: dict[str, Input]) -> tuple[Input, ...]:
    return tuple(inputs[name] for name in (*function.INPUTS, *function.LOAD_INPUTS)
                 if name in inputs)


def _described(quantity: Quantity, joints: Sequence[JointRow]) -> list[tuple[str, str, str]]:
    """Return name, label and unit of every row."""
    axis = quantity.rows
    if axis.keys:
        return list(zip(axis.keys, axis.keys, axis.units))
    units = quantity.unit or {}
    return [(row.name, str(row.number), units.get(row.effort_unit, row.effort_unit))
            for row in joints]
