"""Generated functions about links: where they are and how they move."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import ClassVar, TypeVar

from urdf2dyn_ros.codegen.formulas import Symbol, matrix, vector
from urdf2dyn_ros.codegen.functions.function import Expected, ModelFunction, Results
from urdf2dyn_ros.codegen.mechanics import Mechanics
from urdf2dyn_ros.codegen.signature import BY_JOINT, Axis, Quantity
from urdf2dyn_ros.equations.links import REFERENCE, Frame, LinkKinematics, link_frame, root_frames
from urdf2dyn_ros.errors import ExportError
from urdf2dyn_ros.robot.inertia import SecondMoments
from urdf2dyn_ros.robot.joints import JOINTS as JOINT_TYPES
from urdf2dyn_ros.robot.joints import BodyNote, silent
from urdf2dyn_ros.robot.multibody import ROOT, Multibody
from urdf2dyn_ros.robot.rotations import ROUNDOFF
from urdf2dyn_ros.robot.spatial import AXES, IDENTITY, ZERO, Matrix, Scalar, Vector, cross
from urdf2dyn_ros.text import mention

_FRAMES = 'Root to tips, in the axes of the root: where each frame is, and how it moves'
_LINK = 'The link, in the axes of the root'
_COLUMNS = 'Columns: motion of the link for a unit velocity'


def _plain(symbol: str) -> tuple[str, ...]:
    return tuple(f'{symbol}_{x}' for x in AXES)


# what functions about links note in the readable style
LINK_SYMBOLS = {
    'kq': Symbol(_FRAMES, ('q{n}', 'qd{n}', 'qdd{n}'), 'q{n} = {multiplier}q{driver}{offset}',
                 'follows'),
    'kR': Symbol(_FRAMES, ('c{n}', 's{n}'), 'R{n}: turn about z by q{n}'),
    'kT': Symbol(_FRAMES, matrix('T'),
                 lambda at: f'T{at.n} = {at.T}{at.A}' + (f'R{at.n}' if at.joint.turns else '')),
    'kd': Symbol(_FRAMES, vector('d'), lambda at: f'd{at.n} = {at.T}' + (
        f'p{at.n}' if not at.joint.slides else f'(p{at.n} + {at.A}q{at.n} z)' if at.T else
        f'p{at.n} + {at.A}q{at.n} z')),
    'kr': Symbol(_FRAMES, vector('r'), 'r{n} = r{p} + d{n}'),
    'ku': Symbol(_FRAMES, vector('u'), 'u{n} = w{p} x d{n}'),
    'kvb': Symbol(_FRAMES, vector('vb'), 'vb{n} = v{p} + u{n}'),
    'kab': Symbol(_FRAMES, vector('ab'), 'ab{n} = a{p} + wd{p} x d{n} + w{p} x u{n}'),
    'kv': Symbol(_FRAMES, vector('v'), lambda at: (
        f'v{at.n} = vb{at.n} + qd{at.n} z{at.n}' if at.joint.slides else
        f'v{at.n} = v{at.p} + u{at.n}')),
    'ka': Symbol(_FRAMES, vector('a'), lambda at: f'a{at.n} = ' + (
        f'ab{at.n} + 2 w{at.p} x qd{at.n} z{at.n} + qdd{at.n} z{at.n}' if at.joint.slides else
        f'a{at.p} + wd{at.p} x d{at.n} + w{at.p} x u{at.n}')),
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
        f'Jv{at.n} = z{at.n}' + ('' if at.joint.slides else f' x (p - r{at.n})'))),
    **{f'Jb{x}': Symbol(_COLUMNS, _plain(f'Jb{x}'), f"Jb{x} = R' (e{x} x p)") for x in AXES},
    'Jl': Symbol(_COLUMNS, (*vector('Jlv'), *vector('Jlw')),
                 "Jlv{n}, Jlw{n}: R' Jv{n}, R' z{n}, in the axes of the link"),
    'lt': Symbol(_LINK, (*_plain('lv'), *_plain('lw')), "lv = R' v, lw = R' w{n}"),
    'lacc': Symbol(_LINK, (*_plain('la'), *_plain('lwd')), "la = R' a, lwd = R' wd{n}"),
}

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

# parts of LEGEND to what stands in their places where the root moves
MOVING = {'; w0 = wd0 = v0 = a0 = 0': '; v0, w0 ..: the root',
          'Jvi, zi       linear and angular part of the column of joint i': """\
