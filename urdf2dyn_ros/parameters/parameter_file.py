"""Files of parameters in ROS's own format, read and written without ROS."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.quoting import listed, printable

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

    As for a node without a namespace, sections of all nodes (``/**``) count, and later values
    replace earlier ones. Values are checked by nothing but their syntax. A ParameterError if the
    file cannot be read, or has no section of this node.
    """
    values: dict[str, Any] = {}
    entries = parameter_entries(path)
    for section, parameter, value in entries:
        if section.rpartition('/')[2] in (node, '*', '**'):
            values[parameter] = value
    if not values:
        sections = dict.fromkeys(section for section, _, _ in entries)
        raise ParameterError(
            f'{printable(str(path))} has no parameters of the node {node}: they stand below '
            f'"/**:" and "{_SECTION}:"' + (f'; it has those of {listed(sections)}'
                                           if sections else ''))
    return values


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
        entries = [*_entries(yaml.compose(text, yaml.SafeLoader), (), set())]
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


def _entries(node: yaml.Node | None, path: _Path, known: set[yaml.Node],
             ) -> Iterator[tuple[_Path, Any]]:
    """Yield the values of nested mappings with their keys; a ValueError for other contents."""
    if node is None:   # an empty text
        return
    line = f'line {node.start_mark.line + 1}'
    if node in known:
        raise ValueError(f'{line}: ROS reads no anchors and aliases; write this value again where '
                         'it is needed')
    known.add(node)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _entries(value, (*path, str(_value(key, as_it_is=True))), known)
    elif not path:
        raise ValueError(f'{line}: a mapping is required, as "/**:" of nodes')
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
    if as_it_is or node.style is not None:   # a key, or quoted
        return text
    if text.lower() in _LOGICAL:
        return _LOGICAL[text.lower()]
    if _WHOLE_NUMBER.fullmatch(text):
        return int(text)
    if _DECIMAL_NUMBER.fullmatch(text) or _NOT_FINITE.fullmatch(text):
        return float(_NOT_FINITE.sub(r'\1\2', text))
    return text


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
            yield f'{start} {yaml_number(value) if number else json.dumps(value)}{comment}'


def yaml_number(value: float) -> str:
    """Return a number with a decimal point: some readers of YAML take 1e-05 for a text."""
    mantissa, _, exponent = f'{float(value)!r}'.partition('e')
    point = mantissa if '.' in mantissa else f'{mantissa}.0'
    return f'{point}e{int(exponent):+03d}' if exponent else point
