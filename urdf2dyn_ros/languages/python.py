"""Python, with no dependency but math."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from urdf2dyn_ros.equations.program import Block, Function, JointRow, Program, Signed, Statement
from urdf2dyn_ros.languages.heading import heading
from urdf2dyn_ros.languages.infix import WIDTH, number, packed, signed, wrapped

_INDENT = '    '


def write(program: Program) -> dict[str, str]:
    """Return the files of a program: one module."""
    return {f'{program.name}_dynamics.py': '\n'.join(_module(program)) + '\n'}


def _module(program: Program) -> Iterator[str]:
    yield from ['"""', *heading(program), '"""']
    yield 'from math import cos, sin'
    yield '# from numpy import cos, sin   # instead of it, where numbers are arrays of samples'
    yield ''
    yield _tuple('JOINT_NAMES', [ascii(row.name) for row in program.independent])
    yield _tuple('EFFORT_UNITS', [f"'{row.effort_unit}'" for row in program.independent])
    yield from _parameters(program)
    yield from _inverse_dynamics(program)
    if program.dynamic_model is not None:
        yield from _dynamic_model(program, program.dynamic_model)
    yield from _main(program)


def _tuple(name: str, entries: Sequence[str], brackets: str = '()') -> str:
    first = f'{name} = {brackets[0]}'
    comma = ',' if len(entries) == 1 and brackets == '()' else ''
    return packed(entries, first, ' ' * len(first), comma + brackets[1]) if entries else (
        first + brackets[1])


def _statement(statement: Statement, indent: str = _INDENT) -> str:
    line = f'{indent}{statement.name} = {signed(statement.value)}'
    if len(line) <= WIDTH:
        return line
    return wrapped(f'{statement.name} = ({signed(statement.value)})', indent,
                   ' ' * (len(statement.name) + 4))


def _parameters(program: Program) -> Iterator[str]:
    if not program.parameters:
        return
    yield ''
    yield _rule('', 'Parameters, as in the URDF: change a line, run again, and the efforts follow')
    for group in program.parameters:
        yield from ['', f'# {group.title}']
        for line in group.lines:
            values = ', '.join(number(value) for value in line.values)
            yield from _commented(f'{", ".join(line.names)} = {values}', line.comment)
    if program.constants:
        yield ''
        yield _rule('', 'What follows from them, in the frames of the equations')
        yield "# First moments h = m c; inertia about the origin J = I + m (c.c 1 - c c')"
    for block in program.constants:
        yield ''
        yield from _block(block, '')


def _commented(code: str, comment: str) -> Iterator[str]:
    line = f'{code:48}  # {comment}'
    if len(line) <= WIDTH:
        yield line
    else:
        yield from [f'# {comment}', code]


def _rule(indent: str, title: str) -> str:
    return f'{indent}# ==== {title} '.ljust(99, '=')


def _block(block: Block, indent: str = _INDENT) -> Iterator[str]:
    if block.comment:
        yield from _comment(block.comment, indent)
    for statement in block.statements:
        yield _statement(statement, indent)


def _comment(text: str, indent: str) -> Iterator[str]:
    for line in wrapped(text, '', '    ', WIDTH - len(indent) - 2).splitlines():
        yield f'{indent}# {line}'


def _body(function: Function) -> Iterator[str]:
    for section in function.sections:
        yield ''
        yield _rule(_INDENT, section.title)
        for paragraph in section.paragraphs:
            yield ''
            yield from _comment(f'---- {paragraph.title}', _INDENT)
            for block in paragraph.blocks:
                yield from _block(block)


def _inverse_dynamics(program: Program) -> Iterator[str]:
    yield from ['', '', 'def inverse_dynamics(q, qd, qdd):', f'{_INDENT}"""']
    yield from [f'{_INDENT}Return the efforts, one for each of JOINT_NAMES.', '',
                f'{_INDENT}q [rad or m], qd [rad/s or m/s], qdd [rad/s^2 or m/s^2]: a value for',
                f'{_INDENT}each of JOINT_NAMES; efforts [N m or N].', '', f'{_INDENT}"""']
    for x in ('q', 'qd', 'qdd'):
        names = [f'{x}{i}' for i in program.numbers]
        if names:
            yield _unpacked(names, x)
    yield from _body(program.inverse_dynamics)
    yield ''
    efforts = [signed(output.entries[0]) for output in program.inverse_dynamics.outputs]
    yield from _listed('return [', efforts, ']', program.independent)


def _unpacked(names: Sequence[str], source: str) -> str:
    comma = ',' if len(names) == 1 else ''
    text = f'{_INDENT}{", ".join(names)}{comma} = {source}'
    if len(text) <= WIDTH:
        return text
    return packed(names, _INDENT + '(', _INDENT + ' ', f') = {source}')


