"""The smoother of whole recordings: motions of known acceleration."""

import numpy as np
import pytest

from support.streams.known_motions import PROFILES, START, Profile, record, truth
from urdf2dyn_ros.recordings.smoothing import smoothed
from urdf2dyn_ros.robot.spatial import geometric_mean


def errors(stamps, q):
    """Return RMSE(qdd) / RMS(qdd) of each motion [%]."""
    true = truth(stamps)[2]
    time = (stamps - START) * 1e-9
    some = (time > 1.0) & (time < 11.8)
    found = smoothed(stamps, q).qdd
    return 100.0 * np.sqrt(np.square(found - true)[some].mean(axis=0)
                           / np.square(true[some]).mean(axis=0))


# with velocities, a polynomial over 80 ms has 1.9, 1.1, 0.94, 0.72, 1.5, 0.17
@pytest.mark.parametrize(('profile', 'limit'), [
    (Profile(50, 17, 0.0), 1.1), (PROFILES['C'], 0.9), (Profile(250, 17, 0.0), 0.8),
    (PROFILES['A'], 0.5), (PROFILES['F'], 1.35), (PROFILES['E'], 0.01)])
def test_fast_motions_are_found_from_positions_alone(profile, limit) -> None:
    samples = record(profile)
    assert geometric_mean(errors(samples.stamps, samples.q)) < limit


def test_samples_may_be_lost_uneven_and_wrong() -> None:
    samples = record(PROFILES['C'])
    clean = geometric_mean(errors(samples.stamps, samples.q))
    random = np.random.default_rng(0)
    kept = random.random(len(samples.q)) > 0.05
    assert geometric_mean(errors(samples.stamps[kept], samples.q[kept])) < 1.2 * clean
    # at other instants, with true positions of these
    stamps = samples.stamps + random.integers(-2_400_000, 2_400_000, len(samples.q))
    step = 2.0 * np.pi / 2 ** PROFILES['C'].bits
    assert geometric_mean(errors(stamps, step * np.rint(truth(stamps)[0] / step))) < 1.3 * clean
    q = samples.q.copy()
    wrong = random.choice(len(q), len(q) // 100, replace=False)
    q[wrong, random.integers(0, 4, len(wrong))] += 0.5
    assert geometric_mean(errors(samples.stamps, q)) < 1.1 * clean


def test_messages_that_are_received_twice_are_of_one_instant() -> None:
    """Some microseconds apart, and not the same: their steps are no period."""
    samples = record(PROFILES['C'])
    clean = geometric_mean(errors(samples.stamps, samples.q))
    noise = np.random.default_rng(0).normal(scale=1e-6, size=samples.q.shape)
    stamps = np.column_stack((samples.stamps, samples.stamps + 3_000)).ravel()
    q = np.stack((samples.q + noise, samples.q), axis=1).reshape(-1, samples.q.shape[1])
    assert geometric_mean(errors(stamps, q)) < 1.1 * clean


def test_a_joint_at_rest_and_a_slow_one_are_smoothed_more_than_a_fast_one() -> None:
    time = 0.004 * np.arange(5000)
    step = 2.0 * np.pi / 2 ** 17
    true = np.stack([0.0 * time, 0.5 * np.sin(0.6 * time), 0.1 * np.sin(20.0 * time)], axis=1)
    noise = 2.0 * step * np.random.default_rng(1).normal(size=true.shape)
    found = smoothed((time * 1e9).astype(np.int64), step * np.rint((true + noise) / step))
    assert found.cutoffs[1] < 0.5 * found.cutoffs[2]
    middle = slice(250, -250)
    assert np.abs(found.qdd[middle, 0]).max() < 0.1
    for joint, speed in ((1, 0.6), (2, 20.0)):
        wrong = np.sqrt(np.square(found.qdd + speed ** 2 * true)[middle, joint].mean())
        assert wrong < 0.1 * speed ** 2 * true[:, joint].std()
