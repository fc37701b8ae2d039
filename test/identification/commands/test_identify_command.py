"""The command identify: its files and summaries, and recordings that differ from the others."""

import json
import re
import signal
from contextlib import redirect_stdout
from dataclasses import replace
from html import unescape
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.frozen import assert_frozen, layouts
from support.robot_files import OWN
from support.scara_recordings import MODEL, NAMES, identified, recording, robot
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.identification.fit import ConsistentFit
from urdf2dyn_ros.identification.identify import identify
from urdf2dyn_ros.identification.report import centre_in_link
from urdf2dyn_ros.identification.robot import pseudo_inertia, robot_of
from urdf2dyn_ros.identification.rollouts import rollouts
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.nodes.inverse_dynamics import NODE_PARAMETERS
from urdf2dyn_ros.recordings import pages
from urdf2dyn_ros.robot.loads import with_loads
from urdf2dyn_ros.robot.parameters import read_parameter_file
from urdf2dyn_ros.robot.reader import read_urdf
from urdf2dyn_ros.robot.terms import Friction

FILES = {'identified.urdf', 'identified.xml', 'parameters.yaml', 'identification.json',
         'identification.png', 'identification.html', 'summaries'}


def contents(folder):
    return {path: path.is_dir() or path.read_bytes() for path in folder.rglob('*')}


@pytest.fixture(scope='module')
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two recordings and the result of both, validated by a third."""
    folder = tmp_path_factory.mktemp('identify')
    paths = [recording(folder / f'{name}.csv', seed=seed) for seed, name in enumerate('abc')]
    drawn, write = [], pages._write

    def note(figure: Any, *to: Any, **options: Any) -> None:
        drawn.append(figure)
        write(figure, *to, **options)

    with redirect_stdout(StringIO()) as printed, pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, '_write', note)
        assert identified(*paths[:2], '--validate', paths[2], '-o', folder / 'out') == 0
    (folder / 'drawn').write_text(json.dumps(layouts(drawn)))
    assert 'Validation recording c\n' in printed.getvalue()
    (folder / 'printed').write_text(printed.getvalue())
    return folder


def test_its_figures_are_frozen(result: Path) -> None:
    figures = json.loads((result / 'out' / 'identification.json').read_text())
    printed = (result / 'printed').read_text().splitlines()
    assert_frozen('identified', figures | {'about': {}, 'printed': [
        line for line in printed if str(result) not in line],
        'pictures': json.loads((result / 'drawn').read_text())})


def test_the_identified_robot_explains_another_motion(result: Path) -> None:
    """From a quarter of the effort down to the noise, by URDF and parameters that are read."""
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


def test_mujoco_computes_the_same_efforts_from_its_file(result: Path) -> None:
    """But for friction that it lacks; its actuators have the offset, without a command."""
    mujoco: Any = pytest.importorskip('mujoco')
    robot, loads = with_loads({
        **{row.name: row.default for row in NODE_PARAMETERS},
        **read_parameter_file(result / 'out' / 'parameters.yaml', 'inverse_dynamics')},
        read_urdf((result / 'out' / 'identified.urdf').read_bytes()))
    terms = {name: [replace(term, stribeck=0.0, load=0.0, quadratic=0.0, asymmetry=0.0)
                    if isinstance(term, Friction) else term for term in each]
             for name, each in loads.terms.items()}
    dynamics = InverseDynamics(robot, loads=replace(loads, terms=terms))
    peer = mujoco.MjModel.from_xml_path(str(result / 'out' / 'identified.xml'))
    data = mujoco.MjData(peer)
    places = [peer.joint(name).dofadr[0] for name in NAMES]
    rng = np.random.default_rng(0)
    for _ in range(20):
        q, sign = rng.uniform(-0.15, -0.05, 4), rng.choice((-1.0, 1.0), 4)
        qd, qdd = sign * rng.uniform(0.5, 2.0, 4), rng.normal(size=4)
        data.qpos[places], data.qvel[places], data.qacc[places] = q, qd, qdd
        mujoco.mj_inverse(peer, data)
        mujoco.mj_fwdActuation(peer, data)
        found = (data.qfrc_inverse - data.qfrc_actuator)[places]
        np.testing.assert_allclose(found, dynamics(q, qd, qdd), rtol=1e-9, atol=1e-9)


def test_the_report_has_its_answers_in_order(result: Path) -> None:
    page = (result / 'out' / 'identification.html').read_text()
    heads = ['Does it explain data', 'Where do the recorded efforts lead',
             'What changed: friction', 'What changed: bodies', 'What the data determine',
             'What does not fit', 'Origin']
    places = [page.index(head) for head in heads]
    assert places == sorted(places)
    for text in ('urdf2dyn_ros ', 'urdf_sha256: ', 'scara.urdf', 'UTC', 'data:image/png;base64,',
                 'efforts: measured', str(result / 'a.csv')):
        assert text in page
    assert 'http' not in page


def text_of(value: float | None, digits: int = 3) -> str:
    return '-' if value is None else f'{value:.{digits}g}'


def test_tables_of_the_report_are_the_figures_for_programs(result: Path) -> None:
    """Every number in its place, with the digits that a reader needs."""
    page = (result / 'out' / 'identification.html').read_text()
    rows = {tuple(unescape(re.sub('<[^>]*>', '', cell)) for cell in
                  re.findall('<t[dh][^>]*>(.*?)</t[dh]>', row, re.DOTALL))
            for row in re.findall('<tr>(.*?)</tr>', page, re.DOTALL)}
    found = json.loads((result / 'out' / 'identification.json').read_text())
    expected = {(name, each['unit'], text_of(each['urdf']), text_of(each['identified'], 4),
                 text_of(each['deviation'], 2)) for name, each in found['base_parameters'].items()}
    expected |= {(body, name, text_of(each['urdf']), text_of(each['identified'], 4),
                  text_of(each['deviation'], 2), each['from'])
                 for body, entries in found['bodies'].items() for name, each in entries.items()}
    for joint, entries in found['joints'].items():
        for figures in (entries['held_out'], entries['validation']['c']):
            expected.add((joint, entries['unit'], text_of(figures['measured']), *(
                text_of(figures[part][model]) for part in ('all', 'moving')
                for model in ('URDF', 'friction', 'identified')),
                text_of(figures['r2']['identified']), text_of(figures['r2_moving']['identified'])))
    expected |= {(each['name'], text_of(each['seconds'], 4), text_of(each['cutoff_hz']),
                  text_of(500.0 * sum(each['delays_s'])), 'all') for each in found['recordings']}
    assert expected <= rows
    terms = found['joints']['joint1']['terms'].items()
    cells = [f'{text_of(each["value"])} +- {text_of(each["deviation"], 2)}'
             if each['deviation'] is not None else '-' for _, each in terms]
    (row,) = [row for row in rows if row[0] == 'joint1' and '+-' in row[2]]
    assert [cell for cell in row[2:-2] if cell != 'not known'] == [
        cell for cell, known in zip(cells, row[2:]) if known != 'not known']
    assert {row[0]: row[2:4] for row in rows if row[0] != 'moved by' and 'link' in row[1]} == {
        body: (text_of(entries['m']['urdf']), text_of(entries['m']['identified']))
        for body, entries in found['bodies'].items()}
    counts = found['known_combinations'], found['combinations']
    assert f'determine {counts[0]} of {counts[1]} combinations' in page


def test_centres_of_mass_are_in_the_frames_of_the_urdf() -> None:
    """Not along the axes of the equations, whose z is the joint's."""
    model = read_urdf((OWN / 'rx90.urdf').read_text().replace('0 0 1', '0 1 0'))
    rx90 = robot_of(InverseDynamics(model, backend='python'))
    aligned = 0
    for row, body in zip(rx90.prior.nominal, rx90.system.bodies, strict=True):
        link, = body.attached
        assert centre_in_link(row, link) == pytest.approx(link.link.inertia.com, abs=1e-12)
        aligned += row[1:4] / row[0] == pytest.approx(link.link.inertia.com, abs=1e-12)
    assert aligned < len(rx90.system.bodies)


