"""
From a robot to its table: the frames of Khalil and Kleinfinger, on common normals.

Frame j is fixed to body j, with z along its joint. Its x axis and its origin are on the common
normal of this axis and that of the child with the most bodies behind it, whose gamma and b are so
zero. Where both axes are parallel, r of frame j is zero. Frame 0 is frame 1 at position zero.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from urdf2dyn_ros.algebra.frames import composed, turned_about_z
from urdf2dyn_ros.algebra.inertia import BodyInertia, about_origin, total
from urdf2dyn_ros.algebra.vectors import (
    IDENTITY,
    ZERO,
    Matrix,
    Vector,
    apply,
    subtract,
    transpose,
)
from urdf2dyn_ros.dh.parameters import SixParameters, six_parameters
from urdf2dyn_ros.dh.rows import FIXED_ROW, PRISMATIC_ROW, REVOLUTE_ROW, DhRow, DhTable
from urdf2dyn_ros.equations.body_inertias import link_inertia
from urdf2dyn_ros.equations.simplification.turned_frames import most_behind
from urdf2dyn_ros.errors import Problem, UrdfError
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.multibody import ROOT, Attached, Multibody, multibody
from urdf2dyn_ros.robot_model import Mimic, RobotModel

_FARTHEST_AXIS = 10.0
"""
Longest distance [m] from a joint to a common normal.

Axes that are nearly parallel have it far away, where inertias lose digits: there is a fixed frame
at the joint instead, which only moves the origin.
"""

_NOISE = 4e-15
"""Lengths [m] are zero and angles [rad] are quarter turns up to this."""


@dataclass(frozen=True)
class _Frame:
    """A frame on its joint, before its x axis and origin are chosen, and what is fixed to it."""

    name: str
    type: str
    parent: int
    six: SixParameters
    attached: tuple[Attached, ...] = ()
    link: str = ''

    @property
    def is_tip(self) -> bool:
        """Whether it is that of a link without joints behind it."""
        return self.link != '' and self.parent != ROOT


def dh_table(model: RobotModel) -> DhTable:
    """
    Return the table of a robot; its joints are those of the model, in the same order.

    A UrdfError for constant wrenches on links, for which a table has no column.
    """
    if model.forces:
        raise UrdfError(Problem('dh-force', 'a table of DH parameters has no column for wrenches '
                                'on links; remove <force> from the description',
                                f'<force link="{force.link}">') for force in model.forces)
    system = multibody(model)
    frames, first = _frames(model, system)
    inner = [j for j, frame in enumerate(frames) if not frame.is_tip]   # all parents among them
    heirs = {j: None if heir is None else inner[heir] for j, heir in zip(
        inner, most_behind([frames[j].parent for j in inner]))}
    turns: list[float] = []
    slides: list[float] = []
    rows: list[DhRow] = []
    for j, frame in enumerate(frames):
        six, on_axis, heir = frame.six, SixParameters(), None
        if j > 0:
            six = on_axis = _folded(six._replace(gamma=six.gamma - turns[frame.parent],
                                                 b=six.b - slides[frame.parent]))
            heir = None if frame.is_tip else heirs[j]
        elif first:   # frame 0 is that of the first joint, at position zero
            heir = heirs[first]
        turn, slide = (0.0, 0.0) if frame.is_tip else _chosen(
            on_axis, None if heir is None else frames[heir].six)
        turns.append(turn)
        slides.append(slide)
        six = _cleaned(_folded(six._replace(theta=six.theta + turn, r=six.r + slide)))
        rows.append(DhRow(j, frame.name, frame.link, frame.type, frame.parent if j > 0 else None,
                          six, _inertia(frame.attached, turn, slide)))
    return DhTable(model.name, tuple(_with_joints(model, system, rows)))


def _frames(model: RobotModel, system: Multibody) -> tuple[list[_Frame], int]:
    """Return frame 0, those of bodies, then those of tips; the number of the first joint's."""
    bodies = system.bodies
    heir = most_behind([ROOT, *(body.parent + 1 for body in bodies)])[0]
    base_R, base_p = IDENTITY, ZERO
    if heir is not None:
        base_R, base_p = bodies[heir - 1].parent_R_joint, bodies[heir - 1].parent_p_joint
        if _is_far(six_parameters(base_R, base_p), base_p):   # frame 0 is the fixed one
            base_R, heir = IDENTITY, None

    def in_frame(parent: int, R: Matrix, p: Vector) -> tuple[Matrix, Vector]:
        if parent != ROOT:
            return R, p
        # what is on its axes stays there: no rounding errors
        return (composed(transpose(base_R), R) if base_R != R else IDENTITY,
                apply(transpose(base_R), subtract(p, base_p)))

    frames = [_Frame('base', FIXED_ROW, ROOT, six_parameters(base_R, base_p), tuple(
        replace(each, body_R_link=R, body_p_link=p) for each in system.root
        for R, p in [in_frame(ROOT, each.body_R_link, each.body_p_link)]), model.root)]
    number = {ROOT: 0}

    def append(frame: _Frame, R: Matrix, p: Vector) -> None:
        six = six_parameters(R, p)
        if _is_far(six, p):
            frames.append(_Frame(f'{frame.name}_origin', FIXED_ROW, frame.parent,
                                 _translated(p)))
            frame, six = replace(frame, parent=len(frames) - 1), six_parameters(R, ZERO)
        frames.append(replace(frame, six=six))

    for i, body in enumerate(bodies):
        kind = PRISMATIC_ROW if JOINTS[body.type].slides else REVOLUTE_ROW
        append(_Frame(body.name, kind, number[body.parent], SixParameters(), body.attached),
               *in_frame(body.parent, body.parent_R_joint, body.parent_p_joint))
        number[i] = len(frames) - 1
    for name in system.tips:
        i, tip = system.links[name]
        if name != model.root:
            append(_Frame(f'{name}_tip', FIXED_ROW, number[i], SixParameters(), (), name),
                   *in_frame(i, tip.body_R_link, tip.body_p_link))
    return frames, 0 if heir is None else number[heir - 1]


