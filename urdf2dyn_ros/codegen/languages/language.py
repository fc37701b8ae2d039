"""What all languages have in common: the order of a file, and the self-test."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from itertools import chain
from typing import ClassVar, NamedTuple

from urdf2dyn_ros.codegen.heading import LEGEND, heading
from urdf2dyn_ros.codegen.infix import WIDTH, Infix, filled, packed, wrapped
from urdf2dyn_ros.codegen.program import (
    DOUBLE,
    SINGLE,
    Block,
    Call,
    Function,
    JointRow,
    Program,
    Result,
    Scales,
    Statement,
    names_in,
    parts,
    result_scales,
)
from urdf2dyn_ros.codegen.signature import Axis, Input, ResultKey
from urdf2dyn_ros.text import counted


def variables(rows: Sequence[JointRow]) -> list[str]:
    """Return suffixes for gv_: the joint's name where it is made of letters, digits and _."""
    plain = [row.name if re.fullmatch(r'[A-Za-z0-9_]{1,47}', row.name) else '' for row in rows]
    taken = set(plain)
    result = []
    for row, name in zip(rows, plain):
        number_name = f'joint_{row.number}'
        while number_name in taken:
            number_name += '_'
        result.append(name or number_name)
    return result


# ---- A language

EDITED = 'Parameters, as in the URDF: change a line, run again, and the efforts follow'
FOLLOW = 'What follows from them, in the frames of the equations'
FORMULAS = "First moments h = m c of centres c; inertia about the origin J = I + m (c.c 1 - c c')"
_SECOND = "Second moments, the integral of r r' over the mass: S = trace(J)/2 1 - J"
_NEWTON_STEPS = 20   # that `close` of an exported file tries
# what follows from axes that are parameters
_OF_AXES = ('cr, sr, cp, sp, cy, sy: cosines and sines of roll, pitch, yaw. '
            'z of frame i is ua, the axis of joint i of length 1, in the frame that was exported; '
            'x and y: T. Duff et al., Building an Orthonormal Basis, Revisited, 2017')


class Around(NamedTuple):
    """What stands before and behind something."""

    first: str
    last: str


