"""The command identify: its files, its refusals, summaries, and recordings that are of no use."""

import json
import signal
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.robot_files import OWN
from support.scara_recordings import MODEL, NAMES, SCARA, recording, robot
from urdf2dyn_ros.cli import main
from urdf2dyn_ros.identification.bodies import pseudo_inertia
from urdf2dyn_ros.identification.fit.consistent_fit import ConsistentFit
from urdf2dyn_ros.identification.report.tables import centre_in_link
from urdf2dyn_ros.identification.robot import robot_of
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.urdf import read_urdf

FILES = {'identified.urdf', 'parameters.yaml', 'identification.json', 'identification.png',
         'identification.html', 'summaries'}


def contents(folder):
    return {path: path.is_dir() or path.read_bytes() for path in folder.rglob('*')}


def identified(*words):
    return main(['identify', *map(str, words), '--urdf', str(SCARA)])


@pytest.fixture(scope='module')
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two recordings and the result of both, validated by a third."""
    folder = tmp_path_factory.mktemp('identify')
    paths = [recording(folder / f'{name}.csv', seed=seed) for seed, name in enumerate('abc')]
    with redirect_stdout(StringIO()) as printed:
        assert identified(*paths[:2], '--validate', paths[2], '-o', folder / 'out') == 0
    assert 'Validation recording c\n' in printed.getvalue()
    return folder


def test_the_identified_robot_explains_another_motion(result: Path) -> None:
    figures = json.loads((result / 'out' / 'identification.json').read_text())
    for joint in NAMES:
        every = figures['joints'][joint]['validation']['c']['all']
        assert every['identified'] < 0.03 * every['URDF']
        if joint in NAMES[:2]:
            assert every['identified'] < 0.2 * every['friction']
    assert {path.name for path in (result / 'out').iterdir()} == FILES
    assert {path.name for path in (result / 'out' / 'summaries').iterdir()} == {'a.npz', 'b.npz'}
    code = main(['evaluate', str(result / 'c.csv'), '--urdf',
                 str(result / 'out' / 'identified.urdf'), '--parameters',
                 str(result / 'out' / 'parameters.yaml'), '-o', str(result / 'evaluated')])
    assert code == 0
    measured = json.loads((result / 'evaluated' / 'efforts.json').read_text())['joints']
    assert len(measured) == len(NAMES)
    for joint in measured:   # the noise is 1 %
        assert joint['r2'] > 0.999
    bodies = [[entry['identified'] for entry in body.values()]
              for body in figures['bodies'].values()]
    assert (np.linalg.eigvalsh(pseudo_inertia(np.array(bodies))) > 0.0).all()


def test_the_report_has_its_answers_in_order(result: Path) -> None:
    page = (result / 'out' / 'identification.html').read_text()
    heads = ['Does it explain data', 'What changed: friction', 'What changed: bodies',
             'What the data determine', 'What does not fit', 'Origin']
    places = [page.index(head) for head in heads]
    assert places == sorted(places)
    for text in ('urdf2dyn_ros ', 'urdf_sha256: ', 'scara.urdf', 'UTC', 'data:image/png;base64,',
                 'efforts: measured', str(result / 'a.csv')):
        assert text in page
    assert 'http' not in page


def test_centres_of_mass_are_in_the_frames_of_the_urdf() -> None:
    model = read_urdf((OWN / 'rx90.urdf').read_text().replace('0 0 1', '0 1 0'))
    rx90 = robot_of(model, InverseDynamics(model, backend='python'))
    aligned = 0
    for row, body in zip(rx90.prior.nominal, rx90.system.bodies, strict=True):
        link, = body.attached
        assert centre_in_link(row, link) == pytest.approx(link.link.inertia.com, abs=1e-12)
        aligned += row[1:4] / row[0] == pytest.approx(link.link.inertia.com, abs=1e-12)
    assert aligned < len(rx90.system.bodies)


def test_summaries_are_as_good_as_recordings_in_any_order(result: Path) -> None:
    summaries = [result / 'out' / 'summaries' / name for name in ('b.npz', 'a.npz')]
    assert identified(*summaries, '-o', result / 'again') == 0
    first, second = (json.loads((result / name / 'identification.json').read_text())
                     for name in ('out', 'again'))
    for body, entries in first['bodies'].items():
        size = max(abs(entry['identified']) for entry in entries.values())
        for name, entry in entries.items():
            assert abs(entry['identified'] - second['bodies'][body][name]['identified']) <= (
                1e-9 * size)


@pytest.mark.usefixtures('ctrl_c')
def test_ctrl_c_during_the_fit_is_one_line_and_changes_nothing(
        result: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither a new directory nor the results that are there."""
    def interrupted(self: ConsistentFit, unknowns: object = None) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(ConsistentFit, 'solve', interrupted)
    summary, out = result / 'out' / 'summaries' / 'a.npz', result / 'out'
    before = contents(result)
    for words in ((result / 'new' / 'deep',), (out, '--overwrite')):
        assert identified(summary, '-o', *words) == 130
        assert capsys.readouterr().err == 'interrupted: nothing else is written\n'
    assert contents(result) == before


