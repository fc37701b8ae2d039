"""Rust, with no dependency but std."""

from collections.abc import Iterator

from urdf2dyn_ros.languages.infix import Infix, shortest
from urdf2dyn_ros.languages.precision import precision
from urdf2dyn_ros.languages.self_tests.rust import RustSelfTest
from urdf2dyn_ros.program.function import Function, Result
from urdf2dyn_ros.program.program import Program


def write(program: Program) -> dict[str, str]:
    """Return the files of a program: a module."""
    return {f'{program.name}_dynamics.rs': '\n'.join(Rust(program).module()) + '\n'}


class Rust(RustSelfTest):
    """A module, with its check as a test."""

    PRECISIONS = precision.RUST_PRECISIONS
    SPECIAL, ESCAPE = '"\\', '\\u{{{:x}}}'
    STATEMENT = LONG = 'let {name} = {value};'
    CONSTANT = 'const {name}: @real = {value};'
    INFIX = Infix(number=lambda value: shortest(value) + '_f64' * bool(value > 1e16),
                  call=lambda function, argument: f'{argument}.{function}()'
                  if argument.isidentifier() else f'f64::{function}({argument})')

    def module(self) -> Iterator[str]:
        used = self.used(self.program.functions)
        names = self.joint_names()
        yield from (f'//!{line[3:]}' for line in self.comments(self.heading(), ' '))
        yield from ['#![allow(non_snake_case, non_upper_case_globals)]', '',
                    f'pub const JOINTS: usize = {self.n};',
                    self.array('pub const JOINT_NAMES: [&str; JOINTS] = [', names, '];')]
        yield from self.parameters(used)
        if not self.derives_in_functions:
            yield from self.derived(used, '', self.CONSTANT)
        for function in self.program.functions:
            yield from ['', *self._function(function)]
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
            mutable = 'mut ' * (0 not in result.shape)
            yield f'{self.INDENT}let {mutable}{result.name} = {self._filled_with("0.0", result)};'
            yield from self.assigned(result)
        several = len(types) > 1
        yield self.array(self.INDENT + '(' * several, function.result_names, ')' * several)
        yield '}'
