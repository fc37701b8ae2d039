"""Parameters of nodes and estimators: rows with defaults and rules, and files that set them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import yaml

from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.text import counted, listed, printable

# ---- One row of a parameter table: default, unit, range and meaning, and the check they imply

_PLAIN = re.compile(r'[0-9.+\-eE]+')
_NUMBERS: dict[type, type] = {float: Real, int: Integral}   # numpy's are among them


@dataclass(frozen=True)
class Parameter:
    """A parameter that a user may set; it is declared, printed and checked by this row."""

    name: str
    # its type is the parameter's type; an int is accepted for a float, a text for a tuple of
    # texts, which may have any number of them
    default: Any
    meaning: str   # what it does, in a sentence
    unit: str = ''
    minimum: float | None = None   # inclusive, of every entry for a tuple
    maximum: float | None = None   # likewise
    choices: tuple[str, ...] = ()   # the valid texts; empty if any text is valid
    read_only: bool = False   # fixed after the start
    any_length: bool = False   # a tuple may have any number of entries except none
    nonzero: bool = False   # no entry may be zero

    @property
    def rule(self) -> str:
        """The rule for a value, in words."""
        kind = type(self.default)
        if self._has_texts:
            return 'a list of texts'
        words = {bool: 'true or false', int: 'a whole number', float: 'a number', str: 'a text'}
        text = words.get(kind) or (
            'one or more numbers' if self.any_length else counted(len(self.default), 'number'))
        if self.choices:
            text = 'one of ' + ', '.join(self.choices)
        if self.minimum is not None:
            text += f', at least {self.minimum:g}'
        if self.maximum is not None:
            text += f', at most {self.maximum:g}'
        if self.nonzero:
            text += ', not zero'
        return text + (f' [{self.unit}]' if self.unit else '')

    @property
    def _has_texts(self) -> bool:
        return isinstance(self.default, tuple) and isinstance(self.default[0], str)

    def named(self, name: str) -> Parameter:
        """Return the same row under another name."""
        return replace(self, name=name)

    def check(self, value: Any) -> Any:
        """Return the value in the parameter's own type; a ParameterError if it breaks the rule."""
        try:
            checked = self._convert(value)
            for entry in checked if isinstance(checked, tuple) else (checked,):
                if ((isinstance(entry, float) and not math.isfinite(entry))
                        or (self.minimum is not None and entry < self.minimum)
                        or (self.maximum is not None and entry > self.maximum)
                        or (self.nonzero and entry == 0.0)
                        or (self.choices and entry not in self.choices)):
                    raise ValueError
        except (TypeError, ValueError):
            raise ParameterError(
                f'parameter {self.name} = {value!r}: must be {self.rule}') from None
        return checked

    def _convert(self, value: Any) -> Any:
        kind = type(self.default)
        if self._has_texts:
            texts = (value,) if isinstance(value, str) else tuple(value)
            if not all(isinstance(text, str) for text in texts):
                raise TypeError
            return texts or self.default
        if kind is tuple:
            # a launch argument with whole and other numbers, '[0, 0, -9.81]', arrives as a text
            entries = (value.strip('[] ').replace(',', ' ').split() if isinstance(value, str)
                       else (value,) if self.any_length and isinstance(value, Real) else value)
            # float() takes true, 1_0 and digits of other scripts as well
            if not all(_PLAIN.fullmatch(str(entry)) for entry in entries):
                raise ValueError
            numbers = tuple(float(entry) for entry in entries)
            if not numbers or (len(numbers) != len(self.default) and not self.any_length):
                raise ValueError
            return numbers
        if isinstance(value, _NUMBERS.get(kind, ())) and not isinstance(value, bool):
            return kind(value)
        if type(value) is not kind:
            raise TypeError
        return value


def check_all(table: Iterable[Parameter], values: dict[str, Any]) -> dict[str, Any]:
    """
    Return every parameter of the table, those in `values` checked, the others at their default.

    An unknown name or a value that breaks its rule raises a ParameterError.
    """
    rows = {row.name: row for row in table}
    for name in values:
        if name not in rows:
            known = ', '.join(rows) or 'none'
            raise ParameterError(f'unknown parameter {name!r}; the parameters are: {known}')
    return {name: row.check(values.get(name, row.default)) for name, row in rows.items()}


