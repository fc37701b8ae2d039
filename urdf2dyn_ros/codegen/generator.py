"""
From a robot to its Program: multibody -> graph -> Program -> text.

`generate` derives every function on a graph of its own: the recursion runs once on expressions,
in readable style with a named parameter for every number of the URDF, in fast style with numbers
and the fewest operations (`express`). The nodes that the results need become named statements, in
sections with their formulas (`write_function`), which a language writes as text. The same
functions on plain numbers give the references that an exported file checks itself with.
"""

import gc
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from urdf2dyn_ros.codegen.explanations import Notebook, named_constants
from urdf2dyn_ros.codegen.expression import (
    Expression,
    Graph,
    Names,
    Node,
    Schedule,
    nodes_behind,
    nodes_of,
)
from urdf2dyn_ros.codegen.functions import CHOICES, FUNCTIONS
from urdf2dyn_ros.codegen.functions.function import ModelFunction
from urdf2dyn_ros.codegen.functions.observer import OBSERVER_GAIN
from urdf2dyn_ros.codegen.heading import in_words
from urdf2dyn_ros.codegen.mechanics import UNNOTED, Mechanics, Notes
from urdf2dyn_ros.codegen.program import (
    CLOSURE,
    Block,
    Function,
    JointRow,
    ParameterGroup,
    ParameterLine,
    Program,
    Reference,
    Result,
    Row,
    Statement,
    joint_table,
    names_in,
    untitled,
)
from urdf2dyn_ros.codegen.signature import (
    ONLY_TIP,
    Axis,
    Input,
    LinkFrames,
    Quantity,
    ResultKey,
    Rows,
    inputs_of,
)
from urdf2dyn_ros.codegen.twins import Twinned, equal_limbs
from urdf2dyn_ros.equations.fewest_operations import inherited_spin
from urdf2dyn_ros.equations.loop_constraints import closed_poses, passive_start
from urdf2dyn_ros.equations.newton_euler import TEXTBOOK, Recursion, root_frame, second_moment
from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.robot.inertia import SecondMoments, second_moments
from urdf2dyn_ros.robot.loads import GRAVITY, Loads, body_terms, checked_gravity, checked_loads
from urdf2dyn_ros.robot.multibody import ROOT, Multibody, body_inertias
from urdf2dyn_ros.robot.spatial import TENSOR, Scalar, upper
from urdf2dyn_ros.text import mention

Style: TypeAlias = Literal['readable', 'fast', 'general']

LOADS = Loads()
STYLES: tuple[Style, ...] = ('readable', 'fast')
GENERAL: Style = 'general'


