"""Recordings that spoil the model for the others."""

import json
from pathlib import Path

import numpy as np
import pytest

from support.scara_recordings import NAMES, SCARA, recording, robot
from urdf2dyn_ros.__main__ import main


def test_a_recording_that_spoils_the_model_is_not_used(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The second of three has a payload of 12 kg; the result is as if it were not there."""
    paths = [recording(tmp_path / f'{name}.csv', 8.0, seed, recorded=robot(payload=payload))
             for seed, (name, payload) in enumerate({'a': 0.0, 'loaded': 12.0, 'b': 0.0}.items())]
    results = {}
    for name, used in (('three', paths), ('two', paths[::2])):
        assert main(['identify', *used, '--urdf', str(SCARA), '-o', str(tmp_path / name)]) == 0
        results[name] = json.loads((tmp_path / name / 'identification.json').read_text())
    notes = [line for line in capsys.readouterr().err.splitlines() if 'loaded' in line]
    assert len(notes) == 1
    assert 'recording loaded does not fit the others, and is not used' in notes[0]
    assert [each['name'] for each in results['three']['recordings']] == ['a', 'b']
    assert results['three']['bodies'] == results['two']['bodies']
    assert results['three']['held_out_parts'] == 'blocks'


@pytest.mark.slow
def test_two_recordings_with_different_loads_are_not_used(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """
    Without either of them, the other one still spoils the model.

    At rest, static friction leaves far more than that.

    """
    def stopped(q, effort):
        rest, friction = len(q) * 2 // 3, np.random.default_rng(int(1e6 * abs(q[0, 0])))
        q[rest:] = q[rest] + 1e-5 * friction.normal(size=q[rest:].shape)
        effort[rest:] = effort[rest] + friction.uniform(-15.0, 15.0, len(NAMES))
        return q, effort

    loads = {'a': 0.0, 'heavy': 12.0, 'b': 0.0, 'c': 0.0, 'light': 8.0, 'd': 0.0}
    paths = [recording(tmp_path / f'{name}.csv', 4.0, seed, change=stopped,
                       recorded=robot(payload=payload))
             for seed, (name, payload) in enumerate(loads.items())]
    assert main(['identify', *paths, '--urdf', str(SCARA), '-o', str(tmp_path / 'out'),
                 '--cutoff', '10', '--delay', '0']) == 0
    notes = [line for line in capsys.readouterr().err.splitlines() if 'do not fit' in line]
    assert len(notes) == 1
    assert 'recordings heavy, light do not fit the others, and are not used' in notes[0]
    figures = json.loads((tmp_path / 'out' / 'identification.json').read_text())
    assert [each['name'] for each in figures['recordings']] == ['a', 'b', 'c', 'd']


def test_good_recordings_fit_each_other(tmp_path: Path,
                                        capsys: pytest.CaptureFixture[str]) -> None:
    """One is faster, so that its residual of 0.6 % is three times theirs."""
    paths = [recording(tmp_path / f'{seed}.csv', seed=seed) for seed in range(3)]
    assert main(['identify', *paths, '--urdf', str(SCARA), '-o', str(tmp_path / 'out')]) == 0
    assert 'does not fit' not in ''.join(capsys.readouterr())
