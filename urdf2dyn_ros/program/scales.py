"""How large results are in the reference states: what differences are compared with."""

from collections.abc import Sequence

from urdf2dyn_ros.program.function import Result
from urdf2dyn_ros.program.program import Program

Scales = dict[tuple[str, str], tuple[float, ...]]
"""Function and result, as in `Result.reference`, to a number for each row."""

_USUAL, _USUAL_EFFORTS = (1e-2, 1e7), (1e-2, 1e4)
"""Results, in SI units, that are compared as if the scale were 1, as all were once."""

_SHARE = 0.1
"""With 1e-9 of it, zeros are as exact as efforts are promised to be: 1e-10 of the largest."""

_ROUNDING = 1e-12
"""Entries of a unit that are smaller than this, as a share of those of the others, are zeros."""


def scales(program: Program) -> Scales:
    """
    Return the scales of all results, with one digit; none for a robot of usual size.

    In double precision a difference of 1e-9 of the scale, or of the expected entry if that is
    larger, is none; in single precision the scale is the largest magnitude itself.
    """
    results = [result for function in program.functions for result in function.results]
    sizes = {result.reference: largest(program, result) for result in results}
    known = {result.reference: tuple(
        _scale(size, _is_effort(program, result, row.unit))
        for size, row in zip(sizes[result.reference], result.rows)) for result in results}
    if all(scale == 1.0 for row in known.values() for scale in row):
        return {}
    return known if program.precision == 'double' else {
        reference: tuple(map(_one_digit, row)) for reference, row in sizes.items()}


def largest(program: Program, result: Result) -> list[float]:
    """
    Return the largest magnitude of a result with the unit of each row, in all reference states.

    Efforts are at least as large as what joints transmit, of which they are entries: they may
    cancel. Where all of a unit cancel, it is what is largest of the others, or 1.
    """
    of, name = result.reference
    states = [reference.expected[of][name] for reference in program.references]
    units = [row.unit for row in result.rows]
    known = {unit: max(abs(row[i]) for row in states for i, each in enumerate(units)
                       if each == unit) for unit in units}
    for unit in known:
        if _is_effort(program, result, unit):
            known[unit] = max(known[unit], transmitted(program, unit))
    most = max(known.values(), default=0.0)
    if any(_is_effort(program, result, unit) for unit in known):
        most = max(most, transmitted(program, 'N'), transmitted(program, 'N m'))
    return [known[unit] if known[unit] > _ROUNDING * most else most or 1.0 for unit in units]


def transmitted(program: Program, unit: str) -> float:
    """Return the largest force or moment that a joint transmits; 0 for another unit."""
    return max(reference.transmitted.get(unit, 0.0) for reference in program.references)


def wrench_scales(program: Program) -> Sequence[float]:
    """Return the scales of the forces and of the moments that joints transmit."""
    return [_scale(transmitted(program, unit) or 1.0, True) for unit in ('N', 'N m')]


def _is_effort(program: Program, result: Result, unit: str) -> bool:
    return not result.is_matrix and transmitted(program, unit) > 0.0


def _scale(size: float, effort: bool) -> float:
    low, high = _USUAL_EFFORTS if effort else _USUAL
    return 1.0 if low <= size <= high else _one_digit(_SHARE * size)


def _one_digit(value: float) -> float:
    return float(f'{value:.1g}')
