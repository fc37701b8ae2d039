"""The joints of a robot as a table for the head of a file."""

from urdf2dyn_ros.algebra.vectors import AXES, IDENTITY, Matrix, transpose
from urdf2dyn_ros.joints import JOINTS
from urdf2dyn_ros.multibody import ROOT, Body, Multibody
from urdf2dyn_ros.program.program import JointRow


def joint_table(system: Multibody) -> tuple[JointRow, ...]:
    """Return a row for every body."""
    drivers = system.drivers
    rows = []
    for i, body in enumerate(system.bodies):
        joint, driver = JOINTS[body.type], drivers[body.coordinate]
        link = body.attached[0].link.name if body.attached else ''
        rows.append(JointRow(
            i + 1, body.name, link, body.type, joint.unit, joint.effort_unit,
            'root' if body.parent == ROOT else str(body.parent + 1),
            _named(body.attached[0].body_R_link) if body.attached else 'x y z',
            '' if driver == i else _follows(body, driver + 1), _limits(body),
            '' if body.parent_R_joint == IDENTITY else _named(transpose(body.parent_R_joint))))
    return tuple(rows)


def _follows(body: Body, driver: int) -> str:
    """Return the position of a mimic joint as a formula."""
    multiplier = '' if body.multiplier == 1.0 else f'{body.multiplier:.9g} '
    offset = '' if body.offset == 0.0 else f' {body.offset:+.9g}'
    return f'{multiplier}q{driver}{offset}'


def _limits(body: Body) -> str:
    """Return the limits that the URDF gives, as text."""
    joint, limits = JOINTS[body.type], body.limits
    parts = []
    if limits.lower is not None and limits.upper is not None:
        parts.append(f'{limits.lower:g} .. {limits.upper:g} {joint.unit}')
    for value, unit in ((limits.velocity, f'{joint.unit}/s'), (limits.effort, joint.effort_unit)):
        if value is not None:
            parts.append(f'{value:g} {unit}')
    return ', '.join(parts)


def _named(rows: Matrix) -> str:
    """Return the names of axes that are the rows of a rotation."""
    names = []
    for row in rows:
        which = [k for k in range(3) if abs(row[k]) == 1.0]
        if not which:
            return 'oblique'
        names.append('-' * (row[which[0]] < 0.0) + AXES[which[0]])
    return ' '.join(names)