@contextmanager
def uncollected() -> Iterator[None]:
    """Spare the garbage collector the graphs: many small objects, all in use to the end."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@uncollected()
def generate(system: Multibody, *, name: str, style: Style = 'readable',
             gravity: ArrayLike = GRAVITY,
             functions: str | tuple[str, ...] = 'inverse_dynamics',
             loads: Loads = LOADS, frames: LinkFrames = ONLY_TIP,
             twins: bool = False, with_closure: bool = False,
             gains: Sequence[float] = OBSERVER_GAIN.default) -> Program:
    """
    Return the equations of a robot, whose identifiers begin with `name`.

    readable: every inertial value is a named parameter, every formula is spelled out, and there is
    the dynamic model in the root frame. general: all lengths and rotations are parameters as well.
    fast: numbers are folded, with the fewest operations and, with `twins`, a form in which equal
    limbs are computed at once, where that is faster. `functions` is one of CHOICES, or several in
    any order. An ExportError or a ParameterError for what the robot, the functions or the loads do
    not have.
    """
    request = replace(_request(system, style, gravity, functions, loads, frames, with_closure),
                      gains=tuple(gains))
    graphs = [express(request, name) for name in request.functions]
    constants, known = _derived_parameters(graphs)
    written: list[Function] = []
    dynamic_model = None
    for expressed in graphs:
        names = {expressed.graph.nodes[serial]: value for serial, value in known.items()}
        function, names = write_function(request, expressed, names)
        if twins:
            function = replace(function, twinned=_in_twins(request, expressed, function))
        written.append(function)
        if expressed.vectors:
            dynamic_model = _dynamic_model(request, expressed, names)
        expressed.graph.clear()
    words, symbols = in_words(
        request.system, request.gravity, request.loads, request.frames,
        [expressed.function for expressed in graphs],
        {x.name for function in written for x in function.inputs}.union(
            *(function.result_names for function in written)))
    return Program(
        title=_title(system.robot, written), robot=system.robot, name=name, style=style,
        gravity=request.gravity, loads=words, legend=symbols if request.readable else (),
        joints=request.rows, motor_rows=tuple(i + 1 for i in system.motors),
        parameters=tuple(graphs[0].parameters), constants=constants, functions=tuple(written),
        dynamic_model=dynamic_model, compute_references=partial(_references, request),
        kinematic=all(expressed.function.kinematic for expressed in graphs),
        start=passive_start(system))


@dataclass(frozen=True)
class Request:
    """A robot, its loads and the functions to derive."""

    system: Multibody
    gravity: tuple[float, float, float]
    style: Style
    rows: tuple[JointRow, ...]
    functions: tuple[str, ...]   # all of the program: their graphs begin with the same constants
    loads: Loads
    frames: LinkFrames   # of existing links
    gains: tuple[float, ...] = OBSERVER_GAIN.default   # of the momentum observer [1/s]

    @property
    def readable(self) -> bool:
        """Whether parameters are named, and formulas a textbook's; else operations are fewest."""
        return self.style != 'fast'

    @property
    def inputs(self) -> dict[str, Input]:
        return inputs_of(self.system, self.loads)


def _request(system: Multibody, style: Style, gravity: ArrayLike,
             functions: str | tuple[str, ...], loads: Loads, frames: LinkFrames,
             with_closure: bool) -> Request:
    if style not in (*STYLES, GENERAL):
        raise ExportError(f'unknown style {style!r}; the styles are: '
                          f'{", ".join((*STYLES, GENERAL))}')
    asked = functions if isinstance(functions, tuple) else (functions,)
    for choice in asked:
        if not isinstance(choice, str) or choice not in CHOICES:
            raise ExportError(f'unknown function {choice!r}; it is one of {", ".join(CHOICES)}')
    names = {name for choice in asked for name in CHOICES[choice]}
    if with_closure and system.closed_loops:
        names.add(CLOSURE)
    # in the order of the table, in which one that combines others stands behind them
    chosen = {name: function for name, function in FUNCTIONS.items() if name in names}
    if system.closed_loops and style == GENERAL:
        raise ExportError('the style general does not close loops: choose readable, which has '
                          'named masses and lengths of links to change, or fast')
    vector = checked_gravity(gravity)
    checked_loads(loads).check(system)
    if not isinstance(frames, LinkFrames):
        raise ExportError(f'frames is {frames!r}; it must be LinkFrames(links, axes)')
    for function in chosen.values():
        function.check(system, loads)
    if not any({'base_motion', 'external', 'payload'}.intersection(function.LOAD_INPUTS)
               for function in chosen.values()):   # which no load changes
        system, loads = replace(system, forces=()), Loads(loads.base)
    options = {option for function in chosen.values() for option in function.OPTIONS}
    depending = {option: [name for name, function in FUNCTIONS.items()
                          if option in function.OPTIONS] for option in ('link', 'axes')}
    frames = frames.resolved(system, options, loads.moving(system), depending)
    return Request(system, vector, style, joint_table(system), tuple(chosen), loads, frames)