Jvi, zi       linear and angular part of the column of joint i; ex, ey, ez: axes of the root
ex, ex x p    linear parts of the columns of v0_x and w0_x, whose angular parts are 0 and ex"""}


VELOCITY = 'velocity'   # of a base that moves, then of the joints

_T = TypeVar('_T')


def spatial(linear: str = '', angular: str = '') -> Axis:
    """Return the axis of a linear and an angular vector with these units."""
    return Axis('twist', tuple(f'{kind} {x}' for kind in ('linear', 'angular') for x in AXES),
                (linear,) * 3 + (angular,) * 3)


def in_axes(mechanics: Mechanics, R: Matrix, vectors: Sequence[Vector]) -> list[Vector]:
    """Return vectors of the root's axes in the chosen axes; R is root_R_link."""
    if mechanics.frames.axes == 'root':
        return list(vectors)
    return [R.T @ vector for vector in vectors]


def base_and_joints(system: Multibody) -> Axis:
    base = spatial('m/s', 'rad/s')
    return Axis(VELOCITY, (*(f'base {key}' for key in base.keys), *system.joint_names), base.units)


class LinkFunction(ModelFunction):
    """A function about the frames of links, which no load changes."""

    OPTIONS: ClassVar[tuple[str, ...]] = ('link', 'axes')
    LOAD_INPUTS: ClassVar[tuple[str, ...]] = ()
    SPINS = False
    SYMBOLS: ClassVar[Mapping[str, Symbol]] = LINK_SYMBOLS

    def simplified(self, system: Multibody,
                   with_velocities: bool) -> tuple[Multibody, list[SecondMoments | None]]:
        """Return the robot in other frames, as exact as its own."""
        return super().simplified(replace(system, close=ROUNDOFF), with_velocities)

    def quantities(self, mechanics: Mechanics) -> tuple[Quantity, ...]:
        return tuple(quantity._replace(name=quantity.name + tag)
                     for _, tag in _tagged(mechanics) for quantity in self.RESULTS)

    def derive(self, mechanics: Mechanics) -> Results:
        """Return the results of every link, in the textbook's way or with few operations."""
        system, notes, state = mechanics.system, mechanics.notes, mechanics.state(self.INPUTS)
        results: Results = {}
        if not mechanics.textbook:
            posed = mechanics.frames.axes == 'link' or 'axes' not in self.OPTIONS
            for link, tag in _tagged(mechanics):
                kinematics = LinkKinematics(system, link, state[0], posed)
                results |= _named(self.fast(mechanics, kinematics), tag)
            return results
        frames = root_frames(system, state, mechanics.frames.links, notes.note,
                             self.root(mechanics))
        for link, tag in _tagged(mechanics):
            i, attached = system.links[link]
            notes.begin('', tag, f'link{mention(link)}')
            frame = link_frame(frames[i], attached, partial(notes.note, i))
            bodies = {k: frames[k] for k in system.chain(i)}
            results |= _named(self.explained(mechanics, frame, bodies, partial(notes.note, i)),
                              tag)
        notes.begin()
        return results

    def expected(self, mechanics: Mechanics) -> Expected:
        """Return the results by the recursion of frames in the axes of the root."""
        results: dict[str, Sequence[float]] = {}
        frames = root_frames(mechanics.system, mechanics.state(('q', 'qd', 'qdd')),
                             mechanics.frames.links, root=_root(mechanics))
        for link, tag in _tagged(mechanics):
            i, attached = mechanics.system.links[link]
            results |= _named(self.checked(mechanics, link_frame(frames[i], attached)), tag)
        return {name: tuple(map(float, entries)) for name, entries in results.items()}

    def root(self, mechanics: Mechanics) -> Frame:
        """Return the frame of the root, and how it moves in the world if that is an input."""
        return _root(mechanics) if self.LOAD_INPUTS else REFERENCE

    @abstractmethod
    def fast(self, mechanics: Mechanics, link: LinkKinematics) -> Results:
        """Return the results of a link with few operations."""

    @abstractmethod
    def explained(self, mechanics: Mechanics, link: Frame, bodies: Mapping[int, Frame],
                  note: BodyNote) -> Results:
        """Return the results of a link, from its frame and those of the bodies before it."""

    def checked(self, mechanics: Mechanics, link: Frame) -> dict[str, Sequence[Scalar]]:
        """Return what a self-check expects of a link in a state of numbers."""
        return self.explained(mechanics, link, {}, silent)


