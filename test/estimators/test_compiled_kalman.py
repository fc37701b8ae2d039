"""The Kalman filter in C against the one on numpy: the same to rounding for any input."""

from functools import cache, partial

import numpy as np
import pytest

from support.streams.estimator_runs import estimates_of, recording, with_loss, without_velocity
from support.streams.known_motions import PROFILES, Recording, error, record, truth
from urdf2dyn_ros.c_compiler.compiler import find_compiler
from urdf2dyn_ros.estimators import constant_jerk, make_compiled, make_estimator
from urdf2dyn_ros.estimators.compiled_kalman import CompiledKalman
from urdf2dyn_ros.estimators.compiled_sensor_noise import CompiledSensorNoise
from urdf2dyn_ros.estimators.kalman import Kalman
from urdf2dyn_ros.estimators.machine_code import machine_code
from urdf2dyn_ros.estimators.sensor_noise import SensorNoise

kalman = partial(make_estimator, 'kalman')
compiled = partial(make_compiled, 'kalman')

COUNT = 2400
ROUNDING = 1e-10   # of exact samples, whose variances are of rounding
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
    if what == 'of positions':
        return without_velocity(whole)
    if what == 'half of it of positions':
        qd[:, ::2] = np.nan
        qd[1000:1100] = np.nan
    if what == 'with outliers':
        for values, size in ((q, 0.5), (qd, 5.0)):
            hit = random.uniform(size=values.shape) < 0.01
            values[hit] += size * random.normal(size=hit.sum())
    if what == 'homed again':
        q[COUNT // 2:, 1:] += 0.3
    if what == 'with wrong stamps':
        late = 1e5 * random.normal(size=len(whole.stamps))
        return Recording(whole.stamps + np.rint(late).astype(np.int64), q, qd)
    if what == 'with velocities 10 ms late':
        qd = truth(whole.stamps - 10_000_000)[1]
    return Recording(whole.stamps, q, qd)


KINDS = ['A', 'C', 'E', 'F', 'A lossy', 'A of positions', 'E of positions',
         'A half of it of positions', 'A with outliers', 'E with outliers', 'A homed again',
         'A with wrong stamps', 'A with velocities 10 ms late']


@pytest.mark.parametrize('kind', KINDS)
def test_every_step_is_the_same_to_rounding(kind: str) -> None:
    """From the same state, which is copied after each step."""
    one, other = kalman(4), compiled(4)
    for stamp, q, qd in samples(kind):
        scale = predicted(one, stamp)
        expected, found = one.update(stamp, q, qd), other.update(stamp, q, qd)
        assert (found.stamp, found.valid) == (expected.stamp, expected.valid)
        assert other._rejected.tolist() == one._rejected.tolist()
        assert other._rejecting == one._rejecting
        assert (np.abs(other._z - one._z)[:constant_jerk.FILTER_ROWS] <= ROUNDING * scale).all()
        other._z[:constant_jerk.FILTER_ROWS] = one._z[:constant_jerk.FILTER_ROWS]
        other._noise.variance[:] = one._noise.variance   # that of exact samples is of rounding
        other._noise.stamps = one._noise.stamps


def predicted(estimator: Kalman, stamp: int) -> np.ndarray:
    """Return the size of what is predicted, (14, n): corrections are subtracted from it."""
    step = max(stamp - estimator._last, 0) * 1e-9 if estimator._count else 0.0
    model, rows = constant_jerk.transition(step), constant_jerk.FILTER_ROWS
    sizes = model.T @ np.abs(estimator._z[:rows]) + estimator._density * model.Q
    deviations = np.sqrt(sizes[np.diagonal(constant_jerk.COVARIANCE_ROW)])
    first, second = np.transpose(constant_jerk.ENTRIES)
    return np.concatenate((sizes[:constant_jerk.STATES] + deviations,
                           deviations[first] * deviations[second]))


@pytest.mark.parametrize('parameters', PARAMETERS)
@pytest.mark.parametrize('kind', ['A with outliers', 'A homed again'])
def test_whole_runs_are_the_same(kind: str, parameters: dict[str, float]) -> None:
    """Small differences die away; a reset, a gap and missing samples are in between."""
    one, other = kalman(4, **parameters), compiled(4, **parameters)
    for part in (slice(0, 800), slice(800, 1500), slice(1700, 2000), slice(2020, None)):
        run = samples(kind).chosen(part)
        pairs = list(zip(estimates_of(one, run), estimates_of(other, run)))
        assert [found.valid for _, found in pairs] == [expected.valid for expected, _ in pairs]
        # the first estimates are differences of little more than rounding
        for expected, found in pairs[SETTLED:]:
            for name in ('q', 'qd', 'qdd', 'std'):
                true = getattr(expected, name)
                np.testing.assert_allclose(getattr(found, name), true,
                                           atol=1e-6 * max(1.0, np.abs(true).max()))
        if part.start == 0:
            one.reset()
            other.reset()
        if part.start == 800:
            one.forget_motion()
            other.forget_motion()


def test_an_estimate_that_was_returned_does_not_change() -> None:
    """An estimate that is kept stays as it was returned."""
    given = estimates_of(compiled(4), samples('A'))
    copies = [tuple(np.array(field) for field in each[1:5]) for each in given]
    again = estimates_of(compiled(4), samples('A'))
    for each, copy, other in zip(given, copies, again):
        for field, kept, new in zip(each[1:5], copy, other[1:5]):
            assert (field == kept).all() and (field == new).all()


@pytest.mark.parametrize('joints', [0, 1, 36])
def test_any_number_of_joints(joints: int) -> None:
    """Each joint is filtered on its own."""
    whole = record(PROFILES['A'])
    column = np.arange(joints) % 4
    run = Recording(whole.stamps[:300], whole.q[:300, column], whole.qd[:300, column])
    for expected, found in zip(estimates_of(kalman(joints), run),
                               estimates_of(compiled(joints), run)):
        np.testing.assert_allclose(found.qdd, expected.qdd, rtol=1e-9, atol=1e-9)


def test_it_meets_the_gate() -> None:
    """That of the filter on numpy."""
    assert error(compiled(4), recording('A')) <= 4.5


def test_without_a_compiler_numpy_does_it(monkeypatch: pytest.MonkeyPatch,
                                          caplog: pytest.LogCaptureFixture) -> None:
    """With a line in the log."""
    assert type(make_compiled('kalman', 2)) is CompiledKalman
    assert type(kalman(2)) is Kalman
    monkeypatch.setenv('CC', 'no-such-compiler')
    assert type(make_compiled('kalman', 2)) is Kalman
    assert 'kalman runs on numpy' in caplog.text and 'no-such-compiler' in caplog.text


@pytest.mark.parametrize('kind', ['E', 'A lossy', 'A half of it of positions',
                                  'A with wrong stamps', 'A with velocities 10 ms late'])
def test_the_noise_is_learned_the_same(kind: str) -> None:
    """Whatever moves and rests; a window has five samples."""
    one, other = SensorNoise(4), CompiledSensorNoise(4, machine_code(find_compiler()))
    run = samples(kind)
    for k, (expected, (stamp, q, qd)) in enumerate(zip(estimates_of(kalman(4), run), run)):
        if kind == 'A lossy' and k > COUNT // 2:
            q, qd = q * [1.0, 0.0, 1.0, 1.0], qd * [1.0, 0.0, 1.0, 1.0]   # one stands still
        rates = np.array([expected.qd, expected.qdd])
        one.update(stamp, np.array([q, qd]), rates)
        other.update(stamp, np.array([q, qd]), rates)
        np.testing.assert_allclose(other.variance, one.variance, rtol=1e-6)
        assert other.stamps == pytest.approx(one.stamps, rel=1e-6, abs=1e-12)
        other.variance[:] = one.variance
