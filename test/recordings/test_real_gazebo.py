"""Efforts of the real Gazebo Sim Fortress, and those that evaluate computes of its motions."""

from pathlib import Path
from typing import Any

import pytest

from support.paths import RECORDINGS
from support.recordings.evaluate_command import Done
from support.robot_files import OWN


@pytest.fixture
def run(evaluate: Any) -> Any:
    """Return evaluate with the gravity of Gazebo, for a recording and options."""
    def run(name: str, urdf: Path, *options: str, gravity: str = '-9.8', code: int = 0) -> Done:
        path = RECORDINGS / 'gazebo' / f'{name}.csv'
        if not path.exists():
            pytest.skip(f'{path.name} is not part of the repository')
        done: Done = evaluate(path, '--gravity', '0', '0', gravity, *options, urdf=urdf)
        assert done.code == code
        return done
    return run


@pytest.mark.parametrize(('name', 'urdf'), [
    ('rx90_doc_motion', OWN / 'rx90.urdf'), ('scara_effort', OWN / 'scara.urdf'),
    ('mimic_velocity', RECORDINGS / 'gazebo' / 'mimic.urdf')])
def test_efforts_agree(run: Any, name: str, urdf: Path) -> None:
    """They are one step of 1 ms late; those of a driver are without its followers'."""
    done = run(name, urdf)
    for joint in done.figures():
        assert joint['nrmse_rms'] < 5e-4 and joint['lag'] == pytest.approx(1e-3, abs=1e-4)


@pytest.mark.slow
def test_another_gravity_is_a_bias_proportional_to_it(run: Any) -> None:
    done = run('rx90_doc_motion', OWN / 'rx90.urdf', gravity='-9.81')
    assert ('joint2, joint3, joint4, joint5, joint6: a bias proportional to gravity, -0.1 % of '
            'the effort against it; is gravity another one') in done.out
    assert 'proportional' not in run('rx90_doc_motion', OWN / 'rx90.urdf').out


def test_the_lag_is_found_beside_friction(run: Any) -> None:
    """Its steps, which no smoothed motion shows, leave most of the power at any lag."""
    done = run('rx90_friction_effort', RECORDINGS / 'gazebo' / 'rx90_friction.urdf')
    for joint in done.figures():
        assert joint['lag'] == pytest.approx(1e-3, abs=1e-4)
        assert joint['rmse'] < 0.9 * joint['unaligned']['rmse']
        assert joint['nrmse_rms'] < 0.015


def test_an_oscillation_at_half_the_rate_is_named(run: Any) -> None:
    """Of controllers at 100 Hz: the samples do not have its accelerations."""
    done = run('rx90_update_rate_100', OWN / 'rx90.urdf')
    assert 'positions of joint1, joint2, joint3, joint4, joint5, joint6 alternate' in done.err
    online = run('rx90_update_rate_100', OWN / 'rx90.urdf', '--estimator', 'kalman', code=1)
    assert 'efforts computed: 0 of 800' in online.out
    assert 'controller that oscillates' in online.out
    assert 'alternate' not in run('scara_effort', OWN / 'scara.urdf').err
