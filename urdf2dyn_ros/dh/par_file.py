"""The .par files of OpenSYMORO: from their text to a table."""

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from urdf2dyn_ros.counting import counted
from urdf2dyn_ros.dh.parameters import SixParameters
from urdf2dyn_ros.dh.rows import (
    FIXED_ROW,
    FRICTION_COLUMNS,
    INERTIA_COLUMNS,
    PRISMATIC_ROW,
    REVOLUTE_ROW,
)
from urdf2dyn_ros.errors import SourceError
from urdf2dyn_ros.quoting import listed, quote

_TYPES: dict[float, Any] = {0: REVOLUTE_ROW, 1: PRISMATIC_ROW, 2: FIXED_ROW}
_JOINT_COLUMN = {REVOLUTE_ROW: 'theta', PRISMATIC_ROW: 'r'}
_COLUMNS = (*SixParameters._fields, *INERTIA_COLUMNS, *FRICTION_COLUMNS)
_IDENTITY = tuple(float(k % 5 == 0) for k in range(16))

_REJECTED_COLUMNS = ('IA', 'FX', 'FY', 'FZ', 'CX', 'CY', 'CZ')
"""Inertias of motors, and wrenches on links: a model of rows has none."""

_OPERATORS: dict[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.USub: operator.neg, ast.UAdd: operator.pos}


def par_table(text: str, path: str, values: Mapping[str, float]) -> dict[str, Any]:
    """
    Return the table of a .par file whose symbols have these values [rad, m, kg].

    Theta of R and r of P contain the joint's position, a symbol that has no value. SourceError
    names symbols that lack one, and what a table cannot express.
    """
    file = _ParFile(text, path, values)
    if file.count('NF') != file.count('NL') or file.count('Type') > 1:
        raise SourceError(f'{path}: closed loops are not supported (NF must be NL, and Type 0 '
                          'or 1)')
    if file.count('is_mobile') or file.count('is_floating'):
        raise SourceError(f'{path}: a base that moves is not supported; set is_mobile to 0')
    if 'z' in file.lists and file.numbers('Z', None) != _IDENTITY:
        raise SourceError(f'{path}: Z must be the identity; a table places frame 0 by row 0')
    for name in _REJECTED_COLUMNS:
        if name.lower() in file.lists and any(file.numbers(name, 0.0)):
            raise SourceError(f'{path}: {name} must be zero; rotors and wrenches on links are '
                              'loads, not part of a model')
    rows = [file.row(k) for k in range(file.count('NL'))]
    if file.missing:
        raise SourceError(f'{path}: no value for {listed(file.missing)}; the argument values '
                          'must have them')
    file.check_symbols([row['type'] for row in rows])
    match = re.search(r"Robotname\s*=\s*'([^']*)'", text)
    return {'name': match[1] if match else 'robot', 'rows': rows}


