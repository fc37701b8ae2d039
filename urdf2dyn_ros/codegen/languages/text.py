"""Terms, lines, names and headings as text, and long functions in sections."""

import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from urdf2dyn_ros.codegen.functions.function import is_plain
from urdf2dyn_ros.codegen.program import (
    Call,
    JointRow,
    Name,
    Number,
    Product,
    Program,
    Reciprocal,
    Signed,
    Sum,
    Term,
    Twin,
    scales,
)
from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.text import __version__, aligned

WIDTH = 99
_TIED_OPERATORS = ((' + ', ' +~'), (' - ', ' -~'), (' / ', ' /~'), (' * ', '~*~'))


def wrapped(text: str, indent: str, hanging: str, width: int) -> str:
    """Return text in lines of at most `width` columns, broken before + and -, if need be *."""
    if len(indent) + len(text) <= width:
        return indent + text
    for tight, tied in _TIED_OPERATORS:
        text = text.replace(tight, tied)
    room = width - len(indent + hanging)
    text = ' '.join(word.replace('~*~', ' *~') if len(word) > room else word
                    for word in text.split(' '))
    lines = textwrap.wrap(text, width, initial_indent=indent, subsequent_indent=indent + hanging,
                          break_long_words=False, break_on_hyphens=False)
    text = '\n'.join(lines)
    for tight, tied in (*_TIED_OPERATORS, ('* ', '*~')):
        text = text.replace(tied, tight)
    return text


def packed(entries: Sequence[str], first: str, hanging: str, last: str,
           separator: str = ',', continued: str = '') -> str:
    """Return entries with separators in lines of at most 99 columns, none of them broken."""
    lines = [first]
    for k, entry in enumerate(entries):
        text = entry + (separator if k < len(entries) - 1 else last)
        fresh = lines[-1] in (first, hanging)
        if not fresh and len(lines[-1]) + 1 + len(text) + len(continued) > WIDTH:
            lines.append(hanging)
            fresh = True
        lines[-1] += text if fresh else ' ' + text
    return f'{continued}\n'.join(lines)


def shortest(value: float) -> str:
    """Return the shortest text that reads back as the same double."""
    return repr(float(value))


def nearest_single(value: float) -> str:
    """Return the shortest text that reads back as the same number of single precision."""
    with np.errstate(over='ignore'):
        rounded = np.float32(value)
    if not np.isfinite(rounded) or (value and not rounded):
        raise ExportError(f'{value:g} is beyond the range of single precision: check the units of '
                          'the description, or export double precision')
    return str(rounded)


def prefix_call(function: str, argument: str) -> str:
    """Return f(x)."""
    return f'{function}({argument})'


def magnitude_as(name: str) -> Callable[[str, str], str]:
    """Return a call that writes |x| as a function of this name."""
    return lambda function, argument: prefix_call(name if function == 'abs' else function,
                                                  argument)


@dataclass(frozen=True)
class Infix:
    """
    The differences between infix languages; text and tree evaluate in the same order, exactly.

    `number` writes a positive constant, `call` the name of a function with the text of its
    argument, `twin` two numbers.
    """

    number: Callable[[float], str] = shortest
    call: Callable[[str, str], str] = prefix_call
    twin: str = 'TWIN({}, {})'

    def signed(self, value: Signed) -> str:
        text = self.term(value.term)
        if not value.negative:
            return text
        return f'-({text})' if isinstance(value.term, Sum) else f'-{text}'

    def term(self, value: Term) -> str:
        if type(value) is Name:   # most of them
            return value.text
        return _WRITERS[type(value)](self, value)

    def _sum(self, value: Sum) -> str:
        texts = [self._factor(entry) if isinstance(entry, Sum) else self.term(entry)
                 for _, entry in value.terms]
        signs = [' - ' if negative else ' + ' for negative, _ in value.terms]
        return texts[0] + ''.join(sign + text for sign, text in zip(signs[1:], texts[1:]))

    def _product(self, value: Product) -> str:
        first, *rest = value.factors
        texts = [self._factor(first) if isinstance(first, Sum) else self.term(first)]
        return ' * '.join(texts + [self._factor(factor) for factor in rest])

    def _factor(self, value: Term) -> str:
        text = self.term(value)
        return f'({text})' if isinstance(value, (Sum, Product, Reciprocal)) else text