def _listed(head: str, entries: Sequence[str], tail: str, rows: Sequence[JointRow],
            ) -> Iterator[str]:
    """Write a value a line, each with its joint's number."""
    if not entries:
        yield f'{_INDENT}{head}{tail}'
    for k, (entry, row) in enumerate(zip(entries, rows)):
        start = head if k == 0 else ' ' * len(head)
        end = tail if k == len(entries) - 1 else ','
        yield f'{_INDENT}{start}{entry}{end}'.ljust(40) + f'  # {row.number} [{row.effort_unit}]'


def _dynamic_model(program: Program, function: Function) -> Iterator[str]:
    yield from ['', '', 'def dynamic_model(array_of_variables):', f'{_INDENT}"""']
    yield from (_INDENT + line if line else '' for line in (
        'Return 3-vectors in the root frame: a dictionary by kind and name.',
        '',
        'array_of_variables: a row [position, velocity, acceleration] for each of JOINT_NAMES.',
        'position_, velocity_, acceleration_ [m, m/s, m/s^2] of the origin of the frame of every',
        'joint and link (both move with the link); forces_, torques_ [N, N m] that every movable',
        "joint transmits to its link, about the joint's origin.",
        '', '"""'))
    rows = [f'(q{i}, qd{i}, qdd{i})' for i in program.numbers]
    if rows:
        yield _unpacked(rows, 'array_of_variables')
    yield from _body(function)
    yield ''
    yield f'{_INDENT}values_robot = {{'
    for output in function.outputs:
        yield from _entry(output.key, output.entries)
    yield from [f'{_INDENT}}}', f'{_INDENT}return values_robot']


def _entry(key: str, entries: tuple[Signed, ...]) -> Iterator[str]:
    texts = [signed(entry) for entry in entries]
    line = f'{_INDENT * 2}{key!a}: [{", ".join(texts)}],'
    if len(line) <= WIDTH:
        yield line
        return
    deep = _INDENT * 3
    yield f'{_INDENT * 2}{key!a}: ['
    yield packed([wrapped(text, '', deep + _INDENT) for text in texts], deep, deep, '],')


def _main(program: Program) -> Iterator[str]:
    independent, reference = program.independent, program.reference
    names = _variables(independent)
    states = (reference.q, reference.qd, reference.qdd)
    kinds = ('position', 'velocity', 'acceleration')
    yield from ['', '', _rule('', 'A state to evaluate: fill it in and run this file'), '']
    for k, row in enumerate(independent):
        for kind, unit, values in zip(kinds, ('', '/s', '/s^2'), states):
            yield f'gv_{kind}_{names[k]} = {number(values[k])}'.ljust(58) + (
                f'  # [{row.unit}{unit}]')
    yield from ['', 'array_of_variables = [']
    for name in names:
        yield packed([f'gv_{kind}_{name}' for kind in kinds], _INDENT + '[', _INDENT + ' ', '],')
    yield ']'
    yield ''
    yield '# A state, and the efforts that were found for it when this file was written. They no'
    yield '# longer agree once a parameter has been changed.'
    for name, values in zip(('Q', 'QD', 'QDD', 'EFFORTS'), (*states, reference.efforts)):
        yield _tuple(f'REFERENCE_{name}', [number(value) for value in values], brackets='[]')
    yield from _MAIN.splitlines()


def _variables(rows: Sequence[JointRow]) -> list[str]:
    """Return suffixes for gv_: the joint's name where it is made of letters, digits and _."""
    plain = [row.name if re.fullmatch(r'[A-Za-z0-9_]{1,64}', row.name) else '' for row in rows]
    taken = set(plain)
    result = []
    for row, name in zip(rows, plain):
        number_name = f'joint_{row.number}'
        while number_name in taken:
            number_name += '_'
        result.append(name or number_name)
    return result


_MAIN = """

if __name__ == '__main__':
    efforts = inverse_dynamics(*([row[k] for row in array_of_variables] for k in range(3)))
    for name, effort, unit in zip(JOINT_NAMES, efforts, EFFORT_UNITS):
        print(f'{ascii(name)[1:-1]:24} {effort: .9g} {unit}')
    found = inverse_dynamics(REFERENCE_Q, REFERENCE_QD, REFERENCE_QDD)
    wrong = [name for name, a, b in zip(JOINT_NAMES, found, REFERENCE_EFFORTS)
             if abs(a - b) > 1e-9 * max(1.0, abs(b))]
    print('differs from the reference: ' + ascii(wrong) if wrong else 'agrees with the reference')
    raise SystemExit(1 if wrong else 0)
"""
