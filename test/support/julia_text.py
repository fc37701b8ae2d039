"""Julia as this package writes it, evaluated without a Julia."""

from __future__ import annotations

import ast
import math
import operator
import re
from typing import Any

import numpy as np
import tree_sitter
import tree_sitter_julia

_OPERATORS = {'+': operator.add, '-': operator.sub, '*': operator.mul, '/': operator.truediv}


class JuliaText:
    """
    What a file of straight-line Julia defines, by the grammar of tree-sitter.

    No registry that the tests use has a Julia. This parses, and evaluates assignments, arithmetic,
    sin, cos, tanh, exp and abs; promotion is not run. The file's own test: `self_check`.

    """

    def __init__(self, text: str) -> None:
        language = tree_sitter.Language(tree_sitter_julia.language())
        root = tree_sitter.Parser(language).parse(text.encode()).root_node
        assert not root.has_error, f'{root}'[:2000]
        nodes = self._all(root)
        self.functions = {
            self._text(node.children[1].children[0].children[0]): node
            for node in nodes if node.type == 'function_definition'}
        self.constants: dict[str, Any] = {}
        for node in nodes:
            if node.type == 'const_statement':
                name, _, value = node.named_children[0].children
                if not self._text(name).startswith(('reference_', 'expected_', 'scale_')):
                    self.constants[self._text(name)] = self._value(value, self.constants)
        self.joint_names: list[str] = self.constants['joint_names']

    def call(self, function: str, *state: list[float]) -> list[Any]:
        """Return the results of a function."""
        node = self.functions[function]
        parameters = node.children[1].children[0].children[1].named_children
        scope = {**self.constants, **dict(zip(map(self._text, parameters), state))}
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


_AS_PYTHON = (
    (r'^const ', ''), (r'\b(?:String|Float64)\[', '['), (r'^( *)end$', ''),
    (r'^function (\w+\(.*\))$', r'def \1:'), (r'^( *for (?!\(joint,).*(?:,\n.*)*)(?<!,)$', r'\1:'),
    (r'\beachindex\((\w+)\)', r'range(len(\1))'), (r'\[(\d+)\]', lambda n: f'[{int(n[1]) - 1}]'),
    (r'append!\(wrong, ', 'wrong.extend('), (r' \* reference_', ' @ reference_'),
    (r'"\$name, \$joint: \$a instead of \$b"', 'f"{name}, {joint}: {a} instead of {b}"'),
    (r'if !\((.*)\)\]$', r'if not (\1)]'),
    (r'isempty\((\w+)\) \? (".*?"|\S+) : (".*?"|\S+?)(?=\)?$)',
     r'(\2 if not \1 else \3)'),
    (r'^( *)if (?:abspath.*|(isempty)\((\w+)\))$',
     lambda line: f'{line[1]}if {"not " + line[3] if line[2] else "True"}:'),
    (r'rpad\((.*?), 24\)', r'\1.ljust(24)'), (r'round\((\w+), sigdigits=9\)', r"f'{\1:.9g}'"),
    (r'^ *foreach\(line -> println\("    ", line\), wrong\)$',
     '    [println("    ", line) for line in wrong]'))
"""Lines of the part that checks a file, in which blocks are indented, and the same in Python."""


def self_check(text: str) -> tuple[int, str]:
    """
    Return exit code and output of a file's own test, line by line as Python.

    Only the forms of `languages/self_tests/julia.py` are known; another one is a SyntaxError or
    NameError. The functions that are tested are evaluated by `JuliaText`.

    """
    julia = JuliaText(text)
    start = re.search(r'^const reference_', text, re.MULTILINE)
    assert start is not None
    part = re.sub(r'\b[A-Z]\w*Dynamics\.', '', text[start.start():])
    for pattern, python in _AS_PYTHON:
        part = re.sub(pattern, python, part, flags=re.MULTILINE)
    output: list[str] = []
    scope: dict[str, Any] = {
        **julia.constants, 'println': lambda *parts: output.append(''.join(map(str, parts))),
        **{name: _callable(julia, name) for name in julia.functions}}
    codes: list[int] = []
    exec(part, {**scope, 'exit': codes.append})
    code, = codes
    return code, '\n'.join(output)


def _callable(julia: JuliaText, name: str) -> Any:
    def call(*arguments: list[float]) -> Any:
        results = julia.call(name, *arguments)
        return results if len(results) > 1 else results[0]
    return call
