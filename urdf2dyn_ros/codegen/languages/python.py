"""
Python, with no dependency but math: a module that runs as a program.

In readable style `dynamic_model` returns vectors in the root frame as well; the function of the
efforts goes on with them where it is asked to.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from urdf2dyn_ros.codegen.infix import WIDTH, Infix, packed, wrapped
from urdf2dyn_ros.codegen.languages.language import Around, Language, variables
from urdf2dyn_ros.codegen.program import (
    Block,
    Function,
    Program,
    Result,
    Row,
    names_in,
    wrench_scales,
)

FLAG = 'in_root_frame'   # argument of the function that goes on with the vectors

# beginnings of the keys of what every joint's and link's frame has
FRAME_KINDS = ('position_', 'velocity_', 'acceleration_', 'orientation_', 'angular_velocity_')

_FRAMES = '    values = {kind + name: [*vector] for names, *vectors in ('
_NAMED = '    ) for name in names for kind, vector in zip(kinds, vectors)}'

_LONGEST_LINE = WIDTH - 17   # columns of a vector that is not broken
_JOINED_WIDTH = 64   # columns of a line with several short statements, at most

_MODEL = """

def dynamic_model(array_of_variables):
    \"\"\"
    Return vectors in the root frame: a dictionary by kind and name.

    array_of_variables: a row [position, velocity, acceleration] for each of JOINT_NAMES.
    position_, velocity_, acceleration_ [m, m/s, m/s^2]: origin of every joint and link;
    orientation_, angular_velocity_ [-, rad/s]: its axes as columns (3 x 3), and how they rotate;
    forces_, torques_ [N, N m]: what a joint transmits to its link, about the joint's origin.
    \"\"\"
    q, qd, qdd = ([row[k] for row in array_of_variables] for k in range(3))"""
_CLOSE = """

PASSIVE_START = [@start@]


