"""A planar arm: gains by a known payload, an unknown one, and offsets; Pinocchio simulates."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from support.frozen import assert_frozen
from support.robot_files import vertical_2r
from support.streams.known_motions import sums_of_sines
from urdf2dyn_ros import InverseDynamics, Loads, read_urdf
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.identification import fit_data
from urdf2dyn_ros.identification.gains import Gains, approximated
from urdf2dyn_ros.identification.identify import IdentificationSettings, identify
from urdf2dyn_ros.identification.report import identification_picture
from urdf2dyn_ros.identification.robot import LOAD
from urdf2dyn_ros.identification.rollouts import rollouts
from urdf2dyn_ros.robot.terms import Friction, Rotor

TEXT = vertical_2r('lower="-3" upper="3" effort="400" velocity="9"')

MASS, CENTRE = 4.0, np.array([0.2, 0.05, -0.1])
BODY = pin.Inertia(MASS, CENTRE, np.diag([0.02, 0.05, 0.04]))
GAINS = np.array([12.0, -7.0])
"""The second motor turns the other way."""


def arm(payload: bool = False) -> pin.Model:
    """Return what is recorded: masses that are 30 to 40 % larger than in the URDF."""
    model = pin.buildModelFromXML(TEXT)
    for number, factor in enumerate((1.3, 1.4), start=1):
        own = model.inertias[number]
        model.inertias[number] = pin.Inertia(factor * own.mass, own.lever, factor * own.inertia)
    if payload:
        model.inertias[2] += BODY
    return model


def _with_drives(model: pin.Model, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray,
                 load: float = 0.0, friction: float = 1.0, travel: float = 0.0) -> np.ndarray:
    """Return efforts with friction, which grows with the load and may follow late, and rotors."""
    data = model.createData()
    links = np.array([pin.rnea(model, data, *state) for state in zip(q, qd, qdd)])
    sign = np.tanh(qd / 0.02)
    for k in range(1, len(sign) if travel else 0):   # Dahl
        step = q[k] - q[k - 1]
        sign[k] = np.sign(step) + (sign[k - 1] - np.sign(step)) * np.exp(-np.abs(step) / travel)
    drives = (2.0 * friction + load * np.abs(links)) * sign + 1.5 * friction * qd
    return links + drives + 0.4 * qdd


def _terms(found: dict) -> tuple[Friction, Rotor]:
    """Return friction and rotor of a joint of identification.json."""
    values = {name: entry['value'] for name, entry in found.items()}
    return (Friction(values['viscous'], values['coulomb'], 50.0, offset=values['offset'],
                     load=values['load'], quadratic=values['quadratic']),
            Rotor(armature=values['armature']))


def motion(seed: int, sizes: tuple[float, float] = (0.4, 0.4), about: float = 0.0
           ) -> tuple[np.ndarray, ...]:
    """Return times, and positions to accelerations of sums of sines about a posture [rad]."""
    random = np.random.default_rng(seed)
    time = np.arange(0.0, 12.0, 0.02)
    w, phase = 2.0 * np.pi * random.uniform(0.1, 0.8, (2, 4)), random.uniform(0.0, 6.28, (2, 4))
    q, qd, qdd = sums_of_sines(time, w.T, phase.T, np.array(sizes))
    q[:, 0] += about
    return time, q, qd, qdd


def recorded(path: Path, model: pin.Model, seed: int, gains: np.ndarray | float = 1.0,
             load: float = 0.0, friction: float = 1.0, travel: float = 0.0, noise: float = 0.01,
             **options: Any) -> str:
    """Write a table with friction, rotors and noise, a share of the efforts."""
    time, q, qd, qdd = motion(seed, **options)
    effort = _with_drives(model, q, qd, qdd, load, friction, travel)
    effort += noise * effort.std(axis=0) * np.random.default_rng(seed + 100).normal(
        size=effort.shape)
    np.savetxt(path, np.column_stack((time, q, effort / gains)), '%.9g', ',', comments='',
               header='time,q_joint1,q_joint2,effort_joint1,effort_joint2')
    return str(path)


@pytest.fixture(scope='module')
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with currents and efforts, each without and with the payload."""
    place = tmp_path_factory.mktemp('payload')
    (place / 'arm.urdf').write_text(TEXT)
    for unit, gains in (('A', GAINS), ('Nm', 1.0)):
        recorded(place / f'without_{unit}.csv', arm(), 0, gains)
        recorded(place / f'with_{unit}.csv', arm(payload=True), 1, gains)
    return place


