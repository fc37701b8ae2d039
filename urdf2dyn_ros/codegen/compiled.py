"""
Generated functions as Python callables: run as text, or compiled from C when needed.

`source` writes a function of the fast style as C, for one state and for the lanes of vectors;
`compiled` builds it, or finds it in the cache, as a callable that returns None for whatever is
unusual; `choose` falls back on Python where C cannot be; a GeneratedFunction checks and converts
what compiled code does not take.
"""

import ctypes
import logging
import math
import sys
import sysconfig
import weakref
from _ctypes import dlclose
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from importlib.machinery import ExtensionFileLoader, ModuleSpec
from importlib.resources import files
from importlib.util import module_from_spec
from itertools import accumulate, chain, groupby
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from urdf2dyn_ros.codegen.c_compiler import (
    NATIVE,
    Compiler,
    cached,
    find_compiler,
    key_of,
    machine,
)
from urdf2dyn_ros.codegen.infix import Infix
from urdf2dyn_ros.codegen.languages import python
from urdf2dyn_ros.codegen.languages.sections import Hoisted, crossing
from urdf2dyn_ros.codegen.program import Function, Name, Program, Statement, names_in
from urdf2dyn_ros.codegen.signature import Input
from urdf2dyn_ros.errors import CompilerError, ParameterError, StateError
from urdf2dyn_ros.robot.spatial import Array
from urdf2dyn_ros.text import listed

# values of joints: in the order of the model, or by name
Values: TypeAlias = ArrayLike | Mapping[str, ArrayLike]


def real_numbers(values: Any) -> Array:
    """Return an array of float64; a TypeError for masked values, dates and complex ones."""
    if np.ma.is_masked(values):
        raise TypeError('some of it is masked')
    array = np.asarray(values)
    if array.dtype.kind not in 'biufO':
        raise TypeError(f'its type is {array.dtype}')
    return np.asarray(array, dtype=np.float64)


def in_order(what: str, values: Any, joints: Sequence[str]) -> Any:
    """
    Return values in the order of the joints if they have names, else as they are.

    Names are texts: other labels do not name joints. A StateError for joints that are missing,
    unknown or named twice.
    """
    if type(values) in (list, tuple) or (type(values) is np.ndarray and not values.dtype.names):
        return values   # the usual arguments, at once
    labels, columns = _labelled(values)
    # the innermost labels of a MultiIndex
    labels = [label[-1] if isinstance(label, tuple) and label else label for label in labels]
    if not isinstance(values, Mapping) and not any(isinstance(label, str) for label in labels):
        return values
    names = [str(label) for label in labels]
    faults = [f'{fault} {listed(wrong)}' for fault, wrong in (
        ('there is no value for', [joint for joint in joints if joint not in names]),
        ('the robot has no joint', [name for name in names if name not in joints]),
        ('there are several values for', [name for name, n in Counter(names).items() if n > 1]),
    ) if wrong]
    if faults:
        raise StateError(f'{what}: {"; ".join(faults)}; the joints are: {", ".join(joints)}')
    if not joints:
        return ()
    where = {name: k for k, name in enumerate(names)}
    try:
        return np.stack([np.asarray(columns[where[joint]]) for joint in joints], axis=-1)
    except ValueError as error:   # joints with different numbers of values
        raise StateError(f'{what} is not an array of numbers: {error}') from None


def _labelled(values: Any) -> tuple[Sequence[Any], Any]:
    """Return labels and the values of each; none if there are no labels."""
    if isinstance(values, Mapping):
        return list(values), list(values.values())
    if isinstance(values, np.ndarray | np.void):   # records, or one of them
        fields = values.dtype.names or ()
        return fields, [values[field] for field in fields]
    if hasattr(values, 'columns') and hasattr(values, '__array__'):   # a DataFrame
        return list(values.columns), np.asarray(values).T
    if hasattr(values, 'dims') and hasattr(values, 'coords'):   # a DataArray: the axis with texts
        array = np.asarray(values)
        for axis, dimension in enumerate(values.dims):
            labels = np.asarray(values.coords[dimension]).tolist() if (
                dimension in values.coords) else []
            if labels and all(isinstance(label, str) for label in labels):
                return labels, np.moveaxis(array, axis, 0)
        return (), ()
    index = getattr(values, 'index', None)
    if index is None or callable(index) or not hasattr(values, '__array__'):
        return (), ()
    return list(index), np.asarray(values)   # a Series


