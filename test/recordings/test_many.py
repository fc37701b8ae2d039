"""evaluate of many recordings: a directory for each, one table and one report over all."""

import json
from pathlib import Path

import numpy as np
import pytest

from support.scara_recordings import NAMES, SCARA, recording
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.recordings.many import (
    EvaluatedRecording,
    JointResidual,
    folder_names,
    many_tables,
)

FILES = {'efforts.json', 'efforts.html', 'efforts.png', 'efforts.csv'}


@pytest.mark.slow
def test_many_recordings_are_evaluated_as_each_alone_and_a_damaged_one_costs_only_itself(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [recording(tmp_path / f'{name}.csv', 3.0, seed) for seed, name in enumerate('ab')]
    (tmp_path / 'broken.csv').write_text('time,q_joint1\n0,1\n')
    out, robot = tmp_path / 'out', ('--urdf', str(SCARA))
    words = ['evaluate', paths[0], str(tmp_path / 'broken.csv'), paths[1], *robot, '-o', str(out)]
    assert main([*words, '--workers', '2']) == 1
    printed = capsys.readouterr()
    assert main(['evaluate', paths[0], *robot, '-o', str(tmp_path / 'alone')]) == 0
    for name in 'ab':
        assert {path.name for path in (out / name).iterdir()} >= FILES
    alone, one = (json.loads((folder / 'efforts.json').read_text())['joints']
                  for folder in (tmp_path / 'alone', out / 'a'))
    assert one == alone
    every = json.loads((out / 'evaluations.json').read_text())
    first, broken, second = every['recordings']
    assert (first['name'], broken['name'], second['name']) == ('a', 'broken', 'b')
    assert 'broken.csv' in broken['fault'] and not first['fault'] + second['fault']
    for k, joint in enumerate(NAMES):
        assert first['joints'][k]['rmse'] == alone[k]['rmse']
        figures = [each['joints'][k] for each in (first, second)]
        squares = sum(each['samples'] * each['rmse'] ** 2 for each in figures)
        samples = sum(each['samples'] for each in figures)
        assert every['joints'][joint]['samples'] == samples
        np.testing.assert_allclose(every['joints'][joint]['rmse'], np.sqrt(squares / samples))
    page = (out / 'evaluations.html').read_text()
    for text in ('All recordings', 'By recording', 'broken.csv', NAMES[0], 'scara.urdf'):
        assert text in page
    assert 'All recordings' in printed.out and printed.err.count('broken.csv') == 1
    assert main([*words]) == 1
    assert '--overwrite' in capsys.readouterr().err


def test_figures_that_are_not_credible_do_not_count() -> None:
    rows = [JointResidual('j', 'N m', 10, 3.0, 0.9), JointResidual('j', 'N m', 30, 5.0, 0.8),
            JointResidual('j', 'N m', 99, 7.0, 0.1, 'frozen'),
            JointResidual('j', 'N m', 0, np.nan, np.nan)]
    both, each = many_tables([EvaluatedRecording(name, name, [row])
                              for name, row in zip('abcd', rows)])
    assert both.rows == [['j', 'N m', '2', '40', f'{np.sqrt((90 + 750) / 40):.4g}', '4', '5', 'b']]
    assert each.rows == [['a', '3'], ['b', '5'], ['c', '-'], ['d', '-']]


def test_directories_of_recordings_with_the_same_name_differ() -> None:
    assert folder_names(['x/a.csv', 'y/a.db3', 'a']) == ['a', 'a_', 'a__']
