"""The consistent fit against independent minimisers, and its bounds."""

from typing import Any

import numpy as np
import pytest

from urdf2dyn_ros.identification.fit import (
    SCALAR_WEIGHT,
    ConsistentFit,
    FitProblem,
    FitTerms,
    triangle,
)
from urdf2dyn_ros.identification.robot import (
    ARMATURE,
    BASIS,
    JOINT_COLUMNS,
    OFFSET,
    bounded,
    pseudo_inertia,
)

TOP_SPEED, WEIGHT, COUNT = 2.0, 3.0, len(JOINT_COLUMNS)
DIRECTIONS = (1.0, -1.0)


def problem(seed=0):
    """Return two bodies and two joints, whose data want what is impossible."""
    rng = np.random.default_rng(seed)
    triangles = []
    for count in (20, 10):
        rows = rng.normal(size=(60, count + COUNT + 1))
        unknowns = 0.5 * rng.normal(size=count + COUNT)
        unknowns[count + ARMATURE] = -0.4
        rows[:, -1] = rows[:, :-1] @ unknowns
        triangles.append(triangle(rows))
    factors = np.array([np.linalg.cholesky(np.diag([0.3, 0.2, 0.1, 2.0])) for _ in range(2)])
    terms = FitTerms(np.ones((2, COUNT), dtype=bool), np.full(2, TOP_SPEED),
                     np.array(DIRECTIONS))
    return FitProblem(triangles, ((0, 1), (1,)), factors, terms, np.full((2, COUNT), 0.3),
                      np.array([0.5, 2.0]), WEIGHT)


def test_the_cost_is_that_of_clarabel() -> None:
    """To 1e-8, bodies too; a solver of semidefinite and exponential cones."""
    cvxpy: Any = pytest.importorskip('cvxpy')
    given = problem()
    parameters = [cvxpy.Variable(10) for _ in given.factors]
    shares = [cvxpy.Variable(COUNT) for _ in given.triangles]
    cost = 0.0
    for R, used, sigma, scale, own, direction in zip(
            given.triangles, given.bodies, given.sigma, given.scale, shares, DIRECTIONS):
        x = cvxpy.hstack([*(parameters[body] for body in used),
                          bounded(TOP_SPEED, direction) @ cvxpy.multiply(scale, own)])
        cost += cvxpy.sum_squares((R[:, :-1] @ x - R[:, -1]) / sigma)
        positive = [own[k] for k in range(COUNT) if k != OFFSET]
        cost += cvxpy.square(own[OFFSET])
        cost += SCALAR_WEIGHT * sum(each - cvxpy.log(each) - 1.0 for each in positive)
    for L, body in zip(given.factors, parameters):
        inverse = np.linalg.inv(L)
        ratio = sum(body[k] * (inverse @ BASIS[k] @ inverse.T) for k in range(10))
        cost += WEIGHT * (cvxpy.trace(ratio) - cvxpy.log_det(ratio) - 4.0)
    exact = {f'tol_{name}': 1e-12 for name in ('gap_abs', 'gap_rel', 'feas', 'ktratio')}
    least = cvxpy.Problem(cvxpy.Minimize(cost)).solve(solver='CLARABEL', **exact)
    fit = ConsistentFit(given).solve()
    np.testing.assert_allclose(fit.cost, least, rtol=1e-8)
    for found, body in zip(fit.bodies, parameters):
        np.testing.assert_allclose(found, body.value, rtol=1e-4, atol=1e-6)
        assert (np.linalg.eigvalsh(pseudo_inertia(found)) > 0.0).all()


def test_bodies_are_possible_and_friction_and_rotors_not_negative() -> None:
    """Whatever the data want, up to the top speed."""
    for seed in range(5):
        fit = ConsistentFit(problem(seed)).solve()
        assert (np.linalg.eigvalsh(pseudo_inertia(fit.bodies)) > 0.0).all()
        viscous, coulomb, _, armature, load, quadratic, asymmetry, *stribeck = fit.joints.T
        for values in (coulomb, armature, load, *stribeck, *(
                viscous + sign * asymmetry + speed * quadratic
                for sign in (1.0, -1.0) for speed in (0.0, TOP_SPEED))):
            assert (values > -1e-15).all()
        assert (asymmetry * DIRECTIONS >= 0.0).all()


def test_a_first_approximation_does_not_change_the_result() -> None:
    given = problem(1)
    fit = ConsistentFit(given).solve()
    again = ConsistentFit(given).solve(ConsistentFit(given._replace(weight=50.0)).solve().unknowns)
    np.testing.assert_allclose(again.bodies, fit.bodies, rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(again.cost, fit.cost, rtol=1e-10)
