"""The check that every file carries: states, what is expected of them, and what compares."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from urdf2dyn_ros.languages.heading import heading
from urdf2dyn_ros.languages.infix import Infix
from urdf2dyn_ros.languages.lines import packed
from urdf2dyn_ros.program.models import PARTS, TOGETHER
from urdf2dyn_ros.program.program import WRENCH, Function, Input, Program, Result

RESULTS = {'tau': ('inverse_dynamics', 'tau'), 'wrench': ('inverse_dynamics', 'wrench'),
           'tau_gravity': ('gravity', 'tau'), 'tau_bias': ('bias', 'tau'),
           'M': ('mass_matrix', 'M')}
"""Result of the function that returns all, to the function that returns it alone, and its name."""

MAIN_RESULTS = ('tau', 'M')
"""Results that go by the name of their function."""


class SelfTest(ABC):
    """
    The check of a program in one language; subclasses say what differs.

    Attributes
    ----------
    INDENT : str
        What begins a line of a function.
    INFIX : Infix
        How terms and numbers are written.
    CONTINUED : str
        What ends a line that goes on in the next.
    TABLE, ROW : tuple of str
        What stands before and behind a table of numbers, and each of its rows; with {name}, and
        {size} for its entries in the language.
    EMPTY : str
        What stands in a row without numbers.
    TEST : str
        The line with which a user runs the check.
    JOINTS, KEYS : str, tuple of str
        What the names of the joints are called; what stands before, around and behind those of
        the entries of a wrench, and what they are called.
    DIFFERS, TIMES, MAIN, VERDICT : str
        A function that compares, one that multiplies by a matrix, what stands before the calls,
        and behind them; with @name, @NAME and @size.
    ALIKE : dict
        What is simpler in DIFFERS where all results have the names of the joints: old to new.

    """

    INDENT = '    '
    INFIX = Infix()
    CONTINUED = ''
    TABLE, ROW, EMPTY = ('const {name} = [', '];'), ('[', '],'), ''
    JOINTS = 'joint_names'
    KEYS = ('const wrench_names = [', '"', '];', 'wrench_names')
    ALIKE: ClassVar[dict[str, str]] = {}
    TEST = DIFFERS = TIMES = MAIN = VERDICT = ''

    def __init__(self, program: Program) -> None:
        self.program = program
        self.n = len(program.numbers)
        self.matrix = 'mass_matrix' in program.references[0].expected
        self.sizes = {x.name: len(x.entries) for x in self.beside()}
        self.wrench = any(not result.of_joints for function in program.functions
                          for result in function.results)
        if self.wrench:
            self.sizes['wrench'] = len(WRENCH)

    def heading(self) -> list[str]:
        """Return what stands at the head of the file."""
        name = self.program.name
        return [*heading(self.program), '',
                f'Self-test: {self.TEST.format(name=name, NAME=name.upper())}']

    def number(self, value: float) -> str:
        """Return a number with its sign."""
        return ('-' if value < 0.0 else '') + self.INFIX.number(abs(value))

    def filled(self, text: str) -> list[str]:
        """Return the lines of a text with the robot's names in it."""
        return text.replace('@name', self.program.name).replace(
            '@NAME', self.program.name.upper()).replace('@size', self.size('M')).splitlines()

    def size(self, name: str) -> str:
        """Return how many entries an input or a result has, in the words of the language."""
        return str(self.sizes.get(name, self.n))

    def self_test(self) -> Iterator[str]:
        """Yield data, and what compares with them."""
        for name, of, rows in self.data():
            yield from self.filled(self.TABLE[0].format(name=name, size=self.size(of)))
            for row in rows:
                first, last = self.INDENT + self.ROW[0], self.ROW[1]
                yield packed([self.number(value) for value in row], first, ' ' * len(first),
                             last, continued=self.CONTINUED) if row else first + self.EMPTY + last
            yield self.TABLE[1]
        if self.wrench:
            first, quote, last, _ = self.KEYS
            yield packed([f'{quote}{key}{quote}' for key in WRENCH], first, ' ' * len(first), last,
                         continued=self.CONTINUED)
        for text in (self.differs(), *[self.TIMES] * self.matrix, self.main()):
            yield from self.filled(text)
        for function in self.program.functions:
            yield from self.check(function, [self._expected(function.name, result.name)
                                             for result in function.results])
        yield from self.filled(self.VERDICT)

    def differs(self) -> str:
        """Return the function that compares."""
        text = self.DIFFERS
        for old, new in ({} if self.wrench else self.ALIKE).items():
            text = text.replace(old, new)
        return text

    def names(self, result: Result) -> list[str]:
        """Return the names of a result's entries as arguments; none where all are alike."""
        names = self.JOINTS if result.of_joints else self.KEYS[-1]
        return self.filled(names) * self.wrench

    @staticmethod
    def many(function: Function) -> bool:
        """Tell whether there are so many results that their names need more than a line."""
        return function.name in PARTS and len(function.results) > 1

    @staticmethod
    def called(functions: Iterable[Function]) -> list[str]:
        """Return the mathematical functions that are called; sine and cosine always."""
        return sorted({'cos', 'sin'}.union(*(function.calls for function in functions)))

    def title(self, function: Function, result: Result) -> str:
        """Return whose result it is, and which where that does not tell."""
        which = [result.name] * self.many(function)
        return ', '.join(map(self.identifier, [function.name, *which]))

    def beside(self) -> list[Input]:
        """Return what functions are given beside q, qd and qdd, each once."""
        return list({x.name: x for function in self.program.functions for x in function.inputs
                     if not x.of_joints}.values())

    def identifier(self, name: str) -> str:
        """Return the name of a function, of an input or of a result as the language spells it."""
        return name

    @abstractmethod
    def check(self, function: Function, expected: Sequence[str]) -> Iterator[str]:
        """Yield what compares each result of a function with what is expected of it."""

    def data(self) -> Iterator[tuple[str, str, list[list[float]]]]:
        """Yield what there is to check with: a name, the input or result it is of, and rows."""
        references = self.program.references
        used = {x.name for function in self.program.functions for x in function.inputs}
        for x in references[0].given:
            if x in used or (x == 'qdd' and 'mass_matrix' in references[0].expected):
                yield f'reference_{x}', x, [list(reference.given[x]) for reference in references]
        for function, results in references[0].expected.items():
            for result in results:
                yield self._expected(function, result), result, [
                    list(reference.expected[function][result]) for reference in references]

    @staticmethod
    def _expected(function: str, result: str) -> str:
        """Return the name of what is expected of a result of a function."""
        if function == TOGETHER:
            function, result = RESULTS[result]
        return f'expected_{function}' + f'_{result}' * (result not in MAIN_RESULTS)

    def main(self) -> str:
        """Return what stands before the calls."""
        return self.MAIN
