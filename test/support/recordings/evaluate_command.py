"""Running `urdf2dyn evaluate`, and what it leaves behind: helpers of its tests."""

import csv
import json
from pathlib import Path
from typing import NamedTuple

import numpy as np

from support.recordings.scara import JOINTS, SCARA, Samples

WRITTEN = {'efforts.csv', 'efforts_bag', 'efforts.json'}
REPORT = WRITTEN | {'efforts.png', 'efforts.html'}


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
        return json.loads((self.folder / 'efforts.json').read_text())['joints']


def nrmse(found: np.ndarray, true: np.ndarray) -> float:
    return float((np.sqrt(((found - true)**2).mean(axis=0)) / np.ptp(true, axis=0)).max())


def true_efforts(done: Done, samples: Samples) -> np.ndarray:
    """Return Pinocchio's efforts at the instants of the table."""
    rows = np.searchsorted(samples.stamps, done.stamps)
    assert (samples.stamps[rows] == done.stamps).all()
    return samples.effort[rows]


def with_dynamics(folder: Path, damping: float, friction: float) -> Path:
    path = folder / 'friction.urdf'
    path.write_text(SCARA.read_text().replace(
        '</joint>', f'<dynamics damping="{damping}" friction="{friction}"/></joint>'))
    return path
