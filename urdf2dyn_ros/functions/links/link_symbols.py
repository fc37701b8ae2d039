"""Symbols of the frames of bodies and links in the root's axes."""

from urdf2dyn_ros.algebra.vectors import AXES
from urdf2dyn_ros.functions.fields import Fields
from urdf2dyn_ros.functions.symbol import Symbol, matrix, vector

_FRAMES = 'Root to tips, in the axes of the root: where each frame is, and how it moves'
_LINK = 'The link, in the axes of the root'
_COLUMNS = 'Columns: motion of the link for a unit velocity'


def _displacement(at: Fields) -> str:
    slide = f' + {at.A}q{at.n} z' if at.joint.slides else ''
    if at.T and slide:
        return f'd{at.n} = {at.T}(p{at.n}{slide})'
    return f'd{at.n} = {at.T}p{at.n}{slide}'


def _acceleration(at: Fields) -> str:
    n, p = at.n, at.p
    if at.joint.slides:
        return f'a{n} = ab{n} + 2 w{p} x qd{n} z{n} + qdd{n} z{n}'
    return f'a{n} = a{p} + wd{p} x d{n} + w{p} x u{n}'


def _plain(symbol: str) -> tuple[str, ...]:
    return tuple(f'{symbol}_{x}' for x in AXES)


LINK_SYMBOLS = {
    'kq': Symbol(_FRAMES, ('q{n}', 'qd{n}', 'qdd{n}'), 'q{n} = {multiplier}q{driver}{offset}',
                 'follows'),
    'kR': Symbol(_FRAMES, ('c{n}', 's{n}'), 'R{n}: turn about z by q{n}'),
    'kT': Symbol(_FRAMES, matrix('T'),
                 lambda at: f'T{at.n} = {at.T}{at.A}' + f'R{at.n}' * bool(at.joint.turns)),
    'kd': Symbol(_FRAMES, vector('d'), _displacement),
    'kr': Symbol(_FRAMES, vector('r'), 'r{n} = r{p} + d{n}'),
    'ku': Symbol(_FRAMES, vector('u'), 'u{n} = w{p} x d{n}'),
    'kvb': Symbol(_FRAMES, vector('vb'), 'vb{n} = v{p} + u{n}'),
    'kab': Symbol(_FRAMES, vector('ab'), 'ab{n} = a{p} + wd{p} x d{n} + w{p} x u{n}'),
    'kv': Symbol(_FRAMES, vector('v'), lambda at: (
        f'v{at.n} = vb{at.n} + qd{at.n} z{at.n}' if at.joint.slides else
        f'v{at.n} = v{at.p} + u{at.n}')),
    'ka': Symbol(_FRAMES, vector('a'), _acceleration),
    'kw': Symbol(_FRAMES, vector('w'), 'w{n} = w{p} + qd{n} z{n}'),
    'kwd': Symbol(_FRAMES, vector('wd'), 'wd{n} = wd{p} + w{p} x qd{n} z{n} + qdd{n} z{n}'),
    'lR': Symbol(_LINK, tuple(f'R_{x}{y}' for x in AXES for y in AXES),
                 lambda at: f'R = T{at.n} B' if at.n else 'R = B'),
    'ld': Symbol(_LINK, _plain('d'), lambda at: f'd = T{at.n} b' if at.n else 'd = b'),
    'lp': Symbol(_LINK, _plain('p'), 'p = r{n} + d'),
    'lu': Symbol(_LINK, _plain('u'), 'u = w{n} x d'),
    'lv': Symbol(_LINK, _plain('v'), 'v = v{n} + u'),
    'la': Symbol(_LINK, _plain('a'), 'a = a{n} + wd{n} x d + w{n} x u'),
    'Jv': Symbol(_COLUMNS, vector('Jv'), lambda at: (
        f'Jv{at.n} = z{at.n}' + f' x (p - r{at.n})' * (not at.joint.slides))),
    **{f'Jb{x}': Symbol(_COLUMNS, _plain(f'Jb{x}'), f"Jb{x} = R' (e{x} x p)") for x in AXES},
    'Jl': Symbol(_COLUMNS, (*vector('Jlv'), *vector('Jlw')),
                 "Jlv{n}, Jlw{n}: R' Jv{n}, R' z{n}, in the axes of the link"),
    'lt': Symbol(_LINK, (*_plain('lv'), *_plain('lw')), "lv = R' v, lw = R' w{n}"),
    'lacc': Symbol(_LINK, (*_plain('la'), *_plain('lwd')), "la = R' a, lwd = R' wd{n}"),
}
"""What functions about links note in the readable style."""

LEGEND = """\
frame i       on link i, origin on joint i, z along the joint's axis; the root frame is 0
Ai, Ri        constant rotation from joint i to frame p; rotation of joint i, by qi about z
pi            origin of joint i in frame p; ci, si: cosine and sine of qi
Ti, ri        rotation from frame i to the root frame, position of its origin there
zi, wi, wdi   axis of joint i; angular velocity and its derivative; w0 = wd0 = v0 = a0 = 0
vi, ai        velocity and acceleration of the origin; di: from the origin of frame p to it
B, b          constant rotation from the link to its frame i, and its origin there
R, p, v, a    of the link: rotation to the root frame; position, velocity, acceleration
Jvi, zi       linear and angular part of the column of joint i"""

MOVING = {'; w0 = wd0 = v0 = a0 = 0': '; v0, w0 ..: the root',
          'Jvi, zi       linear and angular part of the column of joint i': """\
Jvi, zi       linear and angular part of the column of joint i; ex, ey, ez: axes of the root
ex, ex x p    linear parts of the columns of v0_x and w0_x, whose angular parts are 0 and ex"""}
"""Parts of LEGEND to what stands in their places where the root moves."""
