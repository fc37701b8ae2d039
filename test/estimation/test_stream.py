"""From joint states to efforts, with a pendulum; the rows are those of the catalogue of faults."""

import tracemalloc
from math import inf, nan
from typing import Any

import numpy as np
import pytest

from support.streams.pendulums import (
    MS,
    NOTHING,
    START,
    add_up,
    make_stream,
    motion,
    pendulums,
    receive,
    run,
)
from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.errors import ParameterError, StateError
from urdf2dyn_ros.estimation.estimators import Estimator, make_estimator
from urdf2dyn_ros.estimation.kalman import Estimate, Verdict
from urdf2dyn_ros.estimation.moving_base import BASE_PARAMETER, MovingBase
from urdf2dyn_ros.estimation.stream_setup import STREAM_PARAMETERS, check_lags
from urdf2dyn_ros.robot.parameters import Parameter
from urdf2dyn_ros.system import robot_file


@pytest.fixture
def stream():
    return make_stream()


@pytest.mark.parametrize(('name', 'parameters', 'tolerance', 'lag'), [
    ('finite_difference', {}, 0.1, 0), ('finite_difference', {'align': 'centre'}, 0.001, 1)])
def test_efforts_are_those_of_the_pendulum_at_the_declared_instant(
        name, parameters, tolerance, lag):
    stream = make_stream(make_estimator(name, 2, **parameters))
    outputs = run(stream, range(2000))
    assert outputs[-1].stamp == START + (1999 - lag) * MS
    for output in outputs:
        q, qd, qdd = motion(output.stamp)
        assert output.q == pytest.approx(q, abs=1e-9)
        assert output.effort == pytest.approx(pendulums(q, qd, qdd), abs=tolerance)
        assert output.measured == pytest.approx(pendulums(q, qd, qdd), abs=1e-9)
    assert stream.counters == {'received': 2000, 'used': len(outputs),
                               'warming_up': 2000 - len(outputs)}


def test_a_measured_effort_is_returned_only_where_there_is_one(stream):
    output = run(stream, range(100), effort=[nan, 3.0])[-1]
    assert np.array_equal(output.measured, [nan, 3.0], equal_nan=True)
    assert np.isnan(run(stream, range(100, 200), effort=NOTHING)[-1].measured).all()


@pytest.mark.fault(22)
def test_nothing_comes_of_a_position_that_is_not_finite(stream):
    run(stream, range(100))
    for bad in (nan, inf, -inf):
        assert receive(stream, 100, position=[bad, bad]) is None
    assert stream.counters['position_not_finite'] == 3
    assert receive(stream, 101).effort == pytest.approx(pendulums(*motion(START + 101 * MS)),
                                                        abs=0.06)


@pytest.mark.parametrize('velocity', [NOTHING, [nan, nan], [inf, nan], [1.0]])
@pytest.mark.fault(23)
def test_without_velocities_positions_do(stream, velocity):
    outputs = run(stream, range(500), velocity=velocity)
    assert len(outputs) == 498
    for output in outputs:
        assert output.effort == pytest.approx(pendulums(*motion(output.stamp)), abs=0.15)
    assert stream.counters['velocity_ignored'] == (500 if velocity == [1.0] else 0)


@pytest.mark.fault(24)
def test_malformed_messages_are_dropped_and_counted(stream):
    run(stream, range(100))
    assert receive(stream, 100, names=[]) is None
    assert receive(stream, 100, position=NOTHING) is None
    assert receive(stream, 100, position=[1.0, 2.0, 3.0]) is None
    assert receive(stream, 100, names=[], position=NOTHING, velocity=NOTHING, effort=NOTHING,
                   stamp=0) is None
    expected = {'empty': 1, 'malformed': 1, 'no_stamp': 1, 'position_not_finite': 1}
    assert {name: stream.counters[name] for name in expected} == expected
    assert receive(stream, 100) is not None
    assert add_up(stream.counters)


@pytest.mark.fault(25)
def test_unknown_missing_and_duplicate_names(stream):
    assert stream.missing_joints == ('swing', 'spin')
    assert receive(stream, 0, names=['swing', 'gripper']) is None
    assert stream.missing_joints == ('spin',)
    assert stream.unknown_joints == ('gripper',)
    assert receive(stream, 1, names=['swing', 'swing']) is None
    assert receive(stream, 1, names=['left', 'right']) is None
    assert stream.counters == {
        'received': 3, 'incomplete': 1, 'duplicate_names': 1, 'other_joints': 1}


@pytest.mark.fault(34)
def test_a_wrapping_joint_gives_what_a_counting_one_does(stream):
    counting = make_stream()
    for ms in range(3000):
        q, _, _ = motion(START + ms * MS)
        one, other = receive(stream, ms), receive(counting, ms, position=q.tolist())
        if one is not None:
            assert one.qdd == pytest.approx(other.qdd, abs=1e-9)
            assert one.effort == pytest.approx(other.effort, abs=1e-9)


@pytest.mark.parametrize(('name', 'parameters'), [
    ('finite_difference', {}), ('kalman', {})])
