"""`urdf2dyn tune`: its suggestions where the truth is known."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from support.paths import RECORDINGS
from support.recordings.real_robots import published, real, referenced
from support.recordings.tuned import error, motion_of, scaled, silent, tune
from support.streams.known_motions import PROFILES, START, Recording, truth
from urdf2dyn_ros.tuning.motion import RecordedMotion
from urdf2dyn_ros.tuning.noise import sampling
from urdf2dyn_ros.tuning.reference import reference
from urdf2dyn_ros.tuning.report import report
from urdf2dyn_ros.tuning.suggestion import suggest
from urdf2dyn_ros.tuning.velocity import velocities


@pytest.mark.parametrize('scale', [1.0, 0.01])
def test_a_suggestion_is_nearly_the_best_there_is(scale: float) -> None:
    """Within 30 % of the best density on a grid; an arm, and an axis that moves 100 times less."""
    estimator = 'kalman'
    motion = motion_of(scaled(scale))
    found = suggest(motion, estimator, silent)
    tuned = error(estimator, motion, scale, **found.parameters)
    grid = [error(estimator, motion, scale, snap_density=float(density), max_std=1e6)
            for density in scale ** 2 * 10.0 ** np.arange(3.0, 7.1)]
    print(f'scale {scale}: tuned {tuned:.4f}, best {min(grid):.4f}, {found.parameters}')
    assert tuned <= 1.3 * min(grid)
    assert tuned <= 1.01 * error(estimator, motion, scale)


def test_the_noise_that_was_added_is_found() -> None:
    """Positions of an encoder of 17 bits; the lag is one that can be waited for."""
    done: list[float] = []
    found = suggest(motion_of(scaled(1.0)), 'kalman_fixed_lag', done.append)
    assert done == sorted(done) and done[0] < 0.1 and done[-1] > 0.9
    step = 2.0 * np.pi / 2 ** PROFILES['C'].bits
    assert found.noise[0] == pytest.approx(step / np.sqrt(12.0), rel=0.4)
    assert found.noise[1] == pytest.approx(PROFILES['C'].noise, rel=0.1)
    assert 0.016 <= found.best['lag'] <= 0.1


@pytest.mark.parametrize(('estimator', 'name', 'cutoff'), [
    ('kalman', 'kr300/kr300.csv', 12.0), ('kalman_fixed_lag', 'kr300/kr300.csv', 12.0),
    ('kalman', 'tx40/tx40.csv', 15.0), ('kalman', 'tiago/tiago.csv', 3.0),
    ('kalman', 'ur10_exciting_trajectory/ur10_exciting_trajectory.db3', 8.0)],
    ids=lambda x: str(x)[:8])
def test_on_real_robots_a_suggestion_is_never_worse_than_the_default(
        tmp_path: Path, estimator: str, name: str, cutoff: float) -> None:
    """What the command writes, used by the estimator, against an independent reference."""
    motion, true, some = referenced(name, cutoff)
    code, output, errors = tune(RECORDINGS / name, '--estimator', estimator, '-o', tmp_path)
    assert (code, errors) == (0, '')
    rows = dict(re.findall(r'^    (\w+\.\w+): (.*)$', (tmp_path / 'tuned.yaml').read_text(),
                           re.MULTILINE))
    found = {name.partition('.')[2]: float(value) for name, value in rows.items()}
    assert bool(found) != ('the default is as good or better: nothing is suggested' in output)
    assert all(f'{estimator}.{name}: {value:g}' in output for name, value in found.items())
    # late velocities are not used online
    velocity = 'is not used' not in output and bool(np.isfinite(motion.qd).any())
    runs = [real.estimated(motion, estimator, parameters, velocity)[0]
            for parameters in ({}, found)]
    both = some & np.isfinite(runs[0] + runs[1]).all(axis=1)
    before, after = (real.errors(run, true, both)[0] for run in runs)
    print(name, found, before.round(1), after.round(1))
    assert (after <= 1.02 * before + 0.1).all()
    assert all(np.isfinite(run)[some].mean() > 0.9 for run in runs[1:] if found)


def test_velocities_that_contradict_the_positions_are_reported() -> None:
    """Late, scaled, with a bias, zero; and the regression does not mix them up."""
    samples = scaled(1.0)
    samples.qd[:, 0] = 1.3 * truth(samples.stamps - 12_000_000)[1][:, 0]
    samples.qd[:, 1] += 0.05
    samples.qd[:, 2] = 0.0
    late, biased, zero, good = velocities(motion_of(samples))
    assert late.lag == pytest.approx(0.012, abs=6e-6)
    assert late.scale == pytest.approx(1.3, rel=7e-4)
    assert late.faults == ['is 1.3 times that of the positions', 'is 12.0 ms late']
    assert biased.bias == pytest.approx(0.05, rel=0.0015)
    assert biased.scale == pytest.approx(1.0, rel=3e-4)
    assert zero.faults == ['is zero throughout']
    assert good.faults == []


@pytest.mark.parametrize(('q', 'qd', 'time', 'fault'), [
    (1.0, -1.0, 1, 'has the other sign than the positions'),
    (1.0, 57.3, 1, 'is 57.3 times that of the positions: is it in degrees?'),
    (57.3, 1.0, 1, 'is 0.0175 times that of the positions: are the positions in degrees?'),
    (1.0, 1.0, 1000, 'is 1000 times that of the positions: is the time in milliseconds?')])
def test_the_cause_of_a_wrong_scale_is_reported(
        q: float, qd: float, time: int, fault: str) -> None:
    samples = scaled(1.0, 500)
    motion = motion_of(Recording(START + time * (samples.stamps - START), q * samples.q,
                                 qd * samples.qd))
    assert velocities(motion)[1].faults[0] == fault   # a lag is in the same units


def test_velocities_that_are_zero_are_not_used() -> None:
    samples = scaled(1.0, 700)
    samples.qd[:] = 0.0
    motion = motion_of(samples)
    found = suggest(motion, 'kalman', silent)
    assert not any(velocity.used for velocity in found.recognised)
    with_zeros = motion_of(samples)
    assert error('kalman', with_zeros, 1.0, **found.parameters) < 1.1 * error(
        'kalman', with_zeros, 1.0)


def test_a_late_velocity_is_used_neither_here_nor_by_the_node() -> None:
    samples = scaled(1.0, 700)
    samples.qd[:] = truth(samples.stamps - 25_000_000)[1]
    motion = motion_of(samples)
    found = suggest(motion, 'kalman', silent)
    assert not any(velocity.used for velocity in found.recognised)
    text = report(motion, found)
    for name in motion.names[:2]:
        assert re.search(f'velocity of {name} is not used, here and by the node: it is 2[345].* '
                         'ms late', text)
    exact = replace(found, recognised=tuple(
        each._replace(lag=-7e-17) for each in found.recognised))
    lags = [row.split()[-4] for row in report(motion, exact).split('\n\n')[1].splitlines()[1:]]
    assert lags == len(motion.names) * ['0']


def test_sampling_is_counted() -> None:
    """Losses, stamps twice, stamps back, jitter."""
    stamps = START + np.arange(1000) * 2_000_000
    figures = sampling(np.concatenate((stamps[:100], stamps[107:200], stamps[199:400],
                                       stamps[390:])))
    assert (figures.count, figures.lost, figures.repeated, figures.back) == (1004, 7, 1, 1)
    assert figures.period == 0.002
    assert figures.longest == pytest.approx(0.016)
    jitter = np.random.default_rng(0).normal(size=1000) * 50_000
    assert sampling(stamps + jitter.astype(int)).jitter == pytest.approx(7e-5, rel=0.04)


def test_joints_that_stand_still_have_no_say() -> None:
    """Nor does one that does not move hinder the others."""
    samples = scaled(1.0, 700)
    samples.q[:, 1] = 0.3
    samples.qd[:, 1] = 0.0
    found = suggest(motion_of(samples), 'kalman', silent)
    assert found.moving.tolist() == [True, False, True, True]
    assert 1e4 <= found.best['snap_density'] <= 1e7


@pytest.mark.fault(38)
def test_slips_of_a_publishers_clock_are_not_in_the_reference() -> None:
    """They made it 2 to 7 % wrong."""
    motion, true, some = referenced('ur10_exciting_trajectory/ur10_exciting_trajectory.db3', 8.0)
    motion, newest = published(motion, 0.00801, 2e-4)
    starts = np.arange(len(motion.stamps)) == 0
    found = reference(RecordedMotion(Path('made'), motion.names, motion.stamps, motion.q,
                                     motion.qd, starts, motion.stamps)).qdd
    figures, answered = real.errors(found, true[newest], some[newest])
    print(figures.round(3))
    assert answered == 100.0
    assert figures.max() < 0.1
