"""Julia, with no dependency but Base."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from urdf2dyn_ros.languages.language import Language
from urdf2dyn_ros.languages.lines import WIDTH, wrapped
from urdf2dyn_ros.program.program import Function, Program
from urdf2dyn_ros.program.statements import Statement


def write(program: Program) -> dict[str, str]:
    """Return the files of a program: one to include, or to run."""
    return {f'{program.name}_dynamics.jl': '\n'.join(Julia(program).module()) + '\n'}


class Julia(Language):
    """A module that runs as a program."""

    COMMENT = '# '
    SPECIAL, ESCAPE = '"\\$', '\\U{:08x}'
    STATEMENT = '{name} = {value}'
    LONG = '{name} = ({value})'
    CONSTANT = 'const {name} = {value}'
    END = ''
    ENTRY, CELL, FIRST = '{name}[{k}]', '{name}[{k}, {j}]', 1
    TABLE, ROW = ('const {name} = [', ']'), ('Float64[', '],')
    KEYS = ('const @axis_names = String[', '"', ']', '@axis_names')
    TEST = 'julia {name}_dynamics.jl'

    def module(self) -> Iterator[str]:
        """Yield the lines of the file."""
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

    @property
    def space(self) -> str:
        """Robot2rDynamics for robot_2r: no keyword begins with a capital."""
        words = self.program.name.split('_')
        return ''.join(word[:1].upper() + word[1:] for word in words) + 'Dynamics'

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

    def check(self, function: Function, expected: Sequence[str]) -> Iterator[str]:
        arguments = [f'reference_{x.name}[k]' for x in function.inputs]
        left = 'found' if self.many(function) else ', '.join(function.result_names)
        yield self.array(f'        {left} = {function.name}(', arguments, ')')
        for i, (result, known) in enumerate(zip(function.results, expected), 1):
            value = f'found[{i}]' if self.many(function) else result.name
            if result.is_matrix:
                value = f'{value} * reference_{result.quantity.times}[k]'
            said = [f'"{self.title(function, result)}"', *self.names(result), value, f'{known}[k]']
            yield self.array('        append!(wrong, differences(', said, '))')

    DIFFERS = """
function differences(name, names, found, expected)
    return ["$name, $joint: $a instead of $b"
            for (joint, a, b) in zip(names, found, expected)
            if !(abs(a - b) <= 1e-9 * max(1.0, abs(b)))]
end"""
    ALIKE: ClassVar[dict[str, str]] = {'(name, names, ': '(name, ', 'zip(': 'zip(joint_'}
    MAIN = """
function self_test()
    wrong = String[]
    for k in eachindex(reference_q)"""
    VERDICT = """\
    end
    return wrong
end

end

if abspath(PROGRAM_FILE) == @__FILE__
    wrong = @space.self_test()
    println(isempty(wrong) ? "agrees with the reference" : "differs from the reference")
    foreach(line -> println("    ", line), wrong)
    exit(isempty(wrong) ? 0 : 1)
end"""
