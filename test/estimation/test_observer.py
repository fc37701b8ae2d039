"""External efforts from momenta: their response, a push that is found, and no false alarm."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from support.robot_files import OWN
from support.streams import pushed_robot
from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.errors import ParameterError, StateError
from urdf2dyn_ros.estimation.estimators import make_estimator
from urdf2dyn_ros.estimation.observer import (
    ContactDetector,
    ContactWatch,
    MomentumObserver,
    not_observed,
)
from urdf2dyn_ros.estimation.stream import Output
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.text import Level

Array = np.ndarray
THRESHOLD = 5.0   # [N m], what docs/observer.md says of the Panda

ALL_BUT = slice(1, None)   # the first sample has no answer
PUSHES = {'sideways': (0.0, 20.0, 0.0), 'down': (0.0, 0.0, -20.0)}
EFFORT_NOISE = 0.005 * np.array([87.0] * 4 + [12.0] * 3)
"""Half a percent of what the motors can do [N m]."""


@cache
def dynamics(rubs: bool = False) -> InverseDynamics:
    """Return the Panda with its rotors, and with friction if it rubs."""
    model = read_urdf(pushed_robot.panda())
    names = InverseDynamics(model).joint_names
    return InverseDynamics(model, loads=Loads(terms=dict(zip(names, pushed_robot.terms(rubs)))))


# ---- the response to a step

GATE = 1e-3
"""Largest error of the response, as a share of the step."""

STEP_AT = 400   # [ms]
RATES = (100, 200, 500, 1000)


@cache
def stepped() -> tuple[Array, pushed_robot.Motion]:
    """Return an effort on every joint, and how the arm gives way to it while it moves."""
    step = dynamics().mass_matrix(pushed_robot.desired(0.4)[0]) @ [4.0, -3, -4, 3, 4, 3, -4]
    return step, pushed_robot.pushed(joints=tuple(step.tolist()), first=0.4, last=9.0,
                                     duration=0.6, feedback=0.0)


def sampled(motion: pushed_robot.Motion, rate: int, irregular: bool) -> pushed_robot.Motion:
    """Return samples at a rate; irregular ones are up to half a period late, and some are lost."""
    every = 1000 // rate
    rows = np.arange(0, len(motion.stamps), every)
    if irregular:
        rng = np.random.default_rng(rate)
        rows = rows + rng.integers(0, every // 2 + 1, len(rows))
        rows = rows[(rng.random(len(rows)) > 0.1) & (rows < len(motion.stamps))]
    return motion.chosen(np.unique(np.append(rows, STEP_AT)))


def online(watching: MomentumObserver, motion: pushed_robot.Motion) -> Array:
    """Return what comes of one sample after the other, NaN for nothing."""
    rows = [watching.update(*row) for row in zip(
        motion.stamps.tolist(), motion.q, motion.qd, motion.effort)]
    return np.array([np.full(7, np.nan) if row is None else row for row in rows])


def offline(watching: MomentumObserver, motion: pushed_robot.Motion) -> Array:
    return watching.run(motion.stamps, motion.q, motion.qd, motion.effort)[0]


def step_error(rate: int, irregular: bool, gain: float, run: Callable[..., Array],
               stamps: Callable[[Array], Array] = lambda stamps: stamps) -> float:
    """Return the largest difference from tau_ext (1 - exp(-K t)), as a share of tau_ext."""
    step, motion = stepped()
    motion = sampled(motion, rate, irregular)
    after = np.maximum((motion.stamps - pushed_robot.START) * 1e-9 - STEP_AT * 1e-3, 0.0)
    expected = step * -np.expm1(-gain * after)[:, None]
    told = pushed_robot.Motion(stamps(motion.stamps), *(getattr(motion, name) for name in (
        'q', 'qd', 'effort', 'external')))
    found = run(MomentumObserver(dynamics(), gain=(gain,)), told)
    return float(np.abs(found - expected)[ALL_BUT].max() / np.abs(step).max())


@pytest.mark.fault(38)
@pytest.mark.parametrize('run', [online, offline])
@pytest.mark.parametrize('irregular', [False, True])
@pytest.mark.parametrize('rate', RATES)
def test_the_response_to_a_step_is_that_of_first_order(rate, irregular, run):
    """At every rate and gain, with stamps that are late and samples that are lost."""
    for gain in (20.0, 100.0, 500.0):
        assert step_error(rate, irregular, gain, run) < GATE


# ---- a push at the tool


def through_kalman(watching: MomentumObserver, motion: pushed_robot.Motion) -> Array:
    """Return what comes of estimated positions and velocities, as the node has them."""
    estimator = make_estimator('kalman', 7)
    rows = []
    for stamp, q, qd, effort in zip(motion.stamps.tolist(), motion.q, motion.qd, motion.effort):
        estimate = estimator.update(stamp, q, qd)
        found = (watching.update(stamp, estimate.q, estimate.prompt_qd, effort)
                 if estimate.valid else None)
        rows.append(np.full(7, np.nan) if found is None else found)
    return np.array(rows)


@pytest.mark.parametrize(('push', 'sensors', 'rubs'), [
    ('sideways', 'exact', False), ('sideways', 'noisy', False), ('down', 'noisy', False),
    ('sideways', 'noisy', True)])
def test_a_push_of_20_newtons_is_found_within_50_ms(push: str, sensors: str, rubs: bool) -> None:
    """By then the efforts are J'F to 5 %; before it there is no contact."""
    motion = pushed_robot.pushed(PUSHES[push], duration=1.1, rubs=rubs)
    if sensors == 'noisy':
        motion = pushed_robot.measured(motion, bits=17, velocity=1e-3, effort=EFFORT_NOISE)
    run = through_kalman if sensors == 'noisy' else online
    external = run(MomentumObserver(dynamics(rubs)), motion)
    detector, noticed = ContactDetector(dynamics().joint_names, thresholds=(THRESHOLD,)), []
    for stamp, row in zip(motion.stamps.tolist(), external):
        detector.update(stamp, row)
        noticed.append(bool(detector.touched))
    first = noticed.index(True)
    assert 1000 < first <= 1050
    true = motion.external[1050]
    assert np.abs(true).max() > 5.0
    assert np.abs(external[1050] - true).max() < 0.05 * np.abs(true).max()
    strongest = dynamics().joint_names[int(np.abs(true).argmax())]
    assert strongest in detector.touched