@dataclass(frozen=True)
class FunctionGraph:
    """The expressions of one function."""

    name: str
    function: ModelFunction
    graph: Graph
    notebook: Notebook
    results: dict[str, Rows]
    vectors: dict[str, tuple[Scalar, ...]]   # those in the root frame, by name, if there are any
    parameters: list[ParameterGroup]
    bodies: int   # number of the first nodes, which are of single bodies
    shared: int   # number of nodes that all functions of the program begin with
    quantities: tuple[Quantity, ...]
    roots: list[Node]   # of results and vectors
    needed: list[Node]   # by these, in order

    @property
    def own_nodes(self) -> list[Node]:
        """Those that are needed, but for what all functions begin with."""
        return [node for node in self.needed if node.serial >= self.shared]


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


def express(request: Request, name: str) -> FunctionGraph:
    """Return the expressions of a function, in the way that takes the least time."""
    costs = []
    for way, waiting in FUNCTIONS[name].ways(request.system):
        expressed = _expressed(request, name, way)
        costs.append((waiting + sum(node.op in ('mul', 'add', 'sub', 'reciprocal')
                                    for node in expressed.own_nodes), expressed))
    return min(costs, key=lambda cost: cost[0])[1]


def _expressed(request: Request, name: str, function: ModelFunction) -> FunctionGraph:
    graph, loads = Graph(cancels=not request.readable), request.loads
    general = request.style == GENERAL   # also numbers of 0 and 1 are parameters
    terms = body_terms(request.system, loads)
    notebook = Notebook(graph, request.system, request.rows, request.readable, terms, loads,
                        general)
    moving = loads.moving(request.system)
    arguments = _Arguments(graph, request.inputs)
    parameters: list[ParameterGroup] = []
    if request.readable:
        system, gravity, named_terms, inertias, lines = named_constants(
            graph, request.system, request.gravity, terms, moving, general)
        parameters = [ParameterGroup(notebook.title(i) if isinstance(i, int) else i, group_lines)
                      for i, group_lines in lines.items()]
        moments: list[SecondMoments | None] = []
        if any(FUNCTIONS[other].SECOND_MOMENTS for other in request.functions):
            moments = second_moments(inertias)
            for i, body_moments in zip((*range(len(system.bodies)), ROOT), moments):
                if body_moments:
                    graph.label_entries(f'S{i + 1}', TENSOR, upper(body_moments.S), i)
        gains: tuple[Scalar, ...] = request.gains
        if any(FUNCTIONS[other].OBSERVES for other in request.functions):
            numbers = [i + 1 for i in request.system.motors]
            names = tuple(f'K{n}' for n in numbers)
            values = (request.gains * len(numbers))[:len(numbers)]
            gains = tuple(graph.parameter(symbol) for symbol in names)
            parameters.append(ParameterGroup('the observer', (ParameterLine(
                names, values, 'bandwidth of the external efforts [1/s]'),)))
        mechanics = Mechanics(
            system=system, gravity=gravity, inertias=inertias, second_moments=moments,
            recursion=Recursion(note=notebook.note), arguments=arguments,
            numeric_system=request.system, numeric_gravity=request.gravity, moving=moving,
            terms=named_terms, notes=notebook, frames=request.frames, gains=gains)
    else:
        mechanics = _simplified(request, function, arguments, notebook)
    named_nodes = len(graph.nodes)
    others = [FUNCTIONS[other] for other in request.functions
              if request.readable and other != name]
    for other in others:   # all graphs begin with the same nodes
        other.constant_results(mechanics)
    constants = function.constant_results(mechanics)
    shared = len(graph.nodes)
    mechanics = mechanics.loaded(loads).with_loops()
    entries = {**function.derive(mechanics), **constants}
    quantities = function.quantities(mechanics)
    results: dict[str, Rows] = {}
    for quantity in quantities:
        if quantity.name in entries:
            rows = mechanics.reduced(quantity, entries[quantity.name])
            results[quantity.name] = rows if quantity.columns else [(entry,) for entry in rows]
    vectors = _in_root_frame(name, mechanics) if request.readable else {}
    roots = nodes_of(itertools.chain(*itertools.chain(*results.values()), *vectors.values()))
    needed = nodes_behind(graph, roots)
    if all(FUNCTIONS[other].kinematic for other in request.functions):
        used = {node.value for node in needed if node.op == 'parameter'}
        parameters = [group for group in (group.of(used) for group in parameters) if group.lines]
    return FunctionGraph(name, function, graph, notebook, results, vectors, parameters,
                         named_nodes, shared, quantities, roots, needed)