class _ParFile:
    """The lists of a file, with symbols and products as entries."""

    def __init__(self, text: str, path: str, values: Mapping[str, float]) -> None:
        self.path, self.values = path, {'pi': math.pi, 'Pi': math.pi, **values}
        text = re.sub(r'\(\*.*?\*\)', ' ', text, flags=re.DOTALL)   # comments
        self.lists: dict[str, list[str]] = {}
        for name, entries in re.findall(r'(\w+)\s*=\s*\{([^}]*)\}', text):
            found = [entry.strip() for entry in entries.split(',')]
            if self.lists.setdefault(name.lower(), found) != found:
                raise SourceError(f'{path}: there are two different lists {name}; delete one')
        self.counts = {name.lower(): int(value) for name, value in re.findall(
            r'^\s*(\w+)\s*=\s*(-?\d{1,9})\s*$', text, re.MULTILINE)}
        self.missing: dict[str, None] = {}
        if self.counts.get('nl', -1) < 0 or 'sigma' not in self.lists:
            raise SourceError(f'{path} is no .par file of OpenSYMORO: it must have NL, not '
                              'negative, and sigma')

    def count(self, name: str) -> int:
        """Return a single integer; NF is NL by default, all others are 0."""
        default = self.counts['nl'] if name == 'NF' else 0
        return self.counts.get(name.lower(), default)

    def numbers(self, name: str, unknown: float | None) -> tuple[float, ...]:
        """Return the values of a list, of symbols without value as `_value` does."""
        return tuple(self._value(name, entry, unknown) for entry in self.lists[name.lower()])

    def row(self, k: int) -> dict[str, Any]:
        kind = self._number('sigma', k)
        row: dict[str, Any] = {'j': k + 1, 'type': _TYPES.get(kind, kind)}
        antecedent = self._number('ant', k) if 'ant' in self.lists else k
        if antecedent != int(antecedent):
            raise SourceError(f'{self.path}: Ant has the entry {quote(self.lists["ant"][k])}; it '
                              'must be the number of a frame')
        row['antecedent'] = int(antecedent)
        for name in _COLUMNS:
            if name.lower() in self.lists:
                row[name] = self._number(name, k, name == _JOINT_COLUMN.get(row['type']))
        return row

    def check_symbols(self, kinds: Sequence[Any]) -> None:
        """Check that the position of each joint is a symbol of its own, to which values add."""
        rows: dict[str, int] = {}
        for k, name in enumerate(map(_JOINT_COLUMN.get, kinds)):
            if name is None or name not in self.lists:
                continue
            entry = self.lists[name][k]
            symbols = {node.id for node in ast.walk(ast.parse(entry, mode='eval'))
                       if isinstance(node, ast.Name)} - {*self.values}
            change = self._value(name, entry, 2.0) - self._value(name, entry, 0.0)
            if len(symbols) > 1 or (symbols and abs(change - 2.0) > 1e-9):
                raise SourceError(f'{self.path}: {name} has the entry {quote(entry)}, but must be '
                                  f'the position of joint {k + 1}, a symbol without a factor, '
                                  'plus or minus what has a value')
            for symbol in symbols:
                if rows.setdefault(symbol, k) != k:
                    raise SourceError(f'{self.path}: {quote(symbol)} is the position of joint '
                                      f'{rows[symbol] + 1} and of joint {k + 1}; each joint '
                                      'needs a symbol of its own')

    def _number(self, name: str, k: int, moves: bool = False) -> float:
        entries = self.lists[name.lower()]
        if len(entries) != self.count('NL'):
            count = counted(len(entries), 'entry', 'entries')
            raise SourceError(f'{self.path}: {name} has {count}, but NL is {self.count("NL")}')
        return self._value(name, entries[k], 0.0 if moves else None)

    def _value(self, name: str, entry: str, unknown: float | None) -> float:
        """Return an entry's value; note a symbol that lacks one if none is accepted."""
        try:
            value = float(self._evaluated(ast.parse(entry, mode='eval').body, unknown))
            if math.isfinite(value):
                return value
            raise ValueError
        except (SyntaxError, ValueError, TypeError, KeyError, ArithmeticError, RecursionError,
                MemoryError):   # of a parser with too many brackets
            raise SourceError(f'{self.path}: {name} has the entry {quote(entry)}; it must be a '
                              'number, or sums and products of numbers, pi and symbols') from None

    def _evaluated(self, node: ast.AST, unknown: float | None) -> float:
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return float(node.value)   # type: ignore[arg-type]
        if isinstance(node, ast.Name):
            if node.id in self.values:
                return self.values[node.id]
            if unknown is None:
                self.missing[node.id] = None
            return unknown or 0.0
        if isinstance(node, ast.BinOp):
            return _OPERATORS[type(node.op)](self._evaluated(node.left, unknown),
                                             self._evaluated(node.right, unknown))
        if isinstance(node, ast.UnaryOp):
            return _OPERATORS[type(node.op)](self._evaluated(node.operand, unknown))
        raise ValueError