def test_friction_that_the_model_lacks_is_taken_for_a_touch() -> None:
    """What the motors supply for it is no external effort if the model has it."""
    motion = pushed_robot.pushed(duration=1.1, rubs=True)
    with_it = online(MomentumObserver(dynamics(True)), motion)[200:]
    without = online(MomentumObserver(dynamics()), motion)[200:]
    assert np.abs(with_it).max() < 4e-5
    # it acts against the motion, and the observer lags by 10 ms
    np.testing.assert_allclose(without[10:], -pushed_robot.rubbing(motion.qd)[200:-10], atol=0.1)


@pytest.mark.slow
def test_ten_minutes_of_exciting_motion_raise_no_alarm() -> None:
    """At 1 kHz with unfiltered noise of velocities; the noise is what it is said to be."""
    minutes, rate, period = 10, 1000, 5
    t = np.arange(period * rate) / rate
    q, qd, qdd = pushed_robot.desired(t)
    assert np.abs(qd).max() > 1.0
    effort = dynamics()(q, qd, qdd)
    M = dynamics().mass_matrix(q)
    watching = MomentumObserver(dynamics())
    largest, power = 0.0, np.zeros(7)
    laps = minutes * 60 // period
    for lap in range(laps):
        stamps = pushed_robot.START + (lap * len(t) + np.arange(len(t))) * pushed_robot.STEP
        true = pushed_robot.Motion(stamps, q, qd, effort, effort)
        row = pushed_robot.measured(true, 17, 1e-3, EFFORT_NOISE, lap)
        external = offline(watching, row)[100 * (lap == 0):]
        largest = max(largest, float(np.abs(external).max()))
        power += (external**2).mean(axis=0) / laps
    assert largest < 0.5 * THRESHOLD
    told = (100.0 * 1e-3)**2 * (M**2).sum(axis=2).mean(axis=0) + 0.05 * EFFORT_NOISE**2
    np.testing.assert_allclose(np.sqrt(power), np.sqrt(told), rtol=0.1)