_INFIX = Infix(call=lambda function, argument: f'{function}_SUFFIX({argument})')
_INDENT = '    '
PART = 150   # statements in one C function


def source(function: Function) -> str:
    """Return the C text of one function of a program of style fast."""
    # angles are collected before the recursion: their sines and cosines are a short loop over
    # vectors then, and the recursion has no calls of them that would empty the registers
    hoisted, inputs = Hoisted(function), [len(x.entries) for x in function.inputs]
    counts = function.operations
    arithmetic = counts.multiplications + counts.additions + counts.divisions
    sizes = {'INPUTS': len(inputs), 'ENTRIES': sum(inputs), 'ALIKE(DO)': _alike(inputs),
             'RESULT': len(function.entries), 'OPERATIONS': max(1, arithmetic),
             'ANGLES': len(hoisted.angles)}
    lines = [_packaged('vectors.h'), *(f'#define {name} {size}' for name, size in sizes.items())]
    functions = '\n'.join(_functions(function, hoisted))
    for real, suffix in (('double', 'one'), ('vector', 'many')):
        lines.append(functions.replace('REAL', real).replace('SUFFIX', suffix))
    return '\n'.join([*lines, _packaged('states.h')])


def _alike(inputs: Sequence[int]) -> str:
    """Return DO(first, end, entry, size) of the inputs with one size, one behind the other."""
    loops, first = [], 0
    for size, same in groupby(inputs):
        end = first + len(list(same))
        loops.append(f'DO({first}, {end}, {sum(inputs[:first])}, {size})')
        first = end
    return ' '.join(loops)


def _packaged(name: str) -> str:
    return files('urdf2dyn_ros.codegen').joinpath(name).read_text(encoding='utf-8')


def _functions(function: Function, hoisted: Hoisted) -> Iterator[str]:
    """Yield what computes the angles, then the results from their sines and cosines."""
    inputs = {name: f'{x.name}[{k}]' for x in function.inputs for k, name in enumerate(x.entries)}
    pointers = [f'{_INDENT}const REAL *const restrict {x.name} = in[{i}];'
                for i, x in enumerate(function.inputs)]
    angles = [Statement(f'angle[{k}]', value) for k, value in enumerate(hoisted.angles)]
    yield 'static void angles_SUFFIX(const REAL *const *in, REAL *restrict angle)'
    yield from ['{', *pointers, *_body(hoisted.before + angles, inputs), '}']
    statements = _with_results(function, hoisted)
    # in parts: the time that optimisation takes grows faster than a function
    parts = [statements[k:k + PART] for k in range(0, len(statements), PART)]
    kept = crossing(parts)
    arguments = ('const REAL *const *in, const REAL *restrict sine,\n'
                 '    const REAL *restrict cosine,')
    inline = 'inline __attribute__((always_inline))'
    for k, part in enumerate(parts):
        how = inline if len(parts) == 1 else '__attribute__((noinline))'
        yield f'static {how} void part_SUFFIX_{k}({arguments}'
        yield '    REAL *restrict kept, REAL *restrict result)'
        yield from ['{', *pointers, *_body(part, inputs, kept), '}']
    yield f'static {inline} void result_SUFFIX({arguments}'
    yield from ['    REAL *restrict result)', '{', f'{_INDENT}REAL kept[{max(1, len(kept))}];']
    for k in range(len(parts)):
        yield f'{_INDENT}part_SUFFIX_{k}(in, sine, cosine, kept, result);'
    yield '}'


def _with_results(function: Function, hoisted: Hoisted) -> list[Statement]:
    """Return the statements, each result behind what makes it: those that wait would spill."""
    results: dict[str, list[Statement]] = {each.name: [] for each in hoisted.statements}
    last: list[Statement] = []
    for k, entry in enumerate(function.entries):
        name = entry.term.text if isinstance(entry.term, Name) else ''
        results.get(name, last).append(Statement(f'result[{k}]', hoisted.value(entry)))
    return [each for statement in hoisted.statements
            for each in (statement, *results[statement.name])] + last


def _body(statements: Sequence[Statement], inputs: Mapping[str, str],
          kept: Mapping[str, int] = MappingProxyType({})) -> Iterator[str]:
    """Yield statements, and what is loaded where it is first used: earlier, it would spill."""
    waiting = {**inputs, **{name: f'kept[{k}]' for name, k in kept.items()}}
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


