"""Rust, with no dependency but std."""

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from urdf2dyn_ros.codegen.languages.language import (
    Infix,
    Language,
    Precision,
    nearest_single,
    shortest,
)
from urdf2dyn_ros.codegen.program import DOUBLE, SINGLE, Function, Result

_PRECISIONS = {DOUBLE: Precision('f64'), SINGLE: Precision(
    'f32', Infix(nearest_single, lambda function, x: f'{x}.{function}()' if x.isidentifier()
                 else f'f32::{function}({x})'), {
        '        for ((name': """        let mut scale: f32 = 1.0;
        for entry in expected {
            scale = scale.max(entry.abs());
        }
        for ((name""",
        '1e-9 * b.abs().max(1.0)': '@within * scale'}, {
        '1e-9 * b.abs().max(*scale)': '@within * scale'})}


def _quoted(text: str) -> str:
    return '"' + ''.join(c if c.isascii() and c.isprintable() and c not in '"\\'
                         else f'\\u{{{ord(c):x}}}' for c in text) + '"'


class Rust(Language):
    """A module, with its check as a test."""

    PRECISIONS = _PRECISIONS
    STATEMENT = LONG = 'let {name} = {value};'
    CONSTANT = 'const {name}: @real = {value};'
    INFIX = Infix(number=lambda value: shortest(value) + '_f64' * bool(value > 1e16),
                  call=lambda function, argument: f'{argument}.{function}()'
                  if argument.isidentifier() else f'f64::{function}({argument})')
    TABLE, ROW = ('    const {name}: &[[@real; {size}]] = &[', '    ];'), ('    [', '],')
    SCALE = ('    const {name}: [@real; {size}] = [', '];')
    COUNT, JOINTS = 'JOINTS', '&JOINT_NAMES'
    KEYS = ('    const @AXIS_NAMES: [&str; @COUNT] = [', '"', '];', '&@AXIS_NAMES')
    TEST = 'rustc --test {name}_dynamics.rs && ./{name}_dynamics'
    TIMES = """
    fn times<const R: usize, const C: usize>(M: &[[@real; C]; R], x: &[@real; C]) -> [@real; R] {
        M.map(|row| row.iter().zip(x).map(|(entry, x)| entry * x).sum())
    }"""
    DIFFERS = """
    fn compare<const N: usize>(function: &str, names: &[&str; N], found: &[@real; N],
                               expected: &[@real; N]) {
        for ((name, a), b) in names.iter().zip(found).zip(expected) {
            assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0),
                    "{}, {}: {} instead of {}", function, name, a, b);
        }
    }"""
    SCALED: ClassVar[dict[str, str]] = {
        'expected: &[@real; N])': 'expected: &[@real; N], scale: &[@real; N])',
        '((name, a), b) in': '(((name, a), b), scale) in',
        '.zip(expected)': '.zip(expected).zip(scale)', 'max(1.0)': 'max(*scale)'}
    ALIKE: ClassVar[dict[str, str]] = {
        '<const N: usize>': '', ' names: &[&str; N],': '', 'names.': 'JOINT_NAMES.',
        '\n                              ': '', '; N]': '; JOINTS]'}
    MAIN = """
    #[test]
    fn agrees_with_the_reference() {
@shown
@changed
        for k in 0..reference_q.len() {"""
    VERDICT = '        }\n    }'
    PARAMETER = '("{name}", {name}, {value})'
    CHANGED = """\
        let parameters = [
            @parameters
        ];
        let changed = parameters.iter().filter(|(_, value, exported)| value != exported);
        for (name, _, _) in changed.clone() {
            said(&format!("parameter {} was changed: the reference values do not apply", name));
        }
        if changed.count() > 0 {
            return;
        }
"""
    SAID = """
    // of a test that passes, what println! prints is not shown
    fn said(line: &str) {
        use std::io::Write;
        writeln!(std::io::stdout(), "{}", line).unwrap();
    }
"""

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
            yield f'    let {mutable}{result.name} = {self._filled_with("0.0", result)};'
            yield from self.assigned(result)
        several = len(types) > 1
        yield self.array(self.INDENT + '(' * several, function.result_names, ')' * several)
        yield '}'

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
            names = self.filled(self.row_names(result))[0].removeprefix('&')
            yield self.array('        let units = [', self.units(result), '];')
            yield f'        for ((name, entry), unit) in {names}.iter().zip({value}).zip(units) {{'
            yield '            said(&format!("{:24} {:.6} {}", name, entry, unit));'
            yield '        }'

    def check(self, function: Function, expected: Sequence[str]) -> Iterator[str]:
        arguments = [f'&reference_{x.name}[k]' for x in function.inputs]
        yield self.array(f'            let found = {function.name}(', arguments, ');')
        values = ['found'] if len(function.results) == 1 else [
            f'found.{i}' for i in range(len(function.results))]
        yield from self.compared(function, expected, values, '            compare(', ');',
                                 '"', '&')

    def main(self) -> str:
        return self.SAID * bool(self.vectors or self.exported_parameters()) + self.MAIN
