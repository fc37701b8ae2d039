"""The self-check of every exported file: states, expected results, and their comparison."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import ClassVar

from urdf2dyn_ros.codegen.explanations import IN_ROOT_FRAME
from urdf2dyn_ros.codegen.functions.function import Axis, Input
from urdf2dyn_ros.codegen.languages.precision import DOUBLE, Precision
from urdf2dyn_ros.codegen.languages.text import Infix, heading, packed
from urdf2dyn_ros.codegen.program import Call, Function, Program, Result, Scales, parts, scales


class SelfTest(ABC):
    """The check of a program in one language; subclasses say what differs."""

    INDENT = '    '   # what begins a line of a function
    INFIX = Infix()   # how terms and numbers are written
    CONTINUED = ''   # what ends a line that goes on in the next
    # before and behind a table of numbers, with {name}, and {size} for the entries of a row;
    # before and behind a row, with @table and @k for the name of the table and the number of the
    # row; what stands in a row without numbers
    TABLE, ROW, EMPTY = ('const {name} = [', '];'), ('[', '],'), ''
    COUNT = ''   # what the number of independent joints is called; empty where it is a number
    JOINTS = 'joint_names'   # what the names of the joints are called
    # before, around and behind the names of the entries of another axis, and what they are called,
    # with @axis or @AXIS
    KEYS = ('const @axis_names = [', '"', '];', '@axis_names')
    # before and behind the scales of a result, with {name} and {size} as in TABLE
    SCALE: tuple[str, str] = ('const {name} = [', '];')
    TEST = ''   # the line with which a user runs the check
    # a function that compares, one that multiplies by a matrix, what stands before the calls, and
    # behind them; with @name, @NAME and @size, and lines @shown and @changed in the places of what
    # prints efforts and of CHANGED
    DIFFERS = TIMES = MAIN = VERDICT = ''
    # what DIFFERS has besides where results have scales: old to new
    SCALED: ClassVar[dict[str, str]] = {}
    # what is simpler in DIFFERS and TIMES where all rows and columns are the joints: old to new
    ALIKE: ClassVar[dict[str, str]] = {}
    # an entry of a list of parameters, with {name} and {value}; what reports parameters that do
    # not have their exported values, with a line @parameters in the place of the entries
    PARAMETER = CHANGED = ''
    # the precisions in which a program can be written, by name; @real in texts is their type
    PRECISIONS: ClassVar[Mapping[str, Precision]] = {DOUBLE: Precision('')}
    # files have the vectors in the root frame, which a program may have
    DYNAMIC_MODEL = False

    def __init__(self, program: Program) -> None:
        self.program = program
        self.precision = self.PRECISIONS[program.precision]
        self.real, self.INFIX = self.precision.real, self.precision.infix or self.INFIX
        self.n = len(program.numbers)
        results = [result for function in program.functions for result in function.results]
        self.multiplied = {result.quantity.times: result.axes[-1].name
                           for result in results if result.is_matrix}
        self.axes = {axis.name: axis for result in results for axis in result.axes if axis.keys}
        self.sizes = {x.name: len(x.entries) for x in self.load_inputs()}
        self.sizes.update((name, len(axis.keys)) for name, axis in self.axes.items())

    def heading(self) -> list[str]:
        name, lines = self.program.name, heading(self.program)
        if self.program.dynamic_model is None or not self.DYNAMIC_MODEL:
            lines = [line for line in lines if not line.lstrip().startswith(IN_ROOT_FRAME)]
        return [*lines,
                f'Self-test: {self.TEST.format(name=name, NAME=name.upper())}']

    def number(self, value: float) -> str:
        return ('-' if value < 0.0 else '') + self.INFIX.number(abs(value))

    def filled(self, text: str) -> list[str]:
        """Return the lines of a text with the robot's names in it."""
        return text.replace('@name', self.program.name).replace(
            '@NAME', self.program.name.upper()).replace('@size', self.size('')).replace(
            '@space', self.space).replace('@real', self.real).replace(
            '@within', self.number(float(f'{self.program.accuracy:.1g}'))).splitlines()

    @property
    def space(self) -> str:
        """The name of the module or namespace, where there is one."""
        return self.program.name

    def size(self, name: str) -> str:
        """Return how many entries an input or an axis has, in the words of the language."""
        return str(self.sizes.get(name, self.COUNT or self.n))

    def shape(self, result: Result) -> list[str]:
        """Return the number of rows of a result and, for a matrix, that of its columns."""
        return [self.size(axis.name) for axis in result.axes]

    def self_test(self) -> Iterator[str]:
        """Yield the data and the functions of the check."""
        for name, of, rows in self.data():
            yield from self.table(name, of, rows)
        yield from self._scales()
        results = [result for function in self.program.functions for result in function.results]
        named = {result.quantity.rows.name for result in results}
        for axis in (axis for name, axis in self.axes.items() if name in named):
            first, quote, last = (self._of_axis(text, axis) for text in self.KEYS[:3])
            yield packed([f'{quote}{key}{quote}' for key in axis.keys], first, ' ' * len(first),
                         last, continued=self.CONTINUED)
        for text in (self.compact(self.DIFFERS),
                     *[self.compact(self.TIMES)] * bool(self.multiplied), self.main()):
            yield from self.expanded(text)
        for function in self.program.functions:
            yield from self.check(function, [self._expected(*result.reference)
                                             for result in function.results])
        yield from self.expanded(self.compact(self.VERDICT))

    def expanded(self, text: str) -> Iterator[str]:
        """Yield the lines of a text, in the places of @shown and @changed what they stand for."""
        for line in self.filled(text):
            if line.strip() == '@shown':
                if self.vectors:
                    yield from self.shown(self.program.functions[0])
            elif line.strip() == '@changed':
                yield from self.changed(self.exported_parameters())
            else:
                yield line

    @property
    def vectors(self) -> list[Result]:
        """The results of the first function that are printed: those that are no matrices."""
        return [result for result in self.program.functions[0].results
                if result.rows and not result.is_matrix]

    @staticmethod
    def units(result: Result, quote: str = '"') -> list[str]:
        """Return the units of a result's rows as string literals."""
        return [f'{quote}{row.unit}{quote}' for row in result.rows]

    def changed(self, parameters: Sequence[tuple[str, str]]) -> Iterator[str]:
        """Yield CHANGED for parameters with their values, if there are any."""
        for line in self.filled(self.CHANGED) if parameters else ():
            if '@parameters' in line:
                indent, _, last = line.partition('@parameters')
                yield packed([*self.filled('\n'.join(
                    self.PARAMETER.format(name=name, value=value) for name, value in parameters))],
                             indent, ' ' * len(indent), last, continued=self.CONTINUED)
            else:
                yield line

    def table(self, name: str, of: str, rows: Iterable[Sequence[float]]) -> Iterator[str]:
        """Yield a table of numbers, whose rows are those of an input or an axis."""
        yield from self.filled(self.TABLE[0].format(name=name, size=self.size(of)))
        for k, row in enumerate(rows, 1):
            first, last = (text.replace('@table', name).replace('@k', str(k))
                           for text in (self.INDENT + self.ROW[0], self.ROW[1]))
            yield packed([self.number(value) for value in row], first, ' ' * len(first),
                         last, continued=self.CONTINUED) if row else first + self.EMPTY + last
        yield self.TABLE[1]

    def compact(self, text: str) -> str:
        """Return a text as simple as it can be for the axes of the results."""
        check = self.precision.check
        if self.scales:
            check = {**self.SCALED, **self.precision.scaled}
        for old, new in {**check, **({} if self.axes else self.ALIKE)}.items():
            text = text.replace(old, new)
        return text

    def names(self, result: Result) -> list[str]:
        """Return the names of a result's rows as arguments; none where all are alike."""
        return self.filled(self.row_names(result)) * bool(self.axes)

    def row_names(self, result: Result) -> str:
        """Return the name of the array with the names of a result's rows."""
        return self.JOINTS if result.of_joints else self._of_axis(self.KEYS[-1],
                                                                  result.quantity.rows)

    @staticmethod
    def _of_axis(text: str, axis: Axis) -> str:
        return text.replace('@axis', axis.name).replace('@AXIS', axis.name.upper()).replace(
            '@COUNT', str(len(axis.keys)))

    @staticmethod
    def many(function: Function) -> bool:
        """Return whether there are so many results that a call takes them as one."""
        return len(function.results) > 2

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

    def title(self, function: Function, result: Result) -> str:
        """Return the names of the function and, of many results, of the result."""
        which = [result.name] * self.many(function)
        return ', '.join(map(self.identifier, [function.name, *which]))

    def load_inputs(self) -> list[Input]:
        """Return the inputs after q, qd and qdd, each once."""
        return list({x.name: x for function in self.program.functions for x in function.inputs
                     if not x.of_joints}.values())

    def identifier(self, name: str) -> str:
        """Return the name of a function, of an input or of a result as the language spells it."""
        return name

    @abstractmethod
    def exported_parameters(self) -> list[tuple[str, str]]:
        """Return the parameters in the file, as it spells them, with their values."""

    @abstractmethod
    def shown(self, function: Function) -> Iterator[str]:
        """Yield what prints the vectors that a function returns, with names and units."""

    @abstractmethod
    def check(self, function: Function, expected: Sequence[str]) -> Iterator[str]:
        """Yield the comparison of each result of a function with the expected one."""

    def data(self) -> Iterator[tuple[str, str, list[list[float]]]]:
        """Yield the tables of the check: name, input or axis of a row, and rows."""
        references = self.program.references
        used = {x.name for function in self.program.functions for x in function.inputs}
        for x in references[0].arguments:
            if x in used or x in self.multiplied:
                yield f'reference_{x}', self.multiplied.get(x, x), [
                    list(each.arguments[x]) for each in references]
        for (function, result), rows in self._expected_rows.items():
            yield self._expected(function, result), rows, [
                list(reference.expected[function][result]) for reference in references]

    @property
    def _expected_rows(self) -> dict[tuple[str, str], str]:
        """Name of the axis of the rows of each expected result."""
        return {result.reference: result.quantity.rows.name
                for function in self.program.functions for result in function.results}

    @cached_property
    def scales(self) -> Scales:
        """The scales of the results, for a robot of unusual size."""
        return scales(self.program)

    def _scales(self) -> Iterator[str]:
        """Yield the scales of each expected result, if there are any."""
        for (function, result), values in self.scales.items():
            name, = self.scale_of(self._expected(function, result))
            first, last = (self.filled(text.format(name=name, size=self.size(
                self._expected_rows[function, result])))[0] for text in self.SCALE)
            yield packed(list(map(self.number, values)), first, ' ' * len(first), last,
                         continued=self.CONTINUED) if values else first + last

    def scale_of(self, expected: str) -> list[str]:
        """Return the name of the scales of an expected result as an argument, if it has some."""
        return [expected.replace('expected', 'scale', 1)] * bool(self.scales)

    def _expected(self, function: str, result: str) -> str:
        """Return the name of the expected values of a result, or of a function's only one."""
        of_joints = [other.name for other in self.program.function(function).results
                     if other.of_joints]
        return f'expected_{function}' + f'_{result}' * (of_joints != [result])

    def main(self) -> str:
        """Return what stands before the calls."""
        return self.MAIN
