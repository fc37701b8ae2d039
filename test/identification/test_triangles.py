"""Triangles: the least squares of all rows, in any order."""

import numpy as np

from urdf2dyn_ros.identification.fit.triangles import merged_triangle, residual_squares, triangle


def test_merged_triangles_are_that_of_all_rows_in_any_order() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(9000, 12)) * 10.0 ** rng.integers(-3, 4, size=12)
    parts = [triangle(part) for part in np.split(rows, [5, 800, 7000])]
    whole = triangle(rows)
    size = np.linalg.norm(whole, axis=0)
    for order in ((0, 1, 2, 3), (3, 1, 0, 2), (2, 3, 1, 0)):
        found = merged_triangle(parts[k] for k in order)
        assert (np.abs(found - whole) <= 1e-12 * size).all()
    x = rng.normal(size=11)
    expected = np.square(rows[:, :-1] @ x - rows[:, -1]).sum()
    np.testing.assert_allclose(residual_squares(whole, x), expected, rtol=1e-12)


def test_few_rows_and_none_have_a_square_triangle() -> None:
    assert triangle(np.zeros((0, 3))).tolist() == np.zeros((3, 3)).tolist()
    assert triangle(np.array([[3.0, 4.0]])).tolist() == [[3.0, 4.0], [0.0, 0.0]]