def test_results_that_exist_are_not_replaced(result: Path, tmp_path: Path,
                                             capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / 'summaries').mkdir()
    for out in (result / 'out', tmp_path):
        assert identified(result / 'a.csv', '-o', out) == 1
        assert '--overwrite' in capsys.readouterr().err


def test_summaries_of_replaced_results_go_and_other_files_stay(result: Path,
                                                               tmp_path: Path) -> None:
    """With --overwrite the folder has the summaries of the new result alone."""
    out, summaries = tmp_path / 'out', result / 'out' / 'summaries'
    (out / 'summaries').mkdir(parents=True)
    for name in ('old.npz', 'b.npz'):
        (out / 'summaries' / name).write_bytes((summaries / 'b.npz').read_bytes())
    np.savez(out / 'summaries' / 'mine.npz', values=np.ones(3))
    assert identified(summaries / 'a.npz', '-o', out, '--overwrite') == 0
    assert {path.name for path in (out / 'summaries').iterdir()} == {'a.npz', 'mine.npz'}


def test_a_summary_of_another_robot_is_rejected(result: Path,
                                                capsys: pytest.CaptureFixture[str]) -> None:
    summary = result / 'out' / 'summaries' / 'a.npz'
    code = main(['identify', str(summary), '--urdf', str(OWN / 'rx90.urdf'), '-o',
                 str(result / 'other')])
    assert code == 3
    assert 'for another robot' in capsys.readouterr().err
    damaged = result / 'damaged.npz'
    damaged.write_bytes(summary.read_bytes()[:5000])
    assert identified(damaged, '-o', result / 'other') == 3
    assert 'damaged' in capsys.readouterr().err


def test_a_damaged_recording_among_good_ones_is_named(result: Path, tmp_path: Path,
                                                      capsys: pytest.CaptureFixture[str]) -> None:
    """Whether it is for the fit or the validation."""
    rows = (result / 'a.csv').read_text().splitlines()
    (tmp_path / 'broken.csv').write_text('\n'.join([*rows[:300], '1,2']))
    (tmp_path / 'huge.csv').write_text('\n'.join(
        [*rows[:300], rows[300].rpartition(',')[0] + ',1e300', *rows[301:]]))
    (tmp_path / 'bag.db3').write_bytes(b'no bag')
    paths = [tmp_path / name for name in ('broken.csv', 'huge.csv')]
    assert identified(*paths, result / 'out' / 'summaries' / 'a.npz', '--validate',
                      tmp_path / 'bag.db3', '-o', tmp_path / 'out') == 0
    errors = capsys.readouterr().err
    assert errors.count('note: not used: ') == 3
    for name in ('broken.csv', 'huge.csv: effort of up to ', 'bag.db3'):
        assert name in errors


def noise(q, effort):
    return q, np.random.default_rng(5).normal(size=effort.shape)


def spikes(q, effort):
    effort[::50] = 1e5
    return q, effort


def noise_about_a_mean(q, effort):
    return q, 100.0 + noise(q, effort)[1]


@pytest.mark.parametrize(('words', 'options'), [
    ('no joint moves', {'moving': ()}),
    ('at least 2 s', {'seconds': 1.5}),
    ('its times rise at 0 of ', {'unit': 0.0}),
    ('if it is in milliseconds, divide it by 1e3', {'unit': 1e3}),
    ('always zero', {'change': lambda q, effort: (q, 0.0 * effort)}),
    ('frozen', {'change': lambda q, effort: (q, 0.0 * effort + 3.0)}),
    ('its effort has spikes of up to 1e+05, where 95 % are below', {'change': spikes}),
    ('wrong sign', {'change': lambda q, effort: (q, -effort)}),
    ('other units', {'change': lambda q, effort: (q, 1000.0 * effort)}),
    ('in degrees', {'change': lambda q, effort: (np.degrees(q), effort)}),
    ('does not explain the efforts', {'change': noise}),
    ('does not explain the efforts', {'change': noise_about_a_mean})])
def test_what_cannot_work_is_refused_without_a_file(words: str, options: dict, tmp_path: Path,
                                                    capsys: pytest.CaptureFixture[str]) -> None:
    path = recording(tmp_path / 'r.csv', **{'seconds': 6.0, **options})
    assert identified(path, '-o', tmp_path / 'out') == 3
    error = capsys.readouterr().err
    assert words in error
    assert not (tmp_path / 'out').exists()


