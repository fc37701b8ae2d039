"""
Tables of modified Denavit-Hartenberg parameters (Khalil and Kleinfinger) of a robot.

A table has a row for each frame. `make_dh_table` places the frames of a robot, `dh_text` and
`dh_latex` print them, and `dh_reader.py` makes a robot of a table.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from urdf2dyn_ros.errors import Problem, UrdfError
from urdf2dyn_ros.robot.inertia import BodyInertia, about_origin, total
from urdf2dyn_ros.robot.joints import JOINTS
from urdf2dyn_ros.robot.model import Mimic, RobotModel
from urdf2dyn_ros.robot.multibody import (
    ROOT,
    Attached,
    Multibody,
    link_inertia,
    make_multibody,
    most_behind,
    zxz,
)
from urdf2dyn_ros.robot.rotations import composed, from_rpy, turned_about_z
from urdf2dyn_ros.robot.spatial import IDENTITY, TENSOR, ZERO, Matrix, Vector, upper
from urdf2dyn_ros.text import aligned, printable, quote

# ---- The six geometric parameters of Khalil and Kleinfinger, and the transform they stand for


class SixParameters(NamedTuple):
    """
    A transform from frame to frame: Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r).

    Angles [rad], lengths [m]. In a serial robot gamma and b are zero.
    """

    gamma: float = 0.0
    b: float = 0.0
    alpha: float = 0.0
    d: float = 0.0
    theta: float = 0.0
    r: float = 0.0

    @property
    def parallel(self) -> bool:
        """Whether both z axes have the same or opposite directions."""
        return self.alpha in (0.0, math.pi, -math.pi)


def to_six_parameters(R: Matrix, p: Vector) -> SixParameters:
    """Return the parameters of the transform with rotation R and translation p [m]."""
    gamma, alpha, theta = zxz(R)
    x, y, z = p
    if alpha in (0.0, math.pi):
        # both rotations are about one line: gamma points to the other axis
        sign = math.cos(alpha)
        gamma = math.atan2(y, x) if (x, y) != (0.0, 0.0) else 0.0
        return SixParameters(gamma, 0.0, alpha, math.hypot(x, y), theta - sign * gamma, sign * z)
    across = math.cos(gamma) * y - math.sin(gamma) * x
    r = -across / math.sin(alpha)
    return SixParameters(gamma, z - r * math.cos(alpha), alpha,
                         math.cos(gamma) * x + math.sin(gamma) * y, theta, r)


def transform(six: SixParameters) -> tuple[Matrix, Vector]:
    """Return rotation and translation [m] of parameters."""
    R_gamma, R_alpha, R_theta = (from_rpy(angles) for angles in (
        (0.0, 0.0, six.gamma), (six.alpha, 0.0, 0.0), (0.0, 0.0, six.theta)))
    R = composed(R_gamma, R_alpha)
    return composed(R, R_theta), Vector(
        R_gamma[0][0] * six.d + R[0][2] * six.r,
        R_gamma[1][0] * six.d + R[1][2] * six.r,
        six.b + R[2][2] * six.r)


def roll_pitch_yaw(R: Matrix) -> tuple[float, float, float]:
    """Return URDF's roll, pitch, yaw [rad] of a rotation, exact at a pitch of 90 degrees too."""
    yaw = math.atan2(R[1][0], R[0][0])
    c, s = math.cos(yaw), math.sin(yaw)
    # Rz(-yaw) R = Ry(pitch) Rx(roll)
    pitch = math.atan2(-R[2][0], c * R[0][0] + s * R[1][0])
    roll = math.atan2(s * R[0][2] - c * R[1][2], c * R[1][1] - s * R[0][1])
    return roll, pitch, yaw


# ---- The table of a robot: a row for each frame, with columns as data

REVOLUTE_ROW, PRISMATIC_ROW, FIXED_ROW = 'R', 'P', 'fixed'
JOINT_COLUMN = {REVOLUTE_ROW: 'theta', PRISMATIC_ROW: 'r'}   # to which the position adds

# inertia [kg m^2] and first moments [kg m] about the frame's origin, mass [kg]
INERTIA_COLUMNS = (*(entry.upper() for entry in TENSOR), 'MX', 'MY', 'MZ', 'M')
FRICTION_COLUMNS = ('FV', 'FS')   # viscous [N m s/rad or N s/m] and dry [N m or N]
ROW_NUMBERS = (*SixParameters._fields, *INERTIA_COLUMNS, *FRICTION_COLUMNS)