# ---- samples that cannot be trusted


@pytest.mark.fault(29, 31, 32)
def test_it_resets_after_a_gap_a_step_back_and_what_is_not_finite() -> None:
    motion = stepped()[1]
    first = int(motion.stamps[0])
    watching = MomentumObserver(dynamics(), max_gap=0.05)

    def take(k: int, **changed: Any) -> Array | None:
        given = {'q': motion.q[k], 'qd': motion.qd[k], 'effort': motion.effort[k], **changed}
        return watching.update(first + pushed_robot.STEP * k, **given)

    def settled(k: int) -> int:
        """Take what comes until it has settled, and return the number of the next sample."""
        for j in range(k, k + 51):
            assert (take(j) is None) == (j == k)
            assert watching.settling.all() == (j < k + 50)
        assert not watching.settling.any()
        return k + 51

    k = settled(0) + 51
    k = settled(k)   # after a gap of 52 ms
    k = settled(k - 20)   # time was set back
    k = settled(k - 1)   # the same instant again
    assert take(k + 49) is not None   # no gap yet
    k += 50
    assert take(k, q=np.full(7, np.nan)) is None
    k = settled(k + 1)
    watching.reset()
    settled(k)


@pytest.mark.fault(23)
def test_a_joint_without_effort_does_not_blind_the_others() -> None:
    _, motion = stepped()
    expected = online(MomentumObserver(dynamics()), motion)
    holes = motion.effort.copy()
    holes[300, 2], holes[:, 5], holes[420] = np.nan, np.nan, np.inf
    motion = pushed_robot.Motion(motion.stamps, motion.q, motion.qd, holes, motion.external)
    watching = MomentumObserver(dynamics())
    found = online(watching, motion)
    np.testing.assert_allclose(offline(MomentumObserver(dynamics()), motion), found, atol=1e-9)
    assert np.isnan(found[:, 5]).all() and watching.settling.tolist() == [False] * 5 + [
        True, False]
    seen = np.flatnonzero(np.isnan(found[:, 2])).tolist()
    assert seen == [0, 300, 301, 420, 421]   # momentum differs from one sample to the next
    np.testing.assert_allclose(found[1:420, [0, 1, 3, 4, 6]], expected[1:420, [0, 1, 3, 4, 6]])
    assert abs(found[302, 2]) < 0.1 + abs(expected[302, 2])


def test_another_payload_is_no_push() -> None:
    """Momentum does not jump when the model does, and nothing begins anew."""
    robot = InverseDynamics(read_urdf(pushed_robot.panda()), loads=Loads(payload='panda_hand'))
    light, heavy = np.zeros(10), np.array([2.0, 0.0, 0.0, 0.1, 0.01, 0, 0, 0.01, 0, 0.01])
    motion = stepped()[1].chosen(slice(0, 300))
    watching = MomentumObserver(robot)
    answers = []
    for k, row in enumerate(zip(motion.stamps.tolist(), motion.q, motion.qd)):
        payload = heavy if k // 50 % 2 else light   # at 20 Hz
        qdd = pushed_robot.desired((motion.stamps[k] - pushed_robot.START) * 1e-9)[2]
        answers.append(watching.update(*row, robot(motion.q[k], motion.qd[k], qdd, payload),
                                       payload))
    assert [k for k, answer in enumerate(answers) if answer is None] == [0]
    assert not watching.settling.any()
    # when between two samples it changed is not known: half its inertial effort for one step
    assert max(np.abs(answer).max() for answer in answers if answer is not None) < 0.2


