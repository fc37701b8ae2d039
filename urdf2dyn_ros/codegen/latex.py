"""The equations of small robots as formulas of LaTeX: the recursion on symbols of sympy."""

import math
from dataclasses import replace
from typing import Any, Literal, TypeAlias, get_args

from urdf2dyn_ros.equations.newton_euler import (
    TEXTBOOK,
    AppliedLoads,
    body_wrenches,
    newton_euler,
    unnoted,
)
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.robot.inertia import about_origin, total
from urdf2dyn_ros.robot.loads import Loads, body_terms
from urdf2dyn_ros.robot.multibody import Multibody, link_inertia
from urdf2dyn_ros.robot.spatial import AXES, TENSOR, cos, exp, sin, symmetric, tanh, upper
from urdf2dyn_ros.system import require

What: TypeAlias = Literal['efforts', 'mass_matrix', 'gravity', 'bias']

MOST_JOINTS = 3   # of formulas that can be read
_SIDES = {'efforts': r'\tau_{}', 'bias': 'b_{}', 'gravity': 'g_{}', 'mass_matrix': 'M_{{{}{}}}'}


def latex(system: Multibody, gravity: tuple[float, float, float], loads: Loads, what: What,
          symbolic: bool) -> str:
    """Return the lines of `InverseDynamics.latex`."""
    require('latex', 'sympy')
    n = len(system.joint_names)
    if system.closures:
        raise ParameterError('formulas of a robot with closed loops are too long to read')
    if what not in get_args(What):
        raise ParameterError(f'unknown equations {what!r}: {", ".join(get_args(What))}')
    if n > MOST_JOINTS:
        raise ParameterError(f'formulas of {n} joints are too long to read (at most '
                             f'{MOST_JOINTS}): export_model(model, style="readable")')
    if loads.moving(system) or loads.external or loads.payload:
        raise ParameterError('formulas have no arguments but q, qd and qdd: set base="fixed", '
                             'and declare no payload and no external wrenches')
    rows, state, _ = equations(system, gravity, loads, what, symbolic)
    lines = [f'{_SIDES[what].format(i + 1, j + 1)} &= {_text(entry, state, 8 if symbolic else 1)}'
             for i, row in enumerate(rows) for j, entry in enumerate(row)
             if what != 'mass_matrix' or j >= i]
    return '\\begin{aligned}\n' + ' \\\\\n'.join(lines) + '\n\\end{aligned}'


def equations(system: Multibody, gravity: tuple[float, float, float], loads: Loads, what: What,
              symbolic: bool) -> tuple[Any, Any, dict[Any, float]]:
    """Return rows of expressions of sympy; q, qd and qdd; and the values of the other symbols."""
    import sympy
    for name, function in (('sin', sin), ('cos', cos), ('tanh', tanh), ('exp', exp)):
        function.register(sympy.Expr, getattr(sympy, name))
    values: dict[Any, float] = {}

    def named(letter: str, index: str, keys: Any, entries: Any) -> Any:
        """Return symbols in the place of entries other than 0."""
        result = []
        for key, entry in zip(keys, entries):
            name = f'{letter}_{{{index}{key}}}' if index + key else letter
            result.append(sympy.Symbol(name, real=True) if symbolic and entry else entry)
            values.update({x: entry for x in result[-1:] if x is not entry})
        return tuple(result)

    def inertia(index: str, attached: Any) -> Any:
        link = link_inertia(attached)
        mass, = named('m', index, [''], [link.mass])
        return about_origin(link._replace(
            mass=mass, com=named('c', index, AXES, link.com),
            tensor=symmetric(named('I', index, TENSOR, upper(link.tensor)))))

    n = len(system.joint_names)
    bodies = tuple(replace(body, parent_p_joint=named('p', f'{i}', AXES, body.parent_p_joint))
                   for i, body in enumerate(system.bodies, 1))
    inertias = [total(inertia(f'{i}' + "'" * k, each) for k, each in enumerate(
        each for each in body.attached if each.link.inertia)) for i, body in enumerate(bodies, 1)]
    down: Any = [math.copysign(1.0, along) * size for along, size in zip(gravity, named(
        'g', '', [''] * 3 if sum(map(bool, gravity)) == 1 else AXES, [*map(abs, gravity)]))]
    q, qd, qdd = [[sympy.Symbol(f'{x}_{j + 1}', real=True) for j in range(n)]
                  for x in ('q', r'\dot{q}', r'\ddot{q}')]
    given = (q, qd if what in ('efforts', 'bias') else [0.0] * n,
             qdd if what in ('efforts', 'mass_matrix') else [0.0] * n)
    terms = {i: tuple(term for term in some if term.INERTIAL or what != 'mass_matrix')
             for i, some in body_terms(system, loads).items()}
    wrenches = body_wrenches(system, system.forces, False, unnoted)
    efforts = newton_euler(replace(system, bodies=bodies), [*inertias, None], given, down,
                           TEXTBOOK, AppliedLoads(None, terms, wrenches)).efforts
    return [[sympy.diff(effort, x) for x in qdd] if what == 'mass_matrix' else
            [sympy.sympify(effort)] for effort in efforts], (q, qd, qdd), values


def _text(expression: Any, state: Any, most: int) -> str:
    """Return a sum in which fractions of a larger denominator than `most` are decimal."""
    import sympy
    (q, qd, qdd), turns, whole = state, sympy.symbols('z:3')[:len(state[0])], sympy.S.Zero

    def power(angle: Any) -> Any:
        """Return exp(i angle) with the powers of z = exp(i q)."""
        constant, multiples = angle.as_independent(*q, as_Add=True)
        turned = [sympy.Rational(str(f(constant))) for f in (math.cos, math.sin)]
        return (turned[0] + sympy.I * turned[1]) * sympy.Mul(*(
            z ** sympy.expand(multiples).coeff(x) for x, z in zip(q, turns)))

    exact = expression.replace(lambda x: x.is_Float, lambda x: sympy.Rational(str(x))).replace(
        sympy.cos, lambda a: (power(a) + power(-a)) / 2).replace(
        sympy.sin, lambda a: (power(a) - power(-a)) / (2 * sympy.I))
    terms = sympy.Add.make_args(sympy.expand(exact))
    least = 1e-12 * max(abs(term.as_coeff_Mul()[0]) for term in terms)   # of rounding
    for term in terms:
        constant, powers = term.as_independent(*turns, as_Add=False)
        angle = sum(x * powers.as_powers_dict()[z] for x, z in zip(q, turns))
        if abs(term.as_coeff_Mul()[0]) > least:
            whole += sympy.expand(constant * (sympy.cos(angle) + sympy.I * sympy.sin(angle)))
    whole = whole.replace(lambda x: x.is_Rational and x.q > most, lambda x: sympy.Float(x, 6))
    rates = [*qdd, *(x * y for i, x in enumerate(qd) for y in qd[i:]), *qd]
    waves: list[Any] = sorted(whole.atoms(sympy.cos, sympy.sin), key=str)
    parts: list[Any] = []
    groups = sympy.collect(whole, rates, evaluate=False)
    for rate in (*rates, sympy.S.One):
        part = sympy.collect(groups.get(rate, 0), waves, sympy.factor_terms)
        parts += filter(None, sympy.Add.make_args(part)) if rate == 1 else [sympy.Mul(
            *sympy.Mul.make_args(part), *sympy.Mul.make_args(rate), evaluate=False)] * (part != 0)
    return str(sympy.latex(sympy.Add(*parts, evaluate=False), order='none'))
