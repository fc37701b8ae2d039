"""
The tree of moving bodies of a robot, with all that the equations need.

Fixed links are lumped into bodies, mimic joints are resolved to the joints that drive them, joints
with several coordinates are decomposed, and every body frame has its origin on its joint with z
along the axis. Bodies are numbered parent before child, limb by limb, siblings in the order of the
file.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from urdf2dyn_ros.errors import Problem, UrdfError
from urdf2dyn_ros.robot.inertia import BodyInertia, LinkInertia, about_origin, total
from urdf2dyn_ros.robot.joints import JOINTS, URDF_TYPES, Coordinate, Part
from urdf2dyn_ros.robot.model import (
    ClosedLoops,
    ExternalForce,
    Joint,
    Limits,
    Link,
    Mimic,
    RobotModel,
)
from urdf2dyn_ros.robot.rotations import (
    PRINTED,
    ROUNDOFF,
    aligned,
    composed,
    from_rpy,
    is_coarse,
    turned_about_x,
    turned_about_z,
)
from urdf2dyn_ros.robot.spatial import (
    IDENTITY,
    ZERO,
    Array,
    Matrix,
    Scalar,
    Triple,
    Vector,
    about_x,
    about_z,
    cross,
    symmetric,
)

ROOT = -1
NO_LIMITS = Limits()


@dataclass(frozen=True)
class Placement:
    """Where the URDF places a joint: in the frame of a link, at xyz [m], rotated by rpy [rad]."""

    link: str
    xyz: Triple
    rpy: Triple


@dataclass(frozen=True)
class Attached:
    """A link fixed to a body."""

    link: Link
    joint: str | None   # whose frame is the link's; None for the root
    body_R_link: Matrix
    body_p_link: Vector
    placement: Placement | None = None   # in another link of the body, if it is not the first


@dataclass(frozen=True)
class Body:
    """The links that one joint coordinate moves, the child link of the joint first."""

    name: str   # of the coordinate
    type: str   # likewise, a key of JOINTS
    parent: int   # number of a body, or ROOT
    parent_R_joint: Matrix   # of the joint, with z as its axis
    parent_p_joint: Vector
    turn: float = 0.0   # constant angle [rad] about z from there to the body's frame at zero
    # the position is multiplier * q[coordinate] + offset, with the index of an independent joint;
    # at rest in its parent, as `align_parallel_axes` makes some, the multiplier is 0
    coordinate: int = 0
    multiplier: Scalar = 1.0
    offset: Scalar = 0.0
    attached: tuple[Attached, ...] = ()
    limits: Limits = NO_LIMITS   # of the joint in the URDF, if it has a single coordinate
    # of the angle about z from the joint's axes, for axes that do not rotate with the coordinate
    cos_sin: tuple[Scalar, Scalar] | None = None
    placement: Placement | None = None   # of the joint, for its first coordinate
    alignment: Matrix = IDENTITY   # rotates z to the axis
    axis: Triple | None = None   # of a joint with one coordinate, in its own frame
    normal: Triple | None = None   # of a planar joint

    @property
    def moves(self) -> bool:
        """Whether a joint moves it in its parent."""
        return bool(self.multiplier != 0.0)

    def at(self, q: Sequence[Scalar], qd: Sequence[Scalar] | None = None,
           qdd: Sequence[Scalar] | None = None) -> Coordinate:
        """Return its coordinate from those of the independent joints; by default at rest."""
        j, k = self.coordinate, self.multiplier
        return Coordinate(k * q[j] + self.offset, 0.0 if qd is None else k * qd[j],
                          0.0 if qdd is None else k * qdd[j], self.turn, self.cos_sin)


@dataclass(frozen=True)
class LinkWrench:
    """Force [N] and moment [N m] on a link by the environment, about its origin, in its axes."""

    link: str
    force: Vector
    moment: Vector
    tag: ExternalForce | None = None   # from which they follow


@dataclass(frozen=True)
class Multibody:
    """Bodies parent before child, and the names of the independent joints in the same order."""

    joint_names: tuple[str, ...]
    bodies: tuple[Body, ...]
    root: tuple[Attached, ...]   # links that the joints do not move
    floating: bool = False   # whether the root moves freely in the world
    forces: tuple[LinkWrench, ...] = ()   # constant ones
    # links that the joints move and that no joint stands on; without moving joints, of the root
    tips: tuple[str, ...] = ()
    # links that do not move with a floating root: the root of the description, and what is fixed
    # to it; and the joints there but the one that floats, correct only where the root stands still
    world: frozenset[str] = frozenset()
    anchored: tuple[str, ...] = ()
    close: float = ROUNDOFF   # to 0 and 1: entries of constant rotations that are these
    robot: str = field(default='', compare=False)   # name in the description
    closed_loops: ClosedLoops | None = None   # of a robot with loops that are not linear

    @property
    def actuated(self) -> tuple[int, ...]:
        """Numbers in `joint_names` of the joints that motors drive: all, without loops."""
        unknown = self.closed_loops.unknown if self.closed_loops else ()
        return tuple(k for k, name in enumerate(self.joint_names) if name not in unknown)

    @property
    def unknown(self) -> tuple[int, ...]:
        """Numbers in `joint_names` of the joints whose positions the loops determine."""
        return tuple(sorted({*range(len(self.joint_names))}.difference(self.actuated)))

    @property
    def drivers(self) -> tuple[int, ...]:
        """Number of the body that each independent joint moves itself."""
        number = {body.name: i for i, body in enumerate(self.bodies)}
        return tuple(number[name] for name in self.joint_names)

    @property
    def motors(self) -> tuple[int, ...]:
        """Number of the body that each actuated joint moves: `drivers`, without loops."""
        drivers = self.drivers
        return tuple(drivers[k] for k in self.actuated)

    @property
    def depth(self) -> int:
        """Largest number of bodies from the root to a tip."""
        depths: list[int] = []
        for body in self.bodies:
            depths.append(1 + (0 if body.parent == ROOT else depths[body.parent]))
        return max(depths, default=0)

    def chain(self, number: int) -> tuple[int, ...]:
        """Return the numbers of the bodies from the root to one of them, which is the last."""
        numbers = []
        while number != ROOT:
            numbers.append(number)
            number = self.bodies[number].parent
        return tuple(reversed(numbers))

    def joint_rows(self, names: Sequence[str]) -> tuple[Array, Array]:
        """Return factors (m, n) and offsets (m,) of the positions of joints; parts add up."""
        factors, offsets = np.zeros((len(names), len(self.joint_names))), np.zeros(len(names))
        for body in self.bodies:
            name = body.name if body.name in names else body.name.partition('/')[0]
            if name in names:
                r = names.index(name)
                factors[r, body.coordinate] += float(body.multiplier)
                offsets[r] += float(body.offset)
        return factors, offsets

    def attached(self, number: int) -> tuple[Attached, ...]:
        """Return the links that are fixed to a body, or to the ROOT."""
        return self.root if number == ROOT else self.bodies[number].attached

    @property
    def links(self) -> dict[str, tuple[int, Attached]]:
        """Every link by name, with the number of its body, ROOT for the root's."""
        parts = [(ROOT, self.root), *enumerate(body.attached for body in self.bodies)]
        return {each.link.name: (i, each) for i, attached in parts for each in attached}


