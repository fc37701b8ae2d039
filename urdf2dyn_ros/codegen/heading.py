"""
The heading of a file: title, method, costs, loads in words, table of joints, and symbols.

`in_words` makes sentences and the legend when a program is generated; `heading` writes them with
all else that the program has.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from urdf2dyn_ros.codegen.functions import links as link_symbols
from urdf2dyn_ros.codegen.functions.function import ModelFunction
from urdf2dyn_ros.codegen.infix import wrapped
from urdf2dyn_ros.codegen.program import Program, result_scales
from urdf2dyn_ros.codegen.signature import LinkFrames
from urdf2dyn_ros.robot.loads import TERMS, Loads
from urdf2dyn_ros.robot.multibody import ROOT, Multibody
from urdf2dyn_ros.robot.spatial import Triple
from urdf2dyn_ros.text import __version__, aligned, is_plain, mention

_WIDTH = 96   # behind what begins a comment

# method, and the lines about units
_DYNAMIC = ('Recursive Newton-Euler', (
    'SI: rad, m, kg, s, N, N m. Efforts are positive along the axis: what the actuator must',
    'supply. Inputs must be finite: products with what is always zero are omitted.'))
_KINEMATIC = ('Kinematics', (
    'SI: rad, m, s. Inputs must be finite: products with what is always zero are omitted.',))

_SAME_AXES = 'x y z'   # those of a frame that are those of another; how to read others
_KEY = "    z -x -y: x of frame i is the link's z, y its -x, z its -y"

# sentences of each style on the numbers of the URDF
_NUMBERS = {
    'readable': ['Lengths of 0 and quarter turns of the URDF are folded in (`export --general`: '
                 'nothing is).'],
    'general': ['Nothing of the URDF is folded in: pi, and the rotations A of joints, B of links,',
                'E of inertial axes, V of planes follow from xyz, rpy and axis.'],
    'fast': []}


def heading(program: Program) -> list[str]:
    several = len(program.functions) > 1
    single = ', single precision' if program.accuracy else ''
    method, units = (_KINEMATIC if program.kinematic else _DYNAMIC)
    costs = [f'One call{f" of {function.name}" if several else ""}: {function.operations}.'
             for function in program.functions]
    accuracy = []
    if program.accuracy:
        of = 'its scale' if result_scales(program) else 'the largest entry of a result, or of 1'
        accuracy = _wrapped(f'The self-test allows {program.accuracy:.1g} of {of}: eight times '
                            'the error in its states.')
    lines = [
        *_wrapped(program.title),
        '',
        f'{method}, {program.style} style{single}, written by urdf2dyn_ros {__version__}.',
        *units,
        *accuracy,
        *(line for sentence in program.loads for line in _wrapped(sentence)),
        *_NUMBERS[program.style],
        *(line for cost in costs for line in _wrapped(cost)),
        '',
        *_table(program),
    ]
    # continuous joints have none of position
    if limits := [f'    {row.number:<3} {row.limits}' for row in program.joints if row.limits]:
        lines += ['', 'Limits of the joints in the URDF, which are not enforced here:', *limits]
    return lines + (['', *program.legend] if program.legend else [])


def _wrapped(sentence: str) -> list[str]:
    return wrapped(sentence, '', '    ', _WIDTH).splitlines()


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
        key = [_KEY + ('; Ai: axes of joint i, in frame p' if turned else '')]
    return [f'    {line}' for line in aligned(rows, left=len(rows[0]))] + key


def _cell(name: str) -> str:
    """Return a name that can stand in a comment of any language; the others are data."""
    return name if is_plain(name) else '-'


# ---- Loads in words, and what the symbols mean

_TITLE = ("Notation, after Khalil and Dombre (v x w: cross product, R': transpose of R, p: parent "
          'of i):')
# what symbols mean: lines by what they are about, in whose place a function has its own
LEGEND = {
    'frames': """\
frame i       on link i, origin on joint i, z along the joint's axis; the root frame is 0
Ai, Ri        constant rotation from joint i to frame p; rotation of joint i, by qi about z
pi            origin of joint i in frame p; bi: acceleration of frame p there, as ai
ci, si        cosine and sine of qi
wi, wdi       angular velocity and its derivative, in frame i; w0 = wd0 = 0
ai            acceleration of the origin minus gravity, in frame i; a0 = -g
Ui            Ui r = wdi x r + wi x (wi x r): acceleration of r relative to the origin
mi, hi, Ji    mass, first moments (mass times centre), inertia about the origin, in frame i""",
    'lumped': """\
mi_k, ..      mi, hi, Ji and centre ci_k of the k-th link fixed to link i; Mi: mass of them all""",
    'forces': 'Fi, Ni        force and moment that accelerate link i by itself; Li = Ji wi',
    'transmitted': """\