def _is_far(six: SixParameters, p: Vector) -> bool:
    """Return whether the common normal of two axes is far from a joint at p [m]."""
    return max(abs(six.b), abs(six.r)) > max(_FARTHEST_AXIS, 2.0 * math.hypot(*p))


def _translated(p: Vector) -> SixParameters:
    """Return the parameters of a frame that only has another origin."""
    angle = math.atan2(p[1], p[0])
    return SixParameters(angle, 0.0, 0.0, math.hypot(p[0], p[1]), -angle, p[2])


def _chosen(six: SixParameters, heir: SixParameters | None) -> tuple[float, float]:
    """Return angle about z [rad] and distance along z [m] of a frame from that on its joint."""
    turn, slide = -six.theta, -six.r
    if heir is not None and not heir.parallel:
        turn, slide = heir.gamma, heir.b
    elif heir is not None and heir.d != 0.0:
        turn = heir.gamma
    return turn, slide


def _folded(six: SixParameters) -> SixParameters:
    """Return equal parameters without b, and where possible gamma, if the axes are parallel."""
    if not six.parallel:
        return six
    sign = math.cos(six.alpha)
    six = six._replace(b=0.0, r=six.r + sign * six.b)
    if six.d == 0.0:
        six = six._replace(gamma=0.0, theta=six.theta + sign * six.gamma)
    return six


def _cleaned(six: SixParameters) -> SixParameters:
    """Return parameters without rounding errors, angles from -pi to pi."""
    gamma, alpha, theta = map(_angle, (six.gamma, six.alpha, six.theta))
    b, d, r = (0.0 if abs(length) < _NOISE else length for length in (six.b, six.d, six.r))
    return SixParameters(gamma, b, alpha, d, theta, r)


def _angle(angle: float) -> float:
    angle = math.remainder(angle, 2.0 * math.pi)
    nearest = round(angle / (math.pi / 2)) * (math.pi / 2) + 0.0
    angle = nearest if abs(angle - nearest) < _NOISE else angle
    return math.pi if angle == -math.pi else angle


def _inertia(attached: tuple[Attached, ...], turn: float, slide: float) -> BodyInertia | None:
    """Return the inertia of links about the chosen origin, along the chosen axes."""
    back = turned_about_z(-turn)
    return total(about_origin(link_inertia(replace(
        each, body_R_link=composed(back, each.body_R_link),
        body_p_link=apply(back, subtract(each.body_p_link, (0.0, 0.0, slide))))))
        for each in attached if each.link.inertia is not None)


def _with_joints(model: RobotModel, system: Multibody, rows: list[DhRow]) -> Iterator[DhRow]:
    """Yield rows with names of links, and what the joints have in addition."""
    bodies = {body.name: body for body in system.bodies}
    joints = {joint.name: joint for joint in model.joints}
    names = {row.link for row in rows}
    for row in rows:
        link = row.link or f'frame{row.j}'
        while not row.link and link in names:
            link += '_'
        row = replace(row, link=link)
        if row.type != FIXED_ROW:
            body = bodies[row.joint]
            driver = system.joint_names[body.coordinate]
            if driver != row.joint:
                row = replace(row, mimic=Mimic(driver, float(body.multiplier),
                                               float(body.offset)))
            if (joint := joints.get(row.joint)) is not None:
                row = replace(row, damping=joint.damping, friction=joint.friction)
        yield row