def _root(mechanics: Mechanics) -> Frame:
    if not mechanics.moving:
        return REFERENCE
    twist, acceleration = (mechanics.arguments[f'base_{x}'] for x in ('twist', 'acceleration'))
    v, w, a, wd = (Vector(*six[k:k + 3]) for six in (twist, acceleration) for k in (0, 3))
    return REFERENCE._replace(v=v, w=w, a=a, wd=wd)


def _tagged(mechanics: Mechanics) -> Iterator[tuple[str, str]]:
    """Yield each link, with what stands behind the names of its results."""
    links = mechanics.frames.links
    for k, link in enumerate(links, 1):
        yield link, f'_{k}' * (len(links) > 1)


def _named(results: Mapping[str, _T], tag: str) -> dict[str, _T]:
    return {name + tag: result for name, result in results.items()}


_XYZ = Axis('axis', tuple(AXES), ('m', 'm', 'm'))


class ForwardKinematics(LinkFunction):
    INPUTS = ('q',)
    OPTIONS = ('link',)
    SUMMARY = 'the pose of the link relative to the root'
    RESULTS = (
        Quantity('R', 'rotation from the axes of the link to those of the root, by rows',
                 rows=_XYZ, columns=_XYZ, times='direction'),
        Quantity('p', 'position of the origin of the link in the root frame [m]', rows=_XYZ))

    def fast(self, mechanics: Mechanics, link: LinkKinematics) -> Results:
        pose = link.pose()
        return {'R': pose.R, 'p': pose.p}

    def explained(self, mechanics: Mechanics, link: Frame, bodies: Mapping[int, Frame],
                  note: BodyNote) -> Results:
        return {'R': link.R, 'p': link.p}

    def checked(self, mechanics: Mechanics, link: Frame) -> dict[str, Sequence[Scalar]]:
        x, y, z = mechanics.arguments['direction']
        return {'R': link.R @ (x, y, z), 'p': link.p}


_OF_BASE = (
    'linear velocity of the origin of the link, then its angular velocity, for a unit velocity of '
    'the origin of the root [1], for a unit angular velocity of the root, in its axes [m or 1], '
    'and for a unit velocity of each joint [m or 1, 1 or 1/m]')