def make_multibody(model: RobotModel) -> Multibody:
    """Return the bodies of a robot."""
    if (model.loops or model.couplings) and model.closed_loops is None:
        raise UrdfError([Problem('loop-open', 'the loops of this model are not solved yet: '
                                 'solve_loops(model) of robot/assembly.py does')])
    children: dict[str, list[Joint]] = {}
    for joint in model.joints:
        children.setdefault(joint.parent, []).append(joint)
    links = {link.name: link for link in model.links}
    close = PRINTED if any(is_coarse(a) for joint in model.joints for a in joint.rpy) else ROUNDOFF
    bodies: list[Body] = []
    attached: dict[int, list[Attached]] = {ROOT: []}
    numbered = {model.root: (ROOT, Attached(links[model.root], None, IDENTITY, ZERO))}
    attached[ROOT].append(numbered[model.root][1])
    waiting = list(reversed(children.get(model.root, [])))
    while waiting:
        joint = waiting.pop()
        number, parent = numbered[joint.parent]
        body_R_link = composed(parent.body_R_link, from_rpy(joint.rpy))
        body_p_link = parent.body_p_link + parent.body_R_link @ joint.xyz
        placement: Placement | None = Placement(joint.parent, joint.xyz, joint.rpy)
        if _moves(joint, model):
            kind = URDF_TYPES[joint.type]
            # a joint that follows several is joints in series about one axis
            for part in kind.parts(joint) if not joint.also else [
                    Part(name, joint.type, joint.axis) for name in _followers(joint)]:
                alignment = aligned(part.axis)
                bodies.append(Body(part.name, part.type, number,
                                   composed(body_R_link, alignment), body_p_link,
                                   limits=joint.limits if kind.single else NO_LIMITS,
                                   placement=placement, alignment=alignment,
                                   axis=part.axis if kind.single else None,
                                   normal=joint.axis if kind.axial and not kind.single else None))
                number, placement = len(bodies) - 1, None
                attached[number] = []
                body_R_link, body_p_link = alignment.T, ZERO
        child = Attached(links[joint.child], joint.name, body_R_link, body_p_link, placement)
        attached[number].append(child)
        numbered[joint.child] = (number, child)
        waiting.extend(reversed(children.get(joint.child, [])))
    loops = model.closed_loops
    return replace(_driven(model, bodies, attached, children), close=close, robot=model.name,
                   closed_loops=loops if loops and loops.unknown else None)


