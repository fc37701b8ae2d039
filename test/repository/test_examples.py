"""The files of examples/ run by themselves, and print what they promise."""

import re
import runpy
import sys

import numpy as np
import pytest

from support.paths import ROOT
from urdf2dyn_ros.recordings import open_recording

pytestmark = pytest.mark.slow

EXAMPLES = ROOT / 'examples'
PRINTS = {
    'gravity_compensation': (r'with compensation, after 2 s \[rad\]:\s+\[[-0. ]+\]\n'
                             r'gravity, pushed (?s:.*)computed_torque, pushed .*\[', ()),
    'palletizer': (r'elbow = -1 j2 \+1 j3\n(?s:.*)work (-\d+\.\d)\d+ J, energy \1\d+ J\n25 '
                   r'base parameters', ()),
    'detect_contact': (r'joint2: contact from 2\.0\d to 2\.3\d s, peak -1\d\.\d N m\n', ()),
    'batch_torques': (r'1000 states, threads=2: .* ns a state\njoint1: at most .* N m\n',
                      (str(ROOT / 'urdf' / 'rx90.urdf'), '1000')),
    'compare_with_mujoco': (r'relative: \d\.\de-1[456]\n', ()),
    'mpc_pendulum': (r'exact derivatives: 40 iterations of (?s:.*)they differ by \d\.\de-(09|1\d) '
                     r'(?s:.*)upright after 2\.4 s within 0\.0[01]\d+ rad(?s:.*)\.png\n', ()),
    'track_cubic': (r'path alone: the foot is off by 0\.0\d+ mm (?s:.*)second task: the foot is '
                    r'off by 0\.[01]\d+ mm .* ends at -0\.45\d rad\ntrack_cubic\.gif\n', ()),
    'torque_controller': (
        r'identified controller: tracks within 0\.0[5-9]\d deg (?s:.*)identified controller: a '
        r'hand leads it with [34]\d\.\d N\n(?s:.*) moves by 0\.[0-4]\d\d deg\n', ()),
    'mpc_casadi': (r'60 plans of 20 steps, \d+ iterations of IPOPT each \(median\)\nafter 3 s the '
                   r'arm is 0\.00[01]?\d* rad from upright', ()),
    'fit_payload_jax': (r'mass 3\.2\d kg, centre of mass 0\.02\d -0\.02\d 0\.1[12]\d m in link6\n'
                        r'residual (1\.0\d|0\.9\d) N m', ()),
    'worn_rx90': (r'worn_rx90\.csv: 600 samples of 6 joints, 6\.0 s\n', ()),
    'standing': (r'upright: 281\.1 N on the left foot, 281\.1 N on the right one(?s:.*)'
                 r'on the left foot: 562\.1 N on the left foot, 0\.0 N on(?s:.*)\.png\n', ()),
}
"""A pattern of what an example prints, and its arguments."""


