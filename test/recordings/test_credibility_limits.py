"""From what on an effort is not credible: both sides of each limit."""

import numpy as np
import pytest

from urdf2dyn_ros.recordings.credibility import Evidence, have_no_sign
from urdf2dyn_ros.robot.spatial import Array

STAMPS = np.arange(1000) * 4_000_000
WAVE = 10.0 * np.sin(np.arange(1000) / 40.0)   # its period is one second


def fault(measured: Array, computed: Array = WAVE, limit: float | None = None) -> str:
    evidence = Evidence()
    for rows in np.split(np.arange(len(measured)), [300]):
        evidence.take(STAMPS[rows], measured[rows], computed[rows], limit)
    return evidence.fault(limit=limit)


def held(count: int) -> Array:
    """Return an effort that does not change in some samples, nor is an extreme."""
    return np.where(np.abs(np.arange(1000) - 400) < count / 2, 3.0, WAVE)


def near(count: int, share: float) -> Array:
    """Return an effort of which a count of samples is at a share of 11 N m."""
    return np.where(np.arange(1000) % (1000 // count) == 0, np.linspace(1.0, 1.00001, 1000), 0.0
                    ) * 11.0 * share + WAVE * (np.arange(1000) % (1000 // count) != 0)


def cut(count: int, computed: float) -> tuple[Array, Array]:
    """Return efforts of which a count of samples is at one extreme, where the other varies."""
    at = np.arange(1000) % (1000 // count) == 0
    return (np.where(at, 12.0, WAVE),
            np.where(at, np.linspace(10.0 - 20.0 * computed, 10.0, 1000), WAVE))


@pytest.mark.parametrize(('measured', 'computed', 'limit', 'text'), [
    (WAVE[:49], WAVE[:49], None, '49 samples, at least 50 are needed'),
    (WAVE[:50], WAVE[:50], None, ''),
    (0.9e-12 * WAVE, WAVE, None, 'the measured effort is zero: at most 9e-12 in size'),
    (1.1e-12 * WAVE, WAVE, None, ''),
    (held(251), WAVE, None, ''),
    (held(253), WAVE, None, 'the measured effort is frozen for 1.0 s while the'),
    (held(500), np.where(STAMPS < 2.8e9, 0.04, 1.0) * WAVE, None, ''),
    (held(500), np.where(STAMPS < 2.8e9, 0.06, 1.0) * WAVE, None, 'the measured effort is frozen'),
    (*cut(20, 0.1), None, ''),
    (*cut(25, 0.1), None, 'the measured effort is saturated at 12 in 2 % of the samples'),
    (*cut(25, 0.04), None, ''),
    (near(20, 1.0), WAVE, 11.0, ''),
    (near(25, 1.0), WAVE, 11.0, "the measured effort is at the URDF's limit of 11 in 2 % of the"),
    (near(25, 0.9992), WAVE, 11.0, "the measured effort is at the URDF's limit of 11 in 2 % of"),
    (near(25, 0.998), WAVE, 11.0, ''),
    (near(25, 1.0008), WAVE, 11.0, "the measured effort is at the URDF's limit of 11 in 2 % of"),
    (near(25, 1.002), WAVE, 11.0, '')])   # so the limit is wrong
def test_the_efforts_of_a_joint(measured: Array, computed: Array, limit: float | None,
                                text: str) -> None:
    found = fault(measured, computed, limit)
    assert found.startswith(text) and bool(found) == bool(text)


@pytest.mark.parametrize(('ranges', 'unsigned'), [
    ([(0.01, 1.0), (0.019, 1.0), (0.1, 1.0)], True), ([(0.01, 1.0), (0.021, 1.0)], False),
    ([(0.0, 1.0), (0.0, 1.0), (-0.01, 1.0)], False), ([(0.0, 1.0), (0.5, 1.0)], False),
    ([], False)])
def test_efforts_without_a_sign(ranges: list[tuple[float, float]], unsigned: bool) -> None:
    assert have_no_sign(ranges) == unsigned
