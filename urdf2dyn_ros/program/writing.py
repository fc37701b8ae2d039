"""The expressions of a function as named statements."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from urdf2dyn_ros.algebra.expression import Graph, Node
from urdf2dyn_ros.functions.function import ModelFunction, Rows
from urdf2dyn_ros.functions.inputs import Input
from urdf2dyn_ros.functions.quantity import Axis, Quantity
from urdf2dyn_ros.program.derivation import Derivation, Request
from urdf2dyn_ros.program.function import Function, Result, Row
from urdf2dyn_ros.program.program import JointRow
from urdf2dyn_ros.program.scheduling import Schedule
from urdf2dyn_ros.program.statements import untitled
from urdf2dyn_ros.program.twins.equal_limbs import equal_limbs
from urdf2dyn_ros.program.twins.twinned import Twinned

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
