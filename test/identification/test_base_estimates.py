"""Base parameters of identified robots: their values, and honest 95 % intervals."""

import numpy as np
import pytest

from support.robot_files import OWN
from support.scara_recordings import MODEL, ROBOT, motion
from urdf2dyn_ros.identification.fit import Pool, compute_deviations, fitted, pooled, used_terms
from urdf2dyn_ros.identification.from_summaries import identify_summaries
from urdf2dyn_ros.identification.gains import ratios_of_efforts
from urdf2dyn_ros.identification.robot import JOINT_COLUMNS, Robot, estimate_base, robot_of
from urdf2dyn_ros.identification.summary import Summary, summarised
from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.recordings.pieces import RecordedNames, RecordedSegment, pieces_of
from urdf2dyn_ros.robot.reader import read_urdf


@pytest.mark.parametrize('name', ['scara.urdf', 'rx90.urdf', 'robot_2r.urdf'])
def test_base_parameters_of_bodies_are_those_of_links(name: str) -> None:
    model = read_urdf((OWN / name).read_text())
    dynamics = InverseDynamics(model)
    urdf = robot_of(dynamics)
    base = estimate_base(urdf, urdf.prior.nominal, np.zeros(2 * (urdf.prior.nominal.size,)))
    expected = dynamics.base_parameters
    assert base.names == expected.names and base.units == expected.units
    size = np.abs(expected.values).max()
    np.testing.assert_allclose(base.urdf, expected.values, rtol=1e-9, atol=1e-9 * size)
    np.testing.assert_allclose(base.identified, expected.values, rtol=1e-9, atol=1e-9 * size)


@pytest.fixture(scope='module')
def urdf() -> Robot:
    return robot_of(InverseDynamics(MODEL))


def test_bodies_that_are_too_small_to_exist_are_compared_as_they_are(urdf: Robot) -> None:
    """The last link has a fifth of the least inertia that its mass may have."""
    pool = Pool([np.diag(np.append(np.tile(np.arange(10) == 9, len(rows)), np.zeros(
        len(JOINT_COLUMNS) + 1))).astype(float) for rows in urdf.columns.bodies], np.ones(4))
    ratios, _ = ratios_of_efforts(urdf, pool, 1.2 * urdf.prior.nominal)
    assert ratios == pytest.approx([1.2] * 4, rel=1e-3) and (
        urdf.prior.parameters[-1, -1] > 3.0 * urdf.prior.nominal[-1, -1])


def summary_of(urdf: Robot, seed: int, drift: float = 0.0) -> Summary:
    """Return the summary of 8 s with noise of 3 %, and offsets of that day."""
    names = RecordedNames(urdf.joints, urdf.dynamics.continuous, urdf.dynamics.units)
    used = np.ones(4, dtype=bool)
    rng = np.random.default_rng(seed + 40)
    time, q, qd, qdd = motion(8.0, seed)
    effort = ROBOT(q, qd, qdd)
    effort += drift * rng.normal(size=4) * np.sqrt(np.square(effort).mean(axis=0))
    effort += 0.03 * effort.std(axis=0) * rng.normal(size=effort.shape)
    segment = RecordedSegment((1e9 * time).astype(np.int64) + 1,
                              q + 1e-5 * rng.normal(size=q.shape), effort)
    pieces = pieces_of([segment], names, 'simulated')
    return summarised(urdf, f'simulated {seed}', pieces, used, (10.0, 0.0))


@pytest.mark.slow
@pytest.mark.parametrize(('drift', 'weight'), [(0.3, None), (0.0, 1000.0)])
def test_deviations_are_honest(drift: float, weight: float | None, urdf: Robot) -> None:
    """Where sensors have other offsets on each of four days, and the URDF has much weight."""
    errors = []
    for first in (0, 10, 20):
        summaries = [summary_of(urdf, first + day, drift) for day in range(4)]
        found = identify_summaries(urdf, summaries, weight=weight).base
        errors.append((found.identified - ROBOT.base_parameters.values) / found.deviations)
    share = float((np.abs(errors) < 1.96).mean())
    print(f'{100.0 * share:.0f} % within 95 % intervals, at most {np.abs(errors).max():.1f} '
          'deviations')
    assert share > 0.85


@pytest.mark.slow
def test_95_percent_intervals_of_base_parameters_have_95_percent_of_the_true_values(urdf):
    """From 90 to 99 %, in eight recordings of a robot that is not as its URDF says."""
    truth, errors = ROBOT.base_parameters.values, []
    for seed in range(8):
        summary = summary_of(urdf, seed)
        terms = used_terms(urdf, summary.used, summary.fastest)
        result = fitted(urdf, pooled(summary.weighted), terms, 10.0)
        base = estimate_base(urdf, result.fit.bodies,
                             compute_deviations(result, summary.correlation).covariance)
        errors.append((base.identified - truth) / base.deviations)
    share = float((np.abs(errors) < 1.96).mean())
    assert 0.9 <= share <= 0.99, share
