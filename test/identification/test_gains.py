"""Gains of currents: words of the command line, and free gains of a simulated and a real robot."""

import json
from pathlib import Path

import numpy as np
import pytest

from support.paths import RECORDINGS, UR10
from support.robot_files import EXAMPLES, OWN
from support.scara_recordings import NAMES, SCARA, recording
from urdf2dyn_ros import InverseDynamics
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.identification.gains import read_gains
from urdf2dyn_ros.recordings import open_recording

GAINS = np.array([30.0, -12.0, 5.0, 80.0][:len(NAMES)])
"""The second motor turns the other way."""

UR10_URDF = EXAMPLES / 'ur_description' / 'urdf' / 'ur10_robot.urdf'

TIAGO = RECORDINGS / 'tiago' / 'tiago.csv'
TIAGO_URDF = EXAMPLES / 'tiago_description' / 'robots' / 'tiago_no_hand.urdf'


def test_gains_have_names_or_the_order_of_the_joints() -> None:
    joints = ('a', 'b', 'c')
    for words, values in ((['2'], [2, 2, 2]), (['1', '2', '-3'], [1, 2, -3]),
                          (['c=1e3', 'a=2', 'b=3'], [2, 3, 1000]), (['4', 'b=1'], [4, 1, 4])):
        gains = read_gains(words, joints)
        assert gains.values.tolist() == values and not gains.free.any()
    assert read_gains(['free'], joints).free.tolist() == [True] * 3
    gains = read_gains(['free', 'b=7'], joints)
    assert gains.free.tolist() == [True, False, True] and gains.values[1] == 7.0
    assert read_gains(['1', 'a=free'], joints).free.tolist() == [True, False, False]


@pytest.mark.parametrize(('words', 'text'), [
    (['1', '2'], 'there are 2 without a name'), (['d=1'], 'no joint "d"'),
    (['a=1'], 'no gain of b, c: add JOINT=VALUE, or free'), (['a=1', 'a=2'], 'two gains of a'),
    (['0'], 'other than zero'), (['nan'], 'finite'), (['much'], '"much" is no gain'),
    (['1', '2', '3', 'a=4'], 'at most one')])
def test_wrong_gains_are_named(words: list[str], text: str) -> None:
    with pytest.raises(ParameterError, match=text):
        read_gains(words, ('a', 'b', 'c'))


def identified(out: Path, *words: str) -> dict:
    assert main(['identify', *words, '--effort-semantics', 'current', '-o', str(out)]) == 0
    return json.loads((out / 'identification.json').read_text())['joints']


@pytest.mark.slow
def test_free_gains_are_identified_up_to_a_factor_and_one_known_gain_fixes_it(tmp_path, capsys):
    """The robot is 1.3 times as heavy as its URDF, which no current shows."""
    path = recording(tmp_path / 'r.csv', change=lambda q, effort: (q, effort / GAINS))
    robot = ('--urdf', str(SCARA))
    found = identified(tmp_path / 'free', path, *robot, '--gains', 'free')
    ratios = np.array([found[name]['gain']['effort_per_recorded_unit']
                       for name in NAMES]) / GAINS
    np.testing.assert_allclose(ratios[0] / ratios[1], 1.0, atol=8e-4)
    assert 0.75 < ratios[0] < 0.9   # 1 / 1.3 with this URDF as the scale
    for name in NAMES:
        assert found[name]['unit'] == 'A'
        assert found[name]['held_out']['r2']['identified'] > 0.999
    printed = capsys.readouterr()
    assert 'What changed: gains' in printed.out
    assert f'the gain of {NAMES[1]} is negative' in printed.err
    summary = str(tmp_path / 'free' / 'summaries' / 'r.npz')
    words = ('--gains', 'free', f'{NAMES[0]}={GAINS[0]}')
    fixed = identified(tmp_path / 'fixed', summary, *robot, *words)
    assert fixed[NAMES[0]]['gain'] == {'effort_per_recorded_unit': GAINS[0], 'deviation': None,
                                       'deviation_of_ratio': None}
    np.testing.assert_allclose(fixed[NAMES[1]]['gain']['effort_per_recorded_unit'], GAINS[1],
                               rtol=1e-3)
    for name, gain in zip(NAMES[1:], GAINS[1:]):
        value, deviation, _ = fixed[name]['gain'].values()
        assert abs(value - gain) < 1.96 * deviation
    turned = np.where(np.arange(len(NAMES)) == 2, -1.0, 1.0)
    other = recording(tmp_path / 'other.csv', seed=1,
                      change=lambda q, effort: (q, effort / GAINS * turned))
    for more in ([other], ['--validate', other]):
        code = main(['identify', summary, *more, *robot, '--effort-semantics', 'current',
                     '--gains', 'free', '-o', str(tmp_path / 'none')])
        assert code == 3
        assert f'the current of {NAMES[2]} has another sign in ' in capsys.readouterr().err
    code = main(['identify', summary, *robot, '-o', str(tmp_path / 'none')])
    assert code == 1 and 'a summary of currents' in capsys.readouterr().err