def _simplified(request: Request, function: ModelFunction,
                arguments: Mapping[str, Sequence[Scalar]], notes: Notes = UNNOTED) -> Mechanics:
    """Return what a function of the fast style is derived from, for any scalar."""
    system, inertias = function.simplified(request.system, function.SPINS)
    at_rest = inertias
    if function.SPINS and function.SECOND_MOMENTS:   # without velocities, masses are not moved
        _, at_rest = function.simplified(request.system, False)
    # the offset of a coordinate may have become part of a constant turn
    terms = {i: tuple(term.shifted(request.system.bodies[i].offset - system.bodies[i].offset)
                      for term in each)
             for i, each in body_terms(request.system, request.loads).items()}
    return Mechanics(
        system=system, gravity=request.gravity, inertias=inertias, second_moments=at_rest,
        recursion=Recursion(second_moment, inherited_spin(system, inertias), notes.note),
        arguments=arguments, numeric_system=system, numeric_gravity=request.gravity,
        moving=request.loads.moving(request.system), terms=terms, notes=notes,
        frames=request.frames, gains=request.gains)


def _in_root_frame(name: str, mechanics: Mechanics) -> dict[str, tuple[Scalar, ...]]:
    """Return pose and motion of frames, and force and moment of joints, of inverse dynamics."""
    # what the tree of a closed loop transmits, cut open, is not what its joints do
    if (not FUNCTIONS[name].IN_ROOT_FRAME or mechanics.moving
            or mechanics.system.closed_loops):
        return {}
    return root_frame(mechanics.system, mechanics.sweep(('q', 'qd', 'qdd')), mechanics.gravity,
                      mechanics.notes.note)


def _derived_parameters(graphs: Sequence[FunctionGraph],
                        ) -> tuple[tuple[Block, ...], dict[int, tuple[str, bool]]]:
    """Return statements for what follows from parameters alone: no work at every call."""
    # all graphs begin with the same constants, so that a serial number means the same in each
    first, wanted = graphs[0].graph, set()
    assert len({tuple((node.op, node.value, *(arg.serial for arg in node.args))
                      for node in expressed.graph.nodes[:expressed.shared])
                for expressed in graphs}) == 1
    for expressed in graphs:
        used = {arg for node in expressed.own_nodes for arg in node.args}
        wanted |= {node.serial for node in used.union(expressed.roots)
                   if node.serial < expressed.shared and node.args}
    schedule = Schedule(first, [Expression(first.nodes[serial]) for serial in sorted(wanted)],
                        keep_labels=True, temporary='kt', name_outputs=True, spare_names=True)
    groups: list[list[Statement]] = []
    last: dict[tuple[bool, int | None], int] = {}   # number of the last group of a body
    made_in: dict[str, int] = {}
    unnamed: list[Statement] = []   # on the way to the next that has a name

    def add(key: tuple[bool, int | None]) -> None:
        """Add the waiting statements to the last group of a body that has all behind them."""
        needs = max((made_in.get(name, 0) for name in names_in(value for _, value in unnamed)),
                    default=0)
        if last.get(key, -1) < needs or not groups:
            last[key] = len(groups)
            groups.append([])
        groups[last[key]].extend(unnamed)
        made_in.update((statement.name, last[key]) for statement in unnamed)
        unnamed.clear()

    for node, statement in schedule.by_node.items():
        unnamed.append(statement)
        if node in first.labels:   # what is made of several bodies stands behind these
            add((node.serial >= graphs[0].bodies, first.labels[node].body))
    add((True, None))
    return (tuple(Block('', tuple(group)) for group in groups if group),
            {node.serial: name for node, name in schedule.names.items()})