class DhRow(NamedTuple):
    """
    A frame: where it is in that of its antecedent, what moves it, and what is fixed to it.

    Row 0 places frame 0 in the root, its `link`, and has no antecedent. The position of the joint
    adds to theta (R) or r (P). The inertia is about the frame's origin.
    """

    j: int
    joint: str
    link: str
    type: str
    antecedent: int | None
    six: SixParameters
    inertia: BodyInertia | None
    mimic: Mimic | None
    damping: float
    friction: float


class DhTable(NamedTuple):
    """A robot's name and its frames, antecedents first."""

    name: str
    rows: tuple[DhRow, ...]


def table_data(table: DhTable) -> dict[str, Any]:
    """Return a table as JSON can hold it, with angles in radians: what read_dh reads."""
    rows = []
    for row in table.rows:
        rows.append({'j': row.j, 'joint': row.joint, 'link': row.link, 'type': row.type,
                     'antecedent': row.antecedent, **row.six._asdict(), **inertia_numbers(row)})
        if row.mimic is not None:
            rows[-1]['mimic'] = asdict(row.mimic)
        frictions = zip(FRICTION_COLUMNS, (row.damping, row.friction))
        rows[-1].update((name, value) for name, value in frictions if value != 0.0)
    return {'name': table.name, 'rows': rows}


def inertia_numbers(row: DhRow) -> Mapping[str, float]:
    """Return the inertial columns of a row; empty where nothing has inertia."""
    if row.inertia is None:
        return {}
    numbers = (*upper(row.inertia.J), *row.inertia.h, row.inertia.m)
    return dict(zip(INERTIA_COLUMNS, map(float, numbers), strict=True))


# ---- From a robot to its table: the frames of Khalil and Kleinfinger, on common normals
#
# Frame j is fixed to body j, with z along its joint. Its x axis and its origin are on the common
# normal of this axis and that of the child with the most bodies behind it, whose gamma and b are
# so zero. Where both axes are parallel, r of frame j is zero. Frame 0 is frame 1 at position zero.

# Longest distance [m] from a joint to a common normal. Axes that are nearly parallel have it far
# away, where inertias lose digits: there is a fixed frame at the joint instead, which only moves
# the origin.
_FARTHEST_AXIS = 10.0
_NOISE = 4e-15   # lengths [m] are zero and angles [rad] are quarter turns up to this


@dataclass(frozen=True)
class _DhFrame:
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


def make_dh_table(model: RobotModel) -> DhTable:
    """
    Return the table of a robot; its joints are those of the model, in the same order.

    A UrdfError for constant wrenches on links, for which a table has no column.
    """
    if model.closed_loops and model.closed_loops.unknown:
        raise UrdfError(Problem('dh-loop', 'a table of DH parameters has no column for loops that '
                                'are not linear; remove it from the description',
                                f'loop {quote(loop.name)}') for loop in model.closed_loops.loops)
    if model.forces:
        raise UrdfError(Problem('dh-force', 'a table of DH parameters has no column for wrenches '
                                'on links; remove <force> from the description',
                                f'<force link="{force.link}">') for force in model.forces)
    system = make_multibody(model)
    frames, first = _frames(model, system)
    inner = [j for j, frame in enumerate(frames) if not frame.is_tip]   # all parents among them
    heirs = {j: None if heir is None else inner[heir] for j, heir in zip(
        inner, most_behind([frames[j].parent for j in inner]))}
    bodies = {body.name: body for body in system.bodies}
    joints = {joint.name: joint for joint in model.joints}
    links = {frame.link for frame in frames}
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
        link, mimic = frame.link or f'frame{j}', None
        while not frame.link and link in links:
            link += '_'
        if (body := bodies.get(frame.name)) is not None and frame.type != FIXED_ROW:
            driver = system.joint_names[body.coordinate]
            if driver != frame.name:
                mimic = Mimic(driver, float(body.multiplier), float(body.offset))
        joint = None if frame.type == FIXED_ROW else joints.get(frame.name)
        rows.append(DhRow(j, frame.name, link, frame.type, frame.parent if j > 0 else None, six,
                          _inertia_at(frame.attached, turn, slide), mimic,
                          0.0 if joint is None else joint.damping,
                          0.0 if joint is None else joint.friction))
    return DhTable(model.name, tuple(rows))