def test_samples_of_another_shape_or_in_seconds_are_refused() -> None:
    """Stamps in seconds gave external efforts of zero, one effort for all seven was taken."""
    observer, states = MomentumObserver(dynamics(), gain=50.0), np.zeros((2, 7))
    detector = ContactDetector(('a', 'b'), thresholds=1.0)
    for refused, said in (
            (lambda: observer.run([0.0, 0.01], states, states, states), 'of nanoseconds'),
            (lambda: observer.update(0.01, *np.zeros((3, 7))), r'round\(1e9 \* time\)'),
            (lambda: observer.run([0, 1], states, states, states[:, :1]), r'effort .*\(2, 7\)'),
            (lambda: observer.run([0], states, states, states), r'q must be .*\(1, 7\)'),
            (lambda: observer.update(1, *np.zeros((2, 7)), 3.0), r'effort must be .*\(7,\)'),
            (lambda: observer.update(1, states[0], states[0, :3], states[0]), 'qd must be'),
            (lambda: observer.update(1, states[0], states[0], {'a': 1.0}), "is {'a': 1.0}"),
            (lambda: detector.update(0.01, np.zeros(2)), 'of nanoseconds'),
            (lambda: detector.update(0, 3.0), r'external must be .*\(2,\)')):
        with pytest.raises(StateError, match=said):
            refused()


def test_parameters_are_checked() -> None:
    for values, said in (({'gain': (0.0,)}, 'at least 0.1'), ({'gain': (1.0, 2.0)}, '7 joints'),
                         ({'gains': 3.0}, 'unknown')):
        with pytest.raises(ParameterError, match=said):
            MomentumObserver(dynamics(), **values)
    moving = InverseDynamics(read_urdf((OWN / 'rx90.urdf').read_text()), base='moving')
    with pytest.raises(ParameterError, match='fixed'):
        MomentumObserver(moving)
    each = MomentumObserver(dynamics(), gain=(10.0,) * 6 + (1000.0,))
    each.update(pushed_robot.START, *np.zeros((3, 7)))
    each.update(pushed_robot.START + 10_000_000, *np.zeros((3, 7)))
    assert each.settling.tolist() == [True] * 6 + [False]


# ---- Thresholds of external efforts: when a contact begins, ends, and is forgotten