@pytest.mark.slow
def test_friction_that_the_model_lacks_does_not_shrink_free_gains(tmp_path: Path) -> None:
    """
    Friction is three times as large as the effort of the bodies, and differs between directions.

    By 2 %, with which gains were half as large. The robot is as its URDF says.
    """
    urdf = OWN / 'rx90.urdf'
    arm, rng = InverseDynamics(urdf, backend='python'), np.random.default_rng(0)
    time, n = np.arange(0.0, 40.0, 0.02), len(arm.joint_names)
    q, qd, qdd = np.zeros((3, len(time), n))
    for joint in range(n):
        for k in range(1, 6):
            (a, b), w = 0.35 / k * rng.normal(size=2), 0.2 * np.pi * k
            sine, cosine = np.sin(w * time), np.cos(w * time)
            q[:, joint] += a * sine + b * (cosine - 1.0)
            qd[:, joint] += w * (a * cosine - b * sine)
            qdd[:, joint] -= w * w * (a * sine + b * cosine)
    efforts = arm(q, qd, qdd)
    friction = np.where(qd > 0.0, 1.02, 0.98) * qd + 0.05 * np.tanh(qd / 0.02)
    friction *= 3.0 * efforts.std(axis=0) / friction.std(axis=0)
    current = (efforts + friction) / 12.0
    current += 0.01 * current.std(axis=0) * rng.normal(size=q.shape)
    head = ['time', *(f'{kind}_{name}' for kind in ('q', 'effort') for name in arm.joint_names)]
    np.savetxt(tmp_path / 'r.csv', np.column_stack((
        time, q + 1e-5 * rng.normal(size=q.shape), current)), '%.9g', ',',
        header=','.join(head), comments='')
    found = identified(tmp_path / 'out', str(tmp_path / 'r.csv'), '--urdf', str(urdf),
                       '--gains', 'free')
    gains = np.array([[*each['gain'].values()] for each in found.values()])
    print(gains.round(2))
    assert (np.abs(gains[:, 0] - 12.0) < [0.6, 0.6, 0.6, 1.2, 1.6, 2.4]).all()
    assert (np.abs(gains[:, 0] - 12.0) < 2.0 * gains[:, 2]).all()


@pytest.mark.slow
@pytest.mark.skipif(not TIAGO.exists(), reason='the recording of a TIAGo is not here')
def test_free_gains_of_a_tiago(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Wheels and head are not recorded, the wrist has no current, two motors are mirrored."""
    found = identified(tmp_path, str(TIAGO), '--urdf', str(TIAGO_URDF), '--hold', 'auto',
                       '--gains', 'free', '--cutoff', '10', '--delay', '0', '--weight', '100')
    assert list(found) == ['torso_lift_joint', *(f'arm_{k}_joint' for k in range(1, 5))]
    r2 = [each['held_out']['r2_moving']['identified'] for each in found.values()]
    assert (np.array(r2) > [0.85, 0.94, 0.94, 0.95, 0.96]).all(), r2
    # the torso stands still for half of the time
    r2 = [each['held_out']['r2']['identified'] for each in found.values()]
    assert (np.array(r2) > [0.45, 0.9, 0.89, 0.92, 0.96]).all(), r2
    signs = [np.sign(each['gain']['effort_per_recorded_unit']) for each in found.values()]
    assert signs == [1.0, 1.0, 1.0, -1.0, -1.0]
    errors = capsys.readouterr().err
    for k in (5, 6, 7):
        assert f'arm_{k}_joint: the measured effort is 0 in ' in errors


@pytest.mark.slow
@pytest.mark.skipif(not UR10.exists(), reason='the recording of a UR10 is not here')
def test_free_gains_of_a_ur10_have_the_scale_of_the_gravity_of_its_urdf(tmp_path: Path) -> None:
    """They were 55 % too small: the inertias of the wrist, without rotors, set the scale."""
    records = [*open_recording(UR10)][::5]
    names, gains = records[0].names, np.array([12.0, 12.0, 10.0, 9.0, 9.0, 9.0])
    rows = [np.concatenate(([1e-9 * (each.stamp - records[0].stamp)], each.position,
                            each.effort / gains)) for each in records]
    head = ['time', *(f'q_{name}' for name in names), *(f'effort_{name}' for name in names)]
    np.savetxt(tmp_path / 'r.csv', rows, '%.9g', ',', header=','.join(head), comments='')
    found = identified(tmp_path / 'out', str(tmp_path / 'r.csv'), '--urdf', str(UR10_URDF),
                       '--gains', 'free', '--cutoff', '1.9', '--delay', '0.008', '--weight', '100')
    ratios = [found[name]['gain']['effort_per_recorded_unit'] / gain
              for name, gain in zip(names, gains)][:4]
    assert np.abs(np.log(ratios)).max() < 0.15, ratios


def test_a_gain_that_is_not_determined_is_refused_by_an_export(tmp_path, capsys):
    """As identify writes it; commands that do not use it read the file."""
    (tmp_path / 'p.yaml').write_text(
        '/**:\n  ros__parameters:\n    current_gains: [1.0, 2.0, 3.0, 4.0, 5.0, .nan]\n')
    words = [str(OWN / 'rx90.urdf'), '--parameters', str(tmp_path / 'p.yaml'), '-o',
             str(tmp_path / 'out')]
    assert main(['export', *words, '--language', 'c']) == 0
    assert main(['export', *words, '--language', 'ros2_control']) != 0
    assert 'current_gains of joint6 are unknown' in capsys.readouterr().err
