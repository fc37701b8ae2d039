"""Vectors and matrices with operators, of numbers, arrays and expressions."""

import copy
import pickle

import numpy as np
import pytest

from urdf2dyn_ros.codegen.expression import Expression, Graph
from urdf2dyn_ros.robot.spatial import IDENTITY, Matrix, Vector, about_z, cross, outer

TUPLE = (1.0, 2.0, 3.0)
A, B = Vector(1.0, -2.0, 3.0), Vector(0.5, 4.0, -1.5)
M = Matrix((1.0, 2.0, 3.0), (-4.0, 5.0, 0.5), (6.0, -7.0, 8.0))


def test_operators_agree_with_numpy() -> None:
    a, b, m, n = map(np.array, (A, B, M, about_z(0.6, 0.8)))
    assert np.array_equal(A + B, a + b)
    assert np.array_equal(A - B, a - b)
    assert np.array_equal(-A, -a)
    assert np.array_equal(2.5 * A, 2.5 * a)
    assert np.array_equal(A * 2.5, 2.5 * a)
    assert np.array_equal(M @ A, m @ a)
    assert M @ about_z(0.6, 0.8) == pytest.approx(m @ n, abs=1e-15)
    assert np.array_equal(M + about_z(0.6, 0.8), m + n)
    assert np.array_equal(M.T, m.T)
    assert np.array_equal(M.entries, m.ravel())
    assert np.array_equal(cross(A, B), np.cross(a, b))
    assert np.array_equal(outer(A, B), np.outer(a, b))


def test_results_are_vectors_and_matrices_again() -> None:
    for vector in (A + B, A - B, -A, 2 * A, A * 2, M @ A, M[0], M.T[2], cross(A, B),
                   sum((A, B), IDENTITY[0]), TUPLE + A):
        assert type(vector) is Vector
        assert len(vector) == 3
    for matrix in (M + M, M @ M, M.T, outer(A, B), copy.deepcopy(M),
                   pickle.loads(pickle.dumps(M))):
        assert type(matrix) is Matrix
        assert all(type(row) is Vector for row in matrix)


def test_a_tuple_on_the_left_is_a_vector_and_is_not_continued() -> None:
    assert TUPLE + A == (2.0, 0.0, 6.0)


def test_an_array_is_a_scalar_of_many_samples() -> None:
    samples = np.array([1.0, 2.0])
    for scaled in (samples * A, A * samples):
        assert type(scaled) is Vector
        assert np.array_equal(scaled, [[1.0, 2.0], [-2.0, -4.0], [3.0, 6.0]])
    assert type(np.float64(2.0) * A) is Vector
    assert np.float64(2.0) * A == (2.0, -4.0, 6.0)


def test_an_expression_is_a_scalar() -> None:
    graph = Graph()
    x = graph.input('x')
    for scaled in (x * A, A * x):
        assert type(scaled) is Vector
        assert all(isinstance(entry, Expression) for entry in scaled)
    assert (x * A)[0].node is x.node
    assert (IDENTITY @ Vector(x, 0.0, 0.0))[0].node is x.node