def _moves(joint: Joint, model: RobotModel) -> bool:
    """Return whether a joint has coordinates; that of a floating root has none."""
    if joint.type not in URDF_TYPES:   # only in models that are not read from a file
        raise UrdfError([Problem('joint-type', f'{joint.type!r} is no type of joint; the types '
                                 f'are {", ".join(URDF_TYPES)}', f'joint "{joint.name}"')])
    return joint.moves and not model.floats(joint)


def _followers(joint: Joint) -> dict[str, Mimic]:
    """Return the names of the coordinates of a joint that follows others, the joint's own last."""
    mimics = [*joint.also, joint.mimic] if joint.mimic is not None else []
    return {joint.name + f'/{mimic.joint}' * (mimic is not joint.mimic): mimic
            for mimic in mimics}


def _driven(model: RobotModel, bodies: list[Body], attached: dict[int, list[Attached]],
            children: dict[str, list[Joint]]) -> Multibody:
    """Resolve chains of mimic joints: q = multiplier * q[driver] + offset."""
    mimics = {name: mimic for joint in model.joints for name, mimic in _followers(joint).items()}
    names = tuple(body.name for body in bodies if body.name not in mimics)
    index = {name: i for i, name in enumerate(names)}
    driven = []
    for number, body in enumerate(bodies):
        driver, multiplier, offset = body.name, 1.0, 0.0
        while driver in mimics:
            mimic = mimics[driver]
            offset += multiplier * mimic.offset
            multiplier *= mimic.multiplier
            driver = mimic.joint
        driven.append(replace(body, coordinate=index[driver], multiplier=multiplier,
                              offset=offset, attached=tuple(attached[number])))
    floats = [joint.name for joint in children.get(model.root, ()) if model.floats(joint)]
    world, anchored = _world(model, children) if floats else (frozenset[str](), [])
    root = tuple(replace(each, link=replace(each.link, inertia=None))   # which has no effect
                 if each.link.name in world else each for each in attached[ROOT])
    parents = {joint.parent for joint in model.joints}
    candidates = [each for body in driven for each in body.attached] or root
    tips = tuple(each.link.name for each in candidates if each.link.name not in parents)
    return Multibody(names, tuple(driven), root, bool(floats),
                     tuple(map(_at_origin, model.forces)), tips, world, (*floats[1:], *anchored))


def _world(model: RobotModel,
           children: dict[str, list[Joint]]) -> tuple[frozenset[str], list[str]]:
    """Return the links that are fixed to the root, and the joints that move others there."""
    world, anchored = [model.root], []
    for link in world:   # the list grows in the loop
        for joint in children.get(link, ()):
            if not joint.moves:
                world.append(joint.child)
            elif _moves(joint, model):
                anchored.append(joint.name)
    return frozenset(world), anchored


def _at_origin(force: ExternalForce) -> LinkWrench:
    """Return a force of the URDF about the link's origin, in the link's axes."""
    R = from_rpy(force.rpy)
    f = R @ force.force
    return LinkWrench(force.link, f, R @ force.torque + cross(force.xyz, f), force)


# ---- The inertial parameters of a robot's bodies as plain numbers

def body_inertias(system: Multibody) -> list[BodyInertia | None]:
    """Return those of every body, then of the root."""
    return [total(about_origin(link_inertia(each)) for each in attached
                  if each.link.inertia is not None)
            for attached in (*(body.attached for body in system.bodies), system.root)]


def link_inertia(attached: Attached) -> LinkInertia:
    inertia = attached.link.inertia
    assert inertia is not None
    return LinkInertia(inertia.mass, Vector(*inertia.com), symmetric(inertia.tensor),
                       composed(attached.body_R_link, from_rpy(inertia.rpy)),
                       attached.body_R_link, attached.body_p_link)


# ---- The choice of every body frame's x axis for the fewest operations
#
# A body frame has z on its joint; a constant rotation about that axis changes no effort. With x
# along the common normal of the joint's axis and that of the child with the most bodies behind it,
# the constant rotation to the child is one about x alone (Khalil and Kleinfinger 1986), and the
# remaining rotation is a constant in the child's angle. At a tip the rotation makes h_y zero, the
# first moment across x: U h and h x a lose 5 products, and the x component of a is not needed.

