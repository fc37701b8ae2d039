"""A driver for Julia, without one."""

from __future__ import annotations

import ast
import math
import operator
import re
import sys
from typing import Any

import numpy as np
import tree_sitter
import tree_sitter_julia


_OPERATORS = {'+': operator.add, '-': operator.sub, '*': operator.mul, '/': operator.truediv}


class JuliaText:
    """
    What a file of straight-line Julia defines, by the grammar of tree-sitter.

    No registry that the tests use has a Julia. This parses, and evaluates assignments, arithmetic,
    sin, cos, tanh, exp and abs; promotion and the file's own test, which is parsed alone, are not run.

    """

    def __init__(self, text: str) -> None:
        language = tree_sitter.Language(tree_sitter_julia.language())
        root = tree_sitter.Parser(language).parse(text.encode()).root_node
        assert not root.has_error, f'{root}'[:2000]
        nodes = self._all(root)
        self._functions = {
            self._text(node.children[1].children[0].children[0]): node
            for node in nodes if node.type == 'function_definition'}
        self._constants: dict[str, Any] = {}
        for node in nodes:
            if node.type == 'const_statement':
                name, _, value = node.named_children[0].children
                if not self._text(name).startswith(('reference_', 'expected_')):
                    self._constants[self._text(name)] = self._value(value, self._constants)
        self.joint_names: list[str] = self._constants['joint_names']

    def call(self, function: str, *state: list[float]) -> list[Any]:
        """Return the results of a function."""
        node = self._functions[function]
        parameters = node.children[1].children[0].children[1].named_children
        scope = {**self._constants, **dict(zip(map(self._text, parameters), state))}
        for statement in node.named_children[1:]:
            if statement.type == 'return_statement':
                result, = statement.named_children
                names = result.named_children if result.type == 'open_tuple' else [result]
                return [scope[self._text(name)] for name in names]
            if statement.type != 'line_comment':
                assert statement.type == 'assignment', self._text(statement)
                target, _, value = statement.children
                if target.type == 'index_expression':
                    array, *indices = self._index(target, scope)
                    array[tuple(indices)] = self._value(value, scope)
                elif self._text(target) != 'T':
                    scope[self._text(target)] = self._value(value, scope)
        raise AssertionError(f'{function} returns nothing')

    def _value(self, node: Any, scope: dict[str, Any]) -> Any:
        kind, text = node.type, self._text(node)
        if kind in ('float_literal', 'integer_literal'):
            return float(text) if kind[0] == 'f' else int(text)
        if kind == 'identifier':
            return scope[text]
        if kind == 'index_expression':
            if text.startswith('String['):
                assert '$' not in text   # which interpolates
                return [ast.literal_eval(self._text(name)) for name in
                        node.children[1].named_children]
            array, *indices = self._index(node, scope)
            return array[tuple(indices)] if isinstance(array, np.ndarray) else array[indices[0]]
        if kind == 'call_expression' and text.startswith('zeros('):
            return np.zeros([int(size) for size in re.findall(r'\b\d+', text)])
        if kind == 'binary_expression':
            left, sign, right = node.children
            return _OPERATORS[self._text(sign)](self._value(left, scope),
                                                    self._value(right, scope))
        if kind == 'parenthesized_expression':
            return self._value(node.named_children[0], scope)
        assert kind in ('call_expression', 'unary_expression'), text
        function, argument = node.children
        value = self._value(argument.named_children[0] if kind[0] == 'c' else argument, scope)
        return {'sin': math.sin, 'cos': math.cos, 'tanh': math.tanh, 'exp': math.exp, 'abs': abs,
                'sqrt': math.sqrt, '-': lambda x: -x}[self._text(function)](value)

    def _index(self, node: Any, scope: dict[str, Any]) -> list[Any]:
        array, indices = node.named_children
        return [scope[self._text(array)],
                *(int(self._text(index)) - 1 for index in indices.named_children)]

    def _all(self, node: Any) -> list[Any]:
        return [node, *(each for child in node.children for each in self._all(child))]

    @staticmethod
    def _text(node: Any) -> str:
        return str(node.text.decode())


def show(results: list[Any]) -> None:
    """Print results, a number a line."""
    for result in results:
        print(*np.ravel(result).tolist(), sep='\n')


with open('@name_dynamics.jl') as file:
    robot = JuliaText(file.read())
print('====')
for name in robot.joint_names:
    print(*name.encode())
for state in np.array(sys.stdin.read().split(), float).reshape(-1, @width).tolist():
    @calls