class Jacobian(LinkFunction):
    """J of twist = J(q) qd, of the origin of a link; with the columns of a root that moves."""

    INPUTS = ('q',)
    SUMMARY = 'the Jacobian J of twist = J(q) qd of the link relative to the root'
    SUMMARY_WITH_LOADS = ('the Jacobian J of twist = J(q) (base_twist, qd) of the link in the '
                          'world')
    RESULTS = (Quantity(
        'J', 'linear velocity of the origin of the link, then its angular velocity, for a unit '
        'velocity of each joint [m or 1, 1 or 1/m]', rows=spatial(), columns=BY_JOINT,
        times='qd'),)

    def quantities(self, mechanics: Mechanics) -> tuple[Quantity, ...]:
        quantities = super().quantities(mechanics)
        if not mechanics.moving:
            return quantities
        return tuple(each._replace(
            summary=_OF_BASE, columns=base_and_joints(mechanics.system), times=VELOCITY)
                     for each in quantities)

    def derive(self, mechanics: Mechanics) -> Results:
        if not mechanics.system.joint_names and not mechanics.moving:
            raise ExportError('the robot has no movable joint: its Jacobian has no column')
        return super().derive(mechanics)

    def expected(self, mechanics: Mechanics) -> Expected:
        """Return the products with velocities, the six of a root that moves before those of q."""
        if mechanics.moving:
            velocity = mechanics.arguments[VELOCITY]
            mechanics = replace(mechanics, arguments={
                **mechanics.arguments, 'base_twist': velocity[:6], 'qd': velocity[6:]})
        return super().expected(mechanics)

    def fast(self, mechanics: Mechanics, link: LinkKinematics) -> Results:
        columns = link.jacobian(len(mechanics.system.joint_names),
                                mechanics.frames.axes == 'link', mechanics.moving)
        return {'J': list(zip(*((*column.v, *column.w) for column in columns)))}

    def explained(self, mechanics: Mechanics, link: Frame, bodies: Mapping[int, Frame],
                  note: BodyNote) -> Results:
        """Return J, column by column: z x (p - r) and z of a joint that turns, z and 0 else."""
        columns: list[list[Vector]] = [[ZERO, ZERO] for _ in mechanics.system.joint_names]
        for i, frame in bodies.items():
            body = mechanics.system.bodies[i]
            joint, z = JOINT_TYPES[body.type], frame.R.T[2]
            v = joint.slides * z
            if joint.turns:
                v = v + joint.turns * cross(z, link.p - frame.p)
            mechanics.notes.note(i, 'Jv', v)
            column = columns[body.coordinate]
            for k, part in enumerate((v, joint.turns * z)):
                column[k] = column[k] + body.multiplier * part
        base = [[e, ZERO] for e in IDENTITY] + [[cross(e, link.p), e] for e in IDENTITY]
        base = [in_axes(mechanics, link.R, column) for column in base * mechanics.moving]
        for x, column in zip(AXES, base[3:]):
            mechanics.notes.note(ROOT, f'Jb{x}', column[0])
        for j, column in zip(mechanics.system.drivers, columns):
            column[:] = in_axes(mechanics, link.R, column)
            mechanics.notes.note(j, 'Jl', (*column[0], *column[1]))
        return {'J': list(zip(*((*v, *w) for v, w in base + columns)))}

    def checked(self, mechanics: Mechanics, link: Frame) -> dict[str, Sequence[Scalar]]:
        v, w = in_axes(mechanics, link.R, (link.v, link.w))
        return {'J': (*v, *w)}


class FrameMotion(LinkFunction):
    """Twist and acceleration of a link relative to the root or, where that moves, the world."""

    INPUTS = ('q', 'qd', 'qdd')
    LOAD_INPUTS = ('base_twist', 'base_acceleration')
    SUMMARY = 'velocity and acceleration of the link relative to the root'
    SUMMARY_WITH_LOADS = 'velocity and acceleration of the link in the world'
    RESULTS = (
        Quantity('twist', 'velocity of the origin of the link [m/s], then its angular velocity '
                 '[rad/s]', rows=spatial('m/s', 'rad/s')),
        Quantity('acceleration', 'acceleration of the origin of the link [m/s^2], then its '
                 'angular acceleration [rad/s^2]', rows=spatial('m/s^2', 'rad/s^2')))

    def fast(self, mechanics: Mechanics, link: LinkKinematics) -> Results:
        motion = link.motion_in_link if mechanics.frames.axes == 'link' else link.motion
        twists = motion(mechanics.arguments['qd'], mechanics.arguments['qdd'],
                        self.root(mechanics))
        return {quantity.name: (*twist.v, *twist.w)
                for quantity, twist in zip(self.RESULTS, twists)}

    def explained(self, mechanics: Mechanics, link: Frame, bodies: Mapping[int, Frame],
                  note: BodyNote) -> Results:
        v, w = in_axes(mechanics, link.R, (link.v, link.w))
        note('lt', (*v, *w))
        a, wd = in_axes(mechanics, link.R, (link.a, link.wd))
        note('lacc', (*a, *wd))
        return {'twist': (*v, *w), 'acceleration': (*a, *wd)}
