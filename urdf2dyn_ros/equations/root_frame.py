"""Where everything is and how it moves, in the root frame: the third sweep, for any scalar."""

from urdf2dyn_ros.algebra.expression import Scalar
from urdf2dyn_ros.algebra.vectors import (
    IDENTITY,
    ZERO,
    Matrix,
    Vector,
    add,
    apply,
    cross,
    product,
    scale,
)
from urdf2dyn_ros.equations.kinematics import displaced, oriented
from urdf2dyn_ros.equations.newton_euler import Sweep
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.joints.motion import AT_REST, Motion, Note, spin
from urdf2dyn_ros.multibody import ROOT, Attached, Body, Multibody

Vectors = dict[str, tuple[Scalar, ...]]
"""Kind and name to entries."""


class _Frame:
    """
    A body's frame in the root: orientation, position, velocity, and motion from the sweep.

    `rate` is the angular velocity w, in the axes of the root.
    """

    def __init__(self, T: Matrix, r: Vector, v: Vector, rate: Vector, motion: Motion,
                 U: Matrix) -> None:
        self.T, self.r, self.v, self.rate, self.w, self.U = T, r, v, rate, motion.w, U
        self.a = motion.a

    def at(self, p: Vector, R: Matrix) -> Vectors:
        """Return where a frame that is fixed in the body at p with axes R is, and its motion."""
        return {'position': add(self.r, apply(self.T, p)),
                'velocity': add(self.v, apply(self.T, cross(self.w, p))),
                'acceleration': add(self.a, apply(self.T, apply(self.U, p))),
                'orientation': sum(product(self.T, R), ()),
                'angular_velocity': self.rate}


def root_frame(system: Multibody, sweep: Sweep, gravity: Vector,
               note: Note) -> Vectors:
    """
    Return vectors in the root frame, by name of joint or link.

    They are ``position_``, ``velocity_`` and ``acceleration_`` [m, m/s, m/s^2] of the origin of
    every joint's and link's frame, which moves with the joint's child; ``orientation_``, the rows
    of root_R_frame, and ``angular_velocity_`` [rad/s] of this frame; ``forces_`` and
    ``torques_`` [N, N m] that every movable joint transmits to its child, about its origin. Where
    a link and a joint of the same name have different frames, the link's key ends in
    ``' (link)'``.
    """
    root = _Frame(IDENTITY, ZERO, ZERO, ZERO, AT_REST, spin(ZERO, ZERO))
    frames: list[_Frame] = []
    vectors: Vectors = {}
    for attached in system.root:
        _attached(vectors, root, attached)
    for i, body in enumerate(system.bodies):
        frame = _frame(i, body, root if body.parent == ROOT else frames[body.parent], sweep,
                       gravity, note)
        frames.append(frame)
        child = body.attached[0].body_R_link if body.attached else IDENTITY
        _add(vectors, body.name, frame.at(ZERO, child))
        for name, vector in zip(('forces', 'torques'), sweep.wrenches[i]):
            vectors[f'{name}_{body.name}'] = apply(frame.T, vector)
        for attached in body.attached:
            _attached(vectors, frame, attached)
        note(i, 'at', ())
    return vectors


def _frame(i: int, body: Body, parent: _Frame, sweep: Sweep, gravity: Vector,
           note: Note) -> _Frame:
    """Return the frame of body i from that of its parent."""
    at, motion = sweep.coordinates[i], sweep.motions[i]
    T = oriented(parent.T, body, at)
    note(i, 'T', sum(T, ()))
    p = displaced(body, at)
    r = add(parent.r, apply(parent.T, p))
    note(i, 'r', r)
    # a displacement is linear in q: of qd it is the velocity along the joint
    sliding = apply(body.parent_R_joint, JOINTS[body.type].displacement(at.qd))
    v = add(parent.v, apply(parent.T, add(cross(parent.w, p), sliding)))
    note(i, 'v', v)
    a = add(apply(T, motion.a), gravity)
    note(i, 'acc', a)
    turning = scale(JOINTS[body.type].turns * at.qd, (T[0][2], T[1][2], T[2][2]))
    rate = add(parent.rate, turning)
    note(i, 'wr', rate)
    return _Frame(T, r, v, rate, motion._replace(a=a), sweep.spins[i])


def _attached(vectors: Vectors, frame: _Frame, attached: Attached) -> None:
    values = frame.at(attached.body_p_link, attached.body_R_link)
    if attached.joint is not None:
        _add(vectors, attached.joint, values)
    same = all(vectors.get(f'{kind}_{attached.link.name}', values[kind]) == values[kind]
               for kind in ('position', 'orientation'))
    suffix = '' if same else ' (link)'
    _add(vectors, attached.link.name + suffix, values)


def _add(vectors: Vectors, name: str, values: Vectors) -> None:
    for kind, vector in values.items():
        vectors.setdefault(f'{kind}_{name}', vector)
