"""What the symbols in the formulas of a readable file mean."""

from __future__ import annotations

from collections.abc import Iterable

from urdf2dyn_ros.functions.function import ModelFunction

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
mi_k, ..      the same of the k-th link that is fixed to link i; Mi: mass of all together
Fi, Ni        force and moment that accelerate link i by itself; Li = Ji wi
fi, ni        force and moment that joint i transmits; fpi, npi: the same in frame p
wji, .. nji   the same vector in the axes of joint i, before it turns (forward: wji, wdji,
              bji) or after it is turned back (backward: fji, nji)
Ti, ri, vi    rotation from frame i to the root frame; position, velocity of its origin
= (.., _, ..) entries of a formula that are known; _ is one that nobody needs"""
_MOVING = {'; w0 = wd0 = 0': '; w0, wd0 are given', '; a0 = -g': '; a0 is given'}


def legend(functions: Iterable[ModelFunction], moving: bool, lumped: bool) -> tuple[str, ...]:
    """Return a line for each symbol of a robot with a moving base or with lumped links, or not."""
    lines = [line for line in _SYMBOLS.splitlines() if lumped or not line.startswith('mi_k')]
    for function in functions:
        for symbols, others in function.LEGEND.items():
            k = next(k for k, line in enumerate(lines) if line.startswith(symbols))
            lines[k:k + 1] = others.splitlines()
    text = '\n'.join([_TITLE, *(f'    {line}' for line in lines)])
    for fixed, moves in _MOVING.items() if moving else ():
        text = text.replace(fixed, moves)
    return tuple(text.splitlines())
