"""Where links are and how they move, in the axes of the root, root to tips, for any scalar."""

from collections.abc import Collection, Sequence
from functools import partial

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.vectors import Vector, add, apply, cross, product, scale
from urdf2dyn_ros.equations.kinematics import REFERENCE, Frame, chain, displaced, oriented
from urdf2dyn_ros.equations.recursion import unnoted
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.joints.motion import BodyNote, Coordinate, Note
from urdf2dyn_ros.multibody import ROOT, Attached, Body, Multibody


def root_frames(system: Multibody, state: Sequence[Sequence[Scalar]], numbers: Collection[int],
                note: Note = unnoted, root: Frame = REFERENCE) -> dict[int, Frame]:
    """
    Return the frames of bodies and of all before them, by number; the state is q, qd, qdd.

    The root is at the origin of its own axes, and moves there as its frame says.

    """
    frames = {ROOT: root}
    for i in sorted({i for number in numbers for i in chain(system, number)}):
        body = system.bodies[i]
        frames[i] = _next(frames[body.parent], body, body.at(*state), partial(note, i))
    return frames


def link_frame(body: Frame, link: Attached, note: BodyNote) -> Frame:
    """Return the frame of a link from that of its body."""
    R = product(body.R, link.body_R_link)
    note('lR', sum(R, ()))
    r = apply(body.R, link.body_p_link)
    note('ld', r)
    p, v, a = _point(body, r, ('lp', 'lu', 'lv', 'la'), note)
    return Frame(R, p, v, a, body.w, body.wd)


def _next(parent: Frame, body: Body, at: Coordinate, note: BodyNote) -> Frame:
    """Return the frame of a body from that of its parent."""
    joint = JOINTS[body.type]
    note('kq', (at.q, at.qd, at.qdd))
    note('kR', joint.cos_sin(at))
    R = oriented(parent.R, body, at)
    note('kT', sum(R, ()))
    d = apply(parent.R, displaced(body, at))
    note('kd', d)
    fixed = ('kr', 'ku', 'kvb', 'kab') if joint.slides else ('kr', 'ku', 'kv', 'ka')
    p, v, a = _point(parent, d, fixed, note)
    w, wd, z = parent.w, parent.wd, (R[0][2], R[1][2], R[2][2])
    if joint.slides:
        rate = scale(joint.slides * at.qd, z)
        v = add(v, rate)
        note('kv', v)
        a = add(a, add(scale(2.0, cross(w, rate)), scale(joint.slides * at.qdd, z)))
        note('ka', a)
    if joint.turns:
        rate = scale(joint.turns * at.qd, z)
        wd = add(wd, add(cross(w, rate), scale(joint.turns * at.qdd, z)))
        note('kwd', wd)
        w = add(w, rate)
        note('kw', w)
    return Frame(R, p, v, a, w, wd)


def _point(frame: Frame, r: Vector, symbols: Sequence[str], note: BodyNote,
           ) -> tuple[Vector, Vector, Vector]:
    """Return p, v, a of a point fixed to a frame, r [m] from its origin."""
    p = add(frame.p, r)
    note(symbols[0], p)
    u = cross(frame.w, r)
    note(symbols[1], u)
    v = add(frame.v, u)
    note(symbols[2], v)
    a = add(frame.a, add(cross(frame.wd, r), cross(frame.w, u)))
    note(symbols[3], a)
    return p, v, a
