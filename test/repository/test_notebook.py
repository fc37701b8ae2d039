"""
examples/notebook.ipynb, executed cell by cell: it prints and shows what is stored in it.

    PYTHONPATH=$PWD:$PWD/test python test/repository/test_notebook.py     # stores it again

"""

import ast
import base64
import contextlib
import io
import json
import os
import warnings
from collections.abc import Iterator
from typing import Any

import pytest
from matplotlib import pyplot

from support.paths import ROOT

pytestmark = pytest.mark.slow

NOTEBOOK = ROOT / 'examples' / 'notebook.ipynb'
LARGEST = 200_000   # [bytes]


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def shown(value: Any) -> dict[str, Any]:
    """Return a value in the formats in which a notebook stores it."""
    formats: dict[str, Any] = {'text/plain': lines(repr(value))}
    table = value._repr_html_() if hasattr(value, '_repr_html_') else None
    if table:
        formats['text/html'] = lines(table)
    return formats


def pictures() -> Iterator[dict[str, Any]]:
    """Yield what Jupyter shows after a cell: the open figures of pyplot, and no others."""
    for number in pyplot.get_fignums():
        figure, picture = pyplot.figure(number), io.BytesIO()
        figure.savefig(picture, format='png', dpi=70)
        yield {'data': {'text/plain': lines(repr(figure)),
                        'image/png': base64.b64encode(picture.getvalue()).decode()},
               'metadata': {}, 'output_type': 'display_data'}
    pyplot.close('all')


def outputs(source: str, namespace: dict[str, object], number: int) -> list[dict[str, Any]]:
    """Execute a cell; return what it prints and its last expression, as notebooks store them."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    value, printed = None, io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.filterwarnings('ignore', '.*non-interactive')   # show() has no window
        exec(compile(tree, f'cell {number}', 'exec'), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f'cell {number}', 'eval'), namespace)
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        found.append({'name': 'stdout', 'output_type': 'stream',
                      'text': lines(printed.getvalue())})
    if value is not None:
        found.append({'data': shown(value), 'execution_count': number, 'metadata': {},
                      'output_type': 'execute_result'})
    return [*found, *pictures()]


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return the notebook with its outputs; it runs in the folder that it is in."""
    namespace: dict[str, object] = {'__name__': '__main__'}
    cells, number = [], 0
    pyplot.close('all')   # figures that an example of another test opened are not this notebook's
    for cell in notebook['cells']:
        if cell['cell_type'] == 'code':
            number += 1
            cell = {**cell, 'execution_count': number,
                    'outputs': outputs(''.join(cell['source']), namespace, number)}
        cells.append(cell)
    return {**notebook, 'cells': cells}


def without_pictures(cells: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Return the texts of the outputs; pictures differ with the version of matplotlib."""
    return [[{**output, 'data': {kind: data for kind, data in output['data'].items()
                                 if kind != 'image/png' and 'image/png' not in output['data']}}
             if 'data' in output else output for output in cell.get('outputs', [])]
            for cell in cells]


def test_the_notebook_prints_and_shows_what_is_stored_in_it(monkeypatch):
    monkeypatch.chdir(NOTEBOOK.parent)
    stored = json.loads(NOTEBOOK.read_text())
    again = executed(stored)
    assert without_pictures(again['cells']) == without_pictures(stored['cells'])
    assert any('image/png' in output.get('data', {}) for cell in stored['cells']
               for output in cell.get('outputs', []))
    assert NOTEBOOK.stat().st_size < LARGEST


if __name__ == '__main__':
    os.chdir(NOTEBOOK.parent)
    NOTEBOOK.write_text(json.dumps(executed(json.loads(NOTEBOOK.read_text())), indent=1) + '\n')
