"""The C text of one function, for one state and for the lanes of vectors."""

from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple

from urdf2dyn_ros.languages.angles import Angles
from urdf2dyn_ros.languages.infix import Infix, magnitude_as
from urdf2dyn_ros.languages.sections import crossing
from urdf2dyn_ros.program.function import Function
from urdf2dyn_ros.program.statements import Call, Name, Signed, Statement, Term, names_in

_INFIX = Infix(call=magnitude_as('magnitude_SUFFIX'))
_INDENT = '    '
_VALUES = {'tanh': 'hyperbolic', 'exp': 'exponential'}
_ARRAYS = ('sine', 'cosine', *_VALUES.values())
PART = 150
"""Statements in one C function."""


class Source(NamedTuple):
    """
    A complete C text, the entries of each of its arrays, and its number of statements.

    The shape of the result for one state is (n, n), or (m,) of all results one behind the other.
    """

    text: str
    inputs: tuple[int, ...]
    result: tuple[int, ...]
    statements: int


def source(function: Function) -> Source:
    """
    Return the C text of one function of a program of style fast.

    All angles are collected before the recursion: their sines and cosines are a short loop over
    vectors then, and the recursion has no calls that would empty the registers. The arguments of
    hyperbolic tangents and exponentials likewise.
    """
    inputs = tuple(len(x.entries) for x in function.inputs)
    statements, entries = _Statements(function), function.entries
    sizes = {'INPUTS': len(inputs), 'ENTRIES': sum(inputs), 'ALIKE(DO)': _alike(inputs),
             'RESULT': len(entries), 'OPERATIONS': max(1, _arithmetic(function)),
             **{name.upper(): len(calls) for name, calls in statements.arguments.items()}}
    lines = [_packaged('vector_trigonometry.h'), _packaged('vector_exponentials.h')]
    lines += [f'#define {name} {size}' for name, size in sizes.items()]
    functions = '\n'.join([*statements.arguments_function(),
                           *statements.result_function(entries)])
    for real, suffix in (('double', 'one'), ('vector', 'many')):
        lines.append(functions.replace('REAL', real).replace('SUFFIX', suffix))
    lines.append(_packaged('states.h'))
    return Source('\n'.join(lines), inputs, function.results[0].shape if len(function.results) == 1
                  else (len(entries),),
                  len(statements.rest))


def _arithmetic(function: Function) -> int:
    """Return the number of operations behind the angles and exponents."""
    operations = function.operations
    return operations.multiplications + operations.additions + operations.divisions


def _alike(inputs: Sequence[int]) -> str:
    """Return DO(first, end, entry, size) of the inputs with one size, one behind the other."""
    loops, first = [], 0
    for size, same in groupby(inputs):
        end = first + len(list(same))
        loops.append(f'DO({first}, {end}, {sum(inputs[:first])}, {size})')
        first = end
    return ' '.join(loops)


def _packaged(name: str) -> str:
    return files('urdf2dyn_ros.compiled').joinpath(name).read_text(encoding='utf-8')


class _Hoisting(Angles):
    """Hyperbolic tangents and exponentials become entries of arrays as well."""

    def __init__(self, function: Function) -> None:
        self.calls: dict[str, dict[Signed, int]] = {name: {} for name in _VALUES}
        super().__init__(function)

    def _entry(self, term: Term) -> Name | None:
        if isinstance(term, Call) and term.function in self.calls:
            numbers = self.calls[term.function]
            k = numbers.setdefault(Signed(term.negative, term.argument), len(numbers))
            return Name(f'{_VALUES[term.function]}[{k}]')
        return super()._entry(term)


class _Statements:
    """A function's statements, with entries of arrays for what it calls."""

    def __init__(self, function: Function) -> None:
        self.inputs = {name: f'{x.name}[{k}]' for x in function.inputs
                       for k, name in enumerate(x.entries)}
        self._heads = [x.name for x in function.inputs]
        self._hoisting = _Hoisting(function)
        self.rest = self._hoisting.statements
        self.arguments: dict[str, list[Signed]] = {
            'angles': [Signed(False, angle) for angle in self._hoisting.angles],
            'ratios': list(self._hoisting.calls['tanh']),
            'exponents': list(self._hoisting.calls['exp'])}

    def arguments_function(self) -> Iterator[str]:
        arrays = ', '.join(f'REAL *restrict {name}' for name in self.arguments)
        assigned = [Statement(f'{name}[{k}]', value) for name, values in self.arguments.items()
                    for k, value in enumerate(values)]
        before = self._hoisting.made_before(statement.value for statement in assigned)
        yield f'static void arguments_SUFFIX(const REAL *const *in, {arrays})'
        yield from ['{', *self._pointers(), *self._body(before + assigned), '}']

    def result_function(self, entries: Sequence[Signed]) -> Iterator[str]:
        """Yield it in parts: the time that optimisation takes grows faster than a function."""
        statements = self._with_results(entries)
        parts = [statements[k:k + PART] for k in range(0, len(statements), PART)]
        kept = crossing(parts)
        arguments = ',\n    '.join(['const REAL *const *in',
                                   *(f'const REAL *restrict {name}' for name in _ARRAYS)])
        inline = 'inline __attribute__((always_inline))'
        for k, part in enumerate(parts):
            how = inline if len(parts) == 1 else '__attribute__((noinline))'
            yield f'static {how} void part_SUFFIX_{k}({arguments},'
            yield '    REAL *restrict kept, REAL *restrict result)'
            yield from ['{', *self._pointers(), *self._body(part, kept), '}']
        yield f'static {inline} void result_SUFFIX({arguments},'
        yield '    REAL *restrict result)'
        yield '{'
        yield f'{_INDENT}REAL kept[{max(1, len(kept))}];'
        passed = ', '.join(_ARRAYS)
        for k in range(len(parts)):
            yield f'{_INDENT}part_SUFFIX_{k}(in, {passed}, kept, result);'
        yield '}'

    def _with_results(self, entries: Sequence[Signed]) -> list[Statement]:
        """Return the statements, each result behind what makes it: those that wait would spill."""
        results: dict[str, list[Statement]] = {statement.name: [] for statement in self.rest}
        last: list[Statement] = []
        for k, entry in enumerate(entries):
            result = Statement(f'result[{k}]', self._hoisting.value(entry))
            name = entry.term.text if isinstance(entry.term, Name) else ''
            results.get(name, last).append(result)
        return [each for statement in self.rest
                for each in (statement, *results[statement.name])] + last

    def _pointers(self) -> Iterator[str]:
        for i, head in enumerate(self._heads):
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
