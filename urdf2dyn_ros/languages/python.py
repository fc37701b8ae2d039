"""Python, with no dependency but math."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from urdf2dyn_ros.languages.language import Language, variables
from urdf2dyn_ros.languages.lines import WIDTH, packed, wrapped
from urdf2dyn_ros.program.program import Function, Program, Result, Row

_KINDS = ('position', 'velocity', 'acceleration')


def write(program: Program) -> dict[str, str]:
    """Return the files of a program: one module."""
    return {f'{program.name}_dynamics.py': '\n'.join(Python(program).module()) + '\n'}


class Python(Language):
    """A module that runs as a program."""

    COMMENT = '# '
    STATEMENT = CONSTANT = '{name} = {value}'
    LONG = '{name} = ({value})'
    TABLE = ('{name} = [', ']')
    JOINTS, KEYS = 'JOINT_NAMES', ('@AXIS_NAMES = (', "'", ')', '@AXIS_NAMES')
    DIFFERS = '''

def differences(function, names, found, expected):
    """Return what to say about entries that are not what is expected."""
    return [f'{function}, {ascii(name)}: {a!r} instead of {b!r}'
            for name, a, b in zip(names, found, expected)
            if not abs(a - b) <= 1e-9 * max(1.0, abs(b))]'''
    ALIKE: ClassVar[dict[str, str]] = {'n, names, ': 'n, ', 'zip(names': 'zip(JOINT_NAMES'}
    TIMES = '''

def times(M, x):
    """Return M x."""
    return [sum(a * b for a, b in zip(row, x)) for row in M]'''
    VERDICT = """\
    print('differs from the reference:' if wrong else 'agrees with the reference', *wrong,
          sep='\\n    ')
    raise SystemExit(1 if wrong else 0)"""
    TEST = 'python3 {name}_dynamics.py'

    def module(self) -> Iterator[str]:
        """Yield the lines of the file."""
        program = self.program
        yield from ['"""', *self.heading(), '"""']
        called = ', '.join(name for name in self.called(program.functions) if name != 'abs')
        yield f'from math import {called}'
        yield (f'# from numpy import {called}   # instead of it, where numbers are arrays of '
               'samples')
        yield ''
        yield self._tuple('JOINT_NAMES', [ascii(row.name) for row in program.independent])
        yield self._tuple('EFFORT_UNITS', [f"'{row.effort_unit}'" for row in program.independent])
        yield from self.parameters()
        yield from self.derived()
        for function in program.functions:
            yield from self._function(function)
        if program.dynamic_model is not None:
            yield from self._dynamic_model(program.dynamic_model)
        yield from self._main()

    def constants(self, names: Sequence[str], values: Sequence[float]) -> str:
        """Return one line that gives names their values."""
        return f'{", ".join(names)} = {", ".join(map(self.number, values))}'

    def _tuple(self, name: str, entries: Sequence[str]) -> str:
        return self.array(f'{name} = (', entries, ',)' if len(entries) == 1 else ')')

    def _function(self, function: Function) -> Iterator[str]:
        yield from ['', '', f'def {function.name}({", ".join(x.name for x in function.inputs)}):']
        units = [result.quantity.summary for result in function.results if result.of_joints]
        yield from self._doc([
            *wrapped(f'Return {function.summary}.', '', '', WIDTH - 4).splitlines(), '',
            'q [rad or m], qd [rad/s or m/s], qdd [rad/s^2 or m/s^2]: a value for',
            f'each of JOINT_NAMES; {" and ".join(dict.fromkeys(units))}.',
            *(line for text in self.described(function)
              for line in wrapped(text, '', '    ', WIDTH - 4).splitlines())])
        for x in function.inputs:
            if x.entries:
                yield self._unpacked(x.entries, x.name)
        yield from self.body(function)
        yield ''
        for result in function.results if len(function.results) > 1 else ():
            yield from self._rows(f'{result.name} = ', result.rows, result.is_matrix)
        if len(function.results) > 1:
            names = function.result_names
            line = f'    return {", ".join(names)}'
            yield line if len(line) <= WIDTH else self.array('    return (', names, ')')
        else:
            result, = function.results
            yield from self._rows('return ', result.rows, result.is_matrix)

    def _rows(self, head: str, rows: Sequence[Row], matrix: bool) -> Iterator[str]:
        """Write a row a line, with its joint's number."""
        if not rows:
            yield f'    {head}[]'
        for k, row in enumerate(rows):
            start = f'    {head}[' if k == 0 else ' ' * (5 + len(head))
            end = ']' if k == len(rows) - 1 else ','
            entries = [self.signed(entry) for entry in row.entries]
            if matrix:
                yield packed(entries, f'{start}[', ' ' * (len(start) + 1), f']{end}')
            else:
                yield self.note(f'{start}{entries[0]}{end}', row.comment)

    def _doc(self, lines: Sequence[str]) -> Iterator[str]:
        yield from [f'    {line}'.rstrip() for line in ('"""', *lines, '', '"""')]

    def _unpacked(self, names: Sequence[str], source: str) -> str:
        comma = ',' if len(names) == 1 else ''
        text = f'    {", ".join(names)}{comma} = {source}'
        return text if len(text) <= WIDTH else packed(names, '    (', '     ', f') = {source}')

    def _dynamic_model(self, function: Function) -> Iterator[str]:
        yield from ['', '', 'def dynamic_model(array_of_variables):']
        yield from self._doc([
            'Return 3-vectors in the root frame: a dictionary by kind and name.', '',
            'array_of_variables: a row [position, velocity, acceleration] for each of '
            'JOINT_NAMES.',
            'position_, velocity_, acceleration_ [m, m/s, m/s^2] of the origin of the frame of '
            'every',
            'joint and link (both move with the link); forces_, torques_ [N, N m] that every '
            'movable',
            "joint transmits to its link, about the joint's origin."])
        rows = [f'(q{i}, qd{i}, qdd{i})' for i in self.program.numbers]
        if rows:
            yield self._unpacked(rows, 'array_of_variables')
        yield from self.body(function)
        yield from ['', '    values_robot = {']
        for row in function.results[0].rows:
            texts = [self.signed(entry) for entry in row.entries]
            line = f'        {row.key!a}: [{", ".join(texts)}],'
            if len(line) > WIDTH:
                deep = ' ' * 12
                line = f'        {row.key!a}: [\n' + packed(
                    [wrapped(text, '', deep + '    ') for text in texts], deep, deep, '],')
            yield line
        yield from ['    }', '    return values_robot']

    def _main(self) -> Iterator[str]:
        """Write a state that people fill in, and the check."""
        independent, reference = self.program.independent, self.program.references[0]
        names = variables(independent)
        states = [reference.given[x] for x in ('q', 'qd', 'qdd')]
        yield from ['', '', self.rule('A state to evaluate: fill it in and run this file'), '']
        for k, row in enumerate(independent):
            for kind, per, values in zip(_KINDS, ('', '/s', '/s^2'), states):
                yield f'gv_{kind}_{names[k]} = {self.number(values[k])}'.ljust(58) + (
                    f'  # [{row.unit}{per}]')
        yield from ['', 'array_of_variables = [']
        for name in names:
            yield packed([f'gv_{kind}_{name}' for kind in _KINDS], '    [', '     ', '],')
        yield ']'
        for x in self.load_inputs():
            yield from ['', *self.comments([x.summary])]
            yield self.array(f'{x.name} = [', list(map(self.number, reference.given[x.name])), ']')
        yield ''
        yield '# States, and what was found for them when this file was written (for the mass'
        yield '# matrix M qdd). It no longer agrees once a parameter has been changed.'
        yield from self.self_test()

    def main(self) -> str:
        """Return what shows the efforts of the state above, and what stands before the check."""
        function = self.program.functions[0]
        given = [x.name for x in function.inputs]
        call = f'{function.name}({", ".join(given)})'
        if len(function.results) == 1 and not self.sizes:
            return _EVALUATE + self._shown(function.results[0], call) + _CHECK
        left, names = self._found(function)
        shown = [f"\n    print('{result.name}')" * self.many(function)
                 + self._shown(result, name) for result, name in zip(function.results, names)]
        call = self.array(f'    {left} = {function.name}(', given, ')')
        return f'{_EVALUATE}\n{call}{"".join(shown)}{_CHECK}'

    def _shown(self, result: Result, value: str) -> str:
        """Return what prints a result: a row a line, with its name and unit."""
        names = self.row_names(result)
        if result.is_matrix:
            return _PRINT_ROWS.replace('@names', names).replace('@value', value)
        units = [row.unit for row in result.rows]
        known = ['EFFORT_UNITS']
        if units != [row.effort_unit for row in self.program.independent]:
            known = str(units).split(', ')
        head = self.array('    for name, entry, unit in zip(', [names, value, *known], '):')
        return f'\n{head}\n{_PRINT_ENTRY}'

    def _found(self, function: Function) -> tuple[str, list[str]]:
        """Return what takes the results of a call, and what each of them is called then."""
        if self.many(function):
            return 'found', [f'found[{k}]' for k in range(len(function.results))]
        return ', '.join(function.result_names), function.result_names

    def check(self, function: Function, expected: Sequence[str]) -> Iterator[str]:
        """Yield what compares each result of a function with what is expected of it."""
        given = [f'reference_{x.name}[k]' for x in function.inputs]
        left, names = self._found(function)
        yield self.array(f'        {left} = {function.name}(', given, ')')
        for result, name, known in zip(function.results, names, expected):
            if result.is_matrix:
                name = f'times({name}, reference_{result.quantity.times}[k])'
            said = [f"'{self.title(function, result)}'", *self.names(result), name, f'{known}[k]']
            yield self.array('        wrong += differences(', said, ')')


_EVALUATE = """

if __name__ == '__main__':
    q, qd, qdd = ([row[k] for row in array_of_variables] for k in range(3))"""
_CHECK = """
    wrong = []
    for k in range(len(reference_q)):"""
_PRINT_ENTRY = """\
        print(f'{ascii(name)[1:-1]:24} {entry: .9g} {unit}')"""
_PRINT_ROWS = """
    for name, row in zip(@names, @value):
        print(f'{ascii(name)[1:-1]:24}', *(f'{entry: .6g}' for entry in row))"""
