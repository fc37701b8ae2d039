"""The parameter `hold`: joints that are not published, and are at rest at a known position."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from urdf2dyn_ros.inverse_dynamics import InverseDynamics
from urdf2dyn_ros.parameters import Parameter
from urdf2dyn_ros.quoting import quote, suggestion
from urdf2dyn_ros.robot_model import Limits

AUTO = 'auto'

AUTO_TIME = 5.0
"""Time for which others' data must have been received before joints are held by ``auto`` [s]."""

HOLD = Parameter(
    'hold', ('',), 'Joints that are not published, each as JOINT or JOINT=POSITION: they are at '
    'rest at that position [rad or m], by default 0 or the limit nearest to it, and have efforts '
    "like the others. auto: those that have not been published after 5 s of others' data. A held "
    'joint that is published is no longer held.')

HELD_TWICE = 'the joint is held twice: remove one of the two'


class Hold(NamedTuple):
    """
    Positions of the joints that are held from the start, and whether others are held by ``auto``.

    `defaults` are the positions of all joints unless another one is set [rad or m].
    """

    positions: Mapping[str, float] = {}
    automatic: bool = False
    defaults: Mapping[str, float] = {}


def read_hold(texts: Iterable[str], dynamics: InverseDynamics) -> tuple[Hold, list[str]]:
    """Return what the texts of the parameter ``hold`` mean, and a sentence for each fault."""
    limits = dict(zip(dynamics.joint_names, map(_range, dynamics.limits, dynamics.continuous)))
    defaults = {name: min(max(0.0, lower), upper) for name, (lower, upper) in limits.items()}
    positions: dict[str, float] = {}
    faults = []
    used = [text.strip() for text in texts if text.strip()]
    for text in used:
        if text == AUTO:
            continue
        name, fault = _joint(text, dynamics)
        position = defaults.get(name, math.nan)
        if not fault and name in positions:
            fault = HELD_TWICE
        if not fault and text != name:
            position, fault = read_position(text.rpartition('=')[2].strip(), limits[name],
                                            dynamics.units[dynamics.joint_names.index(name)])
        if fault:
            faults.append(f'hold {quote(text)}: {fault}')
        else:
            positions[name] = position
    if positions and len(positions) == len(defaults):
        positions = {}
        faults.append('hold: all joints of the robot are named, but at least one must be '
                      'published: remove those that are')
    return Hold(positions, AUTO in used, defaults), faults


def _range(limits: Limits, continuous: bool) -> tuple[float, float]:
    """Return the lower and the upper position of a joint [rad or m]; infinite without limits."""
    lower, upper = limits.lower, limits.upper
    if continuous or lower is None or upper is None or lower > upper:
        return -math.inf, math.inf
    return lower, upper


def _joint(text: str, dynamics: InverseDynamics) -> tuple[str, str]:
    """Return the joint of a text and what is wrong with it, or an empty text."""
    names = dynamics.joint_names
    name = text if text in names else text.rpartition('=')[0].rstrip() or text
    if name in names:
        return name, ''
    joint = next((joint for joint in dynamics.model.joints if joint.name == name), None)
    if joint is None:
        return name, (f'robot {quote(dynamics.model.name)} has no joint {quote(name)}; '
                      f'{suggestion(name, names, search=True)}')
    if joint.mimic is not None:
        return name, f'the joint mimics {quote(joint.mimic.joint)}: hold that one'
    if joint.type == 'fixed':
        return name, 'the joint is fixed, it needs no position: remove it'
    return name, (f'the {joint.type} joint has several coordinates: hold each of them by its '
                  f'name; {suggestion(name, names, search=True)}')


def read_position(text: str, limits: tuple[float, float], unit: str) -> tuple[float, str]:
    """Return a position [rad or m] and what is wrong with it, or an empty text."""
    lower, upper = limits
    try:
        position = float(text)
    except ValueError:
        position = math.nan
    if not math.isfinite(position):
        return position, f'the position {quote(text)} is not a number [{unit}]'
    if not lower <= position <= upper:
        return position, (f'the position is outside of the limits of the joint, {lower:g} to '
                          f'{upper:g} {unit}')
    return position, ''


def hold_advice(missing: Sequence[str], hold: Sequence[str], node: str) -> str:
    """Return how a node holds joints that are missing, besides those it holds, or nothing."""
    if not missing:
        return ''
    if AUTO in map(str.strip, hold):
        return (f'hold: {AUTO} holds them at rest once the other joints have been published for '
                f'{AUTO_TIME:g} s without them')
    texts = [text for text in hold if text] + list(missing)
    value = json.dumps(texts, ensure_ascii=False).replace("'", "'\\''")
    return f"if nothing publishes them, hold them at rest: ros2 param set {node} hold '{value}'"
