"""Formulas of small robots as LaTeX: what they say is what the generated text computes."""

import re
from dataclasses import replace

import numpy as np
import pytest

from support.robot_files import OWN
from urdf2dyn_ros import InverseDynamics, ParameterError, read_dh
from urdf2dyn_ros.loads import Friction, Loads, Spring
from urdf2dyn_ros.robot_model import ExternalForce

ARM = read_dh([
    {'type': 'R', 'alpha': 0.3, 'd': 0.2, 'M': 3.0, 'MX': 0.5, 'MZ': -0.2, 'XX': 0.4, 'YY': 0.5,
     'ZZ': 0.6, 'XY': 0.1},
    {'type': 'P', 'alpha': -0.7, 'd': 0.1, 'theta': 0.4, 'M': 2.0, 'MY': 0.3, 'ZZ': 0.2,
     'XX': 0.3, 'YY': 0.3},
    {'type': 'R', 'alpha': 1.1, 'r': 0.3, 'M': 1.0, 'MX': 0.2, 'XX': 0.1, 'YY': 0.1, 'ZZ': 0.1}])
PUSHED = replace(ARM, forces=(
    ExternalForce(ARM.joints[-1].child, (3.0, -2.0, 5.0), (1.0, 0.5, 0.2)),))
FLAT = {'gravity': (0.0, -9.81, 0.0)}
TEXTBOOK = r"""\begin{aligned}
\tau_1 &= (53.6 + 20\,\cos(q_2))\,\ddot q_1 + (15 + 10\,\cos(q_2))\,\ddot q_2"""
WORDS = ((r'\\ddot q_', 'a'), (r'\\dot q_', 'v'), ('q_', 'q'), (r'\\(cos|sin)', r'\1'),
         (r'\^\{(-?\d+)\}', r'**(\1)'), (r'\\cdot', '*'), (r'\\,', '*'))


def value(formula: str, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> list[float]:
    """Return what the right sides are."""
    names = {'cos': np.cos, 'sin': np.sin}
    for symbol, entries in (('q', q), ('v', qd), ('a', qdd)):
        names |= {f'{symbol}{k + 1}': entry for k, entry in enumerate(entries)}
    for pattern, text in WORDS:
        formula = re.sub(pattern, text, formula)
    return [eval(line.split('&=')[1].removesuffix('\\\\'), names)
            for line in formula.splitlines()[1:-1]]


@pytest.mark.parametrize(('model', 'options'), [
    ((OWN / 'robot_2r.urdf').read_text(), FLAT), (ARM, {}),
    (ARM, {'loads': Loads(terms={'joint2': (Spring(stiffness=30.0, reference=0.1),)})}),
    (PUSHED, {})])
def test_the_formulas_are_the_efforts(model, options) -> None:
    dynamics = InverseDynamics(model, backend='python', **options)
    rng = np.random.default_rng(1)
    for q, qd, qdd in rng.uniform(-2.0, 2.0, (5, 3, len(dynamics.joint_names))):
        for formula, expected in (('tau', dynamics(q, qd, qdd)), ('gravity', dynamics.gravity(q)),
                                  ('bias', dynamics.bias(q, qd))):
            np.testing.assert_allclose(value(dynamics.latex(formula), q, qd, qdd), expected,
                                       rtol=1e-5, atol=3e-5 * np.abs(expected).max())


def test_two_joints_are_the_formula_of_the_textbook() -> None:
    assert InverseDynamics(OWN / 'robot_2r.urdf', **FLAT).latex().startswith(TEXTBOOK)


@pytest.mark.parametrize(('model', 'options', 'formula', 'reason'), [
    (OWN / 'scara.urdf', {}, 'tau', 'formulas of 4 joints are too long to read'),
    (ARM, {}, 'M', "unknown formula 'M'; there are: tau, bias, gravity"),
    (ARM, {'base': 'moving'}, 'tau', 'set base="fixed"'),
    (ARM, {'loads': Loads(terms={'joint1': (Friction(1.0, 2.0),)})}, 'tau', 'without friction')])
def test_without_a_formula_the_reason_is_named(model, options, formula, reason) -> None:
    with pytest.raises(ParameterError, match=re.escape(reason)):
        InverseDynamics(model, backend='python', **options).latex(formula)
