"""The content of a robot description as immutable data: links, joints, inertias, mimics."""

from dataclasses import dataclass, field

from urdf2dyn_ros.errors import Problem
from urdf2dyn_ros.robot.spatial import Triple
from urdf2dyn_ros.text import counted

Six = tuple[float, float, float, float, float, float]

FIXED, FLOATING = 'fixed', 'floating'   # types of joints


@dataclass(frozen=True)
class Inertial:
    """Inertial parameters of a link, in URDF's own terms."""

    mass: float   # [kg]
    com: Triple   # centre of mass [m], in the link's frame
    rpy: Triple   # fixed-axis roll, pitch, yaw [rad] of the inertial frame in the link's frame
    # ixx, ixy, ixz, iyy, iyz, izz [kg m^2] about the centre of mass, along the inertial frame's
    # axes: entries of the tensor, not products of inertia, which have the opposite sign
    tensor: Six


@dataclass(frozen=True)
class Link:
    """A link; without inertia it is massless."""

    name: str
    inertia: Inertial | None = None

    @property
    def mass(self) -> float:
        """Mass [kg]."""
        return 0.0 if self.inertia is None else self.inertia.mass


@dataclass(frozen=True)
class Mimic:
    """A position ``multiplier * (position of joint) + offset``, with offset in [rad or m]."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True)
class Limits:
    """
    Position [rad or m], effort [N m or N] and velocity [rad/s or m/s]; None if missing.

    Those of acceleration, of deceleration and of jerk are of URDF 1.2.
    """

    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    velocity: float | None = None
    acceleration: float | None = None   # [rad/s^2 or m/s^2]
    deceleration: float | None = None   # the same; that of acceleration if missing
    jerk: float | None = None   # [rad/s^3 or m/s^3]


@dataclass(frozen=True)
class Joint:
    """A joint, and the placement of its child link's frame at position zero."""

    name: str
    type: str   # revolute, continuous, prismatic, fixed, planar or floating
    parent: str   # names of links
    child: str
    xyz: Triple = (0.0, 0.0, 0.0)   # origin [m] of the joint's frame in the parent's
    rpy: Triple = (0.0, 0.0, 0.0)   # its fixed-axis roll, pitch, yaw [rad]
    # unit vector in the joint's frame; the normal of the plane for a planar joint
    axis: Triple = (1.0, 0.0, 0.0)
    mimic: Mimic | None = None
    also: tuple[Mimic, ...] = ()   # what a joint that mimics one follows in addition: they add up
    limits: Limits = Limits()
    damping: float = 0.0   # [N m s/rad or N s/m]
    friction: float = 0.0   # [N m or N]
    # turns (or metres) of the motor for one of the joint [-], negative for opposite directions:
    # the mechanical reduction of the joint's own <transmission>. None without one, and where
    # several motors drive several joints together.
    gear_ratio: float | None = None

    @property
    def moves(self) -> bool:
        """Whether it is no fixed joint."""
        return self.type != FIXED


@dataclass(frozen=True)
class ExternalForce:
    """
    A constant wrench on a link by the environment, fixed to the link.

    The tag ``<force link xyz rpy force torque>`` of ``<robot>``, an extension of URDF. Pinocchio,
    MuJoCo, DART and urdfdom ignore it silently, urdf_parser_py with a line on stderr: they
    read the file without the wrench.
    """

    link: str
    force: Triple = (0.0, 0.0, 0.0)   # [N], along the axes of `rpy`
    torque: Triple = (0.0, 0.0, 0.0)   # [N m] about the point `xyz`, likewise
    xyz: Triple = (0.0, 0.0, 0.0)   # point of application [m], in the link's frame
    rpy: Triple = (0.0, 0.0, 0.0)   # roll, pitch, yaw [rad] of these axes in the link's frame


