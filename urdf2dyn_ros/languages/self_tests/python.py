"""The part of a Python file that runs: it prints the efforts of a state, and checks itself."""

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from urdf2dyn_ros.languages import dynamic_model
from urdf2dyn_ros.languages.language import Language
from urdf2dyn_ros.languages.lines import WIDTH, packed
from urdf2dyn_ros.languages.spelling import variables
from urdf2dyn_ros.program.function import Function, Result


class PythonSelfTest(Language):
    """The part of a Python file behind its functions."""

    OMITS = False
    JOINTS, KEYS = 'JOINT_NAMES', ('@AXIS_NAMES = [', "'", ']', '@AXIS_NAMES')
    SCALE = ('{name} = [', ']')
    TEST = 'python3 {name}_dynamics.py'
    DIFFERS = '''

def differences(function, names, found, expected):
    """Return what to say about entries that are not what is expected."""
    return [f'{function}, {ascii(name)}: {a!r} instead of {b!r}'
            for name, a, b in zip(names, found, expected)
            if not abs(a - b) <= 1e-9 * max(1.0, abs(b))]'''
    SCALED: ClassVar[dict[str, str]] = {
        'expected):': 'expected, scales):', 'name, a, b in': 'name, a, b, scale in',
        'expected)\n': 'expected, scales)\n', 'max(1.0,': 'max(scale,'}
    ALIKE: ClassVar[dict[str, str]] = {'n, names, ': 'n, ', 'zip(names': 'zip(JOINT_NAMES'}
    TIMES = '''

def times(M, x):
    """Return M x."""
    return [sum(a * b for a, b in zip(row, x)) for row in M]'''
    PARAMETER = "'{name}': {value}"
    CHANGED = """\
    exported = {@parameters}
    changed = [name for name in exported if globals()[name] != exported[name]]
    for name in changed:
        print(f'parameter {name} was changed: the reference values do not apply')
    if changed:
        raise SystemExit
"""
    VERDICT = """\
    print('differs from the reference:' if wrong else 'agrees with the reference', *wrong,
          sep='\\n    ')
    raise SystemExit(1 if wrong else 0)"""

    def script(self) -> Iterator[str]:
        """Write a state that people fill in, and the check."""
        independent, reference = self.program.independent, self.program.references[0]
        names = variables(independent)
        kinds = [known.kind for known in self.program.state.values()]
        states = [reference.arguments[x] for x in self.program.state]
        yield from ['', self.rule('A state to evaluate, in rad, m and s: fill it in and run '
                                  'this file')]
        for name, row, *values in zip(names, independent, *states):
            yield packed([f'gv_{kind}_{name}' for kind in kinds], '', ' ' * 8,
                         f' = {", ".join(map(self.number, values))}  # {row.unit}',
                         continued=' \\')
        first = 'array_of_variables = ['
        for k, name in enumerate(names):
            indent = ' ' * len(first) if k else first
            yield packed([f'gv_{kind}_{name}' for kind in kinds], f'{indent}[',
                         ' ' * len(f'{first}['), '],' if k < len(names) - 1 else ']]')
        yield from [f'{first}]'] * (not names)
        for x in self.load_inputs():
            yield from ['', *self.comments([x.summary])]
            values = list(map(self.number, reference.arguments[x.name]))
            yield self.array(f'{x.name} = [', values, ']')
        products = [f'of {result.name}: {result.name} {result.quantity.times}'
                    for function in self.program.functions for result in function.results
                    if result.is_matrix]
        yield from self.comments([
            'States, and the results expected with the parameters as they were exported'
            + f' ({", ".join(dict.fromkeys(products))})' * bool(products)])
        if self.program.dynamic_model is not None:
            yield from dynamic_model.table(self)
        yield from self.self_test()

    def table(self, name: str, of: str, rows: Iterable[Sequence[float]]) -> Iterator[str]:
        """Yield a table of numbers, in one line or a row a line where it is short."""
        lines = list(super().table(name, of, rows))
        first, last = lines[0], lines[-1]
        inner = [line.strip() for line in lines[1:-1]]
        line = f'{first}{" ".join(inner).removesuffix(",")}{last}'
        if len(line) <= WIDTH:
            yield line
        elif any('\n' in row or len(first + row) > WIDTH for row in inner):
            yield from lines
        else:
            yield packed([row.removesuffix(',') for row in inner], first, ' ' * len(first), last)

    def shown(self, function: Function) -> Iterator[str]:
        yield from ()   # main() has it, of the state that people fill in

    def main(self) -> str:
        """Return the lines that print the efforts of the state, and those before the check."""
        function = self.program.functions[0]
        arguments = [x.name for x in function.inputs]
        evaluate = _EVALUATE.format(', '.join(self.program.state))
        call = f'{function.name}({", ".join(arguments)})'
        if len(function.results) == 1 and not self.sizes:
            return evaluate + self._shown(function.results[0], call) + _CHECK
        left, names = self._found(function)
        shown = [f"\n    print('{result.name}')" * self.many(function)
                 + self._shown(result, name) for result, name in zip(function.results, names)]
        call = self.array(f'    {left} = {function.name}(', arguments, ')')
        return f'{evaluate}\n{call}{"".join(shown)}{_CHECK}'

    def _shown(self, result: Result, value: str) -> str:
        """Return the lines that print a result: a row a line, with its name and unit."""
        names = self.row_names(result)
        if result.is_matrix:
            return _PRINT_ROWS.replace('@names', names).replace('@value', value)
        units = [row.unit for row in result.rows]
        known = ['EFFORT_UNITS']
        if units != [row.effort_unit for row in self.program.independent]:
            known = str(units).split(', ')
        head = self.array('    for name, entry, unit in zip(', [names, value, *known], '):')
        return f'\n{head}\n{_PRINT_ENTRY}'

    def _found(self, function: Function) -> tuple[str, list[str]]:
        """Return the left side of a call's assignment, and the expression of each result."""
        if self.many(function):
            return 'found', [f'found[{k}]' for k in range(len(function.results))]
        return ', '.join(function.result_names), function.result_names

    def check(self, function: Function, expected: Sequence[str]) -> Iterator[str]:
        arguments = [f'reference_{x.name}[k]' for x in function.inputs]
        left, names = self._found(function)
        yield self.array(f'        {left} = {function.name}(', arguments, ')')
        for result, name, known in zip(function.results, names, expected):
            if result.is_matrix:
                name = f'times({name}, reference_{result.quantity.times}[k])'
            said = [f"'{self.title(function, result)}'", *self.names(result), name, f'{known}[k]',
                    *self.scale_of(known)]
            yield self.array('        wrong += differences(', said, ')')
        if function is self.program.functions[-1] and self.program.dynamic_model is not None:
            first = self.program.functions[0]
            yield from dynamic_model.check(self, first.name, [x.name for x in first.inputs])


_EVALUATE = """

if __name__ == '__main__':
    {} = ([row[k] for row in array_of_variables] for k in range(3))"""
_CHECK = """
@changed
    wrong = []
    for k in range(len(reference_q)):"""
_PRINT_ENTRY = """\
        print(f'{ascii(name)[1:-1]:24} {entry: .9g} {unit}')"""
_PRINT_ROWS = """
    for name, row in zip(@names, @value):
        print(f'{ascii(name)[1:-1]:24}', *(f'{entry: .6g}' for entry in row))"""
