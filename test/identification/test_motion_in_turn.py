"""A recording in which joints move one after the other, as a careful user would record it."""

import json
from pathlib import Path

import numpy as np

from support.scara_recordings import NAMES, ROBOT, identified, motion


def test_joints_that_move_one_after_the_other_are_identified(tmp_path: Path) -> None:
    """Each moves in a fifth of the recording, which the others do not predict."""
    rate = 60.0
    time, q, _, _ = motion(24.0, rate=rate)
    parts = 5.0 * time[:, None] / time[-1] - np.arange(len(NAMES))
    q = q * np.sin(np.pi * np.clip(parts, 0.0, 1.0)) ** 2
    qd = np.gradient(q, 1.0 / rate, axis=0)
    effort = ROBOT(q, qd, np.gradient(qd, 1.0 / rate, axis=0))
    effort += 0.01 * effort.std(axis=0) * np.random.default_rng(1).normal(size=effort.shape)
    head = ['time', *(f'q_{name}' for name in NAMES), *(f'effort_{name}' for name in NAMES)]
    path = tmp_path / 'r.csv'
    np.savetxt(path, np.column_stack((time, q, effort)), '%.9g', ',', header=','.join(head),
               comments='')
    assert identified(path, '-o', tmp_path / 'out') == 0
    joints = json.loads((tmp_path / 'out' / 'identification.json').read_text())['joints']
    assert min(each['held_out']['r2']['identified'] for each in joints.values()) > 0.999
