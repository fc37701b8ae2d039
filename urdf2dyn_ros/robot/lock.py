"""A part of a robot: joints that are locked at a position become fixed ones; masses stay."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from numbers import Real

from urdf2dyn_ros.errors import ParameterError
from urdf2dyn_ros.robot.assembly import moved_start, solve_loops, unsolved
from urdf2dyn_ros.robot.joints import URDF_TYPES, Coordinate, JointType
from urdf2dyn_ros.robot.model import FIXED, Joint, RobotModel
from urdf2dyn_ros.robot.parameters import Parameter
from urdf2dyn_ros.robot.rotations import aligned, composed, from_rpy, to_rpy
from urdf2dyn_ros.text import quote, suggestion

LOCK = Parameter(
    'lock', ('',), 'Joints that are locked, each as JOINT=POSITION [rad or m]: they become fixed '
    'there, with those that mimic them, and have no effort; their links keep their masses.')


def locked_positions(texts: Iterable[str]) -> dict[str, float]:
    """Return the positions [rad or m] of texts JOINT=POSITION; a ParameterError for another."""
    positions: dict[str, float] = {}
    for text in filter(None, map(str.strip, texts)):
        name, _, number = text.rpartition('=')
        try:
            position = float(number)
        except ValueError:
            position = math.nan
        if not name.strip() or not math.isfinite(position):
            raise ParameterError(f'lock {quote(text)}: write JOINT=POSITION, with the position in '
                                 'rad or m')
        if positions.setdefault(name.strip(), position) != position:
            raise ParameterError(f'lock {quote(text)}: the joint is locked at '
                                 f'{positions[name.strip()]:g} already')
    return positions


def lock_joints(model: RobotModel, positions: Mapping[str, float]) -> RobotModel:
    """
    Return a robot some of whose joints are fixed where they are: the part of it that moves.

    It is what Pinocchio's buildReducedModel makes. Joints that mimic a locked one are fixed as
    well, where they follow it to.

    Parameters
    ----------
    model : RobotModel
        It is not changed.
    positions : mapping from str to float
        Positions [rad or m] of joints with one coordinate that mimic no other.

    Raises
    ------
    ParameterError
        For a joint that there is not, that mimics another, is fixed or has several coordinates,
        a position beyond its limits, or a robot with gears (``<coupling>``).
    UrdfError
        Of a robot with closed loops, if these do not close there.

    """
    if not isinstance(positions, Mapping):
        raise ParameterError(f"lock is {positions!r}; it must be a mapping: {{'joint1': 0.5}}")
    if positions and model.couplings:
        raise ParameterError('joints of a robot with gears between several joints cannot be '
                             'locked; write them as fixed joints in the description, and what '
                             'they are geared to')
    if positions and model.loops:
        loops = model.closed_loops
        start = moved_start(model, positions) if loops else {}
        whole = loops is not None and positions.keys() >= {*loops.actuated}
        tree = lock_joints(replace(unsolved(model), loops=()), start if whole else positions)
        return tree if whole else solve_loops(replace(tree, loops=model.loops), {
            name: position for name, position in start.items() if name not in positions})
    joints = {joint.name: joint for joint in model.joints}
    for name, position in positions.items():
        if fault := _fault(name, position, joints):
            raise ParameterError(f'lock {quote(str(name))}: {fault}')
    fixed = []
    for joint in model.joints:
        driver, multiplier, offset = joint, 1.0, 0.0
        while driver.mimic is not None and driver.name not in positions:
            offset += multiplier * driver.mimic.offset
            multiplier *= driver.mimic.multiplier
            driver = joints[driver.mimic.joint]
        if driver.name in positions:
            kind = URDF_TYPES[joint.type].single
            assert kind is not None
            joint = _fixed(joint, kind, multiplier * positions[driver.name] + offset)
        fixed.append(joint)
    return replace(model, joints=tuple(fixed), locked=(*model.locked, *positions.items()))


def _fault(name: str, position: float, joints: Mapping[str, Joint]) -> str:
    joint = joints.get(name)
    if joint is None:
        name = str(name)
        return f'there is no such joint; {suggestion(name, joints, search=len(joints) <= 200)}'
    if joint.mimic is not None:
        return f'the joint mimics {quote(joint.mimic.joint)}: lock that one'
    kind = URDF_TYPES[joint.type].single
    if kind is None:
        return f'the joint is {joint.type}: only joints with one coordinate can be locked'
    if not isinstance(position, Real) or not math.isfinite(position):
        return f'the position {position!r} must be a finite number'
    lower, upper = joint.limits.lower, joint.limits.upper
    if kind.bounded and lower is not None and upper is not None and lower <= upper and not (
            lower <= position <= upper):
        return (f'the position {position:g} {kind.unit} is outside of the limits of the joint, '
                f'{lower:g} to {upper:g} {kind.unit}')
    return ''


def _fixed(joint: Joint, kind: JointType, position: float) -> Joint:
    parent_R_joint, joint_R_axis = from_rpy(joint.rpy), aligned(joint.axis)
    turn = joint_R_axis @ (kind.rotation(Coordinate(position, 0.0, 0.0)) @ joint_R_axis.T)
    shift = parent_R_joint @ (joint_R_axis @ kind.displacement(position))
    return replace(joint, type=FIXED, xyz=joint.xyz + shift, mimic=None,
                   rpy=to_rpy(composed(parent_R_joint, turn)) if kind.turns else joint.rpy)
