"""The Kalman filter in C against the one on numpy: the same to rounding for any input."""

from functools import cache, partial

import numpy as np
import pytest

from support.streams.estimator_runs import estimates_of, recording, with_loss, without_velocity
from support.streams.known_motions import PROFILES, START, Recording, record, truth, with_outliers
from urdf2dyn_ros.codegen.c_compiler import find_compiler
from urdf2dyn_ros.estimators import COMPILED, make_compiled, make_estimator
from urdf2dyn_ros.estimators.compiled.kalman import CompiledKalman
from urdf2dyn_ros.estimators.compiled.kalman_fixed_lag import CompiledKalmanFixedLag
from urdf2dyn_ros.estimators.compiled.machine_code import machine_code
from urdf2dyn_ros.estimators.compiled.sensor_noise import CompiledSensorNoise
from urdf2dyn_ros.estimators.estimate import Estimate
from urdf2dyn_ros.estimators.kalman import Kalman
from urdf2dyn_ros.estimators.kalman_fixed_lag import KalmanFixedLag
from urdf2dyn_ros.estimators.sensor_noise import SensorNoise

kalman = partial(make_estimator, 'kalman')
compiled = partial(make_compiled, 'kalman')

COUNT = 900
STEPS = 650   # past all that happens in the middle
PARTS = slice(0, 300), slice(300, 570), slice(660, 780), slice(790, None)
ROUNDING = 2e-10, 2e-10, 4e-9, 4e-9   # of q, qd, qdd and std; exact samples have the largest
SETTLED = 50
PARAMETERS = [{}, {'snap_density': 0.0}, {'gate': 0.0},
              {'position_noise': 1e-4, 'snap_density': 1e3},
              {'velocity_noise': 1e-2, 'acceleration_step': 0.0, 'max_std': 0.5}]


