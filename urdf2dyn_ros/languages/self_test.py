"""The check that every file carries: states, what is expected of them, and what compares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from urdf2dyn_ros.equations.models import TOGETHER
from urdf2dyn_ros.equations.program import Function, Program
from urdf2dyn_ros.languages.heading import heading
from urdf2dyn_ros.languages.infix import Infix
from urdf2dyn_ros.languages.lines import packed

RESULTS = {'tau': ('inverse_dynamics', 'tau'), 'wrench': ('inverse_dynamics', 'wrench'),
           'tau_gravity': ('gravity', 'tau'), 'tau_bias': ('bias', 'tau'),
           'M': ('mass_matrix', 'M')}
"""Result of the function that returns all, to the function that returns it alone, and its name."""

MAIN_RESULTS = ('tau', 'M')
"""Results that go by the name of their function."""


class SelfTest:
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
        What stands before and behind a table of numbers, and each of its rows.
    TEST : str
        The line with which a user runs the check.
    DIFFERS, TIMES, MAIN, VERDICT : str
        A function that compares, one that multiplies by a matrix, what stands before the calls,
        and behind them; with @name, @NAME and @size.

    """

    INDENT = '    '
    INFIX = Infix()
    CONTINUED = ''
    TABLE, ROW = ('const {name} = [', '];'), ('[', '],')
    TEST = DIFFERS = TIMES = MAIN = VERDICT = ''

    def __init__(self, program: Program) -> None:
        self.program = program
        self.n = len(program.numbers)
        self.matrix = 'mass_matrix' in program.references[0].expected

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
            '@NAME', self.program.name.upper()).replace('@size', str(self.n)).splitlines()

    def self_test(self) -> Iterator[str]:
        """Yield data, and what compares with them."""
        for name, rows in self.data():
            yield from self.filled(self.TABLE[0].format(name=name))
            for row in rows:
                first, last = self.INDENT + self.ROW[0], self.ROW[1]
                yield packed([self.number(value) for value in row], first, ' ' * len(first),
                             last, continued=self.CONTINUED) if row else first + last
            yield self.TABLE[1]
        for text in (self.DIFFERS, *[self.TIMES] * self.matrix, self.main()):
            yield from self.filled(text)
        for function in self.program.functions:
            yield from self.check(function, [self._expected(function.name, result.name)
                                             for result in function.results])
        yield from self.filled(self.VERDICT)

    def check(self, function: Function, expected: Sequence[str]) -> Iterator[str]:
        """Yield what compares each result of a function with what is expected of it."""
        raise NotImplementedError

    def data(self) -> Iterator[tuple[str, list[list[float]]]]:
        """Yield names and rows of the states to check with, and of what is expected of them."""
        references = self.program.references
        used = {x.name for function in self.program.functions for x in function.inputs}
        for x in references[0].given:
            if x in used or (x == 'qdd' and 'mass_matrix' in references[0].expected):
                yield f'reference_{x}', [list(reference.given[x]) for reference in references]
        for function, results in references[0].expected.items():
            for result in results:
                yield self._expected(function, result), [
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