def test_a_contact_lasts_from_its_threshold_to_its_release_and_is_remembered() -> None:
    """Hysteresis, a shortest time, one joint or several at once; NaN is no touch."""
    detector = ContactDetector(('a', 'b'), thresholds=(4.0, 2.0), min_duration=0.003)
    a = [0.0, 5.0, 0.0, 4.5, 2.5, -3.0, 2.1, 1.9, np.nan, 0.0, -9.0, -8.0, -8.0, -8.0, np.nan]
    b = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.5, 2.0, 1.5, 1.2, 1.0, 0.0, 0.0, 0.0, 0.0]
    ended, touched = [], []
    for k, pair in enumerate(zip(a, b)):
        ended += detector.update(k * 1_000_000, np.array(pair))
        touched.append(detector.touched)
    assert [(each.joint, each.begin // 10**6, each.end // 10**6, each.peak) for each in ended] == [
        ('a', 3, 6, 4.5), ('b', 6, 9, 2.5), ('a', 10, 13, -9.0)]
    assert touched[5] == () and touched[6] == touched[8] == ('a',)
    assert touched[9] == touched[-1] == ('a', 'b')   # for good
    detector.reset()
    assert detector.touched == ()
    for k in range(20, 24):
        assert detector.update(k * 1_000_000, np.array((0.0, -3.0))) == []
    detector.reset()
    assert detector.update(24_000_000, np.array((0.0, -2.5))) == []
    assert detector.touched == ('b',)   # it is still there
    assert [each.peak for each in detector.stop()] == [-3.0] and detector.stop() == []


def test_thresholds_are_checked() -> None:
    for values, said in (({'thresholds': (1.0, 2.0, 3.0)}, '2 joints'),
                         ({'release': 1.5}, 'at most 1'),
                         ({'thresholds': (-1.0,)}, 'at least')):
        with pytest.raises(ParameterError, match=said):
            ContactDetector(('a', 'b'), **values)


# ---- What is said of contacts: levels, sentences and values


ARM_2R = InverseDynamics(read_urdf((OWN / 'robot_2r.urdf').read_text()))
TWO = ARM_2R.joint_names
Q, STILL = np.array([0.3, -0.8]), np.zeros(2)
HOLDING = ARM_2R(Q, STILL, STILL)
MS = 1_000_000


def watch(*touched: str) -> ContactWatch:
    return ContactWatch(ARM_2R, MomentumObserver(ARM_2R),
                        ContactDetector(TWO, thresholds=(THRESHOLD,)), touched)


def still(watch: ContactWatch, begin: int, samples: int, external: tuple[float, float],
          step: int = 4) -> None:
    """Stand still under external efforts from a time on [ms]."""
    for k in range(samples):
        watch.update(Output((begin + k * step) * MS, Q, STILL, STILL, HOLDING,
                            HOLDING - external, np.full(2, np.nan)))


def test_what_is_said_follows_what_is_felt() -> None:
    """No efforts, one, untouched, touched, forgotten; the largest effort since then."""
    watching = watch()
    assert watching.take_report().level == Level.STALE
    still(watching, 1000, 1, (0.0, 0.0))
    status = watching.take_report()
    assert status.level == Level.WARN and 'observer.max_gap' in status.message
    still(watching, 1004, 5, (0.0, 0.0))
    status = watching.take_report()
    assert (status.part, status.level, status.message) == ('contact', Level.OK, 'no contact')
    assert status.values['settling'] == ', '.join(TWO) and not status.values['not measured']
    still(watching, 1024, 100, (0.0, -40.0))
    assert watching.touched == TWO[1:]
    status = watching.take_report()
    assert (status.level, status.message) == (Level.WARN, f'contact at joint {TWO[1]}')
    assert status.values['joints with a contact'] == TWO[1] and not status.values['settling']
    key = '{}: largest external effort [N m]'
    assert float(status.values[key.format(TWO[1])]) == pytest.approx(40.0, rel=1e-3)
    assert float(status.values[key.format(TWO[0])]) < 1e-9
    assert watching.description(TWO, np.array([1.0, -2.5])) == (
        f'contact at joints {TWO[0]} (1 N m), {TWO[1]} (-2.5 N m)')
    still(watching, 1424, 100, (0.0, 0.0))
    assert 'contact' in watching.take_report().message, 'it is remembered'
    watching.reset()
    assert not watching.touched and watching.take_report().values[key.format(TWO[1])] == 'unknown'


def test_efforts_that_are_not_measured_or_far_apart_are_named() -> None:
    watching = watch()
    still(watching, 1000, 10, (np.nan, 0.0))
    status = watching.take_report()
    assert status.level == Level.OK and status.values['not measured'] == TWO[0]
    still(watching, 2000, 10, (np.nan, np.nan))
    status = watching.take_report()
    assert status.level == Level.WARN and 'no effort is measured' in status.message
    still(watching, 3000, 10, (90.0, 90.0), step=500)
    status = watching.take_report()
    assert status.level == Level.WARN and 'less often than observer.max_gap' in status.message
    assert not watching.touched


def test_a_contact_of_the_watch_before_is_remembered() -> None:
    watching = watch('elbow')
    still(watching, 1000, 50, (30.0, 0.0))
    assert watching.touched == ('elbow', TWO[0])
    assert watching.take_report().message == f'contact at joints elbow, {TWO[0]}'
    watching.reset()
    still(watching, 1200, 1, (30.0, 0.0))
    assert watching.touched == TWO[:1], 'it lasts'
    status = not_observed('why', ('elbow',))
    assert status.level == Level.WARN and status.message.endswith('not observed: why')


def test_absurd_numbers_are_no_contact_and_no_error() -> None:
    watching = watch()
    for k in range(20):
        qd = np.array([1e200, 1e200]) if k % 2 else STILL
        watching.update(Output(k * MS + 1, Q, qd, STILL, HOLDING, HOLDING, np.full(2, np.nan)))
    assert not watching.touched
    assert watching.take_report().level == Level.WARN
