"""Rows of a recording: joints that look coupled, and the delay of their efforts."""

import numpy as np
import pytest

from urdf2dyn_ros.identification.delays import vertex
from urdf2dyn_ros.identification.robot import joint_columns
from urdf2dyn_ros.identification.rows import RecordedRows, coupling


def moving(rng: np.random.Generator, joints: int) -> tuple[np.ndarray, RecordedRows]:
    """Return velocities (500, joints), and their rows."""
    time = np.arange(500) / 25.0
    qd = np.stack([sum(np.sin(2.0 * np.pi * rng.uniform(0.1, 0.6) * time + rng.uniform(0.0, 6.0))
                       for _ in range(4)) for _ in range(joints)], axis=1)
    columns = [np.column_stack((joint_columns(each, np.gradient(each), np.ones(500), 0.02),
                                np.zeros(500))) for each in qd.T]
    return qd, RecordedRows(columns, np.arange(500) // 100, qd != 0.0, time)


def test_coupled_gears_are_found_and_slow_drifts_are_not() -> None:
    """Two joints feel a motor that turns with both; the third follows none but drifts."""
    rng = np.random.default_rng(3)
    qd, rows = moving(rng, 3)
    drift = np.cumsum(rng.normal(size=qd.shape), axis=0) / 60.0
    both = np.tanh((2.0 * qd[:, 0] + qd[:, 1]) / 0.02)
    residuals = [2.0 * both + drift[:, 0], both + drift[:, 1], drift[:, 2]]
    share = coupling(rows, residuals, np.ones(3))
    mutual = np.minimum(share, share.T)
    assert mutual[0, 1] > 0.3
    assert (mutual[2] < 0.1).all()
    # what a fit to all rows explains of the drift would look coupled
    columns = np.column_stack([joint[:, :3] for joint in rows.joints[:2]])
    fitted = columns @ np.linalg.lstsq(columns, residuals[2], rcond=None)[0]
    assert np.square(fitted).sum() > 0.1 * np.square(residuals[2]).sum()


def test_errors_of_a_model_that_follow_velocities_are_no_coupling() -> None:
    """Each joint's residual has a part with the other's velocity, of no motor that both turn."""
    rng = np.random.default_rng(5)
    qd, rows = moving(rng, 2)
    noise = rng.normal(size=qd.shape)
    residuals = [noise[:, 0] + 0.8 * qd[:, 1], noise[:, 1] - 0.8 * qd[:, 0]]
    share = coupling(rows, residuals, np.ones(2))
    assert max(share[0, 1], share[1, 0]) < 0.1
    apart = [np.square(each).sum() for each in residuals]
    assert all(np.square(each).sum() < 0.7 * size for each, size in zip(noise.T, apart))


@pytest.mark.parametrize(('errors', 'least'), [
    ((2.0, 1.0, 2.0), 0.1), ((2.0, 1.0, 1.0), 0.105), ((1.0, 1.0, 1.0), 0.1)])
def test_a_delay_is_where_a_parabola_through_three_errors_is_least(
        errors: tuple[float, float, float], least: float) -> None:
    """Errors that are all equal, as those of efforts without noise may be, have the middle one."""
    assert vertex(0.1, 0.01, errors) == pytest.approx(least)
