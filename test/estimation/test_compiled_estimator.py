"""The estimator in C against the one on numpy: the same to the last bit."""

import re
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from estimator_judge import faults
from numpy.typing import NDArray

from support.paths import RECORDINGS, ROOT
from urdf2dyn_ros.errors import CompilerError
from urdf2dyn_ros.estimation import compiled_kalman
from urdf2dyn_ros.estimation.compiled_kalman import CompiledFilters
from urdf2dyn_ros.estimation.kalman import KalmanFilters, Verdict
from urdf2dyn_ros.recordings import open_recording
from urdf2dyn_ros.robot.spatial import Array

Messages = tuple[NDArray[np.int64], Array, Array]
MOST = 600   # messages of a recording
FAULTS = [*faults.FAULTS]
ROWS = [(name, velocities) for name in FAULTS for velocities in (False, True)
        if velocities or faults.FAULTS[name].alone]
FILES = (ROOT / 'examples' / 'rx90.csv', *(RECORDINGS / name for name in (
    'tx40/tx40.csv', 'tiago/tiago.csv', 'so101/friction_gravity.csv', 'so101/chirp_sweep.csv',
    'kr300/kr300.csv', 'reachy/reachy.csv', 'pendulum/triple.csv', 'kinova_gen3/joint_2.csv',
    'ur10_exciting_trajectory/ur10_exciting_trajectory.db3', 'gazebo/mimic_velocity.csv',
    'gazebo/rx90_doc_motion.csv', 'gazebo/scara_effort.csv', 'gazebo/rx90_friction_effort.csv',
    'gazebo/rx90_update_rate_100.csv')))


def verdicts_of_both(messages: Messages, lag: float = 0.0) -> set[Verdict]:
    """Feed both, and return the verdicts on all messages."""
    joints = messages[1].shape[1]
    first, second = KalmanFilters(joints, lag), CompiledFilters(joints, lag)
    found, last = set(), messages[0][0]
    for stamp, q, qd in zip(messages[0].tolist(), *messages[1:]):
        if stamp - last > 500_000_000:   # as the stream does
            first.pause()
            second.pause()
        last = stamp
        expected, estimate = first.update(stamp, q, qd), second.update(stamp, q, qd)
        assert estimate.verdict == expected.verdict
        assert estimate.stamp == expected.stamp
        np.testing.assert_array_equal(estimate[1:5], expected[1:5])
        if expected.prompt_qd is not None:
            np.testing.assert_array_equal(estimate.prompt_qd, expected.prompt_qd)
        np.testing.assert_array_equal(second.trust, first.trust)
        np.testing.assert_array_equal(second.velocity_trust, first.velocity_trust)
        found.add(expected.verdict)
    return found


def without_velocities(messages: Messages) -> Messages:
    return messages[0], messages[1], np.full_like(messages[2], np.nan)


def recorded(path: Path) -> Messages:
    if not path.exists():
        pytest.skip(f'the recording {path} is not here')
    records = list(islice(open_recording(path), MOST))
    q = np.array([record.position for record in records])
    return (np.array([record.stamp for record in records]), q,
            np.array([record.velocity if len(record.velocity) else np.full(q.shape[1], np.nan)
                      for record in records]))


@pytest.mark.slow
@pytest.mark.parametrize(('path', 'lag'), [
    pytest.param(path, lag, id=f'{path.stem}-{lag}') for path in FILES for lag in (0.0, 0.02)])
def test_recordings(path: Path, lag: float) -> None:
    messages = recorded(path)
    oscillates = path.stem == 'rx90_update_rate_100'   # at half the rate: nothing is published
    for each in (messages, without_velocities(messages)):
        assert (Verdict.VALID in verdicts_of_both(each, lag)) != oscillates


def judged(name: str, rate: float, velocities: bool, count: int = 450) -> Messages:
    """Return what arrives under a fault of the judge."""
    found = faults.messages(name, rate, velocities, FAULTS.index(name), count / rate)[1]
    return (np.round(found.stamps * 1e9).astype(np.int64), found.q,
            np.full_like(found.q, np.nan) if found.qd is None else found.qd)


@pytest.mark.parametrize(('name', 'velocities'), [
    pytest.param(name, velocities, marks=[] if k % 20 == 0 else pytest.mark.slow)
    for k, (name, velocities) in enumerate(ROWS)])
def test_faults(name: str, velocities: bool) -> None:
    k = FAULTS.index(name)
    messages = judged(name, (50.0, 250.0, 1000.0)[k % 3], velocities)
    verdicts_of_both(messages, (0.0, 0.03)[(k + velocities) % 2])


def test_reset_begins_anew_and_estimates_are_not_overwritten() -> None:
    samples = [(int(stamp), *rest) for stamp, *rest in zip(*judged('clean', 250.0, True, 60))]
    joints = len(samples[0][1])
    estimators = KalmanFilters(joints), CompiledFilters(joints)
    for _ in range(2):
        first, second = ([each.update(*sample) for sample in samples] for each in estimators)
        for expected, estimate in zip(first, second):
            np.testing.assert_array_equal(estimate[1:5], expected[1:5])
        for estimator in estimators:
            estimator.reset()


def test_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error, by which callers choose numpy."""
    monkeypatch.setenv('CC', 'no_such_compiler')
    compiled_kalman.library.cache_clear()
    try:
        with pytest.raises(CompilerError, match='no_such_compiler'):
            CompiledFilters(2)
    finally:
        compiled_kalman.library.cache_clear()


def test_setup_builds_with_the_same_options() -> None:
    options = re.search(r'extra_compile_args=\[(.*?)\]', (ROOT / 'setup.py').read_text(), re.S)
    assert options is not None
    assert re.findall(r"'(.*?)'", options[1]) == ['-std=gnu99', *compiled_kalman.OPTIONS]


def test_an_old_library_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nor a file that is none: the text is compiled instead."""
    text = Path(compiled_kalman.__file__).with_name('kalman.c').read_bytes()
    for name in ('kalman.c', compiled_kalman.LIBRARY):
        (tmp_path / name).write_bytes(text)
    monkeypatch.setattr(compiled_kalman, 'files', lambda package: tmp_path)
    compiled_kalman.library.cache_clear()
    try:
        assert Path(compiled_kalman.library()._name).parent != tmp_path
        built = Path(compiled_kalman.library()._name).read_bytes()
        (tmp_path / compiled_kalman.LIBRARY).write_bytes(built)
        (tmp_path / 'kalman.c').open('a').write('/* changed */')
        compiled_kalman.library.cache_clear()
        assert Path(compiled_kalman.library()._name).parent != tmp_path
    finally:
        compiled_kalman.library.cache_clear()
