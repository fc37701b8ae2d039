"""Running `urdf2dyn evaluate`, and what it leaves behind: helpers of its tests."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from evaluations import (
    JOINTS,
    SCARA,
    Samples,
    no_pictures,
)

from urdf2dyn_ros.cli import main
from urdf2dyn_ros.commands import evaluate as command

WRITTEN = {'efforts.csv', 'efforts_bag', 'efforts.json'}
REPORT = WRITTEN | {'efforts.png', 'efforts.html'}
ZERO = np.zeros(4)


class Done(NamedTuple):
    """What a run left behind."""

    code: int
    out: str
    err: str
    folder: Path

    @property
    def rows(self) -> dict[str, np.ndarray]:
        """The columns of the table; the times as they are written."""
        with (self.folder / 'efforts.csv').open(newline='') as file:
            header, *rows = csv.reader(file)
        columns = dict(zip(header, zip(*rows)))
        return {name: np.array(cells) if name == 'time' else np.array(
            [float(cell or 'nan') for cell in cells]) for name, cells in columns.items()}

    @property
    def stamps(self) -> np.ndarray:
        """The times of the table [ns]."""
        return np.array([int(time.replace('.', '')) for time in self.rows['time']])

    def side(self, name: str, joints: tuple[str, ...] = JOINTS) -> np.ndarray:
        """Return a side of the table, (k, n)."""
        rows = self.rows
        return np.column_stack([rows[f'{name}_{joint}'] for joint in joints])

    def figures(self) -> list[dict]:
        """Return the joints of the report."""
        return json.loads((self.folder / 'efforts.json').read_text())['joints']


@pytest.fixture
def evaluate(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """Return a function that runs the command, and takes what it says; pictures take seconds."""
    def run(recording: Path, *words: object, urdf: Path = SCARA, drawn: bool = False) -> Done:
        if not drawn:
            monkeypatch.setattr(command, 'write_figures', no_pictures)
        folder = tmp_path / 'results'
        code = main(['evaluate', str(recording), '--urdf', str(urdf), '-o', str(folder),
                     *map(str, words)])
        out, err = capsys.readouterr()
        assert 'Traceback' not in err
        # on a busy computer it takes long enough for progress to be shown
        lines = [line for line in err.splitlines() if not line.startswith('evaluating: ')]
        return Done(code, out, '\n'.join(lines), folder)

    return run


def nrmse(found: np.ndarray, true: np.ndarray) -> float:
    return float((np.sqrt(((found - true)**2).mean(axis=0)) / np.ptp(true, axis=0)).max())


def true_efforts(done: Done, samples: Samples) -> np.ndarray:
    """Return Pinocchio's efforts at the instants of the table."""
    rows = np.searchsorted(samples.stamps, done.stamps)
    assert (samples.stamps[rows] == done.stamps).all()
    return samples.effort[rows]


def with_dynamics(folder: Path, damping: float, friction: float) -> Path:
    """Return the SCARA with friction in all of its joints."""
    path = folder / 'friction.urdf'
    path.write_text(SCARA.read_text().replace(
        '</joint>', f'<dynamics damping="{damping}" friction="{friction}"/></joint>'))
    return path
