"""The command identify with defects in one recording: refused, noted, or without effect."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from support.frozen import assert_frozen
from support.robot_files import EXAMPLES, OWN
from support.scara_recordings import MODEL, NAMES, ROBOT, identified, motion, recording, robot
from support.streams.known_motions import sums_of_sines
from urdf2dyn_ros import Loads
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.robot.reader import read_urdf

Change = Callable[[Any, Any], tuple[Any, Any]]
LIGHTER = 1.15 * next(link.inertia.mass for link in reversed(MODEL.links) if link.inertia)
"""What the last body of the recorded robot is lighter than 1.3 times its mass in the URDF [kg]."""


class Done(NamedTuple):
    """What the command did."""

    code: int
    out: str
    errors: str
    notes: list[str]
    figures: dict[str, Any]   # of identification.json

    @property
    def verdict(self) -> str:
        """What the report says first, and files in their heads."""
        return self.figures['verdict']

    @property
    def least_r2(self) -> float:
        """Least coefficient of determination of what was held out."""
        return min(each['held_out']['r2']['identified']
                   for each in self.figures['joints'].values())


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Return the command, for a recording with options of `recording`, and words."""
    def identify(*words: object, **options: Any) -> Done:
        path = recording(tmp_path / 'r.csv', **options)
        code = identified(path, '-o', tmp_path / 'out', *words)
        out, errors = capsys.readouterr()
        figures = tmp_path / 'out' / 'identification.json'
        return Done(code, out, errors, [line.removeprefix('note: ') for line in errors.splitlines()
                                        if line.startswith('note: ')],
                    json.loads(figures.read_text()) if figures.exists() else {})
    return identify


def noise(q, effort):
    return q, np.random.default_rng(5).normal(size=effort.shape)


def spikes(q, effort):
    effort[::50] = 1e5
    return q, effort


