"""Python, with no dependency but math."""

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from urdf2dyn_ros.languages import dynamic_model
from urdf2dyn_ros.languages.language import Language, variables
from urdf2dyn_ros.languages.lines import WIDTH, packed, wrapped
from urdf2dyn_ros.program.program import Function, Program, Result, Row
from urdf2dyn_ros.program.statements import Block

_INPUTS = 'q [rad or m], qd [rad/s or m/s], qdd [rad/s^2 or m/s^2], by JOINT_NAMES'
_KINDS = ('position', 'velocity', 'acceleration')


def write(program: Program) -> dict[str, str]:
    """Return the files of a program: one module."""
    return {f'{program.name}_dynamics.py': '\n'.join(Python(program).module()) + '\n'}


class Python(Language):
    """A module that runs as a program."""

    COMMENT, SPACED = '# ', False
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
            first = program.functions[0]
            yield from dynamic_model.definition(first.name, [x.name for x in first.inputs])
        yield from self._main()

    def constants(self, names: Sequence[str], values: Sequence[float]) -> str:
        return f'{", ".join(names)} = {", ".join(map(self.number, values))}'

    def _tuple(self, name: str, entries: Sequence[str]) -> str:
        return self.array(f'{name} = (', entries, ',)' if len(entries) == 1 else ')')

    def _function(self, function: Function) -> Iterator[str]:
        arguments, model = [x.name for x in function.inputs], self._model(function)
        if model is not None:
            arguments.append(f'{dynamic_model.FLAG}=False')
        yield from ['', '', f'def {function.name}({", ".join(arguments)}):']
        units = [result.quantity.summary for result in function.results if result.of_joints]
        doc = [
            *wrapped(f'Return {function.summary}.', '', '', WIDTH - 4).splitlines(), '',
            *(line for text in (f'{_INPUTS}; {" and ".join(dict.fromkeys(units))}.',
                                *self.described(function))
              for line in wrapped(text, '', '    ', WIDTH - 4).splitlines()),
            *[f'{dynamic_model.FLAG}: return what dynamic_model returns.'] * bool(model)]
        yield from (f'    {line}'.rstrip() for line in ('"""', *doc, '', '"""'))
        used = [x for x in function.inputs if x.entries]
        names = ['(' + ', '.join(x.entries) + ',' * (len(x.entries) == 1) + ')' for x in used]
        line = f'    {", ".join(names)} = {", ".join(x.name for x in used)}'
        yield from ([line] if len(used) > 1 and len(line) <= WIDTH else
                    [self._unpacked(x.entries, x.name) for x in used])
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
            head = 'return ' if model is None else f'{result.name} = '
            yield from self._rows(head, result.rows, result.is_matrix)
            if model is not None:
                yield from [f'    if not {dynamic_model.FLAG}:', f'        return {result.name}']
                yield from dynamic_model.continuation(self, model)

    def _model(self, function: Function) -> Function | None:
        """Return the vectors in the root frame that the first function goes on with, if any."""
        return self.program.dynamic_model if function is self.program.functions[0] else None

    def block(self, block: Block, indent: str, form: str = '') -> Iterator[str]:
        """Yield a formula and its statements, side by side where they are short."""
        if self.program.style == 'fast':
            return super().block(block, indent, form)
        return dynamic_model.compact(self, block, indent, form)

    def _rows(self, head: str, rows: Sequence[Row], matrix: bool) -> Iterator[str]:
        """Write a row a line, with its joint's number."""
        if not rows:
            yield f'    {head}[]'
        for k, row in enumerate(rows):
            start = f'    {head}[' if k == 0 else ' ' * (5 + len(head))
            end = ']' if k == len(rows) - 1 else ','
            entries = [self.INFIX.signed(entry) for entry in row.entries]
            if matrix:
                yield packed(entries, f'{start}[', ' ' * (len(start) + 1), f']{end}')
            else:
                yield self.note(f'{start}{entries[0]}{end}', row.comment)

    def _unpacked(self, names: Sequence[str], source: str) -> str:
        comma = ',' if len(names) == 1 else ''
        text = f'    {", ".join(names)}{comma} = {source}'
        return text if len(text) <= WIDTH else packed(names, '    (', '     ', f') = {source}')

    def _main(self) -> Iterator[str]:
        """Write a state that people fill in, and the check."""
        independent, reference = self.program.independent, self.program.references[0]
        names = variables(independent)
        states = [reference.arguments[x] for x in ('q', 'qd', 'qdd')]
        yield from ['', '', self.rule('A state to evaluate, in rad, m and s: fill it in and run '
                                      'this file')]
        for name, row, *values in zip(names, independent, *states):
            yield packed([f'gv_{kind}_{name}' for kind in _KINDS], '', ' ' * 8,
                         f' = {", ".join(map(self.number, values))}  # {row.unit}',
                         continued=' \\')
        yield 'array_of_variables = ['
        for name in names:
            yield packed([f'gv_{kind}_{name}' for kind in _KINDS], '    [', '     ', '],')
        yield ']'
        for x in self.load_inputs():
            yield from ['', *self.comments([x.summary])]
            values = list(map(self.number, reference.arguments[x.name]))
            yield self.array(f'{x.name} = [', values, ']')
        yield ''
        yield '# States, and what is expected of the parameters as they were written (of M: M qdd)'
        if self.program.dynamic_model is not None:
            yield from dynamic_model.table(self)
        yield from self.self_test()

    def table(self, name: str, of: str, rows: Iterable[Sequence[float]]) -> Iterator[str]:
        """Yield a table of numbers, in one line where it is short."""
        lines = list(super().table(name, of, rows))
        inner = ' '.join(map(str.strip, lines[1:-1])).removesuffix(',')
        line = f'{lines[0]}{inner}{lines[-1]}'
        yield from [line] if len(line) <= WIDTH else lines

    def main(self) -> str:
        """Return what shows the efforts of the state above, and what stands before the check."""
        function = self.program.functions[0]
        arguments = [x.name for x in function.inputs]
        call = f'{function.name}({", ".join(arguments)})'
        if len(function.results) == 1 and not self.sizes:
            return _EVALUATE + self._shown(function.results[0], call) + _CHECK
        left, names = self._found(function)
        shown = [f"\n    print('{result.name}')" * self.many(function)
                 + self._shown(result, name) for result, name in zip(function.results, names)]
        call = self.array(f'    {left} = {function.name}(', arguments, ')')
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
        arguments = [f'reference_{x.name}[k]' for x in function.inputs]
        left, names = self._found(function)
        yield self.array(f'        {left} = {function.name}(', arguments, ')')
        for result, name, known in zip(function.results, names, expected):
            if result.is_matrix:
                name = f'times({name}, reference_{result.quantity.times}[k])'
            said = [f"'{self.title(function, result)}'", *self.names(result), name, f'{known}[k]']
            yield self.array('        wrong += differences(', said, ')')
        if function is self.program.functions[-1] and self.program.dynamic_model is not None:
            first = self.program.functions[0]
            yield from dynamic_model.check(first.name, [x.name for x in first.inputs])


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
