"""`urdf2dyn tune` as a command: files, messages, a real robot, and the node that takes them."""

import os
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest
import rclpy

from support.nodes.graph import Graph, domain
from support.recordings.bags import write_csv
from support.recordings.tuned import as_csv, as_db3, as_mcap, motion_of, scaled, silent, tune
from support.streams.known_motions import NAMES, START, Recording
from urdf2dyn_ros.estimators import make_compiled
from urdf2dyn_ros.recordings import open_recording
from urdf2dyn_ros.system.share import robot_file
from urdf2dyn_ros.tuning.motion import read_motion
from urdf2dyn_ros.tuning.plots import plot_tuning, tuning_page
from urdf2dyn_ros.tuning.reference import estimated
from urdf2dyn_ros.tuning.report import report
from urdf2dyn_ros.tuning.suggestion import Suggestion, suggest


def run(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, '-m', 'urdf2dyn_ros.cli', 'tune', *map(str, words)],
                          capture_output=True, text=True, timeout=230)


def test_every_kind_of_recording_gives_the_same_motion(tmp_path: Path) -> None:
    """Joints in any order and not alone, time since 1970 or since the start."""
    samples = scaled(1.0, 300)
    for written in (as_db3, as_mcap, as_csv):
        folder = tmp_path / written.__name__
        folder.mkdir()
        motion = read_motion(open_recording(written(folder, samples, NAMES)), NAMES)
        np.testing.assert_array_equal(motion.q, samples.q)
        np.testing.assert_array_equal(motion.qd, samples.qd)
        assert np.diff(motion.stamps) == pytest.approx(8_000_000, abs=1)
        assert motion.starts.sum() == 1


def test_the_command_gives_a_picture_and_parameters(tmp_path: Path) -> None:
    """And says of every joint what they come from."""
    names = ('a', 'b', 'c', 'd')
    code, output, errors = tune(as_db3(tmp_path, scaled(1.0, 600), names),
                                '-o', tmp_path / 'new' / 'out', drawn=True)
    assert (code, errors) == (0, '')
    yaml, picture, page = map(Path, output.split()[-3:])
    assert (yaml, picture, page) == tuple(tmp_path / 'new' / 'out' / name for name in (
        'tuned.yaml', 'tune.png', 'tune.html'))
    assert matplotlib.image.imread(picture).std() > 0.05
    # the default suits these motions, which the file says, too
    nothing = ('the default is as good or better: nothing is suggested; the best fixed parameters '
               'are ')
    assert ('kalman.snap_density: ' in yaml.read_text()) == (nothing not in output)
    assert re.search(r'snap_density:? (10000|100000|1e\+06)\b', output)
    assert ' 125 Hz' in output
    for name in names:
        assert re.search(rf'^{name} +1\.\d+e-05 +0\.00', output, re.MULTILINE)
    # for a browser the same figures, with a picture for each joint
    html = page.read_text()
    for line in re.findall(r'^[a-d] .*', output, re.MULTILINE):
        name, *figures = line.split()
        assert f'<tr><th scope="row">{name}</th><td>{"</td><td>".join(figures)}</td></tr>' in html
        assert html.count(f'<img alt="Joint {name}: ') == 1
    for words in ('sampling: 600 samples', '<h1>bag: tuning of kalman</h1>', '<li>command: '):
        assert words in html


