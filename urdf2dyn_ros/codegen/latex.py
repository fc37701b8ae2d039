"""The equations of small robots as formulas of LaTeX: the recursion on symbols of sympy."""

import itertools
import math
import re
from collections.abc import Iterator
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
from urdf2dyn_ros.robot.loops import LoopState
from urdf2dyn_ros.robot.multibody import Body, Multibody, link_inertia
from urdf2dyn_ros.robot.spatial import AXES, TENSOR, Vector, cos, exp, sin, symmetric, tanh, upper
from urdf2dyn_ros.system import require

What: TypeAlias = Literal['efforts', 'mass_matrix', 'gravity', 'bias']

MOST_JOINTS = 3   # of formulas that can be read
_WIDTH = 75   # of a line of a formula, in letters
_LETTERS = {'efforts': r'\tau', 'bias': 'b', 'gravity': 'g', 'mass_matrix': 'M'}


def latex(system: Multibody, gravity: tuple[float, float, float], loads: Loads, what: What,
          symbolic: bool) -> str:
    """Return the lines of `InverseDynamics.latex`."""
    require('latex', 'sympy')
    n = len(system.joint_names)
    if what not in get_args(What):
        raise ParameterError(f'unknown equations {what!r}: {", ".join(get_args(What))}')
    most = MOST_JOINTS + 2 * bool(system.closed_loops)   # whose chains are short
    if n > most:
        raise ParameterError(f'formulas of {n} joints are too long to read (at most '
                             f'{most}): urdf2dyn export, or export_model, writes them as code')
    if loads.moving(system) or loads.external or loads.payload:
        raise ParameterError('formulas have no arguments but q, qd and qdd: choose base fixed, '
                             'and declare no payload and no external wrenches')
    # of the tree, whose passive joints have accelerations
    tree: What = 'efforts' if system.closed_loops and what == 'bias' else what
    rows, state, values = equations(system, gravity, loads, tree, symbolic)
    letter = rf'\bar{{{_LETTERS[tree]}}}' if system.closed_loops else _LETTERS[tree]
    formulas = [(f'{letter}_{{{i}{j}}}' if what == 'mass_matrix' else f'{letter}_{i}', entry)
                for i, row in enumerate(rows, 1) for j, entry in enumerate(row, 1)
                if what != 'mass_matrix' or j >= i]
    if system.closed_loops:
        closing, of_loops = constraints(system, state[0], symbolic)
        formulas, values = [*closing, *formulas], {**values, **of_loops}
    lines, used = [], set()
    for left, entry in formulas:
        terms, symbols = _terms(entry, state, 8 if symbolic else 1)
        lines.append(_broken(f'{left} &= ', terms))
        used |= symbols
    if system.closed_loops:
        lines += _solution(system, what)
    legend = [*_turns(used), *_legend(system, {x: values[x] for x in values if x in used})]
    if legend:
        lines[-1] += ' \\\\[1ex]\n' + ' \\\\\n'.join(legend)
    return '\\begin{aligned}\n' + ' \\\\\n'.join(lines) + '\n\\end{aligned}'


def constraints(system: Multibody, q: Any, symbolic: bool,
                ) -> tuple[list[tuple[str, Any]], dict[Any, float]]:
    """Return phi(q) = 0 of closed loops and J = dphi/dq, with their names; values of symbols."""
    named = _Symbols(symbolic)
    system, still = _named(system, named), [0.0] * len(q)
    assert system.closed_loops is not None
    loops = [LoopState(system, loop, (q, still, still)) for loop in system.closed_loops.loops]
    rows = system.closed_loops.constraints
    equations = [(rf'0 = \phi_{r}', loops[row.loop].value(row)) for r, row in enumerate(rows, 1)]
    equations += [(f'J_{{{r}{k + 1}}}', entry) for r, row in enumerate(rows, 1)
                  for k, entry in sorted(loops[row.loop].column(row).items())]
    return equations, named.values


_SOLUTIONS = {
    'efforts': (r'J_p\,\dot{q}_p &= -J_a\,\dot{q}_a',
                r'J_p\,\ddot{q}_p &= -J_a\,\ddot{q}_a - \dot{J}\,\dot{q}',
                r'J_p^T \lambda &= \bar{\tau}_p', r'\tau &= \bar{\tau}_a - J_a^T \lambda'),
    'gravity': (r'J_p^T \lambda &= \bar{g}_p', r'\tau &= \bar{g}_a - J_a^T \lambda'),
    'mass_matrix': (r'J_p\,G_p &= -J_a', r'G_a &= 1', r'M &= G^T \bar{M}\,G')}
