"""The equations of small robots as formulas of LaTeX."""

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

from urdf2dyn_ros.algebra.fourier import Fourier, Multiples
from urdf2dyn_ros.equations.body_inertias import body_inertias
from urdf2dyn_ros.equations.body_terms import body_terms
from urdf2dyn_ros.equations.recursion import TEXTBOOK
from urdf2dyn_ros.equations.simplification.regroup import with_second_moments
from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.functions.inputs import load_inputs
from urdf2dyn_ros.functions.mechanics import Mechanics
from urdf2dyn_ros.methods.functions import Functions
from urdf2dyn_ros.program.added_loads import add_wrenches

Formula: TypeAlias = Literal['tau', 'bias', 'gravity']

MOST_JOINTS = 3
"""Joints from which on formulas are too long to read."""

_INPUTS = {'tau': ('q', 'qd', 'qdd'), 'bias': ('q', 'qd'), 'gravity': ('q',)}
_SIDES = {'tau': r'\tau_{}', 'bias': r'b_{}', 'gravity': r'g_{}'}
_SYMBOLS = {'q': 'q', 'qd': r'\dot q', 'qdd': r'\ddot q'}


class Latex(Functions):
    """Formulas of a robot with few joints."""

    def latex(self, formula: Formula = 'tau') -> str:
        """
        Return the efforts as formulas of LaTeX, one line for each joint.

        Products of sines and cosines are written as those of sums of angles, so that equal
        formulas have equal terms; numbers have six digits. The text is an environment aligned,
        which stands between $$ and $$.

        Parameters
        ----------
        formula : str
            tau: the efforts of a motion; bias: those without accelerations; gravity: those at
            rest. They include the tags ``<force>`` of the URDF, and the springs and offsets of the
            loads.

        Raises
        ------
        ParameterError
            If the robot has more than three joints, its loads have friction, which is no such
            formula, or further arguments, or there is no such formula.

        """
        if formula not in get_args(Formula):
            raise ParameterError(f'unknown formula {formula!r}; there are: '
                                 f'{", ".join(get_args(Formula))}')
        n = len(self.joint_names)
        if n > MOST_JOINTS:
            raise ParameterError(f'formulas of {n} joints are too long to read; latex writes '
                                 f'them for up to {MOST_JOINTS} joints, and export_model(model, '
                                 'style="readable") step by step')
        if load_inputs(self._system, self.loads):
            raise ParameterError('formulas have no arguments but q, qd and qdd, and these loads '
                                 'need others: set base="fixed", and declare no payload and no '
                                 'external wrenches')
        state = {name: [Fourier.symbol(f'{_SYMBOLS[name]}_{j + 1}') for j in range(n)]
                 for name in _SYMBOLS}
        inertias = body_inertias(self._system)
        try:
            mechanics = Mechanics(
                self._system, self.gravity_vector, [*inertias], with_second_moments(inertias),
                TEXTBOOK, state, False, body_terms(self._system, self.loads),
                numbers=(self._system, self.gravity_vector))
            add_wrenches(mechanics, self.loads)
            efforts = mechanics.sweep(_INPUTS[formula]).efforts
        except (TypeError, AttributeError):   # tanh or abs of what is no number
            raise ParameterError('friction is no sum of products of q, qd, sines and cosines: '
                                 'use loads without friction') from None
        lines = [f'{_SIDES[formula].format(j + 1)} &= {_sum(effort)}'
                 for j, effort in enumerate(efforts)]
        return '\\begin{aligned}\n' + ' \\\\\n'.join(lines) + '\n\\end{aligned}'


def _sum(effort: Fourier | float) -> str:
    """Return a sum of products: a factor of sines and cosines, times powers of the symbols."""
    if not isinstance(effort, Fourier):
        return _number(float(effort))
    factors: defaultdict[Multiples, dict[Multiples, complex]] = defaultdict(dict)
    for (powers, angle), value in effort.terms.items():
        factors[powers][angle] = value
    parts = [_product(_waves(factors[powers]), powers)
             for powers in sorted(factors, key=_rank)]
    return _joined(parts) or '0'


def _rank(powers: Multiples) -> tuple[int, str]:
    """Return the place of a product: accelerations, velocities, positions, nothing."""
    names = [name for name, _ in powers]
    place = next((k for k, sign in enumerate((r'\ddot', r'\dot', 'q'))
                  if any(name.startswith(sign) for name in names)), 3)
    return place, repr(powers)


def _waves(values: dict[Multiples, complex]) -> list[str]:
    """Return the terms of a factor; an angle and its negative are one sine and one cosine."""
    parts = []
    for angle, value in sorted(values.items()):
        if not angle:
            parts.append(_number(value.real))
        elif angle[0][1] > 0.0:
            inside = _joined([_scaled(k, name) for name, k in angle])
            for function, number in (('cos', 2.0 * value.real), ('sin', -2.0 * value.imag)):
                if abs(number) > 1e-12 * abs(value):
                    parts.append(_scaled(number, rf'\{function}({inside})'))
    return parts


def _product(factor: Sequence[str], powers: Multiples) -> str:
    product = r'\,'.join(name if power == 1 else f'{name}^{{{power:g}}}'
                         for name, power in powers)
    if not product:
        return _joined(factor)
    if len(factor) > 1:
        return rf'({_joined(factor)})\,{product}'
    return {'1': product, '-1': f'-{product}'}.get(factor[0], rf'{factor[0]}\,{product}')


def _joined(parts: Sequence[str]) -> str:
    """Return a sum; a part that begins with a minus is subtracted."""
    first, *others = [*parts] or ['']
    return first + ''.join(f' - {part[1:]}' if part.startswith('-') else f' + {part}'
                           for part in others)


def _scaled(number: float, text: str) -> str:
    digits = _number(number)
    return {'1': text, '-1': f'-{text}'}.get(digits, rf'{digits}\,{text}')


def _number(value: float) -> str:
    if value and not 1e-4 <= abs(value) < 1e6:
        exponent = math.floor(math.log10(abs(value)))
        return rf'{value / 10.0**exponent:.6g} \cdot 10^{{{exponent}}}'
    return f'{value:.6g}'
