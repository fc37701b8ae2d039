"""Formulas of small robots as LaTeX: what they say is what the generated text computes."""

import itertools
import re
from dataclasses import replace

import numpy as np
import pytest

from support.mechanisms import mechanism
from support.robot_files import OWN
from urdf2dyn_ros import InverseDynamics, ParameterError, read_dh
from urdf2dyn_ros.__main__ import main
from urdf2dyn_ros.codegen.latex import constraints, equations
from urdf2dyn_ros.robot.loads import Loads
from urdf2dyn_ros.robot.model import ExternalForce
from urdf2dyn_ros.robot.terms import Friction, Rotor, Spring

sympy = pytest.importorskip('sympy')

ARM = read_dh([
    {'type': 'R', 'alpha': 0.3, 'd': 0.2, 'M': 3.0, 'MX': 0.5, 'MZ': -0.2, 'XX': 0.4, 'YY': 0.5,
     'ZZ': 0.6, 'XY': 0.1},
    {'type': 'P', 'alpha': -0.7, 'd': 0.1, 'theta': 0.4, 'M': 2.0, 'MY': 0.3, 'ZZ': 0.2,
     'XX': 0.3, 'YY': 0.3},
    {'type': 'R', 'alpha': 1.1, 'r': 0.3, 'M': 1.0, 'MX': 0.2, 'XX': 0.1, 'YY': 0.1, 'ZZ': 0.1}])
PUSHED = replace(ARM, forces=(
    ExternalForce(ARM.joints[-1].child, (3.0, -2.0, 5.0), (1.0, 0.5, 0.2)),))
FLAT = {'gravity': (0.0, -9.81, 0.0)}
WHATS = ('efforts', 'bias', 'gravity', 'mass_matrix')
TEXTBOOK = r"""\begin{aligned}
\tau_1 &= \left(I_{1zz} + I_{2zz} + m_{1} r_{1x}^{2} + m_{2} p_{2x}^{2} + m_{2} r_{2x}^{2}"""
NUMBERS = r"""\begin{aligned}
g_1 &= 49.05 \cos{\left(q_{1} + q_{2} \right)} + 127.53 \cos{\left(q_{1} \right)} \\
g_2 &= 49.05 \cos{\left(q_{1} + q_{2} \right)}
\end{aligned}"""


def expected(dynamics: InverseDynamics, what: str, q, qd, qdd) -> np.ndarray:
    return {'efforts': lambda: dynamics(q, qd, qdd), 'bias': lambda: dynamics.bias(q, qd),
            'gravity': lambda: dynamics.gravity(q),
            'mass_matrix': lambda: dynamics.mass_matrix(q)}[what]()


FRICTION = Loads(terms={'joint1': (Friction(viscous=1.0, coulomb=2.0),)})


@pytest.mark.slow
@pytest.mark.parametrize('symbolic', [True, False])
@pytest.mark.parametrize(('model', 'options'), [
    ((OWN / 'robot_2r.urdf').read_text(), FLAT), (ARM, {'loads': FRICTION}),
    (ARM, {'loads': Loads(terms={'joint2': (Spring(stiffness=30.0, reference=0.1),
                                            Rotor(armature=0.2))})}),
    (PUSHED, {})], ids=['2r', 'friction', 'spring and rotor', 'force'])
def test_the_symbols_stand_for_the_values_of_the_model(model, options, symbolic) -> None:
    """By sympy's own evaluation of the expressions."""
    dynamics = InverseDynamics(model, backend='python', **options)
    n = len(dynamics.joint_names)
    for what in WHATS:
        rows, state, values = equations(dynamics._system, dynamics.gravity_vector, dynamics.loads,
                                        what, symbolic)
        assert bool(values) == symbolic
        function = sympy.lambdify([*itertools.chain(*state), *values], rows)
        for q, qd, qdd in np.random.default_rng(1).uniform(-2.0, 2.0, (3, 3, n)):
            found = np.array(function(*q, *qd, *qdd, *values.values()))
            known = expected(dynamics, what, q, qd, qdd)
            np.testing.assert_allclose(found.reshape(known.shape), known, rtol=1e-12,
                                       atol=1e-12 * np.abs(known).max())


def test_two_joints_are_the_formula_of_the_textbook() -> None:
    dynamics = InverseDynamics(OWN / 'robot_2r.urdf', **FLAT)
    assert dynamics.latex().startswith(TEXTBOOK)
    assert dynamics.latex('gravity', symbolic=False) == NUMBERS
    assert r'c_{1} g \left(m_{1} r_{1x} + m_{2} p_{2x}\right)' in dynamics.latex('gravity')