def test_friction_of_each_recording_is_its_own(tmp_path: Path,
                                               capsys: pytest.CaptureFixture[str]) -> None:
    """
    Three days with other Coulomb friction, of which the last is written; links are shared.

    A fourth day with a payload of 2 kg does not fit them.

    """
    coulomb = dict(zip('abc', (0.5, 1.5, 3.0)))
    paths = [recording(tmp_path / f'{name}.csv', seed=seed, recorded=robot(value))
             for seed, (name, value) in enumerate(coulomb.items())]
    assert identified(*paths, '--friction-per-recording', '-o', tmp_path / 'out') == 0
    figures = json.loads((tmp_path / 'out' / 'identification.json').read_text())
    for name, value in coulomb.items():
        for joint, found in figures['friction_of_recordings'][name].items():
            assert abs(found['coulomb'] + 0.3 * found['viscous'] - value - 0.6) < 0.2, joint
            assert found['armature'] == figures['joints'][joint]['terms']['armature']['value']
    for joint, found in figures['friction_of_recordings']['c'].items():
        assert figures['joints'][joint]['terms']['coulomb']['value'] == found['coulomb']
    assert 'Friction of each recording' in (tmp_path / 'out' / 'identification.html').read_text()
    assert 'does not fit the others' not in capsys.readouterr().err
    shared = tmp_path / 'out' / 'summaries'
    loaded = recording(tmp_path / 'loaded.csv', seed=4, recorded=robot(2.0, payload=2.0))
    assert identified(*sorted(shared.iterdir()), loaded, '--friction-per-recording', '-o',
                      tmp_path / 'loaded') == 0
    notes = [line for line in capsys.readouterr().err.splitlines() if 'does not fit the' in line]
    assert len(notes) == 1 and 'recording loaded does not fit the others' in notes[0]
    assert '--friction-per-recording' not in notes[0]
    assert identified(*sorted(shared.iterdir()), '-o', tmp_path / 'shared') == 0
    other = json.loads((tmp_path / 'shared' / 'identification.json').read_text())
    for joint in NAMES[2:]:   # whose friction is most of the effort
        residuals = [each['joints'][joint]['held_out']['all']['identified']
                     for each in (figures, other)]
        assert residuals[0] < 0.3 * residuals[1]


def test_a_recording_that_does_not_fit_the_others_is_named(
        result: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The last one has a payload of 2 kg."""
    path = recording(tmp_path / 'loaded.csv', seed=4, recorded=robot(payload=2.0))
    summaries = [result / 'out' / 'summaries' / name for name in ('a.npz', 'b.npz')]
    assert identified(*summaries, result / 'c.csv', path, '-o', tmp_path / 'out') == 0
    notes = [line for line in capsys.readouterr().err.splitlines() if 'does not fit the' in line]
    assert len(notes) == 1 and 'recording loaded does not fit the others' in notes[0]
    assert 'with --friction-per-recording' in notes[0]


def test_one_joint_that_moves_is_identified_alone(tmp_path: Path,
                                                  capsys: pytest.CaptureFixture[str]) -> None:
    path = recording(tmp_path / 'r.csv', moving=(1,))
    assert identified(path, '-o', tmp_path / 'out') == 0
    figures = json.loads((tmp_path / 'out' / 'identification.json').read_text())
    assert list(figures['joints']) == [NAMES[1]]
    for name, entries in figures['bodies'].items():
        same = all(abs(entry['identified'] - entry['urdf']) < 1e-3 for entry in entries.values())
        assert same or name == NAMES[1]
    assert 'at rest: not identified' in capsys.readouterr().err
    found = read_urdf((tmp_path / 'out' / 'identified.urdf').read_text())
    changed = [a.name for a, b in zip(MODEL.joints, found.joints) if a.damping != b.damping]
    assert changed == [NAMES[1]]


def late(q, effort):
    """Return efforts that are late by 0.1 s; the first are those of the end."""
    return q[6:], effort[:-6]


def with_hole(q, effort):
    """Return efforts of which 1.5 s are missing at the second joint."""
    effort[200:290, 1] = np.nan
    return q, effort


@pytest.mark.parametrize(('change', 'note'), [
    (late, 'efforts are late by 100 ms'),
    (with_hole, 'measured efforts are missing for up to 1.52 s')])
def test_late_and_missing_efforts_cost_no_accuracy(change: Callable[..., Any], note: str,
                                                   tmp_path: Path,
                                                   capsys: pytest.CaptureFixture[str]) -> None:
    path = recording(tmp_path / 'r.csv', change=change)
    assert identified(path, '-o', tmp_path / 'out') == 0
    assert note in capsys.readouterr().err
    figures = json.loads((tmp_path / 'out' / 'identification.json').read_text())
    for joint in NAMES:
        assert figures['joints'][joint]['held_out']['r2']['identified'] > 0.99


def test_a_joint_that_is_not_explained_is_no_yes(tmp_path: Path,
                                                 capsys: pytest.CaptureFixture[str]) -> None:
    """The last joint has the effort of something else."""
    path = recording(tmp_path / 'r.csv', seconds=6.0, change=lambda q, effort: (
        q, np.column_stack((effort[:, :-1], noise(q, effort)[1][:, -1]))))
    assert identified(path, '-o', tmp_path / 'out') == 0
    out = capsys.readouterr().out
    assert f'Not at {NAMES[-1]} (R2 below 0.5). In all: its residual is ' in out