# takes the inputs of a function, by position: all of one row, or all of N rows, each of its own
# size; float64, C-contiguous. Returns a new array, (m,) or (n, n), or (N, m) or (N, n, n); None if
# the arguments are anything else, or a number in them or in the result is not finite.
Caller: TypeAlias = Callable[..., 'Array | None']

_OPTIONS = ('-fno-fast-math', '-fno-unsafe-math-optimizations', '-fno-associative-math',
            '-fno-finite-math-only',   # whatever CC says: sums are meant as they are written
            '-ffp-contract=fast', '-fno-math-errno', '-fno-trapping-math',
            '-fno-strict-aliasing', NATIVE)
# the optimisation by number of statements; -O1 takes longer than -O2 for such text
_LEVELS = ((150, '-O3'), (10000, '-O2'), (sys.maxsize, '-O0'))


def compiled(function: Function, threads: int = 1) -> Caller:
    """Compile a function, or find it compiled, as a callable with at most so many threads."""
    compiler, text = find_compiler(), source(function)
    level = next(level for most, level in _LEVELS if len(function.statements) <= most)
    options = (level, *_OPTIONS)

    def build(target: Path) -> None:
        compiler.build(text, options, ['-lm', '-lpthread'], target)

    key = key_of('robot', text, ' '.join(options), compiler.identity, machine())
    library = cached(key, build, _robot_library)
    inputs = tuple(len(x.entries) for x in function.inputs)
    # of one state: a matrix, or entries of all results one behind the other
    shape = function.results[0].shape if len(function.results) == 1 else (len(function.entries),)
    made = extension(compiler)
    if made is None:
        return _ctypes_caller(inputs, shape, library, threads)
    one, many = (ctypes.cast(entry, ctypes.c_void_p).value
                 for entry in (library.urdf2dyn_one, library.urdf2dyn_many))
    caller: Caller = made.Caller(one, many, inputs, shape, threads, library)
    return caller


def _robot_library(path: Path) -> ctypes.CDLL:
    library = ctypes.CDLL(str(path))
    # ctypes itself unloads nothing, and the parameters of a node may change often
    weakref.finalize(library, dlclose, library._handle).atexit = False
    pointers = ctypes.POINTER(ctypes.c_void_p)
    library.urdf2dyn_one.argtypes = [pointers, ctypes.c_void_p]
    library.urdf2dyn_many.argtypes = [pointers, ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_long]
    return library


@lru_cache(maxsize=4)
def extension(compiler: Compiler) -> ModuleType | None:
    """Return the module with the type Caller, the same for all robots; None without Python.h."""
    folders = [*dict.fromkeys(sysconfig.get_paths()[name] for name in ('include', 'platinclude')),
               np.get_include()]
    if not any((Path(folder) / 'Python.h').is_file() for folder in folders):
        _LOG.info('no Python.h in %s: calls of compiled code take some microseconds longer; '
                  'Debian, Ubuntu: apt install python3-dev', folders[0])
        return None
    text, options = _packaged('caller.c'), ('-O2', *(f'-I{folder}' for folder in folders))

    def build(target: Path) -> None:
        compiler.build(text, options, [], target)

    def load(path: Path) -> ModuleType:
        loader = ExtensionFileLoader('urdf2dyn_caller', str(path))
        module = module_from_spec(ModuleSpec(loader.name, loader, origin=str(path)))
        loader.exec_module(module)
        return module

    key = key_of('caller', text, ' '.join(options), compiler.identity, sys.version, np.__version__,
                 str(sysconfig.get_config_var('SOABI')))
    try:
        return cached(key, build, load)
    except CompilerError as error:
        _LOG.info('calls of compiled code take some microseconds longer: %s', error)
        return None