def run(name: str, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr(sys, 'argv', [name, *arguments])
    runpy.run_path(str(EXAMPLES / f'{name}.py'), run_name='__main__')


@pytest.mark.parametrize('name', PRINTS)
def test_an_example_runs(name, capsys, monkeypatch, tmp_path):
    """With fewer states where there are many; pictures go to the current directory."""
    pattern, arguments = PRINTS[name]
    monkeypatch.chdir(tmp_path)
    run(name, monkeypatch, *arguments)
    printed = capsys.readouterr().out
    assert re.search(pattern, printed), printed
    for picture in re.findall(r'[\w/]+\.(?:png|gif)', printed):
        assert (tmp_path / picture).stat().st_size > 10_000


@pytest.mark.parametrize(('name', 'library', 'remedy'), [
    ('compare_with_mujoco', 'mujoco', 'pip install mujoco'),
    ('mpc_casadi', 'casadi', 'pip install casadi'), ('fit_payload_jax', 'jax', 'pip install jax'),
    ('mpc_pendulum', 'matplotlib.figure', 'pip install matplotlib'),
    ('track_cubic', 'PIL', 'pip install matplotlib'),
    ('torque_controller', 'mujoco', 'pip install mujoco'),
    ('standing', 'matplotlib.figure', 'pip install matplotlib scipy'),
    ('identify_demo', 'sensor_msgs.msg', "pip install '.[demo]'"),
    ('record_rx90', 'dartpy', "pip install '.[recordings]' dartpy"),
    ('record_rx90', 'rosbags.rosbag2', "pip install '.[recordings]' dartpy")])
def test_without_its_library_an_example_says_what_to_install(name, library, remedy, monkeypatch):
    """In one sentence, with exit code 1, before any work: sys.exit prints a text."""
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(SystemExit) as ended:
        run(name, monkeypatch)
    sentence = ended.value.code
    assert isinstance(sentence, str)
    assert sentence.endswith(f': {remedy}')
    assert '\n' not in sentence


@pytest.mark.parametrize('name', [*PRINTS, 'record_rx90'])
def test_without_the_package_an_example_says_how_to_install_it(name, monkeypatch):
    monkeypatch.setitem(sys.modules, 'urdf2dyn_ros', None)
    with pytest.raises(SystemExit, match=r"needs urdf2dyn_ros .*: pip install '\.\[all\]'$"):
        run(name, monkeypatch)


@pytest.mark.parametrize('name', sorted({*PRINTS, 'record_rx90'} - {'mpc_pendulum', 'mpc_casadi'}))
def test_an_example_that_was_copied_alone_says_what_it_lacks(name, monkeypatch, tmp_path):
    """The file that is not there and the remedy, in one line and without a traceback."""
    copy = tmp_path / 'examples' / f'{name}.py'
    copy.parent.mkdir()
    copy.write_text((EXAMPLES / f'{name}.py').read_text())
    monkeypatch.setattr(sys, 'argv', [name])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(copy), run_name='__main__')
    assert re.fullmatch(rf'.*{tmp_path}.*(No such file|not found).*in a clone of the repository.*',
                        str(ended.value.code))


@pytest.mark.parametrize(('name', 'arguments', 'problem'), [
    ('batch_torques', [str(ROOT / 'urdf' / 'rx90.urdf'), 'many'], "'many'"),
    ('gravity_compensation', [str(EXAMPLES / 'rx90.csv')], 'rx90.csv'),
    ('mpc_pendulum', ['no/such/folder/picture.png'], 'no/such/folder')])
def test_a_wrong_argument_of_an_example_is_named(name, arguments, problem, monkeypatch):
    with pytest.raises(SystemExit) as ended:
        run(name, monkeypatch, *arguments)
    assert problem in str(ended.value.code)
    assert f'python examples/{name}.py [' in str(ended.value.code)


def test_every_example_is_tested() -> None:
    """And is mentioned in the documents."""
    programs = {path.stem for path in EXAMPLES.glob('*.py')}
    assert programs == {*PRINTS, 'record_rx90', 'identify_demo'}   # see test_identify_demo
    text = '\n'.join(path.read_text() for path in (ROOT / 'docs').rglob('*.md'))
    assert all(f'{program}.py' in text for program in programs)


def test_the_recording_is_the_one_that_the_program_writes(tmp_path, monkeypatch):
    """Within what another version of the engine may round; both files have the same samples."""
    run('record_rx90', monkeypatch, str(tmp_path))
    shipped, again = (np.loadtxt(folder / 'rx90.csv', delimiter=',', skiprows=1)
                      for folder in (EXAMPLES, tmp_path))
    np.testing.assert_allclose(shipped, again, rtol=1e-4, atol=1e-3)
    records = list(open_recording(EXAMPLES / 'rx90.mcap'))
    assert len(records) == len(shipped)
    rows = [np.concatenate([[record.stamp * 1e-9 - 1.0], record.position, record.velocity,
                            record.effort]) for record in records]
    np.testing.assert_allclose(shipped, rows, atol=2e-6)
    for kind in ('csv', 'mcap'):
        assert (EXAMPLES / f'rx90.{kind}').stat().st_size < 300_000
