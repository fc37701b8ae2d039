"""Terms as infix text, for every language that writes a + b * c."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from urdf2dyn_ros.program.statements import (
    Call,
    Name,
    Number,
    Product,
    Reciprocal,
    Signed,
    Sum,
    Term,
    Twin,
)


def shortest(value: float) -> str:
    """Return the shortest text that reads back as the same double."""
    return repr(float(value))


def prefix_call(function: str, argument: str) -> str:
    """Return f(x)."""
    return f'{function}({argument})'


def magnitude_as(name: str) -> Callable[[str, str], str]:
    """Return a call that writes |x| as a function of this name."""
    return lambda function, argument: prefix_call(name if function == 'abs' else function,
                                                  argument)


@dataclass(frozen=True)
class Infix:
    """
    The differences between infix languages; text and tree evaluate in the same order, exactly.

    `number` writes a positive constant, `call` the name of a function with the text of its
    argument, `twin` two numbers.
    """

    number: Callable[[float], str] = shortest
    call: Callable[[str, str], str] = prefix_call
    twin: str = 'TWIN({}, {})'

    def signed(self, value: Signed) -> str:
        text = self.term(value.term)
        if not value.negative:
            return text
        return f'-({text})' if isinstance(value.term, Sum) else f'-{text}'

    def term(self, value: Term) -> str:
        if type(value) is Name:   # most of them
            return value.text
        return _WRITERS[type(value)](self, value)

    def _sum(self, value: Sum) -> str:
        texts = [self._factor(entry) if isinstance(entry, Sum) else self.term(entry)
                 for _, entry in value.terms]
        signs = [' - ' if negative else ' + ' for negative, _ in value.terms]
        return texts[0] + ''.join(sign + text for sign, text in zip(signs[1:], texts[1:]))

    def _product(self, value: Product) -> str:
        first, *rest = value.factors
        texts = [self._factor(first) if isinstance(first, Sum) else self.term(first)]
        return ' * '.join(texts + [self._factor(factor) for factor in rest])

    def _factor(self, value: Term) -> str:
        text = self.term(value)
        return f'({text})' if isinstance(value, (Sum, Product, Reciprocal)) else text


_WRITERS: dict[type, Callable[[Infix, Any], str]] = {
    Number: lambda infix, value: infix.number(value.value),
    Name: lambda infix, value: value.text,
    Call: lambda infix, value: infix.call(
        value.function, infix.signed(Signed(value.negative, value.argument))),
    Reciprocal: lambda infix, value: f'{infix.number(1.0)} / {infix._factor(value.divisor)}',
    Product: Infix._product,
    Sum: Infix._sum,
    Twin: lambda infix, value: infix.twin.format(
        infix.signed(value.first), infix.signed(value.second)),
}