fi, ni        force and moment that joint i transmits; fpi, npi: the same in frame p
wji, .. nji   the same in the axes of joint i: before it turns, or turned back (fji, nji)""",
    'root frame':
        'Ti, wri       rotation to the root frame, and wi there; ri, vi, acci: motion of the '
        'origin there',
    'entries': '= (.., _, ..) entries of a formula that are known; _ is one that is not needed',
}

_MOVING = {'; w0 = wd0 = 0': '; w0, wd0 are inputs', '; a0 = -g': '; a0 is an input'}


def in_words(system: Multibody, gravity: Triple, loads: Loads, frames: LinkFrames,
             functions: Sequence[ModelFunction], named: Collection[str],
             ) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the sentences about loads or links, and a line for each symbol."""
    # `named` are the inputs and results of the functions
    if all(function.kinematic for function in functions):
        moving = loads.moving(system)
        words, lines = _about_links(frames, moving), [link_symbols.LEGEND]
        moved: Mapping[str, str] = link_symbols.MOVING
    else:
        moving, moved = 'base_motion' in named, _MOVING
        words = _about_loads(system, gravity, loads, named)
        lumped = any(len(body.attached) > 1 for body in system.bodies)
        own: dict[str, list[str]] = {}
        for function in functions:
            for about, of_function in function.LEGEND.items():
                own.setdefault(about, []).append(of_function)
        lines = [line for about, usual in LEGEND.items() if lumped or about != 'lumped'
                 for line in own.get(about, [usual])]
    text = '\n'.join(lines)
    for fixed, moves in moved.items() if moving else ():
        text = text.replace(fixed, moves)
    return tuple(words), (_TITLE, *(f'    {line}' for line in text.splitlines()))


def _about_loads(system: Multibody, gravity: Triple, loads: Loads, named: Collection[str],
                 ) -> Iterator[str]:
    """Yield a sentence for each load among the named inputs, results; one for what is absent."""
    yield _loads(system, loads, named)
    if not loads.moving(system):
        yield f'Gravity ({", ".join(f"{entry:g}" for entry in gravity)}) m/s^2 in the root frame.'
    elif 'base_motion' in named:
        yield ('The root moves as base_motion says. Gravity is part of it: a0 is what an '
               'accelerometer at the origin of the root measures.')
        if 'tau_coriolis' in named:
            yield ('tau_gravity is what a0 requires; tau_coriolis and tau_inertia include the '
                   "root's angular velocity and angular acceleration.")
    if 'external' in named:
        yield ('external: force and moment on a link by the environment, about its origin, in '
               'its axes.')
        for k, link in enumerate(loads.external):
            name = mention(link) or f' number {k + 1} of those requested'
            yield (f'    Entries {6 * k + 1} to {6 * k + 6}: link{name}.'
                   + _idle(system, loads, link))
    if 'payload' in named:
        yield ('payload: a body that is fixed to '
               + (f'link{mention(loads.payload)}.' if mention(loads.payload) else 'a link.')
               + _idle(system, loads, loads.payload))


def _idle(system: Multibody, loads: Loads, link: str) -> str:
    """Return a sentence if no effort depends on what acts on a link."""
    moves = loads.moving(system) or system.links[link][0] != ROOT
    return '' if moves else ' It is fixed to the world: no effort depends on it.'


def _about_links(frames: LinkFrames, moving: bool) -> Iterator[str]:
    axes = {'root': 'in the axes of the root', 'link': 'in the axes of the link'}[frames.axes]
    several = len(frames.links) > 1
    for k, link in enumerate(frames.links, 1):
        name = mention(link) or f' number {k} of those requested'
        yield f'Results with _{k}: link{name}.' if several else f'Link{name}.'
    if moving:
        yield (f'Vectors are {axes}; poses are relative to the root, which moves; velocities and '
               'accelerations are relative to the world.')
    else:
        yield f'Vectors are {axes}, relative to the root.'


def _loads(system: Multibody, loads: Loads, named: Collection[str]) -> str:
    """Return the loads that a function has, and those that are absent."""
    on = [name for name in TERMS if any(
        name == term.NAME and not term.is_off() for terms in loads.terms.values()
        for term in terms)]
    off = [f'no {TERMS[name].PLURAL}' for name in TERMS if name not in on]
    on_robot = [f'{_listed([TERMS[name].PLURAL for name in on])} at joints'] if on else []
    if system.forces:
        on_robot.append('the constant wrenches of the tags <force>')
    on_robot += [words for name, words in (('external', 'external wrenches'),
                                           ('payload', 'a payload')) if name in named]
    if not system.forces and not loads.external:
        off.append('no contact')
    return ('Rigid links' + (f' with {_listed(on_robot)}; ' if on_robot else ' alone: ')
            + ', '.join(off)).removesuffix('; ') + '.'


def _listed(words: Sequence[str]) -> str:
    return ' and '.join(filter(None, (', '.join(words[:-1]), words[-1])))
