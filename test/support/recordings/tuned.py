"""Motions of known acceleration to tune on, recorded: helpers of the tests of tuning."""

import re
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

from support.recordings.bags import joint_state, write_bag, write_csv
from support.streams import known_motions
from urdf2dyn_ros.algebra.arrays import geometric_mean
from urdf2dyn_ros.cli import main
from urdf2dyn_ros.commands import tune as command
from urdf2dyn_ros.estimators import make_compiled
from urdf2dyn_ros.tuning import report
from urdf2dyn_ros.tuning.motion import RecordedMotion
from urdf2dyn_ros.tuning.reference import estimated


def silent(done: float) -> None:
    """Show no progress."""


def scaled(scale: float, samples: int = 1500) -> known_motions.Recording:
    """Return the four motions so many times as large, with encoders and noise to match."""
    whole = known_motions.record(known_motions.PROFILES['C'])
    return known_motions.Recording(whole.stamps[:samples], scale * whole.q[:samples],
                                   scale * whole.qd[:samples])


def motion_of(samples: known_motions.Recording,
              names: tuple[str, ...] = known_motions.NAMES) -> RecordedMotion:
    starts = np.arange(len(samples.stamps)) == 0
    return RecordedMotion(Path('made'), names, samples.stamps, samples.q.copy(), samples.qd.copy(),
                          starts, samples.stamps)


def error(estimator: str, motion: RecordedMotion, scale: float, **parameters: float) -> float:
    """Return RMSE(qdd) / RMS(qdd), geometric mean of the motions, against the truth."""
    found = estimated(make_compiled(estimator, 4, **parameters), motion, silent).qdd
    true = scale * known_motions.truth(motion.stamps)[2]
    time = (motion.stamps - known_motions.START) * 1e-9
    last = known_motions.DURATION - known_motions.ENDING
    counted = (time >= known_motions.SETTLING) & (time <= last)
    rmse = np.sqrt(np.nanmean((found - true)[counted] ** 2, axis=0))
    return geometric_mean(rmse / np.sqrt(np.mean(true[counted] ** 2, axis=0)))


def as_db3(path: Path, samples: known_motions.Recording, names: tuple[str, ...]) -> Path:
    return write_bag(path / 'bag', 'db3', {'/joint_states': [
        joint_state(stamp, names, q, qd) for stamp, q, qd in samples]}).parent


def as_mcap(path: Path, samples: known_motions.Recording, names: tuple[str, ...]) -> Path:
    """Return a file; a gripper's messages are among the arm's, and the order of joints differs."""
    return write_bag(path / 'bag', 'mcap', {'/joint_states': [
        message for stamp, q, qd in samples for message in (
            joint_state(stamp, names[::-1], q[::-1], qd[::-1]),
            joint_state(stamp + 300_000, ['gripper'], [0.0]))]})


def as_csv(path: Path, samples: known_motions.Recording, names: tuple[str, ...]) -> Path:
    """Return a table whose time begins at zero."""
    return write_csv(
        path / 'table.csv', ['time', *(f'q_{name}' for name in names),
                             *(f'qd_{name}' for name in names)],
        ([(stamp - known_motions.START) * 1e-9, *q, *qd] for stamp, q, qd in samples))


def tune(*words: object, drawn: bool = False) -> tuple[int, str, str]:
    """Run the command here, perhaps without pictures: exit code, output, errors but progress."""
    output, errors = StringIO(), StringIO()
    with redirect_stdout(output), redirect_stderr(errors), pytest.MonkeyPatch.context() as patch:
        if not drawn:
            patch.setattr(command, 'plot_tuning', lambda *of: [])
            patch.setattr(report, 'joint_pictures', lambda *of: [])
        code = main(['tune', *map(str, words), '--overwrite'])
    return code, output.getvalue(), re.sub('(reading|tuning): .*\n', '', errors.getvalue())
