"""What is said of contacts: levels, sentences and values."""

import numpy as np
import pytest

from support.robot_files import OWN
from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.estimation.observer import (
    ContactDetector,
    ContactWatch,
    MomentumObserver,
    not_observed,
)
from urdf2dyn_ros.estimation.stream import Output
from urdf2dyn_ros.text import Level

DYNAMICS = InverseDynamics(read_urdf((OWN / 'robot_2r.urdf').read_text()))
NAMES = DYNAMICS.joint_names
Q, STILL = np.array([0.3, -0.8]), np.zeros(2)
HOLDING = DYNAMICS(Q, STILL, STILL)
MS = 1_000_000


def watch(*touched: str) -> ContactWatch:
    return ContactWatch(DYNAMICS, MomentumObserver(DYNAMICS), ContactDetector(NAMES), touched)


def still(watch: ContactWatch, begin: int, samples: int, external: tuple[float, float],
          step: int = 4) -> None:
    """Stand still under external efforts from a time on [ms]."""
    for k in range(samples):
        watch.update(Output((begin + k * step) * MS, Q, STILL, STILL, HOLDING,
                            HOLDING - external, np.full(2, np.nan)))


def test_what_is_said_follows_what_is_felt() -> None:
    """No efforts, one, untouched, touched, forgotten; the largest effort since then."""
    watching = watch()
    assert watching.report().level == Level.STALE
    still(watching, 1000, 1, (0.0, 0.0))
    status = watching.report()
    assert status.level == Level.WARN and 'observer.max_gap' in status.message
    still(watching, 1004, 5, (0.0, 0.0))
    status = watching.report()
    assert (status.part, status.level, status.message) == ('contact', Level.OK, 'no contact')
    assert status.values['settling'] == ', '.join(NAMES) and not status.values['not measured']
    still(watching, 1024, 100, (0.0, -40.0))
    assert watching.touched == NAMES[1:]
    status = watching.report()
    assert (status.level, status.message) == (Level.WARN, f'contact at joint {NAMES[1]}')
    assert status.values['joints with a contact'] == NAMES[1] and not status.values['settling']
    key = '{}: largest external effort [N m]'
    assert float(status.values[key.format(NAMES[1])]) == pytest.approx(40.0, rel=1e-3)
    assert float(status.values[key.format(NAMES[0])]) < 1e-9
    assert watching.description(NAMES, np.array([1.0, -2.5])) == (
        f'contact at joints {NAMES[0]} (1 N m), {NAMES[1]} (-2.5 N m)')
    still(watching, 1424, 100, (0.0, 0.0))
    assert 'contact' in watching.report().message, 'it is remembered'
    watching.reset()
    assert not watching.touched and watching.report().values[key.format(NAMES[1])] == 'unknown'


def test_efforts_that_are_not_measured_or_far_apart_are_named() -> None:
    watching = watch()
    still(watching, 1000, 10, (np.nan, 0.0))
    status = watching.report()
    assert status.level == Level.OK and status.values['not measured'] == NAMES[0]
    still(watching, 2000, 10, (np.nan, np.nan))
    status = watching.report()
    assert status.level == Level.WARN and 'no effort is measured' in status.message
    still(watching, 3000, 10, (90.0, 90.0), step=500)
    status = watching.report()
    assert status.level == Level.WARN and 'less often than observer.max_gap' in status.message
    assert not watching.touched


def test_a_contact_of_the_watch_before_is_remembered() -> None:
    watching = watch('elbow')
    still(watching, 1000, 50, (30.0, 0.0))
    assert watching.touched == ('elbow', NAMES[0])
    assert watching.report().message == f'contact at joints elbow, {NAMES[0]}'
    watching.reset()
    still(watching, 1200, 1, (30.0, 0.0))
    assert watching.touched == NAMES[:1], 'it lasts'
    status = not_observed('why', ('elbow',))
    assert status.level == Level.WARN and status.message.endswith('not observed: why')


def test_absurd_numbers_are_no_contact_and_no_error() -> None:
    watching = watch()
    for k in range(20):
        qd = np.array([1e200, 1e200]) if k % 2 else STILL
        watching.update(Output(k * MS + 1, Q, qd, STILL, HOLDING, HOLDING, np.full(2, np.nan)))
    assert not watching.touched
    assert watching.report().level == Level.WARN