def test_summaries_are_as_good_as_recordings_in_any_order(result: Path) -> None:
    """To 1e-9 of the largest parameter of a kind."""
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
def test_ctrl_c_during_the_fit_is_one_line_and_changes_nothing(result, monkeypatch, capsys):
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


def test_results_that_exist_are_not_replaced(result, tmp_path, capsys):
    (tmp_path / 'summaries').mkdir()
    for out in (result / 'out', tmp_path):
        assert identified(result / 'a.csv', '-o', out) == 1
        assert '--overwrite' in capsys.readouterr().err


def test_summaries_of_replaced_results_go_and_other_files_stay(result, tmp_path):
    """With --overwrite the folder has the summaries of the new result alone."""
    out, summaries = tmp_path / 'out', result / 'out' / 'summaries'
    (out / 'summaries').mkdir(parents=True)
    for name in ('old.npz', 'b.npz'):
        (out / 'summaries' / name).write_bytes((summaries / 'b.npz').read_bytes())
    np.savez(out / 'summaries' / 'mine.npz', values=np.ones(3))
    assert identified(summaries / 'a.npz', '-o', out, '--overwrite') == 0
    assert {path.name for path in (out / 'summaries').iterdir()} == {'a.npz', 'mine.npz'}


def test_a_summary_of_another_robot_is_rejected(result, capsys):
    summary = result / 'out' / 'summaries' / 'a.npz'
    code = main(['identify', str(summary), '--urdf', str(OWN / 'rx90.urdf'), '-o',
                 str(result / 'other')])
    assert code == 3
    assert 'for another robot' in capsys.readouterr().err
    damaged = result / 'damaged.npz'
    damaged.write_bytes(summary.read_bytes()[:5000])
    assert identified(damaged, '-o', result / 'other') == 3
    assert 'damaged' in capsys.readouterr().err