@dataclass(frozen=True)
class LoopFrame:
    """Where a loop is closed on a link: the frame that coincides with one on another link."""

    link: str
    xyz: Triple = (0.0, 0.0, 0.0)   # origin [m], in the link's frame
    rpy: Triple = (0.0, 0.0, 0.0)   # its fixed-axis roll, pitch, yaw [rad]
    axis: Triple = (1.0, 0.0, 0.0)   # unit vector in this frame, for the types that have one


@dataclass(frozen=True)
class Loop:
    """A cut joint, which closes a kinematic loop of the tree: frames of two links coincide."""

    name: str
    type: str   # a key of `LOOP_TYPES` in robot/loops.py
    first: LoopFrame
    second: LoopFrame
    length: float = 0.0   # distance of the two origins [m], of a rod between two ball joints


@dataclass(frozen=True)
class Coupling:
    """A gear or belt: the sum of multiplier * (position of joint) is the offset [rad or m]."""

    name: str
    terms: tuple[tuple[str, float], ...]   # joint and multiplier
    offset: float = 0.0


@dataclass(frozen=True)
class LoopConstraint:
    """One loop-closure constraint: a scalar product of two vectors that must be zero."""

    loop: int   # number in `ClosedLoops.loops`
    # point: displacement along `direction`, in the frame of the reference link; slide: along axis
    # `i` of the first frame; turn: axis `i` of the first frame across axis `j` of the second;
    # distance: that of the origins
    kind: str
    i: int = 0
    j: int = 0
    direction: Triple = (0.0, 0.0, 0.0)
    scale: float = 1.0   # [m], of a turn: the size of the loop, so that rows compare


@dataclass(frozen=True)
class ClosedLoops:
    """The solution of a robot's closed loops: actuated and passive joints, and constraints."""

    loops: tuple[Loop, ...]   # that are not linear: those are mimics
    actuated: tuple[str, ...]   # joints, in the order of the tree, as the others
    unknown: tuple[str, ...]   # passive joints whose positions the constraints determine
    passive: tuple[str, ...]   # all passive joints, with those that mimic or are held
    constraints: tuple[LoopConstraint, ...]   # as many as unknown joints
    start: tuple[tuple[str, float], ...]   # position of each independent joint in a closed pose
    margin: float   # least sine between the columns of the unknown joints there
    # another pose of the same actuated joints that closes, where the file does not say which
    other: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class RobotModel:
    """
    A valid robot: one tree of links, every reference resolved.

    Attributes
    ----------
    name : str
    links, joints : tuple
        In the order of the file.
    root : str
        The link without a parent.
    warnings : tuple of Problem
        Problems for which the description was not rejected.
    forces : tuple of ExternalForce
        In the order of the file; those on the same link add up.
    loops : tuple of Loop
        What closes kinematic loops of the tree.
    couplings : tuple of Coupling
        Linear relations of joints: gears and belts.
    driven : tuple of str
        Joints that the description says a motor drives; the others of a loop are passive.
    closed_loops : ClosedLoops, optional
        How the loops are solved.
    locked : tuple of (str, float)
        Fixed joints that `lock_joints` has locked, and their positions [rad or m].

    """

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    root: str
    warnings: tuple[Problem, ...] = ()
    forces: tuple[ExternalForce, ...] = ()
    loops: tuple[Loop, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    driven: tuple[str, ...] = ()
    closed_loops: ClosedLoops | None = None
    locked: tuple[tuple[str, float], ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        return (f'<{type(self).__name__} of {self.name!r}: {counted(len(self.links), "link")}, '
                f'{counted(len(self.joints), "joint")}>')

    @property
    def mass(self) -> float:
        """Total mass [kg]."""
        return sum(link.mass for link in self.links)

    def floats(self, joint: Joint) -> bool:
        """Return whether a joint lets the whole robot float."""
        return joint.type == FLOATING and joint.parent == self.root

    @property
    def mimics(self) -> dict[str, Mimic]:
        """What the joints that mimic others follow, by their names; without those of loops."""
        passive = self.closed_loops.passive if self.closed_loops else ()
        return {joint.name: joint.mimic for joint in self.joints
                if joint.mimic is not None and joint.name not in passive}