def _frames(model: RobotModel, system: Multibody) -> tuple[list[_DhFrame], int]:
    """Return frame 0, those of bodies, then those of tips; the number of the first joint's."""
    bodies = system.bodies
    heir = most_behind([ROOT, *(body.parent + 1 for body in bodies)])[0]
    base_R, base_p = IDENTITY, ZERO
    if heir is not None:
        base_R, base_p = bodies[heir - 1].parent_R_joint, bodies[heir - 1].parent_p_joint
        if _is_far(to_six_parameters(base_R, base_p), base_p):   # frame 0 is the fixed one
            base_R, heir = IDENTITY, None

    def in_frame(parent: int, R: Matrix, p: Vector) -> tuple[Matrix, Vector]:
        if parent != ROOT:
            return R, p
        # what is on its axes stays there: no rounding errors
        return (composed(base_R.T, R) if base_R != R else IDENTITY,
                base_R.T @ (p - base_p))

    frames = [_DhFrame('base', FIXED_ROW, ROOT, to_six_parameters(base_R, base_p), tuple(
        replace(each, body_R_link=R, body_p_link=p) for each in system.root
        for R, p in [in_frame(ROOT, each.body_R_link, each.body_p_link)]), model.root)]
    number = {ROOT: 0}

    def append(frame: _DhFrame, R: Matrix, p: Vector) -> None:
        six = to_six_parameters(R, p)
        if _is_far(six, p):
            angle = math.atan2(p[1], p[0])   # a frame that only has another origin
            frames.append(_DhFrame(
                f'{frame.name}_origin', FIXED_ROW, frame.parent,
                SixParameters(angle, 0.0, 0.0, math.hypot(p[0], p[1]), -angle, p[2])))
            frame, six = replace(frame, parent=len(frames) - 1), to_six_parameters(R, ZERO)
        frames.append(replace(frame, six=six))

    for i, body in enumerate(bodies):
        kind = PRISMATIC_ROW if JOINTS[body.type].slides else REVOLUTE_ROW
        append(_DhFrame(body.name, kind, number[body.parent], SixParameters(), body.attached),
               *in_frame(body.parent, body.parent_R_joint, body.parent_p_joint))
        number[i] = len(frames) - 1
    for name in system.tips:
        i, tip = system.links[name]
        if name != model.root:
            append(_DhFrame(f'{name}_tip', FIXED_ROW, number[i], SixParameters(), (), name),
                   *in_frame(i, tip.body_R_link, tip.body_p_link))
    return frames, 0 if heir is None else number[heir - 1]


def _is_far(six: SixParameters, p: Vector) -> bool:
    """Return whether the common normal of two axes is far from a joint at p [m]."""
    return max(abs(six.b), abs(six.r)) > max(_FARTHEST_AXIS, 2.0 * math.hypot(*p))


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


def _inertia_at(attached: tuple[Attached, ...], turn: float, slide: float) -> BodyInertia | None:
    """Return the inertia of links about the chosen origin, along the chosen axes."""
    back = turned_about_z(-turn)
    return total(about_origin(link_inertia(replace(
        each, body_R_link=composed(back, each.body_R_link),
        body_p_link=back @ (each.body_p_link - (0.0, 0.0, slide)))))
        for each in attached if each.link.inertia is not None)


# ---- A table of DH parameters for people: as plain text, and as LaTeX

_GEOMETRY = ('j', 'joint', 'type', 'a(j)', 'gamma', 'b', 'alpha', 'd', 'theta', 'r')
_LATEX_GEOMETRY = ('$j$', 'joint', 'type', '$a(j)$', r'$\gamma_j$', '$b_j$', r'$\alpha_j$',
                   '$d_j$', r'$\theta_j$', '$r_j$')
ANGLES = ('gamma', 'alpha', 'theta')

_PARTS = 12   # angles that are this part of pi, or a multiple of it, are printed as fractions
_ROUNDING = 1e-15   # share of the largest inertial entry of a row: less is a rounding error

_ESCAPED = str.maketrans({
    '\\': r'\textbackslash{}', '~': r'\textasciitilde{}', '^': r'\textasciicircum{}',
    **{character: f'\\{character}' for character in '&%$#_{}'}})


def dh_text(table: DhTable) -> str:
    """Return a table as text; lengths in metres, angles in radians."""
    return '\n'.join([
        f'{printable(table.name)}: modified DH parameters (Khalil and Kleinfinger)',
        'frame j in frame a(j): Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r) [rad, m]', '',
        *aligned([_GEOMETRY, *_geometry(table, 'pi', 'q{}'.format)]), '',
        'inertia about the origin of frame j [kg m^2], first moments [kg m], mass [kg]; friction',
        *aligned([('j', *INERTIA_COLUMNS, *FRICTION_COLUMNS), *_inertias(table)])])