@pytest.mark.slow
def test_a_damaged_recording_among_good_ones_is_named(result, tmp_path, capsys):
    """Whether it is for the fit or the validation."""
    rows = (result / 'a.csv').read_text().splitlines()
    (tmp_path / 'broken.csv').write_text('\n'.join([*rows[:300], '1,2']))
    (tmp_path / 'huge.csv').write_text('\n'.join(
        [*rows[:300], rows[300].rpartition(',')[0] + ',1e300', *rows[301:]]))
    (tmp_path / 'far.csv').write_text('\n'.join([rows[0], *(
        f'{time},{float(position) + 1e10},{others}' for time, position, others in (
            row.split(',', 2) for row in rows[1:]))]))
    (tmp_path / 'bag.db3').write_bytes(b'no bag')
    paths = [tmp_path / name for name in ('broken.csv', 'huge.csv', 'far.csv')]
    assert identified(*paths, result / 'out' / 'summaries' / 'a.npz', '--validate',
                      tmp_path / 'bag.db3', '-o', tmp_path / 'out') == 0
    errors = capsys.readouterr().err
    assert errors.count('note: not used: ') == 3
    for name in ('broken.csv', 'far.csv: position of up to 1e+10', 'bag.db3'):
        assert name in errors
    assert 'huge.csv' not in errors   # one effort that no robot has is as one not measured


@pytest.mark.slow
def test_recorded_efforts_move_the_identified_robot_as_the_recorded_one(tmp_path: Path) -> None:
    """Open loop, by a fit without what is simulated; the URDF's robot ends elsewhere."""
    path = recording(tmp_path / 'a.csv')
    result = identify([path], InverseDynamics(MODEL))
    found = rollouts(result)
    assert found is not None
    moved, of_urdf, own = found
    assert (own < 0.03 * moved).all() and (own < 0.06 * of_urdf).all()
    assert rollouts(replace(result, summaries=[
        replace(each, rows=None) for each in result.summaries])) is None


@pytest.mark.slow
def test_stribeck_friction_and_asymmetry_are_found_where_they_are(tmp_path: Path) -> None:
    """At two joints, and nowhere else; the noise is 1 % of the effort."""
    there = {'joint1': {'stribeck': 2.5, 'decay': 0.2 ** -2}, 'joint2': {'asymmetry': -1.2}}
    path = recording(tmp_path / 'a.csv', 20.0, recorded=robot(**there))
    assert identified(path, '-o', tmp_path / 'out') == 0
    joints = json.loads((tmp_path / 'out' / 'identification.json').read_text())['joints']
    found = {joint: {name: joints[joint]['terms'][name]['value']
                     for name in ('stribeck', 'asymmetry')} for joint in NAMES}
    # filters and errors of velocities flatten the peak beside a reversal
    assert 1.7 < found['joint1'].pop('stribeck') < 2.6
    assert found['joint2'].pop('asymmetry') == pytest.approx(-1.2, rel=0.1)
    assert joints['joint1']['stribeck_velocity'] == pytest.approx(0.2)
    assert not any(value for each in found.values() for value in each.values())
    parameters = (tmp_path / 'out' / 'parameters.yaml').read_text()
    assert parameters.count('asymmetry: -1.') == parameters.count('stribeck: ') == 1
    page = (tmp_path / 'out' / 'identification.html').read_text()
    assert 'joint1: Stribeck friction, by ' in page and 'joint2: asymmetry, by ' in page
    for joint in ('joint1', 'joint2'):
        figures = joints[joint]['held_out']
        assert figures['all']['identified'] < 0.02 * figures['measured']


@pytest.mark.slow
def test_a_recording_that_does_not_fit_the_others_is_named(result, tmp_path):
    """The last one has a payload of 2 kg."""
    path = recording(tmp_path / 'loaded.csv', seed=4, recorded=robot(payload=2.0))
    summaries = [result / 'out' / 'summaries' / name for name in ('a.npz', 'b.npz')]
    assert identified(*summaries, result / 'c.csv', path, '-o', tmp_path / 'out') == 0
    verdict = json.loads((tmp_path / 'out' / 'identification.json').read_text())['verdict']
    assert verdict.startswith('Yes, but recording loaded does not fit the others')
    assert verdict.count('does not fit the others') == 1 and 'It is not used. The' in verdict
