"""JavaScript, a module for browsers and Node.js."""

import json
import re
from collections.abc import Iterable, Iterator

from urdf2dyn_ros.codegen.languages.language import Around, Language
from urdf2dyn_ros.codegen.program import Function


def camel(name: str) -> str:
    return re.sub('_([a-z])', lambda match: match[1].upper(), name)


_CLOSE = """

// positions of the passive joints in a closed pose
export const passiveStart = [@start@];

// Closes the loops from passive, positions near them, as they were the last time: returns closed
// ones and the status 'closed', the same ones and 'open' if the loops do not close, or 'singular'
// if passive joints can move by themselves.
export function close(q, passive = passiveStart) {
    let near = passive;
    for (let step = 0; step < @steps@; step++) {
        const { closed, gap, margin } = closure(q, near);
        if (gap[0] < @gap@) {
            return { passive: closed, status: margin[0] >= @margin@ ? 'closed' : 'singular' };
        }
        near = closed;
    }
    return { passive, status: 'open' };
}"""


class JavaScript(Language):
    STATEMENT = LONG = CONSTANT = 'const {name} = {value};'
    DECLARE = LOCAL = 'const '
    JOINTS = 'jointNames'
    KEYS, QUOTE, KEYS_NAME = Around('const {axis}Names = [', '];'), "'", '{axis}Names'
    TEST = 'node {name}_dynamics.mjs'
    PARAMETER = "['{name}', {name}, {value}]"
    SELF_TEST = 'javascript'

    def files(self) -> dict[str, Iterable[str]]:
        return {f'{self.program.name}_dynamics.mjs': self.module()}

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
        yield from self.loop_solver(_CLOSE)
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
            yield f'    const {camel(result.name)} = {filled};'
            yield from self.assigned(result)
        yield f'    return {names if len(function.results) == 1 else f"{{ {names} }}"};'
        yield '}'

    def identifier(self, name: str) -> str:
        return camel(name)

    def fields(self) -> dict[str, str]:
        scales, each = (', scales', ', scales[i]') if self.scales else ('', '')
        return {**super().fields(), 'scales': scales, 'each': each}

    def shown(self, function: Function) -> Iterator[str]:
        arguments = [f'reference_{x.name}[0]' for x in function.inputs]
        yield self.array(f'    const found = {camel(function.name)}(', arguments, ');')
        yield f"    console.log('{camel(function.name)} in the first reference state:');"
        for result in self.vectors:
            name = camel(result.name)
            value = 'found' if len(function.results) == 1 else f'found.{name}'
            if self.many(function):
                yield f"    console.log('{name}');"
            yield self.array('    [', self.units(result, "'"), '].forEach((unit, i) =>')
            yield f'        console.log({self.row_names(result)}[i].padEnd(24),'
            yield f'            String(Number({value}[i].toPrecision(9))), unit));'

    def check(self, function: Function) -> Iterator[str]:
        arguments = [f'reference_{x.name}[k]' for x in function.inputs]
        values = list(map(camel, function.result_names))
        found = values[0] if len(values) == 1 else f'{{ {", ".join(values)} }}'
        if self.many(function):
            found, values = 'found', [f'found.{name}' for name in values]
        yield self.array(f'        {{   const {found} = {camel(function.name)}(', arguments, ');')
        for result, value in zip(function.results, values):
            yield self.array('            wrong.push(...differences(', self.compared(
                function, result, self.product(result, value), "'"), '));')
        yield '        }'