_SOLUTIONS['bias'] = (_SOLUTIONS['efforts'][0], r'J_p\,\ddot{q}_p &= -\dot{J}\,\dot{q}',
                      _SOLUTIONS['efforts'][2], r'b &= \bar{\tau}_a - J_a^T \lambda')


def _solution(system: Multibody, what: What) -> Iterator[str]:
    """Yield how the actuated joints follow from all of the tree, and which these are."""
    yield from _SOLUTIONS[what]
    for index, joints in (('a', system.actuated), ('p', system.unknown)):
        names = ', '.join(_plain('joint', system.joint_names[k]) for k in joints)
        yield (f'{index} &: ' + ', '.join(f'q_{{{k + 1}}}' for k in joints)
               + rf' \quad \text{{{names}}}')


class _Symbols:
    """Symbols in the place of entries other than 0, with their values; else the entries."""

    def __init__(self, symbolic: bool) -> None:
        self._symbolic = symbolic
        self.values: dict[Any, float] = {}

    def __call__(self, letter: str, index: str, keys: Any, entries: Any) -> Any:
        import sympy
        result = []
        for key, entry in zip(keys, entries):
            name = f'{letter}_{{{index}{key}}}' if index + key else letter
            result.append(sympy.Symbol(name, real=True) if self._symbolic and entry else entry)
            self.values.update({x: entry for x in result[-1:] if x is not entry})
        return tuple(result)


def _named(system: Multibody, named: _Symbols) -> Multibody:
    """Return a robot with symbols of the places of joints and of the frames of loops."""
    def origin(i: int, body: Body) -> Any:
        """Return the origin of a joint in its parent, in whose axes the URDF has it."""
        if body.placement is None:   # a further coordinate of the joint before
            return Vector(*named('p', f'{i}', AXES, body.parent_p_joint))
        _, link = system.links[body.placement.link]
        return link.body_p_link + link.body_R_link @ Vector(
            *named('p', f'{i}', AXES, body.placement.xyz))

    closed_loops = system.closed_loops and replace(system.closed_loops, loops=tuple(
        replace(loop, first=replace(loop.first, xyz=named('u', f'{k}', AXES, loop.first.xyz)),
                second=replace(loop.second, xyz=named('v', f'{k}', AXES, loop.second.xyz)))
        for k, loop in enumerate(system.closed_loops.loops, 1)))
    return replace(system, closed_loops=closed_loops, bodies=tuple(
        replace(body, parent_p_joint=origin(i, body)) for i, body in enumerate(system.bodies, 1)))


def equations(system: Multibody, gravity: tuple[float, float, float], loads: Loads, what: What,
              symbolic: bool) -> tuple[Any, Any, dict[Any, float]]:
    """Return rows of expressions of sympy; q, qd and qdd; and the values of the other symbols."""
    import sympy
    for name, function in (('sin', sin), ('cos', cos), ('tanh', tanh), ('exp', exp)):
        function.register(sympy.Expr, getattr(sympy, name))
    named = _Symbols(symbolic)

    def inertia(index: str, attached: Any) -> Any:
        link = link_inertia(attached)
        mass, = named('m', index, [''], [link.mass])
        return about_origin(link._replace(
            mass=mass, com=named('r', index, AXES, link.com),
            tensor=symmetric(named('I', index, TENSOR, upper(link.tensor)))))

    n = len(system.joint_names)

    bodies = _named(system, named).bodies
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
            [sympy.sympify(effort)] for effort in efforts], (q, qd, qdd), named.values


