"""Where everything is and how it moves, in the root frame: the third sweep, for any scalar."""

from urdf2dyn_ros.algebra.vectors import IDENTITY, ZERO, Matrix, Vector, add, apply, cross
from urdf2dyn_ros.equations.kinematics import displaced, oriented
from urdf2dyn_ros.equations.newton_euler import Sweep
from urdf2dyn_ros.equations.recursion import unnoted
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.joints.motion import Note, spin
from urdf2dyn_ros.multibody import ROOT, Attached, Multibody


class _Frame:
    """A body's frame in the root: orientation, position, velocity, and motion from the sweep."""

    def __init__(self, T: Matrix, r: Vector, v: Vector, w: Vector, U: Matrix, a: Vector) -> None:
        self.T, self.r, self.v, self.w, self.U, self.a = T, r, v, w, U, a

    def at(self, p: Vector) -> dict[str, Vector]:
        """Return position, velocity and acceleration of a point fixed at p in the body."""
        return {'position': add(self.r, apply(self.T, p)),
                'velocity': add(self.v, apply(self.T, cross(self.w, p))),
                'acceleration': add(self.a, apply(self.T, apply(self.U, p)))}


def root_frame(system: Multibody, sweep: Sweep, gravity: Vector,
               note: Note = unnoted) -> dict[str, Vector]:
    """
    Return 3-vectors in the root frame, by name of joint or link.

    They are ``position_``, ``velocity_`` and ``acceleration_`` [m, m/s, m/s^2] of the origin of
    every joint's and link's frame, which moves with the joint's child; ``forces_`` and
    ``torques_`` [N, N m] that every movable joint transmits to its child, about its origin. Where
    a link and a joint of the same name have different frames, the link's key ends in
    ``' (link)'``.

    """
    root = _Frame(IDENTITY, ZERO, ZERO, ZERO, spin(ZERO, ZERO), ZERO)
    frames: list[_Frame] = []
    vectors: dict[str, Vector] = {}
    for attached in system.root:
        _attached(vectors, root, attached)
    for i, body in enumerate(system.bodies):
        parent = root if body.parent == ROOT else frames[body.parent]
        at, motion = sweep.coordinates[i], sweep.motions[i]
        T = oriented(parent.T, body, at)
        note(i, 'T', sum(T, ()))
        p = displaced(body, at)
        r = add(parent.r, apply(parent.T, p))
        note(i, 'r', r)
        # a displacement is linear in q: of qd it is the velocity along the joint
        rate = apply(body.parent_R_joint, JOINTS[body.type].displacement(at.qd))
        v = add(parent.v, apply(parent.T, add(cross(parent.w, p), rate)))
        note(i, 'v', v)
        acceleration = add(apply(T, motion.a), gravity)
        note(i, 'acc', acceleration)
        frame = _Frame(T, r, v, motion.w, sweep.spins[i], acceleration)
        frames.append(frame)
        _add(vectors, body.name, frame.at(ZERO))
        for name, vector in zip(('forces', 'torques'), sweep.wrenches[i]):
            vectors[f'{name}_{body.name}'] = apply(frame.T, vector)
        for attached in body.attached:
            _attached(vectors, frame, attached)
        note(i, 'at', ())
    return vectors


def _attached(vectors: dict[str, Vector], frame: _Frame, attached: Attached) -> None:
    values = frame.at(attached.body_p_link)
    if attached.joint is not None:
        _add(vectors, attached.joint, values)
    known = vectors.get(f'position_{attached.link.name}', values['position'])
    suffix = '' if known == values['position'] else ' (link)'
    _add(vectors, attached.link.name + suffix, values)


def _add(vectors: dict[str, Vector], name: str, values: dict[str, Vector]) -> None:
    for kind, vector in values.items():
        vectors.setdefault(f'{kind}_{name}', vector)
