"""Series of samples, what is interpolated in them, and sums of products by their definitions."""

import numpy as np
import pytest

from urdf2dyn_ros.recordings.series import Moments, Series, interpolated, longest_step

MS = 1_000_000


def test_rows_are_kept_in_order_and_the_oldest_go():
    series = Series(4, 2)
    assert not series.extend(np.array([3, 5, 5, 4, 9]), np.array(
        [[1.0, 2.0], [np.nan, 0.0], [3.0, 4.0], [5.0, 6.0], [7.0, np.nan]]))
    assert (series.stamps.tolist(), series.rows[:, 0].tolist()) == ([3, 5, 9], [1.0, 3.0, 7.0])
    rows = np.array([[8.0, 0.0], [9.0, 0.0], [1e300, 0.0]])
    assert not series.extend(np.array([9, 11, 12]), rows)
    assert not series.extend(np.array([13]), np.array([[2.0, 0.0]]))
    assert (series.stamps.tolist(), series.newest) == ([5, 9, 11, 13], 13)
    stamps, rows = series.between(5, 11)
    assert (stamps.tolist(), rows[:, 0].tolist()) == ([9, 11], [7.0, 9.0])
    series.forget(9)
    assert (series.stamps.tolist(), series.newest) == ([11, 13], 13)


@pytest.mark.parametrize(('back', 'restarted'), [(999_999_999, False), (1_000_000_000, True)])
def test_a_clock_that_is_set_back_by_a_second_begins_anew(back, restarted):
    series, start = Series(9), 5_000_000_000
    stamps = np.array([start, start + 7, start + 7 - back, start + 8 - back])
    assert series.extend(stamps, np.arange(4.0)[:, None]) == restarted
    assert series.stamps.tolist() == stamps[2:].tolist() if restarted else stamps[:2].tolist()


def test_samples_are_interpolated_at_every_lag_or_not_at_all():
    stamps = MS * np.array([0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 200, 210, 220])
    samples = 0.3 * stamps / MS - 2.0
    at, lags = MS * np.array([4, 10, 25, 63, 105, 108, 201, 219]), MS * np.array([-4, 0, 3])
    values, valid, power = interpolated(at, lags, stamps, samples)
    assert valid.tolist() == [True, True, True, True, True, False, False, False]
    wanted = (at[valid] + lags[:, None]) / MS
    np.testing.assert_allclose(values, 0.3 * wanted - 2.0, atol=1e-12)
    share = (wanted % 10) / 10.0
    np.testing.assert_allclose(power, ((1.0 - share)**2 + share**2).sum(axis=1))
    assert longest_step(stamps) < 90 * MS
    assert [each.shape for each in interpolated(at, lags, stamps[:0], samples[:0])] == [
        (3, 0), (8,), (3,)]


def test_moments_are_sums_over_samples_and_those_of_parts_add_up():
    rng = np.random.default_rng(2)
    lags, count, still, reference = 5, 40, 0.3, 1.7
    measured, computed = rng.normal(size=(lags, count)) + 2.0, rng.normal(size=count) + 1.0
    velocity = rng.normal(size=count)
    velocity[3] = np.nan
    power = rng.random(lags)
    moves = (np.abs(velocity) > still).astype(float)
    speed = np.where(moves > 0.0, velocity, 0.0)
    rows = np.vstack((measured - computed, speed, np.sign(speed), moves, 1.0 - moves,
                      measured[2] - reference, computed - reference,
                      moves * (computed - reference)))
    gram = rows @ rows.T
    gram[0, 4] = gram[4, 0] = 0.0   # of lags that are four steps apart
    whole = Moments.of(measured, computed, velocity, power, still, reference)
    parts = sum((Moments.of(measured[:, part], computed[part], velocity[part], power / 2.0, still,
                            reference) for part in (slice(13), slice(13, None))), Moments.none(5))
    for found in (whole, parts):
        np.testing.assert_allclose(found.gram, gram, atol=1e-12)
        np.testing.assert_allclose(found.squares, (rows[:5]**2 * moves).sum(axis=1))
        np.testing.assert_allclose(found.power, power)
        assert (found.lowest, found.highest) == (measured[2].min(), measured[2].max())
        assert found.largest == np.abs(measured[2] - computed).max()
        assert (found.lags, found.samples, found.moves_both_ways) == (5, 40, False)
        assert found.variance(-3) == pytest.approx(np.var(measured[2]))
        assert found.variance(-2) == pytest.approx(np.var(computed))
        assert found.correlation == pytest.approx(np.corrcoef(measured[2], computed)[0, 1])
    assert Moments.of(measured[:, :0], computed[:0], velocity[:0], power, still, 0.0).samples == 0


@pytest.mark.parametrize(('ahead', 'back', 'both'), [(70, 25, True), (70, 24, False)])
def test_a_motion_both_ways_has_twentyfive_samples_in_each(ahead, back, both):
    velocity = np.array([0.5] * ahead + [-0.5] * back + [0.0] * 90)
    found = Moments.of(np.ones((1, len(velocity))), velocity, velocity, np.ones(1), 0.1, 0.0)
    assert found.moves_both_ways == both
