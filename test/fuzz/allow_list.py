"""What the text of an exported Python script may consist of."""

import ast
import re

# Whatever the generator may call a variable, and what a generated text uses of Python.
_NAMES = re.compile(
    r'_?[a-zA-Z]{1,4}\d+(_\d+)?(_[xyz]{1,2})?|g_[xyz]|[tk]\d+|gv_(position|velocity|'
    r'acceleration)_\w+|q|qd|qdd|k|a|b|row|name|unit|found|wrong|entry|cos|sin|abs|'
    r'ascii|max|range|zip|print|SystemExit|JOINT_NAMES|EFFORT_UNITS|reference_[a-z_]+|__name__|'
    r'array_of_variables|values|entries|in_root_frame|inverse_dynamics|dynamic_model|differences|'
    r'function|scales?|scale_(inverse_dynamics(_wrench)?|wrenches)|'
    r'expected(_inverse_dynamics(_wrench)?|_wrenches)?|tau|len|names|tanh|exp|base_motion|external|'
    r'exported|changed|globals|kind|kinds|vector|vectors|payload|wrench|mp|[cI]p_[xyz]{1,2}|(friction|rotor|spring)\d+')

_FUNCTIONS = {'sin', 'cos', 'tanh', 'exp'}


def check_text(text: str) -> None:
    """Demand printable ASCII whose syntax tree has generated names and functions of math only."""
    assert set(text) <= {'\n', *map(chr, range(32, 127))}
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.arg | ast.FunctionDef):
            name = {ast.Name: 'id', ast.arg: 'arg', ast.FunctionDef: 'name'}[type(node)]
            assert _NAMES.fullmatch(getattr(node, name)), getattr(node, name)
        assert not isinstance(node, ast.Attribute | ast.Lambda | ast.ClassDef | ast.Import)
        if isinstance(node, ast.ImportFrom):
            assert node.module == 'math' and {alias.name for alias in node.names} <= _FUNCTIONS