def values_below(values: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """Return the values whose names begin with a prefix and a dot, by the rest of their names."""
    return {name.split('.', 1)[1]: value for name, value in values.items()
            if name.startswith(f'{prefix}.')}


# ---- Parameters of things with names from elsewhere, such as joints: prefix.thing.field

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


# ---- Files of parameters in ROS's own format, read and written without ROS

_SECTION = 'ros__parameters'
_LONGEST_FILE = 10_000_000
_LOGICAL = {'true': True, 'yes': True, 'on': True, 'y': True,
            'false': False, 'no': False, 'off': False, 'n': False}
_WHOLE_NUMBER = re.compile(r'[-+]?\d+')
_DECIMAL_NUMBER = re.compile(r'[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?')
_NOT_FINITE = re.compile(r'([-+]?)\.(inf|nan)', re.IGNORECASE)
_PLAIN_KEY = re.compile(r'[A-Za-z_][A-Za-z0-9_./]*')

_Path = tuple[str, ...]


def read_parameter_file(path: str | Path, node: str) -> dict[str, Any]:
    """
    Return the parameters of a node by their full names, joined with dots.

    Sections of any node (``/**``) count, and later values replace earlier ones. Values are checked
    by nothing but their syntax. A ParameterError if the file cannot be read, has no section of a
    node of this name, or has those of several, in other namespaces.
    """
    name, entries = printable(str(path)), parameter_entries(path)
    own = [entry for entry in entries if entry[0].split('/')[-1] in (node, '*', '**')]
    places = [section.strip('/').split('/') for section, _, _ in own]
    nodes = dict.fromkeys('/' + '/'.join([*space, node]) for *space, last in places
                          if (space or last == node) and not {'*', '**'} & {*space})
    if len(nodes) > 1:
        raise ParameterError(f'{name} has parameters of {len(nodes)} nodes called {node}: '
                             f'{listed(nodes)}; write those of one into a file of its own')
    if not own:
        sections = dict.fromkeys(section for section, _, _ in entries)
        raise ParameterError(
            f'{name} has no parameters of the node {node}: they stand below "/**:" and '
            f'"{_SECTION}:"' + (f'; it has those of {listed(sections)}' if sections else ''))
    return {parameter: value for _, parameter, value in own}


def parameter_entries(path: str | Path) -> list[tuple[str, str, Any]]:
    """
    Return section, full name and value of every parameter of a file, in its order.

    A ParameterError if the file cannot be read.
    """
    name = printable(str(path))
    try:
        with Path(path).expanduser().open('rb') as file:
            data = file.read(_LONGEST_FILE + 1)
        if len(data) > _LONGEST_FILE:
            raise ValueError(f'more than {_LONGEST_FILE} bytes are no file of parameters')
        text = data.decode('utf-8')
        entries = [entry for node in yaml_nodes(text) for entry in _entries(node, ())]
    except OSError as error:
        raise ParameterError(f'cannot read {name}: {error.strerror}') from None
    except UnicodeDecodeError:
        raise ParameterError(f'{name} is not UTF-8; save it as UTF-8') from None
    except yaml.YAMLError as error:
        raise ParameterError(f'{name} is no YAML: {yaml_fault(error)}') from None
    except (ValueError, RecursionError) as error:
        raise ParameterError(f'{name}: {error}') from None
    return [('/'.join(keys[:depth]), '.'.join(keys[depth + 1:]), value) for keys, value in entries
            if _SECTION in keys for depth in (keys.index(_SECTION),)]


def _entries(node: yaml.Node, path: _Path) -> Iterator[tuple[_Path, Any]]:
    """Yield the values of nested mappings with their keys; a ValueError for other contents."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _entries(value, (*path, str(_value(key, as_it_is=True))))
    elif not path:
        raise ValueError(f'line {node.start_mark.line + 1}: a mapping is required, as "/**:" of '
                         'nodes')
    elif isinstance(node, yaml.SequenceNode):
        yield path, [_value(each) for each in node.value]
    else:
        yield path, _value(node)


def _value(node: yaml.Node, as_it_is: bool = False) -> bool | int | float | str:
    """Return a value as ROS reads it: 1e-4 is a number, which YAML 1.1 takes for a text."""
    if not isinstance(node, yaml.ScalarNode):
        kind = 'list' if isinstance(node, yaml.SequenceNode) else 'mapping'
        raise ValueError(f'line {node.start_mark.line + 1}: a {kind} where none can be; a text or '
                         'a number is required')
    text = str(node.value)
    if as_it_is or node.style:   # a key, or quoted
        return text
    if text.lower() in _LOGICAL:
        return _LOGICAL[text.lower()]
    if _WHOLE_NUMBER.fullmatch(text):
        return int(text)
    if _DECIMAL_NUMBER.fullmatch(text) or _NOT_FINITE.fullmatch(text):
        return float(_NOT_FINITE.sub(r'\1\2', text))
    return text


# ---- Any YAML: a few lines of aliases would become billions of values

_FAST = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)   # ten times, with libyaml, but less clear
_LONG_TEXT = 100_000   # from which on it is used
# 010 is 8 in YAML 1.1, and 1:30 is 90; they are texts here, which are no numbers, or 10
_OLD_NUMBER = re.compile(r'[+-]?(?:0[0-9_]+$|[0-9_]+:)')


def load_yaml(text: str) -> Iterator[Any]:
    """Yield the contents of each document; YAMLError, ValueError or RecursionError if it fails."""
    for node in yaml_nodes(text):
        yield yaml.SafeLoader('').construct_document(node)


def yaml_nodes(text: str) -> Iterator[yaml.Node]:
    """Yield the node of each document; a YAMLError also where one has an alias."""
    loader = (_FAST if len(text) > _LONG_TEXT else yaml.SafeLoader)(text)
    try:
        while loader.check_node():
            root = loader.get_node()
            known, waiting = set[yaml.Node](), [root]
            while waiting:
                node = waiting.pop()
                if node in known:
                    raise yaml.MarkedYAMLError(
                        problem='an alias repeats this value; anchors and aliases are not read, '
                        'as ROS reads none: write it again where it is needed',
                        problem_mark=node.start_mark)
                known.add(node)
                if isinstance(node, yaml.MappingNode):
                    keys = [repr(key.value) for key, _ in node.value]
                    again = next((k for k, key in enumerate(keys) if key in keys[:k]), None)
                    if again is not None:
                        raise yaml.MarkedYAMLError(
                            problem=f'the key {keys[again]} is there twice: delete one',
                            problem_mark=node.value[again][0].start_mark)
                    waiting += chain.from_iterable(node.value)
                elif isinstance(node, yaml.SequenceNode):
                    waiting += node.value
                elif _OLD_NUMBER.match(node.value):
                    node.tag = 'tag:yaml.org,2002:str'
            yield root
    finally:
        loader.dispose()


def yaml_fault(error: Exception) -> str:
    """Return line, column and rule of a text that is no YAML, without PyYAML's name of it."""
    mark = getattr(error, 'problem_mark', None)
    if not isinstance(error, yaml.MarkedYAMLError) or mark is None:
        return ' '.join(str(error).replace('in "<unicode string>", ', 'at ').split())
    fault = f'line {mark.line + 1}, column {mark.column + 1}: '
    if error.context is not None:
        begin = error.context_mark
        fault += error.context + (f' from line {begin.line + 1}' if begin else '') + ', '
    return fault + str(error.problem)


def parameter_file_text(values: Mapping[str, Any], head: Sequence[str],
                        comments: Mapping[str, str]) -> str:
    """
    Return a file of parameters for ros2 launch (config:=) and ros2 run (--params-file).

    A value that is a mapping has keys of its own; comments are by the last key. `head` are lines
    of comments at the beginning.
    """
    lines = [*(f'# {printable(line)}' for line in head), '/**:', f'  {_SECTION}:']
    return '\n'.join([*lines, *_nested(values, comments, '    ')]) + '\n'


def _nested(values: Mapping[str, Any], comments: Mapping[str, str], indent: str) -> Iterator[str]:
    for key, value in values.items():
        plain = _PLAIN_KEY.fullmatch(key) and key.lower() not in (*_LOGICAL, 'null')
        start = f'{indent}{key if plain else json.dumps(key, ensure_ascii=False)}:'
        if isinstance(value, Mapping):
            yield start
            yield from _nested(value, comments, indent + '  ')
        else:
            comment = f'   # {comments[key]}' if key in comments else ''
            number = isinstance(value, float)
            text = yaml_number(value) if number else json.dumps(value).replace('NaN', '.nan')
            yield f'{start} {text}{comment}'


def yaml_number(value: float) -> str:
    """Return a number with a decimal point: some readers of YAML take 1e-05 for a text."""
    mantissa, _, exponent = f'{float(value)!r}'.partition('e')
    point = mantissa if '.' in mantissa else f'{mantissa}.0'
    return f'{point}e{int(exponent):+03d}' if exponent else point
