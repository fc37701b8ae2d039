"""Julia, with no dependency but Base."""

from collections.abc import Iterator

from urdf2dyn_ros.languages.lines import WIDTH, wrapped
from urdf2dyn_ros.languages.self_tests.julia import JuliaSelfTest
from urdf2dyn_ros.program.function import Function
from urdf2dyn_ros.program.program import Program
from urdf2dyn_ros.program.statements import Statement


def write(program: Program) -> dict[str, str]:
    """Return the files of a program: one to include, or to run."""
    return {f'{program.name}_dynamics.jl': '\n'.join(Julia(program).module()) + '\n'}


class Julia(JuliaSelfTest):
    """A module that runs as a program."""

    COMMENT = '# '
    SPECIAL, ESCAPE = '"\\$', '\\U{:08x}'
    STATEMENT = '{name} = {value}'
    LONG = '{name} = ({value})'
    CONSTANT = 'const {name} = {value}'
    END = ''
    ENTRY, CELL, FIRST = '{name}[{k}]', '{name}[{k}, {j}]', 1

    def module(self) -> Iterator[str]:
        used = self.used(self.program.functions)
        functions = [function.name for function in self.program.functions]
        yield from self.comments(self.heading())
        yield from ['', f'module {self.space}', '',
                    f'export joint_names, {", ".join(functions)}', '',
                    self.array('const joint_names = String[', self.joint_names(), ']')]
        yield from [*self.parameters(used), *self.derived(used, '', self.CONSTANT)]
        for function in self.program.functions:
            yield from ['', *self._function(function)]
        yield from [*self.self_test()]

    def statement(self, statement: Statement, indent: str, form: str = '') -> str:
        """Return ``name = value``, in parentheses where a line would end it too early."""
        text = super().statement(statement, indent, form)
        if form and '\n' in text:
            return super().statement(statement, indent, form.replace('{value}', '({value})'))
        return text

    def _function(self, function: Function) -> Iterator[str]:
        yield '"""'
        yield f'    {function.name}({", ".join(x.name for x in function.inputs)})'
        yield from ['', f'Return {function.summary}.']
        for line in self.described(function):
            yield from ['', *wrapped(line, '', '', WIDTH).splitlines()]
        yield '"""'
        yield f'function {function.name}({", ".join(x.name for x in function.inputs)})'
        yield from [*self.unpacked(function), *self.body(function), '']
        scalars = [f'eltype({x.name})' for x in function.inputs]
        yield self.array(f'{self.INDENT}T = float(promote_type(', scalars, '))')
        for result in function.results:
            size = ', '.join(self.shape(result))
            yield f'{self.INDENT}{result.name} = zeros(T, {size})'
            yield from self.assigned(result)
        yield from [f'{self.INDENT}return {", ".join(function.result_names)}', 'end']
