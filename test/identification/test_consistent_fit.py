"""The consistent fit against independent minimisers, and its bounds."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

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
    parameters_of,
    pseudo_inertia,
)

TOP_SPEED, WEIGHT, COUNT = 2.0, 3.0, len(JOINT_COLUMNS)
DIRECTIONS = (1.0, -1.0)
LOWER = np.tril_indices(4)


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


def cost(given, bodies, values):
    """Return the sum of the module's head, from pseudo-inertias and scalars, by its words."""
    total = 0.0
    parameters = parameters_of(bodies)
    for j, (R, used) in enumerate(zip(given.triangles, given.bodies)):
        x = np.concatenate((parameters[list(used)].ravel(),
                            bounded(TOP_SPEED, DIRECTIONS[j]) @ values[j]))
        total += np.square((R[:, :-1] @ x - R[:, -1]) / given.sigma[j]).sum()
    for L, P in zip(given.factors, bodies):
        ratio = np.linalg.solve(L @ L.T, P)
        total += WEIGHT * (np.trace(ratio) - np.linalg.slogdet(ratio)[1] - 4.0)
    shares = np.delete(values / given.scale, OFFSET, axis=1)
    total += np.square((values / given.scale)[:, OFFSET]).sum()
    return total + SCALAR_WEIGHT * (shares - np.log(shares) - 1.0).sum()


def test_the_cost_is_the_least_that_another_method_finds() -> None:
    """BFGS in logarithms and triangles of Cholesky, which know no bounds, from the same start."""
    given = problem()
    fit = ConsistentFit(given).solve()

    def parts(u):
        C = np.zeros((2, 4, 4))
        C[:, LOWER[0], LOWER[1]] = u[:20].reshape(2, 10)
        for k in range(4):
            C[:, k, k] = np.exp(C[:, k, k])
        LC = given.factors @ C
        values = u[20:].reshape(2, COUNT)
        positive = given.scale * np.exp(values)
        positive[:, OFFSET] = values[:, OFFSET]
        return LC @ LC.transpose(0, 2, 1), positive

    u = np.zeros(20 + 2 * COUNT)
    for _ in range(3):
        u = minimize(lambda u: cost(given, *parts(u)), u, method='BFGS',
                     options={'gtol': 1e-9, 'maxiter': 3000}).x
    other = cost(given, *parts(u))
    np.testing.assert_allclose(fit.cost, other, rtol=1e-8)
    assert fit.cost <= other * (1.0 + 1e-10)


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
