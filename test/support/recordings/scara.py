"""Recordings of a SCARA whose efforts Pinocchio knows, for `urdf2dyn evaluate`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from support.oracles import Pinocchio
from support.recordings.bags import START, joint_state, joint_trajectory, write_bag, write_csv
from support.robot_files import OWN
from urdf2dyn_ros.recordings.report import write_json

Array = NDArray[np.float64]

SCARA = OWN / 'scara.urdf'
JOINTS = ('joint1', 'joint2', 'joint3', 'joint4')
CENTRE, SIZE = np.array([0.1, -0.3, 0.5, -0.1]), np.array([0.9, 0.7, 1.1, 0.05])
SPEED, PHASE = np.array([3.0, 4.0, 5.0, 7.0]), np.array([0.0, 1.0, 2.0, 3.0])


@dataclass(frozen=True)
class Samples:
    """
    What is recorded: stamps (k,) [ns], and q, qd, qdd, effort (k, 4) or None.

    The order of the columns is that of the names, and needs not be the robot's.

    """

    stamps: NDArray[np.int64]
    q: Array
    qd: Array | None
    qdd: Array
    effort: Array | None
    names: tuple[str, ...] = JOINTS

    def but(self, **changed: Any) -> Samples:
        return replace(self, **changed)

    def reversed(self) -> Samples:
        """Return the same with the joints in the opposite order, as drivers like to send them."""
        assert self.qd is not None and self.effort is not None
        return Samples(self.stamps, self.q[:, ::-1], self.qd[:, ::-1], self.qdd[:, ::-1],
                       self.effort[:, ::-1], self.names[::-1])


@cache
def motion(count: int = 300, rate: int = 250, start: int = START) -> Samples:
    stamps = start + np.arange(count, dtype=np.int64) * (1_000_000_000 // rate)
    angle = SPEED * ((stamps - start) * 1e-9)[:, None] + PHASE
    q = CENTRE + SIZE * np.sin(angle)
    qd, qdd = SIZE * SPEED * np.cos(angle), -SIZE * SPEED**2 * np.sin(angle)
    oracle = Pinocchio(SCARA.read_text())
    efforts = []
    for row in zip(q, qd, qdd):
        found = oracle.efforts(dict(zip(JOINTS, zip(*row))))
        efforts.append([found[joint] for joint in JOINTS])
    return Samples(stamps, q, qd, qdd, np.array(efforts))


def states(samples: Samples) -> list[Any]:
    nothing = [()] * len(samples.stamps)
    return [joint_state(int(stamp), samples.names, *row) for stamp, *row in zip(
        samples.stamps, samples.q, nothing if samples.qd is None else samples.qd,
        nothing if samples.effort is None else samples.effort)]


def db3(folder: Path, samples: Samples) -> Path:
    return write_bag(folder / 'bag', 'db3', {'/joint_states': states(samples)})


def mcap(folder: Path, samples: Samples) -> Path:
    return write_bag(folder / 'bag', 'mcap', {'/joint_states': states(samples)})


def directory(folder: Path, samples: Samples) -> Path:
    """Write a bag, and name its directory."""
    return db3(folder, samples).parent


def table(folder: Path, samples: Samples, accelerations: bool = False) -> Path:
    parts = {'q': samples.q, 'qd': samples.qd, 'effort': samples.effort,
             'qdd': samples.qdd if accelerations else None}
    known = {what: values for what, values in parts.items() if values is not None}
    header = ['time', *(f'{what}_{name}' for what in known for name in samples.names)]
    rows = ([f'{stamp // 10**9}.{stamp % 10**9:09d}', *map(repr, np.concatenate(
        [values[k] for values in known.values()]).tolist())]
        for k, stamp in enumerate(samples.stamps.tolist()))
    return write_csv(folder / 'recording.csv', header, rows)


def trajectory(folder: Path, samples: Samples) -> Path:
    assert samples.qd is not None and samples.effort is not None
    first = int(samples.stamps[0])
    points = [(int(stamp) - first, *row) for stamp, *row in zip(
        samples.stamps, samples.q, samples.qd, samples.qdd, samples.effort)]
    return write_bag(folder / 'bag', 'mcap',
                     {'/plan': [joint_trajectory(first, samples.names, points)]})


KINDS: dict[str, Callable[[Path, Samples], Path]] = {
    'db3': db3, 'mcap': mcap, 'directory': directory, 'csv': table}


def renamed(samples: Samples, names: Sequence[str]) -> Samples:
    return samples.but(names=tuple(names))


def no_pictures(joints: Any, directory: Path, title: str, about: Sequence[str],
                *more: object) -> list[Path]:
    """Write the figures alone: pictures take seconds."""
    write_json(joints, directory / 'efforts.json')
    return []
