"""`urdf2dyn evaluate --observer`: a push in a recording is found, and nothing else."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from support.recordings.evaluate_command import REPORT, WRITTEN
from support.recordings.scara import Samples, mcap, table
from support.streams.pushed_robot import START, STEP, TOOL, desired, panda
from urdf2dyn_ros.robot.parameters import read_parameter_file

NAMES = tuple(f'panda_joint{k}' for k in range(1, 8))
FIRST, LAST = 0.5, 0.8
EXTERNAL = {'external_efforts.json', 'external_efforts.png', 'contact.yaml'}


@cache
def recorded() -> tuple[Samples, np.ndarray]:
    """Return a motion that goes on while the tool is pushed by 20 N, and J'F."""
    model = pin.buildModelFromXML(panda())
    data = model.createData()
    stamps = START + np.arange(275, dtype=np.int64) * 4 * STEP
    t = (stamps - START) * 1e-9
    q, qd, qdd = desired(t)
    F, tool = np.array([0.0, 20.0, 0.0, 0.0, 0.0, 0.0]), model.getFrameId(TOOL)
    pushes = (t >= FIRST) & (t < LAST)
    external = np.array([pushed * (pin.computeFrameJacobian(
        model, data, at, tool, pin.LOCAL_WORLD_ALIGNED).T @ F) for at, pushed in zip(q, pushes)])
    effort = np.array([pin.rnea(model, data, *state) for state in zip(q, qd, qdd)]) - external
    return Samples(stamps, q, qd, qdd, effort, NAMES), external


@pytest.fixture
def urdf(tmp_path: Path) -> Path:
    path = tmp_path / 'panda.urdf'
    path.write_text(panda())
    return path


def test_a_push_is_found_and_reported_joint_by_joint(evaluate, tmp_path: Path, urdf: Path) -> None:
    """In the table, the figures, a picture, the page and what is printed."""
    samples, true = recorded()
    path = mcap(tmp_path, samples)
    done = evaluate(path, '--observer', '--thresholds', 5, urdf=urdf, drawn=True)
    assert (done.code, done.err) == (0, '')
    assert {path.name for path in done.folder.iterdir()} == REPORT | EXTERNAL
    assert (done.folder / 'external_efforts.png').read_bytes().startswith(b'\x89PNG')
    for name in EXTERNAL:
        assert str(done.folder / name) in done.out

    rows = np.searchsorted(samples.stamps, done.stamps)
    external, t = done.side('external', NAMES), (done.stamps - START) * 1e-9
    assert np.isnan(external[0]).all() and np.isfinite(external[1:]).all()
    largest = np.abs(true).max()
    during, before = (t > FIRST + 0.06) & (t < LAST), (t > 0.1) & (t < FIRST)
    # J'F changes as the robot moves, and the observer is 10 ms late
    assert np.abs(external - true[rows])[during].max() < 0.012 * largest
    assert np.abs(external[before]).max() < 6e-4
    np.testing.assert_allclose(done.side('residual', NAMES)[during], -true[rows][during],
                               atol=0.1)

    figures = json.loads((done.folder / 'external_efforts.json').read_text())
    assert figures['gain'] == 100.0
    for joint, row in zip(NAMES, figures['joints']):
        peak = np.abs(true[:, NAMES.index(joint)]).max()
        assert row['joint'] == joint and row['unit'] == 'N m' and row['threshold'] == 5.0
        assert abs(row['largest']) == pytest.approx(peak, abs=0.01 * largest)
        assert row['rms'] == pytest.approx(
            np.sqrt(np.nanmean(external[:, NAMES.index(joint)]**2)))
        line, = (line for line in done.out.splitlines()
                 if line.startswith(f'external effort on {joint}: '))
        assert line in (done.folder / 'efforts.html').read_text()
        if peak < 5.0:
            assert row['count'] == 0 and line.endswith('no contact')
            continue
        contact, = row['contacts']
        assert (contact['begin'] - START) * 1e-9 == pytest.approx(FIRST + 0.006, abs=0.005)
        assert (contact['end'] - START) * 1e-9 == pytest.approx(LAST + 0.012, abs=0.005)
        assert '1 contact: 0.4' in line and f'{contact["peak"]:.3g} N m' in line
    assert sum(row['count'] for row in figures['joints']) == 2
    values = read_parameter_file(str(done.folder / 'contact.yaml'), 'inverse_dynamics')
    assert values['observer.gain'] == [100.0]
    np.testing.assert_allclose(values['contact.thresholds'], [
        1.5 * abs(row['largest']) for row in figures['joints']], rtol=1e-3)

    done = evaluate(path, urdf=urdf)   # nothing is left of the evaluation before
    assert {path.name for path in done.folder.iterdir()} == WRITTEN
    assert not any(name.startswith('external') for name in done.rows)


def test_gain_thresholds_and_meaning_of_the_efforts_count(evaluate, tmp_path, urdf):
    """A threshold for each joint; a slower observer; efforts beyond gravity."""
    samples, _ = recorded()
    assert samples.effort is not None
    model = pin.buildModelFromXML(panda())
    data = model.createData()
    weight = np.array([pin.computeGeneralizedGravity(model, data, q).copy() for q in samples.q])
    path = table(tmp_path, samples.but(effort=samples.effort - weight))
    done = evaluate(path, '--observer', '--observer-gain', 20, '--thresholds', 100, 100, 100, 100,
                    1.5, 100, 100, '--effort-semantics', 'gravity_compensated', urdf=urdf)
    assert done.code == 0
    rows = json.loads((done.folder / 'external_efforts.json').read_text())['joints']
    assert [row['count'] for row in rows] == [0, 0, 0, 0, 1, 0, 0]
    contact, = rows[4]['contacts']
    assert (contact['end'] - START) * 1e-9 > LAST + 0.03
    assert '--thresholds' not in done.out and 'gain of 20/s' in done.out

    file = tmp_path / 'contact.yaml'
    file.write_text('/**:\n  ros__parameters:\n    observer.gain: [20.0]\n    contact.thresholds: '
                    '[100.0, 100, 100, 100, 1.5, 100, 100]\n')
    done = evaluate(path, '--observer', '--parameters', file, '--effort-semantics',
                    'gravity_compensated', urdf=urdf)
    assert json.loads((done.folder / 'external_efforts.json').read_text())['joints'] == rows
    file.write_text('/**:\n  ros__parameters:\n    observer.gain: [20.0, 30.0]\n')
    assert 'choose it with --observer-gain' in evaluate(
        path, '--observer', '--parameters', file, urdf=urdf).err

    for words, said in ((('--thresholds', 1, 2), '7 joints'), (('--observer-gain', 0), '0.1')):
        failed = evaluate(path, '--observer', *words, urdf=urdf)
        assert failed.code == 1 and said in failed.err


def test_efforts_that_were_not_measured_show_no_contact(evaluate, tmp_path, urdf):
    samples = recorded()[0]
    done = evaluate(table(tmp_path, samples.but(effort=None)), '--observer', urdf=urdf)
    assert done.code == 0
    assert done.out.count('none, as its effort was not measured') == 7
    assert {name.partition('_')[0] for name in done.rows} == {'time', 'computed'}