def identified(folder: Path, unit: str, out: Path, *words: object, loaded: str = 'with',
               empty: str = 'without') -> int:
    return main(['identify', str(folder / f'{empty}_{unit}.csv'), '--urdf',
                 str(folder / 'arm.urdf'), '--cutoff', '10', '--delay', '0', '-o', str(out),
                 '--payload-recording', str(folder / f'{loaded}_{unit}.csv'),
                 '--weight', '10', *map(str, words)])


def test_a_known_mass_fixes_the_gains(folder, tmp_path, capsys):
    """Though the robot is a third heavier than its URDF."""
    out = tmp_path / 'out'
    assert identified(folder, 'A', out, '--payload-link', 'link2', '--payload-mass', MASS) == 0
    printed = capsys.readouterr().out
    assert 'Payload\n' in printed and 'payload.link: link2; payload.mass: ' in printed
    found = json.loads((out / 'identification.json').read_text())
    for joint, gain in zip(('joint1', 'joint2'), GAINS):
        entry = found['joints'][joint]['gain']
        assert entry['effort_per_recorded_unit'] == pytest.approx(gain, rel=0.01)
        assert abs(entry['effort_per_recorded_unit'] - gain) < 3.0 * entry['deviation']
        assert entry['deviation'] < 0.025 * abs(gain)
    assert found['payload']['mass_known']
    assert_frozen('identified_payload', found | {'about': {}})
    page = (out / 'identification.html').read_text()
    assert 'fixed by the mass of the payload' in page
    assert [path.name for path in (out / 'summaries').iterdir()] == ['without_A.npz']


@pytest.mark.parametrize(('mass', 'share'), [
    (2.0 * MASS, '2.'), pytest.param(MASS / 3.0, '0.', marks=pytest.mark.slow)])
def test_a_wrong_mass_is_named(mass, share, folder, tmp_path):
    """By what the robot itself would weigh."""
    assert identified(folder, 'A', tmp_path / 'out', '--payload-link', 'link2', '--payload-mass',
                      mass) == 3
    found = json.loads((tmp_path / 'out' / 'identification.json').read_text())
    words = [each for each in found['contradictions'] if '--payload-mass, to which' in each]
    assert len(words) == 1
    assert f'the robot would have {share}' in words[0] and words[0] in found['verdict']


def test_efforts_by_currents_leave_what_the_figures_say(tmp_path: Path) -> None:
    """Friction with the load is in the units of the efforts, not of the currents."""
    recorded(tmp_path / 'r_A.csv', arm(), 0, GAINS, 0.3)
    result = identify([tmp_path / 'r_A.csv'], InverseDynamics(TEXT), settings=(
        IdentificationSettings(gains=tuple(map(str, GAINS)))))
    assert result.joints[:, LOAD] == pytest.approx(0.3, rel=0.1)
    for joint in range(2):
        measured, _, computed = result.held_out_efforts(joint) or ()
        left = float(np.sqrt(np.nanmean(np.square(measured - computed))))
        assert left == pytest.approx(result.held_out.every[2, joint], rel=0.02)


def test_a_joint_that_a_recording_lacks_is_not_simulated_without_effort(tmp_path: Path) -> None:
    """Nor drawn, nor judged: its effort in that recording is not 0, but unknown."""
    paths = [Path(recorded(tmp_path / f'{seed}.csv', arm(), seed)) for seed in (0, 1)]
    table = np.genfromtxt(paths[0], delimiter=',', names=True)
    table['effort_joint1'] = np.nan
    np.savetxt(paths[0], table, '%.9g', ',', comments='', header=','.join(table.dtype.names))
    result = identify(paths, InverseDynamics(TEXT))
    moved, _, own = rollouts(result) or ()
    assert result.held_out_efforts(0) is None and (own < 0.05 * moved).all()
    assert identification_picture(result, 'arm').startswith(b'\x89PNG')


