"""The planar two-link arm against Lagrange's equations."""

from dataclasses import replace

import pytest
import sympy

from support.robot_files import OWN
from urdf2dyn_ros import InverseDynamics, read_urdf
from urdf2dyn_ros.equations.newton_euler import newton_euler
from urdf2dyn_ros.robot import spatial
from urdf2dyn_ros.robot.multibody import Multibody, multibody
from urdf2dyn_ros.robot.spatial import BodyInertia

spatial.sin.register(sympy.Expr, sympy.sin)
spatial.cos.register(sympy.Expr, sympy.cos)

MODEL = read_urdf((OWN / 'robot_2r.urdf').read_bytes())
GRAVITY = (0.0, -9.81, 0.0)
t = sympy.Symbol('t')
m1, m2, length, r1, r2, I1, I2, g = sympy.symbols('m1 m2 l r1 r2 I1 I2 g', positive=True)
Q, QD, QDD = (sympy.symbols(f'{x}1 {x}2') for x in ('q', 'qd', 'qdd'))
def lagrange() -> sympy.Matrix:
    """Return d/dt dL/dqd - dL/dq of two links whose centres lie r1 and r2 along them."""
    angles = [sympy.Function(f'angle{i}')(t) for i in (1, 2)]
    both = sum(angles)
    elbow = length * sympy.Matrix([sympy.cos(angles[0]), sympy.sin(angles[0])])
    centres = (elbow * r1 / length, elbow + r2 * sympy.Matrix([sympy.cos(both), sympy.sin(both)]))
    turns = (angles[0].diff(t), both.diff(t))
    L = sum(m * c.diff(t).dot(c.diff(t)) / 2 + J * w**2 / 2 - m * g * c[1]
            for m, J, c, w in zip((m1, m2), (I1, I2), centres, turns))
    tau = sympy.Matrix([L.diff(a.diff(t)).diff(t) - L.diff(a) for a in angles])
    for symbols, order in ((QDD, 2), (QD, 1), (Q, 0)):
        tau = tau.subs({a.diff(t, order): symbol for a, symbol in zip(angles, symbols)})
    return tau.expand()


def with_symbols(system: Multibody) -> tuple[Multibody, list[BodyInertia]]:
    """Return the 2R with the lengths, masses and inertias of Lagrange's equations."""
    first, second = system.bodies
    bodies = (first, replace(second, parent_p_joint=(length, 0, 0)))
    return replace(system, bodies=bodies), [
        BodyInertia(m, (m * r, 0, 0), ((0, 0, 0), (0, J + m * r**2, 0), (0, 0, J + m * r**2)))
        for m, r, J in ((m1, r1, I1), (m2, r2, I2))]


def test_the_recursion_on_symbols_is_lagranges_equations() -> None:
    system, inertias = with_symbols(multibody(MODEL))
    efforts = newton_euler(system, inertias, (Q, QD, QDD), (0, -g, 0)).efforts
    for effort, expected in zip(efforts, lagrange()):
        assert sympy.simplify(sympy.nsimplify(effort - expected, rational=True)) == 0


def test_the_sample_drawn_by_hand_gives_the_same_efforts() -> None:
    efforts = InverseDynamics(MODEL, GRAVITY)([0.3, -0.7], [1.1, 0.4], [-0.5, 2.0])
    assert efforts == pytest.approx([184.56039003414693, 56.05879680384301], rel=1e-15, abs=0.0)
