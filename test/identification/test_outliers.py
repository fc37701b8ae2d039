"""Recordings that do not fit the others."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.scara_recordings import NAMES, SCARA, recording, robot
from urdf2dyn_ros.__main__ import main


def identified(out: Path, paths: list[str], *words: str) -> tuple[list[str], dict[str, Any]]:
    """Return which recordings the verdict names and are not used, and the figures."""
    assert main(['identify', *paths, '--urdf', str(SCARA), '-o', str(out), *words]) == 0
    found = json.loads((out / 'identification.json').read_text())
    said = [each for each in found['caveats'] if each.endswith('It is not used')]
    assert all('does not fit the others at ' in each and each in found['verdict']
               for each in said)
    names = [each.split()[1] for each in said]
    assert [each['name'] for each in found['recordings']] == [
        Path(path).stem for path in paths if Path(path).stem not in names]
    return names, found


@pytest.mark.slow
def test_a_recording_with_a_payload_is_said_first_and_not_used(tmp_path: Path) -> None:
    """The result is as if it were not there."""
    paths = [recording(tmp_path / f'{name}.csv', 8.0, seed, recorded=robot(payload=payload))
             for seed, (name, payload) in enumerate({'a': 0.0, 'loaded': 12.0, 'b': 0.0}.items())]
    names, three = identified(tmp_path / 'three', paths)
    assert names == ['loaded'] and three['held_out_parts'] == 'blocks'
    _, two = identified(tmp_path / 'two', paths[::2])
    assert three['bodies'] == two['bodies']


@pytest.mark.slow
def test_two_recordings_with_different_loads_are_named(tmp_path: Path) -> None:
    """At rest, static friction leaves far more than a load."""
    def stopped(q, effort):
        rest, friction = len(q) * 2 // 3, np.random.default_rng(int(1e6 * abs(q[0, 0])))
        q[rest:] = q[rest] + 1e-5 * friction.normal(size=q[rest:].shape)
        effort[rest:] = effort[rest] + friction.uniform(-15.0, 15.0, len(NAMES))
        return q, effort

    loads = {'a': 0.0, 'heavy': 12.0, 'b': 0.0, 'c': 0.0, 'light': 8.0, 'd': 0.0}
    paths = [recording(tmp_path / f'{name}.csv', 4.0, seed, change=stopped,
                       recorded=robot(payload=payload))
             for seed, (name, payload) in enumerate(loads.items())]
    names, _ = identified(tmp_path / 'out', paths, '--cutoff', '10', '--delay', '0', '--force')
    assert sorted(names) == ['heavy', 'light']


@pytest.mark.slow
def test_good_recordings_fit_each_other(tmp_path: Path) -> None:
    """One is faster, so that its residual of 0.6 % is three times theirs."""
    paths = [recording(tmp_path / f'{seed}.csv', seed=seed) for seed in range(3)]
    names, found = identified(tmp_path / 'out', paths)
    assert names == [] and 'does not fit' not in found['verdict']