class Language(ABC):
    """
    A program in one language: its text, and the self-test at its end.

    A subclass has the forms below that differ, `files`, and what the self-test is made of:
    the text `SELF_TEST` with its `fields`, `shown` and `check`.
    """

    # Text: what begins a comment, a line of a function; what ends a line that goes on in the next
    COMMENT, INDENT, CONTINUED = '// ', '    ', ''
    INFIX = Infix()   # how terms and numbers are written
    # how {name} gets {value} in a function, in one line and in several, and outside of functions
    STATEMENT = LONG = CONSTANT = '{name} = {value};'
    # what begins a declaration of several constants outside of functions and in them, if there is
    # such a thing
    DECLARE, LOCAL = '', ''
    SPACED = True   # an empty line stands between the title of a section and its first paragraph
    # an entry of a vector and of a matrix, and the index of the first
    ENTRY, CELL, FIRST = '{name}[{k}]', '{name}[{k}][{j}]', 0
    OMITS = True   # parameters without influence are not in the file
    REALS: ClassVar[Mapping[str, str]] = {DOUBLE: ''}   # precisions, to the names of their types
    NO_CHOICE = 'its numbers are always of double precision'   # why, where there is only one
    PREFIXED = False   # functions begin with the name of the program
    NAMES_RESULTS = False   # results are variables where functions are called
    TWINS = False   # there is a text for equal limbs that are computed at once
    DYNAMIC_MODEL = False   # files have the vectors in the root frame, if the program has some

    # Self-test: around a table of numbers, with {name}, {real}, and {size} for the entries of a
    # row; around a row; what stands in a row without numbers
    TABLE, ROW, EMPTY = Around('const {name} = [', '];'), Around('[', '],'), ''
    SCALE = Around('const {name} = [', '];')   # around the scales of a result, as TABLE
    COUNT = ''   # what the number of independent joints is called; empty where it is a number
    # the array with the names of the joints, as an argument, with the program's {name}
    JOINTS = 'joint_names'
    # around the names of the entries of another {axis}, around each, and the same argument
    KEYS, QUOTE, KEYS_NAME = Around('const {axis}_names = [', '];'), '"', '{axis}_names'
    TEST = ''   # the line with which a user runs it
    PARAMETER = ''   # an entry of a list of parameters, with {name} and its exported {value}
    SELF_TEST: ClassVar[str]   # name of its text in the folder self_test
    SCALED = 'scale[i]'   # the scale of an entry, for a robot of unusual size

    def __init__(self, program: Program) -> None:
        self.program, self.n = program, len(program.motor_rows)
        self.single, self.real = program.precision == SINGLE, self.REALS[program.precision]
        results = [result for function in program.functions for result in function.results]
        self.multiplied = {result.quantity.times: result.axes[-1].name
                           for result in results if result.is_matrix}
        # those of rows and columns that are not the joints
        self.axes = {axis.name: axis for result in results for axis in result.axes if axis.keys}
        self.sizes = {x.name: len(x.entries) for x in self.load_inputs()}
        self.sizes.update((name, len(axis.keys)) for name, axis in self.axes.items())

    @classmethod
    def write(cls, program: Program) -> dict[str, str]:
        """Return the files of a program: {name: text}."""
        return {name: '\n'.join(lines) + '\n' for name, lines in cls(program).files().items()}

    def loop_solver(self, text: str) -> Iterator[str]:
        """Yield what closes the loops by repeating `closure`, where there is such a function."""
        if not self.program.start:
            return
        fields = {'name': self.program.name, 'NAME': self.program.name.upper(),
                  'real': self.real, 'n': str(self.n), 'p': str(len(self.program.start)),
                  'gap': '1e-10' if self.single else '1e-12', 'margin': '1e-6',
                  'steps': str(_NEWTON_STEPS)}
        start = list(map(self.number, self.program.start))
        for line in text.splitlines():
            first, here, last = line.partition('@start@')
            first, last = filled(first, fields), filled(last, fields)
            yield self.array(first, start, last) if here else first

    @abstractmethod
    def files(self) -> dict[str, Iterable[str]]:
        """Return the lines of each file by its name."""

    def comments(self, lines: Iterable[str], indent: str = '') -> Iterator[str]:
        width = WIDTH - len(indent) - len(self.COMMENT)
        for line in lines:
            in_columns = '  ' in line.strip()   # which a break would scatter
            for part in [line] if in_columns or not line else wrapped(
                    line, '', '    ', width).splitlines():
                yield f'{indent}{self.COMMENT}{part}'.rstrip()

    def rule(self, title: str, indent: str = '') -> str:
        """Return a line across the page."""
        return f'{indent}{self.COMMENT}==== {title} '.ljust(WIDTH, '=')

    def statement(self, statement: Statement, indent: str, form: str = '') -> str:
        """Return ``name = value`` in as many lines as it takes."""
        return self.assignment(statement.name, self.INFIX.signed(statement.value), indent, form)

    def assignment(self, name: str, value: str, indent: str, form: str) -> str:
        line = indent + (form or self.STATEMENT).format(name=name, value=value)
        if len(line) <= WIDTH:
            return line
        text = wrapped((form or self.LONG).format(name=name, value=value), indent, ' ' * 8,
                       WIDTH - len(self.CONTINUED))
        text = re.sub(r' =\n( +)\(', r' = (\n\1', text, count=1)   # or the line would end there
        return text.replace('\n', f'{self.CONTINUED}\n')

    def parameters(self, used: set[str] | None = None, indent: str = '') -> Iterator[str]:
        """Yield the editable constants, or those of them that are used."""
        if not self.program.parameters:
            return
        edited = EDITED.replace('efforts', 'results') if self.program.kinematic else EDITED
        yield from ['', self.rule(edited, indent)]
        if used is not None:
            yield from self.comments(['Those without influence are omitted.'], indent)
        groups = [group if used is None else group.of(used) for group in self.program.parameters]
        for k, group in enumerate(group for group in groups if group.lines):
            yield from [''] * (k > 0 or self.SPACED)
            yield from self.comments([group.title], indent)
            for names, values, comment in group.lines:
                code = indent + self.constants(names, values)
                both = f'{code:48}  {self.COMMENT}{comment}'
                yield from [both] if len(both) <= WIDTH else [
                    f'{indent}{self.COMMENT}{comment}', code]

    def constants(self, names: Sequence[str], values: Sequence[float]) -> str:
        """Return one line that gives names their values."""
        pairs = [(name, self.number(value)) for name, value in zip(names, values)]
        if self.DECLARE:
            return self.array(self.DECLARE, [f'{name} = {value}' for name, value in pairs], ';')
        return ' '.join(self.CONSTANT.format(name=name, value=value) for name, value in pairs)

    def derived(self, used: set[str] | None = None, indent: str = '', form: str = '',
                ) -> Iterator[str]:
        """Yield what follows from the parameters, or as much of it as is used."""
        kept = [Block('', tuple(statement for statement in block.statements
                                if used is None or statement.name in used))
                for block in self.program.constants]
        kept = [block for block in kept if block.statements]
        if kept:
            second = any(re.match(r'S\d', statement.name)
                         for block in kept for statement in block.statements)
            yield from ['', self.rule(FOLLOW, indent), *self.comments(
                [FORMULAS, *[_SECOND] * second,
                 *[_OF_AXES] * (self.program.style == 'general')], indent)]
        for k, block in enumerate(kept):
            yield from ['', *self.block(block, indent, form)][not (k or self.SPACED):]

    def used(self, functions: Iterable[Function]) -> set[str]:
        """Return the constants and parameters that functions depend on."""
        names = set().union(*(function.names for function in functions))
        for block in reversed(self.program.constants):
            for statement in reversed(block.statements):
                if statement.name in names:
                    names |= names_in([statement.value])
        return names

    def exported_parameters(self, functions: Iterable[Function] | None = None,
                            ) -> list[tuple[str, str]]:
        used = self.used(self.program.functions if functions is None else functions)
        return [(name, self.number(value)) for group in self.program.parameters
                for line in group.lines for name, value in zip(line.names, line.values)
                if name in used or not self.OMITS]

    def block(self, block: Block, indent: str, form: str = '') -> Iterator[str]:
        if block.comment:
            yield from self.comments([block.comment], indent)
        for statement in block.statements:
            yield self.statement(statement, indent, form)

    def body(self, function: Function) -> Iterator[str]:
        for section in function.sections:
            yield from ['', self.rule(section.title, self.INDENT)]
            for k, paragraph in enumerate(section.paragraphs):
                if k or self.SPACED:
                    yield ''
                if paragraph.title:
                    yield from self.comments([f'---- {paragraph.title}'], self.INDENT)
                for block in paragraph.blocks:
                    yield from self.block(block, self.INDENT)

    def unpacked(self, function: Function) -> Iterator[str]:
        """Yield statements that give the entries of the inputs their names."""
        for x, entries in self.inputs(function):
            pairs = [(name, self.ENTRY.format(name=x, k=k + self.FIRST)) for name, k in entries]
            if pairs and self.LOCAL:
                yield self.array(self.INDENT + self.LOCAL,
                                 [f'{name} = {entry}' for name, entry in pairs], ';')
            elif pairs:
                yield packed([self.STATEMENT.format(name=name, value=entry)
                              for name, entry in pairs],
                             self.INDENT, self.INDENT, '', '')

    def cells(self, result: Result) -> Iterator[tuple[Statement, str]]:
        """Yield a statement for each entry of a result, and its comment."""
        name, form = self.identifier(result.name), self.CELL if result.is_matrix else self.ENTRY
        for k, row in enumerate(result.rows, self.FIRST):
            for j, entry in enumerate(row.entries, self.FIRST):
                yield Statement(form.format(name=name, k=k, j=j), entry), row.comment

    def assigned(self, result: Result, omitted: Callable[[Statement], bool] = lambda cell: False,
                 ) -> Iterator[str]:
        """Yield statements that give the entries of a result, but some, their values."""
        for cell, comment in self.cells(result):
            if not omitted(cell):
                code = self.statement(cell, self.INDENT, '{name} = {value};')
                yield code if result.is_matrix else self.note(code, comment)

    def inputs(self, function: Function) -> list[tuple[str, list[tuple[str, int]]]]:
        """Return the inputs of a function, with names and indices of the entries it uses."""
        names = function.names
        return [(self.identifier(x.name),
                 [(name, k) for k, name in enumerate(x.entries) if name in names])
                for x in function.inputs]

    def described(self, function: Function) -> list[str]:
        """Return the inputs and results of a function whose entries are not those of joints."""
        lines = [f'{self.identifier(x.name)}, {counted(len(x.entries), "entry", "entries")}: '
                 f'{x.summary}.' for x in function.inputs if not x.of_joints]
        for result in function.results:
            if any(axis.keys for axis in result.axes):
                size = counted(len(result.rows), 'entry', 'entries')
                if result.is_matrix:
                    size = ' x '.join(str(len(axis.keys) or self.n) for axis in result.axes)
                lines.append(f'{self.identifier(result.name)}, {size}: {result.quantity.summary}.')
        results = [self.identifier(name) for name in function.result_names]
        if len(results) > 1:
            lines.append(f'Results: {", ".join(results)}.')
        return lines

    def note(self, code: str, comment: str) -> str:
        return f'{code:40}  {self.COMMENT}{comment}'

    def array(self, first: str, entries: Sequence[str], last: str) -> str:
        return packed(entries, first, ' ' * len(first), last, continued=self.CONTINUED
                      ) if entries else first + last

    def heading(self) -> list[str]:
        name, lines = self.program.name, heading(self.program)
        if self.program.dynamic_model is None or not self.DYNAMIC_MODEL:
            lines = [line for line in lines if line.strip() != LEGEND['root frame']]
        return [*lines, f'Self-test: {self.TEST.format(name=name, NAME=name.upper())}']

    def number(self, value: float) -> str:
        return ('-' if value < 0.0 else '') + self.INFIX.number(abs(value))

    def size(self, name: str) -> str:
        """Return how many entries an input or an axis has, in the words of the language."""
        return str(self.sizes.get(name, self.COUNT or self.n))

    def shape(self, result: Result) -> list[str]:
        return [self.size(axis.name) for axis in result.axes]

    def called(self, functions: Iterable[Function]) -> list[str]:
        """Return the mathematical functions that are called; sine and cosine always."""
        return sorted({'cos', 'sin'}.union(*(function.calls for function in functions),
                                           self._called_by_constants()))

    @property
    def derives_in_functions(self) -> bool:
        """Whether functions compute what follows from parameters: no constant is a cosine."""
        return bool(self._called_by_constants())

    def _called_by_constants(self) -> set[str]:
        values = (each.value for block in self.program.constants for each in block.statements)
        return {term.function for term in parts(values) if isinstance(term, Call)}

    def load_inputs(self) -> list[Input]:
        """Return the inputs after q, qd and qdd, each once."""
        return list({x.name: x for function in self.program.functions for x in function.inputs
                     if not x.of_joints}.values())

    def identifier(self, name: str) -> str:
        """Return the name of a function, of an input or of a result as the language spells it."""
        return name

    # The self-test: a text of the language, with fields

    def self_test(self) -> Iterator[str]:
        """
        Yield the text of the self-test.

        In it @name@ stands for a field or, in a line of its own, for the lines of a block, and
        @parameters@ for those with their exported values; @if, @else and @end choose lines.
        """
        text = files(__package__).joinpath('self_test', f'{self.SELF_TEST}.in').read_text('utf-8')
        fields, blocks, conditions = self.fields(), self.blocks(), self.conditions()
        chosen = [True]
        for line in text.splitlines():
            word, _, name = line.partition(' ')
            if word == '@if':
                chosen.append(conditions[name])
            elif word == '@else':
                chosen[-1] = not chosen[-1]
            elif word == '@end':
                chosen.pop()
            elif all(chosen):
                first, here, last = line.partition('@parameters@')
                if line.strip('@') in blocks:
                    yield from blocks[line.strip('@')]
                elif here:
                    yield self.array(filled(first, fields), [
                        self.PARAMETER.format(name=name, value=value)
                        for name, value in self.exported_parameters()], filled(last, fields))
                else:
                    yield filled(line, fields)

    def fields(self) -> dict[str, str]:
        """Return the fields of the self-test; `scale` is what an entry is compared with."""
        name, scale = self.program.name, 'scale' if self.single else '1.0'
        return {'name': name, 'NAME': name.upper(), 'real': self.real, 'within': self.within,
                'scale': self.SCALED if self.scales else scale}

    def conditions(self) -> dict[str, bool]:
        """Return what chooses lines of the self-test."""
        changed = bool(self.exported_parameters())
        return {'axes': bool(self.axes), 'scales': bool(self.scales), 'single': self.single,
                'largest': self.single and not self.scales, 'multiplied': bool(self.multiplied),
                'changed': changed, 'says': changed or bool(self.vectors)}

    def blocks(self) -> dict[str, Iterable[str]]:
        """Return the lines of the self-test that follow from functions and results."""
        first, *_ = self.program.functions
        return {'tables': self.tables(), 'shown': self.shown(first) if self.vectors else (),
                'checks': chain.from_iterable(map(self.check, self.program.functions))}

    def tables(self) -> Iterator[str]:
        for name, of, rows in self.data():
            yield from self.table(name, of, rows)
        for key, values in self.scales.items():
            result = self._compared[key]
            yield self.array(self.SCALE.first.format(
                name=self.named('scale', result), real=self.real,
                size=self.size(result.quantity.rows.name)),
                list(map(self.number, values)), self.SCALE.last)
        of_rows = {result.quantity.rows.name for result in self._compared.values()}
        for axis in (axis for name, axis in self.axes.items() if name in of_rows):
            yield self.array(self._of_axis(self.KEYS.first, axis), [
                f'{self.QUOTE}{key}{self.QUOTE}' for key in axis.keys], self.KEYS.last)

    @abstractmethod
    def shown(self, function: Function) -> Iterator[str]:
        """Yield what prints the vectors that a function returns, with names and units."""

    @abstractmethod
    def check(self, function: Function) -> Iterator[str]:
        """Yield the comparison of each result of a function with the expected one."""

    @property
    def vectors(self) -> list[Result]:
        """The results of the first function that are printed: those that are no matrices."""
        return [result for result in self.program.functions[0].results
                if result.rows and not result.is_matrix]

    @staticmethod
    def units(result: Result, quote: str = '"') -> list[str]:
        return [f'{quote}{row.unit}{quote}' for row in result.rows]

    def table(self, name: str, of: str, rows: Iterable[Sequence[float]]) -> Iterator[str]:
        yield self.TABLE.first.format(name=name, size=self.size(of), real=self.real)
        first, last = self.INDENT + self.ROW.first, self.ROW.last
        for row in rows:
            yield (self.array(first, list(map(self.number, row)), last) if row else
                   first + self.EMPTY + last)
        yield self.TABLE.last

    def row_names(self, result: Result) -> str:
        """Return the array with the names of a result's rows, as an argument."""
        if not result.of_joints:
            return self._of_axis(self.KEYS_NAME, result.quantity.rows)
        return self.JOINTS.format(name=self.program.name, NAME=self.program.name.upper())

    def _of_axis(self, text: str, axis: Axis) -> str:
        return text.format(axis=axis.name, AXIS=axis.name.upper(), count=len(axis.keys),
                           NAME=self.program.name.upper())

    @staticmethod
    def many(function: Function) -> bool:
        """Return whether there are so many results that a call takes them as one."""
        return len(function.results) > 2

    def title(self, function: Function, result: Result) -> str:
        which = [result.name] * self.many(function)
        return ', '.join(map(self.identifier, [function.name, *which]))

    def data(self) -> Iterator[tuple[str, str, list[list[float]]]]:
        """Yield the tables of the check: name, input or axis of a row, and rows."""
        references = self.program.references
        used = {x.name for function in self.program.functions for x in function.inputs}
        for x in references[0].arguments:
            if x in used or x in self.multiplied:
                yield f'reference_{x}', self.multiplied.get(x, x), [
                    list(each.arguments[x]) for each in references]
        for result in self._compared.values():
            yield self.named('expected', result), result.quantity.rows.name, [
                list(reference.of(result.expected)) for reference in references]

    @cached_property
    def _compared(self) -> dict[ResultKey, Result]:
        """Results by what has their expected values: several functions may share them."""
        return {result.expected: result
                for function in self.program.functions for result in function.results}

    def named(self, what: str, result: Result) -> str:
        """Return the name of a table about a result, shorter for a function's only one."""
        function, name = result.expected
        of_joints = [other.name for other in self.program.function(function).results
                     if other.of_joints]
        return f'{what}_{function}' + (f'_{name}' if of_joints != [name] else '')

    @cached_property
    def scales(self) -> Scales:   # of the results, for a robot of unusual size
        return result_scales(self.program)

    @property
    def within(self) -> str:
        """What a result of single precision may differ by, as a share."""
        return self.number(float(f'{self.program.accuracy:.1g}'))

    def compared(self, function: Function, result: Result, value: str, quote: str = '"',
                 ref: str = '') -> list[str]:
        """Return the arguments of `differs` for a value of a result."""
        return [f'{quote}{self.title(function, result)}{quote}',
                *[self.row_names(result)] * bool(self.axes), f'{ref}{value}',
                f'{ref}{self.named("expected", result)}[k]',
                *[f'{ref}{self.named("scale", result)}'] * bool(self.scales)]

    @staticmethod
    def product(result: Result, value: str, ref: str = '') -> str:
        """Return the product that the check compares of a matrix; of a vector, the value."""
        return (f'times({ref}{value}, {ref}reference_{result.quantity.times}[k])'
                if result.is_matrix else value)