def jump(size: float) -> Change:
    """Return a change by which the second joint jumps in the middle."""
    def change(q, effort):
        q[len(q) // 2:, 1] += size
        return q, effort
    return change


@pytest.mark.parametrize(('words', 'options'), [
    (f'the position of {NAMES[1]} jumps by 2 rad', {'change': jump(2.0)}),
    ('no joint moves', {'moving': ()}),
    ('at least 2 s', {'seconds': 1.5}),
    ('rows have the time 0', {'unit': 0.0}),
    ("if it is in ms, add --columns 'time=time [ms]'", {'unit': 1e3}),
    ('zero throughout', {'change': lambda q, effort: (q, 0.0 * effort)}),
    *(('frozen', {'change': lambda q, effort, size=size: (
        q, size * (1.0 + 1e-12 * np.random.default_rng(0).normal(size=effort.shape)))})
      for size in (3.0, 1e7, -1e-9)),
    ('the measured effort has spikes of up to 1e+05, where 95 % are below', {'change': spikes}),
    ('wrong sign', {'change': lambda q, effort: (q, -effort)}),
    ('URDF needs: are they in mN m?', {'change': lambda q, effort: (q, 1000.0 * effort)}),
    ('in degrees', {'change': lambda q, effort: (np.degrees(q), effort)}),
    ('in degrees', {'change': lambda q, effort: (
        np.where(np.arange(q.shape[1]) == 1, np.degrees(q), q), effort)}),
    (f'{NAMES[0]} and {NAMES[1]} are the same in all samples', {'change': lambda q, effort: (
        q[:, [0, 0, *range(2, q.shape[1])]], effort)}),
    (f'the efforts of {NAMES[0]} and {NAMES[1]} are the same in all samples', {
        'change': lambda q, effort: (q, effort[:, [1, 1, *range(2, q.shape[1])]])}),
    ('the efforts have no sign: none is negative', {'change': lambda q, effort: (
        q, np.abs(effort))}),
    ('does not explain the efforts', {'change': noise}),
    ('does not explain the efforts', {'change': lambda q, effort: (
        q, 100.0 + noise(q, effort)[1])})])
def test_what_cannot_work_is_refused_without_a_file(words, options, tmp_path, run):
    done = run(**{'seconds': 6.0, **options})
    assert done.code == 3 and words in done.errors
    assert not (tmp_path / 'out').exists()


@pytest.mark.slow
def test_efforts_without_gravity_are_named(tmp_path, capsys):
    """As today's drivers of UR robots have them; masses cannot be known from these."""
    arm = InverseDynamics(read_urdf((OWN / 'rx90.urdf').read_text()))
    time, joints = np.arange(0.0, 12.0, 0.02), np.arange(6)
    w, phase = 1.0 + 0.37 * joints, 0.7 * joints
    angle = w * time[:, None] + phase
    q, qd, qdd = 0.6 * np.sin(angle), 0.6 * w * np.cos(angle), -0.6 * w * w * np.sin(angle)
    head = ','.join(['time', *(f'{what}_joint{j + 1}' for what in ('q', 'effort')
                               for j in joints)])
    effort, words = arm(q, qd, qdd) + np.tanh(50.0 * qd), 'without gravity, which'
    for name, values in (('net', effort), ('less', effort - arm.gravity(q))):
        np.savetxt(tmp_path / f'{name}.csv', np.column_stack((time, q, values)), '%.9g', ',',
                   header=head, comments='')
        code = main(['identify', str(tmp_path / f'{name}.csv'), '--urdf', str(OWN / 'rx90.urdf'),
                     '-o', str(tmp_path / name)])
        errors = capsys.readouterr().err
        assert (code, words in errors) == ((3, True) if name == 'less' else (0, False))


def cut(q, effort):
    """Cut the effort of the second joint, not those of the others, at 0.8 of its largest."""
    limit = 0.8 * np.abs(effort[:, 1]).max()
    effort[:, 1] = effort[:, 1].clip(-limit, limit)
    return q, effort.round(1)


def opposite(q, effort):
    """Change a sign, with too much noise for an error that names it, and a large mean."""
    random = np.random.default_rng(1).normal(size=len(q))
    effort[:, 3] = 0.5 * effort[:, 3].std() * random - effort[:, 3]
    return q, effort


def hysteresis(q, effort):
    """Delay friction alone by 0.1 s: a delay of everything helps, but not much."""
    coulomb = 6.0 * np.tanh(50.0 * np.gradient(q, 1.0 / 60.0, axis=0))
    return q[6:], effort[6:] + coulomb[:-6]


def step(q, effort):
    """Change the offset of one joint by a fifth of its effort."""
    effort[300:, 1] -= 0.2 * effort[:, 1].std()
    return q, effort


def late_joint(samples: int) -> Change:
    """Return a change that delays one joint, which left a fifth of its efforts."""
    def change(q, effort):
        effort[:, 1] = np.roll(effort[:, 1], samples)
        return q[5:-5], effort[5:-5]
    return change


@pytest.mark.slow
@pytest.mark.parametrize(('options', 'about', 'words'), [
    ({'recorded': robot(payload=20.0)}, ' would have ',
     ['does it carry a tool that the URDF is without']),
    ({'recorded': robot(payload=-LIGHTER)}, ' would have ', ['a counterweight carries it']),
    ({'change': hysteresis}, 'late by 20 ms', ['--delay 0'])])
def test_what_is_doubtful_is_noted(options, about, words, run):
    """Of the notes about something every one has the words."""
    done = run('--force', **options)
    found = [note for note in done.notes if about in note]
    assert done.code == 0 and found
    assert all(word in note for note in found for word in words), found


def frozen(q, effort):
    """Hold the position of a joint that moves, but for noise."""
    q[:, 1] = q[0, 1] + 1e-5 * np.random.default_rng(0).normal(size=len(q))
    return q, effort


CUT = ['r: the measured efforts of joint2 (exactly ', ' are never beyond a value']


@pytest.mark.parametrize(('change', 'words'), [
    (frozen, ['r: the position of joint2 hardly changes, although the effort']),
    (late_joint(5), [f'the efforts of {NAMES[1]} are about 80 ms late beside']),
    *(pytest.param(*each, marks=pytest.mark.slow) for each in (
        (late_joint(-5), [f'the efforts of {NAMES[1]} are about 80 ms early beside']),
        (opposite, ['joint4 is hardly explained', 'is its sign wrong?'])))])
def test_what_the_data_contradict_is_said_first(change, words, run, tmp_path):
    done = run(change=change)
    assert done.code == 3 and 'the data contradict the model' in done.errors
    assert all(word in done.verdict for word in words) and 'Yes' not in done.verdict
    assert not (tmp_path / 'out' / 'identified.urdf').exists()


def test_no_file_is_without_what_the_data_contradict(run, tmp_path):
    """No 'Yes' stands before it; summaries keep it."""
    done = run('--force', change=cut)
    assert done.code == 0
    said, _, figures = done.verdict.partition(' The residual of the identified model')
    assert 'The data contradict the model: ' in said and 'Yes' not in said and figures
    assert all(word in said for word in CUT), said
    head = (tmp_path / 'out' / 'parameters.yaml').read_text().splitlines()[1]
    assert head == f'# Does it explain the data? {done.verdict}'
    again = tmp_path / 'again'
    assert identified(tmp_path / 'out' / 'summaries' / 'r.npz', '-o', again) == 3
    assert not (again / 'identified.urdf').exists()
    found = json.loads((again / 'identification.json').read_text())
    assert found['contradictions'] == done.figures['contradictions']
    assert_frozen('contradicted', done.figures | {'about': {}})


@pytest.mark.slow
def test_where_friction_would_hide_a_wrong_gain_is_said(run: Callable[..., Done]) -> None:
    """Twice the effort of the last joint is as well explained by twice its friction and rotor."""
    def doubled(q, effort):
        return q, effort * np.where(np.arange(len(NAMES)) == 2, 2.0, 1.0)

    def in_amperes(q, effort):
        return q, effort / 5.0

    for words, change in (([], doubled), ([], lambda q, effort: (q, effort)), (
            ['--effort-semantics', 'current', '--gains', '5'], in_amperes)):
        done = run('--overwrite', *words, change=change)
        assert done.verdict.startswith('Yes: its residual is ')
        _, _, hidden = done.verdict.partition('. Friction would hide a wrong gain or unit of ')
        assert NAMES[2] in hidden and NAMES[0] not in hidden


def coarse(share: float) -> Change:
    """Return a change to some twenty values, the largest ones for longest, or five."""
    def change(q, effort):
        size = share * effort.std(axis=0)
        return q, np.round(effort / size) * size
    return change


def flat(q, effort):
    """Hold the largest effort of a joint once."""
    top = int(np.argmax(effort[:, 1]))
    effort[top - 6:top + 6, 1] = effort[top, 1]
    return q, effort


@pytest.mark.slow
@pytest.mark.parametrize('change', [coarse(0.3), coarse(0.8), flat])
def test_coarse_efforts_and_short_plateaus_are_not_taken_for_cut_ones(change, run):
    done = run(change=change)
    assert done.notes == [] and done.verdict.startswith('Yes')


def with_hole(q, effort):
    """Return efforts of which 1.5 s are missing at the second joint."""
    effort[200:290, 1] = np.nan
    return q, effort


def with_sentinel(q, effort):
    effort[200:290, 1] = 999.0
    return q, effort


@pytest.mark.slow
@pytest.mark.parametrize(('change', 'note'), [
    (lambda q, effort: (q[6:], effort[:-6]), 'efforts are late by 100 ms'),
    (with_hole, 'measured efforts are missing, or stay at one value, for up to 1.52 s'),
    (with_sentinel, 'measured efforts are missing, or stay at one value, for up to 1.52 s')])
def test_late_and_missing_efforts_cost_no_accuracy(change, note, run):
    done = run(change=change)
    assert note in done.errors and done.least_r2 > 0.99


def test_one_joint_that_moves_is_identified_alone(tmp_path, run):
    done = run(moving=(1,))
    assert list(done.figures['joints']) == [NAMES[1]]
    assert_frozen('identified_alone', done.figures | {'about': {}})
    for name, entries in done.figures['bodies'].items():
        same = all(abs(entry['identified'] - entry['urdf']) < 1e-3 for entry in entries.values())
        assert same or name == NAMES[1]
    assert 'at rest: not identified' in done.errors
    found = read_urdf((tmp_path / 'out' / 'identified.urdf').read_text())
    changed = [a.name for a, b in zip(MODEL.joints, found.joints) if a.damping != b.damping]
    assert changed == [NAMES[1]]


@pytest.mark.slow
def test_joints_that_move_one_after_the_other_are_identified(tmp_path: Path) -> None:
    """Each moves in a fifth of the recording, which the others do not predict."""
    time, q, _, _ = motion(24.0)
    parts = 5.0 * time[:, None] / time[-1] - np.arange(len(NAMES))
    q = q * np.sin(np.pi * np.clip(parts, 0.0, 1.0)) ** 2
    qd = np.gradient(q, time, axis=0)
    effort = ROBOT(q, qd, np.gradient(qd, time, axis=0))
    effort += 0.01 * effort.std(axis=0) * np.random.default_rng(1).normal(size=effort.shape)
    path = recording(tmp_path / 'r.csv', 24.0, change=lambda *_: (q, effort))
    assert identified(path, '-o', tmp_path / 'out') == 0
    joints = json.loads((tmp_path / 'out' / 'identification.json').read_text())['joints']
    assert min(each['held_out']['r2']['identified'] for each in joints.values()) > 0.999


def test_joints_that_are_held_automatically_are_named(tmp_path, capsys):
    """Under a misspelt name, a joint of the arm would be at rest without a word."""
    path = Path(recording(tmp_path / 'r.csv', seconds=6.0))
    path.write_text(path.read_text().replace(f'_{NAMES[-1]}', '_misspelt'))
    assert identified(path, '--hold', 'auto', '-o', tmp_path / 'out') == 0
    assert f'taken to be at rest: {NAMES[-1]} at 0' in capsys.readouterr().err


@pytest.mark.slow
def test_efforts_of_another_clock_are_named_and_a_delay_that_is_given_counts(run):
    """Late by 0.5 s, they look like efforts of the wrong sign, or of nothing."""
    def late(q, effort):
        return q[30:], effort[:-30]

    refused = run(change=late)
    assert refused.code == 3 and refused.errors.rstrip().endswith(
        'add --delay 0.5 to urdf2dyn identify')
    assert 'the efforts are about 500 ms late for the motion that needs them' in refused.errors
    assert run('--delay', '0.5', change=late).least_r2 > 0.99


@pytest.mark.slow
def test_a_joint_that_is_not_explained_keeps_the_numbers_of_the_urdf(run, tmp_path):
    """The last joint has the effort of something else; files say so first."""
    def change(q, effort):
        return q, np.column_stack((effort[:, :-1], noise(q, effort)[1][:, -1]))

    def last() -> list[float]:
        model = read_urdf((tmp_path / 'out' / 'identified.urdf').read_text())
        joint = next(each for each in model.joints if each.name == NAMES[-1])
        link = next(each for each in model.links if each.name == joint.child)
        return [joint.damping, joint.friction, link.mass]

    done = run(seconds=6.0, change=change)
    assert done.code == 0
    assert (f'Yes, but not at {NAMES[-1]}, which keeps the numbers of the URDF without '
            '--force. ') in done.out
    assert 'measured effort below 10 Hz minus the computed one below ' in done.out
    assert done.figures['not_explained'] == [NAMES[-1]]
    parameters = (tmp_path / 'out' / 'parameters.yaml').read_text()
    assert parameters.splitlines()[1].startswith(
        f'# Does it explain the data? Yes, but not at {NAMES[-1]}')
    kept, joint = last(), next(each for each in MODEL.joints if each.name == NAMES[-1])
    assert kept == [joint.damping, joint.friction,
                    next(each.mass for each in MODEL.links if each.name == joint.child)]
    forced = run('--force', '--overwrite', seconds=6.0, change=change)
    assert f'Yes, but not at {NAMES[-1]}. ' in forced.out
    assert last() != kept


@pytest.mark.slow
def test_a_gain_of_two_at_one_joint_is_said_first(run: Callable[..., Done]) -> None:
    """Bodies may be so; but is it the effort of that joint?"""
    done = run(seconds=12.0, change=lambda q, effort: (q, 2.0 * effort * (
        np.arange(len(NAMES)) == 3) + effort * (np.arange(len(NAMES)) != 3)))
    assert done.code == 3
    verdict = done.verdict
    assert verdict.startswith('The data contradict the model: bodies need 2.')
    assert f'is the effort of {NAMES[3]} in N m or N, and that of the joint itself?' in verdict
    assert 'tool' not in verdict
    assert verdict in done.out


@pytest.mark.slow
def test_a_tool_that_the_urdf_is_without_is_asked_for_first(tmp_path: Path) -> None:
    """It has fifteen times the mass of the wrist, and all joints up the chain need more effort."""
    urdf = EXAMPLES / 'ur_description' / 'urdf' / 'ur5_robot.urdf'
    rng, time = np.random.default_rng(0), np.arange(0.0, 20.0, 0.04)
    q, qd, qdd = sums_of_sines(time, 2.0 * np.pi * rng.uniform(0.1, 0.6, (4, 6)),
                               rng.uniform(0.0, 6.28, (4, 6)), 0.5)
    loaded = InverseDynamics(urdf, loads=Loads(payload='ee_link'), backend='python')
    tool = np.array([2.8, 0.02, 0.03, 0.1, 0.01, 0.0, 0.0, 0.01, 0.0, 0.01])
    effort = loaded(q, qd, qdd, tool) + 2.0 * qd + 3.0 * np.tanh(qd / 0.02)
    effort += 0.01 * effort.std(axis=0) * rng.normal(size=q.shape)
    head = ','.join(['time', *(f'{kind}_{name}' for kind in ('q', 'effort')
                               for name in loaded.joint_names)])
    np.savetxt(tmp_path / 'r.csv', np.column_stack((time, q, effort)), '%.9g', ',', header=head,
               comments='')
    assert main(['identify', str(tmp_path / 'r.csv'), '--urdf', str(urdf),
                 '-o', str(tmp_path / 'out')]) == 0
    verdict = json.loads((tmp_path / 'out' / 'identification.json').read_text())['verdict']
    assert 'does it carry a tool that the URDF is without? If not: is the effort of ' in verdict


@pytest.mark.slow
@pytest.mark.parametrize('others', [(), pytest.param((1,), id='after another')])
def test_a_spring_that_a_joint_runs_into_is_named(tmp_path: Path, others: Sequence[int]) -> None:
    """The verdict is that of the worst joint, whose residual depends on where it is."""
    def cushion(q, effort):
        beyond = np.maximum(q[:, 1] - np.quantile(q[:, 1], 0.7), 0.0)
        effort[:, 1] += 2.0 * effort[:, 1].std() * beyond / beyond.max()
        return q, effort

    paths = [recording(tmp_path / f'{seed}.csv', seconds=16.0, seed=seed) for seed in others]
    paths.append(recording(tmp_path / 'r.csv', seconds=16.0, change=cushion))
    assert identified(*paths, '-o', tmp_path / 'out') == 0
    found = json.loads((tmp_path / 'out' / 'identification.json').read_text())
    verdict = found['verdict']
    assert verdict.startswith(f'Yes, but not at {NAMES[1]}, which keeps the numbers of the URDF ')
    assert f' {NAMES[1]} has a residual of ' in verdict and found['not_explained'] == [NAMES[1]]
    what = 'time' if others else 'its position'   # the other recording is without the spring
    assert ' beside a noise of ' in verdict and f', which depends on {what};' in verdict


@pytest.mark.slow
def test_two_recordings_of_different_robots_contradict_each_other(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One of them has twice the mass at its end; which one is wrong is not known."""
    def other(load: float, name: str) -> str:
        return recording(tmp_path / name, seed=1, recorded=robot(payload=load))

    first, out = recording(tmp_path / 'first.csv'), tmp_path / 'out'
    heavy, same = other(8.0, 'heavy.csv'), other(0.0, 'same.csv')
    assert identified(first, same, '-o', out) == 0
    assert 'contradict' not in capsys.readouterr().out
    assert identified(first, heavy, '--overwrite', '-o', out) == 3
    said = capsys.readouterr().out
    assert 'first and heavy contradict each other at ' in said
    assert 'which one is wrong is not known' in said
    assert not (out / 'parameters.yaml').exists()   # that of the run before is gone
    assert identified(first, heavy, '--overwrite', '--force', '-o', out) == 0


@pytest.mark.slow
def test_a_validation_that_the_urdf_explains_better_is_noted(tmp_path, run):
    """It is of a robot whose fourth joint is as light as the URDF says."""
    def lighter(q, effort):
        effort[:, 3] = InverseDynamics(MODEL)(q, 0.0 * q, 0.0 * q)[:, 3]
        return q, effort + 0.01 * np.random.default_rng(1).normal(size=effort.shape)

    other = recording(tmp_path / 'other.csv', seed=1, change=lighter)
    done = run('--validate', other)
    assert done.code == 0
    assert 'Yes, but other: at joint4 the identified model is no better than the URDF' in (
        done.verdict)