@cache
def samples(kind: str) -> Recording:
    """Return samples that take every way through the filter."""
    name, _, what = kind.partition(' ')
    whole = recording(name).chosen(np.arange(len(recording(name).stamps)) < COUNT)
    q, qd = whole.q.copy(), whole.qd.copy()
    random = np.random.default_rng(7)
    if what == 'lossy':
        return with_loss(whole)
    if what == 'with outliers':
        return with_outliers(whole)
    if what == 'of positions':
        return without_velocity(whole)
    if what == 'half of it of positions':
        qd[:, ::2] = np.nan
        qd[COUNT // 2:COUNT // 2 + 100] = np.nan
    if what == 'homed again':
        q[COUNT // 2:, 1:] += 0.3
    if what == 'with wrong stamps':
        late = 1e5 * random.normal(size=len(whole.stamps))
        return Recording(whole.stamps + np.rint(late).astype(np.int64), q, qd)
    if what == 'with single wrong stamps':
        late = np.where(random.uniform(size=len(whole.stamps)) < 0.01, 300_000, 0)
        return Recording(whole.stamps + late, q, qd)
    if what == 'slipping':
        rows = (np.arange(len(whole.stamps)) / 1.025).astype(int)
        return Recording(whole.stamps, q[rows], qd[rows])
    if what == 'the newest ones':   # of a driver with a period of its own
        stamps = START + np.rint(3.28e6 * (0.3 + np.arange(COUNT))).astype(np.int64)
        taken = START + (stamps - START) // 2_000_000 * 2_000_000
        noise = random.normal(size=(2, *q[:COUNT].shape))
        return Recording(stamps, *(values + part * each for values, part, each in zip(
            truth(taken)[:2], (1e-5, 1e-3), noise)))
    if what == 'with velocities 10 ms late':
        qd = truth(whole.stamps - 10_000_000)[1]
    return Recording(whole.stamps, q, qd)


LAGGING = [('A with outliers', {}), ('C slipping', {}), ('C', {'lag': 0.0}),
           ('A homed again', {'lag': 0.05}), ('C homed again', {'lag': 0.05}),
           ('C the newest ones', {}),
           ('A half of it of positions', {'snap_density': 1e3, 'position_noise': 1e-4}),
           ('E of positions', {'lag': 0.012, 'gate': 0.0}), ('A', {'snap_density': 1e5})]
"""Samples and parameters of the filter with a lag."""

KINDS = ['A', 'C', 'E', 'F', 'A lossy', 'A of positions', 'E of positions',
         'A half of it of positions', 'A with outliers', 'E with outliers', 'A homed again',
         'A with wrong stamps', 'E with single wrong stamps', 'C slipping',
         'A with velocities 10 ms late', 'C the newest ones']


@pytest.mark.parametrize('kind', KINDS)
def test_any_recording_gives_the_same_to_rounding(kind: str) -> None:
    """Positions and velocities to 2e-10; accelerations and deviations to 4e-9."""
    run = samples(kind).chosen(slice(0, STEPS))
    expected, found = estimates_of(kalman(4), run), estimates_of(compiled(4), run)
    assert [each[::5] for each in found] == [each[::5] for each in expected]   # stamp and valid
    for values, others, limit in zip(
            *(fields(each).swapaxes(0, 1) for each in (found, expected)), ROUNDING):
        assert_close(values[:, None], others[:, None], 0.0, limit)


def fields(estimates: list[Estimate]) -> np.ndarray:
    """Return q, qd, qdd and std of each estimate, (k, 4, n)."""
    return np.array([each[1:5] for each in estimates])


def assert_close(found: np.ndarray, expected: np.ndarray, rtol: float, atol: float) -> None:
    """Compare fields; `atol` is that of the largest joint of a field, or of 1 [rad] and so on."""
    size = np.maximum(1.0, np.abs(expected).max(axis=2, keepdims=True))
    same = (np.abs(found - expected) <= rtol * np.abs(expected) + atol * size) | (
        found == expected) | (np.isnan(found) & np.isnan(expected))
    assert same.all(), np.argwhere(~same)[:5]


@pytest.mark.parametrize('parameters', PARAMETERS)
def test_whole_runs_are_the_same(parameters: dict[str, float]) -> None:
    """Small differences die away; a reset, a gap and missing samples are in between."""
    one, other = kalman(8, **parameters), compiled(8, **parameters)
    far, homed = samples('A with outliers'), samples('A homed again')
    whole = Recording(far.stamps, np.hstack([far.q, homed.q]), np.hstack([far.qd, homed.qd]))
    for part in PARTS:
        run = whole.chosen(part)
        expected, found = estimates_of(one, run), estimates_of(other, run)
        assert [each.valid for each in found] == [each.valid for each in expected]
        # the first estimates are differences of little more than rounding
        assert_close(fields(found)[SETTLED:], fields(expected)[SETTLED:], 1e-7, 1e-6)
        if part.start == 0:
            one.reset()
            other.reset()
        if part.start == PARTS[1].start:
            one.forget_motion()
            other.forget_motion()


@pytest.mark.parametrize(('kind', 'parameters'), LAGGING)
def test_the_smoother_is_the_same(kind: str, parameters: dict[str, float]) -> None:
    """Whole runs, with a reset, a gap and missing samples in between."""
    one, other = (make('kalman_fixed_lag', 4, **parameters)
                  for make in (make_estimator, make_compiled))
    assert type(other) is CompiledKalmanFixedLag
    for part in PARTS:
        run = samples(kind).chosen(part)
        expected, found = estimates_of(one, run), estimates_of(other, run)
        assert ([(each.stamp, each.valid) for each in found]
                == [(each.stamp, each.valid) for each in expected])
        for rows, rtol in ((slice(0, SETTLED), 1e-4), (slice(SETTLED, None), 1e-7)):
            assert_close(fields(found)[rows], fields(expected)[rows], rtol, 1e-7)
        for estimator in (one, other):
            estimator.reset() if part.start == 0 else estimator.forget_motion()


@pytest.mark.parametrize('name', COMPILED)
@pytest.mark.parametrize('kind', ['A of positions', 'A homed again', 'A with outliers'])
def test_samples_without_measurements_of_some_joints_are_the_same(name: str, kind: str) -> None:
    """The noise of these is learned from samples of their own; a jump is followed in any case."""
    run = samples(kind).chosen(slice(0, STEPS))
    missing = np.random.default_rng(5).uniform(size=run.q.shape) < [0.25, 0.5, 0.0, 0.05]
    one, other = (make(name, 4) for make in (make_estimator, make_compiled))
    expected, found = ([estimator.update_some(*sample, each) for sample, each in zip(run, missing)]
                       for estimator in (one, other))
    assert [each[::5] for each in found] == [each[::5] for each in expected]
    assert_close(fields(found), fields(expected), 1e-7, 1e-7)
    if kind == 'A homed again':
        newest = np.abs(found[-1].q - run.chosen(run.stamps == found[-1].stamp).q[0])
        assert (newest < 1e-3).all()


@pytest.mark.parametrize('kind', ['C', 'C of positions'])
def test_messages_without_measurements_are_the_same(kind: str) -> None:
    """Also their stamps: each has an estimate in its turn, once the lag is full."""
    run = [*samples(kind).chosen(slice(0, 300))]
    none = np.random.default_rng(5).uniform(size=len(run)) < 0.3
    none[0] = False
    expected, found = ([estimator.carry(sample[0]) if no else estimator.update(*sample)
                        for sample, no in zip(run, none)]
                       for estimator in (make_estimator('kalman_fixed_lag', 4),
                                         make_compiled('kalman_fixed_lag', 4)))
    assert [each[::5] for each in found] == [each[::5] for each in expected]
    assert_close(fields(found)[SETTLED:], fields(expected)[SETTLED:], 1e-7, 1e-6)
    assert np.diff([each.stamp for each in found]).min() >= 0


@pytest.mark.parametrize('name', COMPILED)
def test_an_estimate_that_was_returned_does_not_change(name: str) -> None:
    given = estimates_of(make_compiled(name, 4), samples('A'))
    copies = [tuple(np.array(field) for field in each[1:5]) for each in given]
    again = estimates_of(make_compiled(name, 4), samples('A'))
    for each, copy, other in zip(given, copies, again):
        for field, kept, new in zip(each[1:5], copy, other[1:5]):
            assert (field == kept).all() and (field == new).all()


@pytest.mark.parametrize('name', COMPILED)
@pytest.mark.parametrize('joints', [0, 1, 36])
def test_any_number_of_joints(name: str, joints: int) -> None:
    """Each joint is filtered on its own."""
    whole = record(PROFILES['A'])
    column = np.arange(joints) % 4
    run = Recording(whole.stamps[:300], whole.q[:300, column], whole.qd[:300, column])
    for expected, found in zip(estimates_of(make_estimator(name, joints), run),
                               estimates_of(make_compiled(name, joints), run)):
        np.testing.assert_allclose(found.qdd, expected.qdd, rtol=1e-9, atol=1e-9)


def test_without_a_compiler_numpy_does_it(monkeypatch: pytest.MonkeyPatch,
                                          caplog: pytest.LogCaptureFixture) -> None:
    assert type(make_compiled('kalman', 2)) is CompiledKalman
    assert type(kalman(2)) is Kalman
    monkeypatch.setenv('CC', 'no-such-compiler')
    for name, kind in (('kalman', Kalman), ('kalman_fixed_lag', KalmanFixedLag)):
        assert type(make_compiled(name, 2)) is kind
        assert f'{name} runs on numpy' in caplog.text and 'no-such-compiler' in caplog.text


@pytest.mark.parametrize('kind', ['E', 'A lossy', 'A half of it of positions',
                                  'A with wrong stamps', 'E with single wrong stamps',
                                  'A with velocities 10 ms late'])
def test_the_noise_is_learned_the_same(kind: str) -> None:
    """Whatever moves and rests; a window has five samples."""
    one, other = SensorNoise(4), CompiledSensorNoise(4, machine_code(find_compiler()))
    run = samples(kind)
    for k, (expected, (stamp, q, qd)) in enumerate(zip(estimates_of(compiled(4), run), run)):
        if kind == 'A lossy' and k > COUNT // 2:
            q, qd = q * [1.0, 0.0, 1.0, 1.0], qd * [1.0, 0.0, 1.0, 1.0]   # one stands still
        rates = np.array([expected.qd, expected.qdd])
        one.update(stamp, np.array([q, qd]), rates)
        other.update(stamp, np.array([q, qd]), rates)
        np.testing.assert_allclose(other.variance, one.variance, rtol=1e-6)
        assert other.stamps == pytest.approx(one.stamps, rel=1e-6, abs=1e-12)
        other.variance[:] = one.variance
