"""Rust, with no dependency but std."""

from collections.abc import Iterable, Iterator
from typing import ClassVar

from urdf2dyn_ros.codegen.infix import Infix, nearest_single, shortest
from urdf2dyn_ros.codegen.languages.language import Around, Language
from urdf2dyn_ros.codegen.program import DOUBLE, SINGLE, Function, Program, Result

_INFIX = Infix(
    number=lambda value: shortest(value) + ('_f64' if value > 1e16 else ''),
    call=lambda function, argument: f'{argument}.{function}()' if argument.isidentifier() else
    f'f64::{function}({argument})')
_SINGLE = Infix(nearest_single, lambda function, argument: f'{argument}.{function}()'
                if argument.isidentifier() else f'f32::{function}({argument})')


def _quoted(text: str) -> str:
    return '"' + ''.join(c if c.isascii() and c.isprintable() and c not in '"\\'
                         else f'\\u{{{ord(c):x}}}' for c in text) + '"'


_CLOSE = """

/// Passive joints can move by themselves in a singular pose: do not use the efforts there, nor
/// where the loops are open.
#[derive(Debug, PartialEq, Clone, Copy)]
pub enum Loops { Closed, Open, Singular }

/// Positions of the passive joints in a closed pose.
pub const PASSIVE_START: [@real@; @p@] = [@start@];

/// Close the loops: passive is near them, as it was the last time; it stays where it is if they do
/// not close.
pub fn close(q: &[@real@; JOINTS], passive: &mut [@real@; @p@]) -> Loops
{
    let mut near = *passive;
    for _ in 0..@steps@ {
        let (next, gap, margin) = closure(q, &near);
        if gap[0] < @gap@ {
            *passive = next;
            return if margin[0] >= @margin@ { Loops::Closed } else { Loops::Singular };
        }
        near = next;
    }
    Loops::Open
}"""


class Rust(Language):
    STATEMENT = LONG = 'let {name} = {value};'
    INFIX = _INFIX
    REALS: ClassVar[dict[str, str]] = {DOUBLE: 'f64', SINGLE: 'f32'}
    TABLE = Around('    const {name}: &[[{real}; {size}]] = &[', '    ];')
    ROW = Around('    [', '],')
    SCALE = Around('    const {name}: [{real}; {size}] = [', '];')
    COUNT, JOINTS = 'JOINTS', '&JOINT_NAMES'
    KEYS = Around('    const {AXIS}_NAMES: [&str; {count}] = [', '];')
    KEYS_NAME = '&{AXIS}_NAMES'
    TEST = 'rustc --test {name}_dynamics.rs && ./{name}_dynamics'
    PARAMETER = '("{name}", {name}, {value})'
    SELF_TEST, SCALED = 'rust', '*scale'

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.CONSTANT = f'const {{name}}: {self.real} = {{value}};'
        if self.single:
            self.INFIX = _SINGLE

    def files(self) -> dict[str, Iterable[str]]:
        return {f'{self.program.name}_dynamics.rs': self.module()}

    def module(self) -> Iterator[str]:
        used = self.used(self.program.functions)
        names = [_quoted(row.name) for row in self.program.independent]
        yield from (f'//!{line[3:]}' for line in self.comments(self.heading(), ' '))
        yield from ['#![allow(non_snake_case, non_upper_case_globals)]', '',
                    f'pub const JOINTS: usize = {self.n};',
                    self.array('pub const JOINT_NAMES: [&str; JOINTS] = [', names, '];')]
        yield from self.parameters(used)
        if not self.derives_in_functions:
            yield from self.derived(used, '', self.CONSTANT)
        for function in self.program.functions:
            yield from ['', *self._function(function)]
        yield from self.loop_solver(_CLOSE)
        yield from ['', '#[cfg(test)]', 'mod tests {', '    use super::*;', '']
        yield from [*self.self_test(), '}']

    def _filled_with(self, entry: str, result: Result) -> str:
        """Return the type or the value of a result, whose entries are alike."""
        for size in reversed(self.shape(result)):
            entry = f'[{entry}; {size}]'
        return entry

    def _function(self, function: Function) -> Iterator[str]:
        said = [f'Returns {function.summary}.', *(
            text.replace('[', '(').replace(']', ')') for text in self.described(function))]
        yield from (f'///{line[3:]}' for line in self.comments(said, ' '))   # [N] is a link there
        types = [self._filled_with(self.real, result) for result in function.results]
        inputs = [f'{x if entries else f"_{x}"}: &[{self.real}; {self.size(x)}]'
                  for x, entries in self.inputs(function)]
        yield self.array(f'pub fn {function.name}(', inputs, ')')
        yield f'    -> {types[0]}' if len(types) == 1 else self.array('    -> (', types, ')')
        yield from ['{', *self.unpacked(function)]
        if self.derives_in_functions:
            yield from self.derived(self.used([function]), self.INDENT)
        yield from [*self.body(function), '']
        for result in function.results:
            mutable = 'mut ' if 0 not in result.shape else ''
            yield f'    let {mutable}{result.name} = {self._filled_with("0.0", result)};'
            yield from self.assigned(result)
        several = len(types) > 1
        first, last = ('(', ')') if several else ('', '')
        yield self.array(self.INDENT + first, function.result_names, last)
        yield '}'

    def fields(self) -> dict[str, str]:
        names, n = ('names', 'N') if self.axes else ('JOINT_NAMES', 'JOINTS')
        return {**super().fields(), 'joints': names,
                'scales': f', scale: &[{self.real}; {n}]' if self.scales else ''}

    def shown(self, function: Function) -> Iterator[str]:
        arguments = [f'&reference_{x.name}[0]' for x in function.inputs]
        yield self.array(f'        let found = {function.name}(', arguments, ');')
        yield f'        said("\\n{function.name} in the first reference state:");'
        for i, result in enumerate(function.results):
            if result not in self.vectors:
                continue
            value = 'found' if len(function.results) == 1 else f'found.{i}'
            if self.many(function):
                yield f'        said("{result.name}");'
            names = self.row_names(result).removeprefix('&')
            yield self.array('        let units = [', self.units(result), '];')
            yield f'        for ((name, entry), unit) in {names}.iter().zip({value}).zip(units) {{'
            yield '            said(&format!("{:24} {:.6} {}", name, entry, unit));'
            yield '        }'

    def check(self, function: Function) -> Iterator[str]:
        arguments = [f'&reference_{x.name}[k]' for x in function.inputs]
        yield self.array(f'            let found = {function.name}(', arguments, ');')
        for i, result in enumerate(function.results):
            value = 'found' if len(function.results) == 1 else f'found.{i}'
            yield self.array('            compare(', self.compared(
                function, result, self.product(result, value, '&'), ref='&'), ');')
