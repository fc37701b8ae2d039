"""What stands at the head of every exported file, as lines of plain text."""

from __future__ import annotations

from urdf2dyn_ros.languages.lines import wrapped
from urdf2dyn_ros.program.notation import is_plain
from urdf2dyn_ros.program.program import Function, Program
from urdf2dyn_ros.version import __version__

_WIDTH = 96   # behind what begins a comment

_NOTATION = """\
Notation, after Khalil and Dombre (v x w: cross product, R': transpose of R, p: parent of i):
    frame i       on link i, origin on joint i, z along the joint's axis; the root frame is 0
    Ai, Ri        constant rotation from joint i to frame p; rotation of joint i, by qi about z
    pi            origin of joint i in frame p; bi: acceleration of frame p there, as ai
    ci, si        cosine and sine of qi
    wi, wdi       angular velocity and its derivative, in frame i; w0 = wd0 = 0
    ai            acceleration of the origin minus gravity, in frame i; a0 = -g
    Ui            Ui r = wdi x r + wi x (wi x r): acceleration of r relative to the origin
    mi, hi, Ji    mass, first moments (mass times centre), inertia about the origin, in frame i
    mi_k, ..      the same of the k-th link that is fixed to link i; Mi: mass of all together
    Fi, Ni        force and moment that accelerate link i by itself; Li = Ji wi
    fi, ni        force and moment that joint i transmits; fpi, npi: the same in frame p
    wji, .. nji   the same vector in the axes of joint i, before it turns (forward: wji, wdji,
                  bji) or after it is turned back (backward: fji, nji)
    Ti, ri, vi    rotation from frame i to the root frame; position, velocity of its origin
    = (.., _, ..) entries of a formula that are known; _ is one that nobody needs"""

_MOVING = _NOTATION.replace('; w0 = wd0 = 0\n', '; w0, wd0 are given\n').replace(
    '; a0 = -g\n', '; a0 is given\n')

_MOMENTUM = _NOTATION.replace('; Li = Ji wi\n', '\n').replace("""\
    Ti, ri, vi    rotation from frame i to the root frame; position, velocity of its origin
""", """\
    vi            velocity of the origin, in frame i; vbi: that of frame p there; vji as bji
    Poi, Loi      momentum of link i by itself, and its moment about the origin
    Pi, Li        the same with what it carries; Ppi, Lpi: the same in frame p; Pji, Lji as fji
    pqi, Lmi      momentum of joint i, and what its rotor has of it
    betai, loadi  how the kinetic energy changes with qi; efforts but for Coriolis ones
""")


def heading(program: Program) -> list[str]:
    """Return title, joint table, conventions and costs."""
    number = len(program.functions)
    lines = [
        *_wrapped(_title(program)),
        '',
        f'Recursive Newton-Euler, {program.style} style, written by urdf2dyn_ros {__version__}.',
        'SI: rad, m, kg, s, N, N m. Efforts are positive along the axis: what the actuator must',
        'supply. Inputs must be finite: products with what is always zero are left out.',
        *(line for sentence in program.acts for line in _wrapped(sentence)),
        *(line for function in program.functions for line in _wrapped(_cost(function, number))),
        '',
        *_table(program),
        *_limits(program),
    ]
    if program.style == 'readable':
        observed = any(function.name == 'momentum' for function in program.functions)
        lines += ['', *(_MOMENTUM if observed else _MOVING if program.moves else
                        _NOTATION).splitlines()]
    return lines


def _wrapped(sentence: str) -> list[str]:
    return wrapped(sentence, '', '    ', _WIDTH).splitlines()


def _title(program: Program) -> str:
    (first, *others), of = program.functions, _of(program.robot)
    if others:
        bias, M = (_call(name, program.function(key)) for name, key in (
            ('bias', 'bias'), ('M', 'mass_matrix')))
        return f'Dynamics{of}: tau = {_call("ID", first)} = {M} qdd + {bias}.'
    if first.name == 'inverse_dynamics':
        results = ', '.join(result.name for result in first.results)
        return (f'Inverse dynamics{of}: {results} = {_call("ID", first)}, the efforts that give '
                'a motion.')
    name = first.name.replace('_', ' ').capitalize()
    return f'{name}{of}: {first.summary}.'


def _call(name: str, function: Function) -> str:
    return f'{name}({", ".join(x.name for x in function.inputs)})'


def _cost(function: Function, number: int) -> str:
    return f'One call{f" of {function.name}" if number > 1 else ""}: {function.operations}.'


def _of(robot: str) -> str:
    return f" of '{robot}'" if is_plain(robot) else ''


def _table(program: Program) -> list[str]:
    rows = [('i', 'joint', 'type', 'moves', 'parent', 'q', 'effort', "frame i: link's")]
    for row in program.joints:
        rows.append((str(row.number), _cell(row.name), row.type, _cell(row.link), row.parent,
                     row.driver or row.unit, '' if row.driver else row.effort_unit, row.frame))
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return ['    ' + '  '.join(text.ljust(width) for text, width in zip(row, widths)).rstrip()
            for row in rows]


def _limits(program: Program) -> list[str]:
    """Return what the URDF says that joints can do; continuous ones have no positions there."""
    rows = [f'    {row.number:<3} {row.limits}' for row in program.joints if row.limits]
    title = 'Limits of the joints in the URDF, which are not enforced here:'
    return ['', title, *rows] if rows else []


def _cell(name: str) -> str:
    """Return a name that can stand in a comment of any language; the others are data."""
    return name if is_plain(name) else '-'