def _ctypes_caller(sizes: tuple[int, ...], shape: tuple[int, ...], library: ctypes.CDLL,
                   threads: int) -> Caller:
    """Return a Caller without the extension module."""
    pointers = ctypes.c_void_p * len(sizes)

    def call(*states: Any) -> Array | None:
        if len(states) != len(sizes) or not all(
                type(state) is np.ndarray and state.dtype == np.float64
                and state.dtype.isnative and state.flags.c_contiguous and state.flags.aligned
                and state.ndim in (1, 2) and state.shape[-1] == size
                and state.shape[:-1] == states[0].shape[:-1]
                for state, size in zip(states, sizes)):
            return None
        result = np.empty(states[0].shape[:-1] + shape)
        arguments = pointers(*(state.ctypes.data for state in states))
        if result.ndim == len(shape):
            spoiled = library.urdf2dyn_one(arguments, result.ctypes.data)
        else:
            spoiled = len(result) and library.urdf2dyn_many(
                arguments, result.ctypes.data, len(result), threads)
        return None if spoiled else result

    return call


BACKENDS = ('python', 'c', 'auto')
MAX_THREADS = 64
_LOG = logging.getLogger(__name__)
logged_reasons: set[str] = set()


def choose(program: Program, function: str, backend: str, threads: int = 1,
           ) -> tuple[str, Caller]:
    """
    Return the back end, 'python' or 'c', that runs a function of the style fast, and its callable.

    That of Python always returns None, so that the caller evaluates the text. 'auto' is C where it
    can be compiled, else Python and a line in the log; 'c' raises a CompilerError there.
    """
    if backend not in BACKENDS:
        raise ParameterError(f'unknown back end {backend!r}; the back ends are: '
                             f'{", ".join(BACKENDS)}')
    if type(threads) is bool or not isinstance(threads, int | np.integer) or not (
            1 <= threads <= MAX_THREADS):
        raise ParameterError(f'threads is {threads!r}; it must be an integer from 1 to '
                             f'{MAX_THREADS}')
    if backend == 'python' or not program.motor_rows:   # C has no arrays without elements
        return 'python', not_compiled
    try:
        return 'c', compiled(program.function(function), int(threads))
    except CompilerError as error:
        if backend == 'c':
            raise
        reason = ' '.join(str(error).split())   # in one line, and once
        if reason not in logged_reasons:
            logged_reasons.add(reason)
            _LOG.warning('%r runs in Python, many times slower: %s', program.robot, reason)
        return 'python', not_compiled


def not_compiled(*states: Any) -> None:
    """Return None, as a compiled function does for unusual arguments."""


# inputs that are zero if they are None
_ZERO_BY_DEFAULT = ('qd', 'qdd', 'base_twist', 'base_acceleration')


