"""The heading of every exported file, as lines of plain text."""

from urdf2dyn_ros.functions.mention import is_plain
from urdf2dyn_ros.languages.lines import wrapped
from urdf2dyn_ros.program.program import Program
from urdf2dyn_ros.program.scales import scales
from urdf2dyn_ros.text_table import aligned
from urdf2dyn_ros.version import __version__

_WIDTH = 96   # behind what begins a comment

_DYNAMIC = ('Recursive Newton-Euler', (
    'SI: rad, m, kg, s, N, N m. Efforts are positive along the axis: what the actuator must',
    'supply. Inputs must be finite: products with what is always zero are omitted.'))
_KINEMATIC = ('Kinematics', (
    'SI: rad, m, s. Inputs must be finite: products with what is always zero are omitted.',))
"""Method, and the lines about units."""

_SAME_AXES = 'x y z'
_KEY = "    z -x -y: x of frame i is the link's z, y its -x, z its -y"
"""Axes of a frame that are those of another; how to read others."""


_NUMBERS = {
    'readable': ['Lengths of 0 and quarter turns of the URDF are folded in (`export --general`: '
                 'nothing is).'],
    'general': ['Nothing of the URDF is folded in: pi, and the rotations A of joints, B of links,',
                'E of inertial axes, V of planes follow from xyz, rpy and axis.'],
    'fast': []}
"""Sentences of each style on the numbers of the URDF."""


def heading(program: Program) -> list[str]:
    """Return title, joint table, conventions and costs."""
    several = len(program.functions) > 1
    single = ', single precision' * bool(program.accuracy)
    method, units = (_KINEMATIC if program.kinematic else _DYNAMIC)
    costs = [f'One call{f" of {function.name}" * several}: {function.operations}.'
             for function in program.functions]
    lines = [
        *_wrapped(program.title),
        '',
        f'{method}, {program.style} style{single}, written by urdf2dyn_ros {__version__}.',
        *units,
        *_wrapped(_accuracy(program)),
        *(line for sentence in program.loads for line in _wrapped(sentence)),
        *_NUMBERS[program.style],
        *(line for cost in costs for line in _wrapped(cost)),
        '',
        *_table(program),
        *_limits(program),
    ]
    return lines + (['', *program.legend] if program.legend else [])


def _wrapped(sentence: str) -> list[str]:
    return wrapped(sentence, '', '    ', _WIDTH).splitlines()


def _accuracy(program: Program) -> str:
    if not program.accuracy:
        return ''
    of = 'its scale' if scales(program) else 'the largest entry of a result, or of 1'
    return (f'The self-test allows {program.accuracy:.1g} of {of}: eight times the error in its '
            'states.')


def _table(program: Program) -> list[str]:
    rows: list[tuple[str, ...]] = [
        ('i', 'joint', 'type', 'moves', 'parent', 'q', 'effort', "frame i: link's")]
    for row in program.joints:
        rows.append((str(row.number), _cell(row.name), row.type, _cell(row.link), row.parent,
                     row.driver or row.unit, '' if row.driver else row.effort_unit, row.frame))
    turned = program.style != 'fast' and any(row.rotation for row in program.joints)
    if turned:
        column = ["Ai: frame p's", *(row.rotation or _SAME_AXES for row in program.joints)]
        rows = [(*row, cell) for row, cell in zip(rows, column)]
    key = []
    if turned or any(row.frame != _SAME_AXES for row in program.joints):
        key = [_KEY + '; Ai: axes of joint i, in frame p' * turned]
    return [f'    {line}' for line in aligned(rows, left=len(rows[0]))] + key


def _limits(program: Program) -> list[str]:
    """Return the limits of the joints in the URDF; continuous ones have none of position."""
    rows = [f'    {row.number:<3} {row.limits}' for row in program.joints if row.limits]
    title = 'Limits of the joints in the URDF, which are not enforced here:'
    return ['', title, *rows] if rows else []


def _cell(name: str) -> str:
    """Return a name that can stand in a comment of any language; the others are data."""
    return name if is_plain(name) else '-'