@pytest.mark.fault(35)
def test_an_outlier_is_left_out_whatever_the_estimator(name, parameters):
    stream = make_stream(make_estimator(name, 2, **parameters))
    run(stream, range(500))
    wrong = [receive(stream, 500, position=[1.0, 2.0])]
    outputs = [output for output in wrong if output] + run(stream, range(501, 600))
    assert len(outputs) >= 99
    for output in outputs:
        assert output.effort == pytest.approx(pendulums(*motion(output.stamp)), abs=0.15)


def raising(error):
    def dynamics(q, qd, qdd):
        raise error
    return dynamics


def test_an_error_for_a_state_resets_the_estimator_and_is_counted():
    stream = make_stream(make_estimator('finite_difference', 2), raising(StateError('too large')))
    assert run(stream, range(1, 100)) == []
    assert stream.counters['not_finite'] == 33  # of three samples each
    assert add_up(stream.counters)


class Constant(Estimator):
    def __init__(self, **values):
        self.values = values

    def update(self, stamp, q, qd):
        vectors = {'q': q, 'qd': qd, 'qdd': np.zeros(2), **self.values}
        return Estimate(stamp, std=np.zeros(2), verdict=Verdict.VALID, **vectors)

    def reset(self):
        pass


@pytest.mark.parametrize('backend', ['python', 'c'])
@pytest.mark.parametrize(('vector', 'value'), [
    ('q', nan), ('q', inf), ('qd', nan), ('qd', -inf), ('qdd', nan), ('qdd', 1e308)])
def test_no_effort_is_published_that_is_not_finite_or_of_such_a_state(vector, value, backend):
    """The equations check it themselves; 1e308 rad/s^2 overflows in them."""
    dynamics = InverseDynamics(read_urdf(robot_file('robot_2r').read_bytes()), backend=backend)
    stream = make_stream(Constant(**{vector: np.array([0.0, value])}), dynamics)
    assert run(stream, range(10)) == []
    assert stream.counters['not_finite'] == 10


def test_a_fault_of_the_dynamics_is_not_hidden_and_not_counted():
    stream = make_stream(make_estimator('finite_difference', 2), raising(KeyError('bug')))
    with pytest.raises(KeyError):
        run(stream, range(100))
    assert add_up(stream.counters)


def test_a_new_stream_counts_on(stream):
    run(stream, range(100))
    successor = make_stream(counters=stream.counters)
    run(stream, range(100, 101))   # the message that another thread still processes
    run(successor, range(101, 200))
    assert successor.counters['received'] == 200
    assert add_up(successor.counters)


@pytest.mark.parametrize('parameters', [
    {'max_gap': -1.0}, {'max_skew': 'x'}, {'use_receive_time': 1}, {'unheard_of': 1}])
def test_parameters_are_checked(parameters):
    with pytest.raises(ParameterError, match=next(iter(parameters))):
        make_stream(**parameters)


@pytest.mark.fault(51)
def test_an_effort_that_no_estimate_takes_is_not_kept_for_ever():
    class Idle(Estimator):
        def __init__(self):
            self.inner = make_estimator('finite_difference', 2)

        def update(self, stamp, q, qd):
            self.inner.reset()
            return self.inner.update(stamp, q, qd)

        def reset(self):
            pass

    stream = make_stream(Idle())
    sizes = []
    tracemalloc.start()
    for k in range(3):
        run(stream, range(k * 1024, (k + 1) * 1024))
        sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert sizes[2] < 1.1 * sizes[1]   # the first run fills the queue and caches


# ---- The motion of a base may be no older than that of the joints: checked before it is used


TABLE: tuple[Parameter, ...] = (*STREAM_PARAMETERS, BASE_PARAMETER, *(
    row.named(f'moving_base.{row.name}') for row in MovingBase.PARAMETERS))


def values(**changes: Any) -> dict[str, Any]:
    return {row.name: row.default for row in TABLE} | {
        name.replace('__', '.'): value for name, value in changes.items()}


@pytest.mark.parametrize(('estimator', 'lag'), [
    ('kalman', 0.0), ('kalman_fixed_lag', 0.02), ('finite_difference', 0.0), ('none', 0.0)])
def test_a_base_that_is_older_than_the_joints_is_refused(estimator: str, lag: float) -> None:
    check_lags(values(estimator=estimator, moving_base__lag=lag))
    with pytest.raises(ParameterError, match=rf'^parameter moving_base.lag is {lag + 0.01:g} s, '
                       rf'but estimator {estimator} .* lag of {lag:g} s.* set it to {lag:g}\b'):
        check_lags(values(estimator=estimator, moving_base__lag=lag + 0.01))


@pytest.mark.parametrize('changes', [
    {'base': 'fixed'}, {'estimator': 'finite_difference', 'finite_difference__align': 'centre'},
    {'estimator': 'external'}, {'estimator': 'kalman_fixed_lag', 'kalman_fixed_lag__lag': 0.05}])
def test_a_lag_that_may_be_right_is_accepted(changes: dict[str, Any]) -> None:
    """Nothing moves the base, or the lag of the joints follows from their messages."""
    check_lags(values(moving_base__lag=0.05, **changes))
