"""
The table of languages: a new one is a file and a line here.

A language writes a Program, or the same in single precision: `in_single` computes how far that is
from double, which is what its self-test allows.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from typing import Any, Literal, TypeAlias

import numpy as np

from urdf2dyn_ros.codegen.languages import arrays, c, cpp, javascript, matlab, python, rust
from urdf2dyn_ros.codegen.languages.language import Language
from urdf2dyn_ros.codegen.program import SINGLE, Program, result_scales
from urdf2dyn_ros.errors import ExportError

# ros2_control: a whole package, in export.py
LanguageName: TypeAlias = Literal['python', 'c', 'cpp', 'matlab', 'rust', 'javascript',
                                  'casadi', 'jax', 'torch', 'ros2_control']
PrecisionName: TypeAlias = Literal['double', 'float']

# those whose functions can be called, as `InverseDynamics.function` returns them
CALLABLE: dict[str, type[arrays.Arrays]] = {
    'casadi': arrays.Casadi, 'jax': arrays.Jax, 'torch': arrays.Torch}
LANGUAGES: dict[str, type[Language]] = {
    'python': python.Python, 'c': c.C, 'cpp': cpp.Cpp, 'matlab': matlab.Matlab, 'rust': rust.Rust,
    'javascript': javascript.JavaScript, **CALLABLE}

ROUNDING_MARGIN = 8.0   # what compilers may add by another order of roundings, as a factor
_LEAST_BOUND = 2.0**-22


def in_single(program: Program) -> Program:
    """
    Return a program whose numbers are of single precision, with the accuracy of its check.

    An ExportError for numbers beyond the range of single precision.
    """
    references = program.references
    with np.errstate(all='ignore'):
        errors = [_LEAST_BOUND, *_errors(program)]
    if not np.isfinite(errors).all():
        raise ExportError('results of the reference states are beyond the range of single '
                          'precision: export double precision')
    return replace(program, precision=SINGLE, accuracy=ROUNDING_MARGIN * float(max(errors)),
                   compute_references=lambda: references)


def _errors(program: Program) -> Iterator[float]:
    """Run the Python text with arrays of one number each, which keep their precision."""
    known = result_scales(replace(program, precision=SINGLE))
    text: dict[str, Any] = {'single': _single}
    module = python.definitions(program, lambda number: f'single({float(number)!r})')
    exec(module.replace('from math', 'from numpy', 1), text)
    for reference in program.references:
        for function in program.functions:
            computed = text[function.name](*(map(_single, reference.arguments[x.name])
                                             for x in function.inputs))
            for result, entries in zip(function.results,
                                       computed if len(function.results) > 1 else [computed]):
                if result.is_matrix:   # its product as the self-check makes it
                    vector = list(map(_single, reference.arguments[result.quantity.times]))
                    entries = [reduce(np.add, map(np.multiply, map(_single, row), vector),
                                      _single(0.0)) for row in entries]
                expected = np.array(reference.of(result.expected))
                if len(expected):
                    scale = known.get(result.expected, max(1.0, np.abs(expected).max()))
                    computed = np.array([float(_single(entry)[0]) for entry in entries])
                    yield float((np.abs(computed - expected) / scale).max())


def _single(number: Any) -> Any:
    return np.array(number, np.float32).reshape(1)
