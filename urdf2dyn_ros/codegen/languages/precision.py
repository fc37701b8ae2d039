"""The precision of exported numbers: types, literals and checks of double and single."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

import numpy as np

from urdf2dyn_ros.codegen.languages.text import Infix, magnitude_as
from urdf2dyn_ros.codegen.program import (
    Call,
    Function,
    Name,
    Number,
    Product,
    Program,
    Reciprocal,
    Reference,
    Result,
    Scales,
    Signed,
    Sum,
    Term,
    scales,
)
from urdf2dyn_ros.errors import ExportError

# ---- What single precision changes in a language; double precision is that of the language

DOUBLE, SINGLE = 'double', 'float'


@dataclass(frozen=True)
class Precision:
    """The precision of a program's numbers in one language."""

    real: str   # the name of the type
    # how terms and numbers are written, if otherwise than the language does
    infix: Infix | None = None
    # what differs in the functions of the self-check: old to new, with @within for the largest
    # difference, relative to the largest entry of a result
    check: Mapping[str, str] = field(default_factory=dict)
    # the same where results have scales: the largest difference is relative to these
    scaled: Mapping[str, str] = field(default_factory=dict)


def nearest(value: float) -> str:
    """Return the shortest text that reads back as the same number of single precision."""
    with np.errstate(over='ignore'):
        rounded = np.float32(value)
    if not np.isfinite(rounded) or (value and not rounded):
        raise ExportError(f'{value:g} is beyond the range of single precision: check the units of '
                          'the description, or export double precision')
    return str(rounded)


def suffixed(value: float) -> str:
    """Return a literal of C and C++."""
    return f'{nearest(value)}f'


_magnitude = magnitude_as('fabs')

_C_ENTRIES = {
    '%.17g instead of %.17g': '%.9g instead of %.9g',
    '                   found[i], expected[i]': '                   (double)found[i], '
                                                '(double)expected[i]',
    '= 0.0;': '= 0.0f;'}
C_PRECISIONS = {DOUBLE: Precision('double'), SINGLE: Precision(
    'float', Infix(suffixed, lambda function, x: _magnitude(function, x).replace('(', 'f(', 1)), {
        '    int wrong = 0;\n': """    int wrong = 0;
    float scale = 1.0f;
    for (int i = 0; i < size; i++) {
        scale = fmaxf(scale, fabsf(expected[i]));
    }
""",
        'fabs(found[i] - expected[i]) <= 1e-9 * fmax(1.0, fabs(expected[i]))':
            'fabsf(found[i] - expected[i]) <= @within * scale',
        **_C_ENTRIES}, {
        'fabs(found[i] - expected[i]) <= 1e-9 * fmax(scale[i], fabs(expected[i]))':
            'fabsf(found[i] - expected[i]) <= @within * scale[i]', **_C_ENTRIES})}

_CPP_ENTRIES = {
    '%.17g instead of %.17g': '%.9g instead of %.9g',
    'names[i], found[i], expected[i]': 'names[i], static_cast<double>(found[i]),\n'
                                       '                        '
                                       'static_cast<double>(expected[i])'}
CPP_PRECISIONS = {DOUBLE: Precision('double'), SINGLE: Precision(
    'float', Infix(lambda value: f'Scalar({suffixed(value)})', twin='twin{{{}, {}}}'), {
        '    int wrong = 0;\n': """    int wrong = 0;
    float scale = 1.0f;
    for (const float entry : expected) {
        scale = std::fmax(scale, std::abs(entry));
    }
""",
        '1e-9 * std::fmax(1.0, std::abs(expected[i]))': '@within * scale',
        **_CPP_ENTRIES}, {
        '1e-9 * std::fmax(scale[i],\n                                                   '
        'std::abs(expected[i]))': '@within * scale[i]', **_CPP_ENTRIES})}

RUST_PRECISIONS = {DOUBLE: Precision('f64'), SINGLE: Precision(
    'f32', Infix(nearest, lambda function, x: f'{x}.{function}()' if x.isidentifier()
                 else f'f32::{function}({x})'), {
        '        for ((name': """        let mut scale: f32 = 1.0;
        for entry in expected {
            scale = scale.max(entry.abs());
        }
        for ((name""",
        '1e-9 * b.abs().max(1.0)': '@within * scale'}, {
        '1e-9 * b.abs().max(*scale)': '@within * scale'})}
"""Precisions of each language that has a choice, by name."""


# ---- How far single precision is from double: the statements of a program, rounded one by one

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