def _terms(expression: Any, state: Any, most: int) -> tuple[list[str], set[Any]]:
    """
    Return the terms of a sum as text, with the symbols that are in them.

    Fractions of a larger denominator than `most` are decimal. Among symbols, sines and cosines of
    positions, and of their sums, are s_1, c_12.
    """
    import sympy
    (q, qd, qdd), turns, whole = state, sympy.symbols(f'z:{len(state[0])}'), sympy.S.Zero

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
    angles = {sum(some): ''.join(str(q.index(x) + 1) for x in some)
              for k in range(len(q) if most > 1 else 0)
              for some in itertools.combinations(q, k + 1)}
    whole = whole.replace(
        lambda x: isinstance(x, sympy.cos | sympy.sin) and x.args[0] in angles,
        lambda x: sympy.Symbol(f'{"c" if isinstance(x, sympy.cos) else "s"}_'
                               f'{{{angles[x.args[0]]}}}', real=True))
    rates = [*qdd, *(x * y for i, x in enumerate(qd) for y in qd[i:]), *qd]
    waves: list[Any] = sorted(
        {*whole.atoms(sympy.cos, sympy.sin),
         *(x for x in whole.atoms(sympy.Symbol) if re.fullmatch(_TURN, x.name))}, key=str)
    parts: list[Any] = []
    groups = sympy.collect(whole, rates, evaluate=False)
    for rate in (*rates, sympy.S.One):
        part = sympy.collect(groups.get(rate, 0), waves, sympy.factor_terms)
        parts += filter(None, sympy.Add.make_args(part)) if rate == 1 else [sympy.Mul(
            *sympy.Mul.make_args(part), *sympy.Mul.make_args(rate), evaluate=False)] * (part != 0)
    return ([str(sympy.latex(part, order='none')) for part in parts] or ['0'],
            whole.atoms(sympy.Symbol))


_TURN = r'[cs]_\{(\d+)\}'   # the sine or cosine of a sum of positions


def _broken(head: str, terms: list[str]) -> str:
    """Return a sum of terms, on so many lines that each fits a page."""
    text, width = head + terms[0], _width(terms[0])
    for term in terms[1:]:
        sign, term = ('-', term[1:].lstrip()) if term.startswith('-') else ('+', term)
        width += _width(term)
        if width > _WIDTH:
            text, width = text + r' \\' + '\n&\\quad {}', _width(term)
        text += f' {sign} {term}'
    return text


def _width(term: str) -> int:
    return len(re.sub(r'\\(left|right|dot|ddot|cos|sin)?|[{}_^ ]', '', term))


def _turns(used: set[Any]) -> Iterator[str]:
    for name in sorted({x.name for x in used if re.fullmatch(_TURN, x.name)}):
        angle = ' + '.join(f'q_{{{k}}}' for k in name[3:-1])
        yield (f'{name} &= \\{"cos" if name[0] == "c" else "sin"}'
               f'{{\\left({angle} \\right)}}')


_MEANINGS = {   # first letter of a symbol to its unit and what it is, with {link}, {joint}, {loop}
    'm': (r'\mathrm{kg}', 'mass of {link}'),
    'r': (r'\mathrm{m}', 'centre of mass of {link}, in its axes'),
    'I': (r'\mathrm{kg\,m^2}', 'inertia of {link} about its centre of mass'),
    'p': (r'\mathrm{m}', 'origin of {joint} in its parent link, in the axes of that'),
    'u': (r'\mathrm{m}', 'first frame of {loop}, in its link'),
    'v': (r'\mathrm{m}', 'second frame of {loop}, in its link'),
    'g': (r'\mathrm{m/s^2}', 'gravity')}


def _legend(system: Multibody, values: dict[Any, float]) -> Iterator[str]:
    """Yield what the symbols are, with their values in the URDF: a line for each vector."""
    lines: dict[tuple[str, str], list[tuple[str, float]]] = {}
    for symbol, value in values.items():
        name = str(symbol)
        index = re.sub(r"[^0-9']", '', name)
        lines.setdefault((name[0], index), []).append((name, value))
    for (letter, index), entries in sorted(
            lines.items(), key=lambda item: (item[0][1], 'mrIpuvg'.index(item[0][0]))):
        unit, meaning = _MEANINGS[letter]
        link = joint = loop = ''
        if letter in 'uv' and system.closed_loops:
            loop = _plain('loop', system.closed_loops.loops[int(index) - 1].name)
        elif index:
            body = system.bodies[int(index.rstrip("'")) - 1]
            heavy = [each for each in body.attached if each.link.inertia]
            link = _plain('link', heavy[index.count("'")].link.name) if letter != 'p' else ''
            joint = _plain('joint', body.name)
        yield (f'{", ".join(name for name, _ in entries)} &= '
               f'{", ".join(f"{value:.6g}" for _, value in entries)}\\;{unit} \\quad '
               f'\\text{{{meaning.format(link=link, joint=joint, loop=loop)}}}')


def _plain(what: str, name: str) -> str:
    """Return a name from the URDF as text of LaTeX; one that is not plain is left out."""
    plain = re.fullmatch(r'[\w.:/ -]+', name, re.ASCII)
    shown = name if name.startswith(what) else f'{what} {name}'
    return shown.replace('_', r'\_') if plain else f'its {what}'
