"""The C text of one function, for one state and for the lanes of vectors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from types import MappingProxyType
from typing import NamedTuple

from urdf2dyn_ros.equations.program import Function, Program, Signed, Statement, names_in
from urdf2dyn_ros.languages.angles import Angles
from urdf2dyn_ros.languages.infix import Infix

_INFIX = Infix()
_INDENT = '    '
PART = 150
"""Statements in one C function."""


class Source(NamedTuple):
    """
    A C text and what calls need to know of it.

    Attributes
    ----------
    text : str
        Complete, with no #include but of the C library.
    inputs : int
        1 to 3 arrays, (n,) or (N, n) each.
    n : int
        Independent joints, at least 1.
    result : tuple of int
        Shape of the result for one state: (n,) or (n, n).
    statements : int
        In the text of one evaluation.

    """

    text: str
    inputs: int
    n: int
    result: tuple[int, ...]
    statements: int


def source(program: Program, function: Function) -> Source:
    """
    Return the C text of one function of a program of style fast.

    All angles are collected before the recursion: their sines and cosines are a short loop over
    vectors then, and the recursion has no calls that would empty the registers.
    """
    n, results = len(program.numbers), function.results
    statements = _Statements(program, function)
    entries = [entry for result in results for row in result.rows for entry in row.entries]
    sizes = {'INPUTS': len(function.inputs), 'STATE': n, 'RESULT': len(entries),
             'ANGLES': len(statements.angles), 'OPERATIONS': max(1, sum(function.operations[:2]))}
    lines = [_packaged('vector_trigonometry.h')]
    lines += [f'#define {name} {size}' for name, size in sizes.items()]
    functions = '\n'.join([*statements.angles_function(), *statements.result_function(entries)])
    for real, suffix in (('double', 'one'), ('vector', 'many')):
        lines.append(functions.replace('REAL', real).replace('SUFFIX', suffix))
    lines.append(_packaged('states.h'))
    return Source('\n'.join(lines), len(function.inputs), n,
                  (n, n) if results[0].is_matrix else (n,), len(statements.rest))


def _packaged(name: str) -> str:
    return files('urdf2dyn_ros.compiled').joinpath(name).read_text(encoding='utf-8')


class _Statements:
    """A function's statements, with sines and cosines as entries of arrays."""

    def __init__(self, program: Program, function: Function) -> None:
        self.inputs = {name: f'{x.name}[{k}]' for x in function.inputs
                       for k, name in enumerate(x.entries)}
        self.heads = tuple(x.name for x in function.inputs)
        self._hoisting = Angles(function)
        self.angles, self.before = self._hoisting.angles, self._hoisting.before
        self.rest = self._hoisting.statements

    def angles_function(self) -> Iterator[str]:
        yield 'static void angles_SUFFIX(const REAL *const *in, REAL *angles)'
        yield from ['{', *self._pointers()]
        yield from self._body(self.before + [
            Statement(f'angles[{k}]', Signed(False, angle)) for angle, k in self.angles.items()])
        yield '}'

    def result_function(self, entries: Sequence[Signed]) -> Iterator[str]:
        """Yield it in parts: the time that optimisation takes grows faster than a function."""
        statements = self.rest + [Statement(f'result[{k}]', self._hoisting.value(entry))
                                  for k, entry in enumerate(entries)]
        parts = [statements[k:k + PART] for k in range(0, len(statements), PART)]
        kept = _kept(parts)
        arguments = ('(const REAL *const *in, const REAL *restrict sine, '
                     'const REAL *restrict cosine,\n    REAL *restrict kept, '
                     'REAL *restrict result)')
        inline = 'inline __attribute__((always_inline))'
        for k, part in enumerate(parts):
            how = inline if len(parts) == 1 else '__attribute__((noinline))'
            yield f'static {how} void part_SUFFIX_{k}{arguments}'
            yield from ['{', *self._pointers(), *self._body(part, kept), '}']
        yield f'static {inline} void result_SUFFIX(const REAL *const *in,'
        yield '    const REAL *sine, const REAL *cosine, REAL *result)'
        yield '{'
        yield f'{_INDENT}REAL kept[{max(1, len(kept))}];'
        for k in range(len(parts)):
            yield f'{_INDENT}part_SUFFIX_{k}(in, sine, cosine, kept, result);'
        yield '}'

    def _pointers(self) -> Iterator[str]:
        for i, head in enumerate(self.heads):
            yield f'{_INDENT}const REAL *const restrict {head} = in[{i}];'

    def _body(self, statements: Sequence[Statement],
              kept: Mapping[str, int] = MappingProxyType({})) -> Iterator[str]:
        """Yield statements, and what is loaded where it is first used: earlier, it would spill."""
        waiting = self.inputs | {name: f'kept[{k}]' for name, k in kept.items()}
        for name, value in statements:
            waiting.pop(name, None)
            for used in sorted(names_in([value])):
                if used in waiting:
                    yield f'{_INDENT}const REAL {used} = {waiting.pop(used)};'
            left = name if name.endswith(']') else f'const REAL {name}'
            # a plain number becomes a vector, and nothing changes, not even -0.0
            right = '' if names_in([value]) else ' - (REAL){0}'
            yield f'{_INDENT}{left} = {_INFIX.signed(value)}{right};'
            if name in kept:
                yield f'{_INDENT}kept[{kept[name]}] = {name};'


def _kept(parts: Sequence[Sequence[Statement]]) -> dict[str, int]:
    """Return places in memory for what one part of the statements makes and another uses."""
    made = {statement.name: k for k, part in enumerate(parts) for statement in part}
    crossing = dict.fromkeys(
        name for k, part in enumerate(parts) for statement in part
        for name in sorted(names_in([statement.value])) if made.get(name, k) != k)
    return {name: k for k, name in enumerate(crossing)}