def test_a_legend_has_the_symbols_with_their_values() -> None:
    """Of those that are used; positions in the URDF's axes, also where joints are oblique."""
    text = InverseDynamics(OWN / 'robot_2r.urdf', **FLAT).latex()
    for line in (r'c_{12} &= \cos{\left(q_{1} + q_{2} \right)}',
                 r'm_{1} &= 3\;\mathrm{kg} \quad \text{mass of link1}',
                 r'I_{2zz} &= 10\;\mathrm{kg\,m^2} \quad \text{inertia of link2 about its '
                 r'centre of mass}',
                 r'g &= 9.81\;\mathrm{m/s^2} \quad \text{gravity}'):
        assert line in text
    assert 'p_{1' not in text and 's_{12}' not in text
    dynamics = InverseDynamics(ARM, backend='python')
    _, _, values = equations(dynamics._system, dynamics.gravity_vector, dynamics.loads, 'efforts',
                             True)
    found = {str(symbol): value for symbol, value in values.items() if str(symbol)[0] == 'p'}
    assert found == {f'p_{{{k}{axis}}}': value for k, joint in enumerate(ARM.joints, 1)
                     for axis, value in zip('xyz', joint.xyz) if value}


@pytest.mark.parametrize('symbolic', [True, False])
def test_formulas_of_closed_loops_are_what_is_computed(symbolic: bool) -> None:
    """Of a four-bar: phi and J, and with these and those of the tree what its crank has."""
    dynamics = InverseDynamics(mechanism('four_bar'), backend='python')
    made = {what: equations(dynamics._system, dynamics.gravity_vector, dynamics.loads, what,
                            symbolic) for what in ('efforts', 'gravity', 'mass_matrix')}
    state = made['efforts'][1]
    found, of_loops = constraints(dynamics._system, state[0], symbolic)
    values = {**made['efforts'][2], **of_loops}
    assert [name for name, _ in found] == ['0 = \\phi_1', '0 = \\phi_2', *(
        f'J_{{{r}{k}}}' for r in (1, 2) for k in (1, 2, 3))]
    rows = {'closing': [expression for _, expression in found],
            **{what: each[0] for what, each in made.items()}}
    functions = {what: sympy.lambdify([*itertools.chain(*state), *values], row)
                 for what, row in rows.items()}
    q, qd, h = np.array([0.2]), np.array([0.7]), 1e-3
    poses = np.array([[*x, *dynamics.close(x)] for x in (
        q - 2.0 * h * qd, q - h * qd, q, q + h * qd, q + 2.0 * h * qd)])
    rate = np.array([1.0, -8.0, 0.0, 8.0, -1.0]) @ poses / (12.0 * h)
    second = np.array([-1.0, 16.0, -30.0, 16.0, -1.0]) @ poses / (12.0 * h * h)
    at = {what: np.array(function(*poses[2], *rate, *second, *values.values()), float)
          for what, function in functions.items()}
    assert at['closing'][:2] == pytest.approx(np.zeros(2), abs=1e-12)
    J = at['closing'][2:].reshape(2, 3)
    G = np.concatenate([[1.0], -np.linalg.solve(J[:, 1:], J[:, 0])])
    assert G * qd == pytest.approx(rate, abs=1e-9)
    assert G @ at['gravity'].ravel() == pytest.approx(dynamics.gravity(q)[0], rel=1e-9)
    assert G @ at['mass_matrix'] @ G == pytest.approx(dynamics.mass_matrix(q)[0, 0], rel=1e-9)
    assert G @ at['efforts'].ravel() == pytest.approx(dynamics.bias(q, qd)[0], rel=1e-5)
    text = dynamics.latex('bias', symbolic)
    for line in (r'\bar{\tau}_3 &= ', r'b &= \bar{\tau}_a - J_a^T \lambda',
                 r'p &: q_{2}, q_{3} \quad \text{joint coupler, joint rocker}'):
        assert line in text
    assert (r'\text{first frame of loop pin, in its link}' in text) == symbolic


@pytest.mark.slow
def test_lines_are_broken_at_terms() -> None:
    lines = InverseDynamics(ARM, backend='python').latex().split('\\\\')
    more = [line for line in lines if line.startswith('\n&\\quad {} ')]
    assert len(more) > 5
    assert all(re.match(r'\n&\\quad {} [+-] ', line) for line in more)
    for line in more:
        assert line.count('\\left(') == line.count('\\right)')


@pytest.mark.parametrize(('model', 'options', 'what', 'reason'), [
    (OWN / 'scara.urdf', {}, 'efforts', 'formulas of 4 joints are too long to read (at most 3)'),
    (ARM, {}, 'tau', "unknown equations 'tau': efforts, mass_matrix, gravity, bias"),
    (ARM, {'base': 'moving'}, 'efforts', 'choose base fixed')])
def test_without_a_formula_the_reason_is_named(model, options, what, reason) -> None:
    with pytest.raises(ParameterError, match=re.escape(reason)):
        InverseDynamics(model, backend='python', **options).latex(what)


def test_the_command_prints_them(capsys: pytest.CaptureFixture[str]) -> None:
    """With gravity and friction as options."""
    arm, gravity = str(OWN / 'robot_2r.urdf'), ['--gravity', '0', '-9.81', '0']
    assert main(['latex', arm, *gravity, '--what', 'gravity', '--numbers']) == 0
    assert capsys.readouterr().out == NUMBERS + '\n'
    assert main(['latex', arm, *gravity]) == 0
    assert capsys.readouterr().out.startswith(TEXTBOOK)
    assert main(['latex', str(OWN / 'scara.urdf')]) == 1
    assert 'formulas of 4 joints are too long' in capsys.readouterr().err
