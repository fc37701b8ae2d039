"""The loads on a robot and the meaning of the symbols, in the words of a file's head."""

from collections.abc import Collection, Iterable, Iterator, Sequence

from urdf2dyn_ros.algebra.vectors import Triple
from urdf2dyn_ros.functions.function import ModelFunction
from urdf2dyn_ros.functions.links import link_symbols
from urdf2dyn_ros.functions.links.link_frames import LinkFrames
from urdf2dyn_ros.functions.mention import mention
from urdf2dyn_ros.loads import TERMS, Loads
from urdf2dyn_ros.multibody import ROOT, Multibody

_TITLE = ("Notation, after Khalil and Dombre (v x w: cross product, R': transpose of R, p: parent "
          'of i):')
_SYMBOLS = """\
frame i       on link i, origin on joint i, z along the joint's axis; the root frame is 0
Ai, Ri        constant rotation from joint i to frame p; rotation of joint i, by qi about z
pi            origin of joint i in frame p; bi: acceleration of frame p there, as ai
ci, si        cosine and sine of qi
wi, wdi       angular velocity and its derivative, in frame i; w0 = wd0 = 0
ai            acceleration of the origin minus gravity, in frame i; a0 = -g
Ui            Ui r = wdi x r + wi x (wi x r): acceleration of r relative to the origin
mi, hi, Ji    mass, first moments (mass times centre), inertia about the origin, in frame i
mi_k, ..      mi, hi, Ji and centre ci_k of the k-th link fixed to link i; Mi: mass of them all
Fi, Ni        force and moment that accelerate link i by itself; Li = Ji wi
fi, ni        force and moment that joint i transmits; fpi, npi: the same in frame p
wji, .. nji   the same in the axes of joint i: before it turns, or turned back (fji, nji)
Ti, wri       rotation to the root frame, and wi there; ri, vi, acci: motion of the origin there
= (.., _, ..) entries of a formula that are known; _ is one that is not needed"""
IN_ROOT_FRAME = 'Ti, wri '
"""What begins the line about symbols of vectors in the root frame."""

_MOVING = {'; w0 = wd0 = 0': '; w0, wd0 are inputs', '; a0 = -g': '; a0 is an input'}


def in_words(system: Multibody, gravity: Triple, loads: Loads, named: Collection[str],
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


def about_links(frames: LinkFrames, moving: bool) -> Iterator[str]:
    """Yield the sentences about links, for functions on which no load has an effect."""
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


def kinematic_legend(moving: bool) -> tuple[str, ...]:
    """Return a line for each symbol of the functions about links, also where the root moves."""
    text = link_symbols.LEGEND
    for fixed, moves in link_symbols.MOVING.items() if moving else ():
        text = text.replace(fixed, moves)
    return (_TITLE, *(f'    {line}' for line in text.splitlines()))


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
    """Return a, b and c."""
    return ' and '.join(filter(None, (', '.join(words[:-1]), words[-1])))


def legend(functions: Iterable[ModelFunction], moving: bool, lumped: bool) -> tuple[str, ...]:
    """Return a line for each symbol; a moving base and lumped links have some of their own."""
    lines = [line for line in _SYMBOLS.splitlines() if lumped or not line.startswith('mi_k')]
    for function in functions:
        for symbols, others in function.LEGEND.items():
            k = next(k for k, line in enumerate(lines) if line.startswith(symbols))
            lines[k:k + 1] = others.splitlines()
    text = '\n'.join([_TITLE, *(f'    {line}' for line in lines)])
    for fixed, moves in _MOVING.items() if moving else ():
        text = text.replace(fixed, moves)
    return tuple(text.splitlines())
