"""Python, with no dependency but math."""

from collections.abc import Iterator, Sequence

from urdf2dyn_ros.languages import dynamic_model
from urdf2dyn_ros.languages.lines import WIDTH, packed, wrapped
from urdf2dyn_ros.languages.self_tests.python import PythonSelfTest
from urdf2dyn_ros.program.function import Function, Row
from urdf2dyn_ros.program.program import Program
from urdf2dyn_ros.program.statements import Block


def write(program: Program) -> dict[str, str]:
    """Return the files of a program: one module."""
    return {f'{program.name}_dynamics.py': '\n'.join(Python(program).module()) + '\n'}


def definitions(program: Program) -> str:
    """Return the module without its self-test: what a program that only calls it needs."""
    return '\n'.join(Python(program).definitions()) + '\n'


class Python(PythonSelfTest):
    """A module that runs as a program."""

    COMMENT, SPACED, DYNAMIC_MODEL = '# ', False, True
    STATEMENT = CONSTANT = '{name} = {value}'
    LONG = '{name} = ({value})'
    TABLE = ('{name} = [', ']')

    def module(self) -> Iterator[str]:
        yield from self.definitions()
        yield from self.script()

    def definitions(self) -> Iterator[str]:
        """Yield the lines before the self-test."""
        program = self.program
        yield from ['"""', *self.heading(), '"""']
        called = ', '.join(name for name in self.called(program.functions) if name != 'abs')
        yield f'from math import {called}'
        yield (f'# from numpy import {called}   # instead of it, where numbers are arrays of '
               'samples')
        yield self._tuple('JOINT_NAMES', [ascii(row.name) for row in program.independent])
        yield self._tuple('EFFORT_UNITS', [f"'{row.effort_unit}'" for row in program.independent])
        yield from self.parameters()
        yield from self.derived()
        for function in program.functions:
            yield from self._function(function)
        if program.dynamic_model is not None:
            first = program.functions[0]
            yield from dynamic_model.definition(first.name, [x.name for x in first.inputs])

    def constants(self, names: Sequence[str], values: Sequence[float]) -> str:
        return f'{", ".join(names)} = {", ".join(map(self.number, values))}'

    def _tuple(self, name: str, entries: Sequence[str]) -> str:
        return self.array(f'{name} = (', entries, ',)' if len(entries) == 1 else ')')

    def _function(self, function: Function) -> Iterator[str]:
        arguments, model = [x.name for x in function.inputs], self._model(function)
        if model is not None:
            arguments.append(f'{dynamic_model.FLAG}=False')
        yield from ['', '', f'def {function.name}({", ".join(arguments)}):']
        yield from (f'    {line}'.rstrip() for line in (
            '"""', *self._docstring(function, arguments, model is not None), '"""'))
        yield from self._unpacked_inputs(function)
        yield from self.body(function)
        yield ''
        if len(function.results) > 1:
            for result in function.results:
                yield from self._rows(f'{result.name} = ', result.rows, result.is_matrix)
            line = f'    return {", ".join(function.result_names)}'
            yield line if len(line) <= WIDTH else self.array(
                '    return (', function.result_names, ')')
        else:
            result, = function.results
            head = 'return ' if model is None else f'{result.name} = '
            yield from self._rows(head, result.rows, result.is_matrix)
            if model is not None:
                yield from [f'    if not {dynamic_model.FLAG}:', f'        return {result.name}']
                yield from dynamic_model.continuation(self, model)

    def _docstring(self, function: Function, arguments: Sequence[str],
                   has_model: bool) -> list[str]:
        """Return the lines of a function's docstring, without indentation."""
        units = [result.quantity.summary for result in function.results if result.of_joints]
        inputs = ', '.join(f'{x} {known.units}' for x, known in self.program.state.items()
                           if units or x in arguments)
        described = '; '.join(filter(None, (f'{inputs}, by JOINT_NAMES',
                                            ' and '.join(dict.fromkeys(units)))))
        return [*wrapped(f'Return {function.summary}.', '', '', WIDTH - 4).splitlines(), '',
                *(line for text in (f'{described}.', *self.described(function))
                  for line in wrapped(text, '', '    ', WIDTH - 4).splitlines()),
                *[f'{dynamic_model.FLAG}: return what dynamic_model returns.'] * has_model]

    def _unpacked_inputs(self, function: Function) -> list[str]:
        """Return the lines that give the entries of the inputs their names, one if it is short."""
        used = [x for x in function.inputs if x.entries]
        names = ['(' + ', '.join(x.entries) + ',' * (len(x.entries) == 1) + ')' for x in used]
        line = f'    {", ".join(names)} = {", ".join(x.name for x in used)}'
        return [line] if len(used) > 1 and len(line) <= WIDTH else [
            self._unpacked(x.entries, x.name) for x in used]

    def _model(self, function: Function) -> Function | None:
        """Return the vectors in the root frame that follow the first function's results."""
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
                yield self.array(f'{start}[', entries, f']{end}')
            else:
                yield self.note(f'{start}{entries[0]}{end}', row.comment)

    def _unpacked(self, names: Sequence[str], source: str) -> str:
        comma = ',' if len(names) == 1 else ''
        text = f'    {", ".join(names)}{comma} = {source}'
        return text if len(text) <= WIDTH else packed(names, '    (', '     ', f') = {source}')
