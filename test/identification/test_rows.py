"""Rows of a recording: joints that look coupled, and the delay of their efforts."""

import numpy as np

from urdf2dyn_ros.identification.robot import joint_columns
from urdf2dyn_ros.identification.rows import RecordedRows, coupling


def moving(rng: np.random.Generator, joints: int) -> tuple[np.ndarray, RecordedRows]:
    """Return velocities (500, joints), and their rows."""
    time = np.arange(500) / 25.0
    qd = np.stack([sum(np.sin(2.0 * np.pi * rng.uniform(0.1, 0.6) * time + rng.uniform(0.0, 6.0))
                       for _ in range(4)) for _ in range(joints)], axis=1)
    columns = [np.column_stack((joint_columns(each, np.gradient(each), np.ones(500), 0.02),
                                np.zeros(500))) for each in qd.T]
    return qd, RecordedRows(columns, np.arange(500) // 100, qd != 0.0, time, qd, qd)


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