def write_function(request: Request, of: FunctionGraph,
                   known: Names) -> tuple[Function, Names]:
    """Return a function as statements, and all names with those of the constants."""
    function = of.function
    schedule = _scheduled(of.graph, of.results, request, known)
    with_loads = function.SUMMARY_WITH_LOADS if request.loads.acts(request.system) else ''
    return Function(
        of.name, with_loads or function.SUMMARY, _inputs(request, function),
        _results(request, of, of.results, schedule),
        of.notebook.sections(schedule), schedule.operations), schedule.names


def _in_twins(request: Request, of: FunctionGraph, function: Function) -> Function | None:
    """Return a function with statements of two numbers each, if equal limbs make it faster."""
    limbs = equal_limbs(request.system)
    if request.readable or not limbs or request.system.closed_loops:
        return None
    twinned = Twinned(of.graph, of.results,
                      {quantity.name: quantity for quantity in of.quantities}, limbs)
    if not twinned.results:
        return None
    schedule = _scheduled(twinned.graph, twinned.results, request, {})
    results = _results(request, of, twinned.results, schedule)
    twinned.graph.clear()
    return replace(function, results=results, twins=schedule.twins,
                   sections=(untitled(schedule.by_node.values()),))


def _dynamic_model(request: Request, of: FunctionGraph, known: Names) -> Function:
    """Return what the vectors in the root frame take in addition to the results."""
    schedule = Schedule(
        of.graph, [entry for vector in of.vectors.values() for entry in vector],
        keep_labels=True, known=known)
    axis = Axis('vector', tuple(of.vectors))
    return Function(
        'dynamic_model', 'vectors in the root frame', _inputs(request, of.function),
        (Result(Quantity('values_robot', '', rows=axis), tuple(
            Row(key, tuple(map(schedule.value, vector)))
            for key, vector in of.vectors.items())),),
        of.notebook.sections(schedule, continued=True), schedule.operations)


def _scheduled(graph: Graph, results: Mapping[str, Rows], request: Request,
               known: Names) -> Schedule:
    """Return the statements of some results, each entry of which gets a name."""
    return Schedule(graph, [*itertools.chain(*itertools.chain(*results.values()))],
                    keep_labels=request.readable, known=known, name_outputs=True)


def _results(request: Request, of: FunctionGraph, rows: Mapping[str, Rows],
             schedule: Schedule) -> tuple[Result, ...]:
    quantities = {quantity.name: quantity for quantity in of.quantities}
    joints = [request.rows[i] for i in request.system.motors]
    results = []
    for name, entries in rows.items():
        quantity = quantities[name]
        axis, units = quantity.rows, quantity.unit or {}
        described = list(zip(axis.keys, axis.keys, axis.units)) if axis.keys else [
            (row.name, str(row.number), units.get(row.effort_unit, row.effort_unit))
            for row in joints]
        results.append(Result(quantity, tuple(
            Row(key, tuple(map(schedule.value, row)), label, unit)
            for row, (key, label, unit) in zip(entries, described)),
            quantity.same_as or ResultKey(of.name, name)))
    return tuple(results)


def _inputs(request: Request, function: ModelFunction) -> tuple[Input, ...]:
    inputs = request.inputs
    return tuple(inputs[name] for name in (*function.INPUTS, 'passive', *function.LOAD_INPUTS)
                 if name in inputs)


def _title(robot: str, functions: Sequence[Function]) -> str:
    """Return the title of the last function, which may combine the others."""
    last = [each for each in functions if each.name != CLOSURE or len(functions) == 1][-1]
    of = f' of{mention(robot)}' if mention(robot) else ''
    arguments = {function.name: ', '.join(x.name for x in function.inputs)
                 for function in functions}
    title = FUNCTIONS[last.name].TITLE or '{name}{robot}: {summary}.'
    return title.format(
        name=last.name.replace('_', ' ').capitalize(), robot=of, summary=last.summary,
        results=', '.join(last.result_names), **arguments)