def dh_latex(table: DhTable) -> str:
    """Return a table as two tabulars, for any document class and without packages."""
    geometry = [[cell.translate(_ESCAPED) if k == 1 else cell if k in (0, 2) else _formula(cell)
                 for k, cell in enumerate(row)]
                for row in _geometry(table, r'\pi', 'q_{{{}}}'.format)]
    inertias = [[_formula(cell) for cell in row] for row in _inertias(table)]
    heads = ('$j$', *(f'${name[0]}\\!{name[1:]}$' if len(name) > 1 else f'${name}$'
                      for name in (*INERTIA_COLUMNS, *FRICTION_COLUMNS)))
    return '\n'.join([
        f'% {printable(table.name)}: modified DH parameters (Khalil and Kleinfinger); rad, m, kg',
        *_tabular('rlcr' + 'r' * 6, _LATEX_GEOMETRY, geometry), '',
        *_tabular('r' * len(heads), heads, inertias)])


def _geometry(table: DhTable, pi: str, symbol: Callable[[int], str]) -> Iterator[Sequence[str]]:
    """Yield the cells of rows; what moves has the symbol of its joint's coordinate."""
    moving = [row.joint for row in table.rows if row.type != FIXED_ROW and row.mimic is None]
    number = {name: i for i, name in enumerate(moving, 1)}
    for row in table.rows:
        cells = {name: _angle_text(value, pi) if name in ANGLES else _length(value)
                 for name, value in row.six._asdict().items()}
        if variable := JOINT_COLUMN.get(row.type):
            cells[variable] = _coordinate(row, number, symbol, cells[variable])
        antecedent = '-' if row.antecedent is None else str(row.antecedent)
        yield (str(row.j), printable(row.joint), row.type, antecedent, *cells.values())


def _coordinate(row: DhRow, number: dict[str, int], symbol: Callable[[int], str],
                constant: str) -> str:
    """Return a joint's position and the constant that is added to it."""
    driver, factor, offset = row.joint, '', '0'
    if (mimic := row.mimic) is not None:
        driver, offset = mimic.joint, _length(mimic.offset)
        factor = {1.0: '', -1.0: '-'}.get(mimic.multiplier, f'{_length(mimic.multiplier)} ')
    text = factor + symbol(number[driver])
    for part in (offset, constant):
        if part != '0':
            text += f' - {part[1:]}' if part.startswith('-') else f' + {part}'
    return text


def _length(value: float) -> str:
    return f'{value + 0.0:.10g}'


def _angle_text(value: float, pi: str) -> str:
    parts = round(value / math.pi * _PARTS)
    if parts == 0 or abs(value - parts * math.pi / _PARTS) > 4e-15:
        return _length(value)
    divisor = math.gcd(parts, _PARTS)
    over, under = abs(parts) // divisor, _PARTS // divisor
    space = ' ' if over != 1 else ''
    sign = '-' if parts < 0 else ''
    return (f'{sign}{over if over != 1 else ""}{space}{pi}'
            + (f'/{under}' if under != 1 else ''))


def _inertias(table: DhTable) -> Iterator[Sequence[str]]:
    """Yield the inertial columns and friction of rows that have any."""
    for row in table.rows:
        numbers = inertia_numbers(row)
        if numbers or row.damping or row.friction:
            least = _ROUNDING * max(map(abs, numbers.values()), default=0.0)
            values = [numbers.get(name, 0.0) for name in INERTIA_COLUMNS]
            yield (str(row.j), *(f'{value if abs(value) > least else 0.0:.6g}'
                                 for value in values),
                   *(f'{value:.6g}' for value in (row.damping, row.friction)))


def _tabular(columns: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    line, *lines = (f'{" & ".join(row)} \\\\' for row in (heads, *rows))
    yield from (f'\\begin{{tabular}}{{{columns}}}', r'\hline', line, r'\hline', *lines, r'\hline',
                r'\end{tabular}')


def _formula(cell: str) -> str:
    """Return a cell in mathematical mode, with powers of ten."""
    return '$' + re.sub(r'e([+-]\d+)', lambda match: f' \\cdot 10^{{{int(match[1])}}}', cell) + '$'
