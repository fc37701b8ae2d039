"""JavaScript, a module for browsers and Node.js."""

import json
from collections.abc import Iterator

from urdf2dyn_ros.languages.self_tests.javascript import JavaScriptSelfTest, camel
from urdf2dyn_ros.program.function import Function
from urdf2dyn_ros.program.program import Program


def write(program: Program) -> dict[str, str]:
    """Return the files of a program: a module."""
    return {f'{program.name}_dynamics.mjs': '\n'.join(JavaScript(program).module()) + '\n'}


class JavaScript(JavaScriptSelfTest):
    """A module that runs as a program under Node.js."""

    STATEMENT = LONG = CONSTANT = 'const {name} = {value};'
    DECLARE = LOCAL = 'const '

    def module(self) -> Iterator[str]:
        used = self.used(self.program.functions)
        yield from self.comments(self.heading())
        called = ', '.join(self.called(self.program.functions))
        yield from ['', f'const {{ {called} }} = Math;', '']
        yield self.array('export const jointNames = [', [
            json.dumps(row.name) for row in self.program.independent], '];')
        yield from [*self.parameters(used), *self.derived(used, '', self.CONSTANT)]
        for function in self.program.functions:
            yield from ['', *self._function(function)]
        yield ''
        yield from self.self_test()

    def _function(self, function: Function) -> Iterator[str]:
        names = ', '.join(map(camel, function.result_names))
        yield from self.comments([f'Returns {function.summary}.', *self.described(function)])
        inputs = ', '.join(x for x, _ in self.inputs(function))
        yield f'export function {camel(function.name)}({inputs}) {{'
        yield from [*self.unpacked(function), *self.body(function), '']
        for result in function.results:
            filled = '[]'
            if result.is_matrix:
                filled = ('jointNames.map(() => [])' if result.of_joints else
                          f'Array.from({{ length: {len(result.rows)} }}, () => [])')
            yield f'{self.INDENT}const {camel(result.name)} = {filled};'
            yield from self.assigned(result)
        yield f'{self.INDENT}return {names if len(function.results) == 1 else f"{{ {names} }}"};'
        yield '}'
