"""Figures that no change of the code may change unseen: they are kept in test/golden/figures."""

import json
import math
import os
from typing import Any

import pytest

from support.paths import TEST

FOLDER = TEST / 'golden' / 'figures'


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


def _rows(value: dict[str, Any], name: str = '') -> dict[str, dict[str, Any]]:
    """Return the texts and numbers of each object by its path; lists are objects, too."""
    row, further = dict[str, Any](), dict[str, dict[str, Any]]()
    for key, entry in value.items():
        entry = dict(enumerate(entry)) if isinstance(entry, (list, tuple)) else entry
        if isinstance(entry, dict):
            further |= _rows(entry, f'{name}/{key}' if name else str(key))
        else:
            row[str(key)] = float(f'{entry:.4g}') if isinstance(entry, float) else entry
    return ({name: row} if row else {}) | further


def _near(value: Any) -> Any:
    return pytest.approx(value, rel=1e-3, abs=1e-9) if (
        isinstance(value, float) and math.isfinite(value)) else value
