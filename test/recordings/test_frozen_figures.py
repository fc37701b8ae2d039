"""Figures and lines of a report, as they are: of a simulated RX90 with faults of its efforts."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.frozen import assert_frozen, layouts
from support.paths import ROOT
from support.robot_files import OWN
from urdf2dyn_ros.recordings import pages


def spoilt(path: Path, current: float = 1.0) -> Path:
    """Write efforts that are late, noisy and with friction; those of the last joint are stuck."""
    with (ROOT / 'examples' / 'rx90.csv').open(newline='') as file:
        names, *rows = csv.reader(file)
    values = np.array(rows, dtype=float)
    velocities, effort = values[:, 7:13], values[:, 13:].copy()
    effort += 0.2 * velocities + np.linspace(6.0, 1.0, 6) * np.sign(velocities)
    effort += 0.3 * np.random.default_rng(4).normal(size=effort.shape)
    effort[300:, 5] = effort[300, 5]
    values = values[:-2]
    values[:, -6:] = effort[:-2] / current
    values[2:, -6:] = effort[:-4] / current
    np.savetxt(path, values, '%.8g', ',', header=','.join(names), comments='')
    return path


@pytest.mark.parametrize(('name', 'words'), [
    ('net', ['--observer']),
    ('current', ['--effort-semantics', 'current', '--gains', 30, '--estimator', 'kalman'])])
def test_the_figures_of_a_recording_are_frozen(name: str, words: list, evaluate, tmp_path: Path,
                                               monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Any] = []
    monkeypatch.setattr(pages, '_write', lambda figure, *_, **options: drawn.append(figure))
    path = spoilt(tmp_path / 'r.csv', 30.0 if name == 'current' else 1.0)
    done = evaluate(path, *words, urdf=OWN / 'rx90.urdf', drawn=name == 'net')
    assert done.code == 0
    figures = json.loads((done.folder / 'efforts.json').read_text())
    found = {'joints': figures['joints'], 'said': [
        line for line in (done.err + done.out).splitlines() if str(tmp_path) not in line]}
    if name == 'net':
        assert_frozen('pictures', {'pictures': layouts(drawn)})
        found['external'] = json.loads((done.folder / 'external_efforts.json').read_text())
    assert_frozen(f'evaluated_{name}', found)
