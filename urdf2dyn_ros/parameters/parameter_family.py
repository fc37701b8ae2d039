"""Parameters of things with names from elsewhere, such as joints: prefix.thing.field."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.parameters import Parameter


@dataclass(frozen=True)
class Family:
    """
    The same few parameters for each of many things.

    The name of a thing may contain any character, dots as well: the field follows the last dot.
    The rows are the fields; or a single one without a name, where a thing has one value.
    """

    prefix: str
    thing: str
    rows: tuple[Parameter, ...]

    @property
    def form(self) -> str:
        """The form of their names."""
        return f'{self.prefix}.<{self.thing}>' + ('.<field>' if self.rows[0].name else '')

    def has(self, name: str) -> bool:
        """Return whether a parameter is one of these."""
        return name.startswith(f'{self.prefix}.')

    def row(self, name: str) -> Parameter:
        """Return the rule for a parameter by its full name; a ParameterError for no field."""
        thing, field = self.split(name)
        for row in self.rows:
            if row.name == field and thing:
                return row.named(name)
        fields = ', '.join(row.name for row in self.rows)
        raise ParameterError(f'there is no parameter {name}: it is {self.form}'
                             + (f', and the fields are: {fields}' if fields else ''))

    def split(self, name: str) -> tuple[str, str]:
        """Return thing and field."""
        whole = name[len(self.prefix) + 1:]
        if not self.rows[0].name:
            return whole, ''
        thing, _, field = whole.rpartition('.')
        return thing, field

    def of(self, values: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """Return the values of each thing by field, of parameters by their full names."""
        things: dict[str, dict[str, Any]] = {}
        for name, value in values.items():
            if self.has(name):
                thing, field = self.split(name)
                things.setdefault(thing, {})[field] = value
        return things
