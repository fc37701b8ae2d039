"""How far single precision is from double: the statements of a program, rounded one by one."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np

from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.languages.precision.precision import SINGLE
from urdf2dyn_ros.program.function import Function, Result
from urdf2dyn_ros.program.program import Program, Reference
from urdf2dyn_ros.program.scales import Scales, scales
from urdf2dyn_ros.program.statements import (
    Call,
    Name,
    Number,
    Product,
    Reciprocal,
    Signed,
    Sum,
    Term,
)

ROUNDING_MARGIN = 8.0
"""What compilers and libraries may add by another order of roundings, as a factor."""

_LEAST_BOUND = 2.0**-22
_FUNCTIONS = {'sin': np.sin, 'cos': np.cos, 'tanh': np.tanh, 'exp': np.exp, 'sqrt': np.sqrt,
              'abs': np.abs}


def single_error(program: Program) -> float:
    """
    Return the largest error of a result in the reference states, with single precision.

    Errors are relative to the largest entry of the result, or to 1 if that is larger; to the
    scales, if the program has some. An ExportError for numbers beyond the range of single
    precision.
    """
    errors, known = [_LEAST_BOUND], scales(replace(program, precision=SINGLE))
    with np.errstate(all='ignore'):
        constants = _constants(program)
        for reference in program.references:
            for function in program.functions:
                errors += _errors(function, constants, reference, known)
    if not np.isfinite(errors).all():
        raise ExportError('results of the reference states are beyond the range of single '
                          'precision: export double precision')
    return float(max(errors))


def _constants(program: Program) -> dict[str, np.float32]:
    values = {name: np.float32(value) for group in program.parameters for line in group.lines
              for name, value in zip(line.names, line.values)}
    for block in program.constants:
        for statement in block.statements:
            values[statement.name] = _signed(statement.value, values)
    return values


def _errors(function: Function, constants: Mapping[str, np.float32], reference: Reference,
            known: Scales) -> list[float]:
    values = dict(constants)
    for x in function.inputs:
        values.update(zip(x.entries, map(np.float32, reference.arguments[x.name])))
    for statement in function.statements:
        values[statement.name] = _signed(statement.value, values)
    errors = []
    for result in function.results:
        of, name = result.reference
        expected = np.array(reference.expected[of][name])
        computed = _vector(result, values, reference)
        if len(expected):
            scale = known.get(result.reference, max(1.0, np.abs(expected).max()))
            errors.append(float((np.abs(computed - expected) / scale).max()))
    return errors


def _vector(result: Result, values: Mapping[str, np.float32], reference: Reference,
            ) -> np.ndarray:
    """Return the entries of a vector, or the product of a matrix as the self-check makes it."""
    rows = [[_signed(entry, values) for entry in row.entries] for row in result.rows]
    if not result.is_matrix:
        return np.array([entry for row in rows for entry in row], float)
    x = np.array(reference.arguments[result.quantity.times], np.float32)
    return np.array([reduce(np.add, (np.array(row, np.float32) * x), np.float32(0.0))
                     for row in rows], float)


def _signed(value: Signed, values: Mapping[str, np.float32]) -> np.float32:
    term = _term(value.term, values)
    return -term if value.negative else term


def _term(term: Term, values: Mapping[str, np.float32]) -> np.float32:
    return _VALUES[type(term)](term, values)


_VALUES: dict[type, Callable[[Any, Mapping[str, np.float32]], np.float32]] = {
    Number: lambda term, values: np.float32(term.value),
    Name: lambda term, values: values[term.text],
    Call: lambda term, values: _FUNCTIONS[term.function](
        _signed(Signed(term.negative, term.argument), values)),
    Reciprocal: lambda term, values: np.float32(1.0) / _term(term.divisor, values),
    Product: lambda term, values: reduce(
        np.multiply, [_term(each, values) for each in term.factors]),
    Sum: lambda term, values: reduce(
        np.add, [_signed(Signed(*each), values) for each in term.terms]),
}


def in_single(program: Program) -> Program:
    """Return a program whose numbers are of single precision, with the accuracy of its check."""
    references = program.references
    return replace(program, precision=SINGLE, accuracy=ROUNDING_MARGIN * single_error(program),
                   check=lambda: references)