@pytest.mark.slow
def test_friction_with_the_load_has_the_scale_of_the_gains(tmp_path: Path) -> None:
    """The masses of the URDF are a third: currents say so when the payload's mass is known."""
    load = 0.1
    text = re.sub(r'<mass value="([^"]*)"', lambda found: f'<mass value="{float(found[1]) / 3}"',
                  TEXT)
    assert text != TEXT
    (tmp_path / 'arm.urdf').write_text(text)
    recorded(tmp_path / 'without_A.csv', arm(), 0, GAINS, load)
    recorded(tmp_path / 'with_A.csv', arm(payload=True), 1, GAINS, load)
    assert identified(tmp_path, 'A', tmp_path / 'out', '--payload-link', 'link2',
                      '--payload-mass', MASS, '--force') == 0
    found = json.loads((tmp_path / 'out' / 'identification.json').read_text())['joints']
    values = np.array([entry['terms']['load']['value'] for entry in found.values()])
    print(f'load {values} of {load}')
    assert (np.abs(values - load) < 0.25 * load).all()


@pytest.mark.slow
def test_a_sign_that_friction_does_not_determine_is_that_which_explains_more(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no friction, and the second gain begins with the wrong sign."""
    (tmp_path / 'arm.urdf').write_text(TEXT)
    recorded(tmp_path / 'without_A.csv', arm(), 0, GAINS, friction=0.0)
    recorded(tmp_path / 'with_A.csv', arm(payload=True), 1, GAINS, friction=0.0)

    def turned(*words: Any) -> Gains:
        gains = approximated(*words)
        return gains._replace(values=np.abs(gains.values))

    monkeypatch.setattr(fit_data, 'approximated', turned)
    assert identified(tmp_path, 'A', tmp_path / 'out', '--payload-link', 'link2',
                      '--payload-mass', MASS) == 0
    found = json.loads((tmp_path / 'out' / 'identification.json').read_text())['joints']
    gains = [entry['gain']['effort_per_recorded_unit'] for entry in found.values()]
    assert gains == pytest.approx(GAINS, rel=0.02)


@pytest.mark.slow
def test_friction_that_follows_late_is_no_delay_of_the_currents(tmp_path: Path) -> None:
    """It delays what friction does, not what bodies do, from which gains follow."""
    (tmp_path / 'arm.urdf').write_text(TEXT)
    drives = GAINS, 0.0, 60.0, 0.003
    words = ['identify', recorded(tmp_path / 'without.csv', arm(), 0, *drives),
             '--payload-recording', recorded(tmp_path / 'with.csv', arm(payload=True), 1, *drives)]
    assert main([*words, '--urdf', str(tmp_path / 'arm.urdf'), '--payload-link', 'link2',
                 '--payload-mass', str(MASS), '-o', str(tmp_path / 'out')]) == 0
    found = json.loads((tmp_path / 'out' / 'identification.json').read_text())
    (late, least, most), = ((each['delay_used_s'], *each['delays_s'])
                            for each in found['recordings'])
    gains = [found['joints'][joint]['gain']['effort_per_recorded_unit']
             for joint in ('joint1', 'joint2')]
    print(f'{1e3 * late:.1f} ms, {gains} of {GAINS}')
    assert abs(late) < 0.003
    assert least < 0.003 and most > 0.004   # friction would choose another one: not determined
    assert f'<td>{1e3 * least:.0f} to {1e3 * most:.0f}</td>' in (
        tmp_path / 'out' / 'identification.html').read_text()
    assert gains == pytest.approx(GAINS, rel=0.03)


def test_an_unknown_payload_is_identified(folder: Path, tmp_path: Path) -> None:
    """Ten parameters within their deviations; with the robot they predict another motion."""
    assert identified(folder, 'Nm', tmp_path, '--payload-link', 'link2') == 0
    everything = json.loads((tmp_path / 'identification.json').read_text())
    found = everything['payload']
    about = BODY.inertia + MASS * (CENTRE @ CENTRE * np.eye(3) - np.outer(CENTRE, CENTRE))
    truth = [MASS, *(MASS * CENTRE), *about[np.triu_indices(3)]]
    values, errors = np.array([list(each.values()) for each in found['parameters'].values()]).T
    assert (np.abs(values - truth) < 3.0 * errors).all()
    assert values[0] == pytest.approx(MASS, rel=0.03)
    for name, place in (('x', 0), ('z', 2)):   # y is across the plane
        assert found['centre'][name]['value'] == pytest.approx(CENTRE[place], abs=0.004)
    settings = found['node_parameters']
    terms = {joint: _terms(entry['terms']) for joint, entry in everything['joints'].items()}
    robot = InverseDynamics(read_urdf(tmp_path / 'identified.urdf'),
                            loads=Loads(terms=terms, payload=settings['payload.link']))
    _, q, qd, qdd = motion(2)
    carried = np.array([settings['payload.mass'], *settings['payload.com'],
                        *settings['payload.inertia']])
    expected = _with_drives(arm(payload=True), q, qd, qdd)
    error = np.linalg.norm(robot(q, qd, qdd, carried) - expected) / np.linalg.norm(expected)
    assert error < 0.0035


@pytest.mark.parametrize(('unit', 'words', 'text'), [
    ('A', ('--payload-mass', 5), 'the payload of 5 kg on link2 does not determine the gains'),
    ('Nm', (), 'the payload on link2 is not determined')])
def test_a_payload_that_is_not_there_is_refused(unit, words, text, folder, tmp_path, capsys):
    """With exit code 3 and without a file."""
    recorded(folder / f'empty_{unit}.csv', arm(), 3, GAINS if unit == 'A' else 1.0)
    assert identified(folder, unit, tmp_path / 'out', '--payload-link', 'link2', *words,
                      loaded='empty') == 3
    assert text in capsys.readouterr().err
    assert not (tmp_path / 'out').exists()


@pytest.mark.parametrize(('unit', 'link', 'words', 'recordings', 'text'), [
    ('A', 'link1', ('--payload-mass', MASS), {}, 'the payload looks carried by link2, or'),
    ('Nm', 'link1', (), {}, 'the payload looks carried by link2, or'),
    ('Nm', 'link2', (), {'empty': 'with', 'loaded': 'without'},
     'with and without the payload look interchanged')])
def test_a_payload_on_another_link_or_in_other_recordings_is_refused(
        unit: str, link: str, words: tuple, recordings: dict, text: str, folder: Path,
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert identified(folder, unit, tmp_path / 'out', '--payload-link', link, *words,
                      **recordings) == 3
    assert text in capsys.readouterr().err


@pytest.mark.parametrize(('words', 'text'), [
    ((), '--payload-link require each other'),
    (('--payload-link', 'base'), 'no joint moves this link'),
    (('--payload-link', 'link3'), 'the robot has no link "link3"'),
    (('--payload-link', 'link2', '--payload-mass', 0), 'must be above 0'),
    (('--payload-link', 'link2', '--payload-mass', 1, '--effort-semantics', 'current', '--gains',
      2), 'but all are known'),
    (('--payload-link', 'link2', '--effort-semantics', 'current', '--gains', 'free'),
     'does not fix free gains')])
def test_options_that_contradict_each_other_are_errors(words, text, folder, tmp_path, capsys):
    assert identified(folder, 'Nm', tmp_path / 'out', *words) == 1
    assert text in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(('first', 'second'), [
    ({'sizes': (0.06, 0.06), 'seed': 0}, {'sizes': (0.06, 0.06), 'seed': 1, 'about': 1.4}),
    ({'sizes': (0.3, 0.02), 'seed': 3, 'travel': 0.002},
     {'sizes': (0.3, 0.6), 'seed': 3, 'travel': 0.002})])
def test_gravity_is_no_offset_and_friction_of_a_slow_motion_not_quadratic(first, second, tmp_path):
    """Another posture, and a motion thirty times as fast, are predicted better than by it."""
    (tmp_path / 'arm.urdf').write_text(TEXT)
    paths = [recorded(tmp_path / f'{name}.csv', arm(), noise=0.03, **options)
             for name, options in (('first', first), ('second', second))]
    assert main(['identify', paths[0], '--validate', paths[1], '--urdf',
                 str(tmp_path / 'arm.urdf'), '-o', str(tmp_path / 'out')]) == 0
    found = json.loads((tmp_path / 'out' / 'identification.json').read_text())['joints']
    for joint in found.values():
        left = joint['validation']['second']['all']
        assert left['identified'] < left['URDF']