def test_the_node_takes_the_parameters_as_they_are(tmp_path: Path,
                                                   monkeypatch: pytest.MonkeyPatch) -> None:
    """From the file as it was written: rcl reads numbers, and the node starts with them."""
    path = as_csv(tmp_path, scaled(0.0001, 500), ('a', 'b', 'c', 'd'))
    done = run(path, '-o', tmp_path, '--estimator', 'kalman_fixed_lag', '--joints', 'b', 'd', 'b',
               '--hold', 'joint4=-0.05', '--hold', 'a', '--hold', 'joint3')
    assert done.returncode == 0, done.stderr
    assert 'warning: "a" held by --hold, but recorded' in done.stderr
    assert '\nhold: joint4=-0.05, joint3\n' in done.stdout
    assert '\na ' not in done.stdout and done.stdout.count('\nb ') == 1
    file = tmp_path / 'tuned.yaml'
    monkeypatch.setenv('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    context = rclpy.Context()
    context.init(args=['--ros-args', '--params-file', str(file)], domain_id=domain())
    node = rclpy.create_node('inverse_dynamics', context=context, namespace='/left/arm',
                             automatically_declare_parameters_from_overrides=True)
    found = node.get_parameters_by_prefix('kalman_fixed_lag')
    held = node.get_parameter('hold').value
    node.destroy_node()
    context.try_shutdown()
    assert {type(parameter.value) for parameter in found.values()} == {float}
    for name, parameter in found.items():
        assert f'kalman_fixed_lag.{name}: {parameter.value:g}' in done.stdout
    assert found and held == ['joint4=-0.05', 'joint3']
    with Graph() as graph, graph.process(
            'inverse_dynamics', arguments=['--params-file', str(file)],
            robot_description=robot_file('scara').read_text()) as process:
        graph.wait(lambda: "model of 'scara'" in process.output, what='model')
        assert process.stop(signal.SIGTERM) == 0
        assert 'WARN' not in process.output and 'ERROR' not in process.output


def test_of_a_broken_recording_what_was_read_is_used(tmp_path: Path) -> None:
    """The results are written, the error is reported, the exit code is 1."""
    bag = as_db3(tmp_path, scaled(1.0, 900), NAMES)
    os.truncate(bag / 'bag.db3', round((bag / 'bag.db3').stat().st_size * 0.85))
    code, _, errors = tune(bag / 'bag.db3', '-o', tmp_path, '--joints', NAMES[0], drawn=True)
    assert code == 1
    assert re.fullmatch(r'error: .*bag.db3 after \d+ records, [\d.]+ s: damaged .*\n', errors)
    assert 'estimator: "kalman"' in (tmp_path / 'tuned.yaml').read_text()
    assert (tmp_path / 'tune.png').stat().st_size > 10_000


def test_what_cannot_be_tuned_on_is_reported(tmp_path: Path) -> None:
    """One line, exit code 1, no files."""
    samples = scaled(1.0, 300)
    good = as_csv(tmp_path, samples, NAMES)
    still = write_csv(tmp_path / 'still.csv', ['time', 'q_a'],
                      ([k * 0.01, 0.5] for k in range(300)))
    short = write_csv(tmp_path / 'short.csv', ['time', 'q_a'],
                      ([k * 0.01, k] for k in range(30)))
    nan = write_csv(tmp_path / 'nan.csv', ['time', 'q_a', 'q_b'],
                    ([k * 0.01, k, ''] for k in range(300)))
    pieces = write_csv(tmp_path / 'pieces.csv', ['time', 'q_a'],
                       ([k * 0.01 + k // 60, np.sin(k)] for k in range(600)))
    for words, expected in (
            ([pieces], '600 samples of a in pieces with gaps between: only 100 of them'),
            ([good, '--joints', 'elbow'], "no joint 'elbow'; there are: fourier, minimum jerk"),
            ([still], 'no joint moves'), ([short], 'samples of a: 30, but at least 200'),
            ([nan], 'position_not_finite: 300'), ([tmp_path / 'none.csv'], 'no such file'),
            ([good, '--topic', '/a'], 'no topics'),
            ([good, '--hold', 'e=up'], '"e=up": the position "up" is not a number [rad or m]'),
            ([good, '--hold', 'e', '--hold', 'e=1'], '"e=1": the joint is held twice'),
            ([good, '-o', '/proc/x'], 'cannot write to /proc/x')):
        code, output, errors = tune(*words, *([] if '-o' in words else ['-o', tmp_path / 'out']))
        assert (code, output) == (1, '')
        assert errors.startswith('error: ') and errors.count('\n') == 1
        assert expected in errors
        assert not list((tmp_path / 'out').glob('*'))


def test_times_in_other_units_than_seconds_are_reported(tmp_path: Path) -> None:
    path = write_csv(tmp_path / 'ns.csv', ['time', 'q_a'],
                     ([START + k * 10_000_000, np.sin(k)] for k in range(300)))
    code, output, errors = tune(path, '-o', tmp_path / 'out')
    assert (code, output) == (1, '')
    assert re.fullmatch(r"error: .*: column 'time': it rises by 1e\+07 from row to row .*"
                        r'nanoseconds, divide it by 1e9\n', errors)
    assert not (tmp_path / 'out').exists()


def test_what_was_dropped_is_reported_with_its_cause(tmp_path: Path) -> None:
    """A gap leaves nothing out; a joint that stands still has no figures of a motion."""
    samples = scaled(1.0, 400)
    samples.q[:, 1] = 0.3
    samples.stamps[200:] += 1_000_000_000
    motion = read_motion(open_recording(as_csv(tmp_path, samples, ('a', 'b', 'c', 'd'))))
    assert motion.starts.nonzero()[0].tolist() == [0, 200]
    assert motion.skipped == 0
    found = suggest(motion, 'kalman', silent)
    text = report(motion, found)
    assert '\nevents: gap 1 (steps forward over' in text and 'dropped: ' not in text
    assert 'spread over the whole recording' not in text
    assert 'excluded, as they do not move: b' in text
    assert re.search(r'^b .*  -  +-  +-$', text, re.MULTILINE)
    figure = tuning_page(motion, found, range(3), 'title')
    figure.canvas.draw()
    residuals = figure.axes[1::2]
    assert all(re.fullmatch(r'residual\n\[([mµn]?)rad.* \| \1m.*\]', axes.get_ylabel())
               for axes in residuals), [axes.get_ylabel() for axes in residuals]
    assert not any(axes.yaxis.get_offset_text().get_text() for axes in figure.axes)
    titles = [axes.get_title('right') for axes in figure.axes]
    assert [title[:5] for title in titles if title] == ['RMS o', 'does ', 'RMS o']
    motion.skipped, motion.events = 500, Counter(duplicate_stamp=3, jump_back=1)
    text = report(motion, found)
    assert '\ndropped: duplicate_stamp 3 (same stamp as the message before)\n' in text
    assert ('\ntuned on 400 samples, spread over the whole recording, which are enough; the 500 '
            ) in text
    assert 'events: ' not in text


def test_many_joints_take_several_pages(tmp_path: Path) -> None:
    """Six on each, so that every picture can be read."""
    whole = scaled(1.0, 250)
    samples = Recording(whole.stamps, np.tile(whole.q, 2)[:, :7], np.tile(whole.qd, 2)[:, :7])
    motion = motion_of(samples, tuple(f'joint_{k}' for k in range(7)))
    none = np.full(7, np.nan)
    smoothed = estimated(make_compiled('kalman', 7), motion, silent)
    found = Suggestion('kalman', {}, {}, none > 0, none, none, [], (), none, none, smoothed,
                       smoothed)
    paths = plot_tuning(motion, found, tmp_path / 'tune.png', 'kalman on 7 joints')
    assert [path.name for path in paths] == ['tune.png', 'tune_2.png']
    first, second = (matplotlib.image.imread(path).shape for path in paths)
    assert first[0] > 4 * second[0] and first[1] == second[1]


def test_a_long_recording_is_tuned_on_pieces_from_all_over_it(tmp_path: Path) -> None:
    """In bounded memory, each piece with a start of its own."""
    rows = ((k * 0.001, np.sin(k * 1e-3), np.cos(k * 1e-3)) for k in range(21_500))
    motion = read_motion(open_recording(write_csv(tmp_path / 'a.csv', ['time', 'q_a', 'qd_a'],
                                                  rows)))
    assert len(motion.all_stamps) == 21_500
    assert 10_000 <= len(motion.stamps) <= 20_000
    assert motion.skipped == 21_500 - len(motion.stamps)
    assert motion.time[-1] > 20.0
    gaps = np.diff(motion.stamps) > 1_500_000
    assert motion.starts[1:].tolist() == gaps.tolist() and motion.starts[0]
    assert motion.q[:, 0] == pytest.approx(np.sin(motion.time), abs=1e-9)
    assert len(motion.some(4).stamps) <= 4000
