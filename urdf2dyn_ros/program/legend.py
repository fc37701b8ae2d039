"""What the symbols in the formulas of a readable file mean."""

from __future__ import annotations

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


def legend(observed: bool, moves: bool) -> tuple[str, ...]:
    """Return a line for each symbol."""
    return tuple((_MOMENTUM if observed else _MOVING if moves else _NOTATION).splitlines())