_PARALLEL = 2e-11   # directions closer than this [rad] determine no common normal well


def turned_frames(system: Multibody, inertias: Sequence[BodyInertia | None]) -> Multibody:
    """Return the same robot with the x axes of its body frames chosen."""
    heirs = most_behind([body.parent for body in system.bodies])
    turns: list[float] = []
    bodies: list[Body] = []
    close = system.close
    for i, body in enumerate(system.bodies):
        back = turned_about_z(0.0 if body.parent == ROOT else -turns[body.parent], close)
        R = composed(back, body.parent_R_joint, close)
        beta, alpha, gamma = zxz(R)
        heir = heirs[i]
        turn = -gamma
        if JOINTS[body.type].turns:
            if heir is not None:
                turn = _turn(system.bodies[heir], -gamma)
            elif not any(   # another body with the same angle, and so the same sine and cosine
                    other is not body and (other.coordinate, other.multiplier, other.offset)
                    == (body.coordinate, body.multiplier, body.offset) for other in system.bodies):
                turn = _tip_turn(inertias[i], -gamma)
        turns.append(turn)
        to_body = turned_about_z(-turn, close)
        # the offset of a mimic joint and the rotation make one constant
        about_axis = 0.0 if JOINTS[body.type].slides else body.offset
        bodies.append(replace(
            body,
            parent_R_joint=composed(
                turned_about_z(beta, close), turned_about_x(alpha, close), close),
            parent_p_joint=back @ body.parent_p_joint,
            offset=body.offset - about_axis,
            turn=_quarter(math.remainder(gamma + turn + about_axis, 2.0 * math.pi), close),
            attached=tuple(replace(
                attached, body_R_link=composed(to_body, attached.body_R_link, close),
                body_p_link=to_body @ attached.body_p_link) for attached in body.attached)))
    return replace(system, bodies=tuple(bodies))


def most_behind(parents: Sequence[int]) -> list[int | None]:
    """Return, for every body, the child with the most bodies behind it, from all parents."""
    size = [1] * len(parents)
    heirs: list[int | None] = [None] * len(parents)
    for i in reversed(range(len(parents))):
        parent = parents[i]
        if parent == ROOT:
            continue
        size[parent] += size[i]
        heir = heirs[parent]
        if heir is None or size[i] >= size[heir]:
            heirs[parent] = i
    return heirs


def _turn(child: Body, otherwise: float) -> float:
    """Return the angle of the common normal of z and the child's axis, about z."""
    axis = (child.parent_R_joint[0][2], child.parent_R_joint[1][2])
    if math.hypot(*axis) > _PARALLEL:
        return math.atan2(axis[0], -axis[1])
    p_x, p_y, _ = child.parent_p_joint   # parallel axes: from one to the other
    return math.atan2(p_y, p_x) if math.hypot(p_x, p_y) > _PARALLEL else otherwise


def _tip_turn(inertia: BodyInertia | None, otherwise: float) -> float:
    """Return the angle about z of the centre of mass, to which the body's x axis will point."""
    if inertia is None:
        return otherwise
    (x, y, z), J = inertia.h, inertia.J
    if math.hypot(x, y) > _PARALLEL * math.hypot(x, y, z):
        return math.atan2(y, x)
    # on the axis: no product of inertia across it
    xy, difference = -2.0 * J[0][1], J[1][1] - J[0][0]
    if math.hypot(xy, difference) > _PARALLEL * abs(J[0][0] + J[1][1]):
        return 0.5 * math.atan2(xy, difference)
    return otherwise


def zxz(R: Matrix) -> tuple[float, float, float]:
    """Return beta, alpha, gamma of R = Rz(beta) Rx(alpha) Rz(gamma)."""
    x, y, z = R[0][2], R[1][2], R[2][2]
    across = math.hypot(x, y)
    if across < ROUNDOFF:
        return 0.0, 0.0 if z > 0.0 else math.pi, math.atan2(-R[0][1], R[0][0])
    beta = math.atan2(x, -y)
    if abs(beta) > math.pi / 2:   # the same normal in the opposite direction
        beta, across = beta - math.copysign(math.pi, beta), -across
    alpha = math.atan2(across, z)
    Rz, Rx = about_z(math.cos(beta), math.sin(beta)), about_x(math.cos(alpha), math.sin(alpha))
    rest = (Rz @ Rx).T @ R
    return beta, alpha, math.atan2(rest[1][0], rest[0][0])


def _quarter(angle: float, close: float) -> float:
    """Return a multiple of pi / 2 that is close to an angle, else the angle."""
    nearest = round(angle / (math.pi / 2)) * (math.pi / 2)
    return nearest if abs(angle - nearest) < close else angle