_STATES = 3   # without symmetry, that a file is checked in
_AMPLITUDES = {'q': 0.9, 'qd': 1.2, 'qdd': 2.0, 'base_motion': 1.5, 'external': 8.0, 'tau': 9.0}
_PHASES = {'q': 0.4, 'qd': 1.3, 'qdd': 2.6, 'base_motion': 0.7, 'external': 1.9, 'tau': 0.2}
_FIXED = {   # the same in every state
    'dt': (0.004,),
    'payload': (0.5, 0.02, -0.03, 0.05, 0.004, 0.001, -0.0005, 0.005, 0.0008, 0.003)}


def _references(request: Request) -> tuple[Reference, ...]:
    """Return states, each with the results that the textbook recursion has for every function."""
    system, loads, functions = request.system, request.loads, request.functions
    inertias = body_inertias(system)
    last = [name for name in functions if name != CLOSURE][-1:] or [CLOSURE]
    frames = system if request.readable else FUNCTIONS[last[0]].simplified(system, True)[0]
    result = []
    for k in range(_STATES):
        def entries(name: str, size: int, k: int = k) -> tuple[float, ...]:
            return tuple(round(_AMPLITUDES.get(name, 1.0) * math.sin(
                (1.7 + 0.3 * k) * i + _PHASES.get(name, 0.0) + 2.0 * k), 2) for i in range(size))

        used = {'q', 'qd', 'qdd', 'base_motion', 'base_twist', 'base_acceleration',
                *(x.name for name in functions for x in _inputs(request, FUNCTIONS[name]))}
        state = {name: entries(name, len(declared.entries))
                 for name, declared in request.inputs.items() if name in used}
        state |= {name: value for name, value in _FIXED.items() if name in state}
        if system.closed_loops:
            pose = closed_poses(system, 0.2 * np.array(state['q'])[:, None])[:, 0].tolist()
            state['q'], state['passive'] = (tuple(pose[j] for j in joints)
                                            for joints in (system.actuated, system.unknown))
        mechanics = Mechanics(
            system=system, gravity=request.gravity, inertias=[*inertias],
            second_moments=second_moments(inertias), recursion=TEXTBOOK, arguments=state,
            numeric_system=frames, numeric_gravity=request.gravity,
            moving=loads.moving(system), terms=body_terms(system, loads),
            frames=request.frames, gains=request.gains).loaded(loads).with_loops()
        for name in functions:
            for quantity in FUNCTIONS[name].quantities(mechanics):
                if quantity.columns is not None:
                    x, size = quantity.times, len(quantity.columns.keys)
                    state.setdefault(x, entries(x, size))
        expected = {}
        for name in functions:
            function, own = FUNCTIONS[name], mechanics
            # of accelerations in the frames of the text: rounded axes change efforts by 1e-11 of
            # the largest, which light links turn into a multiple of what a check allows
            if not request.readable and 'tau' in function.INPUTS:
                own = _simplified(request, function, state).loaded(loads).with_loops()
            results = function.expected(own)
            expected[name] = {quantity.name: tuple(map(float, own.reduced(
                quantity._replace(columns=None), results[quantity.name])))
                for quantity in function.quantities(own) if quantity.name in results}
        vectors = _in_root_frame(functions[0], mechanics) if request.readable else {}
        wrenches = mechanics.sweep(('q', 'qd', 'qdd')).wrenches.values()
        result.append(Reference(
            state, {name: each for name, each in expected.items() if each},
            {name: tuple(map(float, vector)) for name, vector in vectors.items()},
            {unit: max((math.hypot(*map(float, wrench[k])) for wrench in wrenches), default=0.0)
             for k, unit in enumerate(('N', 'N m'))}))
    return tuple(result)
