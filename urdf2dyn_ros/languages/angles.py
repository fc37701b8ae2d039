"""The angles of a function, computed first: their sines and cosines become one short loop."""

from collections.abc import Iterable
from dataclasses import replace

from urdf2dyn_ros.program.function import Function
from urdf2dyn_ros.program.statements import Call, Name, Signed, Statement, Term, names_in, replaced

ARRAYS = {'sin': 'sine', 'cos': 'cosine'}
"""Function to the array that holds its values."""


class Angles:
    """
    The angles of a function, and the function with entries of arrays for sines and cosines.

    `angles` has the index of each in the arrays; the statements `before` make angles, as those of
    mimic joints; `statements` are all of them, with entries of the arrays.
    """

    def __init__(self, function: Function) -> None:
        self._function = function
        self.angles: dict[Term, int] = {}
        self.statements = [self.statement(statement) for statement in function.statements]
        for entry in function.entries:
            self.value(entry)
        self.before = self.made_before(Signed(False, angle) for angle in self.angles)

    def made_before(self, values: Iterable[Signed]) -> list[Statement]:
        """Return the statements that values are made of, in order."""
        needed, made = names_in(values), []
        for statement in reversed(self._function.statements):
            if statement.name in needed:
                made.append(statement)
                needed |= names_in([statement.value])
        return made[::-1]

    def rest(self) -> Function:
        """Return the function without the statements of `before`."""
        done = {statement.name for statement in self.before}
        return replace(
            self._function.with_statements(lambda statements: (
                self.statement(statement) for statement in statements
                if statement.name not in done)),
            results=tuple(result.with_entries(self.value) for result in self._function.results))

    def statement(self, statement: Statement) -> Statement:
        """Return a statement with entries of the arrays."""
        return Statement(statement.name, self.value(statement.value))

    def value(self, value: Signed) -> Signed:
        """Return a term with its sign, with entries of the arrays."""
        return Signed(value.negative, replaced(value.term, self._entry))

    def _entry(self, term: Term) -> Name | None:
        """Return the entry of an array that is a sine or cosine."""
        if not isinstance(term, Call) or term.function not in ARRAYS or term.negative:
            return None
        k = self.angles.setdefault(term.argument, len(self.angles))
        return Name(f'{ARRAYS[term.function]}[{k}]')