class GeneratedFunction:
    """A function of a program of style fast, for one state or for many."""

    def __init__(self, program: Program, name: str, backend: str, threads: int) -> None:
        function = program.function(name)
        self._name, self.inputs = name, function.inputs
        self._joint_names = [row.name for row in program.independent]
        self._shapes = [result.shape for result in function.results]
        ends = list(accumulate((math.prod(result.shape) for result in function.results),
                               initial=0))
        # where each result is in the value
        self.results = {result.name: slice(first, end)
                        for result, first, end in zip(function.results, ends, ends[1:])}
        self.program = program
        # what runs, 'python' or 'c'; compiled code returns None for what it leaves to `careful`
        self.backend, self.compiled = choose(program, name, backend, threads)
        if self.backend == 'python':
            self._one   # noqa: B018 - made now rather than at the first call

    def __call__(self, *arguments: Values | None) -> Array:
        """
        Return the value in new memory: a vector or a matrix, or N of them; `results` by `split`.

        Arguments are `inputs`, of one state or of N, with which one row of another goes. A
        StateError for other shapes, an entry that is not finite, or a value that is too large.
        """
        result = self.compiled(*arguments)
        return self.careful(arguments) if result is None else result

    def split(self, value: Array) -> tuple[Array, ...]:
        """Return the results that a value consists of, each a vector or a matrix, or N of them."""
        return tuple(value[..., where].reshape(*value.shape[:-1], *shape)
                     for where, shape in zip(self.results.values(), self._shapes))

    def careful(self, arguments: Sequence[Values | None]) -> Array:
        """Convert what is unusual, or raise; whatever compiled code does not take runs here."""
        if len(arguments) != len(self.inputs):
            names = ', '.join(x.name for x in self.inputs)
            count = f'{len(self.inputs)} argument' + 's' * (len(self.inputs) != 1)
            raise StateError(f'{self._name} takes {count} ({names}); there are {len(arguments)}')
        states = [self.checked(x, values) for x, values in zip(self.inputs, arguments)]
        if many := [len(state) for state in states if state.ndim == 2]:   # one row goes with N
            if len(set(many)) > 1:
                shapes = ', '.join(f'{x.name} {state.shape}'
                                   for x, state in zip(self.inputs, states))
                raise StateError(f'the arguments of {self._name} must be one row each or rows of '
                                 f'the same number; they have: {shapes}')
            states = [np.broadcast_to(state, (many[0], state.shape[-1])) for state in states]
        if self.backend == 'c':
            clean = self.compiled(*(np.require(state, requirements=['C', 'A'])
                                    for state in states))
            if clean is not None:
                return clean
        return self._of_one(states) if states[0].ndim == 1 else self._of_many(states)

    def _of_one(self, states: Sequence[Array]) -> Array:
        try:
            values = self._one(*(state.tolist() for state in states))
            flat = self._flat(values)
        except (ArithmeticError, ValueError):   # exp(1000), 1 / 0; the sine of infinity
            flat = [math.inf]
        if not all(map(math.isfinite, flat)):
            raise self._overflow('this state')
        return self._shaped(np.array(flat, dtype=np.float64))

    def _of_many(self, states: Sequence[Array]) -> Array:
        with np.errstate(all='ignore'):
            flat = self._flat(self._many(*(np.ascontiguousarray(state.T) for state in states)))
        result = np.empty((len(states[0]), len(flat)))
        for k, entry in enumerate(flat):
            result[:, k] = entry
        if not np.isfinite(result).all():
            raise self._overflow(f'state {np.argwhere(~np.isfinite(result))[0][0]}')
        return self._shaped(result)

    def _flat(self, values: list[Any]) -> list[Any]:
        results = values if len(self._shapes) > 1 else [values]
        return [entry for result, shape in zip(results, self._shapes)
                for entry in (chain.from_iterable(result) if len(shape) > 1 else result)]

    def _shaped(self, result: Array) -> Array:
        return result if len(self._shapes) > 1 else result.reshape(
            *result.shape[:-1], *self._shapes[0])

    def _overflow(self, state: str) -> StateError:
        return StateError(f'the result of {self._name} for {state} is too large for floating '
                          'point')

    @cached_property
    def text(self) -> str:
        """The Python source that is run, or that the compiled code agrees with, and its check."""
        text, = python.Python.write(self.program).values()
        return text

    @cached_property
    def _one(self) -> Callable[..., list[Any]]:
        return self._defined('math')

    @cached_property
    def _many(self) -> Callable[..., list[Any]]:
        return self._defined('numpy')

    def _defined(self, library: str) -> Callable[..., list[Any]]:
        """Return the Python text as a function of numbers, or of arrays of N."""
        text = python.definitions(self.program)
        namespace: dict[str, Any] = {'__name__': 'robot_dynamics'}
        exec(text.replace('from math', f'from {library}', 1), namespace)
        function: Callable[..., list[Any]] = namespace[self._name]
        return function

    def checked(self, x: Input, values: Values | None) -> Array:
        """Return the entries of an input, (n,) or (N, n), or raise a StateError."""
        name, n = x.name, len(x.entries)
        if values is None and name in _ZERO_BY_DEFAULT:
            return np.zeros(n)
        if x.of_joints:
            values = in_order(name, values, self._joint_names)
        try:
            state = real_numbers(values)
        except (TypeError, ValueError, OverflowError) as error:
            raise StateError(f'{name} is not an array of numbers: {error}') from None
        if state.ndim not in (1, 2) or state.shape[-1] != n:
            what = (f'for the joints {", ".join(self._joint_names)}' if x.of_joints else x.summary)
            if x.of_joints and state.ndim in (1, 2) and 0 < state.shape[-1] < n:
                what += '; joints that do not move: lock={...}'
            raise StateError(
                f'{name} has shape {state.shape}; it must be ({n},) or (N, {n}), {what}')
        # for one state plain Python is faster than numpy
        finite = (all(map(math.isfinite, state.tolist())) if state.ndim == 1
                  else np.isfinite(state).all())
        if not finite:
            where = np.argwhere(~np.isfinite(state))[0]
            whose = (f' for joint {self._joint_names[where[-1]]!r}' if x.of_joints else
                     f' of {x.entries[where[-1]]}')
            raise StateError(f'{name}{[int(k) for k in where]} is {state[tuple(where)]}: the '
                             f'value{whose} must be finite')
        return state
