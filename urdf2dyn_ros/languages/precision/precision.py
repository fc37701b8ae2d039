"""What single precision changes in a language; double precision is that of the language."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.languages.infix import Infix, magnitude_as

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