def close(q, passive=PASSIVE_START):
    \"\"\"
    Return positions of the passive joints that close the loops, and 'closed'.

    passive: positions near them, those of the last call or PASSIVE_START, which are returned with
    'open' if the loops do not close. 'singular': passive joints can move by themselves.
    \"\"\"
    near = passive
    for _ in range(@steps@):
        try:
            near, (gap,), (margin,) = closure(q, near)
        except ZeroDivisionError:
            return passive, 'singular'
        if gap < @gap@:
            return near, 'closed' if margin >= @margin@ else 'singular'
    return passive, 'open'"""
_PRINT_ENTRY = """\
        print(f'{ascii(name)[1:-1]:24} {entry: .9g} {unit}')"""


def definitions(program: Program, number: Callable[[float], str] | None = None) -> str:
    """Return the module without its self-test; `number` writes a constant in another way."""
    module = Python(program)
    if number:
        module.INFIX = Infix(number)
    return '\n'.join(module.definitions()) + '\n'


class Python(Language):
    COMMENT, SPACED, DYNAMIC_MODEL = '# ', False, True
    STATEMENT = CONSTANT = '{name} = {value}'
    LONG = '{name} = ({value})'
    TABLE = SCALE = Around('{name} = [', ']')
    OMITS = False
    JOINTS, KEYS_NAME, KEYS, QUOTE = (
        'JOINT_NAMES', '{AXIS}_NAMES', Around('{AXIS}_NAMES = [', ']'), "'")
    FILE, TEST = '{name}_dynamics.py', 'python3 {name}_dynamics.py'
    ENTRIES = '{name}'   # the entries of an input
    VECTOR = MATRIX = Around('[', ']')   # the entries of a vector, the rows of a matrix
    PARAMETER = "'{name}': {value}"
    SELF_TEST, SCALED = 'python', 'scale'

    def files(self) -> dict[str, Iterable[str]]:
        return {self.FILE.format(name=self.program.name): self.module()}

    def module(self) -> Iterator[str]:
        yield from self.definitions()
        yield from self.script()

    def definitions(self) -> Iterator[str]:
        """Yield the lines before the self-test."""
        program = self.program
        yield from ['"""', *self.heading(), '"""']
        yield from self.imports()
        yield self._tuple('JOINT_NAMES', [ascii(row.name) for row in program.independent])
        yield self._tuple('EFFORT_UNITS', [f"'{row.effort_unit}'" for row in program.independent])
        yield from self.parameters()
        yield from self.derived()
        for function in program.functions:
            yield from self._function(function)
        yield from self.loop_solver(_CLOSE)
        if program.dynamic_model is not None:
            first = program.functions[0]
            arguments = ', '.join([*(x.name for x in first.inputs), 'True'])
            yield from [*_MODEL.splitlines(), f'    return {first.name}({arguments})']

    def imports(self) -> Iterator[str]:
        called = ', '.join(name for name in self.called(self.program.functions) if name != 'abs')
        yield f'from math import {called}'
        yield (f'# from numpy import {called}   # instead of it, where numbers are arrays of '
               'samples')

    def constants(self, names: Sequence[str], values: Sequence[float]) -> str:
        return f'{", ".join(names)} = {", ".join(map(self.number, values))}'

    def _tuple(self, name: str, entries: Sequence[str]) -> str:
        return self.array(f'{name} = (', entries, ',)' if len(entries) == 1 else ')')

    def _function(self, function: Function) -> Iterator[str]:
        arguments, model = [x.name for x in function.inputs], self._model(function)
        if model is not None:
            arguments.append(f'{FLAG}=False')
        yield from ['', '', f'def {function.name}({", ".join(arguments)}):']
        yield from (f'    {line}'.rstrip() for line in (
            '"""', *self._docstring(function, arguments, model is not None), '"""'))
        yield from self._unpacked_inputs(function)
        yield from self.body(function)
        yield ''
        if len(function.results) > 1:
            for result in function.results:
                yield from self._rows(f'{result.name} = ', result.rows, result.is_matrix)
            line = f'    return {", ".join(function.result_names)}'
            yield line if len(line) <= WIDTH else self.array(
                '    return (', function.result_names, ')')
        else:
            result, = function.results
            head = 'return ' if model is None else f'{result.name} = '
            yield from self._rows(head, result.rows, result.is_matrix)
            if model is not None:
                yield from [f'    if not {FLAG}:', f'        return {result.name}']
                yield from self._in_root_frame(model)

    def _in_root_frame(self, model: Function) -> Iterator[str]:
        """Yield the rest of the function that returns the efforts: the vectors there."""
        yield from self.body(model)
        rows = {row.key: row for row in model.results[0].rows}
        frames: dict[tuple[str, ...], list[str]] = {}   # texts to the names that have the same
        for key in rows:
            if key.startswith(FRAME_KINDS[0]):
                name = key.removeprefix(FRAME_KINDS[0])
                texts = [part for kind in FRAME_KINDS for part in self._parts(rows[kind + name])]
                frames.setdefault(tuple(texts), []).append(name)
        yield from ['', f"    kinds = {', '.join(map(repr, FRAME_KINDS))}", _FRAMES]
        for parts, names in frames.items():
            yield self.array(' ' * 8 + '(', [ascii(tuple(names)), *parts], '),')
        yield _NAMED
        rest = [part for key, row in rows.items() if not key.startswith(FRAME_KINDS)
                for part in self._parts(row, f'{key!a}: ')]
        if rest:
            yield self.array('    values |= {', rest, '}')
        yield '    return values'

    def _parts(self, row: Row, key: str = '') -> list[str]:
        """Return the text of a vector, or of a matrix of nine entries, in parts if it is long."""
        entries = list(map(self.INFIX.signed, row.entries))
        last = len(entries) - 1
        if last > 2:
            for k in range(0, len(entries), 3):
                entries[k:k + 3] = f'[{entries[k]}', entries[k + 1], f'{entries[k + 2]}]'
        entries[0], entries[last] = f'{key}[{entries[0]}', f'{entries[last]}]'
        text = ', '.join(entries)
        return [text] if len(text) < _LONGEST_LINE else [
            wrapped(entry, '', ' ' * 16, _LONGEST_LINE) for entry in entries]

    def _docstring(self, function: Function, arguments: Sequence[str],
                   has_model: bool) -> list[str]:
        units = [result.quantity.summary for result in function.results if result.of_joints]
        inputs = ', '.join(f'{x} {known.units}' for x, known in self.program.state.items()
                           if units or x in arguments)
        described = '; '.join(filter(None, (f'{inputs}, by JOINT_NAMES',
                                            ' and '.join(dict.fromkeys(units)))))
        return [*wrapped(f'Return {function.summary}.', '', '', WIDTH - 4).splitlines(), '',
                *(line for text in (f'{described}.', *self.described(function))
                  for line in wrapped(text, '', '    ', WIDTH - 4).splitlines()),
                *[f'{FLAG}: return what dynamic_model returns.'] * has_model]

    def _unpacked_inputs(self, function: Function) -> list[str]:
        used = [(self.ENTRIES.format(name=x.name),
                 ', '.join(x.entries) + (',' if len(x.entries) == 1 else ''), x.entries)
                for x in function.inputs if x.entries]
        line = (f'    {", ".join(f"({names})" for _, names, _ in used)} = '
                f'{", ".join(name for name, _, _ in used)}')
        if len(used) > 1 and len(line) <= WIDTH:
            return [line]
        lines = []
        for name, names, entries in used:
            line = f'    {names} = {name}'
            lines.append(line if len(line) <= WIDTH else self.array(
                '    (', entries, f') = {name}'))
        return lines

    def _model(self, function: Function) -> Function | None:
        return self.program.dynamic_model if function is self.program.functions[0] else None

    def block(self, block: Block, indent: str, form: str = '') -> Iterator[str]:
        """Yield short statements side by side, and their formula behind the first line."""
        if self.program.style == 'fast':
            yield from super().block(block, indent, form)
            return
        lines: list[str] = []
        names: list[str] = []    # of the statements in the last line
        values: list[str] = []
        for name, signed in block.statements:
            value = self.INFIX.signed(signed)
            line = f'{indent}{", ".join([*names, name])} = {", ".join([*values, value])}'
            if names and len(line) <= _JOINED_WIDTH and names_in([signed]).isdisjoint(names):
                lines[-1] = line
            else:
                names, values = [], []
                lines.append(self.assignment(name, value, indent, form))
            names.append(name)
            values.append(value)
        comment = f'  {self.COMMENT}{block.comment}' if block.comment else ''
        if lines and '\n' not in lines[0] and len(f'{lines[0]:40}{comment}') <= WIDTH:
            yield f'{lines[0]:40}{comment}'.rstrip()
            yield from lines[1:]
        else:
            yield from [*self.comments([block.comment] * bool(comment), indent), *lines]

    def _rows(self, head: str, rows: Sequence[Row], matrix: bool) -> Iterator[str]:
        first, last = self.MATRIX if matrix else self.VECTOR
        if not rows:
            yield f'    {head}{first}{last}'
        for k, row in enumerate(rows):
            start = f'    {head}{first}' if k == 0 else ' ' * len(f'    {head}{first}')
            end = last if k == len(rows) - 1 else ','
            entries = [self.INFIX.signed(entry) for entry in row.entries]
            if matrix:
                yield self.array(f'{start}[', entries, f']{end}')
            else:
                yield self.note(f'{start}{entries[0]}{end}', row.comment)

    def script(self) -> Iterator[str]:
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
            if x.name == 'passive':
                yield 'passive, status = close([row[0] for row in array_of_variables], passive)'
        products = [f'of {result.name}: {result.name} {result.quantity.times}'
                    for function in self.program.functions for result in function.results
                    if result.is_matrix]
        yield from self.comments([
            'States, and the results expected with the parameters as they were exported'
            + (f' ({", ".join(dict.fromkeys(products))})' if products else '')])
        if self.program.dynamic_model is not None:   # of every joint in the first state
            yield from self.table('expected_wrenches', '', [
                [float(f'{entry:.11g}') for kind in ('forces', 'torques')
                 for entry in reference.vectors[f'{kind}_{row.name}']] for row in independent])
            if self.scales:
                scales = list(map(self.number, wrench_scales(self.program)))
                yield self.array('scale_wrenches = [', [scales[0]] * 3 + [scales[1]] * 3, ']')
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

    def fields(self) -> dict[str, str]:
        names, of = ('names, ', 'names') if self.axes else ('', 'JOINT_NAMES')
        scales, each = (', scales', ', scale') if self.scales else ('', '')
        return {**super().fields(), 'names': names, 'joints': of, 'scales': scales, 'each': each,
                'state': ', '.join(self.program.state)}

    def blocks(self) -> dict[str, Iterable[str]]:
        wrenches = self._checked_wrenches() if self.program.dynamic_model else ()
        return {**super().blocks(), 'shown': self.shown(self.program.functions[0]),
                'wrenches': wrenches, 'start': ()}

    def shown(self, function: Function) -> Iterator[str]:
        arguments = [x.name for x in function.inputs]
        values = [f'{function.name}({", ".join(arguments)})']
        if len(function.results) > 1 or self.sizes:
            left, values = self._found(function)
            yield self.array(f'    {left} = {function.name}(', arguments, ')')
        for result, value in zip(function.results, values):
            value = self.as_lists(result, value)
            if self.many(function):
                yield f"    print('{result.name}')"
            names = self.row_names(result)
            if result.is_matrix:
                yield f'    for name, row in zip({names}, {value}):'
                yield ("        print(f'{ascii(name)[1:-1]:24}', "
                       "*(f'{entry: .6g}' for entry in row))")
                continue
            units = [row.unit for row in result.rows]
            of_efforts = units == [row.effort_unit for row in self.program.independent]
            yield self.array('    for name, entry, unit in zip(', [
                names, value, *(['EFFORT_UNITS'] if of_efforts else str(units).split(', '))],
                '):')
            yield _PRINT_ENTRY

    def as_lists(self, result: Result, value: str) -> str:
        """Return the entries of a result as lists of numbers."""
        return value

    def _found(self, function: Function) -> tuple[str, list[str]]:
        """Return the left side of a call's assignment, and the expression of each result."""
        if self.many(function):
            return 'found', [f'found[{k}]' for k in range(len(function.results))]
        return ', '.join(function.result_names), function.result_names

    def check(self, function: Function) -> Iterator[str]:
        left, values = self._found(function)
        yield self.array(f'        {left} = {function.name}(', [
            f'reference_{x.name}[k]' for x in function.inputs], ')')
        for result, value in zip(function.results, values):
            yield self.array('        wrong += differences(', self.compared(
                function, result, self.product(result, self.as_lists(result, value)), "'"), ')')

    def _checked_wrenches(self) -> Iterator[str]:
        first = self.program.functions[0]
        yield self.array(f'    values = {first.name}(', [
            *(f'reference_{x.name}[0]' for x in first.inputs), 'True'], ')')
        scale, scales, each = (', scale', ', scale_wrenches', ', [scale] * len(entries)') if (
            self.scales) else ('', '', '')
        yield from f"""\
    found = [values[f'forces_{{name}}'] + values[f'torques_{{name}}'] for name in JOINT_NAMES]
    for entries, expected{scale} in zip(zip(*found), zip(*expected_wrenches){scales}):
        wrong += differences('dynamic_model', entries, expected{each})""".splitlines()
