"""Figures that no change of the code may change unseen: they are kept in test/golden/figures."""

import json
import math
import os
import re
from typing import Any

import pytest

from support.paths import TEST

FOLDER = TEST / 'golden' / 'figures'
_NUMBER = re.compile(r'(\d+\.\d*(?:e[-+]?\d+)?)')


def assert_frozen(name: str, figures: dict[str, Any]) -> None:
    """
    Compare figures and texts with those that are kept, to three digits.

    A difference is a change of what users get: look at it, then `make golden` writes them again,
    or FREEZE=1 before pytest.
    """
    path, found = FOLDER / f'{name}.json', _rows(figures)
    if 'FREEZE' in os.environ:
        FOLDER.mkdir(exist_ok=True)
        path.write_text('{\n' + ',\n'.join(f'{json.dumps(key)}: {json.dumps(row)}'
                                           for key, row in found.items()) + '\n}\n')
    kept = json.loads(path.read_text())
    assert found.keys() == kept.keys()
    for key, row in kept.items():
        assert found[key] == {entry: _near(value) for entry, value in row.items()}, key


def layouts(figures: list[Any]) -> list[dict[str, Any]]:
    """Return what figures show, and where."""
    return [{
        'size': [*figure.get_size_inches(), figure.dpi],
        'texts': [text.get_text() for text in figure.texts],
        'axes': [{
            'box': [round(each, 4) for each in axes.get_position().bounds],
            'limits': [*axes.get_xlim(), *axes.get_ylim()],
            'labels': [axes.get_title(loc='left'), axes.get_xlabel(), axes.get_ylabel(),
                       *(text.get_text() for text in axes.texts)],
            'lines': [f'{line.get_color()} {line.get_linewidth()} {len(line.get_xdata())}'
                      for line in axes.lines],
            'shapes': len(axes.patches) + len(axes.collections)} for axes in figure.axes],
    } for figure in figures]


def _rows(value: dict[str, Any], name: str = '') -> dict[str, dict[str, Any]]:
    """Return the texts and numbers of each object by its path; lists are objects, too."""
    row, further = dict[str, Any](), dict[str, dict[str, Any]]()
    for key, entry in value.items():
        if isinstance(entry, (list, tuple)) and any(isinstance(each, dict) for each in entry):
            entry = dict(enumerate(entry))
        if isinstance(entry, dict):
            further |= _rows(entry, f'{name}/{key}' if name else str(key))
        else:
            row[str(key)] = _rounded(entry)
    return ({name: row} if row else {}) | further


def _rounded(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_rounded(each) for each in value]
    return float(f'{value:.4g}') if isinstance(value, float) else value


class _Text(str):
    """A text with the same words, and numbers that differ in the last digit at most."""

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        words, others = (_NUMBER.split(text) for text in (self, str(other)))
        return words[::2] == others[::2] and [*map(float, words[1::2])] == pytest.approx(
            [*map(float, others[1::2])], rel=2e-2, abs=1e-9)


def _near(value: Any) -> Any:
    if isinstance(value, list):
        return [_near(each) for each in value]
    if isinstance(value, str):
        return _Text(value)
    return pytest.approx(value, rel=1e-3, abs=1e-9) if (
        isinstance(value, float) and math.isfinite(value)) else value