_WRITERS: dict[type, Callable[[Infix, Any], str]] = {
    Number: lambda infix, value: infix.number(value.value),
    Name: lambda infix, value: value.text,
    Call: lambda infix, value: infix.call(
        value.function, infix.signed(Signed(value.negative, value.argument))),
    Reciprocal: lambda infix, value: f'{infix.number(1.0)} / {infix._factor(value.divisor)}',
    Product: Infix._product,
    Sum: Infix._sum,
    Twin: lambda infix, value: infix.twin.format(
        infix.signed(value.first), infix.signed(value.second)),
}


def variables(rows: Sequence[JointRow]) -> list[str]:
    """Return suffixes for gv_: the joint's name where it is made of letters, digits and _."""
    plain = [row.name if re.fullmatch(r'[A-Za-z0-9_]{1,47}', row.name) else '' for row in rows]
    taken = set(plain)
    result = []
    for row, name in zip(rows, plain):
        number_name = f'joint_{row.number}'
        while number_name in taken:
            number_name += '_'
        result.append(name or number_name)
    return result


_WIDTH = 96   # behind what begins a comment

# method, and the lines about units
_DYNAMIC = ('Recursive Newton-Euler', (
    'SI: rad, m, kg, s, N, N m. Efforts are positive along the axis: what the actuator must',
    'supply. Inputs must be finite: products with what is always zero are omitted.'))
_KINEMATIC = ('Kinematics', (
    'SI: rad, m, s. Inputs must be finite: products with what is always zero are omitted.',))

_SAME_AXES = 'x y z'   # those of a frame that are those of another; how to read others
_KEY = "    z -x -y: x of frame i is the link's z, y its -x, z its -y"

# sentences of each style on the numbers of the URDF
_NUMBERS = {
    'readable': ['Lengths of 0 and quarter turns of the URDF are folded in (`export --general`: '
                 'nothing is).'],
    'general': ['Nothing of the URDF is folded in: pi, and the rotations A of joints, B of links,',
                'E of inertial axes, V of planes follow from xyz, rpy and axis.'],
    'fast': []}


def heading(program: Program) -> list[str]:
    """Return title, joint table, conventions and costs."""
    several = len(program.functions) > 1
    single = ', single precision' * bool(program.accuracy)
    method, units = (_KINEMATIC if program.kinematic else _DYNAMIC)
    costs = [f'One call{f" of {function.name}" * several}: {function.operations}.'
             for function in program.functions]
    accuracy = []
    if program.accuracy:
        of = 'its scale' if scales(program) else 'the largest entry of a result, or of 1'
        accuracy = _wrapped(f'The self-test allows {program.accuracy:.1g} of {of}: eight times '
                            'the error in its states.')
    lines = [
        *_wrapped(program.title),
        '',
        f'{method}, {program.style} style{single}, written by urdf2dyn_ros {__version__}.',
        *units,
        *accuracy,
        *(line for sentence in program.loads for line in _wrapped(sentence)),
        *_NUMBERS[program.style],
        *(line for cost in costs for line in _wrapped(cost)),
        '',
        *_table(program),
        *_limits(program),
    ]
    return lines + (['', *program.legend] if program.legend else [])


def _wrapped(sentence: str) -> list[str]:
    return wrapped(sentence, '', '    ', _WIDTH).splitlines()


def _table(program: Program) -> list[str]:
    rows: list[tuple[str, ...]] = [
        ('i', 'joint', 'type', 'moves', 'parent', 'q', 'effort', "frame i: link's")]
    for row in program.joints:
        rows.append((str(row.number), _cell(row.name), row.type, _cell(row.link), row.parent,
                     row.driver or row.unit, '' if row.driver else row.effort_unit, row.frame))
    turned = program.style != 'fast' and any(row.rotation for row in program.joints)
    if turned:
        column = ["Ai: frame p's", *(row.rotation or _SAME_AXES for row in program.joints)]
        rows = [(*row, cell) for row, cell in zip(rows, column)]
    key = []
    if turned or any(row.frame != _SAME_AXES for row in program.joints):
        key = [_KEY + '; Ai: axes of joint i, in frame p' * turned]
    return [f'    {line}' for line in aligned(rows, left=len(rows[0]))] + key


def _limits(program: Program) -> list[str]:
    """Return the limits of the joints in the URDF; continuous ones have none of position."""
    rows = [f'    {row.number:<3} {row.limits}' for row in program.joints if row.limits]
    title = 'Limits of the joints in the URDF, which are not enforced here:'
    return ['', title, *rows] if rows else []


def _cell(name: str) -> str:
    """Return a name that can stand in a comment of any language; the others are data."""
    return name if is_plain(name) else '-'
