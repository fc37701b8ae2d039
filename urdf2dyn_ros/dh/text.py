"""A table of DH parameters for people: as plain text, and as LaTeX."""

import math
import re
from collections.abc import Callable, Iterator, Sequence

from urdf2dyn_ros.dh.rows import (
    FIXED_ROW,
    FRICTION_COLUMNS,
    INERTIA_COLUMNS,
    REVOLUTE_ROW,
    DhRow,
    DhTable,
    inertia_numbers,
)
from urdf2dyn_ros.quoting import printable
from urdf2dyn_ros.text_table import aligned

_GEOMETRY = ('j', 'joint', 'type', 'a(j)', 'gamma', 'b', 'alpha', 'd', 'theta', 'r')
_LATEX_GEOMETRY = ('$j$', 'joint', 'type', '$a(j)$', r'$\gamma_j$', '$b_j$', r'$\alpha_j$',
                   '$d_j$', r'$\theta_j$', '$r_j$')
_ANGLES = ('gamma', 'alpha', 'theta')

_PARTS = 12
"""Angles that are this part of pi, or a multiple of it, are printed as fractions."""

_NOISE = 1e-15
"""Inertial entries below this part of the largest one of their row are rounding errors."""

_ESCAPED = str.maketrans({
    '\\': r'\textbackslash{}', '~': r'\textasciitilde{}', '^': r'\textasciicircum{}',
    **{character: f'\\{character}' for character in '&%$#_{}'}})


def dh_text(table: DhTable) -> str:
    """Return a table as text; lengths in metres, angles in radians."""
    return '\n'.join([
        f'{printable(table.name)}: modified DH parameters (Khalil and Kleinfinger)',
        'frame j in frame a(j): Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r) [rad, m]', '',
        *aligned([_GEOMETRY, *_geometry(table, 'pi', 'q{}'.format)]), '',
        'inertia about the origin of frame j [kg m^2], first moments [kg m], mass [kg]; friction',
        *aligned([('j', *INERTIA_COLUMNS, *FRICTION_COLUMNS), *_inertias(table)])])


def dh_latex(table: DhTable) -> str:
    """Return the same as two tabulars, for any document class and without packages."""
    geometry = [[cell.translate(_ESCAPED) if k == 1 else cell if k in (0, 2) else _formula(cell)
                 for k, cell in enumerate(row)]
                for row in _geometry(table, r'\pi', 'q_{{{}}}'.format)]
    inertias = [[_formula(cell) for cell in row] for row in _inertias(table)]
    heads = ('$j$', *(f'${name[0]}\\!{name[1:]}$' if len(name) > 1 else f'${name}$'
                      for name in (*INERTIA_COLUMNS, *FRICTION_COLUMNS)))
    return '\n'.join([
        f'% {printable(table.name)}: modified DH parameters (Khalil and Kleinfinger); rad, m, kg',
        *_tabular('rlcr' + 'r' * 6, _LATEX_GEOMETRY, geometry), '',
        *_tabular('r' * len(heads), heads, inertias)])


def _geometry(table: DhTable, pi: str, symbol: Callable[[int], str]) -> Iterator[Sequence[str]]:
    """Yield the cells of rows; what moves has the symbol of its joint's coordinate."""
    moving = [row.joint for row in table.rows if row.type != FIXED_ROW and row.mimic is None]
    number = {name: i for i, name in enumerate(moving, 1)}
    for row in table.rows:
        cells = {name: _angle(value, pi) if name in _ANGLES else _length(value)
                 for name, value in row.six._asdict().items()}
        if row.type != FIXED_ROW:
            variable = 'theta' if row.type == REVOLUTE_ROW else 'r'
            cells[variable] = _coordinate(row, number, symbol, cells[variable])
        antecedent = '-' if row.antecedent is None else str(row.antecedent)
        yield (str(row.j), printable(row.joint), row.type, antecedent, *cells.values())


def _coordinate(row: DhRow, number: dict[str, int], symbol: Callable[[int], str],
                constant: str) -> str:
    """Return a joint's position and the constant that is added to it."""
    driver, factor, offset = row.joint, '', '0'
    if (mimic := row.mimic) is not None:
        driver, offset = mimic.joint, _length(mimic.offset)
        factor = {1.0: '', -1.0: '-'}.get(mimic.multiplier, f'{_length(mimic.multiplier)} ')
    text = factor + symbol(number[driver])
    for part in (offset, constant):
        if part != '0':
            text += f' - {part[1:]}' if part.startswith('-') else f' + {part}'
    return text


def _length(value: float) -> str:
    return f'{value + 0.0:.10g}'


def _angle(value: float, pi: str) -> str:
    """Return an angle as a fraction of pi where it is one."""
    parts = round(value / math.pi * _PARTS)
    if parts == 0 or abs(value - parts * math.pi / _PARTS) > 4e-15:
        return _length(value)
    divisor = math.gcd(parts, _PARTS)
    over, under = abs(parts) // divisor, _PARTS // divisor
    space = ' ' if over != 1 else ''
    sign = '-' if parts < 0 else ''
    return (f'{sign}{over if over != 1 else ""}{space}{pi}'
            + (f'/{under}' if under != 1 else ''))


def _inertias(table: DhTable) -> Iterator[Sequence[str]]:
    """Yield the inertial columns and friction of rows that have any."""
    for row in table.rows:
        numbers = inertia_numbers(row)
        if numbers or row.damping or row.friction:
            least = _NOISE * max(map(abs, numbers.values()), default=0.0)
            values = [numbers.get(name, 0.0) for name in INERTIA_COLUMNS]
            yield (str(row.j), *(f'{value if abs(value) > least else 0.0:.6g}'
                                 for value in values),
                   *(f'{value:.6g}' for value in (row.damping, row.friction)))


def _tabular(columns: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f'\\begin{{tabular}}{{{columns}}}'
    yield r'\hline'
    yield f'{" & ".join(heads)} \\\\'
    yield r'\hline'
    for row in rows:
        yield f'{" & ".join(row)} \\\\'
    yield r'\hline'
    yield r'\end{tabular}'


def _formula(cell: str) -> str:
    """Return a cell in mathematical mode, with powers of ten."""
    return '$' + re.sub(r'e([+-]\d+)', lambda match: f' \\cdot 10^{{{int(match[1])}}}', cell) + '$'
