"""`urdf2dyn tune` on recordings whose stamps go back: a bag in a loop, a simulator reset."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from support.recordings.bags import joint_state, write_bag, write_csv
from support.recordings.tuned import as_csv, as_db3, as_mcap, scaled, silent, tune
from support.streams.known_motions import START, Recording
from urdf2dyn_ros.recordings import open_recording
from urdf2dyn_ros.tuning.motion import read_motion
from urdf2dyn_ros.tuning.plots import tuning_page
from urdf2dyn_ros.tuning.suggestion import suggest

JOINTS = ('a', 'b', 'c', 'd')
BACK = 2_000_000_000
PASS, PART = 700, 400
"""Samples of a whole pass, and of one that was broken off."""


def played_twice(first: int, second: int) -> Recording:
    """Return a motion, and it once more with stamps that begin while it still moved [ns]."""
    whole = scaled(1.0, PASS)
    rows = np.r_[:first, :second]
    stamps = whole.stamps[rows].copy()
    stamps[first:] += whole.stamps[first - 1] - START - BACK
    return Recording(stamps, whole.q[rows], whole.qd[rows])


def suggested(file: Path) -> dict[str, float]:
    lines = file.read_text().splitlines()
    rows = (line.strip().split(': ') for line in lines if line.strip().startswith('kalman.'))
    return {name: float(value) for name, value in rows}


def tuned(folder: Path, written: Callable[..., Path], samples: Recording) -> str:
    """Tune on a recording of some format into the same folder; return the output."""
    path = written(folder, samples, JOINTS)
    code, output, errors = tune(path, '--joints', *JOINTS, '-o', folder)
    assert (code, errors) == (0, '')
    return output


@pytest.fixture(scope='module')
def once(tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    """Return what is suggested for the motion played once."""
    folder = tmp_path_factory.mktemp('once')
    assert 'set back' not in tuned(folder, as_csv, scaled(1.0, PASS))
    return suggested(folder / 'tuned.yaml')


@pytest.mark.fault(31)
@pytest.mark.parametrize(('written', 'first', 'second'), [
    (as_csv, PASS, PART), (as_db3, PART, PASS), (as_mcap, PASS, PART), (as_mcap, PART, PASS)])
def test_a_motion_played_twice_is_tuned_on_as_if_played_once(
        tmp_path: Path, written: Callable[..., Path], first: int, second: int,
        once: dict[str, float]) -> None:
    """On the whole pass; the message names the instant, what is dropped and the remedy."""
    output = tuned(tmp_path, written, played_twice(first, second))
    assert suggested(tmp_path / 'tuned.yaml') == pytest.approx(once, rel=0.01)
    record = 2 * first + 1 if written is as_mcap else first + 1   # a gripper's are among them
    begin = 0 if written is as_csv else START
    spot = [(begin + time) * 1e-9 for time in ((first - 1) * 8_000_000,
                                               (first - 1) * 8_000_000 - BACK)]
    assert (f'the time was set back once, at record {record}, from {spot[0]:.3f} to {spot[1]:.3f} '
            's; the longest segment of rising stamps has 700 samples') in output
    assert 'and 400 are excluded: record without loops' in output
    assert 'sampling: 700 samples in 5.6 s, 125 Hz' in output and ', back 0\n' in output
    assert 'velocity of' not in output   # is late or scaled


def test_pictures_of_it_have_a_time_that_rises(tmp_path: Path) -> None:
    """From the beginning of the stretch to its end, whatever came before."""
    path = as_csv(tmp_path, played_twice(PART, PASS), JOINTS)
    motion = read_motion(open_recording(path))
    figure = tuning_page(motion, suggest(motion, 'kalman_fixed_lag', silent), range(4), 'title')
    assert len(figure.axes) == 4 * 3 * 2
    for axes in figure.axes:
        assert axes.get_xlim() == pytest.approx((0.0, (PASS - 1) * 0.008))
        for line in axes.lines:
            assert (np.diff(line.get_xdata()) > 0.0).all()
            known = np.isfinite(line.get_ydata())
            assert known[60:-60].all() and len(known) == PASS


def test_two_publishers_set_back_one_after_the_other(tmp_path: Path) -> None:
    """The later one's first messages with the old time are neither stretch's."""
    samples = played_twice(PART, PASS)
    messages = [joint_state(stamp + 1000 * k, [name], [q[k]], [qd[k]])
                for stamp, q, qd in samples for k, name in enumerate(JOINTS[:2])]
    for late in (2 * PART + 1, 2 * PART + 3):
        old = samples.stamps[PART - 1] + 4_000_000 * (late - 2 * PART)
        messages[late] = joint_state(int(old), ['b'], [0.0], [0.0])
    bag = write_bag(tmp_path / 'bag', 'mcap', {'/joint_states': messages})
    motion = read_motion(open_recording(bag))
    assert motion.names == ('a', 'b')
    assert PASS - 5 <= len(motion.stamps) < PASS
    assert (np.diff(motion.stamps) > 0).all() and motion.starts.tolist().count(True) == 1
    assert motion.q[:, 0] == pytest.approx(samples.q[-len(motion.q):, 0], abs=1e-12)
    assert 'set back 2 times, first at record 801, from ' in motion.set_back


def test_of_equally_long_passes_the_last_is_taken(tmp_path: Path) -> None:
    """As `urdf2dyn evaluate` has figures of the last."""
    samples = played_twice(PASS, PASS)
    motion = read_motion(open_recording(as_csv(tmp_path, samples, JOINTS)))
    assert np.diff(motion.stamps) == pytest.approx(8_000_000, abs=1)
    assert 'from 3.592 to 9.184 s, and 700 are excluded' in motion.set_back


def test_segments_that_are_all_too_short_are_reported(tmp_path: Path) -> None:
    """As two clocks in one topic make them; in the same words."""
    path = write_csv(tmp_path / 'clocks.csv', ['time', 'q_a'],
                     ([k % 150 * 0.01, np.sin(k)] for k in range(600)))
    code, output, errors = tune(path, '-o', tmp_path / 'out')
    assert (code, output, errors.count('\n')) == (1, '', 1)
    assert ('samples of a: 150, but at least 200 are needed (the time was set back 3 times, first '
            'at record 151, from 1.490 to 0.000 s; the longest segment') in errors


@pytest.mark.parametrize('seed', range(10))
def test_stamps_rise_whatever_a_recording_does(tmp_path: Path, seed: int) -> None:
    """Steps back, short and long and to before the beginning, gaps, repetitions."""
    random = np.random.default_rng(seed)
    steps = random.choice([0.01, 0.0, -0.04, -0.3, -20.0, 0.4, 15.0], 5000,
                          p=[0.9775, 0.01, 0.0025, 0.0025, 0.0025, 0.0025, 0.0025])
    times = random.choice([0.0, 3.0, 1.7e9]) + np.cumsum(steps)
    path = write_csv(tmp_path / 'table.csv', ['time', 'q_a'],
                     ([f'{time:.3f}', np.sin(k / 100)] for k, time in enumerate(times)))
    motion = read_motion(open_recording(path))
    assert (np.diff(motion.stamps) > 0).all()
    assert 'set back' in motion.set_back
    gaps = np.diff(motion.stamps) > 100_000_000
    assert motion.starts[0] and not (gaps & ~motion.starts[1:]).any()
